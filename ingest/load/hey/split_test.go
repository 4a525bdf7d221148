package hey

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tailcheck/tailcheck/ingest"
)

// Reading a file in parts cut behind any line gives the same samples, problems
// and positions as reading it whole, however the bytes arrive.
func TestAnySplitReadsAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, header := range []string{header8, header6, header1} {
		var b bytes.Buffer
		b.WriteString(header + "\n")
		for range 300 {
			row := make([]string, columns([]byte(header)))
			for i := range row {
				row[i] = fmt.Sprintf("%.4f", r.ExpFloat64()*[]float64{0.01, 3, 30}[r.IntN(3)])
				if i == 6 {
					row[i] = []string{"200", "404", "503"}[r.IntN(3)]
				}
			}
			switch r.IntN(20) {
			case 0:
				row[0] = "x"
			case 1:
				row = append(row, "1")
			case 2:
				row = []string{""}
			}
			b.WriteString(strings.Join(row, ",") + []string{"\n", "\n", "\r\n"}[r.IntN(3)])
		}
		data := b.Bytes()
		whole := readAll(t, CSV, data, ingest.Input{Index: 3, Head: data})
		if len(whole.samples) < 200 || len(whole.problems) == 0 {
			t.Fatalf("%d samples, %d problems", len(whole.samples), len(whole.problems))
		}
		for cut, c := range data {
			if c != '\n' {
				continue
			}
			a := readAll(t, CSV, data[:cut+1], ingest.Input{Index: 3, Head: data})
			z := readAll(t, CSV, data[cut+1:], ingest.Input{Index: 3, Head: data, Part: 1, Offset: int64(cut + 1)})
			if len(z.runs) != 0 || !slices.EqualFunc(append(a.samples, z.samples...), whole.samples, equalSample) || !slices.EqualFunc(append(a.problems, z.problems...), whole.problems, equalProblem) {
				t.Fatalf("cut at %d: another reading", cut)
			}
		}
		var slowly []ingest.Sample
		for rec, err := range CSV.Read(iotest.OneByteReader(bytes.NewReader(data)), ingest.Input{Index: 3}) {
			if err != nil {
				t.Fatal(err)
			}
			if s, ok := rec.(*ingest.Sample); ok {
				slowly = append(slowly, *s)
			}
		}
		if !slices.EqualFunc(slowly, whole.samples, equalSample) {
			t.Error("another reading byte by byte")
		}
	}
}

func equalSample(a, b ingest.Sample) bool {
	return fmt.Sprint(a) == fmt.Sprint(b)
}

func equalProblem(a, b ingest.Problem) bool {
	return a.Pos == b.Pos && a.Err.Error() == b.Err.Error()
}

// Rows over the borders of blocks are read like others.
func TestManyBlocks(t *testing.T) {
	data := manyRows(3 * blockSize / 50)
	got := readAll(t, CSV, data, ingest.Input{})
	if len(got.problems) > 0 || len(got.samples) != 3*blockSize/50 {
		t.Fatalf("problems %v, %d samples", got.problems, len(got.samples))
	}
	for _, s := range got.samples {
		if !strings.HasPrefix(lineAt(t, data, s.Offset), fmt.Sprintf("%.4f,", s.Latency.Seconds())) {
			t.Fatalf("%+v at %q", s, lineAt(t, data, s.Offset))
		}
	}
}

func TestErrorOfTheReader(t *testing.T) {
	data := manyRows(10)
	n := 0
	var last error
	for rec, err := range CSV.Read(io.MultiReader(bytes.NewReader(data), iotest.ErrReader(io.ErrUnexpectedEOF)), ingest.Input{}) {
		last = err
		if _, ok := rec.(*ingest.Sample); ok {
			n++
		}
	}
	if n != 10 || last != io.ErrUnexpectedEOF {
		t.Errorf("%d samples, error %v", n, last)
	}
	for range CSV.Read(bytes.NewReader(data), ingest.Input{}) {
		break // breaking out is safe at any record
	}
	for range Format.Read(strings.NewReader(old), ingest.Input{}) {
		break
	}
}
