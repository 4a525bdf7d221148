package calltree

import "github.com/tailcheck/tailcheck/ingest"

// Parents of recs while a trace is built: an index in recs, or one of these.
const (
	noParent     = int32(-1)
	absentParent = int32(-2) // and below: missing parents
)

// builder assembles one trace after another, in memory that it uses again.
// Nothing in it recurses, and nothing takes more than n log n steps.
type builder struct {
	t    Trace
	keys []key
	recs []rec           // the spans of the trace, by order
	pid  []ingest.SpanID // their parents' ids
	fill []fill

	ids    idTable
	next   []int32 // next rec with the same id, -1: none
	first  []int32 // recs that are the first of their id, and have a next
	dead   []bool  // joined into another rec
	mark   []uint8
	parent []int32
	absent idTable
	lost   []ingest.SpanID // missing parents
	color  []int32

	kids   []int32
	kidsAt []int32
	place  []Node  // of each rec in the tree
	at     []int32 // the rec at each place
	stack  []int32

	procs  map[Process]int32
	shared shared
}

type key struct {
	start ingest.Time
	id    uint64
	rec   int32
}

// fill is a rec that was joined into another, and may know more of it.
type fill struct {
	to   int32
	from rec
}

// build assembles a trace of rows in any order. The rows are not empty.
func (b *builder) build(id ingest.TraceID, rows []rec, beyond int64) *Trace {
	b.sort(rows)
	b.chain()
	b.partial()
	b.parents()
	b.cut()

	t := &b.t
	t.reset(b.number(), len(b.lost))
	t.ID, t.Counts.Beyond = id, beyond
	copy(t.absent, b.lost)
	b.hydrate()
	b.tree()
	b.count(rows)
	return t
}

// maxSame is how many rows of one id are looked at for the parent of a span, so
// that ten thousand rows with one id and as many children do not take the
// product of steps. Two are common, three happen.
const maxSame = 32

// Marks of recs that are not as they should be.
const (
	markHalf = 1 << iota
	markRepeated
	markCut
)

// parents finds the parent of every rec.
func (b *builder) parents() {
	n := len(b.recs)
	b.parent, b.mark = resize(b.parent, n), resize(b.mark, n)
	clear(b.mark)
	for i := range b.parent {
		b.parent[i] = absentParent
	}
	for _, first := range b.first {
		b.halves(first)
	}
	b.absent.reset(n)
	b.lost = b.lost[:0]
	for i := range b.recs {
		if b.dead[i] || b.parent[i] >= 0 {
			continue
		}
		id := b.pid[i]
		if id == (ingest.SpanID{}) {
			b.parent[i] = noParent
			continue
		}
		if p := b.choose(b.ids.get(id), int32(i)); p >= 0 {
			b.parent[i] = p
			continue
		}
		k := b.absent.get(id)
		if k < 0 {
			k = int32(len(b.lost))
			b.lost = append(b.lost, id)
			b.absent.put(id, k)
		}
		b.parent[i] = absentParent - k
	}
}

// halves makes the server's half of a call the child of the client's half with
// the same id (Zipkin's shared spans). They have the same parent id, too; a
// span of another parent only happens to have the id.
func (b *builder) halves(first int32) {
	client := int32(-1)
	for i, seen := first, 0; i >= 0 && seen < maxSame; i, seen = b.next[i], seen+1 {
		if k := b.recs[i].kind(); !b.dead[i] && (k == ingest.ClientSpan || k == ingest.Producer) {
			client = i
			break
		}
	}
	want, one := ingest.ServerSpan, client
	if client >= 0 && b.recs[client].kind() == ingest.Producer {
		want = ingest.Consumer
	}
	mark := uint8(markHalf)
	for i := first; i >= 0; i = b.next[i] {
		if b.dead[i] || i == client {
			continue
		}
		p := b.pid[i]
		if client >= 0 && b.recs[i].kind() == want && (p == b.pid[client] || p == ingest.SpanID{} || p == b.recs[i].id) {
			b.parent[i] = client
			b.mark[i], mark = mark, markRepeated
		} else if one >= 0 {
			b.mark[i] = markRepeated
		} else {
			one = i
		}
	}
}

// choose returns which rec of those that share an id, from the first, is the
// parent of a child: one of the child's service, else the server's half, since
// what the callee does is what it has children for; of several the last that
// had begun. -1: there is none.
func (b *builder) choose(first, child int32) int32 {
	if first >= 0 && b.next[first] < 0 {
		return first
	}
	c := b.recs[child]
	service := c.str(c.service)
	best, most := int32(-1), -1
	for i, seen := first, 0; i >= 0 && seen < maxSame; i, seen = b.next[i], seen+1 {
		r := b.recs[i]
		if b.dead[i] || i == child {
			continue
		}
		score := 0
		if service != "" && r.str(r.service) == service {
			score += 4
		}
		if k := r.kind(); k == ingest.ServerSpan || k == ingest.Consumer {
			score += 2
		}
		if r.start <= c.start {
			score++
		}
		if score > most || score == most && r.start <= c.start {
			best, most = i, score
		}
	}
	if best < 0 && first >= 0 && c.id == b.recs[first].id {
		return child // its own parent: a loop, to be cut
	}
	return best
}

// cut opens loops of parents: of the spans of a loop the first in order becomes
// a root.
func (b *builder) cut() {
	b.color = resize(b.color, len(b.recs))
	clear(b.color)
	for i := range b.recs {
		walk := int32(i + 1)
		at := int32(i)
		for at >= 0 && b.color[at] == 0 && !b.dead[at] {
			b.color[at] = walk
			at = b.parent[at]
		}
		if at < 0 || b.color[at] != walk {
			continue
		}
		first := at
		for k := b.parent[at]; k != at; k = b.parent[k] {
			first = min(first, k)
		}
		b.parent[first] = noParent
		b.mark[first] |= markCut
	}
}
