package retries

import (
	"cmp"
	"slices"

	"github.com/tailcheck/tailcheck/detect/calltree"
)

// Attempts counts how many tries calls took, by the rules of
// retry-multiplication, for those who want to see it. The zero value has seen
// nothing; it is not safe for concurrent use.
type Attempts struct {
	hops  map[hop]map[int64]int64 // calls by their tries
	split requestsOf
}

// maxLooked bounds how many hops are remembered.
const maxLooked = 1 << 12

// Add counts the calls of one trace.
func (a *Attempts) Add(t *calltree.Trace) {
	if a.hops == nil {
		a.hops = map[hop]map[int64]int64{}
	}
	for parent := range t.Parents() {
		for _, g := range t.Groups(parent) {
			failed := len(g.Spans) > 1 && slices.ContainsFunc(g.Spans, func(n calltree.Node) bool { return again(&t.Spans[n]) })
			if !failed {
				for _, n := range g.Spans {
					if isCall(t, n) && !otherEnd(t, parent, n) {
						a.count(t, parent, n, 1, stands(&t.Spans[n]))
					}
				}
				continue
			}
			for _, calls := range a.split.split(t, g.Spans) {
				if areTries(t, calls) {
					tries := int64(0)
					for _, n := range calls {
						tries = plus(tries, stands(&t.Spans[n]))
					}
					a.count(t, parent, calls[0], tries, 1)
					continue
				}
				for _, n := range calls {
					a.count(t, parent, n, 1, stands(&t.Spans[n]))
				}
			}
		}
	}
}

func (a *Attempts) count(t *calltree.Trace, parent, n calltree.Node, tries, calls int64) {
	h := hopOf(&t.Spans[n], t.Span(parent))
	m := a.hops[h]
	if m == nil {
		if len(a.hops) == maxLooked {
			return
		}
		m = map[int64]int64{}
		a.hops[h] = m
	}
	m[tries] = plus(m[tries], calls)
}

// Tried is how often calls of one hop were tried.
type Tried struct {
	Call  string  // the caller and what it calls, as findings name it
	Tries []Tries // by rising number
}

// Tries is how many calls took a number of tries.
type Tries struct{ Tries, Calls int64 }

// Hops returns the hops at which some call was tried again, those with the most
// tries after the first in front.
func (a *Attempts) Hops() []Tried {
	type counted struct {
		h     hop
		extra int64
		Tried
	}
	var all []counted
	for h, m := range a.hops {
		c := counted{h: h, Tried: Tried{Call: h.String()}}
		for tries, calls := range m {
			c.Tries = append(c.Tries, Tries{tries, calls})
			c.extra = plus(c.extra, min(tries-1, 1<<20)*min(calls, 1<<40))
		}
		if c.extra > 0 {
			slices.SortFunc(c.Tries, func(a, b Tries) int { return cmp.Compare(a.Tries, b.Tries) })
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b counted) int { return cmp.Or(cmp.Compare(b.extra, a.extra), a.h.compare(b.h)) })
	var out []Tried
	for _, c := range all {
		out = append(out, c.Tried)
	}
	return out
}
