package simulate

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// Leaf is how long one call takes, as a distribution that can be asked both
// ways. Both together let the slowest, or the k-th, of many independent calls be
// drawn at once, without drawing each of them.
type Leaf interface {
	// Quantile returns the lowest time that a share u (0…1) of the calls does
	// not exceed.
	Quantile(u float64) time.Duration
	// Share returns the share of calls that take no longer than d.
	Share(d time.Duration) float64
	// String returns the name and the parameters.
	String() string
}

func (c constant) Quantile(float64) time.Duration { return time.Duration(c) }
func (c constant) Share(d time.Duration) float64 {
	if d >= time.Duration(c) {
		return 1
	}
	return 0
}

// ExponentialLeaf is [Exponential] as a Leaf.
func ExponentialLeaf(mean time.Duration) Leaf { return exponential(mean) }

// Quantile returns -mean·ln(1-u).
func (e exponential) Quantile(u float64) time.Duration {
	return nanoseconds(-float64(e) * math.Log1p(-u))
}

func (e exponential) Share(d time.Duration) float64 {
	if d < 0 {
		return 0
	}
	return -math.Expm1(-float64(d) / float64(e))
}

// LognormalLeaf is [Lognormal] as a Leaf.
func LognormalLeaf(median time.Duration, sigma float64) Leaf { return lognormal{median, sigma} }

// Quantile returns median·exp(sigma·z) with z the normal quantile.
func (l lognormal) Quantile(u float64) time.Duration {
	if u <= 0 {
		return 0
	}
	return nanoseconds(float64(l.median) * math.Exp(-l.sigma*math.Sqrt2*math.Erfcinv(2*u)))
}

func (l lognormal) Share(d time.Duration) float64 {
	switch {
	case d <= 0:
		return 0
	case l.sigma <= 0:
		return constant(l.median).Share(d)
	}
	return math.Erfc(-math.Log(float64(d)/float64(l.median))/(l.sigma*math.Sqrt2)) / 2
}

type pareto struct {
	lowest time.Duration
	alpha  float64
}

// ParetoLeaf takes lowest at least, and longer than x with probability
// (lowest/x)^alpha: no mean up to alpha 1, no variance up to alpha 2.
func ParetoLeaf(lowest time.Duration, alpha float64) Leaf { return pareto{lowest, alpha} }

func (p pareto) Quantile(u float64) time.Duration {
	return nanoseconds(float64(p.lowest) * math.Exp(-math.Log1p(-u)/p.alpha))
}

func (p pareto) Share(d time.Duration) float64 {
	if d < p.lowest {
		return 0
	}
	return -math.Expm1(-p.alpha * math.Log(float64(d)/float64(p.lowest)))
}

func (p pareto) String() string { return fmt.Sprintf("Pareto from %v alpha %g", p.lowest, p.alpha) }

type twoPoint struct {
	share      float64
	fast, slow time.Duration
}

// TwoPoint takes slow with a share (0…1) of the calls, and fast otherwise. Slow
// is not below fast.
func TwoPoint(share float64, slow, fast time.Duration) Leaf { return twoPoint{share, fast, slow} }

func (t twoPoint) Quantile(u float64) time.Duration {
	if u <= 1-t.share {
		return t.fast
	}
	return t.slow
}

func (t twoPoint) Share(d time.Duration) float64 {
	switch {
	case d >= t.slow:
		return 1
	case d >= t.fast:
		return 1 - t.share
	}
	return 0
}

func (t twoPoint) String() string {
	return fmt.Sprintf("%v, %g%% %v", t.fast, 100*t.share, t.slow)
}

// Measured is a distribution of times that were measured: each as often as it was
// seen. Make one with [NewMeasured].
type Measured struct {
	values []time.Duration // rising
	upTo   []int64         // calls that took as long as the value, or less
	guide  []int32         // for each of its equal parts of the calls: where to begin to look
	n      int64
}

// NewMeasured takes the values of a summary. It is nil if there are none.
func NewMeasured(values []latency.Value) *Measured {
	m := &Measured{}
	for _, v := range values {
		if v.Count > 0 {
			m.n += v.Count
			m.values, m.upTo = append(m.values, time.Duration(v.V)), append(m.upTo, m.n)
		}
	}
	if m.n == 0 {
		return nil
	}
	m.guide = make([]int32, min(4*len(m.values), 1<<20)+1)
	at := 0
	for i := range m.guide {
		for rank := m.rank(float64(i) / float64(len(m.guide))); m.upTo[at] < rank; at++ {
		}
		m.guide[i] = int32(at)
	}
	return m
}

func (m *Measured) rank(u float64) int64 {
	return min(max(int64(math.Ceil(u*float64(m.n))), 1), m.n)
}

// Count returns how many calls were measured.
func (m *Measured) Count() int64 { return m.n }

// Quantile returns the value of nearest rank.
func (m *Measured) Quantile(u float64) time.Duration {
	rank := m.rank(u)
	i := int(m.guide[min(max(int(u*float64(len(m.guide))), 0), len(m.guide)-1)])
	for m.upTo[i] < rank {
		i++
	}
	for i > 0 && m.upTo[i-1] >= rank { // the guide's own rounding
		i--
	}
	return m.values[i]
}

// Share returns the share of calls that took no longer than d.
func (m *Measured) Share(d time.Duration) float64 {
	i := sort.Search(len(m.values), func(i int) bool { return m.values[i] > d })
	if i == 0 {
		return 0
	}
	return float64(m.upTo[i-1]) / float64(m.n)
}

func (m *Measured) String() string { return fmt.Sprintf("%d measured", m.n) }
