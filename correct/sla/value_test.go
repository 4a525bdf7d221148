package sla

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// samples are sorted latencies.
type samples []int64

func (s samples) Count() int64 { return int64(len(s)) }
func (s samples) Percentile(p latency.Percentile) correct.Range {
	return correct.Exactly(s[p.Rank(int64(len(s)))-1])
}
func (s samples) Min() correct.Range { return correct.Exactly(s[0]) }
func (s samples) Max() correct.Range { return correct.Exactly(s[len(s)-1]) }
func (s samples) Mean() correct.Range {
	var sum int64
	for _, v := range s {
		sum += v
	}
	return correct.Exactly(sum / int64(len(s)))
}

// Whatever the lost requests and the lower bounds really were, the true value
// lies in the range, and a verdict never contradicts it.
func TestCensoredAgainstEveryTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	reached := 0
	for range 20000 {
		n, lost, bounded := 1+r.IntN(30), r.IntN(4), r.IntN(4)
		bounded = min(bounded, n)
		limit := int64(r.IntN(60))
		raw := make(samples, n)
		for i := range raw {
			raw[i] = int64(1 + r.IntN(100))
		}
		// the last ones drawn are lower bounds
		for i := n - bounded; i < n; i++ {
			raw[i] = max(raw[i], limit)
		}
		truth := slices.Clone(raw)
		for i := n - bounded; i < n; i++ {
			truth[i] += int64(r.IntN(3)) * int64(r.IntN(80))
		}
		for range lost {
			truth = append(truth, limit+int64(r.IntN(3))*int64(r.IntN(80)))
		}
		slices.Sort(raw)
		slices.Sort(truth)
		p := []latency.Percentile{latency.P50, latency.P75, latency.P90, latency.P99, 37_123_456}[r.IntN(5)]
		c := Case{Raw: raw, Lost: int64(lost), Bounded: int64(bounded), CensoredAt: limit}
		o := Objective{Percentile: p, Strict: true, Limit: int64(1 + r.IntN(120))}
		if r.IntN(6) == 0 {
			o = Objective{Metric: Mean, Strict: true, Limit: o.Limit}
		} else if r.IntN(6) == 0 {
			o = Objective{Metric: Max, Strict: true, Limit: o.Limit}
		}
		is := truth.Max()
		switch o.Metric {
		case Quantile:
			is = truth.Percentile(p)
		case Mean:
			is = truth.Mean()
		}
		x := c.value(raw, o)
		if is.Low < x.Low || is.High > x.High {
			t.Fatalf("%v of %v + %d lost at %d, %d bounds: %v is outside %v (truth %v)", o, raw, lost, limit, bounded, is, x.Range, truth)
		}
		if is.Low == x.Low {
			reached++
		}
		v := Judge(o, c)
		if v.Verdict == Pass && is.Low >= o.Limit {
			t.Fatalf("a wrong pass: %v of %v", o, truth)
		}
		if v.Verdict == Fail && is.Low < o.Limit && x.Low != o.Limit {
			t.Fatalf("a wrong fail: %v of %v", o, truth)
		}
	}
	if reached < 5000 {
		t.Errorf("the lower end is the truth in %d of 20000 cases: the range is too wide", reached)
	}
}

