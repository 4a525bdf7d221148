package correct

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

const ms = int64(time.Millisecond)

func values(pairs ...int64) *Sampled {
	var s latency.Summary
	for i := 0; i < len(pairs); i += 2 {
		s.RecordN(pairs[i], pairs[i+1])
	}
	return FromSummary(&s)
}

func pct(f Figures, p float64) int64 { return f.Percentile(latency.PercentileOf(p)).Low }

// omission.md section 7: extra samples.
func TestExtraSamples(t *testing.T) {
	for _, c := range [][3]int64{{2000, 80, 24}, {1000, 100, 9}, {199, 100, 0}, {200, 100, 1}, {201, 100, 1}, {1400, 50, 27}, {45589, 1000, 44}, {10, 1, 9}} {
		if got := Stands(c[0], c[1]) - 1; got != c[2] {
			t.Errorf("(%d, %d): %d extra, want %d", c[0], c[1], got, c[2])
		}
	}
}

// omission.md section 4: the 200-sample table, rows of the fill.
func TestTable200(t *testing.T) {
	base := values(50*ms, 199, 2000*ms, 1)
	for _, row := range []struct {
		name string
		f    Figures
		n    int64
		want map[float64]int64
	}{
		{"raw", base, 200, map[float64]int64{50: 50, 90: 50, 95: 50, 99: 50, 99.5: 50, 100: 2000}},
		{"fill", Fill(base, 80*ms), 224, map[float64]int64{50: 50, 90: 240, 95: 1120, 99: 1840, 99.5: 1920, 100: 2000}},
		{"substitution", Substitute(base, 80*ms), 200, map[float64]int64{50: 50, 90: 400, 95: 1200, 99: 1840, 99.5: 1920, 100: 2000}},
	} {
		if row.f.Count() != row.n {
			t.Errorf("%s: n = %d, want %d", row.name, row.f.Count(), row.n)
		}
		for p, want := range row.want {
			if got := pct(row.f, p); got != want*ms {
				t.Errorf("%s: p%v = %v, want %d ms", row.name, p, time.Duration(got), want)
			}
		}
	}
}

// omission.md section 7: HdrHistogram's own test data, and a freeze of half the run.
func TestHdrHistogramExample(t *testing.T) {
	base := values(1000, 10000, 100_000_000, 1)
	f := Fill(base, 10_000)
	if base.Count() != 10001 || f.Count() != 20000 {
		t.Errorf("counts %d, %d", base.Count(), f.Count())
	}
	near := func(name string, got int64, want float64) {
		if math.Abs(float64(got)-want) > want/1000 {
			t.Errorf("%s = %d, want %v within 0.1 %%", name, got, want)
		}
	}
	near("p50", pct(f, 50), 1000)
	near("p75", pct(f, 75), 5e7)
	near("p90", pct(f, 90), 8e7)
	near("p99", pct(f, 99), 9.8e7)
	if got := base.Mean().Low; got != 10998 { // 10 998.9 rounded down
		t.Errorf("raw mean %d", got)
	}
	if got := f.Mean().Low; got != 25_003_000 {
		t.Errorf("mean %d, want 25 003 000", got)
	}
	freeze := Fill(values(1*ms, 10000, 100_000*ms, 1), 10*ms)
	for p, want := range map[float64]float64{50: 1, 75: 50_001, 90: 80_001, 99: 98_001} {
		near("freeze", pct(freeze, p), want*float64(ms))
	}
}

// wrk2Raw is the uncorrected spectrum of example 2 of wrk2's README (100
// connections, 2000 requests a second, a freeze of 1.4 s): microseconds and
// cumulative counts.
var wrk2Raw = []int64{
	325, 1, 1210, 3950, 1819, 7905, 2343, 11851, 2737, 15809, 3015, 19760,
	3153, 21738, 3289, 23722, 3459, 25698, 3691, 27650, 3915, 29630, 4053, 30621,
	4175, 31624, 4299, 32612, 4423, 33599, 4587, 34564, 4735, 35057, 4871, 35560,
	4975, 36051, 5063, 36543, 5143, 37039, 5187, 37282, 5239, 37533, 5291, 37782,
	5347, 38024, 5435, 38278, 5487, 38392, 5555, 38514, 5635, 38642, 5735, 38760,
	5863, 38885, 5899, 38946, 5955, 39007, 6019, 39071, 6067, 39133, 6127, 39194,
	6187, 39223, 6287, 39255, 6347, 39284, 6411, 39315, 6487, 39346, 6539, 39362,
	6591, 39379, 6711, 39392, 1413119, 39411, 1414143, 39500, 1414143, 39500,
}

