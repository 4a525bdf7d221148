// Package gotrace reads the collector's trace of Go programs, what
// GODEBUG=gctrace=1 prints to standard error.
package gotrace

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is the format of gctrace lines.
var Dialect = log.Dialect{
	Name:   "gctrace",
	Yields: ingest.KindPause,
	Doc: `Garbage collections of a Go program (gctrace)

One line for each garbage collection, on standard error, printed by the Go
runtime when the program is started with

    GODEBUG=gctrace=1 ./server

    gc 9 @77.204s 0%: 0.38+44+5.8 ms clock, 3.0+5.0/24/0+46 ms cpu, …

The world is stopped twice in a collection: in the first and in the last part of
the clock, 0.38 and 5.8 ms here. A line becomes one pause of their sum; what is
between them runs beside the program and is no pause, though it takes CPU from
it, and may hold up single goroutines that allocate for much longer.

Time stamps: @77.204s is the time since the program was started, at the start of
the collection. There is no date: such a file can only be laid beside others by
an anchor, the moment at which the program was started. Where a container runtime
or syslog has put a stamp in front of each line, that one is used. A program that
was started again counts from zero again, and so do several programs that write
to one stream: keep them in files of their own.`,
	Claims: claims,
	Learn: func([][]byte, ingest.Options) (func() log.Reader, error) {
		return func() log.Reader { return reader{} }, nil
	},
}

// Format is Dialect as a format.
var Format = Dialect.Format()

var shape = ingest.Shape{
	Layout: "gctrace", Unit: time.Millisecond, UnitFrom: ingest.UnitFromValue,
	Clock: "the world stops", Stamp: ingest.StampStart,
}

type reader struct{}

func (reader) Read(line []byte, e *log.Entry) error {
	start, stopped, err := parse(line)
	if err != nil {
		if aside(line) {
			return log.ErrIgnore
		}
		return err
	}
	e.Pause, e.All, e.Shape, e.Latency, e.Op = true, true, &shape, stopped, "GC"
	if bytes.HasSuffix(line, []byte("(forced)")) {
		e.Op = "GC (forced)" // runtime.GC was called
	}
	e.Stamp = log.Moment{Time: ingest.Relative(start), Resolution: time.Millisecond}
	return nil
}

// parse reads "gc # @#s #%: #+#+# ms clock, …". Go 1.5 had five parts, of which
// the first and the last stopped the world too.
func parse(line []byte) (start, stopped time.Duration, err error) {
	head, rest, ok := bytes.Cut(line, []byte("%: "))
	clock, _, also := bytes.Cut(rest, []byte(" ms clock"))
	number, at, its := bytes.Cut(bytes.TrimPrefix(head, []byte("gc ")), []byte(" @"))
	if !ok || !also || !its || len(head) > 64 || len(clock) > 128 || !bytes.HasPrefix(line, []byte("gc ")) || !whole(number) {
		return 0, 0, log.ErrOther
	}
	at, share, ok := bytes.Cut(at, []byte("s "))
	if !ok || !whole(share) {
		return 0, 0, log.ErrOther
	}
	if start, _, _, ok = log.Duration(at, time.Second); !ok {
		return 0, 0, log.ErrStamp
	}
	if n := bytes.Count(clock, []byte("+")); n != 2 && n != 4 {
		return 0, 0, log.ErrLatency
	}
	for _, part := range [...][]byte{clock[:bytes.IndexByte(clock, '+')], clock[bytes.LastIndexByte(clock, '+')+1:]} {
		d, _, explicit, ok := log.Duration(part, time.Millisecond)
		if !ok || explicit {
			return 0, 0, log.ErrLatency
		}
		stopped += d
	}
	return start, stopped, nil
}

func whole(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

// aside reports what the runtime prints beside collections: the scavenger, the
// pacer, the scheduler.
func aside(line []byte) bool {
	for _, p := range []string{"scvg", "pacer: ", "SCHED ", "GC forced", "gcstoptheworld", "forced scvg"} {
		if bytes.HasPrefix(line, []byte(p)) {
			return true
		}
	}
	return false
}

func claims(line []byte) log.Claim {
	switch _, _, err := parse(line); {
	case err == nil:
		return log.Own
	case aside(line):
		return log.Aside
	}
	return log.Foreign
}
