package spanscsv

import (
	"bytes"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

func BenchmarkRead(b *testing.B) {
	data := tracetest.Corpus(b, "traces/csv-nezha/online-boutique.2022-08-22_05_43.first320.csv")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for r := range Format.Read(bytes.NewReader(data), ingest.Input{}) {
			if _, ok := r.(*ingest.Span); ok {
				n++
			}
		}
		if n != 15022 {
			b.Fatal(n)
		}
	}
}
