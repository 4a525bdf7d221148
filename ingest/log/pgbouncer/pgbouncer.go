// Package pgbouncer reads the statistics that PgBouncer writes to its log.
package pgbouncer

import (
	"bytes"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is the format of PgBouncer's log.
var Dialect = log.Dialect{
	Name: "pgbouncer",
	Doc: `Waits for a connection in PgBouncer's pools (stats lines)

    log_stats = 1         ; the default
    stats_period = 60     ; seconds

    2018-09-12 16:09:54.778 3394 LOG stats: 281 xacts/s, 1967 queries/s, …, xact 17057 us, query 2360 us, wait time 8672 us

Clients wait in PgBouncer while all connections to the server are in use: time
that the server's own log does not hold. Each stats line becomes one record that
has no latency, only the average time that a client waited in that period, "pool
wait (average)". It is a mean: what the longest waits were, it does not show.

What the line calls wait is not the same in all versions. Up to 1.22 it is what
all clients together waited in a second, and so it is divided by the transactions
of a second here: 8672 us at 281 xacts/s are 31 µs each. From 1.23 on it is the
mean of a client that was given a connection. Lines with parses/s are of 1.24 and
later; otherwise the line "process up: PgBouncer …" tells the version, and where
the first lines do not hold it, an older one is assumed.

Stamps are of the end of a period. Older versions write them without a zone: see
--tz.`,
	Claims: claims,
	Knows: func(lines [][]byte) bool {
		own, sure := 0, false
		for _, line := range lines {
			if _, text, ok := parse(line); ok {
				own++
				sure = sure || fingerprint(text)
			}
		}
		return sure && 2*own > len(lines)
	},
	Learn: func(lines [][]byte, opt ingest.Options) (func() log.Reader, error) {
		each := perClient(lines)
		return func() log.Reader { return &reader{clock: log.Clock{Zone: opt.Zone}, each: each} }, nil
	},
}

// Format is Dialect as a format.
var Format = Dialect.Format()

const operation = "pool wait (average)"

var shape = ingest.Shape{Layout: "stats", Stamp: ingest.StampEnd}

var errCut = errors.New("statistics that are cut off")

type reader struct {
	clock log.Clock
	each  bool // the version is known to give the mean of a client
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	stamp, text, ok := parse(line)
	if !ok {
		return log.ErrOther
	}
	if !bytes.HasPrefix(text, statsMark) {
		return log.ErrIgnore
	}
	wait, ok, err := r.wait(text)
	if err != nil || !ok {
		return ignored(err)
	}
	if e.Stamp, ok = r.clock.Read(stamp); !ok {
		return log.ErrStamp
	}
	e.Op, e.Queue, e.Vantage, e.Shape = operation, wait, ingest.Proxy, &shape
	return nil
}

func ignored(err error) error {
	if err != nil {
		return err
	}
	return log.ErrIgnore
}

var statsMark = []byte("stats: ")

// wait reads the average wait of a client from a stats line; ok is false where
// there is none: versions before 1.8.
func (r *reader) wait(text []byte) (d time.Duration, ok bool, err error) {
	i := bytes.LastIndex(text, []byte(", wait "))
	if i < 0 {
		if bytes.HasSuffix(text, []byte(" us")) {
			return 0, false, nil
		}
		return 0, false, errCut
	}
	number := bytes.TrimPrefix(text[i+len(", wait "):], []byte("time "))
	number, unit := bytes.CutSuffix(number, []byte(" us"))
	d, _, explicit, ok := log.Duration(number, time.Microsecond)
	if !unit {
		return 0, false, errCut
	}
	if !ok || explicit {
		return 0, false, log.ErrLatency
	}
	if r.each || bytes.Contains(text, []byte(" client parses/s, ")) {
		return d, true, nil
	}
	rate, ok := perSecond(text[len(statsMark):])
	if !ok {
		return 0, false, errCut
	}
	if rate > 1 {
		d = time.Duration((uint64(d) + rate/2) / rate)
	}
	return d, true, nil
}

// perSecond reads "281 xacts/s, ".
func perSecond(b []byte) (rate uint64, ok bool) {
	number, _, ok := bytes.Cut(b, []byte(" xacts/s, "))
	if !ok || len(number) == 0 || len(number) > 15 {
		return 0, false
	}
	for _, c := range number {
		if c-'0' > 9 {
			return 0, false
		}
		rate = rate*10 + uint64(c-'0')
	}
	return rate, true
}

// perClient reports that a version is shown whose waits are means of a client:
// 1.23 and later.
func perClient(lines [][]byte) (each bool) {
	for _, line := range lines {
		_, version, ok := bytes.Cut(bytes.ToLower(line), []byte("process up: pgbouncer 1."))
		if !ok {
			continue
		}
		minor := 0
		for _, c := range version {
			if c-'0' > 9 || minor > 1000 {
				break
			}
			minor = minor*10 + int(c-'0')
		}
		each = minor >= 23
	}
	return each
}

// parse cuts "2018-09-12 16:09:54.778 3394 LOG text" up, or, of later versions,
// "2023-03-02 10:00:00.123 UTC [1234] LOG text".
func parse(line []byte) (stamp, text []byte, ok bool) {
	if len(line) < 30 || line[4] != '-' || line[7] != '-' || line[10] != ' ' || line[13] != ':' || line[19] != '.' {
		return nil, nil, false
	}
	end := bytes.IndexByte(line[19:min(len(line), 40)], ' ')
	if end < 0 {
		return nil, nil, false
	}
	end += 19
	stamp, rest := line[:end], line[end+1:]
	word, rest, _ := bytes.Cut(rest, []byte(" "))
	if len(word) > 0 && len(word) < 8 && word[0]-'0' > 9 && word[0] != '[' {
		stamp = line[:end+1+len(word)]
		word, rest, _ = bytes.Cut(rest, []byte(" "))
	}
	level, text, ok := bytes.Cut(rest, []byte(" "))
	return stamp, text, ok && isPID(word) && levels[string(level)]
}

func isPID(b []byte) bool {
	if len(b) > 2 && b[0] == '[' && b[len(b)-1] == ']' {
		b = b[1 : len(b)-1]
	}
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

// levels are those of PgBouncer.
var levels = map[string]bool{"FATAL": true, "ERROR": true, "WARNING": true, "LOG": true, "INFO": true, "DEBUG": true, "NOISE": true}

// fingerprint reports a text that only PgBouncer writes.
func fingerprint(text []byte) bool {
	for _, p := range []string{"stats: ", "Stats: ", "C-0x", "S-0x", "process up: "} {
		if bytes.HasPrefix(text, []byte(p)) {
			return p[1] != 'r' || bytes.Contains(bytes.ToLower(text), []byte("pgbouncer"))
		}
	}
	return false
}

func claims(line []byte) log.Claim {
	_, text, ok := parse(line)
	switch {
	case !ok:
		return log.Foreign
	case bytes.HasPrefix(text, statsMark) && bytes.Contains(text, []byte(", wait ")):
		return log.Own
	}
	return log.Aside
}
