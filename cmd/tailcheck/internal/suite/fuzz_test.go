package suite_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
	"github.com/tailcheck/tailcheck/ingest"
)

// FuzzFormats is the one fuzz target for all readers, and for all that is made
// of what they yield. Whatever the input: nothing panics or hangs, the readers
// keep their contract, every renderer can print the outcome, and nothing that
// was not measured passes.
func FuzzFormats(f *testing.F) {
	for _, path := range fixtures(f, "") {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		most := 32 << 10
		if strings.Contains(path, "/log/") {
			most = 4 << 10 // lines are short, and much alike
		}
		f.Add(data[:min(len(data), most)])
		file, err := ingest.OpenFile(path, nil)
		if err != nil {
			continue // cut off: the bytes are enough
		}
		r, err := file.Open()
		if err != nil {
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(r, int64(most)))
		if _ = r.Close(); !bytes.HasPrefix(data, text) { // it is compressed
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for i := range suite.Formats {
			contract(t, &suite.Formats[i], data)
		}
		o := options(t, check.Flags{SLA: []string{"p99<500ms", "p50<1s", "max<2s", "errors<1%", "rate>=1/s"}, Inconclusive: "pass", Rate: "100/s", Workers: 3, Jobs: 2}, "-")
		o.Stdin, o.Chunk = bytes.NewReader(data), 4<<10
		out, err := check.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		measured := false
		for _, d := range out.Distributions {
			for _, x := range []*report.Figures{d.Measured, d.Corrected} {
				measured = measured || x != nil && anything(x)
			}
		}
		if out.Verdict == report.VerdictPass && (!measured || out.Unusable) {
			t.Fatalf("passes although nothing was measured: %+v", out.Result)
		}
		for _, r := range suite.Renderers {
			if err := r.Render(&bytes.Buffer{}, out.Result, report.Options{}); err != nil {
				t.Fatalf("%s: %v", r.Name, err)
			}
		}
	})
}

// anything reports whether any figure of a distribution is known and not zero.
func anything(x *report.Figures) bool {
	for _, v := range []*float64{x.Min, x.Mean, x.P50, x.P75, x.P90, x.P95, x.P99, x.P999, x.P9999, x.Max} {
		if v != nil && *v > 0 { // zeros of a cut report are no measurement
			return true
		}
	}
	return x.Count != nil || len(x.Bounds) > 0
}
