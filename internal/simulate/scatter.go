package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// PolicyKind is how a request waits for the calls that it has sent.
type PolicyKind uint8

// Policies.
const (
	All      PolicyKind = iota // for all answers
	FirstK                     // for the first K
	Deadline                   // for all answers, but no longer than After; what has come is the answer
	Hedged                     // for all answers; a call that has taken longer than After is sent once more, and the answer that comes first counts
	Tied                       // for all answers; every call is sent to two replicas at once, and the one that begins first withdraws the other
)

// Policy is how a request waits.
type Policy struct {
	Kind  PolicyKind
	K     int           // FirstK: answers that are enough
	After time.Duration // Deadline, Hedged
}

// String returns "first 95", "hedged after 15ms".
func (p Policy) String() string {
	switch p.Kind {
	case FirstK:
		return fmt.Sprintf("first %d", p.K)
	case Deadline:
		return fmt.Sprintf("deadline %v", p.After)
	case Hedged:
		return fmt.Sprintf("hedged after %v", p.After)
	case Tied:
		return "tied"
	}
	return "all"
}

// Scatter is a request that asks N leaves at once. Calls are independent of each
// other, and so is the second call of the first.
type Scatter struct {
	N      int // leaves, at least 1
	Leaf   Leaf
	Policy Policy
	Slow   time.Duration // a wait beyond it counts in Scattered.Slow
}

// Scattered is what so many requests met.
type Scattered struct {
	Waits         latency.Summary
	Slow          int64 // requests that waited longer than Scatter.Slow
	Sent, Answers Sum   // of each request
}

// blockDraws is how many requests one source of random numbers is for. Blocks
// are numbered, so that what is drawn does not depend on who draws it.
const blockDraws = 1 << 14

// Run draws that many requests on all cores (GOMAXPROCS). Equal arguments give
// equal results, on any number of cores.
func (s Scatter) Run(draws int64, seed uint64) *Scattered {
	blocks := int((draws + blockDraws - 1) / blockDraws)
	sent, answers := make([]Sum, blocks), make([]Sum, blocks)
	parts := make([]Scattered, max(1, min(runtime.GOMAXPROCS(0), blocks)))
	var next atomic.Int64
	var wg sync.WaitGroup
	draw := s.drawer()
	for i := range parts {
		wg.Go(func() {
			part := &parts[i]
			for {
				b := int(next.Add(1)) - 1
				if b >= blocks {
					return
				}
				r := random(seed^mixed(uint64(b)), streamScatter)
				n := min(blockDraws, draws-int64(b)*blockDraws)
				for range n {
					wait, extra, back := draw(r)
					part.Waits.Record(int64(wait))
					if wait > s.Slow {
						part.Slow++
					}
					sent[b].add(float64(s.N + extra))
					answers[b].add(float64(back))
				}
			}
		})
	}
	wg.Wait()
	out := &parts[0]
	for i := range parts[1:] {
		out.Waits.Merge(&parts[1+i].Waits)
		out.Slow += parts[1+i].Slow
	}
	for b := range blocks { // in the order of blocks: the sums are floating point
		out.Sent.merge(sent[b])
		out.Answers.merge(answers[b])
	}
	return out
}

