package correct

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// The flip point of a summary is an interval at which every set of samples misses
// the limit; and where a plan within the run's means misses it, there is one.
func TestFlipBoundsAgainstPlans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	missedBy, unseen := 0, 0
	for range 400 {
		n := 50 + r.IntN(2000)
		base := int64(100_000 + r.IntN(50_000_000))
		var s latency.Summary
		for range n {
			v := base + r.Int64N(base/2+1)
			if r.IntN(200) == 0 {
				v = base * int64(2+r.IntN(60))
			}
			s.Record(v / 100_000 * 100_000)
		}
		d := FromSummary(&s)
		a := &ingest.Aggregate{}
		a.Reset()
		a.Count, a.Min, a.Max, a.Unit, a.Rule = int64(n), time.Duration(s.Min()), time.Duration(s.Max()), 100*time.Microsecond, ingest.RuleHey
		for _, p := range []float64{10, 25, 50, 75, 90, 95, 99} {
			rank, _ := Ranks(a.Rule, latency.PercentileOf(p), int64(n))
			a.Quantiles = append(a.Quantiles, ingest.Quantile{Percentile: p, Value: time.Duration(d.At(rank)), Unit: a.Unit})
		}
		brackets, err := Brackets(a)
		if err != nil {
			t.Fatal(err)
		}
		limit := Limit{latency.PercentileOf([]float64{90, 99, 99.9}[r.IntN(3)]), base * int64(2+r.IntN(20)), true}
		missed := func(i int64) bool { return FillBounds(brackets, i).Percentile(limit.Percentile).Low > limit.most() }
		if missed(Infinite) {
			continue
		}
		flip := FlipBounds(brackets, limit)
		if flip > 0 && !missed(flip) {
			t.Fatalf("%v meets the limit at its flip point %v", limit, time.Duration(flip))
		}
		for i := s.Max(); i >= base; i -= i / 5 {
			if missed(i) {
				if missedBy++; flip < i {
					unseen++
				}
				break
			}
		}
	}
	// windows narrower than the search's steps may be left out
	if missedBy < 100 || unseen*50 > missedBy {
		t.Errorf("no flip point was found for %d of %d", unseen, missedBy)
	}
}

// The sign of a sum in 128 bits is that of the sum in big numbers.
func TestSignOfSum(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	signs := [3]int{}
	for range 20_000 {
		var b Bounded
		at := int64(0)
		for range 1 + r.IntN(6) {
			high := at + r.Int64N(1<<(1+r.IntN(50)))
			b.brackets = append(b.brackets, Bracket{at, high, 1 + r.Int64N(1<<(1+r.IntN(58)))})
			at = high
		}
		b.interval = ShortestInterval + r.Int64N(1<<(1+r.IntN(45)))
		p, x, least := latency.Percentile(r.Int64N(int64(latency.P100)+1)), r.Int64N(at+2)-1, r.IntN(2) == 0
		got, want := b.sign(p, x, least), b.sum(p, x, least).Sign()
		if got != want {
			t.Fatalf("%v at %d: p %d, x %d: %d, want %d", b.brackets, b.interval, p, x, got, want)
		}
		signs[got+1]++
	}
	if signs[0] < 1000 || signs[2] < 1000 {
		t.Errorf("signs %v", signs)
	}
}

// Counts and latencies beyond any run give no answer rather than a wrong one.
func TestBeyondCounting(t *testing.T) {
	const month = latency.Highest
	d := FromValues([]latency.Value{{V: 1000, Count: 9e14}, {V: month, Count: 1e14}})
	if flip := Flip(d, Limit{latency.P50, 500 * ms, true}); flip != 0 && Fill(d, flip).Percentile(latency.P50).Low < 500*ms {
		t.Errorf("flip at %v", time.Duration(flip))
	}
	r := Mend(Case{Run: ingest.Run{Interval: time.Microsecond}, Samples: d})
	if r.Figures != nil || r.Refused == "" {
		t.Errorf("a fill of %d samples: %+v", d.Count(), r)
	}

	// a term and its sum, with numbers of any size
	for _, v := range []int64{0, 999, 1000, 3600 * 1000 * ms, month} {
		for _, x := range []int64{-1, 500, 500 * ms, month} {
			e, stands := big.NewInt(over(v, x, 1000)), big.NewInt(Stands(v, 1000))
			want := e.Mul(e, big.NewInt(int64(latency.P100)))
			want.Sub(want, stands.Mul(stands, big.NewInt(1_000_000)))
			got := (&Bounded{brackets: []Bracket{{v, v, math.MaxInt64}}, interval: 1000}).sum(latency.P99, x, true)
			if want.Mul(want, big.NewInt(math.MaxInt64)); got.Cmp(want) != 0 {
				t.Errorf("sum of %d above %d: %v, want %v", v, x, got, want)
			}
		}
	}
}

// A plan of less than one request in the whole run is still weighed: what the
// plan had then is the longest request at most, and never nothing.
func TestPlanLongerThanRun(t *testing.T) {
	d := FromValues([]latency.Value{{V: 50 * ms, Count: 199}, {V: 2000 * ms, Count: 1}})
	for _, interval := range []time.Duration{10 * time.Second, time.Minute, 80 * time.Minute, 24 * time.Hour} {
		r := Mend(Case{Run: ingest.Run{Interval: interval, Workers: 1, Elapsed: 12 * time.Second, Loop: ingest.Closed}, Samples: d})
		if r.Figures == nil || r.Weighed == nil {
			t.Fatalf("%v: %+v", interval, r)
		}
		if got := r.Weighed.Percentile(latency.P99).Low; got != 2000*ms {
			t.Errorf("at one every %v the weighed p99 is %v", interval, time.Duration(got))
		}
	}
	for _, c := range []struct {
		workers  int
		elapsed  time.Duration
		interval int64
		want     int64
	}{
		{1, 12 * time.Second, 80 * ms, 150},
		{1, time.Second, 3600_000 * ms, 1},
		{1000, 24 * 365 * time.Hour, 1000, 31_536_000_000_000_000},
		{math.MaxInt, math.MaxInt64, 1000, math.MaxInt64},
	} {
		if got := planned(c.workers, c.elapsed, c.interval); got != c.want {
			t.Errorf("%d workers, %v, one every %d: %d, want %d", c.workers, c.elapsed, c.interval, got, c.want)
		}
	}
}