// omission.md section 7: what the fill makes of it at one connection's interval
// of 50 ms, and at the global interval that one must not take.
func TestWrk2Example2(t *testing.T) {
	var s latency.Summary
	var below int64
	for i := 0; i < len(wrk2Raw); i += 2 {
		s.RecordN(wrk2Raw[i]*1000, wrk2Raw[i+1]-below)
		below = wrk2Raw[i+1]
	}
	base := FromSummary(&s)
	if base.Count() != 39500 {
		t.Fatalf("count %d", base.Count())
	}
	for p, want := range map[float64]int64{92.5: 64, 95: 514, 97.5: 964, 99: 1264} {
		if got := pct(Substitute(base, 50*ms), p); got/ms != want {
			t.Errorf("substitution p%v = %v, want %d ms", p, time.Duration(got), want)
		}
	}
	for p, want := range map[float64]int64{92.5: 6, 95: 464, 97.5: 964, 99: 1263} {
		if got := pct(Fill(base, 50*ms), p); got/ms != want {
			t.Errorf("additive p%v = %v, want %d ms", p, time.Duration(got), want)
		}
	}
	if got := pct(Fill(base, ms/2), 50); got/ms != 173 {
		t.Errorf("1/R p50 = %v, want 173 ms", time.Duration(got))
	}
}

// The formula says what HdrHistogram's loop says.
func TestFillAgainstLoop(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n, interval := 1+r.IntN(60), 1+r.Int64N(300)
		var s latency.Summary
		var all []int64
		for range n {
			v := r.Int64N(2000)
			s.Record(v)
			all = append(all, v)
			for w := v - interval; w >= interval; w -= interval {
				all = append(all, w)
			}
		}
		slices.Sort(all)
		f := Fill(FromSummary(&s), interval)
		if f.Count() != int64(len(all)) {
			t.Fatalf("count %d, want %d", f.Count(), len(all))
		}
		var sum float64
		for _, v := range all {
			sum += float64(v)
		}
		if got := float64(f.Mean().Low); math.Abs(got-sum/float64(len(all))) > 1.5 {
			t.Fatalf("mean %v, want %v", got, sum/float64(len(all)))
		}
		for _, p := range []float64{0, 10, 50, 75, 90, 95, 99, 99.9, 100} {
			rank := latency.PercentileOf(p).Rank(int64(len(all)))
			if got, want := pct(f, p), all[rank-1]; got != want {
				t.Fatalf("i=%d p%v = %d, want %d of %v", interval, p, got, want, all)
			}
		}
	}
}

// Another implementation: hdrhistogram-go's RecordCorrectedValue.
func TestFillAgainstHdrHistogram(t *testing.T) {
	h := hdrhistogram.New(1, int64(time.Hour), 3)
	var s latency.Summary
	r := rand.New(rand.NewPCG(8, 1))
	for range 4000 { // few enough for an exact summary
		v := int64(r.ExpFloat64() * 3e6)
		if r.IntN(100) == 0 {
			v += r.Int64N(2e9)
		}
		s.Record(v)
		if err := h.RecordCorrectedValue(v, 20*ms); err != nil {
			t.Fatal(err)
		}
	}
	f := Fill(FromSummary(&s), 20*ms)
	if f.Count() != h.TotalCount() {
		t.Fatalf("count %d, hdrhistogram-go says %d", f.Count(), h.TotalCount())
	}
	for _, p := range []float64{50, 75, 90, 95, 99, 99.9, 100} {
		rank, _ := Ranks(ingest.RuleHdrC, latency.PercentileOf(p), f.Count())
		got, want := float64(f.at(rank)), float64(h.ValueAtPercentile(p))
		if math.Abs(got-want) > want*2/1024 {
			t.Errorf("p%v = %v, hdrhistogram-go says %v", p, got, want)
		}
	}
}

// The flip point against a search over every interval.
func TestFlipAgainstSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 150 {
		var s latency.Summary
		for range 1 + r.IntN(40) {
			s.Record(ShortestInterval/2 + r.Int64N(ShortestInterval))
		}
		for range 1 + r.IntN(3) {
			s.Record(r.Int64N(40 * ShortestInterval))
		}
		base := FromSummary(&s)
		limit := Limit{latency.PercentileOf([]float64{50, 90, 99}[r.IntN(3)]), r.Int64N(20 * ShortestInterval), r.IntN(2) == 0}
		var want int64
		if base.Percentile(limit.Percentile).Low <= limit.most() {
			for i := base.Max().Low; i >= ShortestInterval && want == 0; i-- {
				if Fill(base, i).Percentile(limit.Percentile).Low > limit.most() {
					want = i
				}
			}
		}
		got := Flip(base, limit)
		if got != want {
			t.Fatalf("flip %d, want %d", got, want)
		}
		if want > 0 {
			found++
		}
	}
	if found < 20 {
		t.Errorf("only %d of the cases flip", found)
	}
}

// corpus lab hey-c1: flip of p99<500ms at 666.9 ms; omission.md section 7: the
// objectives of the 200-sample table.
func TestFlipOfLab(t *testing.T) {
	base := values(505*ms/10, 199, 20007*ms/10, 1)
	if got := Flip(base, Limit{latency.P99, 500 * ms, true}); got/100_000 != 6669 {
		t.Errorf("flip at %v, want 666.9 ms", time.Duration(got))
	}
	lab := values(50*ms, 199, 2000*ms, 1)
	for limit, fails := range map[int64]bool{100: true, 200: true, 500: true, 1839: true, 1840: false, 1900: false} {
		got := Fill(lab, 80*ms).Percentile(latency.P99).Low > limit*ms
		if got != fails {
			t.Errorf("p99<=%dms fails: %v", limit, got)
		}
		if flips := Flip(lab, Limit{latency.P99, limit * ms, false}) >= 80*ms; flips != fails {
			t.Errorf("p99<=%dms flips at 80 ms: %v", limit, flips)
		}
	}
}

