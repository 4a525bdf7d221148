package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The exact exit codes: scripts only tell 0 from the rest.
func TestExitCodes(t *testing.T) {
	hey := "../../fixtures/load/stall-hey/hey.csv"
	for _, c := range []struct {
		want int
		args string
	}{
		{0, "check --sla p99<3s --interval 80ms " + hey},
		{1, "check --sla p99<500ms --interval 80ms " + hey},
		{1, "check --sla p99<500ms --interval 80ms --inconclusive pass " + hey},
		{3, "check --sla p99<500ms " + hey},
		{0, "check --sla p99<500ms --inconclusive pass " + hey},
		{0, "correct --sla p99<500ms --interval 80ms " + hey},
		{0, "check " + hey},
		{1, "check --fail-on warning " + hey},
		{0, "check --fail-on warning --skip coordinated-omission " + hey},
		{2, "check"},
		{2, "check --nope " + hey},
		{2, "check ../../fixtures/no-such-file"},
		{2, "correct ../../fixtures/no-such-file"},
		{2, "check --sla p99<500ms ../../fixtures/load/broken/empty.txt " + hey},
		{3, "check --sla p99<500ms ../../fixtures/load/broken/hey-refused.txt"},
		{3, "check --inconclusive pass --sla p99<500ms ../../fixtures/load/broken/hey-refused.txt"},
		// a plan that the run could not keep: at that rate users would queue
		{3, "check --sla p99<500ms --workers 20 --rate 5000/s ../../fixtures/clean/hey.csv"},
		{3, "check --sla p99<500ms --workers 20 --rate 5000/s ../../fixtures/clean/hey.txt"},
		{3, "check --sla p99<500ms --interval 1ms ../../fixtures/clean/hey.csv"},
		{0, "check --sla p99<500ms --workers 20 --rate 500/s ../../fixtures/clean/hey.csv"},
		{0, "check --sla p99<500ms --workers 20 --rate 500/s ../../fixtures/clean/hey.txt"},
		{3, "check --sla errors<1% " + hey},                                    // its CSV has no row for a request without an answer
		{0, "check --sla errors<1% ../../fixtures/load/stall-hey/hey.txt"},     // its text report counts them
		{3, "check --sla max<3s ../../fixtures/load/broken/wrk-cut.txt"},       // the report is cut short
		{3, "check --unit ns --sla p99<500ms ../../fixtures/load/hdr/v2.hlog"}, // corrected or not, it does not say, and it looks as if not
		{2, "check --interval= " + hey},
		{2, "nope"},
		{0, "rules"}, {0, "rules coordinated-omission"}, {2, "rules nope"},
		{0, "formats"}, {0, "formats hey"}, {0, "version"}, {0, "--help"}, {0, "check --help"},
		{0, "help"}, {0, "help check"}, {0, "--version"},
		{0, "completion bash"}, {0, "completion zsh"}, {0, "completion fish"}, {2, "completion tcsh"},
	} {
		var out, errs bytes.Buffer
		if got := run(append([]string{"tailcheck"}, strings.Fields(c.args)...), strings.NewReader(""), &out, &errs); got != c.want {
			t.Errorf("tailcheck %s: exit code %d, want %d\n%s%s", c.args, got, c.want, out.String(), errs.String())
		}
	}
}

// What fixtures/load/broken says: none of it may pass a gate.
func TestBrokenNeverPasses(t *testing.T) {
	for _, file := range reports(t, "broken/*") {
		for _, args := range []string{"--sla p99<500ms", "--sla p99<500ms --inconclusive pass", "--sla p99<1s --sla rate>=1/s"} {
			var out, errs bytes.Buffer
			got := run(append([]string{"tailcheck", "check", file}, strings.Fields(args)...), strings.NewReader(""), &out, &errs)
			if open := strings.HasSuffix(file, "-cut.txt") && strings.Contains(args, "inconclusive"); got == 0 && !open {
				t.Errorf("%s %s: exit code %d\n%s", file, args, got, out.String())
			}
		}
	}
}

// An export that is not whole never passes: what is lost may hold the sin.
func TestCutTraces(t *testing.T) {
	whole, err := os.ReadFile("../../fixtures/clean/traces.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]int{len(whole): 0, len(whole) - 100: 3, 3000: 3} {
		path := filepath.Join(t.TempDir(), "traces.jsonl")
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if got := run([]string{"tailcheck", "check", path}, strings.NewReader(""), &out, &errs); got != want {
			t.Errorf("%d of %d bytes: exit code %d, want %d\n%s", n, len(whole), got, want, out.String())
		}
	}
}
