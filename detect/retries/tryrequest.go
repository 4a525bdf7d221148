package retries

import (
	"slices"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// requestTries is one request while it is looked at: the tree below one root,
// or below a parent that is missing.
type requestTries struct {
	tries   []int64 // of each span: of the call that it is a try of; 0: tried once
	product []int64 // of each span: of the tries above it and its own
	of      []int32 // of each span that is a try: index in calls

	root    operation
	calls   []triedCall
	touched []*hopSum
	found   []*hopSum // of touched: with a candidate
	groups  []hopCount
}

// triedCall is a call that was tried again.
type triedCall struct {
	parent      calltree.Node
	first, last calltree.Node
	end         ingest.Time // of the time that it cost: the last try's start if that went well
	sum         *hopSum
	hop         hop
}

// hopCount counts the calls that one parent makes of one hop.
type hopCount struct {
	sum           *hopSum
	n, ok, failed int64
	tried         bool
}

func (r *requestTries) reset(t *calltree.Trace) {
	n := len(t.Spans)
	r.tries, r.product, r.of = slices.Grow(r.tries[:0], n)[:n], slices.Grow(r.product[:0], n)[:n], slices.Grow(r.of[:0], n)[:n]
	clear(r.tries)
	clear(r.of)
}

func (r *requestTries) add(tally *traceTries, t *calltree.Trace, top calltree.Node) {
	r.root = operation{}
	if s := t.Span(top); s != nil {
		r.root = operation{s.Service, s.Op}
	}
	r.calls, r.touched, r.found = r.calls[:0], r.touched[:0], r.found[:0]
	from, to := t.Subtree(top)
	if t.Span(top) == nil {
		r.children(tally, t, top)
	}
	for n := from; n < to; n++ {
		r.children(tally, t, n)
		if rare := t.Spans[n].Rare; rare != nil && rare.Retries > 0 {
			r.inside(tally, t, n, n == top)
		}
	}
	if len(r.calls) > 0 {
		r.multiply(t, from, to)
	}
	for _, s := range r.touched {
		s.requests++
		s.calls = plus(s.calls, s.now)
		s.most = max(s.most, s.now)
	}
	for _, s := range r.found {
		r.judge(t, top, s)
	}
	for _, s := range r.touched {
		s.now, s.at = 0, 0
	}
}

// children looks at the calls that one span makes.
func (r *requestTries) children(tally *traceTries, t *calltree.Trace, parent calltree.Node) {
	kids := t.Children(parent)
	if len(kids) == 0 {
		return
	}
	if len(kids) == 1 {
		if !otherEnd(t, parent, kids[0]) {
			r.groups = r.groups[:0]
			r.count(tally, t, parent, kids)
			r.finish()
		}
		return
	}
	for _, g := range t.Groups(parent) {
		r.groups = r.groups[:0]
		failed := false
		for _, n := range g.Spans {
			failed = failed || again(&t.Spans[n])
		}
		if !failed || len(g.Spans) == 1 {
			r.count(tally, t, parent, g.Spans)
		} else {
			for _, calls := range tally.split.split(t, g.Spans) {
				if !areTries(t, calls) || !r.tried(tally, t, parent, calls) {
					r.count(tally, t, parent, calls)
				}
			}
		}
		r.finish()
	}
}

// group returns what is counted of the hop that a span is.
func (r *requestTries) group(tally *traceTries, t *calltree.Trace, parent, n calltree.Node) (*hopCount, hop) {
	h := hopOf(&t.Spans[n], t.Span(parent))
	sum := tally.sum(h, r.root)
	if sum == nil {
		return nil, h
	}
	for i := range r.groups {
		if r.groups[i].sum == sum {
			return &r.groups[i], h
		}
	}
	r.groups = append(r.groups, hopCount{sum: sum})
	return &r.groups[len(r.groups)-1], h
}

// count counts calls that are not tries of each other.
func (r *requestTries) count(tally *traceTries, t *calltree.Trace, parent calltree.Node, calls []calltree.Node) {
	var g *hopCount
	var like *ingest.Span // the span that g is of
	for _, n := range calls {
		if !isCall(t, n) || otherEnd(t, parent, n) {
			continue
		}
		s := &t.Spans[n]
		if like == nil || s.Call != like.Call || s.Store != like.Store {
			if g, _ = r.group(tally, t, parent, n); g == nil {
				like = nil
				continue
			}
			like = s
		}
		m := stands(s)
		g.n = plus(g.n, m)
		switch {
		case s.Outcome == ingest.OK:
			g.ok = plus(g.ok, m)
		case again(s):
			g.failed = plus(g.failed, m)
		}
	}
}

// finish adds what was counted of one parent's calls.
func (r *requestTries) finish() {
	for _, g := range r.groups {
		s := g.sum
		r.touch(s, g.n)
		s.asked = plus(s.asked, g.n)
		s.once = plus(s.once, g.failed)
		switch {
		case g.n == 1 && g.ok == 1 && !g.tried:
			s.solo++
		case g.ok >= 2:
			s.several++
		}
	}
}

func (r *requestTries) touch(s *hopSum, calls int64) {
	if s.now == 0 && calls > 0 {
		r.touched = append(r.touched, s)
	}
	s.now = plus(s.now, calls)
}

// tried notes a call that was tried again.
func (r *requestTries) tried(tally *traceTries, t *calltree.Trace, parent calltree.Node, calls []calltree.Node) bool {
	call, inside := calls[0], otherEnd(t, parent, calls[0])
	if inside { // the client wrote one span for all its tries, the server one for each
		call = parent
	}
	g, h := r.group(tally, t, t.Parent(call), call)
	if g == nil {
		return false
	}
	g.tried = true
	s := g.sum
	var n, numbered int64
	ordinal := int32(0)
	for _, k := range calls {
		n = plus(n, stands(&t.Spans[k]))
		if v := t.Spans[k].Resend; v > 0 {
			numbered++
			ordinal = max(ordinal, v)
		}
		if again(&t.Spans[k]) {
			s.wasted = plus(s.wasted, cost(t, k))
		}
	}
	tries := max(n, int64(ordinal)+1) // spans of some tries may be missing
	if inside && t.Parent(call) != calltree.None {
		n-- // the client's span has been counted; that of a root is nobody's call
	} else {
		s.asked = plus(s.asked, 1)
	}
	r.touch(s, n)
	s.retried++
	s.extra = plus(s.extra, tries-1)
	s.marked += numbered
	first, last := calls[0], calls[len(calls)-1]
	end := t.Spans[last].Start
	if again(&t.Spans[last]) {
		end = t.Spans[last].End
		if s.exhausted == 0 || tries < s.fewest {
			s.fewest = tries
		}
		s.mostTries = max(s.mostTries, tries)
		s.exhausted++
	}
	r.calls = append(r.calls, triedCall{parent, first, last, end, s, h})
	for _, k := range calls {
		r.tries[k], r.of[k] = tries, int32(len(r.calls))
	}
	return true
}

// inside notes tries that a client counts inside one span. Where it writes a
// span for each, too, those are looked at instead.
func (r *requestTries) inside(tally *traceTries, t *calltree.Trace, n calltree.Node, top bool) {
	for _, k := range t.Children(n) {
		if r.tries[k] > 1 {
			return
		}
	}
	s := &t.Spans[n]
	h := hopOf(s, t.Span(t.Parent(n)))
	sum := tally.sum(h, r.root)
	if sum == nil || !isCall(t, n) {
		return
	}
	if top { // nobody's call, and not counted as such
		r.touch(sum, 1)
		sum.asked = plus(sum.asked, 1)
	}
	extra := times(int64(s.Rare.Retries), stands(s))
	r.touch(sum, extra)
	sum.retried++
	sum.extra = plus(sum.extra, extra)
	sum.marked++
	if r.tries[n] == 0 { // else it is a try itself, and has a call
		r.calls = append(r.calls, triedCall{t.Parent(n), n, n, s.Start, sum, h})
		r.of[n] = int32(len(r.calls))
		r.tries[n] = 1
	}
	r.tries[n] = times(r.tries[n], 1+int64(s.Rare.Retries))
}
