package trace

import "hash/maphash"

// cache interns byte strings in a bounded table: open addressing over a short
// probe, doubling up to limit, then replacing. A replaced string stays valid.
type cache struct {
	seed  maphash.Seed
	limit int // of entries; a power of two
	table []entry
}

type entry struct {
	hash uint64
	s    string
}

// probe is how many neighbouring slots one hash may use.
const probe = 8

// intern returns the string of b.
func (c *cache) intern(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > maxName {
		return string(b)
	}
	hash := maphash.Bytes(c.seed, b) | 1 // 0: an empty slot
	if len(c.table) == 0 {
		c.table = make([]entry, 256)
	}
	for {
		mask := uint64(len(c.table) - 1)
		for i := range uint64(probe) {
			e := &c.table[(hash>>8+i)&mask]
			if e.hash == hash && e.s == string(b) {
				return e.s
			}
			if e.hash == 0 {
				e.hash, e.s = hash, string(b)
				return e.s
			}
		}
		if len(c.table) >= c.limit {
			e := &c.table[(hash>>8+hash>>56%probe)&mask]
			e.hash, e.s = hash, string(b)
			return e.s
		}
		c.grow()
	}
}

func (c *cache) grow() {
	old := c.table
	c.table = make([]entry, 2*len(old))
	mask := uint64(len(c.table) - 1)
	for _, e := range old {
		if e.hash == 0 {
			continue
		}
		for i := range uint64(probe) {
			if n := &c.table[(e.hash>>8+i)&mask]; n.hash == 0 {
				*n = e
				break
			}
		}
	}
}
