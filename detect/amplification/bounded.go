package amplification

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// bounded is a map of a limited number of entries: of more, those whose keys
// have the lowest hashes are kept, and they are kept from their first record on.
// So what is kept does not depend on the order of records.
type bounded[K comparable, V any] struct {
	m    map[K]*V
	most uint64 // once cut: keys with a higher hash are left out; else 0
}

// get returns the entry of a key; nil: it is left out.
func (b *bounded[K, V]) get(k K, limit int, hash func(K) uint64) *V {
	if v := b.m[k]; v != nil {
		return v
	}
	if b.most != 0 && hash(k) > b.most {
		return nil
	}
	if b.m == nil {
		b.m = map[K]*V{}
	}
	v := new(V)
	b.m[k] = v
	if len(b.m) >= 2*limit {
		b.cut(limit, hash)
		return b.m[k]
	}
	return v
}

// cut leaves the entries with the lowest hashes, and reports whether others
// were left out, now or before.
func (b *bounded[K, V]) cut(limit int, hash func(K) uint64) bool {
	if len(b.m) <= limit {
		return b.most != 0
	}
	hashes := make([]uint64, 0, len(b.m))
	for k := range b.m {
		hashes = append(hashes, hash(k))
	}
	slices.Sort(hashes)
	b.most = hashes[limit-1]
	for k := range b.m {
		if hash(k) > b.most {
			delete(b.m, k)
		}
	}
	return true
}

// merge adds the entries of o.
func (b *bounded[K, V]) merge(o *bounded[K, V], limit int, hash func(K) uint64, add func(into, from *V)) {
	if o.most != 0 && (b.most == 0 || o.most < b.most) {
		b.most = o.most // its entries above are not complete
		for k := range b.m {
			if hash(k) > b.most {
				delete(b.m, k)
			}
		}
	}
	for k, from := range o.m {
		if into := b.get(k, limit, hash); into != nil {
			add(into, from)
		}
	}
}

// keys returns the keys in order.
func (b *bounded[K, V]) keys(compare func(a, b K) int) []K {
	out := make([]K, 0, len(b.m))
	for k := range b.m {
		out = append(out, k)
	}
	slices.SortFunc(out, compare)
	return out
}

// hashOf is FNV-1a. Hashes decide what is kept, so they are the same in every
// run and on every machine.
func hashOf(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}

// mix spreads the bits of x over all 64 (the finaliser of SplitMix64, Steele
// et al. 2014). It is never 0 for a limit's sake: see bounded.most.
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return (x ^ x>>31) | 1
}

func compareOperations(a, b calltree.Operation) int {
	return cmp.Or(strings.Compare(a.Service, b.Service), strings.Compare(a.Op, b.Op))
}

// worst is the traces with the most impact, of equal ones those with the lowest
// ids, the most first.
type worst struct {
	list [exemplars]exemplar
	n    int
}

type exemplar struct {
	impact int64 // ns
	id     ingest.TraceID
}

func (e exemplar) compare(o exemplar) int {
	return cmp.Or(cmp.Compare(o.impact, e.impact), bytes.Compare(e.id[:], o.id[:]))
}

// add offers a trace. One that is offered more than once counts with the most.
func (w *worst) add(e exemplar) {
	list := w.list[:w.n]
	if w.n == exemplars && e.compare(list[w.n-1]) >= 0 {
		return
	}
	if i := slices.IndexFunc(list, func(o exemplar) bool { return o.id == e.id }); i >= 0 {
		if list[i].impact >= e.impact {
			return
		}
		copy(list[i:], list[i+1:])
		w.n--
		list = w.list[:w.n]
	}
	i, _ := slices.BinarySearchFunc(list, e, exemplar.compare)
	w.n = min(w.n+1, exemplars)
	copy(w.list[i+1:w.n], w.list[i:])
	w.list[i] = e
}

func (w *worst) merge(o *worst) {
	for _, e := range o.list[:o.n] {
		w.add(e)
	}
}

func (w *worst) ids() []string {
	var out []string
	for _, e := range w.list[:w.n] {
		out = append(out, traceID(e.id))
	}
	return out
}

// inputs is the numbers of inputs, sorted.
type inputs []int

func (in *inputs) add(n int) {
	if i, found := slices.BinarySearch(*in, n); !found {
		*in = slices.Insert(*in, i, n)
	}
}

func (in *inputs) of(t *calltree.Trace) {
	for _, i := range t.Inputs {
		in.add(int(i.Input))
	}
}

func (in *inputs) merge(o inputs) {
	for _, n := range o {
		in.add(n)
	}
}
