package retries

import (
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// HedgeNumbers are the numbers of a hedge-overload finding.
type HedgeNumbers struct {
	HedgeShare float64  `json:"hedge_share"` // of the calls: those that were sent more than once
	LoadFactor float64  `json:"load_factor"` // calls as sent by calls as meant
	DelayMs    *float64 `json:"delay_ms"`    // from the first to the second, the median; null: not visible
	LeafP50Ms  *float64 `json:"leaf_p50_ms"` // of the calls that were answered; null: not visible
}

// HedgeOverload finds hedging that costs more load than it is worth.
var HedgeOverload = detect.Detector{
	Name: "hedge-overload", Severity: detect.Error, Reads: ingest.KindTrace,
	Doc: `Hedging multiplies the load

A hedged call is sent a second time to another replica when the first takes
long, and the answer that comes first is used. With a delay near the p95 of the
call that costs a few calls in a hundred more and cuts off the tail. With a
delay below the median nearly every call is sent twice, which makes the replicas
slower, which makes more calls late: hedging then causes what it was meant to
cure.

What it rests on. Two to five siblings of one operation, target and (where
visible) arguments that overlap, the second of which started at least 1 ms
after the first; one of them succeeded, and the others were cancelled within
5 ms of its end, or failed without an answer within 1 ms: that is how losers
look. Where calls of
the operation are hedged in this way, overlapping pairs that both succeeded
count, too. Attributes that number attempts (gRFC A72) and speculative
executions that Cassandra's driver counts need no losers. It speaks where the
share of hedged calls is above 5 % by more than chance (two standard deviations
of the count), with at least 5 of them; where at least 5 calls, and a quarter of
the hop's hedged ones, were hedged below one that was hedged itself; and where
at least 3 writes that are not safe to repeat were hedged. Confidence is high
with attributes, or where the delay is below the median of the call and at least
20 calls were hedged.

Not reported: healthy hedging (1 to 5 %), fan-outs (calls that start together,
or more than five), siblings one after the other (retries), races that nobody
won, overlapping calls none of which is ever cancelled: that may be hedging
whose losers run on, or simply two calls. Losers are no failures, and count as
none; where servers go on after a loser was cancelled the finding says so.`,
	New: func() detect.Tally { return &hedges{} },
}

const (
	maxHedged = 5                    // attempts at one call: gRPC caps hedging and retries at 5 (gRFC A6)
	minDelay  = time.Millisecond     // below that calls started together
	lateLoser = 5 * time.Millisecond // a cancelled call ends so long after the winner, at the latest
)

// hedges is the tally of hedge-overload.
//
// As a grouping. Sibling spans of kind client (see isCall) by (trace, parent,
// service, operation, target, class of peer, arguments), of two to maxHedged
// spans that overlap, by (service, operation, target): count of groups with one
// that succeeded and others that ended when it did and did not succeed, count of
// those where all succeeded, sum of their spans, percentiles of second start less
// first start; beside it the count of other calls, and percentiles of the
// durations of those that succeeded.
type hedges struct {
	calls bounded[hop, hedgeSum]

	serial int64
	split  requestsOf
	group  []*hedgeSum // of each span of a hedged call; else nil

	like *ingest.Span // the last sibling that was sent once, and its sum
	sum  *hedgeSum
}

type hedgeSum struct {
	plain int64 // calls that were sent once

	sure     hedged // with losers, or marked
	maybe    hedged // overlapping, all succeeded
	took     hist   // of calls that succeeded
	marked   int64  // of sure: by attribute
	losers   int64
	ranOn    int64 // of losers: the server went on for more than lateLoser after that
	nested   int64 // of sure: below a call that was hedged itself
	unsafe   int64 // of sure: writes that are not safe to repeat
	method   string
	wasted   time.Duration // time of losers
	traces   int64
	partial  int64
	serial   int64
	examples exemplars
	inputs   inputs
	pos      ingest.Pos
	has      bool
}

// hedged counts calls that were sent more than once.
type hedged struct {
	calls, attempts int64
	delay           hist
}

func (h *hedged) add(o *hedged) {
	h.calls = plus(h.calls, o.calls)
	h.attempts = plus(h.attempts, o.attempts)
	h.delay.merge(&o.delay)
}

func (x *hedges) Add(rec ingest.Record) {
	t, ok := rec.(*calltree.Trace)
	if !ok {
		return
	}
	x.serial++
	x.group = append(x.group[:0], make([]*hedgeSum, len(t.Spans))...)
	for p := range t.Parents() { // parents come before children
		x.like = nil
		if kids := t.Children(p); len(kids) == 1 {
			x.single(t, p, kids[0])
			continue
		}
		for _, g := range t.Groups(p) {
			if !overlap(t, g.Spans) {
				for _, n := range g.Spans {
					x.single(t, p, n)
				}
				continue
			}
			for _, calls := range x.split.split(t, g.Spans) {
				for len(calls) > 0 {
					n := atOnce(t, calls)
					if n > maxHedged || !x.hedge(t, p, calls[:n]) {
						for _, k := range calls[:n] {
							x.single(t, p, k)
						}
					}
					calls = calls[n:]
				}
			}
		}
	}
}

// single counts a call that was sent once, or by its driver more often.
func (x *hedges) single(t *calltree.Trace, p, n calltree.Node) {
	if !isCall(t, n) || otherEnd(t, p, n) {
		return
	}
	s := &t.Spans[n]
	if l := x.like; l == nil || s.Call != l.Call || s.Store != l.Store || s.Kind != l.Kind || s.Op != l.Op || s.Service != l.Service {
		x.like, x.sum = s, x.calls.get(hopOf(s, t.Span(p)))
	}
	e := x.sum
	if e == nil {
		return
	}
	if s.Outcome == ingest.OK && s.Stands <= 1 {
		e.took.add(t.Duration(n))
	}
	if s.Rare == nil || s.Rare.Hedges <= 0 {
		e.plain = plus(e.plain, stands(s))
		return
	}
	e.sure.calls = plus(e.sure.calls, 1)
	e.sure.attempts = plus(e.sure.attempts, 1+int64(s.Rare.Hedges))
	e.marked++
	e.seen(x, t, 0, s.Pos)
}

// hedge counts calls if they are one that was sent more than once.
func (x *hedges) hedge(t *calltree.Trace, p calltree.Node, calls []calltree.Node) bool {
	if len(calls) < 2 || otherEnd(t, p, calls[0]) || !together(t, calls) {
		return false
	}
	first, second := &t.Spans[calls[0]], &t.Spans[calls[1]]
	marked, ok := false, 0
	winner := calltree.None
	for _, n := range calls {
		s := &t.Spans[n]
		if s.Stands > 1 || s.Store != nil && s.Store.Pipelined {
			return false
		}
		marked = marked || s.Resend > 0
		if s.Outcome == ingest.OK {
			if ok++; winner == calltree.None || s.End < t.Spans[winner].End {
				winner = n
			}
		}
	}
	delay := second.Start.Sub(first.Start)
	if winner == calltree.None || !marked && delay < minDelay {
		return false
	}
	sure := marked || ok == 1 && lost(t, calls, winner)
	if !sure && ok < len(calls) {
		return false
	}
	e := x.calls.get(hopOf(first, t.Span(p)))
	if e == nil {
		return true
	}
	to := &e.sure
	if !sure {
		to = &e.maybe
	}
	to.calls++
	to.attempts += int64(len(calls))
	to.delay.add(delay)
	for _, n := range calls {
		if t.Spans[n].Outcome == ingest.OK {
			e.took.add(t.Duration(n))
		}
	}
	if sure {
		x.sure(t, p, e, calls, winner, marked)
	}
	return true
}

// sure notes what is to be said of a hedged call.
func (x *hedges) sure(t *calltree.Trace, p calltree.Node, e *hedgeSum, calls []calltree.Node, winner calltree.Node, marked bool) {
	if marked {
		e.marked++
	}
	if m := unsafeMethod(&t.Spans[winner]); m != "" {
		e.unsafe++
		if e.method == "" || m < e.method {
			e.method = m
		}
	}
	for a := p; t.Span(a) != nil; a = t.Parent(a) {
		if x.group[a] != nil {
			e.nested++
			break
		}
	}
	wasted := time.Duration(0)
	for _, n := range calls {
		x.group[n] = e
		if n == winner {
			continue
		}
		e.losers++
		wasted = plus(wasted, t.Duration(n))
		if c := callee(t, n); c != n && t.Overrun(c, n) > lateLoser {
			e.ranOn++
		}
	}
	e.wasted = plus(e.wasted, wasted)
	e.seen(x, t, wasted, t.Spans[calls[0]].Pos)
}

func (e *hedgeSum) seen(x *hedges, t *calltree.Trace, impact time.Duration, p ingest.Pos) {
	if e.serial != x.serial {
		e.serial = x.serial
		e.traces++
		if !t.Counts.Complete() {
			e.partial++
		}
	}
	e.examples.add(exemplar{impact, t.ID})
	e.inputs.add(t)
	if !e.has || p.Compare(e.pos) < 0 {
		e.pos, e.has = p, true
	}
}
