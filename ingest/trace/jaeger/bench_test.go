package jaeger

import (
	"bytes"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

func BenchmarkRead(b *testing.B) {
	data := tracetest.Corpus(b, "recorded/redis/go-redis-cluster.jaeger-api.json")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for r := range Format.Read(bytes.NewReader(data), ingest.Input{}) {
			if _, ok := r.(*ingest.Span); ok {
				n++
			}
		}
		if n != 372 {
			b.Fatal(n)
		}
	}
}
