package redisslot

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxPrimaries is the highest number of primaries of a cluster: each has at
// least one slot. (Redis advises at most about 1 000 nodes.)
const MaxPrimaries = Count

// Range is the slots First to Last, both included.
type Range struct{ First, Last Slot }

func (r Range) String() string {
	if r.First == r.Last {
		return strconv.Itoa(int(r.First))
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

// Primary is one primary and the slots that it serves.
type Primary struct {
	Name   string // host:port; empty: not known
	ID     string // node id; empty: not known
	Ranges []Range
}

// Slots returns how many slots the primary serves.
func (p Primary) Slots() int {
	n := 0
	for _, r := range p.Ranges {
		n += int(r.Last) - int(r.First) + 1
	}
	return n
}

// Cluster is the primaries of a Redis Cluster, and who serves which slot.
type Cluster struct {
	Primaries []Primary // those that serve at least one slot
	owner     [Count]uint16
	covered   int
}

// New returns the cluster of some primaries. Primaries without slots are left
// out. A slot that two of them claim is an error; slots that nobody serves are
// not, see Uncovered.
func New(primaries []Primary) (*Cluster, error) {
	c := &Cluster{}
	for _, p := range primaries {
		if len(p.Ranges) == 0 {
			continue
		}
		if len(c.Primaries) == MaxPrimaries {
			return nil, fmt.Errorf("more than %d primaries", MaxPrimaries)
		}
		c.Primaries = append(c.Primaries, p)
		n := len(c.Primaries)
		for _, r := range p.Ranges {
			if r.First > r.Last || r.Last >= Count {
				return nil, fmt.Errorf("slots %d-%d of %s: want first-last of 0-%d", r.First, r.Last, c.name(n-1), Count-1)
			}
			for s := r.First; s <= r.Last; s++ {
				if o := int(c.owner[s]); o != 0 {
					return nil, fmt.Errorf("slot %d is claimed by %s and by %s", s, c.name(o-1), c.name(n-1))
				}
				c.owner[s] = uint16(n)
				c.covered++
			}
		}
	}
	if len(c.Primaries) == 0 {
		return nil, fmt.Errorf("no primary with slots")
	}
	return c, nil
}

func (c *Cluster) name(i int) string {
	if n := c.Primaries[i].Name; n != "" {
		return n
	}
	return "primary " + strconv.Itoa(i+1)
}

// Owner returns the index of the primary that serves a slot; -1: none.
func (c *Cluster) Owner(s Slot) int { return int(c.owner[s%Count]) - 1 }

// Uncovered returns how many slots nobody serves. A healthy cluster has none.
func (c *Cluster) Uncovered() int { return Count - c.covered }

// Touched returns how many primaries serve the slots of the set.
func (c *Cluster) Touched(s *Set) int {
	seen := make([]bool, len(c.Primaries))
	n := 0
	s.each(func(slot Slot) {
		if o := c.Owner(slot); o >= 0 && !seen[o] {
			seen[o] = true
			n++
		}
	})
	return n
}

// Even returns a cluster whose slots are spread over n primaries as redis-cli
// --cluster create does it: primary i ends at round((i+1)·16384/n)-1. Two slots
// at a border may differ in clusters that were made otherwise.
func Even(n int) (*Cluster, error) {
	if n < 1 || n > MaxPrimaries {
		return nil, fmt.Errorf("%d primaries: want 1 to %d", n, MaxPrimaries)
	}
	list := make([]Primary, n)
	first := 0
	for i := range list {
		end := (2*(i+1)*Count + n) / (2 * n) // first slot of the next
		list[i].Ranges = []Range{{Slot(first), Slot(end - 1)}}
		first = end
	}
	return New(list)
}

// ParseRanges reads the slots of each primary: ranges first-last (or single
// slots), a comma between primaries, a plus between ranges of one primary, and
// optionally name= in front: "0-3276,3277-6553", "a=0-99+200-299,b=100-199".
func ParseRanges(text string) (*Cluster, error) {
	if n := strings.Count(text, ",") + 1; n > MaxPrimaries {
		return nil, fmt.Errorf("%d primaries: want at most %d", n, MaxPrimaries)
	}
	var list []Primary
	for item := range strings.SplitSeq(text, ",") {
		var p Primary
		ranges := strings.TrimSpace(item)
		if name, rest, ok := strings.Cut(ranges, "="); ok {
			p.Name, ranges = strings.TrimSpace(name), rest
		}
		for part := range strings.SplitSeq(ranges, "+") {
			r, err := parseRange(strings.TrimSpace(part))
			if err != nil {
				return nil, err
			}
			if len(p.Ranges) == Count {
				return nil, fmt.Errorf("more than %d ranges of one primary", Count)
			}
			p.Ranges = append(p.Ranges, r)
		}
		list = append(list, p)
	}
	return New(list)
}

func parseRange(text string) (Range, error) {
	a, b, two := strings.Cut(text, "-")
	if !two {
		b = a
	}
	first, err1 := parseSlot(a)
	last, err2 := parseSlot(b)
	if err1 != nil || err2 != nil || first > last {
		return Range{}, fmt.Errorf("slots %q: want first-last, each 0 to %d, such as 0-5460", clip(text), Count-1)
	}
	return Range{first, last}, nil
}

func parseSlot(text string) (Slot, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 14)
	return Slot(n), err
}

// clip shortens text that is quoted in an error.
func clip(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}
