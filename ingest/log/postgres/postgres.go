// Package postgres reads the logs of PostgreSQL: the lines of log_destination
// stderr and syslog, csvlog and jsonlog.
package postgres

import (
	"bytes"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is the format of PostgreSQL's logs.
var Dialect = log.Dialect{
	Name:   "postgres",
	Yields: ingest.KindSample | ingest.KindPause,
	Whole:  true,
	Doc: `Statements and lock waits of PostgreSQL

    log_min_duration_statement = 0        # ms; or log_duration = on
    log_lock_waits = on                   # waits longer than deadlock_timeout
    log_destination = 'stderr'            # or csvlog, jsonlog
    log_line_prefix = '%m [%p] %q%u@%d '  # any that has %m (or %t, %n), better with %p

"duration: 12.345 ms  statement: …" is a request. Its time is that of the server,
from the statement's arrival to the end of its execution: not the wait for a
connection or in a pool, nor that of the client. The parse and bind steps of
prepared statements have times of their own, and are operations of their own
("bind SELECT orders"). Operations are the verb and the first table. Where the
statement was logged before (log_statement), its line is found by the process id.
A statement that failed or was canceled leaves no duration.

auto_explain logs the same statement once more; its plans are only counted where
the first lines of a log have no other durations.

"process 4711 acquired ShareLock on … after 1907.553 ms" is a pause, "lock wait",
of that length; so is a wait that had not ended when the log, or the statement by
an error, ended: it is as long as was logged.

Stamps are of the end, in ms with %m and in whole seconds with %t. Their zone is
that of log_timezone, by its abbreviation: CET, MSK. Those that stand for several
zones (IST, CST) need --tz; no abbreviation is taken for UTC.`,
	Claims: claims,
	Knows:  knows,
	Learn: func(lines [][]byte, opt ingest.Options) (func() log.Reader, error) {
		plans := plansOnly(lines)
		return func() log.Reader {
			return &reader{clock: log.Clock{Zone: opt.Zone}, plans: plans, said: map[int64]string{}}
		}, nil
	},
}

// Format is Dialect as a format.
var Format = Dialect.Format()

// layout is how a line is written.
type layout uint8

const (
	stderrLines layout = iota
	csvLines
	jsonLines
)

var statements, waits = func() (all, locks [3]ingest.Shape) {
	for i, name := range []string{"stderr", "csvlog", "jsonlog"} {
		s := ingest.Shape{
			Layout: name, Unit: time.Millisecond, UnitFrom: ingest.UnitFromValue, Step: time.Microsecond,
			Clock: "the server has received the statement", Stamp: ingest.StampEnd,
		}
		all[i] = s
		s.Layout, s.Clock = name+", lock waits", "the wait for the lock begins"
		locks[i] = s
	}
	return all, locks
}()

// Reasons why lines are not read.
var (
	errCut      = errors.New("a duration without its unit")
	errWait     = errors.New("a lock wait without its length")
	errLanguage = errors.New("a duration in another language than English, in which it is not told what it is of; set lc_messages = 'C'")
)

// claims tells whose a line is.
func claims(line []byte) log.Claim {
	var x scanner
	rec, ok := x.scan(line)
	switch {
	case !ok && len(line) > 0 && line[0] == '\t':
		return log.Aside // a line goes on
	case !ok:
		return log.Foreign
	}
	if what, _, err := said(rec.message); what != nothing && what != logged && err == nil && string(rec.severity) == "LOG" {
		return log.Own
	}
	return log.Aside
}

// knows reports that most lines are records of the server, or go on with one.
func knows(lines [][]byte) bool {
	var x scanner
	own, open := 0, false
	for _, line := range lines {
		rec, ok := x.scan(line)
		switch {
		case ok:
			open = rec.layout == csvLines && odd(line)
			if own++; len(rec.stamp) == 0 {
				own-- // only its severity: another might have that
			}
		case open:
			open = open != odd(line)
			own++
		case line[0] == '\t' && own > 0:
			own++
		}
	}
	return 2*own > len(lines)
}

// odd reports that a line of CSV opens or closes a quoted field.
func odd(line []byte) bool { return bytes.Count(line, []byte(`"`))%2 == 1 }

// plansOnly reports that the only durations of lines are those of auto_explain.
func plansOnly(lines [][]byte) bool {
	plans := 0
	for _, line := range lines {
		_, rest, ok := bytes.Cut(line, []byte("duration: "))
		if !ok {
			continue
		}
		_, rest, ok = bytes.Cut(rest, []byte(" ms"))
		switch {
		case !ok:
		case bytes.HasPrefix(rest, []byte("  plan:")):
			plans++
		default:
			return false
		}
	}
	return plans > 0
}
