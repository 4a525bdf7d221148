package calltree

import (
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Group is siblings of one kind, service and operation: what one parent did
// more than once, if the group has more than one span.
type Group struct {
	Parent      Node
	Kind        ingest.Kind
	Service, Op string
	Spans       []Node // by start, with equal starts by id

	t     *Trace
	index int32 // in t.groups.list
}

// Peer is the spans of a group that called one peer.
type Peer struct {
	Name  string // empty: not known
	Spans []Node // by start, with equal starts by id
}

// groups is the children of all nodes, grouped.
type groups struct {
	ready bool
	kids  []Node     // as in Trace.kids, with the spans of a group together
	list  []Group    // of all nodes, one node after another
	at    []int32    // where those of a node begin in list; by rank
	peers [][2]int32 // by index in list: where its peers are in all; 0, 0: not worked out yet
	all   []Peer

	number []int32            // scratch: group of each sibling
	count  []int32            // scratch: siblings of each group
	first  []int32            // scratch: first sibling of each group
	index  map[groupKey]int32 // scratch: where there are many groups
}

type groupKey struct {
	service, op string
	kind        ingest.Kind
}

func (g *groups) reset() { g.ready, g.all = false, g.all[:0] }

// Groups returns the children of a node grouped by kind, service and operation;
// groups are by their first span, and Group.Peers splits each by peer. The
// slice is the trace's own.
func (t *Trace) Groups(parent Node) []Group {
	g := &t.groups
	if !g.ready {
		g.build(t)
	}
	r := t.rank(parent)
	return g.list[g.at[r]:g.at[r+1]:g.at[r+1]]
}

func (g *groups) build(t *Trace) {
	g.ready = true
	g.kids, g.at = resize(g.kids, len(t.kids)), resize(g.at, len(t.kidsAt))
	g.list = g.list[:0]
	for r := range len(t.kidsAt) - 1 {
		g.at[r] = int32(len(g.list))
		from, to := t.kidsAt[r], t.kidsAt[r+1]
		if from == to {
			continue
		}
		parent := Node(r)
		if r == t.nodes() {
			parent = None
		}
		g.split(t.kids[from:to], g.kids[from:to], func(n Node) groupKey {
			s := &t.Spans[n]
			return groupKey{s.Service, s.Op, s.Kind}
		})
		for _, n := range g.count {
			s := &t.Spans[g.kids[from]]
			g.list = append(g.list, Group{parent, s.Kind, s.Service, s.Op, nil, t, int32(len(g.list))})
			l := &g.list[len(g.list)-1]
			l.Spans = g.kids[from : from+n : from+n]
			from += n
		}
	}
	g.at[len(g.at)-1] = int32(len(g.list))
	g.peers = resize(g.peers, len(g.list))
	clear(g.peers)
}

// split writes siblings to out with those of one key together, the keys in the
// order of their first sibling, and fills in count and first for each key.
func (g *groups) split(siblings, out []Node, key func(Node) groupKey) {
	const few = 8 // keys that are compared one by one
	g.number, g.count, g.first = g.number[:0], g.count[:0], g.first[:0]
	last := int32(-1)
	var lastKey groupKey
	for i, n := range siblings {
		k := key(n)
		if last < 0 || k != lastKey {
			last, lastKey = g.find(siblings, k, key, few), k
			if last == int32(len(g.count)) {
				g.count, g.first = append(g.count, 0), append(g.first, int32(i))
				if last >= few {
					g.index[k] = last
				}
			}
		}
		g.number = append(g.number, last)
		g.count[last]++
	}
	at := int32(0)
	for i, n := range g.count {
		g.count[i] = at
		at += n
	}
	for i, n := range siblings {
		k := g.number[i]
		out[g.count[k]] = n
		g.count[k]++
	}
	for i := len(g.count) - 1; i > 0; i-- { // ends to sizes
		g.count[i] -= g.count[i-1]
	}
}

// find returns the number of a key; of one that is not there the next.
func (g *groups) find(siblings []Node, k groupKey, key func(Node) groupKey, few int) int32 {
	for i, f := range g.first[:min(len(g.first), few)] {
		if key(siblings[f]) == k {
			return int32(i)
		}
	}
	if len(g.first) < few {
		return int32(len(g.first))
	}
	if len(g.first) == few { // the first beyond those
		if g.index == nil || len(g.index) > 1024 {
			g.index = map[groupKey]int32{}
		}
		clear(g.index)
	}
	if i, ok := g.index[k]; ok {
		return i
	}
	return int32(len(g.first))
}

// Peers returns the spans of the group by the peer that they called, in the
// order of their first span. The slice is the trace's own.
func (g Group) Peers() []Peer {
	s := &g.t.groups
	at := &s.peers[g.index]
	if at[0] == at[1] {
		out := g.Spans
		if len(out) > 1 {
			out = make([]Node, len(g.Spans))
		}
		s.split(g.Spans, out, func(n Node) groupKey { return groupKey{op: g.t.Spans[n].Peer} })
		at[0] = int32(len(s.all))
		for _, n := range s.count {
			s.all = append(s.all, Peer{g.t.Spans[out[0]].Peer, out[:n:n]})
			out = out[n:]
		}
		at[1] = int32(len(s.all))
	}
	return s.all[at[0]:at[1]:at[1]]
}

// Stands returns how many spans the group stands for: more than it has where a
// collector pruned.
func (g Group) Stands() int64 {
	var n int64
	for _, k := range g.Spans {
		n += max(g.t.Spans[k].Stands, 1)
		if n < 0 {
			return 1<<63 - 1
		}
	}
	return n
}

// Sum returns the durations of the spans, added up; of a pruned summary what it
// states for the spans that it stands for.
func (g Group) Sum() time.Duration {
	var d time.Duration
	for _, k := range g.Spans {
		if s := &g.t.Spans[k]; s.Rare != nil && s.Rare.Total > 0 {
			d = sum(d, s.Rare.Total)
		} else {
			d = sum(d, g.t.Duration(k))
		}
	}
	return d
}

// Busy returns how long at least one span of the group ran: the union.
func (g Group) Busy() time.Duration {
	var d time.Duration
	end, begun := ingest.Time(0), false
	for _, k := range g.Spans {
		s := &g.t.Spans[k]
		if !timed(s) {
			continue
		}
		from := s.Start
		if begun {
			from = max(from, end)
		}
		if s.End > from {
			d = sum(d, s.End.Sub(from))
		}
		if !begun || s.End > end {
			end, begun = s.End, true
		}
	}
	return d
}

// Peak returns how many spans of the group ran at once at most. One that starts
// when another ends does not run beside it. 1: they ran one after another.
func (g Group) Peak() int {
	ends := make([]ingest.Time, 0, len(g.Spans))
	for _, k := range g.Spans {
		if s := &g.t.Spans[k]; timed(s) {
			ends = append(ends, s.End)
		}
	}
	slices.Sort(ends)
	peak, started, ended := 0, 0, 0
	for _, k := range g.Spans {
		s := &g.t.Spans[k]
		if !timed(s) {
			continue
		}
		for ended < started && ends[ended] <= s.Start {
			ended++
		}
		started++
		peak = max(peak, started-ended)
	}
	return peak
}

// Median returns the median of the durations (nearest rank); 0: none is known.
func (g Group) Median() time.Duration {
	d := make([]time.Duration, 0, len(g.Spans))
	for _, k := range g.Spans {
		if g.t.Timed(k) {
			d = append(d, g.t.Duration(k))
		}
	}
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[(len(d)-1)/2]
}

// Slowest returns the span that took longest, of several the first; None: no
// duration is known.
func (g Group) Slowest() Node {
	slowest := None
	for _, k := range g.Spans {
		if g.t.Timed(k) && (slowest == None || g.t.Duration(k) > g.t.Duration(slowest)) {
			slowest = k
		}
	}
	return slowest
}
