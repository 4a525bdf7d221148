package wrk2_test

import (
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/wrk2"
)

func BenchmarkRead(b *testing.B) {
	text := published(b, "readme-example1-u_latency.txt")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for range wrk2.Format.Read(strings.NewReader(text), ingest.Input{}) {
		}
	}
}
