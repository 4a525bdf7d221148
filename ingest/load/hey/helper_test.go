package hey

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// corpus is where published and recorded reports lie, beside the repository.
const corpus = "../../../../shared/corpus/"

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(corpus + name))
	if os.IsNotExist(err) {
		t.Skipf("no corpus beside the repository: %s is absent", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// read is everything that a reader yields, copied.
type read struct {
	runs     []ingest.Run
	aggs     []ingest.Aggregate
	samples  []ingest.Sample
	problems []ingest.Problem
	err      error
}

// readAll reads data and checks what every reader promises: positions do not
// go back, lie in the input, and an error comes last.
func readAll(t testing.TB, f ingest.Format, data []byte, in ingest.Input) read {
	t.Helper()
	var out read
	last := in.Offset
	for rec, err := range f.Read(bytes.NewReader(data), in) {
		if out.err != nil {
			t.Fatal("a record after an error")
		}
		if err != nil {
			out.err = err
			continue
		}
		at := rec.Where().Offset
		if at < last || at > in.Offset+int64(len(data)) {
			t.Fatalf("%T at %d after %d", rec, at, last)
		}
		last = at
		switch r := rec.(type) {
		case *ingest.Run:
			out.runs = append(out.runs, *r)
		case *ingest.Aggregate:
			a := *r
			a.Quantiles, a.Buckets = slices.Clone(a.Quantiles), slices.Clone(a.Buckets)
			out.aggs = append(out.aggs, a)
		case *ingest.Sample:
			out.samples = append(out.samples, *r)
		case *ingest.Problem:
			out.problems = append(out.problems, *r)
		default:
			t.Fatalf("unexpected %T", rec)
		}
	}
	return out
}

// one reads a text report that must be sound and returns its run and aggregate.
func one(t testing.TB, data []byte, in ingest.Input) (ingest.Run, ingest.Aggregate) {
	t.Helper()
	got := readAll(t, Format, data, in)
	if got.err != nil || len(got.problems) > 0 {
		t.Fatalf("error %v, problems %v", got.err, got.problems)
	}
	if len(got.runs) != 1 || len(got.aggs) != 1 {
		t.Fatalf("%d runs, %d aggregates", len(got.runs), len(got.aggs))
	}
	return got.runs[0], got.aggs[0]
}

func quantile(a ingest.Aggregate, p float64) time.Duration {
	for _, q := range a.Quantiles {
		if q.Percentile == p {
			return q.Value
		}
	}
	return -1
}

// lineAt returns the line of data that starts at a byte offset.
func lineAt(t testing.TB, data []byte, at int64) string {
	t.Helper()
	if at > 0 && data[at-1] != '\n' {
		t.Fatalf("offset %d is not the start of a line", at)
	}
	line, _, _ := bytes.Cut(data[at:], []byte("\n"))
	return string(bytes.TrimSpace(line))
}
