package calltree

import (
	"cmp"
	"slices"
	"time"
)

// request is one root's share of a Profile: what the operations of the trace
// have of its critical path.
type request struct {
	op       int32
	self     time.Duration
	spans    int64
	wait     time.Duration // beyond the median of parallel siblings
	parallel time.Duration // in spans that follow on a sibling of the operation
}

// add adds what the critical path below a root consists of, and what changes
// would bring.
func (s *rootSum) add(t *Trace, root Node) {
	p := t.planned()
	list := p.requests[:0]
	from, to := t.Subtree(root)
	clear(p.seen[from:to])
	at := func(n Node) *request {
		op := p.operation[n]
		if p.request[op] == 0 {
			list = append(list, request{op: op})
			p.request[op] = int32(len(list))
		}
		return &list[p.request[op]-1]
	}
	for _, piece := range t.Path(root) {
		r := at(piece.Span)
		r.self = sum(r.self, piece.Length())
		// The path went through the span and all that are above it.
		for n := piece.Span; !p.seen[n]; n = t.parent[n] {
			p.seen[n] = true
			r := at(n)
			r.spans++
			if n == root {
				break
			}
			d := t.Duration(n)
			if m := p.median[n]; m >= 0 {
				r.wait = sum(r.wait, max(0, d-m))
			}
			if f := p.first[n]; f != None && f != n {
				r.parallel = sum(r.parallel, d)
			}
		}
	}
	p.requests = list
	for _, r := range list {
		p.request[r.op] = 0 // not all of it: there may be as many roots as spans
	}
	for _, r := range list {
		s.step(&Step{Operation: p.names[r.op], Self: r.self, Spans: r.spans, Requests: 1, Wait: r.wait})
	}
	s.try(t, root, list, Speed, func(r request) time.Duration { return r.self })
	s.try(t, root, list, Straggler, func(r request) time.Duration { return r.wait })
	s.try(t, root, list, Parallel, func(r request) time.Duration { return r.parallel })
}

// try replays a request with changes of one kind.
func (s *rootSum) try(t *Trace, root Node, list []request, kind ChangeKind, concerns func(request) time.Duration) {
	p := t.planned()
	took := t.Duration(root)
	slices.SortFunc(list, func(a, b request) int {
		return cmp.Or(cmp.Compare(concerns(b), concerns(a)), p.names[a.op].compare(p.names[b.op]))
	})
	for _, r := range list[:min(len(list), maxChanges)] {
		if c := concerns(r); c <= 0 || c < took/minShare {
			break
		}
		if saves := took - p.replay(t, root, kind, r.op); saves > 0 {
			s.change(&Change{Kind: kind, Operation: p.names[r.op], Saves: saves, Requests: 1})
		}
	}
}
