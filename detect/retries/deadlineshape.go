package retries

import (
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// budgetOf returns the deadline that is visible on either side of a call.
func budgetOf(spans ...*ingest.Span) time.Duration {
	for _, s := range spans {
		if s.Rare != nil && s.Rare.Budget > 0 {
			return s.Rare.Budget
		}
	}
	return 0
}

// maxBetween is how many spans there may be between a call and the server's
// span: wrappers and attempts of the client's own.
const maxBetween = 8

// entry returns the first span below a call that is in another process; None:
// the other side is not recorded.
func entry(t *calltree.Trace, n calltree.Node) calltree.Node {
	_, to := t.Subtree(n)
	for k := n + 1; k < min(to, n+1+maxBetween); k++ {
		if t.Hop(k) > t.Hop(n) {
			return k
		}
	}
	return calltree.None
}

// burst looks for calls that one parent made when their deadline had passed.
func (d *deadlines) burst(t *calltree.Trace, parent calltree.Node) {
	p := t.Span(parent)
	if p == nil || !t.Timed(parent) {
		return
	}
	for _, g := range t.Groups(parent) {
		if len(g.Spans) < burstCalls || g.Kind != ingest.ClientSpan {
			continue
		}
		n, first := int64(0), calltree.None
		for _, k := range g.Spans {
			s := &t.Spans[k]
			if s.Outcome == ingest.TimedOut && t.Timed(k) && t.Duration(k) <= burstTook && !s.Async && !s.Setup {
				if n = plus(n, stands(s)); first == calltree.None {
					first = k
				}
			}
		}
		if n < burstCalls || t.Spans[first].Start.Sub(p.Start) < burstShare*max(t.Duration(first), 100*time.Microsecond) {
			continue
		}
		if e := d.calls.get(deadlineKey{hop: hopOf(&t.Spans[first], p)}); e != nil {
			e.bursts++
			e.burst = plus(e.burst, n)
			e.seen(d, t, 0, t.Spans[first].Pos)
		}
	}
}
