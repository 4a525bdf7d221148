package calltree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every span is in the tree exactly once, below its parent, whatever the input.
func TestTreeInvariants(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 200 {
		spans := randomTraces(r, 1+r.IntN(200))
		var s Spans
		for i := range spans {
			s.Add(&spans[i])
		}
		rows := int64(0)
		for tr, err := range s.All() {
			if err != nil {
				t.Fatal(err)
			}
			rows += tr.Counts.Rows
			checkTree(t, tr)
		}
		if rows != int64(len(spans)) {
			t.Fatalf("%d rows, want %d", rows, len(spans))
		}
	}
}

func checkTree(t *testing.T, tr *Trace) {
	t.Helper()
	c := tr.Counts
	if c.Spans != int64(len(tr.Spans)) || c.Rows != c.Spans+c.Duplicates+c.Partial || c.RepeatedIDs != c.Duplicates+c.Partial+c.Halves+c.Repeated {
		t.Fatalf("%+v", c)
	}
	seen := make([]int, len(tr.Spans))
	nodes := append(slices.Collect(tr.Parents()), None)
	grouped := 0
	for _, p := range nodes {
		for i, k := range tr.Children(p) {
			seen[k]++
			if tr.Parent(k) != p {
				t.Fatal("a child with another parent")
			}
			if i > 0 {
				a, b := tr.Spans[tr.Children(p)[i-1]], tr.Spans[k]
				if a.Start > b.Start || a.Start == b.Start && string(a.ID[:]) > string(b.ID[:]) {
					t.Fatal("children out of order")
				}
			}
			if s := tr.Span(p); s != nil {
				if s.ID != tr.Spans[k].Parent && s.ID != tr.Spans[k].ID {
					t.Fatal("below a span that is not its parent")
				}
				if !(p < k && tr.Depth(k) == tr.Depth(p)+1) {
					t.Fatal("not after its parent")
				}
			}
		}
		for _, g := range tr.Groups(p) {
			grouped += len(g.Spans)
			peers := 0
			for _, k := range g.Spans {
				if s := tr.Spans[k]; tr.Parent(k) != p || s.Op != g.Op || s.Service != g.Service || s.Kind != g.Kind {
					t.Fatal("in a wrong group")
				}
			}
			if !slices.IsSorted(g.Spans) {
				t.Fatal("group out of order")
			}
			for _, peer := range g.Peers() {
				peers += len(peer.Spans)
				for _, k := range peer.Spans {
					if tr.Spans[k].Peer != peer.Name {
						t.Fatal("wrong peer")
					}
				}
			}
			if peers != len(g.Spans) {
				t.Fatal("peers are not all of the group")
			}
		}
	}
	if grouped != len(tr.Spans) {
		t.Fatalf("%d spans in groups", grouped)
	}
	for n, times := range seen {
		if times != 1 {
			t.Fatalf("span %d is %d times in the tree", n, times)
		}
		from, to := tr.Subtree(Node(n))
		for k := range tr.Spans {
			above := k == n || slices.Contains(slices.Collect(tr.Ancestors(Node(k))), Node(n))
			if above != (from <= Node(k) && Node(k) < to) {
				t.Fatal("subtree")
			}
		}
		checkPath(t, tr, Node(n))
		d := tr.Duration(Node(n))
		if s := tr.Self(Node(n)); s < 0 || s > d {
			t.Fatalf("self %v of %v", s, d)
		}
		for _, change := range []ChangeKind{Speed, Straggler, Parallel} {
			for op := range 3 {
				if w := tr.Would(Node(n), change, Operation{"a", fmt.Sprint("op", op)}); w < 0 || w > d {
					t.Fatalf("%v of %v would take %v, not %v", change, op, w, d)
				}
			}
		}
		if w := tr.Would(Node(n), Speed, Operation{"nobody", "nothing"}); w != d {
			t.Fatalf("unchanged it would take %v, not %v", w, d)
		}
		if tr.plan.replay(tr, Node(n), Speed, -1) != d {
			t.Fatal("a replay without change differs")
		}
	}
}

// checkPath: the pieces tile the span, and each is within its own span.
func checkPath(t *testing.T, tr *Trace, n Node) {
	t.Helper()
	at := tr.Spans[n].Start
	for _, p := range tr.Path(n) {
		s := tr.Spans[p.Span]
		if p.Start != at || p.End <= p.Start || p.Start < s.Start || p.End > s.End || !tr.Under(p.Span, n) {
			t.Fatalf("piece %+v of %+v at %v", p, s, at)
		}
		at = p.End
	}
	if tr.Timed(n) && at != tr.Spans[n].End {
		t.Fatal("the path ends early")
	}
}
