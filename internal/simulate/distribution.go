package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Distribution says how long things take. It holds no state: what is drawn
// depends on the source of random numbers and the number of the draw only. It
// is the same on every run and, up to the rounding of the last nanosecond in
// the machine's floating point, on every machine.
type Distribution interface {
	// Draw returns the n-th time that is drawn from a source, counted from 0.
	Draw(r *rand.Rand, n int) time.Duration
	// Mean returns the expected time.
	Mean() time.Duration
	// String returns the name and the parameters: "lognormal 50ms sigma 1".
	String() string
}

// nanoseconds rounds to a time, and holds it to what a time can be.
func nanoseconds(ns float64) time.Duration {
	const most = math.MaxInt64 / 4 // sums of a few stay in range
	if ns >= most {
		return most
	}
	return time.Duration(math.Round(max(ns, 0)))
}

type constant time.Duration

// Constant takes the same time always.
func Constant(d time.Duration) Distribution { return constant(d) }

func (c constant) Draw(*rand.Rand, int) time.Duration { return time.Duration(c) }
func (c constant) Mean() time.Duration                { return time.Duration(c) }
func (c constant) String() string                     { return "constant " + time.Duration(c).String() }

type exponential time.Duration

// Exponential has a mean and no memory.
func Exponential(mean time.Duration) Distribution { return exponential(mean) }

func (e exponential) Draw(r *rand.Rand, _ int) time.Duration {
	return nanoseconds(r.ExpFloat64() * float64(e))
}
func (e exponential) Mean() time.Duration { return time.Duration(e) }
func (e exponential) String() string      { return "exponential " + time.Duration(e).String() }

type lognormal struct {
	median time.Duration
	sigma  float64
}

// Lognormal is median·exp(sigma·z) with z normal: sigma 0.1 varies by a tenth,
// sigma 1 has a p99 of ten medians.
func Lognormal(median time.Duration, sigma float64) Distribution { return lognormal{median, sigma} }

func (l lognormal) Draw(r *rand.Rand, _ int) time.Duration {
	return nanoseconds(float64(l.median) * math.Exp(l.sigma*r.NormFloat64()))
}
func (l lognormal) Mean() time.Duration {
	return nanoseconds(float64(l.median) * math.Exp(l.sigma*l.sigma/2))
}
func (l lognormal) String() string { return fmt.Sprintf("lognormal %v sigma %g", l.median, l.sigma) }

type either struct {
	share      float64
	slow, fast Distribution
}

// Either draws a share (0…1) of its times from slow and the others from fast,
// each by itself: requests that are slow without a stall.
func Either(share float64, slow, fast Distribution) Distribution { return either{share, slow, fast} }

func (e either) Draw(r *rand.Rand, n int) time.Duration {
	if r.Float64() < e.share {
		return e.slow.Draw(r, n)
	}
	return e.fast.Draw(r, n)
}
func (e either) Mean() time.Duration {
	return nanoseconds(e.share*float64(e.slow.Mean()) + (1-e.share)*float64(e.fast.Mean()))
}
func (e either) String() string {
	return fmt.Sprintf("%v, %g%% %v", e.fast, 100*e.share, e.slow)
}

type given []time.Duration

// Given takes these times in their order, and from the first again after the
// last: measured ones, or a textbook's. None at all count as 0.
func Given(times ...time.Duration) Distribution { return given(times) }

func (g given) Draw(_ *rand.Rand, n int) time.Duration {
	if len(g) == 0 {
		return 0
	}
	return g[n%len(g)]
}

func (g given) Mean() time.Duration {
	var sum float64
	for _, d := range g {
		sum += float64(d)
	}
	return nanoseconds(sum / float64(max(len(g), 1)))
}

func (g given) String() string { return fmt.Sprintf("%d given times", len(g)) }
