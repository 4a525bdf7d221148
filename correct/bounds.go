package correct

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// Bracket says that Count of the samples lie in [Low, High], in nanoseconds.
// High may be Infinite.
type Bracket struct{ Low, High, Count int64 }

// ErrNoBounds is why a summary may bound nothing.
var ErrNoBounds = errors.New("the report does not say enough to bound its samples")

// Brackets cuts the sorted samples behind a summary into groups whose values
// its printed figures bound. Every printed value is widened by half a unit of
// its last digit (a whole one if the tool cuts digits off; a digest by its
// stated error), and every printed percentile's rank by one either way, because
// tools disagree on ranks. Summaries that contradict themselves are an error.
func Brackets(a *ingest.Aggregate) ([]Bracket, error) {
	n := a.Count
	if n <= 0 || int64(a.Max) > latency.Highest {
		return nil, ErrNoBounds
	}
	type point struct{ rank, value int64 }
	var lower, upper []point // samples from rank on are at least value; up to rank at most value
	widen := func(v, unit int64) (int64, int64) { return widen(a, v, unit) }
	unit := int64(a.Unit)
	if a.Max >= 0 {
		lo, hi := widen(int64(a.Max), unit)
		lower, upper = append(lower, point{n, lo}), append(upper, point{n, hi})
	}
	if a.Min >= 0 {
		lo, hi := widen(int64(a.Min), unit)
		lower, upper = append(lower, point{1, lo}), append(upper, point{1, hi})
	}
	for _, q := range a.Quantiles {
		if a.Rule == ingest.RuleDigest && a.Digest == 0 {
			break
		}
		if int64(q.Value) > latency.Highest {
			return nil, ErrNoBounds
		}
		p := latency.PercentileOf(q.Percentile)
		lo, hi := widen(int64(q.Value), int64(q.Unit))
		if a.Digest > 0 {
			lo, hi = int64(float64(lo)*(1-a.Digest)), int64(math.Ceil(float64(hi)*(1+a.Digest)))
		}
		from, to := Ranks(a.Rule, p, n)
		if p != latency.P100 {
			from, to = from-1, to+1
		}
		if to <= n {
			lower = append(lower, point{max(1, to), lo})
		}
		if from >= 1 {
			upper = append(upper, point{min(n, from), hi})
		}
	}
	var sum int64
	for _, b := range a.Buckets {
		sum += b.Count
	}
	if sum == n {
		var below int64
		for _, b := range a.Buckets {
			if b.Count == 0 {
				continue
			}
			lo, _ := widen(int64(b.Low), int64(b.Unit))
			_, hi := widen(int64(b.High), int64(b.Unit))
			lower, upper = append(lower, point{below + 1, lo}), append(upper, point{below + b.Count, hi})
			below += b.Count
		}
	}
	if len(lower) == 0 && len(upper) == 0 {
		return nil, ErrNoBounds
	}
	starts := []int64{1}
	for _, p := range lower {
		starts = append(starts, p.rank)
	}
	for _, p := range upper {
		if p.rank < n {
			starts = append(starts, p.rank+1)
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	// What bounds a group from below are the points at or before its start, from
	// above those at or behind it: the largest and the smallest value so far.
	byRank := func(a, b point) int { return cmp.Compare(a.rank, b.rank) }
	slices.SortFunc(lower, byRank)
	slices.SortFunc(upper, byRank)
	out := make([]Bracket, len(starts))
	low, high := int64(0), int64(Infinite)
	for i, k := 0, 0; i < len(starts); i++ {
		for ; k < len(lower) && lower[k].rank <= starts[i]; k++ {
			low = max(low, lower[k].value)
		}
		out[i].Low = low
	}
	for i, k := len(starts)-1, len(upper)-1; i >= 0; i-- {
		for ; k >= 0 && upper[k].rank >= starts[i]; k-- {
			high = min(high, upper[k].value)
		}
		out[i].High, out[i].Count = high, n+1-starts[i]
		if i+1 < len(starts) {
			out[i].Count = starts[i+1] - starts[i]
		}
	}
	for i, b := range out {
		if b.Low > b.High {
			return nil, fmt.Errorf("the printed figures contradict each other around sample %d of %d", starts[i], n)
		}
	}
	return out, nil
}

// widen returns the range that the rounding of a printed value leaves.
func widen(a *ingest.Aggregate, v, unit int64) (int64, int64) {
	w := (unit + 1) / 2
	if a.Truncates {
		w = unit
	}
	return max(0, v-w), v + w
}

// Ranks returns the rank, or for interpolating rules the ranks, that a tool's
// rule picks for p over n samples. Sources: ingest.QuantileRule.
func Ranks(rule ingest.QuantileRule, p latency.Percentile, n int64) (from, to int64) {
	nearest := p.Rank(n)
	exact := float64(p) / float64(latency.P100) * float64(n)
	hold := func(r int64) int64 { return min(max(r, 1), n) }
	switch rule {
	case ingest.RuleHdrC:
		r := hold(int64(math.Floor(exact + 0.5)))
		return r, r
	case ingest.RuleHey:
		r := hold(nearest + 1)
		return r, r
	case ingest.RuleWrk:
		r := hold(int64(math.Round(exact + 0.5)))
		return r, r
	case ingest.RuleOha:
		r := hold(int64(math.Floor(exact)) + 1)
		return r, r
	case ingest.RuleLinear:
		h := float64(p) / float64(latency.P100) * float64(n-1)
		return hold(int64(math.Floor(h)) + 1), hold(int64(math.Ceil(h)) + 1)
	}
	return nearest, nearest
}

// Bounded is a distribution of which only a summary is known, filled at an
// interval: every percentile is a range that holds the corrected percentile of
// every set of samples that the summary allows.
type Bounded struct {
	brackets []Bracket
	n        int64
	interval int64
	mean     Range
}

// FillBounds returns the bounds of a fill at an interval; Infinite for none.
func FillBounds(brackets []Bracket, interval int64) *Bounded {
	b := &Bounded{brackets: brackets, interval: interval, mean: Unknown}
	for _, g := range brackets {
		b.n += g.Count
	}
	return b
}

// Count returns the number of samples when nothing is filled, else 0: not known.
func (b *Bounded) Count() int64 {
	if b.interval == Infinite {
		return b.n
	}
	return 0
}

// Min returns the bounds of the smallest sample.
func (b *Bounded) Min() Range { return Range{b.brackets[0].Low, b.brackets[0].High} }

// Max returns the bounds of the largest sample.
func (b *Bounded) Max() Range {
	last := b.brackets[len(b.brackets)-1]
	return Range{last.Low, last.High}
}

// Mean is not known.
func (b *Bounded) Mean() Range { return b.mean }

// Percentile returns the smallest and the largest value that the percentile
// can have, by nearest rank.
func (b *Bounded) Percentile(p latency.Percentile) Range {
	r := Range{High: Infinite}
	top := b.Max()
	r.Low = b.search(p, top.Low, true)
	if top.High != Infinite {
		r.High = b.search(p, top.High, false)
	} else if b.interval == Infinite {
		r.High = b.rawHigh(p)
	}
	return r
}

func (b *Bounded) rawHigh(p latency.Percentile) int64 {
	rank, seen := p.Rank(b.n), int64(0)
	for _, g := range b.brackets {
		if seen += g.Count; seen >= rank {
			return g.High
		}
	}
	return Infinite
}
