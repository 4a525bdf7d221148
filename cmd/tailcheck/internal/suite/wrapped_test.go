package suite_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// A report says the same whatever it is wrapped in: fixtures/load/wrapped has
// the table of what is inside what.
func TestWrapped(t *testing.T) {
	dir := filepath.Join(root, "fixtures", "load")
	plain := func(path string) report.Distribution {
		return judged(t, check.Flags{}, filepath.Join(dir, path)).Distributions[0]
	}
	hey, csv, wrk, clean := plain("stall-hey/hey.txt"), plain("stall-hey/hey.csv"), plain("stall-wrk/filled.txt"), plain("../clean/hey.txt")
	for file, want := range map[string][]report.Distribution{
		"github-actions.log": {hey}, "gitlab.log": {hey}, "docker-compose.log": {hey}, "terraform.log": {hey}, "kubectl.log": {hey},
		"progress-hey.log": {hey}, "progress-wrk.log": {wrk}, "crlf.txt": {hey},
		"crlf.csv": {csv}, "bom.csv": {csv}, "hey.csv.gz": {csv}, "hey.csv.zst": {csv}, "hey.csv.bz2": {csv}, "gzipped.csv": {csv},
		"two-heys.log": {hey, clean}, "two-tools.log": {hey, wrk}, "markdown.md": {hey, wrk},
	} {
		out := judged(t, check.Flags{}, filepath.Join(dir, "wrapped", file))
		if len(out.Problems) > 0 || len(out.Distributions) != len(want) {
			t.Errorf("%s: %d distributions, want %d; %v", file, len(out.Distributions), len(want), out.Problems)
			continue
		}
		for i, d := range out.Distributions {
			for _, w := range []struct{ got, want *report.Figures }{{d.Measured, want[i].Measured}, {d.Corrected, want[i].Corrected}} {
				if (w.got == nil) != (w.want == nil) || w.got != nil && (*w.got.P50 != *w.want.P50 || *w.got.P99 != *w.want.P99 || *w.got.Max != *w.want.Max || *w.got.Count != *w.want.Count) {
					t.Errorf("%s, report %d: %+v, want %+v", file, i, w.got, w.want)
				}
			}
		}
	}
	// each report has the command line above it
	two := judged(t, check.Flags{}, filepath.Join(dir, "wrapped", "two-heys.log"))
	for i, want := range []struct {
		workers int
		command string
	}{{1, "-n 200 -c 1"}, {20, "-n 5000 -c 20"}} {
		r := two.Inputs[i].Run
		if r.Workers == nil || *r.Workers != want.workers || r.Command == nil || !strings.Contains(*r.Command, want.command) || !strings.Contains(*r.WorkersFrom, "command line at ") {
			t.Errorf("report %d: %+v", i, r)
		}
		if two.Inputs[i].Line == nil {
			t.Errorf("report %d has no line", i)
		}
	}
	// a plan in the command line is a plan
	session := judged(t, check.Flags{SLA: []string{"p99<500ms"}}, filepath.Join(dir, "stall-hey-rate", "session.txt"))
	if c := session.Distributions[0].Correction; c == nil || c.IntervalMs == nil || *c.IntervalMs != 50 || !strings.Contains(*c.IntervalFrom, "command line") {
		t.Errorf("%+v", c)
	}
}
