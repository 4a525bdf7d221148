package calltree

import (
	"math"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// farTime is the last moment that is taken for one, 146 years from the epoch
// either way, so that differences of times cannot overflow.
const farTime = ingest.Time(1) << 62

// timed reports whether a span has a start, and an end that is not before it.
func timed(s *ingest.Span) bool {
	return s.Start != 0 && s.End >= s.Start && s.Start > -farTime && s.End < farTime
}

// Timed reports whether a span has a start, and an end that is not before it.
// What follows from times leaves out other spans.
func (t *Trace) Timed(n Node) bool { return timed(&t.Spans[n]) }

// Duration returns how long a span took; 0: not known either.
func (t *Trace) Duration(n Node) time.Duration {
	if s := &t.Spans[n]; timed(s) {
		return s.End.Sub(s.Start)
	}
	return 0
}

// Self returns how long a span ran while none of its children did: its time
// less the union of theirs, each cut off at its ends. Children that nobody
// waits for (Async) are not taken off. Times are compared as recorded: a child
// whose clock is far off is outside, and takes nothing off.
func (t *Trace) Self(n Node) time.Duration {
	if len(t.self) == 0 && len(t.Spans) > 0 {
		t.self = resize(t.self, len(t.Spans))
		for k := range t.Spans {
			t.self[k] = t.selfTime(Node(k))
		}
	}
	return t.self[n]
}

func (t *Trace) selfTime(n Node) time.Duration {
	if !t.Timed(n) {
		return 0
	}
	s := &t.Spans[n]
	self, free := time.Duration(0), s.Start // free: the end of what is covered
	for _, k := range t.Children(n) {
		c := &t.Spans[k]
		if !t.waitedFor(k) || c.Start >= s.End {
			continue
		}
		if c.Start > free {
			self += c.Start.Sub(free)
		}
		free = max(free, c.End)
	}
	if free < s.End {
		self += s.End.Sub(free)
	}
	return self
}

// waitedFor reports whether a span has times and its parent waits for it.
func (t *Trace) waitedFor(n Node) bool { return t.Timed(n) && !t.Spans[n].Async }

// sum adds durations and stops at the highest: hostile times must not wrap round.
func sum(a, b time.Duration) time.Duration {
	if c := a + b; c >= a || b < 0 {
		return c
	}
	return math.MaxInt64
}
