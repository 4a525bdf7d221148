package retries

import (
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// OrphanedNumbers are the numbers of an orphaned-work finding.
type OrphanedNumbers struct {
	Spans  int64   `json:"spans"`   // that started after an ancestor had given up
	WorkMs float64 `json:"work_ms"` // time spent past that moment, by spans begun earlier, too; waiting for calls is not counted twice
	Traces int64   `json:"traces"`
}

// OrphanedWork finds work that was begun for a caller that had gone.
var OrphanedWork = detect.Detector{
	Name: "orphaned-work", Severity: detect.Error, Reads: ingest.KindTrace,
	Doc: `Work goes on for a caller that has given up

A caller that times out, or whose own caller went away, stops waiting; what it
had called often does not know. It finishes the list it was working through,
calls further services and locks further rows, and nobody will ever read the
answer. Under overload this is what keeps a system down: most of its work is for
requests that were tried again elsewhere.

What it rests on. Spans that start more than 5 ms, and more than clocks may
differ, after ANY ancestor that is the client's or server's end of a call has
timed out or was cancelled (the direct parent is often still at work), or has
failed while the call in question went on. They count for the ancestor that
ended first. Work is the time spent past that moment below it, by spans that
began earlier, too; time in which a span waits for another is counted once.
Confidence is high for a timeout or cancellation in more than one trace; medium
for one trace; low where the ancestor failed for a reason that is not recorded.

Not reported: messages and their consumers, FOLLOWS_FROM, links, connection
set-up; what a user did next in the same trace (redirects, the pages of a
login: server spans whose parent is no client and had ended); work that is left
to end by itself, without starting anything; what the server does after it has
answered with an error; operations that go on in the background after
requests that ended well just as often. A server that was cancelled is no error
and needs none: its caller's outcome counts.`,
	New: func() detect.Tally { return &orphaned{} },
}

// orphaned is the tally of orphaned-work.
//
// As a grouping. Spans joined with their ancestors of kind client and server in
// the same trace (none async in between), by the ancestor's (service,
// operation, target, kind) where the ancestor's outcome is timed out or
// cancelled, or failed, and the span's start is after its end by more than the
// floor; of several ancestors the one with the lowest end. Count of spans, of
// traces, sum of time past that end outside of children; beside it the number
// of spans of that operation with children that gave up, that ended well, and
// that ended well with such a span below.
type orphaned struct {
	ops bounded[hop, orphanedSum]

	serial int64 // of the trace that is being added
	late   late
	at     []int32 // of each span: number of its sum in sums, plus one; 0: nothing below it is late
	sums   []orphanedTrace
	owner  []int32 // of each span: whose time past the moment it is, as at
}

type orphanedSum struct {
	gaveUp, wentOn   int64 // spans of the operation with children that gave up; of these: with spans that started later
	well, background int64 // that ended well; of these: with spans that started later

	spans   int64
	calls   int64 // of spans: client spans
	orphans int64 // of spans: their own parent had ended, too
	work    time.Duration
	after   time.Duration // how long it went on, of all traces
	longest time.Duration // of one
	traces  int64
	sure    int64 // of wentOn: timed out or cancelled
	timeout int64 // of spans that gave up: timed out
	partial int64 // traces that are not complete

	serial    int64 // of the last trace that was counted, in the tally that counted it
	exemplars exemplars
	inputs    inputs
	pos       ingest.Pos // of a span that started later: the first in the first input
	has       bool
	late      lateCall
}

// orphanedTrace is what one span that gave up left behind.
type orphanedTrace struct {
	node                  calltree.Node
	sure                  bool
	spans, calls, orphans int64
	work                  time.Duration
	end                   ingest.Time
	first                 ingest.Pos
	late                  lateCall
}

func (o *orphaned) Add(rec ingest.Record) {
	t, ok := rec.(*calltree.Trace)
	if !ok {
		return
	}
	o.serial++
	o.late.scan(t)
	o.at = append(o.at[:0], make([]int32, len(t.Spans))...)
	o.sums = o.sums[:0]
	for k := range t.Spans {
		o.span(t, calltree.Node(k))
	}
	if len(o.sums) > 0 {
		o.spend(t)
	}
	for k := range t.Spans {
		if n := calltree.Node(k); isEnd(t, n) && (o.at[k] > 0 || len(t.Children(n)) > 0) {
			o.operation(t, n)
		}
	}
}

// span counts a span that started after somebody gave up.
func (o *orphaned) span(t *calltree.Trace, n calltree.Node) {
	a, sure := o.late.by(n)
	if a == calltree.None {
		return
	}
	s := &t.Spans[n]
	if o.at[a] == 0 {
		o.sums = append(o.sums, orphanedTrace{node: a, sure: sure, end: t.Spans[a].End, first: s.Pos})
		o.at[a] = int32(len(o.sums))
	}
	sum := &o.sums[o.at[a]-1]
	sum.spans = plus(sum.spans, stands(s))
	if s.Kind == ingest.ClientSpan {
		sum.calls = plus(sum.calls, stands(s))
	}
	if isEnd(t, n) {
		p := t.Parent(n)
		sum.late.keep(lateCall{hopOf(s, t.Span(p)), s.Pos, s.Kind == ingest.ClientSpan || t.Crosses(n) && t.Span(p) != nil && t.Span(p).Kind != ingest.ClientSpan})
	}
	if p := t.Parent(n); t.Timed(p) && o.late.after(n, p) {
		sum.orphans = plus(sum.orphans, stands(s))
	}
	if s.Pos.Compare(sum.first) < 0 {
		sum.first = s.Pos
	}
}

// spend adds up the time past the moment: of each span for the ancestor that
// gave up first among those that left something behind.
func (o *orphaned) spend(t *calltree.Trace) {
	o.owner = append(o.owner[:0], make([]int32, len(t.Spans))...)
	for k := range t.Spans {
		n := calltree.Node(k)
		if !o.late.attached[k] {
			continue
		}
		p := t.Parent(n)
		own := o.owner[p]
		if mine := o.at[p]; mine > 0 && (own == 0 || t.Spans[p].End < t.Spans[o.sums[own-1].node].End) {
			own = mine
		}
		o.owner[k] = own
		if own == 0 {
			continue
		}
		sum := &o.sums[own-1]
		sum.work = plus(sum.work, o.late.selfAfter(n, t.Spans[sum.node].End))
		if t.Timed(n) {
			sum.end = max(sum.end, t.Spans[n].End)
		}
	}
}

// operation counts a span that could leave work behind.
func (o *orphaned) operation(t *calltree.Trace, n calltree.Node) {
	s := &t.Spans[n]
	e := o.ops.get(spanHop(s))
	if e == nil {
		return
	}
	if s.Outcome == ingest.OK {
		e.well++
		if o.late.background(n) {
			e.background++
		}
		return
	}
	e.gaveUp++
	if s.Outcome == ingest.TimedOut {
		e.timeout++
	}
	if o.at[n] == 0 {
		return
	}
	x := &o.sums[o.at[n]-1]
	after := x.end.Sub(s.End)
	e.wentOn++
	if x.sure {
		e.sure++
	}
	if e.serial != o.serial {
		e.serial = o.serial
		e.traces++
		if !t.Counts.Complete() {
			e.partial++
		}
	}
	e.spans, e.calls, e.orphans = plus(e.spans, x.spans), plus(e.calls, x.calls), plus(e.orphans, x.orphans)
	e.work, e.after = plus(e.work, x.work), plus(e.after, after)
	e.longest = max(e.longest, after)
	e.exemplars.add(exemplar{after, t.ID})
	e.inputs.add(t)
	if !e.has || x.first.Compare(e.pos) < 0 {
		e.pos, e.has = x.first, true
	}
	e.late.keep(x.late)
}
