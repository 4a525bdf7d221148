// Package jvm reads what the Java virtual machine logs of the times in which it
// stopped the program: pauses of the garbage collector and safepoints, by
// unified logging (JDK 9 and later) and as older ones print them.
package jvm

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is the format of garbage collection and safepoint logs.
var Dialect = log.Dialect{
	Name:   "jvm-gc",
	Yields: ingest.KindPause,
	Whole:  true,
	Doc: `Pauses of a Java virtual machine (GC and safepoint log)

JDK 9 and later, unified logging:

    java -Xlog:gc*,safepoint:file=gc.log:time,uptime,level,tags …

    [2026-11-29T13:26:06.878-0800][8.185s][info][gc] GC(1) Pause Full (System.gc()) 1725M->1196M(4949M) 1507.585ms
    [2026-11-29T13:26:06.883-0800][8.190s][info][safepoint] Safepoint "GenCollectFull", …, Total: 1512193619 ns

JDK 8 and before:

    java -Xloggc:gc.log -XX:+PrintGCDateStamps -XX:+PrintGCApplicationStoppedTime …

    2015-02-16T18:06:57.285+0100: 366.174: Total time for which application threads were stopped: 0.0004130 seconds

All threads stand still in a pause, so requests that come meanwhile wait, and the
application's own log, whose clock starts when a thread takes a request, shows it
for few of them.

What is counted: lines that say Pause and how long it took. Concurrent phases are
none. The safepoint around a pause is the same stop, and is not counted again;
where the threads took 1 ms or more to come to it, that time, before the pause,
is one of its own. Safepoints of other causes count from 1 ms on: most are
housekeeping, each second, and shorter. Of JDK 8 only the stopped times are read,
all of them: they hold the collections.

Time stamps are of the end of a pause. Decorations say what they are: with time
or utctime they are dates; with uptime alone, the default, there are none, and
such a file can only be laid beside others by an anchor, the moment at which the
machine was started. Add the time decoration. Where a container runtime or syslog
has put a stamp in front of each line, that one is used.`,
	Claims: claims,
	Near: func(line []byte) string {
		if legacyGC(line) {
			return "collections of JDK 8 without the stopped times: -XX:+PrintGCApplicationStoppedTime logs them"
		}
		return ""
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		return func() log.Reader { return &reader{clock: log.Clock{Zone: opt.Zone}} }, nil
	},
}

// Format is Dialect as a format.
var Format = Dialect.Format()

// brief is up to how long stops beside pauses are housekeeping.
const brief = time.Millisecond

const clockStarts = "the threads are stopped"

var (
	pauses = ingest.Shape{Layout: "unified logging, gc", Unit: time.Millisecond, UnitFrom: ingest.UnitFromValue, Clock: clockStarts, Stamp: ingest.StampEnd}
	points = ingest.Shape{Layout: "unified logging, safepoint", Unit: time.Nanosecond, UnitFrom: ingest.UnitFromValue, Clock: clockStarts, Stamp: ingest.StampEnd}
	stops  = ingest.Shape{Layout: "unified logging, stopped times", Unit: time.Second, UnitFrom: ingest.UnitFromValue, Clock: clockStarts, Stamp: ingest.StampEnd}
	legacy = ingest.Shape{Layout: "stopped times", Unit: time.Second, UnitFrom: ingest.UnitFromValue, Clock: clockStarts, Stamp: ingest.StampEnd}
)

type reader struct {
	clock  log.Clock
	names  log.Names
	op     []byte
	paused bool // a pause was logged behind the last safepoint
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	message, decorated := undecorated(line)
	kind, s, err := said(message)
	switch {
	case err != nil:
		return err
	case kind == nothing:
		if decorated || bytes.HasPrefix(message, []byte("GC(")) || chatter(line) {
			return log.ErrIgnore
		}
		return log.ErrOther
	}
	e.Pause, e.All, e.Latency = true, true, s.total
	after := time.Duration(0) // from the end of the pause to the stamp
	switch unified := decorated || kind == pause || kind == safepoint; {
	case kind == pause:
		r.paused = true
		e.Shape, e.Op = &pauses, r.names.Intern(s.name)
	case !unified:
		e.Shape, e.Op = &legacy, "application threads stopped"
	default:
		e.Shape = &stops
		e.Op = "application threads stopped"
		if kind == safepoint {
			e.Shape = &points
			r.op = append(append(r.op[:0], "safepoint "...), s.name...)
			e.Op = r.names.Intern(r.op)
		}
		if r.paused {
			r.paused = false
			after = s.total - s.reaching
			e.Latency, e.Op = s.reaching, "reaching a safepoint"
		}
		if e.Latency < brief {
			return log.ErrIgnore
		}
	}
	if decorated {
		e.Stamp = r.decorations(line)
	} else if e.Stamp, err = r.prefix(line[:len(line)-len(message)]); err != nil {
		return err
	}
	if after > 0 {
		e.Stamp.Time = e.Stamp.Time.Add(-after)
	}
	return nil
}

func claims(line []byte) log.Claim {
	message, decorated := undecorated(line)
	kind, _, err := said(message)
	switch {
	case err == nil && kind != nothing && (decorated || kind != pause || bytes.HasPrefix(message, []byte("GC("))):
		return log.Own
	case decorated, chatter(line):
		return log.Aside
	}
	return log.Foreign
}
