package postgres

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// what a message tells of
type what uint8

const (
	nothing  what = iota
	ran           // a statement, or a step of one, and how long it took
	planned       // the same, by auto_explain
	logged        // a statement, at its beginning
	waiting       // a lock wait that goes on
	acquired      // one that has ended
)

// words are what a message says.
type words struct {
	took time.Duration
	step string // of a prepared statement; empty: execution
	sql  []byte // empty: not on this line
	pid  int64  // of who waits
}

// said reads the message of severity LOG.
func said(message []byte) (what, words, error) {
	switch {
	case bytes.HasPrefix(message, []byte("duration: ")):
		return duration(message[len("duration: "):])
	case bytes.HasPrefix(message, []byte("statement: ")):
		return logged, words{sql: message[len("statement: "):]}, nil
	case bytes.HasPrefix(message, []byte("execute ")):
		if _, sql, ok := bytes.Cut(message, []byte(": ")); ok {
			return logged, words{sql: sql}, nil
		}
	case bytes.HasPrefix(message, []byte("process ")):
		return wait(message[len("process "):])
	case foreign(message):
		return nothing, words{}, errLanguage
	}
	return nothing, words{}, nil
}

// foreign reports a duration as servers with lc_messages of another language write
// it: "Dauer: 2005.401 ms  Anweisung: …". What it is of is told in that language.
func foreign(message []byte) bool {
	word, rest, ok := bytes.Cut(message[:min(len(message), 96)], []byte(": "))
	if word = bytes.TrimRight(word, " \u00a0"); !ok || bytes.IndexByte(word, ' ') >= 0 {
		return false
	}
	number, unit, ok := bytes.Cut(rest, []byte(" "))
	if n := len(number); !ok || n < 5 || number[n-4] != '.' {
		return false
	}
	_, _, explicit, ok := log.Duration(number, time.Millisecond)
	if !ok || explicit {
		return false
	}
	for _, name := range [...]string{"ms", "мс", "ミリ秒", "毫秒", "밀리초"} {
		if bytes.HasPrefix(unit, []byte(name)) {
			return true
		}
	}
	return false
}

// duration reads "2005.401 ms  statement: …".
func duration(b []byte) (what, words, error) {
	i := bytes.Index(b[:min(len(b), 32)], []byte(" ms"))
	if i < 0 {
		return nothing, words{}, errCut
	}
	d, _, explicit, ok := log.Duration(b[:i], time.Millisecond)
	if !ok || explicit {
		return nothing, words{}, log.ErrLatency
	}
	w := words{took: d}
	rest := bytes.TrimLeft(b[i+len(" ms"):], " ")
	kind, sql, ok := bytes.Cut(rest, []byte(":"))
	if !ok || len(kind) > 128 {
		return ran, w, nil
	}
	name, _, _ := bytes.Cut(kind, []byte(" "))
	switch string(name) {
	case "statement", "execute":
	case "parse":
		w.step = "parse "
	case "bind":
		w.step = "bind "
	case "fastpath":
		return ran, w, nil
	case "plan":
		w.sql = queryText(sql)
		return planned, w, nil
	default:
		return ran, w, nil
	}
	w.sql = bytes.TrimLeft(sql, " ")
	return ran, w, nil
}

// queryText finds the statement in a plan, as text, JSON or YAML; nil: it is not here.
func queryText(b []byte) []byte {
	_, sql, ok := bytes.Cut(b, []byte("Query Text"))
	if !ok || len(sql) == 0 {
		return nil
	}
	return bytes.TrimLeft(sql, `\":> `)
}

// wait reads "22596 still waiting for RowExclusiveLock on relation 16393 of
// database 5 after 200.039 ms at character 8" and its kin, of ProcSleep in
// PostgreSQL's proc.c.
func wait(b []byte) (what, words, error) {
	w := words{pid: integer(b)}
	_, rest, ok := bytes.Cut(b, []byte(" "))
	if !ok || w.pid == 0 {
		return nothing, w, nil
	}
	kind := nothing
	switch {
	case bytes.HasPrefix(rest, []byte("still waiting for ")), bytes.HasPrefix(rest, []byte("avoided deadlock for ")):
		kind = waiting
	case bytes.HasPrefix(rest, []byte("acquired ")), bytes.HasPrefix(rest, []byte("failed to acquire ")), bytes.HasPrefix(rest, []byte("detected deadlock while waiting for ")):
		kind = acquired
	default:
		return nothing, w, nil
	}
	i := bytes.LastIndex(rest, []byte(" after "))
	if i < 0 {
		return nothing, w, errWait
	}
	number, _, ok := bytes.Cut(rest[i+len(" after "):], []byte(" ms"))
	if !ok {
		return nothing, w, errWait
	}
	d, _, explicit, ok := log.Duration(number, time.Millisecond)
	if !ok || explicit {
		return nothing, w, log.ErrLatency
	}
	w.took = d
	return kind, w, nil
}
