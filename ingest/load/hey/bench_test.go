package hey

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tailcheck/tailcheck/ingest"
)

// manyRows is a CSV of hey with n rows: 2 ms latencies with a stall every
// thousand, two minutes of offsets.
func manyRows(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	b.WriteString(header8 + "\n")
	for i := range n {
		latency := 0.002 + r.ExpFloat64()*0.001
		if i%1000 == 0 {
			latency += 1.4
		}
		fmt.Fprintf(&b, "%.4f,%.4f,0.0000,0.0000,%.4f,%.4f,200,%.4f\n", latency, r.Float64()*0.001, latency*0.9, latency*0.05, float64(i)*120/float64(n))
	}
	return b.Bytes()
}

const benchRows = 200_000

// BenchmarkCSV compares the bare reader with what one would write by hand
// (encoding/csv with a reused record, the response time into an HdrHistogram),
// in one run. The goal is eight times its speed on two cores.
func BenchmarkCSV(b *testing.B) {
	data := manyRows(benchRows)
	perRow := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
		b.SetBytes(int64(len(data)))
	}
	b.Run("tailcheck", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for rec := range readCSV(bytes.NewReader(data), ingest.Input{}) {
				if _, ok := rec.(*ingest.Sample); ok {
					n++
				}
			}
			if n != benchRows {
				b.Fatal(n)
			}
		}
		perRow(b)
	})
	b.Run("tailcheck+hdr", func(b *testing.B) {
		for b.Loop() {
			h := hdrhistogram.New(1, int64(time.Hour), 3)
			for rec := range readCSV(bytes.NewReader(data), ingest.Input{}) {
				if s, ok := rec.(*ingest.Sample); ok {
					_ = h.RecordValue(int64(s.Latency))
				}
			}
		}
		perRow(b)
	})
	b.Run("encoding-csv+hdr", func(b *testing.B) {
		for b.Loop() {
			h := hdrhistogram.New(1, int64(time.Hour), 3)
			r := csv.NewReader(bytes.NewReader(data))
			r.ReuseRecord = true
			if _, err := r.Read(); err != nil {
				b.Fatal(err)
			}
			for {
				rec, err := r.Read()
				if err == io.EOF {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				v, err := strconv.ParseFloat(rec[0], 64)
				if err != nil {
					b.Fatal(err)
				}
				_ = h.RecordValue(int64(v * 1e9))
			}
		}
		perRow(b)
	})
}

// BenchmarkCSVSlow is the path of rows that have not the usual shape: response
// times of ten seconds and more.
func BenchmarkCSVSlow(b *testing.B) {
	data := bytes.ReplaceAll(manyRows(benchRows), []byte("\n0."), []byte("\n10."))
	for b.Loop() {
		for range readCSV(bytes.NewReader(data), ingest.Input{}) {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}
