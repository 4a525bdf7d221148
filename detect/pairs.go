package detect

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
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

// blockPairs is how many pairs a block holds: 64 KiB.
const blockPairs = 4096

// blocks holds pairs as they come, without ever moving one, up to MaxPairs.
type blocks struct {
	list []block
	n    int
	lost bool // there were more
	open bool // the last block goes on
}

// block is pairs that follow each other in one part of an input.
type block struct {
	offset int64 // of the first in the input
	pairs  []Pair
}

func (b *blocks) add(p Pair, offset int64) {
	if b.lost {
		return
	}
	if b.n++; b.n > MaxPairs {
		*b = blocks{lost: true}
		return
	}
	if n := len(b.list); b.open {
		if last := &b.list[n-1]; len(last.pairs) < blockPairs {
			last.pairs = append(last.pairs, p)
			return
		}
	}
	b.list = append(b.list, block{offset, append(make([]Pair, 0, blockPairs), p)})
	b.open = true
}

func (b *blocks) merge(o *blocks) {
	b.open = false
	if b.lost || o.lost || b.n+o.n > MaxPairs {
		*b = blocks{lost: true}
		return
	}
	b.list = append(b.list, o.list...)
	b.n += o.n
}

// sorted returns all pairs by start, and whether there were too many to keep.
func (b *blocks) sorted() ([]Pair, bool) {
	if b.lost || b.n == 0 {
		return nil, b.lost
	}
	slices.SortFunc(b.list, func(x, y block) int { return cmp.Compare(x.offset, y.offset) })
	all := make([]Pair, b.n)
	rest := all
	var wg sync.WaitGroup
	for part := range slices.Chunk(b.list, len(b.list)/runtime.GOMAXPROCS(0)+1) {
		to := rest
		wg.Go(func() { // most of it is the first touch of new memory
			for _, x := range part {
				to = to[copy(to, x.pairs):]
			}
		})
		for _, x := range part {
			rest = rest[len(x.pairs):]
		}
	}
	wg.Wait()
	b.list = nil
	// In the order of the input pairs are nearly in order: rows are written as
	// requests end, so each is out of place by as many as were in flight.
	if !insertionSort(all, 64*len(all)) {
		slices.SortFunc(all, compare)
	}
	return all, false
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
