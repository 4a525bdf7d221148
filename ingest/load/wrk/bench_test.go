package wrk_test

import (
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/wrk"
)

func BenchmarkRead(b *testing.B) {
	b.SetBytes(int64(len(report)))
	b.ReportAllocs()
	for b.Loop() {
		for range wrk.Format.Read(strings.NewReader(report), ingest.Input{}) {
		}
	}
}
