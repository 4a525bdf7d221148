package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// What requests count for is what a fill makes of them.
func TestWeighIsTheFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var s latency.Summary
		var all []int64
		for range 50 {
			v := int64(math.Exp(10 * rng.Float64()))
			s.Record(v)
			all = append(all, v)
		}
		interval, x := 1+rng.Int64N(500), rng.Int64N(20_000)
		f := correct.Fill(correct.FromSummary(&s), interval)
		var n, above float64
		for _, v := range all {
			w, a := counting{interval}.weigh(v, x)
			n += w
			above += a
		}
		if n != float64(f.Count()) || above != float64(f.Above(x)) {
			t.Fatalf("interval %d, above %d: %v of %v, want %d of %d", interval, x, above, n, f.Above(x), f.Count())
		}
	}
}

// Independent requests are worth about their number; runs of c equal ones, in
// which each is repeated, a c-th of it. By Student's law it is a little less.
func TestInflation(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, c := range []int{1, 5, 20} {
		var sum float64
		const runs = 200
		for range runs {
			var v []int64
			for len(v) < 20_000 {
				x := rng.Int64N(1000)
				for range c {
					v = append(v, x)
				}
			}
			sum += inflation(v, counting{}, 900, 0.05)
		}
		t.Logf("%d: %.2f", c, sum/runs)
		if mean := sum / runs; mean < float64(c) || mean > 1.35*float64(c) {
			t.Errorf("runs of %d: inflation %.2f", c, mean)
		}
	}
	// an independent half of the run and one in which all are slow: no block
	// holds what hangs together
	var v []int64
	for i := range 10_000 {
		x := rng.Int64N(1000)
		if i > 5000 {
			x += 1000
		}
		v = append(v, x)
	}
	if f := inflation(v, counting{}, 1000, 0.05); !math.IsInf(f, 1) {
		t.Errorf("a run of two halves: %v", f)
	}
	if f := inflation(v[:50], counting{}, 500, 0.05); f != 1 {
		t.Errorf("too few: %v", f)
	}
}

// One request of 200 fills 24 more (the stall of tailcheck lab):
// all 25 hang on one draw.
func TestClumping(t *testing.T) {
	var s latency.Summary
	s.RecordN(50, 199)
	s.RecordN(2000, 1)
	d := correct.FromSummary(&s)
	share := 25.0 / 224
	// by hand: the slow one misses its share by 25·(1-share), each fast one by share
	want := (math.Pow(25*(1-share), 2) + 199*share*share) / (224 * share * (1 - share))
	if got := clumping(d, counting{80}, 60); math.Abs(got-want) > 1e-9 || want < 20 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := clumping(d, counting{}, 60); got != 1 {
		t.Errorf("without a fill: %v", got)
	}
}

func BenchmarkInflation(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	v := make([]int64, 1<<20)
	for i := range v {
		v[i] = rng.Int64N(1e9)
	}
	b.SetBytes(8 << 20)
	for b.Loop() {
		inflation(v, counting{}, 99e7, 0.05)
	}
}

func BenchmarkRanks(b *testing.B) {
	for b.Loop() {
		ranks(0.999, 1e7, 0.0125)
	}
}
