package correct

import (
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
