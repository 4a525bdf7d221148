package omission

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// summarise prints a sample set as a tool would: percentiles rounded to a unit,
// picked by one of the ranks that tools use, and perhaps eleven bars.
func summarise(r *rand.Rand, values []int64) *ingest.Aggregate {
	slices.Sort(values)
	n := int64(len(values))
	unit := []int64{1, 1000, 100_000}[r.IntN(3)]
	rounded := func(v int64) time.Duration { return time.Duration((v + unit/2) / unit * unit) }
	var sum int64
	for _, v := range values {
		sum += v
	}
	a := &ingest.Aggregate{}
	a.Reset()
	a.Count, a.Unit = n, time.Duration(unit)
	a.Mean, a.Max = rounded(sum/n), rounded(values[n-1])
	if r.IntN(2) == 0 {
		a.Min = rounded(values[0])
	}
	shift := int64(r.IntN(2))
	for _, p := range []float64{50, 75, 90, 95, 99} {
		rank := min(latency.PercentileOf(p).Rank(n)+shift, n)
		a.Quantiles = append(a.Quantiles, ingest.Quantile{Percentile: p, Value: rounded(values[rank-1]), Unit: time.Duration(unit)})
	}
	if r.IntN(2) == 0 {
		low, width := values[0], (values[n-1]-values[0])/10+1
		for i := range int64(10) {
			b := ingest.Bucket{Low: rounded(low + i*width), High: rounded(low + (i+1)*width), Unit: time.Duration(unit)}
			for _, v := range values {
				if v > low+i*width && v <= low+(i+1)*width || i == 0 && v == low {
					b.Count++
				}
			}
			a.Buckets = append(a.Buckets, b)
		}
	}
	return a
}

func draw(r *rand.Rand) []int64 {
	values := make([]int64, 100+r.IntN(3000))
	for i := range values {
		values[i] = int64(1e6 + r.ExpFloat64()*5e6)
		if r.IntN(200) == 0 {
			values[i] += int64(r.ExpFloat64() * 1e9)
		}
	}
	return values
}

// What a summary is said to allow holds for the samples behind it.
func TestSummariesAllowTheirSamples(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 5))
		values := draw(r)
		a := summarise(r, values)
		s := fromAggregate(a)
		for range 20 {
			x := int64(r.Float64() * float64(values[len(values)-1]) * 1.1)
			var above int64
			for _, v := range values {
				if v > x {
					above++
				}
			}
			low, high := s.above(x)
			// The maximum is printed rounded, so a sample in the last half unit may be on either side.
			if edge := x >= int64(a.Max)-int64(a.Unit); !edge && (above < low || above > high) {
				t.Fatalf("seed %d: %d above %d, allowed %d to %d\n%+v", seed, above, x, low, high, a)
			}
		}
		interval := int64(1 + r.Int64N(1e8))
		var fill float64
		for _, v := range values {
			fill += float64(max(0, v/interval-1))
		}
		slack := float64(int64(a.Max)/interval + int64(len(s.ranks)) + 2) // one rank of each percentile, and rounding
		if low, high := s.sum(func(v int64) float64 { return float64(max(0, v/interval-1)) }); fill < low-slack || fill > high+slack {
			t.Errorf("seed %d: a fill adds %v, allowed %v to %v", seed, fill, low, high)
		}
		var sum float64
		for _, v := range values {
			sum += float64(v)
		}
		unprinted := *a
		unprinted.Mean = -1
		u := fromAggregate(&unprinted)
		if least := float64(u.meanAtLeast()); least > 1.02*sum/float64(len(values))+float64(a.Unit) {
			t.Errorf("seed %d: mean %v, said to be at least %v", seed, sum/float64(len(values)), least)
		}
	}
}

// A report that a tool made of samples does not contradict itself.
func TestTrueSummariesAreConsistent(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 6))
		a := summarise(r, draw(r))
		var e evidence
		e.aggregate(a, false)
		if len(e) > 0 {
			t.Errorf("seed %d: %+v\n%+v", seed, e, a)
		}
	}
}

func TestSamplesAboveExactly(t *testing.T) {
	s := fromValues(samples, []latency.Value{{V: 50, Count: 199}, {V: 2000, Count: 1}})
	for _, c := range []struct{ x, want int64 }{{10, 200}, {50, 1}, {1999, 1}, {2000, 0}} {
		if low, high := s.above(c.x); low != c.want || high != c.want {
			t.Errorf("above %d: %d to %d, want %d", c.x, low, high, c.want)
		}
	}
	// Extra samples of a fill: knowledge section 7.
	if low, high := s.sum(func(v int64) float64 { return float64(max(0, v/80-1)) }); low != 24 || high != 24 {
		t.Errorf("a fill at 80 adds %v to %v, want 24", low, high)
	}
}
