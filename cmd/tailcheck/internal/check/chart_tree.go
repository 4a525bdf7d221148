package check

import (
	"cmp"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// Bounds of call trees.
const (
	forestRows  = 1 << 13 // distinct rows of all trees
	forestDepth = 12      // rows that are above one at most
	treeShown   = 40      // rows that are shown of one tree
)

// forest is the traces of a pass laid over each other: a row for each operation
// below the same operations. The two halves of a call are one row, named by the
// half that answers.
type forest struct {
	rows  []forestRow
	index map[forestKey]int32
	left  map[int32]bool // roots below which rows were left out

	of  []int32 // of each span of a trace: its row; -1: none
	now []int32 // rows that the request has, to settle what it had most
}

type forestKey struct {
	parent      int32 // -1: a root
	service, op string
}

type forestRow struct {
	forestKey
	depth    int32
	root     int32
	calls    int64
	failed   int64
	requests int64 // in which it is
	most     int64
	timed    int64
	took     float64 // ns
	here     int64   // calls in the request that is being added
}

func (f *forest) add(t *calltree.Trace) {
	if f.index == nil {
		f.index, f.left = map[forestKey]int32{}, map[int32]bool{}
	}
	f.of = slices.Grow(f.of[:0], len(t.Spans))[:len(t.Spans)]
	for _, root := range t.Roots() {
		f.now = f.now[:0]
		from, to := t.Subtree(root)
		for n := from; n < to; n++ {
			f.of[n] = f.row(t, n, root)
		}
		for _, r := range f.now {
			row := &f.rows[r]
			row.requests++
			row.most = max(row.most, row.here)
			row.here = 0
		}
	}
}

// row counts a span, and returns its row.
func (f *forest) row(t *calltree.Trace, n, root calltree.Node) int32 {
	s := &t.Spans[n]
	parent, depth, top := int32(-1), int32(0), int32(-1)
	if n != root {
		p := t.Parent(n)
		if parent = f.of[p]; parent < 0 {
			return -1
		}
		if answers(t, p) == n {
			return parent // it was counted with its other half
		}
		depth, top = f.rows[parent].depth+1, f.rows[parent].root
	}
	name := s
	if other := answers(t, n); other != calltree.None {
		name = t.Span(other)
	}
	k := forestKey{parent, name.Service, name.Op}
	i, ok := f.index[k]
	if !ok {
		if len(f.rows) == forestRows || depth > forestDepth {
			if top >= 0 {
				f.left[top] = true
			}
			return -1
		}
		i = int32(len(f.rows))
		if parent < 0 {
			top = i
		}
		f.index[k] = i
		f.rows = append(f.rows, forestRow{forestKey: k, depth: depth, root: top})
	}
	r := &f.rows[i]
	many := max(s.Stands, 1)
	if r.here == 0 {
		f.now = append(f.now, i)
	}
	r.here += many
	r.calls += many
	if s.Outcome != ingest.OK || s.Error {
		r.failed += many
	}
	if t.Timed(n) && s.Stands <= 1 {
		r.timed++
		r.took += float64(t.Duration(n)) // no overflow, and the order is always the same
	}
	return i
}

// answers returns the server's half of a call that a client's span is; None:
// it is no such span, or the other half is not recorded.
func answers(t *calltree.Trace, n calltree.Node) calltree.Node {
	if t.Spans[n].Kind != ingest.ClientSpan {
		return calltree.None
	}
	if kids := t.Children(n); len(kids) == 1 && t.Spans[kids[0]].Kind == ingest.ServerSpan {
		return kids[0]
	}
	return calltree.None
}

// drawnTree is a tree with the name of its root.
type drawnTree struct {
	report.CallTree
	name string
}

// trees returns the trees with the most calls, without those that call nothing.
func (f *forest) trees(most int) []drawnTree {
	below := map[int32][]int32{} // rows of a tree, parents before children
	calls := map[int32]int64{}
	var roots []int32
	for i := range f.rows {
		r := &f.rows[i]
		if r.parent < 0 {
			roots = append(roots, int32(i))
		}
		below[r.root] = append(below[r.root], int32(i))
		calls[r.root] += r.calls
	}
	roots = slices.DeleteFunc(roots, func(r int32) bool { return len(below[r]) < 2 })
	slices.SortStableFunc(roots, func(a, b int32) int {
		return cmp.Or(cmp.Compare(calls[b], calls[a]), cmp.Compare(f.rows[a].service, f.rows[b].service), cmp.Compare(f.rows[a].op, f.rows[b].op))
	})
	var out []drawnTree
	for _, root := range roots[:min(len(roots), most)] {
		out = append(out, f.tree(root, below[root]))
	}
	return out
}

func (f *forest) tree(root int32, rows []int32) drawnTree {
	top := &f.rows[root]
	out := drawnTree{name: top.op, CallTree: report.CallTree{Requests: top.calls}}
	if top.service != "" {
		out.name = top.service + ": " + top.op
	}
	// Rows with the most calls are kept, with what is above them.
	order := slices.Clone(rows)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(f.rows[b].calls, f.rows[a].calls) })
	kept := map[int32]bool{root: true}
	for _, i := range order {
		var need []int32
		for k := i; !kept[k]; k = f.rows[k].parent {
			need = append(need, k)
		}
		if len(kept)+len(need) > treeShown {
			continue
		}
		for _, k := range need {
			kept[k] = true
		}
	}
	children := map[int32][]int32{}
	for _, i := range rows {
		if kept[i] && i != root {
			children[f.rows[i].parent] = append(children[f.rows[i].parent], i)
		}
	}
	stack := []int32{root}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		r := &f.rows[i]
		x := report.CallRow{Depth: int(r.depth), Service: r.service, Name: r.op, Most: r.most, Failed: r.failed, MeanMs: -1}
		if top.calls > 0 {
			x.Calls = float64(r.calls) / float64(top.calls)
		}
		if i != root && f.rows[r.parent].calls > 0 {
			x.Factor = float64(r.calls) / float64(f.rows[r.parent].calls)
		}
		if r.timed > 0 {
			x.MeanMs = r.took / 1e6 / float64(r.timed)
		}
		out.Rows = append(out.Rows, x)
		next := children[i]
		slices.Reverse(next)
		stack = append(stack, next...)
	}
	out.Left = len(rows) - len(out.Rows)
	return out
}
