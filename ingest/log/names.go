package log

import (
	"hash/maphash"
	"strings"
)

// Names keeps one string for each name, so that a line whose names are known
// allocates nothing. It holds up to maxNames of them, the last ones; a string
// that it gave away stays valid. The zero value is ready.
type Names struct {
	seed  maphash.Seed
	table []name
}

type name struct {
	hash uint64 // 0: a free slot
	s    string
}

const (
	maxNames = 1 << 16 // a power of two; 1.5 MiB, and the names
	probe    = 8       // slots that one hash may use
	maxName  = 1 << 10 // bytes of a name that is kept
)

// Intern returns the string of b.
func (n *Names) Intern(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > maxName {
		return string(b)
	}
	if n.table == nil {
		n.seed = maphash.MakeSeed()
		n.table = make([]name, 256)
	}
	hash := maphash.Bytes(n.seed, b) | 1
	for {
		mask := uint64(len(n.table) - 1)
		for i := range uint64(probe) {
			e := &n.table[(hash>>8+i)&mask]
			if e.hash == hash && e.s == string(b) {
				return e.s
			}
			if e.hash == 0 {
				e.hash, e.s = hash, string(b)
				return e.s
			}
		}
		if len(n.table) >= maxNames {
			e := &n.table[(hash>>8+hash>>56%probe)&mask]
			e.hash, e.s = hash, string(b)
			return e.s
		}
		n.grow()
	}
}

func (n *Names) grow() {
	old := n.table
	n.table = make([]name, 2*len(old))
	mask := uint64(len(n.table) - 1)
	for _, e := range old {
		for i := range uint64(probe) {
			if e.hash == 0 {
				break
			}
			if slot := &n.table[(e.hash>>8+i)&mask]; slot.hash == 0 {
				*slot = e
				break
			}
		}
	}
}

// ids hands out strings of bytes that seldom repeat, request ids, from blocks:
// one allocation for many.
type ids struct{ block strings.Builder }

const idBlock = 32 << 10

func (x *ids) string(b []byte) string {
	if x.block.Cap()-x.block.Len() < len(b) {
		x.block = strings.Builder{}
		x.block.Grow(max(idBlock, len(b)))
	}
	from := x.block.Len()
	x.block.Write(b)
	return x.block.String()[from:]
}
