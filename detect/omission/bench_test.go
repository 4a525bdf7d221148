package omission_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/omission"
	"github.com/tailcheck/tailcheck/ingest"
)

// A million samples of 50 workers with a stall: what all detectors cost after
// the table is finished.
func BenchmarkDetectors(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var records []ingest.Sample
	free := make([]time.Duration, 50)
	for i := range 1_000_000 {
		w := i % len(free)
		l := time.Duration(2e6 + r.ExpFloat64()*1e6)
		if at := free[w]; at > 20*time.Second && at < 20*time.Second+5*time.Millisecond {
			l += 2 * time.Second
		}
		l = l.Round(100 * time.Microsecond)
		records = append(records, ingest.Sample{Pos: ingest.Pos{Offset: int64(i + 1)}, Start: ingest.Relative(free[w]), Latency: l, Vantage: ingest.Client, Status: 200})
		free[w] += l
	}
	for b.Loop() {
		b.StopTimer()
		var t detect.Table
		t.Add(&ingest.Run{Tool: "hey", Loop: ingest.Closed, Treated: ingest.Raw})
		for i := range records {
			t.Add(&records[i])
		}
		t.Finish()
		b.StartTimer()
		found := 0
		for _, d := range omission.Detectors {
			found += len(d.Judge(&t))
		}
		if found != 1 {
			b.Fatalf("%d findings, want 1", found)
		}
	}
}
