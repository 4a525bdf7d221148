package compare

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
)

// side is one outcome with its distributions.
type side struct {
	out   *check.Outcome
	sides []check.Side
}

// names returns what each input is called: the last part of its path, and which
// report of several in one file it is.
func (s *side) names() []string {
	seen := map[string]int{}
	var out []string
	for _, in := range s.out.Inputs {
		seen[in.Path]++
		name := filepath.Base(in.Path)
		if n := seen[in.Path]; n > 1 {
			name = fmt.Sprintf("%s\x00%d", name, n)
		}
		out = append(out, name)
	}
	return out
}

// operations returns the names of the operations of each input, as one text;
// empty where there is only one without a name.
func (s *side) operations() []string {
	out := make([]string, len(s.out.Inputs))
	for i := range out {
		var ops []string
		for _, x := range s.sides {
			if x.Input == i && x.Op != "" {
				ops = append(ops, x.Op)
			}
		}
		slices.Sort(ops)
		if len(ops) > 0 {
			out[i] = strings.Join(slices.Compact(ops), "\x00")
		}
	}
	return out
}

// pairs joins inputs of both sides: by equal names, then by equal operations,
// both only where no other has them, then those that are left in their order.
func pairs(base, head *side) (out []Pair, lonelyBase, lonelyHead []int) {
	freeBase, freeHead := map[int]bool{}, map[int]bool{}
	for i := range base.out.Inputs {
		freeBase[i] = true
	}
	for i := range head.out.Inputs {
		freeHead[i] = true
	}
	join := func(b, h int, by string) {
		out = append(out, Pair{b, h, by})
		delete(freeBase, b)
		delete(freeHead, h)
	}
	match := func(by string, base, head []string) {
		for b, name := range base {
			if name == "" || !freeBase[b] || once(base, freeBase, name) < 0 {
				continue
			}
			if h := once(head, freeHead, name); h >= 0 {
				join(b, h, by)
			}
		}
	}
	match("name", base.names(), head.names())
	match("operations", base.operations(), head.operations())
	lonelyBase, lonelyHead = sorted(freeBase), sorted(freeHead)
	for len(lonelyBase) > 0 && len(lonelyHead) > 0 {
		join(lonelyBase[0], lonelyHead[0], "order")
		lonelyBase, lonelyHead = lonelyBase[1:], lonelyHead[1:]
	}
	slices.SortFunc(out, func(a, b Pair) int { return a.Base - b.Base })
	return out, lonelyBase, lonelyHead
}

// once returns which free one has a name that no other free one has, or -1.
func once(names []string, free map[int]bool, name string) int {
	at := -1
	for i, n := range names {
		if n == name && free[i] {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

func sorted(free map[int]bool) []int {
	var out []int
	for i := range free {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}
