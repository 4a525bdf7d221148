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
	outer  []int32         // of each occurrence: the occurrence that it is in, plus one
	tops   []calltree.Node // of each occurrence: where the path begins
}

// fill fills in the time that the request waited for each occurrence: what its
// critical path spends in the spans of the occurrence and below. The occurrences
// are by parent, and do not share spans.
//
// The path is that of the root, or of what begins work that nobody waits for (a
// consumer). Where clocks of two processes certainly differ, or a span above has
// no times, it is that of the span below: what is outside of its parent is on no
// path. The calls of a missing parent have no path; they count as long as at
// least one of them runs.
func (w *waits) fill(t *calltree.Trace, list []occurrence) {
	n := len(t.Spans)
	w.inside = slices.Grow(w.inside[:0], n)[:n]
	clear(w.inside)
	w.outer = slices.Grow(w.outer[:0], len(list))[:len(list)]
	w.tops = w.tops[:0]
	for i := range list {
		for _, k := range list[i].spans {
			w.inside[k] = int32(i + 1)
		}
		w.tops = append(w.tops, top(t, list[i].parent))
	}
	for k := range t.Spans {
		p := t.Parent(calltree.Node(k))
		if w.inside[k] == 0 && t.Span(p) != nil && !t.Spans[k].Async {
			w.inside[k] = w.inside[p]
		}
	}
	for i := range list {
		o := &list[i]
		o.waited, w.outer[i] = 0, 0
		if t.Span(o.parent) != nil {
			w.outer[i] = w.inside[o.parent]
		}
	}
	done := map[calltree.Node]bool{}
	for _, top := range w.tops {
		if top == calltree.None || done[top] {
			continue
		}
		done[top] = true
		for _, piece := range t.Path(top) {
			if i := w.inside[piece.Span]; i > 0 && w.tops[i-1] == top {
				list[i-1].waited = add(list[i-1].waited, piece.Length())
			}
		}
	}
	for i := len(list) - 1; i >= 0; i-- { // what is inside comes behind what is around it
		if up := w.outer[i]; up > 0 && w.tops[up-1] == w.tops[i] {
			list[up-1].waited = add(list[up-1].waited, list[i].waited)
		}
	}
	for i := range list {
		if o := &list[i]; w.tops[i] == calltree.None {
			o.waited = o.busy
		} else {
			o.waited = min(o.waited, o.took) // a pruned summary lasts from the first start to the last end
		}
	}
}

// top returns the span whose critical path tells what a request waited for below
// a span; None: the span is missing, or has no times.
func top(t *calltree.Trace, n calltree.Node) calltree.Node {
	if t.Span(n) == nil || !t.Timed(n) {
		return calltree.None
	}
	for {
		p := t.Parent(n)
		if t.Span(p) == nil || t.Spans[n].Async || !t.Timed(p) || t.Skew(n, p) > 0 {
			return n
		}
		n = p
	}
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
