package correct

import (
	"container/heap"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// ShortestInterval is the shortest interval at which anything is filled or
// searched, in nanoseconds: no worker sends a million requests a second.
const ShortestInterval = 1000

// maxFlipSteps bounds the exact search for a flip point; past it the interval
// is bisected.
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
	for taken := 0; len(h) > 0; taken++ {
		i := h[0].interval
		if i < ShortestInterval {
			return 0
		}
		if taken > maxFlipSteps {
			return bisect(base, limit, i)
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

// bisect finds an interval below hi at which the limit is missed, as large as
// halving finds it, or 0.
func bisect(base *Sampled, limit Limit, hi int64) int64 {
	return largest(hi, func(i int64) bool {
		return Fill(base, i).Percentile(limit.Percentile).Low > limit.most()
	})
}

// largest returns the largest interval up to hi, found by halving, at which
// missed holds, or 0 if it does not hold at ShortestInterval.
func largest(hi int64, missed func(int64) bool) int64 {
	lo := int64(ShortestInterval)
	if hi < lo || !missed(lo) {
		return 0
	}
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if missed(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// FlipBounds is Flip for a summary: the largest interval, found by halving, at
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
	return largest(top, func(i int64) bool {
		return FillBounds(brackets, i).Percentile(limit.Percentile).Low > limit.most()
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
