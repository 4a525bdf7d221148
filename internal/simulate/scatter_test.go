package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// The classic model to the digit: published tables, worked out by hand from the
// rule r = (3·node + 7·attempt + 17) mod 20.
func TestClassicTables(t *testing.T) {
	for _, c := range []struct{ n, wait, slow int }{{1, 17, 0}, {5, 200, 1}, {20, 200, 1}, {100, 200, 5}} {
		wait, sent, answers, slow := ClassicScatter(c.n, Policy{})
		if wait != time.Duration(c.wait)*ms || sent != c.n || answers != c.n || slow != c.slow {
			t.Errorf("all of %d: %v, %d sent, %d answers, %d slow", c.n, wait, sent, answers, slow)
		}
	}
	for _, c := range []struct{ k, wait int }{{50, 15}, {90, 19}, {99, 200}, {100, 200}} {
		wait, sent, answers, _ := ClassicScatter(100, Policy{Kind: FirstK, K: c.k})
		if wait != time.Duration(c.wait)*ms || sent != 100 || answers != c.k {
			t.Errorf("first %d: %v, %d sent, %d answers", c.k, wait, sent, answers)
		}
	}
	for _, c := range []struct{ after, wait, sent int }{
		{5, 22, 200}, {20, 37, 105}, {50, 67, 105}, {150, 167, 105},
		{9, 26, 200}, {10, 27, 195}, {15, 32, 145}, {19, 36, 105}, {200, 200, 100},
	} {
		wait, sent, answers, _ := ClassicScatter(100, Policy{Kind: Hedged, After: time.Duration(c.after) * ms})
		if wait != time.Duration(c.wait)*ms || sent != c.sent || answers != 100 {
			t.Errorf("hedged after %d ms: %v, %d sent, %d answers", c.after, wait, sent, answers)
		}
	}
	if wait, _, answers, _ := ClassicScatter(100, Policy{Kind: Deadline, After: 30 * ms}); wait != 30*ms || answers != 95 {
		t.Errorf("deadline: %v, %d answers", wait, answers)
	}
}

// leaves that have closed forms, and their cumulative distributions written
// again.
var leaves = []struct {
	leaf Leaf
	cdf  func(ms float64) float64
}{
	{ExponentialLeaf(10 * ms), func(x float64) float64 { return 1 - math.Exp(-x/10) }},
	{LognormalLeaf(10*ms, 0.8), func(x float64) float64 { return 0.5 * (1 + math.Erf(math.Log(x/10)/0.8/math.Sqrt2)) }},
	{ParetoLeaf(5*ms, 1.7), func(x float64) float64 { return max(0, 1-math.Pow(5/x, 1.7)) }},
	{TwoPoint(0.05, 200*ms, 10*ms), func(x float64) float64 {
		switch {
		case x >= 200:
			return 1
		case x >= 10:
			return 0.95
		}
		return 0
	}},
}

// within of a policy: the probability that a request waits no longer than x.
func closedForm(cdf func(float64) float64, n int, p Policy, x float64) float64 {
	after := float64(p.After) / 1e6
	N := float64(n)
	switch p.Kind {
	case FirstK: // at least k of n are within x
		sum, f := 0.0, cdf(x)
		for j := p.K; j <= n; j++ {
			lg := func(v int) float64 { g, _ := math.Lgamma(float64(v + 1)); return g }
			term := lg(n) - lg(j) - lg(n-j)
			if f > 0 && f < 1 {
				sum += math.Exp(term + float64(j)*math.Log(f) + float64(n-j)*math.Log1p(-f))
			} else if f == 1 && j == n {
				sum = 1
			}
		}
		return sum
	case Deadline:
		if x >= after {
			return 1
		}
	case Tied:
		return math.Pow(1-(1-cdf(x))*(1-cdf(x)), N)
	case Hedged:
		if x >= after {
			return math.Pow(1-(1-cdf(x))*(1-cdf(x-after)), N)
		}
	}
	return math.Pow(cdf(x), N)
}

var printed = []latency.Percentile{latency.P50, latency.P90, latency.P99, latency.P999}

// Against closed forms, for many seeds: the interval that is stated holds the
// truth as often as it says. The truth is in it where the probability of no more
// than its low end is at most q, and that of its high end at least q.
func TestScatterAgainstClosedForms(t *testing.T) {
	seeds, draws := uint64(16), int64(2000)
	if testing.Short() {
		seeds = 10
	}
	for _, l := range leaves {
		for _, n := range []int{1, 5, 69, 1000} {
			for _, p := range []Policy{{}, {Kind: FirstK, K: (n + 1) / 2}, {Kind: FirstK, K: max(1, n-n/20)}, {Kind: Deadline, After: 30 * ms},
				{Kind: Hedged, After: 15 * ms}, {Kind: Hedged, After: ms}, {Kind: Tied}} {
				held, all := 0, 0
				for seed := range seeds {
					got := Scatter{n, l.leaf, p, 0}.Run(draws, seed)
					for _, q := range printed {
						low, high := Interval(&got.Waits, q)
						all++
						const tick = 2e-6 // of rounding to whole nanoseconds
						below := closedForm(l.cdf, n, p, float64(low)/1e6-tick)
						above := closedForm(l.cdf, n, p, float64(high)/1e6+tick)
						if below <= q.Percent()/100+1e-12 && above >= q.Percent()/100-1e-12 {
							held++
						}
					}
				}
				// 95 % each, dependent within a seed: 5 standard deviations of a mean over seeds.
				if share := float64(held) / float64(all); share < 0.95-5*math.Sqrt(0.95*0.05/float64(seeds)) {
					t.Errorf("%v, n=%d, %v: the interval held the truth in %.1f %%", l.leaf, n, p, 100*share)
				}
			}
		}
	}
}

