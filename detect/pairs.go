package detect

import (
	"cmp"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Pair is one sample on the time axis.
type Pair struct {
	Start   ingest.Time
	Latency time.Duration
}

// End returns when the answer came.
func (p Pair) End() ingest.Time { return p.Start.Add(p.Latency) }

func compare(a, b Pair) int {
	if c := cmp.Compare(a.Start, b.Start); c != 0 {
		return c
	}
	return cmp.Compare(a.Latency, b.Latency)
}

// pairs holds pairs as they come, up to MaxPairs, and sorts them once.
type pairs struct {
	list   []Pair
	lost   bool // there were more
	sorted bool
}

// manyPairs is how many pairs make it likely that there are as many as may be
// kept. Then room is made for all of them: memory that is not used costs nothing,
// and copying them each time that they outgrow their place would.
const manyPairs = 1 << 16

func (b *pairs) add(p Pair) {
	if n := len(b.list); n == cap(b.list) {
		if b.lost {
			return
		}
		if n == MaxPairs {
			*b = pairs{lost: true}
			return
		}
		room := max(4*n, 1<<10)
		if room > manyPairs {
			room = MaxPairs
		}
		b.list = append(make([]Pair, 0, room), b.list...)
	}
	b.list = append(b.list, p)
	b.sorted = false
}

// sort puts the pairs in order. In the order of an input they nearly are: rows
// are written as requests end, so each is out of place by as many as were in
// flight.
func (b *pairs) sort() {
	if !b.sorted && !insertionSort(b.list, 64*len(b.list)) {
		slices.SortFunc(b.list, compare)
	}
	b.sorted = true
}

// merge adds all pairs of o, both sorted, from the last to the first, so that
// they need no third place where there is room behind those of b.
func (b *pairs) merge(o *pairs) {
	n, m := len(b.list), len(o.list)
	if b.lost || o.lost || n+m > MaxPairs {
		*b = pairs{lost: true}
		return
	}
	b.sort()
	o.sort()
	b.list = slices.Grow(b.list, m)[:n+m]
	for k := n + m; m > 0; {
		k--
		if n > 0 && compare(b.list[n-1], o.list[m-1]) > 0 {
			n--
			b.list[k] = b.list[n]
		} else {
			m--
			b.list[k] = o.list[m]
		}
	}
}

// insertionSort sorts, unless it takes more than a number of moves: then it
// returns false and leaves the pairs in some order.
func insertionSort(all []Pair, moves int) bool {
	for i := 1; i < len(all); i++ {
		p := all[i]
		j := i
		for j > 0 && compare(p, all[j-1]) < 0 {
			all[j] = all[j-1]
			j--
			if moves--; moves < 0 {
				all[j] = p
				return false
			}
		}
		all[j] = p
	}
	return true
}
