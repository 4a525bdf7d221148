package suite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
)

// The same findings for any order of input files, and for one trace spread over
// several: what is about an input by its number is left out of the comparison.
func TestOrderOfInputs(t *testing.T) {
	var paths []string
	for _, p := range fixtures(t, "trace") {
		if strings.HasSuffix(p, ".jsonl") && !strings.Contains(p, "clean") {
			paths = append(paths, p)
		}
	}
	paths = append(paths, filepath.Join(root, "fixtures/load/stall-hey/hey.csv"), filepath.Join(root, "fixtures/clean/traces.jsonl"))
	said := func(paths []string) []string {
		out, err := check.Run(context.Background(), options(t, check.Flags{}, paths...))
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range out.Findings {
			numbers, err := json.Marshal(f.Numbers)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, fmt.Sprintf("%s %s %s %v %s %s", f.Rule, f.Op, f.Confidence, f.Exemplars, f.Message, numbers))
		}
		slices.Sort(list)
		return list
	}
	want := said(paths)
	if len(want) < 10 {
		t.Fatalf("only %d findings", len(want))
	}
	other := slices.Clone(paths)
	for range 3 {
		slices.Reverse(other[:len(other)-2])
		other = append(other[2:], other[:2]...)
		if got := said(other); !slices.Equal(got, want) {
			t.Fatalf("other findings in another order of inputs:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
