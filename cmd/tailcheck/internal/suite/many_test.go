package suite_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// What takes time for each pair of operations, or of reports, would take these
// tests minutes.

func TestManyOperations(t *testing.T) {
	const n = 20_000
	var b bytes.Buffer
	b.WriteString("start_ms,latency_ms,op\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%d.5,GET /item/%d\n", 10*i, i%7, i)
	}
	f := check.Flags{SLA: []string{"p99<500ms", "GET /item/7: p50<1s", "errors<1%"}, Interval: "80ms"}
	o := options(t, f, "-")
	o.Stdin = &b
	out, err := check.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Distributions) != n || out.Verdict != report.VerdictPass {
		t.Errorf("%d distributions, %s: %s", len(out.Distributions), out.Verdict, out.Why)
	}
}

func TestManyReports(t *testing.T) {
	const n = 4000
	data, err := os.ReadFile(filepath.Join(root, "fixtures/load/stall-hey/hey.txt"))
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, check.Flags{SLA: []string{"p99<500ms"}}, "-")
	o.Stdin = bytes.NewReader(bytes.Repeat(data, n))
	out, err := check.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Inputs) != n || len(out.Objectives) != n {
		t.Errorf("%d inputs, %d objectives, %s", len(out.Inputs), len(out.Objectives), out.Why)
	}
	for _, x := range out.Objectives[1:] {
		if x.Verdict != out.Objectives[0].Verdict || x.Why != out.Objectives[0].Why {
			t.Fatalf("the same report, judged in two ways: %+v %+v", out.Objectives[0], x)
		}
	}
}
