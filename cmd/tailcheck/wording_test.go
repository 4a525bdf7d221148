package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// said returns what a command line prints, line breaks and runs of blanks taken
// out, so that a sentence is found wherever it was broken.
func said(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(append([]string{"tailcheck"}, args...), strings.NewReader(""), &out, &errs)
	return strings.Join(strings.Fields(out.String()), " "), errs.String(), code
}

// A problem names its file once, wherever it is printed.
func TestProblemsNameTheirFileOnce(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"no-such-file", empty, filepath.Dir(empty), "../../README.md", "../../fixtures/load/broken/wrk-refused.txt", "../../fixtures/load/broken/hey-cut.csv.gz"} {
		stdout, stderr, _ := said(t, "check", path)
		if strings.Contains(stdout, path+": "+path) || !strings.Contains(stdout, path+":") {
			t.Errorf("%s", stdout)
		}
		if strings.Count(stderr, path) != 1 {
			t.Errorf("%s", stderr)
		}
	}
}

// reports are all load reports among the fixtures.
func reports(t *testing.T, under string) []string {
	t.Helper()
	files, err := filepath.Glob("../../fixtures/load/" + under)
	if err != nil || len(files) == 0 {
		t.Fatalf("%v %v", files, err)
	}
	return files
}

// What nobody says is raw is not called raw, and a fill of it says what it
// takes for granted.
func TestUnstatedIsNotCalledRaw(t *testing.T) {
	files := append(reports(t, "hdr/*.hgrm"), reports(t, "hdr/*.hlog")...)
	all := append([]string{"check"}, files...)
	for _, args := range [][]string{nil, {"--sla", "p99<500ms"}, {"--sla", "p99<500ms", "--unit", "us"}, {"--sla", "p99<500us", "--unit", "us"}} {
		for _, file := range files {
			if out, _, _ := said(t, append([]string{"check", file}, args...)...); strings.Contains(out, " raw ") != strings.Contains(out, "are raw or already") || !strings.Contains(out, "reported") {
				t.Errorf("%s %s: %s", file, args, out)
			}
		}
		if out, _, _ := said(t, append(all, args...)...); strings.Contains(out, "p99 raw") || !strings.Contains(out, "p99 reported") {
			t.Errorf("%s: %s", args, out)
		}
	}
	if out, _, _ := said(t, append(all, "../../fixtures/clean/hey.csv")...); !strings.Contains(out, "p99 measured") || !strings.Contains(out, "] raw:") || !strings.Contains(out, "] reported:") {
		t.Errorf("%s", out)
	}
	if out, _, _ := said(t, "correct", "--unit", "ns", "--interval", "100ms", "../../fixtures/load/hdr/v2.hlog"); !strings.Contains(out, "assumes: the reported figures are raw, which nothing says; every stall") {
		t.Errorf("%s", out)
	}
	if out, _, _ := said(t, "correct", "--interval", "80ms", "../../fixtures/load/stall-hey/hey.csv"); strings.Contains(out, "reported") {
		t.Errorf("%s", out)
	}
}

// No sentence contradicts the table below it.
func TestSentencesFitTheTable(t *testing.T) {
	for _, file := range reports(t, "*/*.*") {
		for _, args := range [][]string{{"--sla", "p99<500ms"}, {"--sla", "p99.9<10s"}, {"--sla", "p50<1ms"}} {
			out, _, _ := said(t, append([]string{"check", file}, args...)...)
			several := strings.Contains(out, args[1]+" in ")
			if !several && strings.Contains(out, "holds no raw value") && strings.Contains(out, " raw: ") {
				t.Errorf("%s %s has a raw value: %s", file, args, out)
			}
			for _, bad := range []string{"between 0 ns", "would be not", " 0.0–", " 0.00–"} {
				if strings.Contains(out, bad) {
					t.Errorf("%s %s: %q in %s", file, args, bad, out)
				}
			}
			if strings.Contains(out, "nothing suggests omitted requests") && strings.Contains(out, "correction-not-stated") {
				t.Errorf("%s %s: %s", file, args, out)
			}
			if strings.Contains(out, "not corrected: no reason to") && strings.Contains(out, "censored-tail") {
				t.Errorf("%s %s: %s", file, args, out)
			}
			if strings.Contains(out, "warning censored-tail, confidence high") != strings.Contains(out, "the tail is a lower bound: see censored-tail") {
				t.Errorf("%s %s: %s", file, args, out)
			}
		}
	}
}

// A flag whose value is missing says so, wherever it stands.
func TestMissingValue(t *testing.T) {
	for _, args := range [][]string{{"check", "hey.csv", "--sla"}, {"check", "--sla"}, {"correct", "hey.csv", "--interval"}, {"lab", "--server"}, {"check", "hey.csv", "-o"}} {
		if _, stderr, code := said(t, args...); code != exitUnusable || !strings.Contains(stderr, "needs a value") {
			t.Errorf("%s: %d %s", args, code, stderr)
		}
	}
	if out, _, _ := said(t, "help", "check"); !strings.Contains(out, "tailcheck check - judge reports") {
		t.Errorf("%s", out)
	}
}

// At the interval that is shown as the flip point the objective is not met.
func TestFlipPointFails(t *testing.T) {
	hey := "../../fixtures/load/stall-hey/hey.csv"
	for _, limit := range []string{"100ms", "200.3ms", "500ms", "700ms", "900.1ms", "1s", "1840.9ms", "1841ms"} {
		for _, sign := range []string{"<", "<="} {
			objective := "p99" + sign + limit
			out, _, _ := said(t, "check", "--sla", objective, hey)
			_, rest, _ := strings.Cut(out, "flip point: ")
			interval, _, ok := strings.Cut(rest, " is the largest")
			if !ok {
				t.Errorf("%s: no flip point in %s", objective, out)
				continue
			}
			interval = strings.ReplaceAll(interval, " ", "")
			if out, _, code := said(t, "check", "--sla", objective, "--interval", interval, hey); code != exitFail {
				t.Errorf("%s at %s: %s", objective, interval, out)
			}
		}
	}
}
