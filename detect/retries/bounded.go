package retries

import (
	"cmp"
	"slices"
)

// name is a key whose hash and order are the same on every machine.
type name[K any] interface {
	comparable
	hash() uint64
	compare(K) int
}

// bounded is a map that keeps the limit keys with the lowest hashes. Which keys
// those are, and what is added under them, does not depend on the order of
// keys, nor on how they were spread over maps that are merged: a key that is
// among the lowest of all was among the lowest of every part, and never left.
type bounded[K name[K], V any] struct {
	limit   int // 0: defaultLimit
	m       map[K]*V
	full    bool   // keys were turned away or dropped
	highest uint64 // where full: keys with a higher hash are turned away
}

const defaultLimit = 1 << 13

func (b *bounded[K, V]) max() int {
	if b.limit == 0 {
		return defaultLimit
	}
	return b.limit
}

// get returns the value of a key, a new one if there is none; nil: there are
// too many keys and this is not one of those that are kept.
func (b *bounded[K, V]) get(k K) *V {
	if v := b.m[k]; v != nil {
		return v
	}
	if b.full && k.hash() > b.highest {
		return nil
	}
	if len(b.m) >= 2*b.max() {
		b.prune()
		if k.hash() > b.highest {
			return nil
		}
	}
	if b.m == nil {
		b.m = map[K]*V{}
	}
	v := new(V)
	b.m[k] = v
	return v
}

// prune drops the keys beyond the limit.
func (b *bounded[K, V]) prune() {
	if len(b.m) <= b.max() {
		return
	}
	keys := make([]K, 0, len(b.m))
	for k := range b.m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, c K) int { return cmp.Or(cmp.Compare(a.hash(), c.hash()), a.compare(c)) })
	for _, k := range keys[b.max():] {
		delete(b.m, k)
	}
	b.full, b.highest = true, keys[b.max()-1].hash()
}

// merge adds all of o, whose values add takes over into b's.
func (b *bounded[K, V]) merge(o *bounded[K, V], add func(to, from *V)) {
	for k, from := range o.m {
		if to := b.get(k); to != nil {
			add(to, from)
		}
	}
	if o.full && (!b.full || o.highest < b.highest) {
		b.full, b.highest = true, o.highest
	}
}

// sorted drops the keys beyond the limit and returns the others in order.
func (b *bounded[K, V]) sorted() []K {
	b.prune()
	keys := make([]K, 0, len(b.m))
	for k := range b.m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, K.compare)
	return keys
}
