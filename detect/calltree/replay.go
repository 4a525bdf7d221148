package calltree

import (
	"cmp"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// ChangeKind is a way to make requests faster.
type ChangeKind uint8

// Changes. Speed: the spans of an operation take no time of their own (what
// they call still takes its time); the most that work on it can bring. Straggler:
// of parallel calls of an operation none takes longer than their median, as
// hedging or a deadline with partial results would have it. Parallel: calls of
// an operation that one parent makes one after another are all made when the
// first is, which is also what one call for all brings at most.
const (
	Speed ChangeKind = iota
	Straggler
	Parallel
)

func (k ChangeKind) String() string { return [...]string{"speed", "straggler", "parallel"}[k] }

// Operation names what spans do, whatever they are called by.
type Operation struct{ Service, Op string }

// plan is how the spans of a trace wait for each other, as far as their times
// tell: a child starts some time after the sibling that ended last before it
// (its trigger), or after its parent's start; a span ends some time after its
// last child, and not before any. Played again with other times it tells what a
// change would bring, everything else being equal.
type plan struct {
	ready   bool
	trigger []Node          // None: the parent's start
	gap     []time.Duration // from the trigger's end, or the parent's start
	own     []time.Duration // of gap: when no sibling ran, so that it is the parent's own time
	outside []time.Duration // of the span: before or after its parent
	last    []Node          // the child that ended last; None: a leaf
	tail    []time.Duration // from its end to the span's; of a leaf all of it

	operation []int32 // of each span: index in operations
	names     []Operation
	first     []Node          // of siblings of one operation that ran one after another: the first; None: not one of such
	median    []time.Duration // of siblings of one operation that ran in parallel; negative: not one of such

	duration, end []time.Duration // of each span, in the last replay; end: from the parent's start
	ends          []Node          // scratch
	index         map[Operation]int32

	requests []request // scratch of rootSum.add
	request  []int32   // scratch: of each operation, plus one
	seen     []bool    // scratch: of each span
}

func (p *plan) reset() { p.ready = false }

// minParallel is how many parallel calls there must be for one to be their
// straggler: of two, neither is.
const minParallel = 3

func (t *Trace) planned() *plan {
	p := &t.plan
	if p.ready {
		return p
	}
	p.ready = true
	n := len(t.Spans)
	p.trigger, p.gap, p.own, p.outside = resize(p.trigger, n), resize(p.gap, n), resize(p.own, n), resize(p.outside, n)
	p.last, p.tail = resize(p.last, n), resize(p.tail, n)
	p.operation, p.first, p.median = resize(p.operation, n), resize(p.first, n), resize(p.median, n)
	p.duration, p.end = resize(p.duration, n), resize(p.end, n)
	p.names = p.names[:0]
	if p.index == nil || len(p.index) > 1024 {
		p.index = map[Operation]int32{}
	}
	clear(p.index)
	for k := range t.Spans {
		p.first[k], p.median[k] = None, -1
		s := &t.Spans[k]
		o := Operation{s.Service, s.Op}
		i, ok := p.index[o]
		if !ok {
			i = int32(len(p.names))
			p.index[o] = i
			p.names = append(p.names, o)
		}
		p.operation[k] = i
		if t.Timed(Node(k)) {
			p.wait(t, Node(k))
		}
	}
	p.request, p.seen = resize(p.request, len(p.names)), resize(p.seen, n)
	clear(p.request)
	clear(p.seen)
	for parent := range t.Parents() {
		for _, g := range t.Groups(parent) {
			p.group(t, g)
		}
	}
	return p
}

// within reports whether a child takes part in what its parent waits for.
func (t *Trace) within(n Node, parent *ingest.Span) bool {
	s := &t.Spans[n]
	return t.waitedFor(n) && s.Start < parent.End && s.End > parent.Start
}

// wait finds what the children of a span, and its end, wait for.
func (p *plan) wait(t *Trace, n Node) {
	s := &t.Spans[n]
	ends := p.ends[:0]
	p.last[n] = None
	for _, k := range t.Children(n) {
		if !t.within(k, s) {
			continue
		}
		c := &t.Spans[k]
		p.outside[k] = max(0, s.Start.Sub(c.Start)) + max(0, c.End.Sub(s.End))
		if p.last[n] == None || c.End > t.Spans[p.last[n]].End {
			p.last[n] = k
		}
		if c.End > c.Start {
			ends = append(ends, k)
		}
	}
	p.ends = ends
	p.tail[n] = t.Duration(n)
	if l := p.last[n]; l != None {
		p.tail[n] = max(0, s.End.Sub(t.Spans[l].End))
	}
	slices.SortFunc(ends, func(a, b Node) int {
		return cmp.Or(cmp.Compare(t.Spans[a].End, t.Spans[b].End), cmp.Compare(a, b))
	})
	trigger, next := None, 0
	var blockFrom, blockTo ingest.Time // siblings so far, from the last time at which none ran
	any := false
	for _, k := range t.Children(n) {
		if !t.within(k, s) {
			continue
		}
		c := &t.Spans[k]
		for next < len(ends) && t.Spans[ends[next]].End <= c.Start {
			trigger = ends[next]
			next++
		}
		from, start := s.Start, max(c.Start, s.Start)
		if trigger != None {
			from = t.Spans[trigger].End
		}
		from = max(from, s.Start)
		p.trigger[k], p.gap[k], p.own[k] = trigger, start.Sub(from), start.Sub(from)
		if any && blockTo > c.Start {
			p.own[k] = max(0, min(start, blockFrom).Sub(from))
		}
		if !any || blockTo <= c.Start {
			blockFrom, blockTo, any = c.Start, c.End, true
		} else {
			blockTo = max(blockTo, c.End)
		}
	}
}

// group notes what can be changed about siblings of one operation.
func (p *plan) group(t *Trace, g Group) {
	if len(g.Spans) < 2 {
		return
	}
	first, n := None, 0
	for _, k := range g.Spans {
		if t.waitedFor(k) {
			if n++; first == None {
				first = k
			}
		}
	}
	if n < 2 {
		return
	}
	parallel := g.Peak() > 1
	if parallel && n < minParallel {
		return
	}
	median := g.Median()
	for _, k := range g.Spans {
		if !t.waitedFor(k) {
			continue
		}
		if parallel {
			p.median[k] = median
		} else {
			p.first[k] = first
		}
	}
}

// Would returns how long a span, mostly a root, would have taken with a change
// of one operation, and everything else the same.
func (t *Trace) Would(n Node, change ChangeKind, o Operation) time.Duration {
	p := t.planned()
	op, ok := p.index[o]
	if !ok {
		return t.Duration(n)
	}
	return p.replay(t, n, change, op)
}

func (p *plan) replay(t *Trace, top Node, change ChangeKind, op int32) time.Duration {
	from, to := t.Subtree(top)
	for n := to - 1; n >= from; n-- { // children before parents
		if !t.Timed(n) {
			continue
		}
		s := &t.Spans[n]
		fast := change == Speed && p.operation[n] == op
		var longest time.Duration
		for _, k := range t.Children(n) {
			if !t.within(k, s) {
				continue
			}
			start := p.gap[k]
			if fast {
				start -= p.own[k]
			}
			if p.trigger[k] != None {
				start += p.end[p.trigger[k]]
			}
			took := max(0, p.duration[k]-p.outside[k])
			if p.operation[k] == op {
				if change == Straggler && p.median[k] >= 0 {
					took = min(took, p.median[k])
				}
				if f := p.first[k]; change == Parallel && f != None && f != k && t.within(f, s) {
					start = p.begin(f)
				}
			}
			p.end[k] = start + took
			if k == p.first[k] {
				p.duration[k] = took // so that begin can tell when it started
			}
			longest = max(longest, p.end[k])
		}
		var tail time.Duration
		if !fast {
			tail = p.tail[n]
		}
		if l := p.last[n]; l != None {
			tail += p.end[l]
		}
		p.duration[n] = max(longest, tail)
	}
	if !t.Timed(top) {
		return 0
	}
	return p.duration[top]
}

// begin returns when a child started in a replay, from its parent's start.
func (p *plan) begin(n Node) time.Duration { return p.end[n] - p.duration[n] }
