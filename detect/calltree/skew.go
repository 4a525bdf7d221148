package calltree

import (
	"cmp"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Skew is by how much the clock of one process is ahead of that of another, as
// far as the calls between them in one trace tell.
//
// A call cannot be served before it was sent, nor answered after the answer had
// come; so each call bounds what the server's clock is ahead: from above by
// server start - client start, from below by server end - client end. A client
// that gave up does not know when the server ended; then the request only had
// to be sent before the client gave up. No assumption is made on how long the
// network took: the middle of the bounds is not "the" skew.
type Skew struct {
	Client, Server Process
	Low, High      time.Duration // server clock minus client clock is within these
	Calls          int           // that say so
}

// Certain reports whether the clocks must differ: equal clocks would have a
// server begin before it was called, or answer after the answer had come.
func (s Skew) Certain() bool { return s.Low > 0 || s.High < 0 }

// Widen returns by how much times of the two processes may be wrong to each
// other: 0 where equal clocks explain all calls, else the widest that the
// bounds allow. Tests of before and after take it off.
func (s Skew) Widen() time.Duration {
	if !s.Certain() {
		return 0
	}
	return max(s.High, -s.Low)
}

// skew is the estimates of a trace.
type skew struct {
	ready bool
	list  []Skew
	pairs []pair          // of list
	wide  []time.Duration // of each process: how far its clock may be from that of the process above it, and of those above that
	index map[[2]int32]int32
}

// pair is the processes of a Skew, client and server, and the widest bounds that
// any one call allows.
type pair struct {
	client, server int32
	low, high      time.Duration
}

func (s *skew) reset() { s.ready = false }

// Skews returns the estimates of all pairs of processes that called each other,
// by the place of the first call in the tree. The slice is the trace's own.
func (t *Trace) Skews() []Skew {
	t.estimate()
	return t.skew.list
}

// Skew returns by how much a time of one span and a time of another may be
// wrong to each other because of their clocks: 0 in one process; Widen of the
// pair where one called the other; else the sum along the calls between.
func (t *Trace) Skew(a, b Node) time.Duration {
	p, q := t.proc[a], t.proc[b]
	if p == q {
		return 0
	}
	t.estimate()
	for _, key := range [...][2]int32{{p, q}, {q, p}} {
		if i, ok := t.skew.index[key]; ok {
			return t.skew.list[i].Widen()
		}
	}
	return sum(t.skew.wide[p], t.skew.wide[q])
}

// Lag returns by how much a span started after another had ended, at the least:
// the skew between their clocks is taken off. Not above 0: it need not have.
// Both must be Timed.
func (t *Trace) Lag(n, after Node) time.Duration {
	return t.Spans[n].Start.Sub(t.Spans[after].End) - t.Skew(n, after)
}

// Overrun returns by how much a span ended after another had ended, at the
// least, as Lag does.
func (t *Trace) Overrun(n, after Node) time.Duration {
	return t.Spans[n].End.Sub(t.Spans[after].End) - t.Skew(n, after)
}

func (t *Trace) estimate() {
	s := &t.skew
	if s.ready {
		return
	}
	s.ready = true
	s.list, s.pairs = s.list[:0], s.pairs[:0]
	if s.index == nil || len(s.index) > 1024 {
		s.index = map[[2]int32]int32{}
	}
	clear(s.index)
	for k := range t.Spans {
		n := Node(k)
		p := t.parent[n]
		if t.Span(p) == nil || t.proc[n] == t.proc[p] || !t.Crosses(n) || !t.waitedFor(n) || !t.waitedFor(p) {
			continue
		}
		s.call(t, n, p)
	}
	for i, w := range s.pairs {
		if e := &s.list[i]; e.Low > e.High {
			// Calls that contradict each other: the clock was set, or one was not
			// waited for. All that any of them allows stays possible.
			e.Low, e.High = w.low, w.high
		}
	}
	s.chain(t)
}

// call adds what one call says.
func (s *skew) call(t *Trace, n, p Node) {
	server, client := &t.Spans[n], &t.Spans[p]
	high := server.Start.Sub(client.Start)
	low := server.End.Sub(client.End)
	if client.Outcome != ingest.OK || low > high { // gave up, or was not waiting for the end
		low = server.Start.Sub(client.End)
	}
	key := [2]int32{t.proc[p], t.proc[n]}
	i, ok := s.index[key]
	if !ok {
		i = int32(len(s.list))
		s.index[key] = i
		s.list = append(s.list, Skew{t.procs[key[0]], t.procs[key[1]], low, high, 0})
		s.pairs = append(s.pairs, pair{key[0], key[1], low, high})
	}
	e, w := &s.list[i], &s.pairs[i]
	e.Calls++
	e.Low, e.High = max(e.Low, low), min(e.High, high)
	w.low, w.high = min(w.low, low), max(w.high, high)
}

// chain adds up, for each process, the skews from the first process that leads
// to it. Of several ways the one of the fewest calls between processes counts,
// of these the first.
func (s *skew) chain(t *Trace) {
	s.wide = resize(s.wide, len(t.procs))
	seen := make([]bool, len(t.procs))
	// Edges by the process that they leave, both ways: clocks differ both ways.
	edges := make([][3]int32, 0, 2*len(s.pairs))
	for i, e := range s.pairs {
		edges = append(edges, [3]int32{e.client, e.server, int32(i)}, [3]int32{e.server, e.client, int32(i)})
	}
	slices.SortStableFunc(edges, func(a, b [3]int32) int { return cmp.Compare(a[0], b[0]) })
	var queue []int32
	for start := range s.wide {
		if seen[start] {
			continue
		}
		seen[start], s.wide[start] = true, 0
		for queue = append(queue[:0], int32(start)); len(queue) > 0; queue = queue[1:] {
			p := queue[0]
			i, _ := slices.BinarySearchFunc(edges, p, func(e [3]int32, p int32) int { return cmp.Compare(e[0], p) })
			for ; i < len(edges) && edges[i][0] == p; i++ {
				if q := edges[i][1]; !seen[q] {
					seen[q] = true
					s.wide[q] = sum(s.wide[p], s.list[edges[i][2]].Widen())
					queue = append(queue, q)
				}
			}
		}
	}
}