// Requests sent and answers returned have closed forms, too.
func TestScatterCounts(t *testing.T) {
	for _, l := range leaves {
		for _, n := range []int{1, 20, 200} {
			within := l.cdf(15)
			for seed := range uint64(8) {
				near := func(what string, got Sum, want float64) {
					if e := got.Error(); math.Abs(got.Mean()-want) > 5*e+1e-9 {
						t.Errorf("%v n=%d seed %d: %s %.4f ± %.4f, want %.4f", l.leaf, n, seed, what, got.Mean(), e, want)
					}
				}
				h := Scatter{n, l.leaf, Policy{Kind: Hedged, After: 15 * ms}, 0}.Run(5000, seed)
				near("sent", h.Sent, float64(n)*(2-within))
				d := Scatter{n, l.leaf, Policy{Kind: Deadline, After: 15 * ms}, 0}.Run(5000, seed)
				near("answers", d.Answers, float64(n)*within)
				near("sent", d.Sent, float64(n))
			}
		}
	}
}

// P(any slow) = 1-(1-p)^N: 1 % at 100, 0.01 % at 2000, and 5 % as published.
func TestAnySlow(t *testing.T) {
	for _, c := range []struct {
		p    float64
		n    int
		want float64
	}{{0.01, 100, 63.40}, {0.0001, 2000, 18.13}, {0.05, 1, 5.00}, {0.05, 5, 22.62}, {0.05, 20, 64.15}, {0.05, 100, 99.41}, {0.01, 69, 50.02}} {
		if got := math.Round(1e4*AnySlow(c.p, c.n)) / 100; got != c.want {
			t.Errorf("%g at %d: %.2f %%, want %.2f", c.p, c.n, got, c.want)
		}
		const draws = 200_000
		got := Scatter{c.n, TwoPoint(c.p, 200*ms, 10*ms), Policy{}, 100 * ms}.Run(draws, 3)
		want := AnySlow(c.p, c.n)
		if d := math.Abs(float64(got.Slow)/draws - want); d > 4*math.Sqrt(want*(1-want)/draws) {
			t.Errorf("%g at %d: drawn %.4f, want %.4f", c.p, c.n, float64(got.Slow)/draws, want)
		}
	}
}

// The k-th of n exponentials has mean m·Σ 1/(n-k+i), and the slowest of n hedged
// ones the closed form above; here means, which are no percentiles.
func TestOrderStatisticsOfExponentials(t *testing.T) {
	const n, draws = 50, 100_000
	for _, k := range []int{1, 2, 5, 25, 49, 50} {
		want, variance := 0.0, 0.0
		for i := 1; i <= k; i++ {
			x := 10 / float64(n-k+i)
			want += x
			variance += x * x
		}
		got := Scatter{n, ExponentialLeaf(10 * ms), Policy{Kind: FirstK, K: k}, 0}.Run(draws, 1)
		if d := math.Abs(float64(got.Waits.Mean())/1e6 - want); d > 4*math.Sqrt(variance/draws) {
			t.Errorf("%d of %d: mean %.4f, want %.4f", k, n, float64(got.Waits.Mean())/1e6, want)
		}
	}
}

// Drawing only what decides is the same as drawing everything: the slow, plain
// way, on times that were measured.
func TestScatterIsWhatDrawingEachLeafIs(t *testing.T) {
	var values []latency.Value
	r := rand.New(rand.NewPCG(1, 2))
	var s latency.Summary
	for range 3000 {
		s.Record(int64(math.Exp(r.NormFloat64()) * 1e7))
	}
	values = s.Values()
	leaf := NewMeasured(values)
	const n, draws = 30, 40_000
	for _, p := range []Policy{{}, {Kind: FirstK, K: 20}, {Kind: Deadline, After: 30 * ms}, {Kind: Hedged, After: 20 * ms}, {Kind: Hedged}, {Kind: Tied}} {
		var plain latency.Summary
		var sent, answers float64
		for range draws {
			wait, extra, back := plainScatter(r, leaf, n, p)
			plain.Record(int64(wait))
			sent += float64(n + extra)
			answers += float64(back)
		}
		got := Scatter{n, leaf, p, 0}.Run(draws, 9)
		for _, q := range printed[:3] {
			l1, h1 := Interval(&plain, q)
			l2, h2 := Interval(&got.Waits, q)
			if l1 > h2 || l2 > h1 {
				t.Errorf("%v %v: one by one %v to %v, at once %v to %v", p, q, l1, h1, l2, h2)
			}
		}
		if d := math.Abs(sent/draws - got.Sent.Mean()); d > 8*got.Sent.Error()+1e-9 {
			t.Errorf("%v: sent %.3f, %.3f", p, sent/draws, got.Sent.Mean())
		}
		if d := math.Abs(answers/draws - got.Answers.Mean()); d > 8*got.Answers.Error()+1e-9 {
			t.Errorf("%v: answers %.3f, %.3f", p, answers/draws, got.Answers.Mean())
		}
	}
}

