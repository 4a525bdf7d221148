package redisslot

import (
	"fmt"
	"math"
	"math/bits"
)

// Set is a set of slots. The zero value is empty.
type Set struct {
	bits [Count / 64]uint64
	n    int
}

// Add adds a slot and reports whether it is new.
func (s *Set) Add(slot Slot) bool {
	slot %= Count
	w, bit := slot/64, uint64(1)<<(slot%64)
	if s.bits[w]&bit != 0 {
		return false
	}
	s.bits[w] |= bit
	s.n++
	return true
}

// Len returns the number of slots in the set.
func (s *Set) Len() int { return s.n }

// each calls visit with every slot of the set in order.
func (s *Set) each(visit func(Slot)) {
	for w, b := range s.bits {
		for ; b != 0; b &= b - 1 {
			visit(Slot(w*64 + bits.TrailingZeros64(b)))
		}
	}
}

// Batch says what reading or writing a list of keys at once costs in a cluster.
type Batch struct {
	Keys     int // keys as given
	Distinct int // of them, different ones
	Slots    int // different slots
	Tagged   int // keys that have a hash tag

	// Commands are sent when the keys are taken in order in chunks of the
	// given size, and each chunk is split by slot, as clients do.
	Commands int

	// Grouped commands suffice when all keys of a slot go together: one for
	// each slot.
	Grouped int

	// Floor is the number of primaries that hold the slots: the round trips
	// left when the commands for one node are pipelined. 0: the primaries are
	// not known.
	Floor int

	// Lost is the number of keys in slots that no known primary serves.
	Lost int
}

// Plan returns what a batch of keys costs. Chunk is the number of keys that
// the application puts into one command; 0: all in one. The cluster may be nil.
func Plan(keys []string, chunk int, c *Cluster) (Batch, error) {
	if chunk < 0 {
		return Batch{}, fmt.Errorf("a chunk of %d keys: want at least 1, or 0 for all keys at once", chunk)
	}
	if chunk == 0 {
		chunk = len(keys)
	}
	b := Batch{Keys: len(keys)}
	var all Set
	last := make([]int, Count) // chunk in which a slot was last seen, from 1
	distinct := make(map[string]struct{}, len(keys))
	for i, key := range keys {
		distinct[key] = struct{}{}
		part, tagged := Tag(key)
		if tagged {
			b.Tagged++
		}
		slot := Slot(CRC16(part) % Count)
		all.Add(slot)
		if n := i/chunk + 1; last[slot] != n {
			last[slot] = n
			b.Commands++
		}
		if c != nil && c.Owner(slot) < 0 {
			b.Lost++
		}
	}
	b.Distinct, b.Slots, b.Grouped = len(distinct), all.Len(), all.Len()
	if c != nil {
		b.Floor = c.Touched(&all)
	}
	return b, nil
}

// ExpectedSlots returns how many different slots k random keys are expected to
// have: 16384(1-(1-1/16384)^k). k <= 0 gives 0.
func ExpectedSlots(k int) float64 { return expected(Count, k) }

// ExpectedServers returns how many of n servers a multiget of k random keys is
// expected to touch: n(1-(1-1/n)^k), the multiget hole. It grows with n, which
// is why adding servers does not help. n or k <= 0 gives 0.
func ExpectedServers(n, k int) float64 { return expected(n, k) }

func expected(n, k int) float64 {
	if n <= 0 || k <= 0 {
		return 0
	}
	if n == 1 {
		return 1
	}
	return -float64(n) * math.Expm1(float64(k)*math.Log1p(-1/float64(n)))
}
