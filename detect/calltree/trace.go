// Package calltree assembles traces: it collects spans in any order, from many
// workers and inputs, and gives whole traces with their tree, built once, so
// that detectors only ask.
//
//	var spans calltree.Spans
//	spans.Add(span)              // each worker fills a store of its own
//	spans.Merge(other)
//	for trace, err := range spans.All() {
//		for parent := range trace.Parents() {
//			for _, group := range trace.Groups(parent) {
//				…
//			}
//		}
//	}
//
// Times are as recorded. Clocks of different processes differ: Skew says by how
// much they may, and Lag takes it off.
package calltree

import (
	"iter"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Node is a place in the tree of a trace: from 0 to len(Spans)-1 a span, the
// number of its place in Spans; above, a parent that is missing, of which only
// the id and the children are known; None, the parent of roots.
type Node int32

// None is no node: the parent of roots and of missing parents.
const None Node = -1

// Trace is an assembled trace. It is a record of kind KindTrace.
//
// Spans are in the order of the tree: a parent stands before its children,
// children are by start, with equal starts by id, and each stands with all that
// is below it. Trees of roots come first, then those below missing parents.
//
// A Trace is not safe for concurrent use: what is asked for is worked out once,
// when it is first asked for.
type Trace struct {
	ingest.Trace
	Counts Counts
	Inputs []InputCounts // by input; usually one

	parent []Node          // of each span
	size   []int32         // of each span: spans in its subtree, itself included
	depth  []int32         // of each span
	hop    []int32         // of each span
	proc   []int32         // of each span: index in procs
	procs  []Process       // all processes, in the order of Spans
	kids   []Node          // children of all nodes, one node after another
	kidsAt []int32         // where those of a node begin in kids; by rank
	absent []ingest.SpanID // missing parents: the first is node len(Spans)

	groups groups
	paths  paths
	skew   skew
	self   []time.Duration // of each span; empty: not worked out yet
	plan   plan
}

// Process is where a span was recorded.
type Process struct{ Service, Instance string }

func (p Process) String() string {
	if p.Instance == "" {
		return p.Service
	}
	return p.Service + " (" + p.Instance + ")"
}

// reset empties the trace for n spans and some missing parents.
func (t *Trace) reset(n, absent int) {
	t.Trace = ingest.Trace{Spans: resize(t.Spans, n)}
	t.Counts, t.Inputs = Counts{}, t.Inputs[:0]
	t.parent, t.size = resize(t.parent, n), resize(t.size, n)
	t.depth, t.hop, t.proc = resize(t.depth, n), resize(t.hop, n), resize(t.proc, n)
	t.procs = t.procs[:0]
	t.kids, t.kidsAt = resize(t.kids, n), resize(t.kidsAt, n+absent+2)
	t.absent = resize(t.absent, absent)
	t.self = t.self[:0]
	t.groups.reset()
	t.paths.reset()
	t.skew.reset()
	t.plan.reset()
}

// resize returns a slice of n elements, reusing s. The elements hold anything.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// nodes returns the number of spans and missing parents.
func (t *Trace) nodes() int { return len(t.Spans) + len(t.absent) }

// rank is the index of a node in kidsAt: None comes last.
func (t *Trace) rank(n Node) int {
	if n == None {
		return t.nodes()
	}
	return int(n)
}

// Children returns the children of a node by start. Those of None are the roots.
// The slice is the trace's own.
func (t *Trace) Children(n Node) []Node {
	r := t.rank(n)
	return t.kids[t.kidsAt[r]:t.kidsAt[r+1]:t.kidsAt[r+1]]
}

// Roots returns the spans that have no parent, and those at which a loop of
// parents was cut open.
func (t *Trace) Roots() []Node { return t.Children(None) }

// Orphans returns the parents that are missing. Their children are what they
// left behind: siblings still, whose parent's own time and name are lost.
func (t *Trace) Orphans() iter.Seq2[Node, ingest.SpanID] {
	return func(yield func(Node, ingest.SpanID) bool) {
		for i, id := range t.absent {
			if !yield(Node(len(t.Spans)+i), id) {
				return
			}
		}
	}
}

// Parents returns the nodes that have children, missing parents included.
func (t *Trace) Parents() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for n := range t.nodes() {
			if t.kidsAt[n] < t.kidsAt[n+1] && !yield(Node(n)) {
				return
			}
		}
	}
}

// Span returns the span of a node; nil: the node is a missing parent or None.
func (t *Trace) Span(n Node) *ingest.Span {
	if uint(n) < uint(len(t.Spans)) {
		return &t.Spans[n]
	}
	return nil
}

// Parent returns the parent of a node, which may be missing.
func (t *Trace) Parent(n Node) Node {
	if uint(n) < uint(len(t.parent)) {
		return t.parent[n]
	}
	return None
}

// Ancestors returns the spans above a node, the nearest first.
func (t *Trace) Ancestors(n Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for n = t.Parent(n); t.Span(n) != nil && yield(n); n = t.Parent(n) {
		}
	}
}

// Subtree returns a node and the spans below it, from and until in Spans: those
// below a missing parent without it, all spans for None.
func (t *Trace) Subtree(n Node) (from, to Node) {
	if t.Span(n) != nil {
		return n, n + Node(t.size[n])
	}
	if n == None {
		return 0, Node(len(t.Spans))
	}
	kids := t.Children(n)
	last := kids[len(kids)-1]
	return kids[0], last + Node(t.size[last])
}

// Under reports whether a span is in the subtree of a node.
func (t *Trace) Under(n, top Node) bool {
	from, to := t.Subtree(top)
	return from <= n && n < to
}

// Top returns the root of a span's tree, or the orphan that it is below.
func (t *Trace) Top(n Node) Node {
	for t.Span(t.Parent(n)) != nil {
		n = t.Parent(n)
	}
	return n
}

// Depth returns how many spans are above a span.
func (t *Trace) Depth(n Node) int { return int(t.depth[n]) }

// Hop returns how many times the call went to another process above a span, the
// span itself included. A span enters a process where its exporter says that its
// parent is remote; where it does not say, where it is a server or consumer span,
// or has another service than its parent.
func (t *Trace) Hop(n Node) int { return int(t.hop[n]) }

// Crosses reports whether a span is in another process than its parent, by the
// rule of Hop.
func (t *Trace) Crosses(n Node) bool {
	p := t.parent[n]
	return t.Span(p) != nil && t.hop[n] != t.hop[p]
}

// Process returns where a span was recorded.
func (t *Trace) Process(n Node) Process { return t.procs[t.proc[n]] }