// drawer returns what draws one request: how long it waits, calls sent beyond
// the first of each leaf, and answers returned.
//
// Only what decides is drawn, and that exactly: the largest of n uniform numbers
// is u^(1/n), the k-th smallest is beta distributed, and of the leaves beyond a
// moment only the number, which is binomial, and then those that are.
func (s Scatter) drawer() func(*rand.Rand) (wait time.Duration, extra, answers int) {
	n, leaf, after := s.N, s.Leaf, s.Policy.After
	within := leaf.Share(after) // of the calls: those that have answered by then
	switch s.Policy.Kind {
	case FirstK:
		k := min(max(s.Policy.K, 1), n)
		return func(r *rand.Rand) (time.Duration, int, int) { return leaf.Quantile(smallest(r, k, n)), 0, k }
	case Deadline:
		return func(r *rand.Rand) (time.Duration, int, int) {
			if late := binomial(r, n, 1-within); late > 0 {
				return after, 0, n - late
			}
			return min(after, leaf.Quantile(within*smallest(r, n, n))), 0, n
		}
	case Tied:
		return func(r *rand.Rand) (time.Duration, int, int) {
			// The faster of two is within u with 1-(1-u)².
			u := smallest(r, n, n)
			return leaf.Quantile(1 - math.Sqrt(1-u)), n, n
		}
	case Hedged:
		return func(r *rand.Rand) (time.Duration, int, int) {
			late := binomial(r, n, 1-within)
			if late == 0 {
				return min(after, leaf.Quantile(within*smallest(r, n, n))), 0, n
			}
			if late > fewLate {
				return s.slowestHedged(smallest(r, late, late), within), late, n
			}
			var wait time.Duration
			for range late {
				first := leaf.Quantile(within + (1-within)*(1-r.Float64()))
				wait = max(wait, min(first, after+leaf.Quantile(1-r.Float64())))
			}
			return wait, late, n
		}
	}
	return func(r *rand.Rand) (time.Duration, int, int) { return leaf.Quantile(smallest(r, n, n)), 0, n }
}

// fewLate is up to how many hedged calls are drawn one by one; of more only the
// slowest is, by bisection, which costs as much as a few dozen.
const fewLate = 64

// slowestHedged returns the quantile u of a call that is known to take longer
// than After: it takes longer than d if both calls do.
func (s Scatter) slowestHedged(u, within float64) time.Duration {
	after := s.Policy.After
	beyond := func(d time.Duration) bool { // a share u is within d
		return (1-s.Leaf.Share(d))*(1-s.Leaf.Share(d-after)) <= (1-u)*(1-within)
	}
	low, step := after, max(after, time.Millisecond)
	for !beyond(low + step) {
		low += step
		if step *= 2; low > math.MaxInt64/4 {
			return low
		}
	}
	for high := low + step; ; {
		if high-low <= 1 {
			return high
		}
		if mid := low + (high-low)/2; beyond(mid) {
			high = mid
		} else {
			low = mid
		}
	}
}

// Sum is a sum of numbers with what its mean's error needs.
type Sum struct {
	n            int64
	sum, squares float64
}

func (s *Sum) add(v float64) {
	s.n++
	s.sum += v
	s.squares += v * v
}

func (s *Sum) merge(o Sum) {
	s.n += o.n
	s.sum += o.sum
	s.squares += o.squares
}

// Mean returns the mean; 0 of nothing.
func (s Sum) Mean() float64 {
	if s.n == 0 {
		return 0
	}
	return s.sum / float64(s.n)
}

// Error returns the standard error of the mean.
func (s Sum) Error() float64 {
	if s.n < 2 {
		return 0
	}
	n := float64(s.n)
	variance := (s.squares - s.sum*s.sum/n) / (n - 1)
	if variance < 1e-12*s.squares/n { // all are equal, but for rounding
		return 0
	}
	return math.Sqrt(variance / n)
}

// Interval returns the 95 % confidence interval of a percentile of what was
// drawn: the order statistics 1.96 standard deviations of the rank away, which
// holds for every distribution (David and Nagaraja, Order Statistics, 2003,
// 7.1). Where the summary rounds values, its error is in it.
func Interval(s *latency.Summary, p latency.Percentile) (low, high time.Duration) {
	n := s.Count()
	if n == 0 {
		return 0, 0
	}
	q := p.Percent() / 100
	rank, off := p.Rank(n), 1.96*math.Sqrt(float64(n)*q*(1-q))
	l, h := s.At(rank-int64(math.Ceil(off))), s.At(rank+int64(math.Ceil(off)))
	if !s.Exact() {
		l -= int64(math.Ceil(float64(l) * latency.Error))
	}
	return time.Duration(l), time.Duration(h)
}

// AnySlow is the share of requests to n independent leaves that meet one that is
// slow, where a share p of them is: 1-(1-p)^n.
func AnySlow(p float64, n int) float64 { return -math.Expm1(float64(n) * math.Log1p(-p)) }
