package envoy

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// held is a part of an input in memory, as the pipeline hands it over.
type held struct {
	*bytes.Reader
	data []byte
}

func (h held) Bytes() []byte { return h.data }

func bench(b *testing.B, line func(*bytes.Buffer, *rand.Rand, string)) {
	const n = 100_000
	var buf bytes.Buffer
	r, at := rand.New(rand.NewPCG(1, 2)), time.Date(2026, 11, 29, 21, 0, 0, 0, time.UTC)
	for i := range n {
		line(&buf, r, at.Add(time.Duration(i)*time.Millisecond).Format("2006-01-02T15:04:05.000Z"))
	}
	data := buf.Bytes()
	in := ingest.Input{Head: data[:ingest.HeadSize]}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		got := 0
		for rec, err := range format.Read(held{bytes.NewReader(data), data}, in) {
			if err != nil {
				b.Fatal(err)
			}
			if _, ok := rec.(*ingest.Sample); ok {
				got++
			}
		}
		if got != n {
			b.Fatal(got)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

func BenchmarkText(b *testing.B) {
	bench(b, func(w *bytes.Buffer, r *rand.Rand, at string) {
		fmt.Fprintf(w, "[%s] \"GET /api/section%d/%d?page=1 HTTP/1.1\" 200 - 0 %d %d %d \"10.0.0.%d\" \"curl/8.5.0\" \"%032x\" \"shop.example\" \"10.0.9.%d:8080\"\n",
			at, r.IntN(8), r.IntN(100000), r.IntN(9999), 5+r.IntN(90), r.IntN(5), r.IntN(256), r.Uint64(), r.IntN(4))
	})
}

func BenchmarkJSON(b *testing.B) {
	bench(b, func(w *bytes.Buffer, r *rand.Rand, at string) {
		fmt.Fprintf(w, "{\"duration\":%d,\"method\":\"GET\",\"path\":\"/api/section%d/%d\",\"protocol\":\"HTTP/1.1\",\"response_code\":200,\"response_flags\":\"-\",\"route_name\":\"default\",\"start_time\":\"%s\",\"upstream_host\":\"10.0.9.%d:8080\"}\n",
			5+r.IntN(90), r.IntN(8), r.IntN(100000), at, r.IntN(4))
	})
}
