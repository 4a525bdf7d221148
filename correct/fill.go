package correct

import (
	"math"
	"math/bits"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// Stands returns how many samples a sample v stands for when requests were due
// every interval: itself, and v-i, v-2i, … down to the last one that is at
// least i. (HdrHistogram, AbstractHistogram.recordValueWithExpectedInterval.)
func Stands(v, interval int64) int64 { return max(1, v/interval) }

// over returns how many of the samples that v stands for are above x.
func over(v, x, interval int64) int64 {
	if v <= x {
		return 0
	}
	return min(Stands(v, interval), (v-x-1)/interval+1)
}

// Filled is a distribution with the requests put back that a closed loop did
// not send: every sample v is joined by v-i, v-2i, … down to i. It is kept as a
// formula: no sample is ever written out, so its cost does not depend on how
// many there are.
//
// Samples below the interval may be taken out, evenly over their values: as many
// as were added (a substitution), where the generator sent the missing requests
// later, in a burst; or down to what the plan had (Weigh), where it sent faster.
type Filled struct {
	base     *Sampled
	interval int64
	long     []latency.Value // those that stand for more than themselves
	added    int64
	fast     int64 // samples below the interval, where some are removed
	removed  int64 // of fast
}

// Fill returns base with what was omitted at one worker's interval added.
// The interval must be above 0.
func Fill(base *Sampled, interval int64) *Filled {
	f := &Filled{base: base, interval: interval}
	for i := len(base.values) - 1; i >= 0; i-- {
		v := base.values[i]
		t := Stands(v.V, interval)
		if t < 2 {
			f.long = base.values[i+1:]
			break
		}
		f.added += v.Count * (t - 1)
		if i == 0 {
			f.long = base.values
		}
	}
	return f
}

// Substitute returns base with what was omitted put in the place of fast
// samples, or nil when there are fewer fast samples than that.
func Substitute(base *Sampled, interval int64) *Filled {
	f := Fill(base, interval)
	f.fast, f.removed = base.notAbove(interval-1), f.added
	if f.removed > f.fast {
		return nil
	}
	return f
}

// Weigh returns the fill of a run that sent faster than its plan, with its fast
// samples thinned out until there are as many samples as the plan had requests.
// A fill alone gives the calm times of such a run too much weight. It is nil
// where the run did not send faster, or where there are not enough fast samples.
func Weigh(base *Sampled, interval, planned int64) *Filled {
	f := Fill(base, interval)
	f.fast, f.removed = base.notAbove(interval-1), f.Count()-planned
	if f.removed <= 0 || f.removed > f.fast {
		return nil
	}
	return f
}

// Added returns how many samples were put in.
func (f *Filled) Added() int64 { return f.added }

// AddedShare returns Added as a share of Count.
func (f *Filled) AddedShare() float64 { return float64(f.added) / float64(f.Count()) }

// Count returns the number of samples, those put in included.
func (f *Filled) Count() int64 {
	return f.base.Count() + f.added - f.removed
}

// Above returns how many samples are above x.
func (f *Filled) Above(x int64) int64 {
	n := f.base.Count() - f.base.notAbove(x)
	for i := len(f.long) - 1; i >= 0 && f.long[i].V > x; i-- {
		v := f.long[i]
		n += v.Count * (over(v.V, x, f.interval) - 1)
	}
	if f.removed > 0 && x < f.interval {
		hi, lo := bits.Mul64(uint64(f.base.notAbove(x)), uint64(f.fast-f.removed))
		kept, _ := bits.Div64(hi, lo, uint64(f.fast)) // notAbove(x) <= fast
		return f.Count() - int64(kept)
	}
	return n
}

// Percentile returns the percentile by nearest rank.
func (f *Filled) Percentile(p latency.Percentile) Range {
	n := f.Count()
	return Exactly(f.at(p.Rank(n)))
}

func (f *Filled) at(rank int64) int64 {
	allowed := f.Count() - rank // samples that may lie above
	lo, hi := int64(-1), f.Max().High
	for hi-lo > 1 { // the value is in (lo, hi]
		mid := lo + (hi-lo)/2
		if f.Above(mid) <= allowed {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// Min returns the smallest sample.
func (f *Filled) Min() Range { return Exactly(f.base.min) }

// Max returns the largest sample: a fill does not change it.
func (f *Filled) Max() Range { return f.base.Max() }

// Mean returns the mean. Where samples were taken out it is not known.
func (f *Filled) Mean() Range {
	if f.removed > 0 {
		return Unknown
	}
	sum := float64(f.base.mean.Low) * float64(f.base.Count())
	i := float64(f.interval)
	for _, v := range f.long {
		k := float64(Stands(v.V, f.interval) - 1) // v-i … v-ki
		sum += float64(v.Count) * (k*float64(v.V) - i*k*(k+1)/2)
	}
	return Exactly(int64(math.Round(sum / float64(f.Count()))))
}
