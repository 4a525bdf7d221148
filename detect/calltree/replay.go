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
// first is, which is also what one call for all brings at most; not retries.
const (
	Speed ChangeKind = iota
	Straggler
	Parallel
)

func (k ChangeKind) String() string { return [...]string{"speed", "straggler", "parallel"}[k] }

// Operation names what spans do, whatever they are called by.
type Operation struct{ Service, Op string }

// plan is how the spans of a trace wait for each other, as far as their times
// tell: a child starts some time after all siblings that had ended before it did,
// or after its parent; a span ends some time after all its children. Played again
// with other times it tells what a change would bring, everything else being
// equal. Where it cannot know who waited for whom it takes it that all did, so
// that it promises too little rather than too much.
type plan struct {
	ready   bool
	gap     []time.Duration // of each span: its start after the end of those siblings, or after its parent's start
	own     []time.Duration // of gap: when no sibling ran, so that it is the parent's own time
	outside []time.Duration // of each span: before or after its parent
	tail    []time.Duration // of each span: its end after that of its children; of a leaf all of it
	byEnd   []Node          // as Trace.kids, but by end, and only those within their parent; then None

	operation []int32 // of each span: index in operations
	names     []Operation
	first     []Node          // of siblings of one operation that ran one after another: the first; None: not one of such, or retries
	median    []time.Duration // of siblings of one operation that ran in parallel; negative: not one of such

	duration, end []time.Duration // of each span, in the last replay; end: from the parent's start
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
	p.gap, p.own, p.outside = resize(p.gap, n), resize(p.own, n), resize(p.outside, n)
	p.tail, p.byEnd = resize(p.tail, n), resize(p.byEnd, n)
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

// ending returns the children of a span that it may wait for, by end, with
// None behind them where some are not.
func (p *plan) ending(t *Trace, n Node) []Node { return p.byEnd[t.kidsAt[n]:t.kidsAt[n+1]] }

// wait finds what the children of a span, and its end, wait for.
func (p *plan) wait(t *Trace, n Node) {
	s := &t.Spans[n]
	ends := p.ending(t, n)[:0]
	for _, k := range t.Children(n) {
		if t.within(k, s) {
			ends = append(ends, k)
		}
	}
	slices.SortFunc(ends, func(a, b Node) int {
		return cmp.Or(cmp.Compare(t.Spans[a].End, t.Spans[b].End), cmp.Compare(a, b))
	})
	if all := p.ending(t, n); len(ends) < len(all) {
		all[len(ends)] = None
	}
	p.tail[n] = t.Duration(n)
	if len(ends) > 0 {
		p.tail[n] = max(0, s.End.Sub(t.Spans[ends[len(ends)-1]].End))
	}
	after, next := s.Start, 0          // the end of the siblings that had ended
	var blockFrom, blockTo ingest.Time // siblings so far, from the last time at which none ran
	any := false
	for _, k := range t.Children(n) {
		if !t.within(k, s) {
			continue
		}
		c := &t.Spans[k]
		p.outside[k] = max(0, s.Start.Sub(c.Start)) + max(0, c.End.Sub(s.End))
		for next < len(ends) && ended(&t.Spans[ends[next]], c) {
			after = max(after, t.Spans[ends[next]].End)
			next++
		}
		start := max(c.Start, s.Start)
		p.gap[k], p.own[k] = start.Sub(after), start.Sub(after)
		if any && blockTo > c.Start {
			p.own[k] = max(0, min(start, blockFrom).Sub(after))
		}
		if !any || blockTo <= c.Start {
			blockFrom, blockTo, any = c.Start, c.End, true
		} else {
			blockTo = max(blockTo, c.End)
		}
	}
}

// ended reports whether a sibling had ended when c began. One without length
// that stands where c begins may come after c in order, and had not.
func ended(sibling, c *ingest.Span) bool {
	return sibling.End <= c.Start && sibling.Start < c.Start
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
	if parallel && n < minParallel || !parallel && retried(t, g) {
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

// retried reports whether one call of the group but the last failed. What
// followed it was made for that reason, and cannot be made at once.
func retried(t *Trace, g Group) bool {
	for _, k := range g.Spans[:len(g.Spans)-1] {
		if t.Spans[k].Outcome != ingest.OK {
			return true
		}
	}
	return false
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
		ends, next := p.ending(t, n), 0
		var after, longest time.Duration
		for _, k := range t.Children(n) {
			if !t.within(k, s) {
				continue
			}
			for next < len(ends) && ends[next] != None && ended(&t.Spans[ends[next]], &t.Spans[k]) {
				after = max(after, p.end[ends[next]])
				next++
			}
			start := after + p.gap[k]
			if fast {
				start -= p.own[k]
			}
			took := max(0, p.duration[k]-p.outside[k])
			if p.operation[k] == op {
				if change == Straggler && p.median[k] >= 0 {
					took = min(took, p.median[k])
				}
				if f := p.first[k]; change == Parallel && f != None && f != k && t.within(f, s) {
					start = p.end[f] - p.duration[f]
				}
			}
			p.end[k], p.duration[k] = start+took, took
			longest = max(longest, p.end[k])
		}
		p.duration[n] = longest
		if !fast {
			p.duration[n] += p.tail[n]
		}
	}
	if !t.Timed(top) {
		return 0
	}
	return p.duration[top]
}
