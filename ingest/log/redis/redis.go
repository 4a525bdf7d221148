// Package redis reads Redis' list of slow commands as redis-cli prints it.
package redis

import (
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is the format of the slow log.
var Dialect = log.Dialect{
	Name:   "redis-slowlog",
	Yields: ingest.KindPause,
	Whole:  true,
	Doc: `Slow commands of Redis or Valkey (SLOWLOG)

    redis-cli CONFIG SET slowlog-log-slower-than 1000   # µs
    redis-cli CONFIG SET slowlog-max-len 1024
    redis-cli SLOWLOG GET 1024 > slowlog.txt

All three views of redis-cli are read: the numbered one of a terminal (--no-raw),
the bare one that a pipe gets, and that of --json. The last is safest: in the bare
view arguments with line feeds look like more of them.

An entry becomes a pause: Redis runs one command at a time, so all clients wait
while a slow one runs. Its time is that of execution only, in µs, without the wait
before and the network. The stamp is the end of the command, in whole seconds
since the epoch: a pause may have begun up to a second later than it says.

Operations are the command and its first key with what varies folded away ("GET
user:{id}"), or its subcommand (CONFIG SET). The list is bounded by
slowlog-max-len: older entries are lost, which the numbers in front do not show.
Two prints of the list in one file count what both hold twice.`,
	Claims: claims,
	Knows:  func(lines [][]byte) bool { return viewOf(lines) != unknown },
	Learn: func(lines [][]byte, opt ingest.Options) (func() log.Reader, error) {
		shape := &ingest.Shape{
			Layout: "SLOWLOG", Unit: time.Microsecond, UnitFrom: ingest.UnitFromFormat, Step: time.Microsecond,
			Clock: "the command runs", Stamp: ingest.StampEnd,
		}
		if opt.Unit != 0 {
			shape.Unit, shape.UnitFrom, shape.Step = opt.Unit, ingest.UnitFromFlag, 0
		}
		v := viewOf(lines)
		return func() log.Reader {
			base := entries{shape: shape}
			switch v {
			case jsonView:
				return &object{entries: base}
			case bareView:
				return &bare{entries: base, addressed: -1}
			}
			return &numbered{entries: base}
		}, nil
	},
}

// Format is Dialect as a format.
var Format = Dialect.Format()

var errCut = errors.New("a slow command without its time or name")

// entries makes pauses of what the views say.
type entries struct {
	shape *ingest.Shape
	ops   ops
}

// fill makes e the pause of a command.
func (x *entries) fill(e *log.Entry, ended, took []byte, name, arg []byte) error {
	at, ok := digits(ended)
	if !ok || !isEpoch(ended) {
		return log.ErrStamp
	}
	d, _, explicit, ok := log.Duration(took, x.shape.Unit)
	if !ok || explicit {
		return log.ErrLatency
	}
	e.Pause, e.All, e.Shape, e.Latency = true, true, x.shape, d
	e.Op = x.ops.op(name, arg)
	e.Stamp = log.Moment{Time: ingest.Time(at * int64(time.Second)), Resolution: time.Second, Zone: ingest.ZoneUTC}
	return nil
}

// isEpoch reports ten digits: seconds since the epoch from 2001 to 2286, less
// those from 2261, which nanoseconds do not hold.
func isEpoch(b []byte) bool {
	_, ok := digits(b)
	return ok && len(b) == 10 && b[0] != '0' && b[0] < '9'
}

func digits(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
