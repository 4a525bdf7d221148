package suite_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// corpus returns a folder of the corpus of published and recorded files that
// stands beside the project, or skips.
func corpus(t testing.TB, part string) string {
	t.Helper()
	dir := filepath.Join(root, "..", "shared", "corpus", part)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpus at %s", dir)
	}
	return dir
}

func judged(t testing.TB, f check.Flags, path string) *check.Outcome {
	t.Helper()
	out, err := check.Run(context.Background(), options(t, f, path))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func near(t testing.TB, what string, got *float64, want float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is not known, want %v", what, want)
	} else if math.Abs(*got-want) > 0.0501 {
		t.Errorf("%s = %v, want %v", what, *got, want)
	}
}

func has(out *check.Outcome, rule, confidence string) bool {
	for _, f := range out.Findings {
		if f.Rule == rule && (confidence == "" || strings.Contains(confidence, f.Confidence)) {
			return true
		}
	}
	return false
}

func rules(out *check.Outcome) (list []string) {
	for _, f := range out.Findings {
		list = append(list, f.Rule+" "+f.Confidence)
	}
	return list
}

// What the recorded lab says: corpus/recorded/lab/README.md, and the issue's
// own list of what must come out.
func TestLabCorpus(t *testing.T) {
	dir := corpus(t, "recorded/lab")
	sla := []string{"p99<500ms"}
	t.Run("hey-c1.csv with the plan", func(t *testing.T) {
		out := judged(t, check.Flags{SLA: sla, Interval: "80ms"}, filepath.Join(dir, "hey-c1.csv"))
		d, o := out.Distributions[0], out.Objectives[0]
		near(t, "raw p50", d.Measured.P50, 50.6)
		near(t, "raw p99", d.Measured.P99, 51.2)
		near(t, "corrected p90", d.Corrected.P90, 240.7)
		near(t, "corrected p99", d.Corrected.P99, 1840.7)
		if d.Correction.Added == nil || *d.Correction.Added != 24 || *d.Corrected.Count != 224 {
			t.Errorf("correction %+v", d.Correction)
		}
		if out.Verdict != "fail" || o.Raw.Verdict != "pass" || o.Corrected.Verdict != "fail" || !o.Flips {
			t.Errorf("%s: %+v", out.Verdict, o)
		}
		near(t, "flip", o.FlipInterval, 666.9)
	})
	t.Run("hey-c1.csv without a plan", func(t *testing.T) {
		out := judged(t, check.Flags{SLA: sla}, filepath.Join(dir, "hey-c1.csv"))
		if !has(out, "coordinated-omission", "medium high") || out.Verdict != "inconclusive" {
			t.Errorf("%s: %v", out.Verdict, rules(out))
		}
		near(t, "flip", out.Objectives[0].FlipInterval, 666.9)
	})
	t.Run("hey-c1-summary.txt", func(t *testing.T) {
		out := judged(t, check.Flags{SLA: sla, Interval: "80ms"}, filepath.Join(dir, "hey-c1-summary.txt"))
		if c := out.Distributions[0].Correction; c.Method != "bounds" || out.Objectives[0].Corrected.Verdict != "fail" || out.Verdict != "fail" {
			t.Errorf("%+v %+v", c, out.Objectives[0])
		}
	})
	for file, want := range map[string]struct {
		p99     float64
		verdict string
	}{"openloop-1conn.csv": {1942.7, "fail"}, "openloop-serial.csv": {1943.1, "fail"}, "openloop-concurrent.csv": {53.1, "pass"}} {
		t.Run(file, func(t *testing.T) {
			out := judged(t, check.Flags{SLA: sla}, filepath.Join(dir, file))
			near(t, "p99 from the due time", out.Distributions[0].Corrected.P99, want.p99)
			if out.Verdict != want.verdict || out.Distributions[0].Correction.Method != "intended" {
				t.Errorf("%s: %+v", out.Verdict, out.Objectives[0])
			}
			if has(out, "coordinated-omission", "medium high") && want.verdict == "pass" {
				t.Errorf("findings %v", rules(out))
			}
		})
	}
	t.Run("wrk-c1.txt", func(t *testing.T) {
		out := judged(t, check.Flags{SLA: sla, Interval: "80ms"}, filepath.Join(dir, "wrk-c1.txt"))
		if c := out.Distributions[0].Correction; c.Method != "by-tool" || c.Added != nil {
			t.Errorf("filled twice: %+v", c)
		}
		if !has(out, "censored-tail", "") || !has(out, "already-corrected", "") || out.Verdict != "inconclusive" || out.Objectives[0].Raw != nil {
			t.Errorf("%s: %v %+v", out.Verdict, rules(out), out.Objectives[0])
		}
	})
	t.Run("all others", func(t *testing.T) {
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, f := range files {
			if info, err := os.Stat(f); err != nil || info.IsDir() {
				continue
			}
			out := judged(t, check.Flags{}, f)
			if len(out.Inputs) == 0 && (len(out.Problems) == 0 || !out.Unusable) {
				t.Errorf("%s: neither read nor refused with a reason", f)
			}
		}
	})
}

// Percentiles by another rule are those of the table, not whole spectra.
func TestOtherRulesFitTheTable(t *testing.T) {
	fit := func(t *testing.T, files []string) {
		for _, f := range files {
			for _, d := range judged(t, check.Flags{}, f).Distributions {
				for _, x := range []*report.Figures{d.Measured, d.Corrected} {
					if x == nil {
						continue
					}
					for _, p := range x.Printed {
						if !slices.Contains([]string{"p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99"}, p.Name) {
							t.Errorf("%s: %s by %s", f, p.Name, p.Rule)
						}
					}
				}
			}
		}
	}
	t.Run("fixtures", func(t *testing.T) { fit(t, fixtures(t, "load")) })
	for _, part := range []string{"load/hey", "load/wrk", "load/wrk2", "load/hdrhistogram", "recorded/lab"} {
		t.Run(part, func(t *testing.T) {
			files, _ := filepath.Glob(filepath.Join(corpus(t, part), "*.*"))
			fit(t, files)
		})
	}
}

// Already corrected is never filled again, whatever the plan says.
func TestNothingIsFilledTwice(t *testing.T) {
	dir := corpus(t, "load")
	for _, part := range []string{"wrk", "wrk2"} {
		files, _ := filepath.Glob(filepath.Join(dir, part, "*"))
		for _, f := range files {
			out := judged(t, check.Flags{SLA: []string{"p99<1s"}, Interval: "50ms"}, f)
			for _, d := range out.Distributions {
				if d.Correction != nil && d.Correction.Method != "by-tool" && d.Correction.Method != "none" {
					t.Errorf("%s: %s", f, d.Correction.Method)
				}
			}
			if len(out.Distributions) > 0 && !has(out, "already-corrected", "") {
				t.Errorf("%s: %v", f, rules(out))
			}
		}
	}
}