func plainScatter(r *rand.Rand, leaf Leaf, n int, p Policy) (wait time.Duration, extra, answers int) {
	took := make([]time.Duration, n)
	answers = n
	for i := range took {
		took[i] = leaf.Quantile(r.Float64())
		second := leaf.Quantile(r.Float64())
		switch {
		case p.Kind == Tied:
			took[i] = min(took[i], second)
			extra++
		case p.Kind == Hedged && took[i] > p.After:
			took[i] = min(took[i], p.After+second)
			extra++
		case p.Kind == Deadline && took[i] > p.After:
			took[i] = p.After
			answers--
		}
	}
	if p.Kind == FirstK {
		answers = p.K
		for range n - p.K { // drop the slowest
			worst := 0
			for i := range took {
				if took[i] > took[worst] {
					worst = i
				}
			}
			took[worst] = 0
		}
	}
	for _, d := range took {
		wait = max(wait, d)
	}
	return wait, extra, answers
}

func TestBinomial(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 10, 1000, 1_000_000} {
		for _, p := range []float64{0, 1e-6, 0.01, 0.3, 0.5, 0.97, 1} {
			var s Sum
			for range 4000 {
				s.add(float64(binomial(r, n, p)))
			}
			mean, variance := float64(n)*p, float64(n)*p*(1-p)
			if d := math.Abs(s.Mean() - mean); d > 5*math.Sqrt(variance/4000)+1e-9 {
				t.Errorf("n=%d p=%g: mean %g, want %g", n, p, s.Mean(), mean)
			}
			got := s.Error() * s.Error() * 4000
			if variance > 1 && math.Abs(got/variance-1) > 0.2 {
				t.Errorf("n=%d p=%g: variance %g, want %g", n, p, got, variance)
			}
		}
	}
}

// Quantile and Share are each other's inverse.
func TestLeaves(t *testing.T) {
	list := []Leaf{constant(5 * ms), NewMeasured([]latency.Value{{V: 1, Count: 3}, {V: 4, Count: 1}, {V: 9, Count: 6}})}
	for _, l := range leaves {
		list = append(list, l.leaf)
	}
	for _, l := range list {
		for i := range 2001 {
			u := float64(i) / 2000
			if u == 1 && l.Quantile(u) > time.Hour*24*365 {
				continue // no end
			}
			d := l.Quantile(u)
			if got := l.Share(d + 1); got < u-1e-9 {
				t.Errorf("%v: share of quantile %g (%v) is %g", l, u, d, got)
			}
			if got := l.Share(d - 2); i > 0 && got > u+1e-9 {
				t.Errorf("%v: share below quantile %g (%v) is %g", l, u, d, got)
			}
		}
	}
	m := NewMeasured([]latency.Value{{V: 1, Count: 3}, {V: 4, Count: 1}, {V: 9, Count: 6}})
	for u, want := range map[float64]time.Duration{0: 1, 0.3: 1, 0.31: 4, 0.4: 4, 0.41: 9, 1: 9} {
		if got := m.Quantile(u); got != want {
			t.Errorf("quantile %g: %d, want %d", u, got, want)
		}
	}
	if NewMeasured(nil) != nil {
		t.Error("no values, and yet a distribution")
	}
}

func TestSameOnAnyNumberOfCores(t *testing.T) {
	s := Scatter{20, LognormalLeaf(10*ms, 1), Policy{Kind: Hedged, After: 20 * ms}, 50 * ms}
	text := func(cores int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		r := s.Run(100_000, 5)
		return fmt.Sprint(r.Waits.Values(), r.Slow, r.Sent, r.Answers)
	}
	if one, five := text(1), text(5); one != five {
		t.Error("the result depends on the number of cores")
	}
}

// 10 million requests of 100 leaves are to take under 10 s on two cores.
func BenchmarkScatter(b *testing.B) {
	var s latency.Summary
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		s.Record(int64(math.Exp(r.NormFloat64()) * 1e7))
	}
	leaf := NewMeasured(s.Values())
	for _, p := range []Policy{{}, {Kind: FirstK, K: 95}, {Kind: Deadline, After: 50 * ms}, {Kind: Hedged, After: leaf.Quantile(0.95)}, {Kind: Hedged, After: leaf.Quantile(0.1)}, {Kind: Tied}} {
		b.Run(p.String(), func(b *testing.B) {
			const draws = 1_000_000
			for b.Loop() {
				if got := (Scatter{100, leaf, p, 0}).Run(draws, 1); got.Waits.Count() != draws {
					b.Fatal("draws are missing")
				}
			}
			b.ReportMetric(float64(draws)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mdraws/s")
		})
	}
}
