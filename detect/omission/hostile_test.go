package omission_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/detect/omission"
	"github.com/tailcheck/tailcheck/ingest"
)

// odd returns numbers that reports do not have and files may.
func odd(r *rand.Rand) int64 {
	return []int64{0, 1, -1, 2, 1000, 1e6, 1e9, 1e12, 1e15, math.MaxInt64, math.MinInt64, math.MaxInt64 / 2, -1e9, r.Int64(), r.Int64N(1e10)}[r.IntN(15)]
}

func oddFloat(r *rand.Rand) float64 {
	return []float64{0, -1, 1, 100, 1e-300, 1e300, math.Inf(1), math.NaN(), r.Float64() * 1e4}[r.IntN(9)]
}

// Whatever a reader yields, the detectors say something or nothing.
func TestOddRecords(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 9))
		run := &ingest.Run{
			Pos: ingest.Pos{Offset: 1}, Tool: []string{"", "hey", "wrk", "wrk2"}[r.IntN(4)], Loop: ingest.Loop(r.IntN(4)), Treated: ingest.Treatment(r.IntN(4)),
			CatchUp: r.IntN(2) == 0, Counted: r.IntN(2) == 0, Capped: r.IntN(9) == 0,
			Workers: int(max(0, int32(odd(r)))), Rate: oddFloat(r), Interval: time.Duration(odd(r)), Timeout: time.Duration(odd(r)), Planned: time.Duration(odd(r)),
			Elapsed: time.Duration(odd(r)), Achieved: oddFloat(r), Requests: odd(r), Errors: odd(r), Lost: odd(r), Timeouts: odd(r), Dropped: odd(r),
			Command: []string{"", "hey http://a", `hey 'x`, "\x00 ' \" \\"}[r.IntN(4)],
		}
		records := []ingest.Record{run}
		if r.IntN(3) > 0 {
			times := []int64{r.Int64N(1e12), odd(r)}
			for i := range r.IntN(300) {
				s := &ingest.Sample{Pos: ingest.Pos{Offset: int64(i + 2)}, Vantage: ingest.Client, Latency: time.Duration(r.Int64N(1e8)), Outcome: ingest.Outcome(r.IntN(4))}
				s.Start = ingest.Time(times[0] + int64(i)*1e6)
				if r.IntN(60) == 0 {
					s.Start, s.Latency = ingest.Time(odd(r)), time.Duration(odd(r))
				}
				if r.IntN(9) == 0 {
					s.Due = ingest.Time(odd(r))
				}
				records = append(records, s)
			}
		} else {
			a := &ingest.Aggregate{Pos: ingest.Pos{Offset: 2}, Count: odd(r), Min: time.Duration(odd(r)), Mean: time.Duration(odd(r)), Max: time.Duration(odd(r)), Unit: time.Duration(max(0, odd(r))), Complete: r.IntN(3) == 0, Digest: oddFloat(r), Treated: ingest.Treatment(r.IntN(4))}
			for range r.IntN(6) {
				a.Quantiles = append(a.Quantiles, ingest.Quantile{Percentile: oddFloat(r), Value: time.Duration(odd(r)), Unit: time.Duration(odd(r))})
			}
			for range r.IntN(6) {
				a.Buckets = append(a.Buckets, ingest.Bucket{Low: time.Duration(odd(r)), High: time.Duration(odd(r)), Count: odd(r)})
			}
			records = append(records, a)
		}
		for _, f := range detecttest.Fold(omission.Detectors, [][]ingest.Record{records}) {
			if f.Message == "" || len(detecttest.Numbers(f)) == 0 {
				t.Errorf("seed %d: %+v", seed, f)
			}
		}
		_ = omission.OpenLoop(*run)
	}
}

// Long requests over many gaps cost no more than others: this would not end.
func TestManyOverlaps(t *testing.T) {
	var tab detect.Table
	tab.Add(&ingest.Run{Loop: ingest.Open, Treated: ingest.Raw})
	const n = 100_000
	for i := range n {
		s := ingest.Sample{Pos: ingest.Pos{Offset: int64(i + 1)}, Vantage: ingest.Client, Start: ingest.Relative(time.Duration(i)), Latency: time.Hour}
		if i%2 == 1 {
			s.Start, s.Latency = ingest.Relative(time.Duration(i)*time.Second/100+time.Duration(i%200/100)*time.Second), time.Millisecond
		}
		tab.Add(&s)
	}
	tab.Finish()
	for _, d := range omission.Detectors {
		d.Judge(&tab)
	}
}
