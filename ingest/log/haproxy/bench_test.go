package haproxy

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

func bench(b *testing.B, line func(*bytes.Buffer, *rand.Rand, time.Time)) {
	const n = 100_000
	var buf bytes.Buffer
	r, at := rand.New(rand.NewPCG(1, 2)), time.Date(2026, 11, 29, 21, 0, 0, 0, time.UTC)
	for i := range n {
		line(&buf, r, at.Add(time.Duration(i)*time.Millisecond))
	}
	data := buf.Bytes()
	in := ingest.Input{Head: data[:ingest.HeadSize], Options: utc}
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
	bench(b, func(w *bytes.Buffer, r *rand.Rand, at time.Time) {
		fmt.Fprintf(w, "10.0.%d.%d:%d [%s] www~ shop/web%d 0/%d/0/%d/%d 200 %d - - ---- %d/1/0/0/0 0/0 {shop.example} {} \"GET /api/section%d/%d?page=1 HTTP/1.1\"\n",
			r.IntN(256), r.IntN(256), 1024+r.IntN(60000), at.Format("02/Jan/2006:15:04:05.000"), r.IntN(4), r.IntN(3), r.IntN(90), r.IntN(99), r.IntN(9999), r.IntN(100), r.IntN(8), r.IntN(100000))
	})
}

func BenchmarkJSON(b *testing.B) {
	bench(b, func(w *bytes.Buffer, r *rand.Rand, at time.Time) {
		fmt.Fprintf(w, "{\"time_local\":\"%s\",\"backend\":\"shop\",\"server\":\"web%d\",\"method\":\"GET\",\"uri\":\"/api/section%d/%d\",\"status\":200,\"TR\":0,\"Tw\":%d,\"Tc\":0,\"Tr\":%d,\"Ta\":%d,\"termination_state\":\"----\",\"retries\":\"0\"}\n",
			at.Format("02/Jan/2006:15:04:05.000"), r.IntN(4), r.IntN(8), r.IntN(100000), r.IntN(3), r.IntN(90), r.IntN(99))
	})
}