func TestCensoredPart(t *testing.T) {
	// hey: 99 of 200 requests timed out at 20 s; the 101 others took 17 ms or less.
	hey := make(samples, 101)
	for i := range hey {
		hey[i] = int64(10+i/15) * ms
	}
	printed := fake{n: 101, max: exactly(17), at: map[latency.Percentile]correct.Range{latency.P50: exactly(13), latency.P90: exactly(16), latency.P99: exactly(17)}}
	quick := fake{n: 10_000_000, max: exactly(1900), at: map[latency.Percentile]correct.Range{latency.P90: exactly(40), latency.P99: exactly(50)}}
	// wrk-c1 of the lab: 237 requests, one of them timed out.
	wrk := fake{n: 237, max: exactly(52), at: map[latency.Percentile]correct.Range{latency.P90: exactly(50.9), latency.P99: exactly(51.3)}}
	for _, c := range []struct {
		name string
		expr string
		c    Case
		want string
	}{
		{"p99 of requests that timed out", "p99<500ms", Case{Raw: hey, Lost: 99, CensoredAt: 20e9}, Fail},
		{"the limit is beyond the time-out", "p99<30s", Case{Raw: hey, Lost: 99, CensoredAt: 20e9}, Inconclusive},
		{"at the time-out", "p99<=20s", Case{Raw: hey, Lost: 99, CensoredAt: 20e9}, Fail},
		{"half of all answered in time", "p50<18ms", Case{Raw: hey, Lost: 99, CensoredAt: 20e9}, Pass},
		{"the median moved up", "p50<14ms", Case{Raw: hey, Lost: 99, CensoredAt: 20e9}, Fail},
		{"one more and it has not", "p50<18ms", Case{Raw: hey, Lost: 102, CensoredAt: 20e9}, Fail},
		{"time-out not known", "p99<500ms", Case{Raw: hey, Lost: 99}, Inconclusive},
		{"printed median is of the quick half", "p50<14ms", Case{Raw: printed, Lost: 99, CensoredAt: 20e9}, Fail},
		{"printed, the rank lies above p90", "p50<16ms", Case{Raw: printed, Lost: 99, CensoredAt: 20e9}, Fail},
		{"printed, below the maximum", "p50<18ms", Case{Raw: printed, Lost: 99, CensoredAt: 20e9}, Pass},
		{"a dozen of ten millions", "p99<500ms", Case{Raw: quick, Lost: 12, CensoredAt: 2e9}, Pass},
		{"one in two hundred of them", "p99<500ms", Case{Raw: quick, Lost: 50_000, CensoredAt: 2e9}, Inconclusive},
		{"one in fifty of them", "p99<500ms", Case{Raw: quick, Lost: 200_000, CensoredAt: 2e9}, Fail},
		{"one of 238, p99 keeps its rank", "p99<500ms", Case{Corrected: wrk, ByTool: true, Lost: 1, CensoredAt: 2e9}, Pass},
		{"one of 238, suspect", "p99<500ms", Case{Corrected: wrk, ByTool: true, Lost: 1, CensoredAt: 2e9, Suspect: true}, Inconclusive},
		{"one of 238, p99.9", "p99.9<500ms", Case{Corrected: wrk, ByTool: true, Lost: 1, CensoredAt: 2e9}, Fail},
		{"number of samples not known", "p99<500ms", Case{Raw: fake{at: wrk.at}, Lost: 1, CensoredAt: 2e9}, Inconclusive},
		{"number of samples not known, missed", "p99<50ms", Case{Raw: fake{at: wrk.at}, Lost: 1, CensoredAt: 2e9}, Fail},
		{"number of samples from the counts", "p99<500ms", Case{Raw: fake{at: wrk.at}, Lost: 1, CensoredAt: 2e9, Counted: true, Requests: 238}, Pass},
		{"absurd counts", "p99<500ms", Case{Raw: wrk, Lost: 1<<63 - 1, Bounded: 1<<63 - 1}, Inconclusive},
		{"negative counts", "p99<500ms", Case{Raw: wrk, Lost: -5, Bounded: -5}, Pass},
	} {
		if v := Judge(objective(t, c.expr), c.c); v.Verdict != c.want {
			t.Errorf("%s: %s, want %s (%s)", c.name, v.Verdict, c.want, v.Why)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	raw := make(samples, 10000)
	for i := range raw {
		raw[i] = int64(i)
	}
	o, _ := Parse("p99<500ms")
	for b.Loop() {
		Judge(o, Case{Raw: raw, Corrected: raw, Lost: 3, CensoredAt: 2e9, RawRule: "nearest rank", Method: "fill"})
	}
}

func TestNotPrinted(t *testing.T) {
	for how, want := range map[string]string{
		"printed by hey, by its own rule":                       "from what hey printed",
		"printed by wrk2 (HdrHistogram (C, Go))":                "from what wrk2 printed",
		"printed by the load tool (nearest rank), from buckets": "from what the load tool printed",
		"printed by hey": "from what hey printed",
		"nearest rank":   "nearest rank", "filled by wrk": "filled by wrk", "": "",
	} {
		if got := NotPrinted(how); got != want {
			t.Errorf("%q: %q, want %q", how, got, want)
		}
	}
}
