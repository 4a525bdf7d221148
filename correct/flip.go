package correct

import (
	"container/heap"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// ShortestInterval is the shortest interval at which anything is filled or
// searched, in nanoseconds: no worker sends a million requests a second.
const ShortestInterval = 1000

// maxFlipSteps bounds the exact search for a flip point; past it the search is
// by larger steps.
const maxFlipSteps = 1 << 16

// Limit is an objective on a percentile: met when the percentile is at or
// below Value, in nanoseconds, or strictly below it.
type Limit struct {
	Percentile latency.Percentile
	Value      int64
	Strict     bool
}

// most returns the highest value that meets the limit.
func (l Limit) most() int64 {
	if l.Strict {
		return l.Value - 1
	}
	return l.Value
}

// Flip returns the largest interval of one worker at which the filled
// distribution misses the limit that the distribution itself meets: the answer
// to "would any plausible rate change this verdict?" without a rate. It is 0
// where no interval does, and where the limit is missed as it stands.
//
// The number of samples above the limit, and of all, changes only at intervals
// v/m (the sample then stands for m) and (v-x)/m (m of those are above x), so
// these are walked downwards.
func Flip(base *Sampled, limit Limit) int64 {
	x, p, n := limit.most(), int64(limit.Percentile), base.Count()
	above := n - base.notAbove(x)
	missed := func(above, n int64) bool { return n-above < latency.Percentile(p).Rank(n) }
	if x < 0 || missed(above, n) || above == 0 {
		return 0
	}
	values := base.values
	first := len(values)
	for first > 0 && values[first-1].V >= 2*ShortestInterval {
		first--
	}
	values = values[first:]
	h := make(steps, 0, len(values))
	for i, v := range values {
		h = append(h, step{v.V / 2, i})
	}
	heap.Init(&h)
	// over and stands of each value at the interval of the moment
	type state struct{ over, stands int64 }
	now := make([]state, len(values))
	for i, v := range values {
		now[i].stands = 1
		if v.V > x {
			now[i].over = 1
		}
	}
	const most = 1 << 61 // samples that can be counted; no run is a part of as many
	for taken := 0; len(h) > 0; taken++ {
		i := h[0].interval
		if i < ShortestInterval || n > most {
			return 0
		}
		if taken > maxFlipSteps {
			return roughly(base, limit, i)
		}
		for len(h) > 0 && h[0].interval == i {
			v := values[h[0].value]
			s := &now[h[0].value]
			o, t := over(v.V, x, i), Stands(v.V, i)
			above += v.Count * (o - s.over)
			n += v.Count * (t - s.stands)
			s.over, s.stands = o, t
			// the next smaller interval at which either changes
			next := v.V / (t + 1)
			if v.V > x && o < t {
				next = max(next, (v.V-x-1)/o)
			}
			if next >= i {
				next = i - 1
			}
			h[0].interval = next
			heap.Fix(&h, 0)
		}
		if missed(above, n) {
			return i
		}
	}
	return 0
}

// roughly finds an interval below hi at which the limit is missed, as large as
// descend finds it, or 0.
func roughly(base *Sampled, limit Limit, hi int64) int64 {
	return descend(hi, func(i int64) bool {
		f := Fill(base, i)
		n := f.Count()
		return n-f.Above(limit.most()) < limit.Percentile.Rank(n)
	})
}

// descend returns an interval up to hi at which missed holds, or 0 where it
// finds none: it goes down by an eighth at a time to the first at which it does,
// and halves what lies above. Where a limit is missed at one interval it need not
// be at every shorter one: calm requests then stand for many, too.
func descend(hi int64, missed func(int64) bool) int64 {
	above := hi + 1
	for i := hi; i >= ShortestInterval; i -= i / 8 {
		if !missed(i) {
			above = i
			continue
		}
		for above-i > 1 {
			if mid := i + (above-i)/2; missed(mid) {
				i = mid
			} else {
				above = mid
			}
		}
		return i
	}
	return 0
}

// FlipBounds is Flip for a summary: the largest interval, as descend finds it, at
// which the limit is missed by every set of samples that the summary allows.
func FlipBounds(brackets []Bracket, limit Limit) int64 {
	raw := FillBounds(brackets, Infinite).Percentile(limit.Percentile)
	if raw.Low > limit.most() {
		return 0
	}
	top := brackets[len(brackets)-1].High
	if top == Infinite {
		top = brackets[len(brackets)-1].Low
	}
	// The least that the percentile can be is above a value where no set of
	// samples has it at or below.
	return descend(top, func(i int64) bool {
		return FillBounds(brackets, i).sign(limit.Percentile, limit.most(), true) > 0
	})
}

type step struct {
	interval int64
	value    int
}

type steps []step

func (h steps) Len() int           { return len(h) }
func (h steps) Less(i, j int) bool { return h[i].interval > h[j].interval }
func (h steps) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *steps) Push(x any)        { *h = append(*h, x.(step)) }
func (h *steps) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
