package amplification

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// The quantile of the calls at the median of requests with N of them, as
// 0.5^(1/N) is tabulated everywhere.
func TestSlowestQuantile(t *testing.T) {
	for n, want := range map[int64]float64{1: 0.5, 2: .7071, 5: .8706, 10: .9330, 14: .9517, 20: .9659, 50: .9862, 69: .9900, 100: .9931, 693: .9990, 1000: .9993} {
		if got := slowestQuantile([]width{{n, 7}}, 1); math.Abs(got-want) > 0.00005 {
			t.Errorf("N = %d: %.5f, want %.4f", n, got, want)
		}
	}
	// Half of the requests make 10 calls and half 100: q^10 + q^100 = 1. At 0.975
	// that is 0.7763+0.0795, too little, at 0.985 it is 0.8597+0.2206, too much.
	got := slowestQuantile([]width{{10, 5}, {100, 5}}, 1)
	if sum := math.Pow(got, 10) + math.Pow(got, 100); math.Abs(sum-1) > 1e-9 || got < 0.975 || got > 0.985 {
		t.Errorf("mixed: %v, where the sum is %v", got, sum)
	}
	if got := slowestQuantile([]width{{70, 1}}, 0.5); math.Abs(got-math.Pow(0.5, 1.0/35)) > 1e-9 {
		t.Errorf("half of 70: %v", got)
	}
}

// The median of the k-th of n uniform values: B(k, n+1-k) at a half. Of 1 it is
// 0.5, of the largest 0.5^(1/n), of the smallest one less that.
func TestOrderQuantile(t *testing.T) {
	for _, c := range []struct {
		k, n int64
		want float64
	}{{1, 1, .5}, {69, 69, .9900}, {100, 100, .9931}, {1, 10, 1 - .9330}, {5, 9, .5}} {
		if got := orderQuantile(c.k, c.n); math.Abs(got-c.want) > 0.003 {
			t.Errorf("%d of %d: %v, want %v", c.k, c.n, got, c.want)
		}
	}
}

func TestLeaves(t *testing.T) {
	var s latency.Summary
	for i := range int64(100) {
		s.Record(i + 1) // 1 to 100 ns
	}
	l := newLeaves(&s)
	if l.share(0) != 0 || l.share(50) != 0.5 || l.share(1000) != 1 {
		t.Errorf("shares %v %v %v", l.share(0), l.share(50), l.share(1000))
	}
	if l.at(0.5) != 50 || l.at(0.501) != 51 || l.at(1) != 100 || l.at(0) != 1 {
		t.Errorf("quantiles %v %v %v %v", l.at(0.5), l.at(0.501), l.at(1), l.at(0))
	}
	// After 90, ten of 100 are sent again: 1-(1-F(d))(1-F(d-90)) is 0.90 at 90,
	// 0.9019 at 91-90=1 and F=.91: 1-.09*.99 = 0.9109, at 95: 1-.05*.95 = 0.9525.
	for q, want := range map[float64]time.Duration{0.5: 50, 0.90: 90, 0.9109: 91, 0.911: 92, 0.9524: 95} {
		if got := l.hedged(q, 90); got != want {
			t.Errorf("hedged q %v: %d, want %d", q, got, want)
		}
	}
}

// A hedge against drawing: of two kinds of calls, 2 % slow, the p99 hedged after
// the p95 is about that and a fast call.
func TestHedgedAgainstDrawing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() int64 {
		if r.Float64() < 0.02 {
			return 60e6 + r.Int64N(20e6)
		}
		return 2e6 + r.Int64N(3e6)
	}
	var s latency.Summary
	for range 50000 {
		s.Record(draw())
	}
	l := newLeaves(&s)
	after := l.at(0.95)
	var hedged []int64
	for range 50000 {
		v := draw()
		if v > int64(after) {
			v = min(v, int64(after)+draw())
		}
		hedged = append(hedged, v)
	}
	slices.Sort(hedged)
	for _, q := range []float64{0.5, 0.9, 0.97, 0.99, 0.995} {
		want := time.Duration(hedged[int(q*float64(len(hedged)))])
		if got := l.hedged(q, after); math.Abs(float64(got-want)) > 0.05*float64(want) {
			t.Errorf("q %v: %v, drawn %v", q, got, want)
		}
	}
}

// Ranks by hand: 1, 2.5, 2.5, 4. Spearman of (1,2,3,4,5) and (2,1,4,3,5) is
// 1 - 6·4/(5·24) = 0.8.
func TestCorrelation(t *testing.T) {
	if got := ranks([]time.Duration{10, 30, 30, 70}); !slices.Equal(got, []float64{1, 2.5, 2.5, 4}) {
		t.Errorf("ranks %v", got)
	}
	var s sample
	for i, y := range []time.Duration{2, 1, 4, 3, 5} {
		s.add(request{uint64(i), time.Duration(i), y})
	}
	if got := s.correlation(); math.Abs(got-0.8) > 1e-12 {
		t.Errorf("correlation %v", got)
	}
	s = sample{}
	for i := range 10 {
		s.add(request{uint64(i), time.Duration(i), 5})
	}
	if got := s.correlation(); got != 0 {
		t.Errorf("correlation with what never changes: %v", got)
	}
}

