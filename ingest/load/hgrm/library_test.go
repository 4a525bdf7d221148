package hgrm_test

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tailcheck/tailcheck/ingest"
)

// Every row of hdrhistogram-go's own print is read back.
func TestAgainstHdrhistogramGo(t *testing.T) {
	h := hdrhistogram.New(1, 3600e9, 3)
	v := uint64(1)
	for range 100_000 {
		v = v*6364136223846793005 + 1442695040888963407
		_ = h.RecordValue(int64(v>>40) * int64(v>>50) / 1000)
	}
	for _, ticks := range []int32{1, 5, 50} {
		var b bytes.Buffer
		if _, err := h.PercentilesPrint(&b, ticks, 1); err != nil {
			t.Fatal(err)
		}
		got := read(t, b.String(), ingest.Input{Options: ingest.Options{Unit: time.Nanosecond}})
		a := got.agg
		if len(got.problems) > 0 || a.Count != h.TotalCount() || total(a) != h.TotalCount() || int64(a.Max) != h.Max() || !a.Complete {
			t.Fatalf("%d ticks: %+v %v", ticks, a, got.problems)
		}
		rows := h.CumulativeDistributionWithTicks(ticks)
		i, n := 0, int64(0)
		for _, x := range a.Buckets {
			n += x.Count
			for rows[i].ValueAt < int64(x.High) {
				i++
			}
			if rows[i].ValueAt != int64(x.High) || rows[i].Count != n {
				t.Fatalf("%d ticks: %d samples up to %d, want %+v", ticks, n, x.High, rows[i])
			}
		}
		for _, q := range a.Quantiles {
			j := slices.IndexFunc(rows, func(r hdrhistogram.Bracket) bool {
				return math.Abs(r.Quantile-q.Percentile) < 6e-5 && r.ValueAt == int64(q.Value)
			})
			if j < 0 {
				t.Fatalf("%d ticks: no row for %+v", ticks, q)
			}
		}
	}
}
