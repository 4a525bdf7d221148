package amplification

import (
	"math"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// add adds durations that are not negative and stops at the highest: hostile
// times must not wrap round.
func add(a, b time.Duration) time.Duration {
	if c := a + b; c >= a {
		return c
	}
	return math.MaxInt64
}

// fanOut is the calls of one operation that one parent makes, as far as they
// say how long the parent waited. Calls that nobody waits for, that open
// connections, that share a round trip or were answered from a cache are not
// among them.
type fanOut struct {
	t      *calltree.Trace
	top    calltree.Node // root of the tree, or the orphan that it is below
	parent calltree.Node
	group  calltree.Group

	calls   []call          // by start
	took    []time.Duration // of the calls; see durations
	stands  int64           // calls that they stand for
	pruned  bool            // some stand for more than one
	failed  int64           // calls that failed or timed out
	cut     bool            // the parent gave up on some, or did not wait for all
	busy    time.Duration   // in which at least one ran
	sum     time.Duration   // of all
	slowest int             // in calls: the longest, of several the first
	tied    bool            // there are several
	last    int             // in calls: the last to end
	sorted  bool            // took is sorted
}

type call struct {
	node calltree.Node
	span *ingest.Span
	took time.Duration
}

// minFanOut is the fewest calls that are looked at.
const minFanOut = 3

// partOfAll: calls that are fewer than one in so many children of their parent
// are not what it waits for, and a parent with very many kinds of children is
// looked through a bounded number of times.
const partOfAll = 64

// walk visits the fan-outs of a trace. The fanOut is its own, and overwritten.
func (f *fanOut) walk(t *calltree.Trace, visit func(*fanOut)) {
	f.t = t
	from, to := calltree.Node(0), calltree.Node(0) // of the tree of f.top
	for parent := range t.Parents() {
		p := t.Span(parent)
		if p == nil || !t.Timed(parent) || len(t.Children(parent)) == 0 {
			continue // of a parent that is missing it is not known how long it waited
		}
		if parent < from || parent >= to {
			f.top = t.Top(parent)
			from, to = t.Subtree(f.top)
		}
		if t.Spans[f.top].Async {
			continue // the work of a queue: no user waits
		}
		few := int64(max(minFanOut, len(t.Children(parent))/partOfAll))
		for _, g := range t.Groups(parent) {
			if (int64(len(g.Spans)) >= few || g.Stands() >= few) && f.read(parent, g) {
				visit(f)
			}
		}
	}
}

// read takes the calls of a group, and reports whether there are any.
func (f *fanOut) read(parent calltree.Node, g calltree.Group) bool {
	t := f.t
	if f.skewed(parent, g) {
		return false
	}
	f.parent, f.group = parent, g
	f.calls, f.took = f.calls[:0], f.took[:0]
	f.stands, f.failed, f.busy, f.sum = 0, 0, 0, 0
	f.pruned, f.cut, f.tied, f.sorted = false, false, false, false
	f.slowest, f.last = 0, 0
	var end ingest.Time // of what is busy
	for _, k := range g.Spans {
		s := t.Span(k)
		if !t.Timed(k) || s.Async || s.Setup || s.Cached || s.Store != nil && s.Store.Pipelined {
			continue
		}
		c := call{k, s, t.Duration(k)}
		i := len(f.calls)
		f.calls, f.took = append(f.calls, c), append(f.took, c.took)
		f.stands += max(s.Stands, 1)
		f.pruned = f.pruned || s.Stands > 1
		f.sum = add(f.sum, c.took)
		if i == 0 || s.End > end {
			f.busy += s.End.Sub(max(s.Start, end))
			if i == 0 {
				f.busy = c.took
			}
			end = s.End
		}
		switch slowest := f.calls[f.slowest].took; {
		case i == 0:
		case c.took > slowest:
			f.slowest, f.tied = i, false
		case c.took == slowest:
			f.tied = true
		}
		if s.End > f.calls[f.last].span.End {
			f.last = i
		}
		switch s.Outcome {
		case ingest.Canceled:
			f.cut = true
		case ingest.Failed, ingest.TimedOut:
			f.failed++
		}
	}
	if len(f.calls) == 0 {
		return false
	}
	f.cut = f.cut || f.outlives()
	return true
}

// skewed reports whether calls were recorded by other processes than their
// parent (the callees, where the caller records none), whose clocks differ: then
// it cannot be told which of them ran at the same time.
func (f *fanOut) skewed(parent calltree.Node, g calltree.Group) bool {
	for _, k := range g.Spans {
		if f.t.Crosses(k) && f.t.Skew(k, parent) > 0 {
			return true
		}
	}
	return false
}

// slack is how much later than its parent a call may end and still be waited
// for: instrumentations end a span a little late.
const slack = time.Millisecond

// outlives reports whether the last call ended after its parent had: the parent
// waited for some of them only (a quorum, the first k), or gave up.
func (f *fanOut) outlives() bool {
	return f.t.Overrun(f.calls[f.last].node, f.parent) > max(slack, f.t.Duration(f.parent)/100)
}

func (f *fanOut) key() hopKey {
	p := f.t.Span(f.parent)
	return hopKey{
		calltree.Operation{Service: p.Service, Op: p.Op},
		calltree.Operation{Service: f.group.Service, Op: f.group.Op}, f.group.Kind,
	}
}

func (f *fanOut) n() int64 { return int64(len(f.calls)) }

// durations returns how long the calls took, sorted.
func (f *fanOut) durations() []time.Duration {
	if !f.sorted {
		slices.Sort(f.took)
		f.sorted = true
	}
	return f.took
}

// median returns the median of the calls (nearest rank).
func (f *fanOut) median() time.Duration { return f.durations()[(len(f.took)-1)/2] }

func (f *fanOut) max() time.Duration { return f.calls[f.slowest].took }

// beside returns how many calls ran at the time of the slowest, itself not
// counted.
func (f *fanOut) beside() (n int64) {
	slow := f.calls[f.slowest].span
	for i, c := range f.calls {
		if i != f.slowest && c.span.Start < slow.End && c.span.End > slow.Start {
			n++
		}
	}
	return n
}

// serialShare is by how much calls that were made one after another may overlap:
// their sum is at most so many tenths above the time in which one ran.
const serialShare = 1

// serial reports whether the calls were made one after another.
func (f *fanOut) serial() bool {
	return f.sum <= f.busy+f.busy*serialShare/10
}

// onPath reports whether the root of the tree waited for a call: whether the
// call is on its critical path.
func (f *fanOut) onPath(c call) bool {
	pieces := f.t.Path(f.top)
	middle := c.span.Start.Add(c.took / 2)
	i, _ := slices.BinarySearchFunc(pieces, middle, func(p calltree.Piece, at ingest.Time) int {
		if p.End <= at {
			return -1
		}
		return 1
	})
	return i < len(pieces) && pieces[i].Start <= middle && f.t.Under(pieces[i].Span, c.node)
}

// lost returns how long users waited for the last call to end after the median
// call would have: the time that the straggler cost.
func (f *fanOut) lost() time.Duration {
	c := f.calls[f.last]
	if c.took <= f.median() || !f.onPath(c) {
		return 0
	}
	return c.took - f.median()
}

// likeness says whether the calls of a fan-out ask for the same thing: only
// then can they be compared with each other.
type likeness uint8

const (
	same    likeness = iota
	maybe            // HTTP calls whose paths are not known
	differs          // different paths, or different services
)

// alike looks at what the calls ask for. Operations of HTTP clients are often
// the method alone ("GET"), so that a page that asks thirteen services once
// each looks like thirteen calls of one operation.
func (f *fanOut) alike() likeness {
	out := same
	target, service := "", ""
	for _, c := range f.calls {
		if call := c.span.Call; call != nil && call.Protocol == ingest.HTTP {
			switch {
			case call.Target == "":
				out = maybe
			case target == "":
				target = call.Target
			case target != call.Target:
				return differs
			}
		}
		kids := f.t.Children(c.node)
		if len(kids) == 0 || !f.t.Crosses(kids[0]) {
			continue
		}
		switch s := f.t.Span(kids[0]).Service; {
		case s == "":
		case service == "":
			service = s
		case service != s:
			return differs
		}
	}
	return out
}