// The bounds hold every set of samples that a summary allows, and are reached
// by one of them within what rounding and rank slack leave.
func TestBoundsHoldEverySampleSet(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	rules := []ingest.QuantileRule{ingest.RuleUnknown, ingest.NearestRank, ingest.RuleHdrC, ingest.RuleHey, ingest.RuleWrk, ingest.RuleOha, ingest.RuleLinear}
	narrow := 0
	for range 400 {
		n := 5 + r.IntN(200)
		samples := make([]int64, n)
		for i := range samples {
			samples[i] = r.Int64N(100)
			if r.IntN(20) == 0 {
				samples[i] += r.Int64N(5000)
			}
		}
		slices.Sort(samples)
		unit := []int64{1, 4, 10}[r.IntN(3)]
		cut := r.IntN(2) == 0
		round := func(v float64) time.Duration {
			if cut {
				return time.Duration(int64(v) / unit * unit)
			}
			return time.Duration(int64(math.Floor(v/float64(unit)+0.5)) * unit)
		}
		a := &ingest.Aggregate{Count: int64(n), Min: -1, Mean: -1, Max: -1, Unit: time.Duration(unit), Truncates: cut, Rule: rules[r.IntN(len(rules))]}
		if r.IntN(4) > 0 {
			a.Max = round(float64(samples[n-1]))
		}
		if r.IntN(2) > 0 {
			a.Min = round(float64(samples[0]))
		}
		for _, p := range []float64{10, 50, 75, 90, 95, 99, 99.9} {
			from, to := Ranks(a.Rule, latency.PercentileOf(p), int64(n))
			v := (float64(samples[from-1]) + float64(samples[to-1])) / 2
			a.Quantiles = append(a.Quantiles, ingest.Quantile{Percentile: p, Value: round(v), Unit: time.Duration(unit)})
		}
		if r.IntN(2) == 0 {
			var last int64 = -1
			for _, edge := range []int64{samples[0], 50, 100, 1000, 6000} {
				if edge <= last {
					continue
				}
				var c int64
				for _, v := range samples {
					if v > last && v <= edge {
						c++
					}
				}
				a.Buckets = append(a.Buckets, ingest.Bucket{Low: time.Duration(max(last, 0)), High: time.Duration(edge), Count: c, Unit: 1})
				last = edge
			}
		}
		brackets, err := Brackets(a)
		if err != nil {
			t.Fatalf("%v: %v of %v", err, a, samples)
		}
		interval := 1 + r.Int64N(400)
		if r.IntN(6) == 0 {
			interval = Infinite
		}
		var s latency.Summary
		for _, v := range samples {
			s.Record(v)
		}
		truth := Fill(FromSummary(&s), interval)
		for _, p := range []float64{25, 50, 90, 95, 99, 99.9} {
			got, want := FillBounds(brackets, interval).Percentile(latency.PercentileOf(p)), pct(truth, p)
			if want < got.Low || want > got.High {
				t.Fatalf("p%v of %v at interval %d is %d, outside [%d, %d]; brackets %v", p, samples, interval, want, got.Low, got.High, brackets)
			}
			if got.High != Infinite && got.High-got.Low < 100 {
				narrow++
			}
		}
	}
	if narrow < 500 {
		t.Errorf("bounds are narrow only %d times: they say too little", narrow)
	}
}

// The term's extremes by the formula and by trying every value.
func TestExtreme(t *testing.T) {
	for interval := int64(1); interval < 12; interval++ {
		for a := int64(0); a < 30; a += 3 {
			for b := a; b < 60; b += 2 {
				for x := int64(-1); x < 50; x += 2 {
					for _, p := range []int64{10_000_000, 50_000_000, 99_000_000} {
						least, most := wide{math.MaxInt64, 0}, wide{math.MinInt64, 0}
						for v := a; v <= b; v++ {
							t := term(v, x, interval, p)
							if t.less(least) {
								least = t
							}
							if most.less(t) {
								most = t
							}
						}
						if g := extreme(a, b, x, interval, p, true); g != least {
							t.Fatalf("least of [%d,%d] x=%d i=%d p=%d: %d, want %d", a, b, x, interval, p, g, least)
						}
						if g := extreme(a, b, x, interval, p, false); g != most {
							t.Fatalf("most of [%d,%d] x=%d i=%d p=%d: %d, want %d", a, b, x, interval, p, g, most)
						}
					}
				}
			}
		}
	}
}

func BenchmarkFillOneHour(b *testing.B) {
	base := values(3600*1000*ms, 1)
	for b.Loop() {
		f := Fill(base, 1000)
		for _, p := range []float64{50, 75, 90, 95, 99, 99.9, 99.99} {
			pct(f, p)
		}
		f.Mean()
	}
}
