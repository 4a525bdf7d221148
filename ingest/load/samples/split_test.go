package samples

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/tailcheck/tailcheck/ingest"
)

// someRows is a file with quoted operations, failures, malformed rows and
// blank lines, of dates or of times from its own start.
func someRows(r *rand.Rand, n int, dates bool) []byte {
	var b bytes.Buffer
	b.WriteString("due_s,start_s,latency_ms,status,op\n")
	origin := 0.0
	if dates {
		origin = 1795988128
		b.WriteString("x,,,,\n") // decides nothing
	}
	for i := range n {
		due := origin + float64(i)*0.08
		switch r.IntN(12) {
		case 0:
			fmt.Fprintf(&b, "%.6f,%.6f\n", due, due)
		case 1:
			fmt.Fprintf(&b, "%.6f,%.6f,%.3f,0,\"GET /a,\"\"b\"\"\"\n", due, due, r.Float64())
		case 2:
			b.WriteString("\r\n")
		default:
			fmt.Fprintf(&b, "%.6f,%.6f,%.3f,%d,GET /%d\n", due, due+r.ExpFloat64(), r.ExpFloat64()*50, 200+r.IntN(2)*300, r.IntN(3))
		}
	}
	return b.Bytes()
}

// Reading a file in parts cut behind any line gives the same samples, problems
// and positions as reading it whole, however the bytes arrive.
func TestAnySplitReadsAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, dates := range []bool{false, true} {
		data := someRows(r, 400, dates)
		head := data[:min(len(data), 2000)] // parts are told the start only
		whole := readAll(t, data, ingest.Input{Index: 2, Head: head})
		if len(whole.samples) < 200 || len(whole.problems) == 0 || whole.runs[0].Absolute != dates {
			t.Fatalf("%d samples, %d problems, run %+v", len(whole.samples), len(whole.problems), whole.runs[0])
		}
		for cut, c := range data {
			if c != '\n' {
				continue
			}
			a := readAll(t, data[:cut+1], ingest.Input{Index: 2, Head: head})
			z := readAll(t, data[cut+1:], ingest.Input{Index: 2, Head: head, Part: 1, Offset: int64(cut + 1)})
			if len(a.runs) != 1 || len(z.runs) != 0 || !same(a, z, whole) {
				t.Fatalf("cut at %d: another reading", cut)
			}
		}
		var slowly result
		for rec, err := range Format.Read(iotest.HalfReader(bytes.NewReader(data)), ingest.Input{Index: 2}) {
			switch rec := rec.(type) {
			case *ingest.Sample:
				slowly.samples = append(slowly.samples, *rec)
			case *ingest.Problem:
				slowly.problems = append(slowly.problems, *rec)
			case nil:
				t.Fatal(err)
			}
		}
		if !same(slowly, result{}, whole) {
			t.Error("another reading in small steps, without a head")
		}
	}
}

func same(a, z, whole result) bool {
	return slices.EqualFunc(append(a.samples, z.samples...), whole.samples, func(a, b ingest.Sample) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) &&
		slices.EqualFunc(append(a.problems, z.problems...), whole.problems, func(a, b ingest.Problem) bool { return a.Pos == b.Pos && a.Err.Error() == b.Err.Error() })
}

func BenchmarkRead(b *testing.B) {
	const n = 100_000
	var file bytes.Buffer
	file.WriteString("seq,intended_offset_s,send_offset_s,done_offset_s,latency_from_intended_s,latency_from_send_s,status\n")
	for i := range n {
		due := float64(i) * 0.001
		fmt.Fprintf(&file, "%d,%.6f,%.6f,%.6f,0.051128,0.051122,200\n", i, due, due+0.000006, due+0.051128)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		samples := 0
		for rec := range Format.Read(bytes.NewReader(file.Bytes()), ingest.Input{Head: file.Bytes()[:1000]}) {
			if _, ok := rec.(*ingest.Sample); ok {
				samples++
			}
		}
		if samples != n {
			b.Fatal(samples)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}
