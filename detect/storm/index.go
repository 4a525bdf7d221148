package storm

// index numbers keys in the order in which they are first asked for. It is used
// again for one set of keys after another. Mostly there are few, and a key is
// mostly that of the time before.
type index[K comparable] struct {
	keys []K
	more map[K]int // numbers of keys from few on
	last int
}

const few = 8 // keys that are compared one by one

func (x *index[K]) reset() {
	if len(x.keys) > few {
		if len(x.more) > 1024 {
			x.more = nil // clearing costs as much as it ever held
		}
		clear(x.more)
	}
	x.keys = x.keys[:0]
}

// of returns the number of a key; that of a new one is the number of keys before.
func (x *index[K]) of(k K) int {
	if x.last < len(x.keys) && x.keys[x.last] == k {
		return x.last
	}
	for i := range min(len(x.keys), few) {
		if x.keys[i] == k {
			x.last = i
			return i
		}
	}
	i := len(x.keys)
	if i >= few {
		if x.more == nil {
			x.more = map[K]int{}
		}
		if at, ok := x.more[k]; ok {
			x.last = at
			return at
		}
		x.more[k] = i
	}
	x.keys, x.last = append(x.keys, k), i
	return i
}
