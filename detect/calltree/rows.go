package calltree

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/tailcheck/tailcheck/ingest"
)

// order is the total order of rows: by start, then id; equal ones are the same
// in all that matters.
func order(a, b rec) int {
	return cmp.Or(
		cmp.Compare(a.start, b.start),
		bytes.Compare(a.id[:], b.id[:]),
		cmp.Compare(a.kind(), b.kind()),
		cmp.Compare(a.end, b.end),
		bytes.Compare(b.parent[:], a.parent[:]), // one that has a parent first
		cmp.Compare(b.flags, a.flags),           // one that says more first
		cmp.Compare(a.status, b.status),
		cmp.Compare(a.args, b.args),
		cmp.Compare(a.str(a.service), b.str(b.service)),
		cmp.Compare(a.str(a.instance), b.str(b.instance)),
		cmp.Compare(a.str(a.op), b.str(b.op)),
		cmp.Compare(a.str(a.peer), b.str(b.peer)),
		cmp.Compare(a.str(a.store), b.str(b.store)),
		cmp.Compare(a.str(a.statement), b.str(b.statement)),
		cmp.Compare(a.str(a.call), b.str(b.call)),
		cmp.Compare(a.str(a.extra), b.str(b.extra)),
		cmp.Compare(a.input, b.input),
		cmp.Compare(a.offset, b.offset),
	)
}

// sort fills recs in order, without exact duplicates: rows of one id, kind,
// start and end.
func (b *builder) sort(rows []rec) {
	b.keys = resize(b.keys, len(rows))
	for i, r := range rows {
		b.keys[i] = key{r.start, binary.BigEndian.Uint64(r.id[:]), int32(i)}
	}
	slices.SortFunc(b.keys, func(x, y key) int {
		if x.start != y.start {
			return cmp.Compare(x.start, y.start)
		}
		if x.id != y.id {
			return cmp.Compare(x.id, y.id)
		}
		return order(rows[x.rec], rows[y.rec])
	})
	clear(b.recs)
	b.recs, b.pid, b.fill = b.recs[:0], b.pid[:0], b.fill[:0]
	for _, k := range b.keys {
		r := rows[k.rec]
		if n := len(b.recs); n > 0 && k.id != 0 {
			if last := b.recs[n-1]; last.id == r.id && last.start == r.start && last.end == r.end && last.kind() == r.kind() {
				b.fill = append(b.fill, fill{int32(n - 1), r})
				continue
			}
		}
		b.recs = append(b.recs, r)
		b.pid = append(b.pid, r.parent)
	}
	for _, f := range b.fill {
		if b.pid[f.to] == (ingest.SpanID{}) {
			b.pid[f.to] = f.from.parent
		}
	}
}

// chain finds the recs that share an id. Spans without an id share nothing.
func (b *builder) chain() {
	n := len(b.recs)
	b.next, b.first = resize(b.next, n), b.first[:0]
	b.dead = resize(b.dead, n)
	clear(b.dead)
	b.ids.reset(n)
	for i := n - 1; i >= 0; i-- {
		b.next[i] = -1
		if id := b.recs[i].id; id != (ingest.SpanID{}) {
			b.next[i] = b.ids.put(id, int32(i))
		}
	}
	for i := range n {
		if b.next[i] >= 0 && b.ids.get(b.recs[i].id) == int32(i) {
			b.first = append(b.first, int32(i))
		}
	}
}

// partial joins rows without times into another row of their id: Zipkin's
// reporters send what they learn later as a row of its own.
func (b *builder) partial() {
	for _, first := range b.first {
		for i := first; i >= 0; i = b.next[i] {
			r := b.recs[i]
			if r.start != 0 || r.end != 0 {
				break // rows without times come first
			}
			to := int32(-1)
			for j, seen := b.next[i], 0; j >= 0 && seen < maxSame; j, seen = b.next[j], seen+1 {
				o := b.recs[j]
				if o.start == 0 && o.end == 0 || r.kind() != ingest.KindUnspecified && r.kind() != o.kind() {
					continue
				}
				if to < 0 {
					to = j
				}
				if o.str(o.service) == r.str(r.service) {
					to = j
					break
				}
			}
			if to < 0 {
				continue
			}
			b.dead[i] = true
			b.fill = append(b.fill, fill{to, r})
			if b.pid[to] == (ingest.SpanID{}) {
				b.pid[to] = b.pid[i]
			}
		}
	}
}