// The grid against counting, for the threshold that it picks.
func TestGridAgainstCounting(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var g grid
	var all [][]time.Duration
	widths := map[int64]int64{}
	for range 500 {
		took := make([]time.Duration, 20+r.IntN(40))
		for i := range took {
			took[i] = time.Duration(r.ExpFloat64() * 5e6)
		}
		slices.Sort(took)
		g.add(took)
		all = append(all, took)
		widths[int64(len(took))]++
	}
	var list []width
	for n, c := range widths {
		list = append(list, width{n, c})
	}
	got, ok := g.judge(int64(len(all)), list)
	if !ok || got.share < 0.005 || got.share > 0.02 {
		t.Fatalf("%+v %v", got, ok)
	}
	// Exponential: the threshold of that share, up to an eighth of an octave.
	found := false
	for j := range gridSize {
		var over, any, calls int
		for _, took := range all {
			n := 0
			for _, d := range took {
				if gridOf(d) > j {
					n++
				}
			}
			over += n
			calls += len(took)
			if n > 0 {
				any++
			}
		}
		if float64(over)/float64(calls) == got.share {
			found = true
			if seen := float64(any) / float64(len(all)); seen != got.seen {
				t.Errorf("seen %v, want %v", got.seen, seen)
			}
			break
		}
	}
	if !found {
		t.Errorf("no threshold has the share %v", got.share)
	}
	if math.Abs(got.z) > 4 || got.dispersion < 0.8 || got.dispersion > 1.25 {
		t.Errorf("independent calls: %+v", got)
	}
}

// Which way dependence goes: calls that are slow together make the share of
// requests with a slow call smaller than 1-(1-p)^n, and its variance larger; one
// slow call in each request, as a hot peer makes it, the other way round.
func TestDependence(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const n, requests = 50, 1000
	run := func(slow func(request, call int) bool) together {
		var g grid
		for i := range requests {
			took := make([]time.Duration, n)
			for k := range took {
				took[k] = time.Millisecond
				if slow(i, k) {
					took[k] = 50 * time.Millisecond
				}
			}
			slices.Sort(took)
			g.add(took)
		}
		got, ok := g.judge(requests, []width{{n, requests}})
		if !ok {
			t.Fatal("not judged")
		}
		return got
	}
	independent := run(func(int, int) bool { return r.Float64() < 0.02 })
	if math.Abs(independent.z) > 4 || math.Abs(independent.dispersion-1) > 0.25 {
		t.Errorf("independent: %+v", independent)
	}
	// A fifth of the requests have ten times as many: 2 % of all again.
	come := run(func(i, _ int) bool { return i%5 == 0 && r.Float64() < 0.1 })
	if come.seen >= come.expected || come.z > farTogether || come.dispersion < minDispersion {
		t.Errorf("together: %+v", come)
	}
	one := run(func(i, k int) bool { return k == i%n })
	if one.seen != 1 || one.z < 4 || one.dispersion > 0.01 {
		t.Errorf("one in each: %+v", one)
	}
}

// Durations from 0 to the longest have a place.
func TestGridEnds(t *testing.T) {
	last := -1
	for d := time.Duration(1); d > 0 && d < 1<<62; d += d/9 + 1 {
		j := gridOf(d)
		if j < last || j >= gridSize || j < 0 {
			t.Fatalf("%d: index %d after %d", d, j, last)
		}
		last = j
	}
	for _, d := range []time.Duration{0, -1, math.MaxInt64} {
		if j := gridOf(d); j < 0 || j >= gridSize {
			t.Errorf("%d: index %d", d, j)
		}
	}
	var g grid
	g.add([]time.Duration{0, 1, math.MaxInt64})
}

// Chernoff's bound is above the exact tail of the binomial distribution.
func TestHotBound(t *testing.T) {
	for _, c := range []struct{ n, k, of int64 }{{8, 60, 200}, {8, 40, 200}, {30, 65, 300}, {3, 90, 100}, {69, 20, 90}, {8, 200, 200}} {
		p := 1 / float64(c.n)
		var tail float64
		for i := c.k; i <= c.of; i++ {
			a, _ := math.Lgamma(float64(c.of + 1))
			b, _ := math.Lgamma(float64(i + 1))
			d, _ := math.Lgamma(float64(c.of - i + 1))
			tail += math.Exp(a - b - d + float64(i)*math.Log(p) + float64(c.of-i)*math.Log1p(-p))
		}
		bound := binomialBound(float64(c.k), float64(c.of), p*float64(c.of))
		if bound < math.Log(tail) || bound > math.Log(tail)+6 {
			t.Errorf("%d of %d, 1 in %d: bound %v, exact %v", c.k, c.of, c.n, bound, math.Log(tail))
		}
	}
}
