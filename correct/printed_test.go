package correct

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// Without the number of samples ranks say nothing, but every percentile lies
// between the minimum and the maximum, as far as they are printed.
func TestPrintedWithoutCount(t *testing.T) {
	const ms = time.Millisecond
	summary := func(low, high time.Duration) *ingest.Aggregate {
		a := &ingest.Aggregate{}
		a.Reset()
		a.Min, a.Max, a.Unit = low, high, ms/100
		a.Quantiles = append(a.Quantiles, ingest.Quantile{Percentile: 50, Value: 7 * ms})
		return a
	}
	for _, c := range []struct {
		a    *ingest.Aggregate
		want Range
	}{
		{summary(-1, 12340*time.Microsecond), Range{0, 12_345_000}},
		{summary(2*ms, 12340*time.Microsecond), Range{1_995_000, 12_345_000}},
		{summary(2*ms, -1), Unknown},
		{summary(-1, -1), Unknown},
		{summary(-1, 0), Unknown},       // nothing was measured
		{summary(20*ms, 2*ms), Unknown}, // contradicts itself
	} {
		d := FromAggregate(c.a)
		for _, p := range []latency.Percentile{latency.P75, latency.P99, latency.P9999} {
			if got := d.Percentile(p); got != c.want || d.IsPrinted(p) {
				t.Errorf("%v to %v: %v %v, want %v", c.a.Min, c.a.Max, p, got, c.want)
			}
		}
		if got := d.Percentile(latency.P50); got != Exactly(int64(7*ms)) {
			t.Errorf("p50 %v", got)
		}
	}
	whole := summary(-1, 12340*time.Microsecond)
	whole.Count, whole.Truncates = 100, true
	if got := FromAggregate(whole).Percentile(latency.P99); got.High != 12_350_000 {
		t.Errorf("with a count: %v", got)
	}
}

// A fill of figures of which nothing says that they are raw says so.
func TestUnstated(t *testing.T) {
	raw := values(50*ms, 199, 2000*ms, 1)
	var filled latency.Summary
	for _, v := range []int64{2000, 1920, 1840, 1760, 1680, 1600, 1520, 1440, 1360, 1280, 1200, 1120, 1040, 960, 880, 800, 720, 640, 560, 480, 400, 320, 240, 160, 80} {
		filled.Record(v * ms)
	}
	filled.RecordN(50*ms, 199)
	run := ingest.Run{Loop: ingest.Closed, Interval: 80 * time.Millisecond, IntervalFrom: "--interval"}
	for _, unstated := range []bool{false, true} {
		r := Mend(Case{Run: run, Samples: raw, Unstated: unstated})
		if got := strings.HasPrefix(r.Assumes, "the reported figures are raw, which nothing says; "); r.Method != FillAdded || got != unstated {
			t.Errorf("unstated %v: %s, assumes %q", unstated, r.Method, r.Assumes)
		}
		r = Mend(Case{Run: run, Samples: FromSummary(&filled), Unstated: unstated})
		if got := strings.HasSuffix(r.Refused, ", or the reported figures are corrected already"); r.Method != None || got != unstated {
			t.Errorf("unstated %v, filled already: %s, %q", unstated, r.Method, r.Refused)
		}
	}
}

// What the plan lacks is named.
func TestMissingOfThePlan(t *testing.T) {
	raw := values(50*ms, 199, 2000*ms, 1)
	for want, run := range map[string]ingest.Run{
		"the rate is, the number of workers is not (--workers)":                {Rate: 12.5, RateFrom: "--rate"},
		"the number of workers is, the rate is not (--rate)":                   {Workers: 4, WorkersFrom: "report"},
		"neither the rate and the number of workers nor one worker's interval": {Workers: 4}, // counted from the samples
	} {
		if got := Mend(Case{Run: run, Samples: raw}).Refused; got != "the plan is not known: "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
