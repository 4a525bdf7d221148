package storm_test

import (
	"testing"

	"github.com/tailcheck/tailcheck/detect/storm"
)

// What the tallies cost for each span: traces of a healthy shop, of a fan-out,
// with storms, and with N+1. Traces are assembled before; what detectors share
// (paths, groups) is worked out in the first round and reused.
func BenchmarkAdd(b *testing.B) {
	for _, c := range []struct{ name, path string }{
		{"clean", fixtures + "clean/traces.jsonl"},
		{"fan-out", fixtures + "trace/fan-out-69/traces.pb.zst"},
		{"storms", fixtures + "trace/redis-mget-48/traces.jsonl"},
		{"n-plus-one", fixtures + "trace/redis-n-plus-one/traces.jsonl"},
	} {
		b.Run(c.name, func(b *testing.B) {
			spans := read(b, c.path, 0)
			records := traces(b, spans)
			b.ReportAllocs()
			for b.Loop() {
				for _, d := range storm.Detectors {
					tally := d.New()
					for _, r := range records {
						tally.Add(r)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(spans)), "ns/span")
		})
	}
}
