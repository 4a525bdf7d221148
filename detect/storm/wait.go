package storm

import (
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// waits works out how long requests waited for calls. It is used again for one
// trace after another.
type waits struct {
	inside []int32         // of each span: the occurrence that it is in, plus one; 0: none
	top    []calltree.Node // of each span: where its path begins
	outer  []int32         // of each occurrence: the occurrence that it is in, plus one
	done   map[calltree.Node]bool
}

// maxPaths bounds the critical paths of one trace: the trees that they are looked
// for in may have so many times the spans of the trace. One path looks at each
// span once; more than a few begin inside each other only where clocks are set
// wrong on purpose.
const maxPaths = 16

// fill fills in the time that the request waited for each occurrence: what its
// critical path spends in the spans of the occurrence and below. The occurrences
// are by parent, and do not share spans.
//
// The path is that of the root, or of what begins work that nobody waits for (a
// consumer). Where clocks of two processes certainly differ, or a span above has
// no times, it is that of the span below: what is outside of its parent is on no
// path. The calls of a parent that is missing or has no times have no path; they
// count as long as at least one of them runs.
func (w *waits) fill(t *calltree.Trace, list []occurrence) {
	n := len(t.Spans)
	w.inside, w.top = slices.Grow(w.inside[:0], n)[:n], slices.Grow(w.top[:0], n)[:n]
	w.outer = slices.Grow(w.outer[:0], len(list))[:len(list)]
	clear(w.inside)
	for i := range list {
		for _, k := range list[i].spans {
			w.inside[k] = int32(i + 1)
		}
	}
	for i := range t.Spans { // parents before children
		k := calltree.Node(i)
		p := t.Parent(k)
		w.top[k] = k
		if t.Span(p) == nil || t.Spans[k].Async {
			continue
		}
		if w.inside[k] == 0 {
			w.inside[k] = w.inside[p]
		}
		if t.Timed(k) && t.Timed(p) && t.Skew(k, p) == 0 {
			w.top[k] = w.top[p]
		}
	}
	if w.done == nil || len(w.done) > 1024 {
		w.done = map[calltree.Node]bool{}
	}
	clear(w.done)
	budget := maxPaths * n
	for i := range list {
		o := &list[i]
		o.waited, w.outer[i] = 0, 0
		if p := t.Parent(o.spans[0]); t.Span(p) != nil {
			w.outer[i] = w.inside[p]
		}
		if top, ok := w.begins(t, o); ok && !w.done[top] {
			from, to := t.Subtree(top)
			if budget -= int(to - from); budget >= 0 {
				w.done[top] = true
			}
		}
	}
	for top := range w.done {
		for _, piece := range t.Path(top) {
			if i := w.inside[piece.Span]; i > 0 && w.top[list[i-1].spans[0]] == top {
				list[i-1].waited = add(list[i-1].waited, piece.Length())
			}
		}
	}
	for i := len(list) - 1; i >= 0; i-- { // what is inside comes behind what is around it
		o := &list[i]
		top, ok := w.begins(t, o)
		if up := w.outer[i]; up > 0 && w.top[list[up-1].spans[0]] == top {
			list[up-1].waited = add(list[up-1].waited, o.waited)
		}
		if ok && w.done[top] {
			o.waited = min(o.waited, o.took) // a pruned summary lasts from the first start to the last end
		} else {
			o.waited = o.busy
		}
	}
}

// begins returns where the path that the calls may be on begins; false: there is
// none, as their parent is missing or has no times.
func (w *waits) begins(t *calltree.Trace, o *occurrence) (calltree.Node, bool) {
	top := w.top[o.spans[0]]
	return top, top != o.spans[0]
}

// busy returns how long at least one of the spans ran, how long they took in
// all, and the longest time of one; spans are by start and have times.
func busy(t *calltree.Trace, spans []calltree.Node) (busy, took time.Duration) {
	var end ingest.Time
	for i, k := range spans {
		s := &t.Spans[k]
		took = add(took, duration(t, k))
		from := s.Start
		if i > 0 {
			from = max(from, end)
		}
		if s.End > from {
			busy = add(busy, s.End.Sub(from))
		}
		if i == 0 || s.End > end {
			end = s.End
		}
	}
	return busy, took
}

// duration returns how long a span took, of a pruned summary what it states for
// all spans that it stands for.
func duration(t *calltree.Trace, n calltree.Node) time.Duration {
	if r := t.Spans[n].Rare; r != nil && r.Total > 0 {
		return r.Total
	}
	return t.Duration(n)
}

// stands returns how many spans one stands for.
func stands(s *ingest.Span) int64 { return max(s.Stands, 1) }
