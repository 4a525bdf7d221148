package calltree

import (
	"hash/maphash"
	"strings"
)

// Limits of a table of names. What is over them is kept beside the spans
// themselves, so that statements that differ in every span cannot fill the
// memory that is shared by all of them. They decide where a text is kept, never
// what is found.
const (
	maxNames     = 1 << 17 // texts
	maxNameBytes = 8 << 20 // bytes of all texts
)

// ref stands for a text: its number in a table of names, or, with the highest
// bit set, its place in the text of the segment that the ref is found in. 0 is
// the empty text.
type ref uint32

const beside ref = 1 << 31

// names numbers texts. It only grows, and is read by others once it has stopped.
type names struct {
	seed  maphash.Seed
	list  []string // by number; 0 is ""
	slots []uint32 // open addressing; 0: free
	bytes int64
}

func newNames() *names {
	return &names{seed: maphash.MakeSeed(), list: make([]string, 1, 64), slots: make([]uint32, 256)}
}

// number returns the number of a text, or false where the table is full.
func (n *names) number(s string) (ref, bool) {
	if s == "" {
		return 0, true
	}
	mask := uint64(len(n.slots) - 1)
	i := maphash.String(n.seed, s) & mask
	for ; n.slots[i] != 0; i = (i + 1) & mask {
		if n.list[n.slots[i]] == s {
			return ref(n.slots[i]), true
		}
	}
	if len(n.list) >= maxNames || n.bytes+int64(len(s)) > maxNameBytes {
		return 0, false
	}
	n.slots[i] = uint32(len(n.list))
	n.list = append(n.list, strings.Clone(s)) // s may be cut out of a whole line
	n.bytes += int64(len(s))
	if 2*len(n.list) > len(n.slots) {
		n.grow()
	}
	return ref(len(n.list) - 1), true
}

func (n *names) grow() {
	n.slots = make([]uint32, 2*len(n.slots))
	mask := uint64(len(n.slots) - 1)
	for k, s := range n.list[1:] {
		i := maphash.String(n.seed, s) & mask
		for n.slots[i] != 0 {
			i = (i + 1) & mask
		}
		n.slots[i] = uint32(k + 1)
	}
}

// size returns the memory that the table takes, in bytes.
func (n *names) size() int64 {
	return n.bytes + 16*int64(cap(n.list)) + 4*int64(len(n.slots))
}
