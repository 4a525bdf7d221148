package correct

import (
	"slices"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// Sampled is a distribution whose samples are known, one by one or by the
// buckets of a histogram.
type Sampled struct {
	values []latency.Value // rising
	upTo   []int64         // upTo[i]: samples in values[:i+1]
	min    int64
	mean   Range
}

// FromSummary returns the distribution of a summary, or nil if it is empty.
func FromSummary(s *latency.Summary) *Sampled {
	if s.Count() == 0 {
		return nil
	}
	d := fromValues(s.Values())
	d.min, d.mean = s.Min(), Exactly(s.Mean())
	return d
}

// FromValues returns the distribution of values in rising order, or nil if
// there are none. Its mean is that of the values.
func FromValues(values []latency.Value) *Sampled {
	if len(values) == 0 {
		return nil
	}
	d := fromValues(values)
	d.min = values[0].V
	var sum float64
	for _, v := range values {
		sum += float64(v.V) * float64(v.Count)
	}
	d.mean = Exactly(int64(sum / float64(d.Count())))
	return d
}

func fromValues(values []latency.Value) *Sampled {
	d := &Sampled{values: values, upTo: make([]int64, len(values))}
	var n int64
	for i, v := range values {
		n += v.Count
		d.upTo[i] = n
	}
	return d
}

// Values returns the values, rising. They must not be changed.
func (d *Sampled) Values() []latency.Value { return d.values }

// Count returns the number of samples.
func (d *Sampled) Count() int64 { return d.upTo[len(d.upTo)-1] }

// At returns the value with a rank, 1…Count.
func (d *Sampled) At(rank int64) int64 {
	i, _ := slices.BinarySearch(d.upTo, rank)
	return d.values[min(i, len(d.values)-1)].V
}

// Percentile returns the percentile by nearest rank.
func (d *Sampled) Percentile(p latency.Percentile) Range { return Exactly(d.At(p.Rank(d.Count()))) }

// Min returns the smallest sample.
func (d *Sampled) Min() Range { return Exactly(d.min) }

// Mean returns the mean.
func (d *Sampled) Mean() Range { return d.mean }

// Max returns the largest sample.
func (d *Sampled) Max() Range { return Exactly(d.values[len(d.values)-1].V) }

// notAbove returns how many samples are at or below x.
func (d *Sampled) notAbove(x int64) int64 {
	i, found := slices.BinarySearchFunc(d.values, x, func(v latency.Value, x int64) int {
		switch {
		case v.V < x:
			return -1
		case v.V > x:
			return 1
		}
		return 0
	})
	if found {
		i++
	}
	if i == 0 {
		return 0
	}
	return d.upTo[i-1]
}
