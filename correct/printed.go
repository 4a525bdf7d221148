package correct

import (
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// Printed is a distribution of which only a summary was printed. A percentile
// that the tool printed is that value, by the tool's own rule; another one is
// bounded by what was printed beside it.
type Printed struct {
	a      *ingest.Aggregate
	bounds *Bounded // nil: nothing can be bounded by ranks
	ends   Range    // of every percentile, where bounds is nil: between minimum and maximum
}

// FromAggregate returns the figures of a summary. Its samples may be bounded
// even where nothing of it can be filled.
func FromAggregate(a *ingest.Aggregate) *Printed {
	p := &Printed{a: a, ends: Unknown}
	switch b, err := Brackets(a); {
	case err == nil:
		p.bounds = FillBounds(b, Infinite)
	case a.Count <= 0 && a.Max > 0 && a.Max >= a.Min && int64(a.Max) <= latency.Highest:
		// The number of samples is not printed, and ranks cannot be counted; but
		// nothing is above the maximum.
		_, p.ends.High = widen(a, int64(a.Max), int64(a.Unit))
		if a.Min >= 0 {
			p.ends.Low, _ = widen(a, int64(a.Min), int64(a.Unit))
		}
	}
	return p
}

// Count returns the number of samples; 0: not printed or none.
func (d *Printed) Count() int64 { return d.a.Count }

// Percentile returns what was printed, else the bounds of its neighbours.
func (d *Printed) Percentile(p latency.Percentile) Range {
	for _, q := range d.a.Quantiles {
		if latency.PercentileOf(q.Percentile) == p {
			return Exactly(int64(q.Value))
		}
	}
	if p == latency.P100 && d.a.Max >= 0 {
		return Exactly(int64(d.a.Max))
	}
	if d.bounds == nil {
		return d.ends
	}
	return d.bounds.Percentile(p)
}

// IsPrinted reports whether the tool printed percentile p itself.
func (d *Printed) IsPrinted(p latency.Percentile) bool {
	for _, q := range d.a.Quantiles {
		if latency.PercentileOf(q.Percentile) == p {
			return true
		}
	}
	return false
}

func printed(v int64) Range {
	if v < 0 {
		return Unknown
	}
	return Exactly(v)
}

// Min returns the printed minimum, or Unknown.
func (d *Printed) Min() Range { return printed(int64(d.a.Min)) }

// Mean returns the printed mean, or Unknown.
func (d *Printed) Mean() Range { return printed(int64(d.a.Mean)) }

// Max returns the printed maximum, or Unknown.
func (d *Printed) Max() Range { return printed(int64(d.a.Max)) }

// FromBuckets returns the distribution of a complete histogram or percentile
// spectrum: every sample at the upper edge of its bucket, the last at the
// printed maximum. It is nil where the buckets do not hold every sample.
func FromBuckets(a *ingest.Aggregate) *Sampled {
	if !a.Complete || len(a.Buckets) == 0 {
		return nil
	}
	values := make([]latency.Value, 0, len(a.Buckets))
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
	if len(values) == 0 {
		return nil
	}
	if n := len(values); a.Max >= 0 && int64(a.Max) < values[n-1].V && (n == 1 || int64(a.Max) > values[n-2].V) {
		values[n-1].V = int64(a.Max)
	}
	d := FromValues(values)
	if a.Min >= 0 {
		d.min = int64(a.Min)
	}
	if a.Mean >= 0 {
		d.mean = Exactly(int64(a.Mean))
	}
	return d
}
