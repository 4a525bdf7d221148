package omission

import (
	"math"
	"sort"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// source says how finely a distribution is known.
type source uint8

const (
	printed   source = iota // percentiles, a maximum, coarse bars
	histogram               // buckets that hold every sample
	samples                 // every sample
)

func (s source) String() string { return [...]string{"printed", "histogram", "samples"}[s] }

// spread is one distribution of latencies as far as a report tells it. Values
// are nanoseconds; those not known are -1.
type spread struct {
	source         source
	n              int64
	min, mean, max int64

	values []latency.Value // rising; nil: printed
	upTo   []int64

	quantiles []quantile // rising; printed
	ranks     []bracket  // what the quantiles say about where samples are
	bars      []bracket  // what coarse buckets say about the same samples
	unit      int64      // of the printed mean
}

// quantile is one printed percentile, with the range its rounding leaves.
type quantile struct {
	p              latency.Percentile
	value          int64
	low, high      int64
	offset         int64
	lowest, higher int64 // nearest rank, less and plus one
}

// bracket holds count samples that lie between low and high.
type bracket struct{ count, low, high int64 }

func fromValues(src source, values []latency.Value) spread {
	s := spread{source: src, min: -1, mean: -1, max: -1, values: values}
	var sum float64
	for _, v := range values {
		s.n += v.Count
		s.upTo = append(s.upTo, s.n)
		sum += float64(v.V) * float64(v.Count)
	}
	if s.n > 0 {
		s.min, s.max = values[0].V, values[len(values)-1].V
		s.mean = int64(min(sum/float64(s.n), math.MaxInt64/2))
	}
	return s
}

func fromSummary(src source, sum *latency.Summary) spread {
	s := fromValues(src, sum.Values())
	if s.n > 0 {
		s.min, s.max, s.mean = sum.Min(), sum.Max(), sum.Mean()
	}
	return s
}

// fromAggregate reads what a report printed.
func fromAggregate(a *ingest.Aggregate) spread {
	if a.Complete {
		if s := fromBuckets(a); s.n > 0 {
			return s
		}
	}
	s := spread{n: a.Count, min: int64(a.Min), mean: int64(a.Mean), max: int64(a.Max), unit: int64(a.Unit)}
	inBars, top := int64(0), int64(-1) // top: upper edge of the last bar with samples
	for _, b := range a.Buckets {
		if b.Count > 0 {
			inBars += b.Count
			top = max(top, int64(b.High))
			s.bars = append(s.bars, bracket{b.Count, max(0, int64(b.Low-b.Unit)), int64(b.High + b.Unit)})
		}
	}
	if s.n <= 0 {
		s.n = inBars
	}
	if inBars != s.n {
		s.bars = nil // they are about other samples
	}
	if s.max < 0 {
		s.max = top
	}
	for _, q := range a.Quantiles {
		if !(q.Percentile >= 0) || q.Percentile >= 100 || q.Value < 0 {
			continue
		}
		p := latency.PercentileOf(q.Percentile)
		rank, unit := p.Rank(s.n), int64(q.Unit)
		low, high := int64(q.Value)-unit/2, int64(q.Value)+(unit+1)/2
		if a.Truncates {
			low, high = int64(q.Value), int64(q.Value)+unit
		}
		if a.Digest > 0 {
			off := int64(a.Digest * float64(q.Value))
			low, high = low-off, high+off
		}
		at := q.Pos
		if at == 0 {
			at = a.Offset
		}
		s.quantiles = append(s.quantiles, quantile{p, int64(q.Value), low, high, at, rank - 1, rank + 1})
	}
	sort.SliceStable(s.quantiles, func(i, j int) bool { return s.quantiles[i].p < s.quantiles[j].p })
	s.rankBrackets()
	return s
}

// fromBuckets reads a histogram that holds every sample: at the upper edge of
// its bucket, the last at the stated maximum.
func fromBuckets(a *ingest.Aggregate) spread {
	var values []latency.Value
	for _, b := range a.Buckets {
		if b.Count <= 0 {
			continue
		}
		v := min(max(int64(b.High), 0), latency.Highest)
		if n := len(values); n > 0 && values[n-1].V >= v {
			values[n-1].Count += b.Count
			continue
		}
		values = append(values, latency.Value{V: v, Count: b.Count})
	}
	s := fromValues(histogram, values)
	if s.n == 0 {
		return s
	}
	if a.Max >= 0 {
		s.max = int64(a.Max)
	}
	if a.Min >= 0 {
		s.min = int64(a.Min)
	}
	if a.Mean >= 0 {
		s.mean = int64(a.Mean)
	}
	return s
}

// rankBrackets turns printed percentiles into brackets: with one rank of slack,
// because tools disagree on ranks (knowledge of each tool's rule is not needed
// for what is asked here).
func (s *spread) rankBrackets() {
	low, rank := max(s.min, 0), int64(0)
	for _, q := range s.quantiles {
		if q.higher-1 > rank {
			s.ranks = append(s.ranks, bracket{q.higher - 1 - rank, low, max(q.high, low)})
			rank = q.higher - 1
		}
		low = max(low, q.low)
	}
	if s.n > rank {
		high := s.max
		if high < 0 {
			high = math.MaxInt64
		}
		s.ranks = append(s.ranks, bracket{s.n - rank, low, max(high, low)})
	}
}

// sum of f over the samples, for a rising f: at least and at most.
func (s *spread) sum(f func(v int64) float64) (low, high float64) {
	if s.values != nil {
		for _, v := range s.values {
			low += float64(v.Count) * f(v.V)
		}
		return low, low
	}
	low, high = 0, math.Inf(1)
	for _, brackets := range [][]bracket{s.ranks, s.bars} {
		if len(brackets) == 0 {
			continue
		}
		var l, h float64
		for _, b := range brackets {
			l += float64(b.count) * f(b.low)
			h += float64(b.count) * f(b.high)
		}
		low, high = max(low, l), min(high, h)
	}
	if s.max >= 0 && s.n > 0 {
		low, high = max(low, f(s.max)), min(high, float64(s.n)*f(s.max))
	}
	return low, high
}

// above returns how many samples are above x: at least and at most.
func (s *spread) above(x int64) (low, high int64) {
	if s.values != nil {
		i := sort.Search(len(s.values), func(i int) bool { return s.values[i].V > x })
		if i == 0 {
			return s.n, s.n
		}
		return s.n - s.upTo[i-1], s.n - s.upTo[i-1]
	}
	high = s.n
	for _, q := range s.quantiles {
		if q.high <= x {
			high = min(high, s.n-max(0, q.lowest))
		}
		if q.low > x {
			low = max(low, s.n-q.higher+1)
		}
	}
	if len(s.bars) > 0 {
		var l, h int64
		for _, b := range s.bars {
			if b.low >= x {
				l += b.count
			}
			if b.high > x {
				h += b.count
			}
		}
		low, high = max(low, l), min(high, h)
	}
	switch {
	case s.max > x:
		low, high = max(low, 1), max(high, 1)
	case s.max >= 0:
		return 0, 0
	}
	if s.mean >= 0 && x > 0 && s.n > 0 {
		all := (float64(s.mean) + float64(s.unit)) * float64(s.n)
		high = min(high, max(1, int64(min(all/float64(x), float64(s.n)))))
	}
	return min(low, high), high
}

// at returns percentile p by nearest rank, or as printed; false where neither
// is known.
func (s *spread) at(p latency.Percentile) (int64, bool) {
	if s.n > 0 && s.values != nil {
		rank := p.Rank(s.n)
		i := sort.Search(len(s.upTo), func(i int) bool { return s.upTo[i] >= rank })
		return s.values[min(i, len(s.values)-1)].V, true
	}
	for _, q := range s.quantiles {
		if q.p == p {
			return q.value, true
		}
	}
	return 0, false
}

// barBelow returns the highest percentile, of p99, p95, p90, p75 and p50, that
// bars alone show to be at most x, with the most that it can be. It is not the
// largest sample.
func (s *spread) barBelow(x int64) (most int64, p latency.Percentile) {
	for _, p := range []latency.Percentile{latency.P99, latency.P95, latency.P90, latency.P75, latency.P50} {
		rank, seen := p.Rank(s.n), int64(0)
		for _, b := range s.bars {
			if seen += b.count; seen >= rank {
				if b.high <= x && rank < s.n {
					return b.high, p
				}
				break
			}
		}
	}
	return 0, 0
}

// meanAtLeast returns the least mean that the distribution allows.
func (s *spread) meanAtLeast() int64 {
	if s.mean >= 0 {
		return s.mean
	}
	if s.n <= 0 {
		return 0
	}
	low, _ := s.sum(func(v int64) float64 { return float64(v) })
	return int64(low / float64(s.n))
}
