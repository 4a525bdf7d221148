package hgrm_test

import (
	"bytes"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/hgrm"
)

func BenchmarkRead(b *testing.B) {
	h := hdrhistogram.New(1, 3600e9, 3)
	for i := range 100_000 {
		_ = h.RecordValue(int64(i) * int64(i))
	}
	var text bytes.Buffer
	_, _ = h.PercentilesPrint(&text, 5, 1e6)
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		for range hgrm.Format.Read(bytes.NewReader(text.Bytes()), ingest.Input{}) {
		}
	}
}
