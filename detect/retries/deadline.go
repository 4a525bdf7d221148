package retries

import (
	"cmp"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// DeadlineNumbers are the numbers of a deadline-not-propagated finding.
type DeadlineNumbers struct {
	DeadlineMs float64 `json:"deadline_ms"` // after which the caller gave up: the median
	GaveUp     int64   `json:"gave_up"`     // calls that it gave up
	WentOn     int64   `json:"went_on"`     // of these: those behind which new calls were made, or one ran into a deadline of its own
	Calls      int64   `json:"calls"`       // made behind them after the deadline
	OverrunMs  float64 `json:"overrun_ms"`  // how long the callee went on after the deadline, the longest
}

// DeadlineNotPropagated finds calls whose deadline the callee does not know.
var DeadlineNotPropagated = detect.Detector{
	Name: "deadline-not-propagated", Severity: detect.Warning, Reads: ingest.KindTrace,
	Doc: `A deadline is not passed on

A caller gives up after 100 ms, and the service that it called goes on to call
others as if it had all the time in the world: it was not told how much was
left, or does not look. A deadline has to travel with the request, and shrink on
the way.

What it rests on, each an inference, because no standard attribute states a
deadline. A client span timed out (or was cancelled, where others of the
operation timed out, or where they all end at one duration), and behind it, in
another process, calls are started more than 5 ms, and more than clocks may
differ, after its end. Equal timeouts: a call below one that timed out began
later, and timed out later, after as long a time (within 5 %), so that it had a
full timeout of its own. Bursts: at least 5 calls under one parent that time out
within half a millisecond, long after the parent began: the deadline had passed,
and the caller went on calling. Confidence is high only where a deadline is
visible (grpc.timeout, request_budget, Envoy's header); medium where it happened
in more than one request; low for one, and for bursts.

Not reported: a callee that stops a little after its caller, or finishes what it
was doing without calling anybody; callers that were cancelled and had no
deadline; messages, FOLLOWS_FROM, links; operations that call others in the
background after answers that were in time just as often. How much work the
calls cost is said by orphaned-work.`,
	New: func() detect.Tally { return &deadlines{} },
}

const (
	// equalShare: two timeouts are equal if they differ by less than one part in
	// so many. Timers are late by some milliseconds.
	equalShare = 20

	// A burst is calls that find their deadline passed: they fail before anything
	// is sent. Half a millisecond is ample for that; what is below a hundredth of
	// the time that the parent had been at work is no timeout of its own.
	burstCalls = 5
	burstTook  = 500 * time.Microsecond
	burstShare = 100
)

// deadlines is the tally of deadline-not-propagated.
//
// As a grouping. Client spans that timed out or were cancelled, with the spans
// below them in other processes that are calls and started after their end, by
// (service, operation, target, service that was called): count, count of timed
// out, percentiles of their durations, count with such calls, sum of those calls,
// maximum of the last end below them less their own. Beside it pairs of such
// spans and the nearest above them with equal durations; and groups of at least
// burstCalls siblings that timed out within burstTook.
type deadlines struct {
	calls bounded[deadlineKey, deadlineSum]

	late   late
	serial int64
	ends   []calltree.Node // of each span: the one below it that ended last
	after  []int64         // of each client span that gave up: calls started after its end
	equal  []int64         // of it: calls below with an equal timeout of their own
	first  []ingest.Pos    // of it: of those calls the first in the input
}

// deadlineKey is a call and the service that took it.
type deadlineKey struct {
	hop
	callee string // empty: not known
}

func (k deadlineKey) hash() uint64 { return hashText(k.callee, k.hop.hash()) }

func (k deadlineKey) compare(o deadlineKey) int {
	return cmp.Or(k.hop.compare(o.hop), cmp.Compare(k.callee, o.callee))
}

type deadlineSum struct {
	gaveUp, timedOut, wentOn, equal int64
	well, background                int64 // calls that ended well; of these: with calls behind them that started later
	calls                           int64
	visible                         int64         // of wentOn: a deadline attribute is visible on the way
	budget                          time.Duration // the longest such
	took                            hist          // of those that gave up
	overrun, longest                time.Duration // after the deadline: of all, of one
	bursts, burst                   int64         // bursts of this call; calls in them
	traces, partial                 int64         // with any of it; of these: not complete

	serial    int64
	exemplars exemplars
	inputs    inputs
	pos       ingest.Pos
	has       bool
}

func (d *deadlines) Add(rec ingest.Record) {
	t, ok := rec.(*calltree.Trace)
	if !ok {
		return
	}
	d.serial++
	d.late.scan(t)
	d.reset(t)
	for k := len(t.Spans) - 1; k >= 0; k-- {
		d.end(t, calltree.Node(k))
	}
	for k := range t.Spans {
		d.span(t, calltree.Node(k))
	}
	for k := range t.Spans {
		if n := calltree.Node(k); t.Spans[k].Kind == ingest.ClientSpan && isEnd(t, n) && len(t.Children(n)) > 0 {
			d.call(t, n)
		}
	}
	for p := range t.Parents() {
		if len(t.Children(p)) >= burstCalls {
			d.burst(t, p)
		}
	}
}

func (d *deadlines) reset(t *calltree.Trace) {
	n := len(t.Spans)
	d.ends = append(d.ends[:0], make([]calltree.Node, n)...)
	for k := range d.ends {
		d.ends[k] = calltree.None
	}
	d.after, d.equal = append(d.after[:0], make([]int64, n)...), append(d.equal[:0], make([]int64, n)...)
	d.first = append(d.first[:0], make([]ingest.Pos, n)...)
}

// end finds, for each span, the span below it that ended last; children come
// before parents.
func (d *deadlines) end(t *calltree.Trace, n calltree.Node) {
	if !d.late.attached[n] || !t.Timed(n) {
		return
	}
	p := t.Parent(n)
	for _, c := range [...]calltree.Node{n, d.ends[n]} {
		if c != calltree.None && (d.ends[p] == calltree.None || t.Spans[c].End > t.Spans[d.ends[p]].End) {
			d.ends[p] = c
		}
	}
}

// span notes a call that was made after the deadline of a caller above, or had
// as long a one.
func (d *deadlines) span(t *calltree.Trace, n calltree.Node) {
	a := d.late.near[n]
	if a == calltree.None || !d.late.attached[n] || !t.Timed(n) || t.Hop(n) == t.Hop(a) {
		return
	}
	s := &t.Spans[n]
	parent := t.Span(t.Parent(n))
	call := s.Kind == ingest.ClientSpan || s.Kind == ingest.ServerSpan && parent.Kind != ingest.ClientSpan
	if !call || t.Hop(n) == t.Hop(a)+1 && s.Kind == ingest.ServerSpan {
		return // the callee's own span, which may only have waited for its turn
	}
	switch {
	case d.late.after(n, a):
		d.note(t, n, a)
		d.after[a] = plus(d.after[a], stands(s))
	case d.equalTimeouts(t, n, a):
		d.note(t, n, a)
		d.equal[a] = plus(d.equal[a], stands(s))
	}
}

func (d *deadlines) note(t *calltree.Trace, n, a calltree.Node) {
	p := t.Spans[n].Pos
	if d.after[a]+d.equal[a] == 0 || p.Compare(d.first[a]) < 0 {
		d.first[a] = p
	}
}

// equalTimeouts reports whether a call below another that timed out had a
// timeout of its own, as long.
func (d *deadlines) equalTimeouts(t *calltree.Trace, n, a calltree.Node) bool {
	s, c := &t.Spans[n], &t.Spans[a]
	if s.Kind != ingest.ClientSpan || s.Outcome != ingest.TimedOut || c.Outcome != ingest.TimedOut {
		return false
	}
	mine, theirs := t.Duration(n), t.Duration(a)
	skew := t.Skew(n, a)
	begun, off := s.Start.Sub(c.Start), max(floor, theirs/equalShare)
	return max(mine-theirs, theirs-mine) <= theirs/equalShare && begun > off && begun > skew && d.late.outlived(n, a)
}

// call adds a client span with what is behind it.
func (d *deadlines) call(t *calltree.Trace, n calltree.Node) {
	in := entry(t, n)
	if in == calltree.None {
		return
	}
	s := &t.Spans[n]
	e := d.calls.get(deadlineKey{hopOf(s, nil), t.Spans[in].Service})
	if e == nil {
		return
	}
	if !gaveUp(s) {
		if s.Outcome == ingest.OK {
			e.well++
			if d.late.background(n) {
				e.background++
			}
		}
		return
	}
	e.gaveUp++
	if s.Outcome == ingest.TimedOut {
		e.timedOut++
	}
	e.took.add(t.Duration(n))
	if d.after[n]+d.equal[n] == 0 {
		return
	}
	e.wentOn++
	if d.equal[n] > 0 {
		e.equal++
	}
	e.calls = plus(e.calls, plus(d.after[n], d.equal[n]))
	if b := budgetOf(s, &t.Spans[in]); b > 0 {
		e.visible++
		e.budget = max(e.budget, b)
	}
	after := time.Duration(0)
	if k := d.ends[n]; k != calltree.None {
		after = max(0, t.Overrun(k, n))
	}
	e.overrun = plus(e.overrun, after)
	e.longest = max(e.longest, after)
	e.seen(d, t, after, d.first[n])
}

// seen notes a trace, once, and where to look.
func (e *deadlineSum) seen(d *deadlines, t *calltree.Trace, impact time.Duration, p ingest.Pos) {
	if e.serial != d.serial {
		e.serial = d.serial
		e.traces++
		if !t.Counts.Complete() {
			e.partial++
		}
	}
	e.exemplars.add(exemplar{impact, t.ID})
	e.inputs.add(t)
	if !e.has || p.Compare(e.pos) < 0 {
		e.pos, e.has = p, true
	}
}
