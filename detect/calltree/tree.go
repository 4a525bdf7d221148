package calltree

import "github.com/tailcheck/tailcheck/ingest"

// number gives every rec its place in the order of the tree, and returns how
// many there are.
func (b *builder) number() int {
	m, lost := len(b.recs), len(b.lost)
	rank := func(p int32) int {
		switch {
		case p >= 0:
			return int(p)
		case p == noParent:
			return m + lost
		}
		return m + int(absentParent-p)
	}
	b.kidsAt = resize(b.kidsAt, m+lost+2)
	clear(b.kidsAt)
	n := 0
	for i, p := range b.parent {
		if !b.dead[i] {
			b.kidsAt[rank(p)+1]++
			n++
		}
	}
	for i := 1; i < len(b.kidsAt); i++ {
		b.kidsAt[i] += b.kidsAt[i-1]
	}
	b.kids = resize(b.kids, n)
	for i := m - 1; i >= 0; i-- { // backwards, using the end of each piece as its fill mark
		if !b.dead[i] {
			r := rank(b.parent[i]) + 1
			b.kidsAt[r]--
			b.kids[b.kidsAt[r]] = int32(i)
		}
	}
	// kidsAt[r+1] is now where the children of r begin, kidsAt[r+2] or n their end.
	push := func(r int) {
		to := n
		if r+2 < len(b.kidsAt) {
			to = int(b.kidsAt[r+2])
		}
		for k := to - 1; k >= int(b.kidsAt[r+1]); k-- {
			b.stack = append(b.stack, b.kids[k])
		}
	}
	b.place, b.at, b.stack = resize(b.place, m), b.at[:0], b.stack[:0]
	for k := lost - 1; k >= 0; k-- {
		push(m + k)
	}
	push(m + lost)
	for len(b.stack) > 0 {
		i := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		b.place[i] = Node(len(b.at))
		b.at = append(b.at, i)
		push(int(i))
	}
	return n
}

// tree fills in what the trace knows of each place.
func (b *builder) tree() {
	t := &b.t
	n := len(b.at)
	clear(t.kidsAt)
	if len(b.procs) > 1024 || b.procs == nil {
		b.procs = map[Process]int32{} // clearing costs as much as it ever held
	}
	clear(b.procs)
	for k := range n {
		p := b.parent[b.at[k]]
		switch {
		case p >= 0:
			t.parent[k] = b.place[p]
		case p == noParent:
			t.parent[k] = None
		default:
			t.parent[k] = Node(n + int(absentParent-p))
		}
		t.kidsAt[t.rank(t.parent[k])+1]++
		t.proc[k] = b.process(Node(k))
		t.depth[k], t.hop[k], t.size[k] = 0, 0, 1
		if p >= 0 {
			up := t.parent[k]
			t.depth[k], t.hop[k] = t.depth[up]+1, t.hop[up]
			if crosses(&t.Spans[k], &t.Spans[up]) {
				t.hop[k]++
			}
		}
	}
	for i := 1; i < len(t.kidsAt); i++ {
		t.kidsAt[i] += t.kidsAt[i-1]
	}
	for k := n - 1; k >= 0; k-- {
		p := t.parent[k]
		if t.Span(p) != nil {
			t.size[p] += t.size[k]
		}
		r := t.rank(p) + 1
		t.kidsAt[r]--
		t.kids[t.kidsAt[r]] = Node(k)
	}
	copy(t.kidsAt, t.kidsAt[1:])
	t.kidsAt[len(t.kidsAt)-1] = int32(n)
}

// process returns the number of the process of a span.
func (b *builder) process(n Node) int32 {
	t := &b.t
	s := &t.Spans[n]
	p := Process{s.Service, s.Instance}
	if n > 0 {
		// Most often it is that of the span before.
		if k := t.proc[n-1]; t.procs[k] == p {
			return k
		}
	}
	k, ok := b.procs[p]
	if !ok {
		k = int32(len(t.procs))
		b.procs[p] = k
		t.procs = append(t.procs, p)
	}
	return k
}

// crosses reports whether a span is in another process than its parent.
func crosses(s, parent *ingest.Span) bool {
	switch {
	case s.Remote != 0:
		return s.Remote > 0
	case s.Kind == ingest.ServerSpan && parent.Kind == ingest.ClientSpan, s.Kind == ingest.Consumer && parent.Kind == ingest.Producer:
		return true
	case s.Service != parent.Service:
		return s.Service != "" && parent.Service != ""
	}
	return s.Instance != parent.Instance && s.Instance != "" && parent.Instance != ""
}
