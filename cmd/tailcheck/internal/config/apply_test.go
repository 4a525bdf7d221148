package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/config"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

var today = time.Date(2026, 6, 30, 23, 0, 0, 0, time.UTC)

// run checks two copies of the lab's hey.csv, a.csv and slow/b.csv, under settings
// and flags.
func run(t *testing.T, settings string, flags check.Flags, given config.Given) *check.Outcome {
	t.Helper()
	raw, err := os.ReadFile("../../../../fixtures/load/stall-hey/hey.csv")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.csv"), filepath.Join(dir, "slow", "b.csv")
	if err := os.Mkdir(filepath.Join(dir, "slow"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{a, b} {
		if err := os.WriteFile(name, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := parse("version: 1\n" + settings)
	if err != nil {
		t.Fatal(err)
	}
	opt, err := flags.Options(suite.Formats, suite.Detectors)
	if err != nil {
		t.Fatal(err)
	}
	opt.Command, opt.Paths = "check", []string{a, b}
	file.Apply(&opt, given, today)
	out, err := check.Run(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func or(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

// What is said of the workers, the rate and the interval of a.csv and slow/b.csv,
// and by whom. Lines of settings count from 2.
func TestPlansInOrder(t *testing.T) {
	for _, c := range []struct {
		name, settings string
		flags          check.Flags
		want           string // workers, rate, interval of a.csv; of slow/b.csv
	}{
		{"nothing", "", check.Flags{}, "- - -; - - -"},
		{"all inputs", "plans: [{interval: 80ms}]", check.Flags{}, "- - yaml:2; - - yaml:2"},
		{"one of them", "plans:\n  - {files: slow/*, interval: 80ms}\n  - {files: '**/slow/*', interval: 90ms}", check.Flags{}, "- - -; - - yaml:4"},
		{"the last counts", "plans:\n  - interval: 80ms\n  - {files: b.csv, interval: 90ms}", check.Flags{}, "- - yaml:3; - - yaml:4"},
		{"exceptions first are none", "plans:\n  - {files: b.csv, interval: 90ms}\n  - interval: 80ms", check.Flags{}, "- - yaml:4; - - yaml:4"},
		{"from two entries", "plans:\n  - {workers: 1}\n  - {files: b.csv, rate: 12.5/s}", check.Flags{}, "yaml:3 - -; yaml:3 yaml:4 workers/rate"},
		{"a rate unsays an interval", "plans:\n  - {workers: 1, interval: 80ms}\n  - {files: b.csv, rate: 12.5/s}", check.Flags{}, "yaml:3 workers/interval yaml:3; yaml:3 yaml:4 workers/rate"},
		{"an interval unsays a rate", "plans:\n  - {workers: 1, rate: 5/s}\n  - {files: b.csv, interval: 80ms}", check.Flags{}, "yaml:3 yaml:3 workers/rate; yaml:3 workers/interval yaml:4"},
		{"a flag beats all", "plans:\n  - {workers: 1, rate: 5/s}\n  - {files: b.csv, interval: 80ms}", check.Flags{Interval: "70ms"}, "yaml:3 workers/interval --interval; yaml:3 workers/interval --interval"},
		{"a flag beats its like", "plans: [{workers: 2, rate: 5/s}]", check.Flags{Workers: 1}, "--workers yaml:2 workers/rate; --workers yaml:2 workers/rate"},
		{"a rate by flag", "plans: [{workers: 1, interval: 80ms}]", check.Flags{Rate: "5/s"}, "yaml:2 --rate workers/rate; yaml:2 --rate workers/rate"},
	} {
		out := run(t, c.settings, c.flags, config.Given{})
		var got []string
		for _, in := range out.Inputs {
			short := func(s *string) string {
				x, _, _ := strings.Cut(strings.ReplaceAll(or(s), "tailcheck.", ""), ": ")
				return x
			}
			got = append(got, short(in.Run.WorkersFrom)+" "+short(in.Run.RateFrom)+" "+short(in.Run.IntervalFrom))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

// Which objectives are judged on a.csv and slow/b.csv.
func TestObjectivesInOrder(t *testing.T) {
	for _, c := range []struct {
		name, settings string
		sla            []string
		want           string
	}{
		{"all inputs", "objectives: [p99<9s]", nil, "0 p99<9s yaml:2, 1 p99<9s yaml:2"},
		{"the last counts", "objectives:\n  - p99<9s\n  - {sla: p99<8s, files: b.csv}", nil, "0 p99<9s yaml:3, 1 p99<8s yaml:4"},
		{"for each metric", "objectives:\n  - p99<9s\n  - {sla: p50<8s, files: b.csv}", nil, "0 p99<9s yaml:3, 1 p99<9s yaml:3, 1 p50<8s yaml:4"},
		{"flags beat", "objectives: [p99<9s, p50<9s]", []string{"p99<8s"}, "0 p50<9s yaml:2, 0 p99<8s --sla, 1 p50<9s yaml:2, 1 p99<8s --sla"},
		{"of flags every one", "", []string{"p99<8s", "p99<9s"}, "0 p99<8s --sla, 0 p99<9s --sla, 1 p99<8s --sla, 1 p99<9s --sla"},
		{"another operation is another number", "objectives: ['x: p99<9s']", []string{"p99<8s"}, "0 p99<8s --sla, 1 p99<8s --sla, -1 x: p99<9s yaml:2"},
		{"no such files", "objectives: [{sla: p99<9s, files: c.csv}]", nil, "-1 p99<9s yaml:2"},
		{"no such files, and beaten", "objectives: [{sla: p99<9s, files: c.csv}]", []string{"p99<8s"}, "0 p99<8s --sla, 1 p99<8s --sla, -1 p99<9s yaml:2"},
		{"beaten everywhere", "objectives:\n  - {sla: p99<9s, files: a.csv}\n  - p99<8s", nil, "0 p99<8s yaml:4, 1 p99<8s yaml:4"},
		{"twice", "objectives: [p99<9s, p99<9s]", nil, "0 p99<9s yaml:2, 1 p99<9s yaml:2"},
	} {
		out := run(t, c.settings, check.Flags{SLA: c.sla}, config.Given{})
		var got []string
		for _, o := range out.Objectives {
			got = append(got, strings.Join([]string{string("-0123"[o.Input+1]), o.Objective, strings.ReplaceAll(or(o.From), "tailcheck.", "")}, " "))
			if o.Input < 0 && o.Verdict != "inconclusive" {
				t.Errorf("%s: %+v", c.name, o)
			}
		}
		if s := strings.ReplaceAll(strings.Join(got, ", "), "- ", "-1 "); s != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, s, c.want)
		}
	}
}

func TestSkips(t *testing.T) {
	const rule = "coordinated-omission"
	for _, c := range []struct {
		name, settings string
		only           []string
		inputs         int // that have a finding
		problem        string
		overruled      string
	}{
		{"none", "", nil, 2, "", ""},
		{"everywhere", "skip: [{detector: " + rule + ", reason: r}]", nil, 0, "", "-"},
		{"of one", "skip: [{detector: " + rule + ", reason: r, files: b.csv}]", nil, 1, "", "-"},
		{"of none", "skip: [{detector: " + rule + ", reason: r, files: c.csv}]", nil, 2, "no input matches c.csv", "-"},
		{"on its last day", "skip: [{detector: " + rule + ", reason: r, until: 2026-06-30}]", nil, 0, "", "-"},
		{"a day later", "skip: [{detector: " + rule + ", reason: why, until: 2026-06-29}]", nil, 2, "the skip of " + rule + " ended on 2026-06-29: it runs again (the reason was: why)", ""},
		{"named by a flag", "skip: [{detector: " + rule + ", reason: r}]", []string{rule}, 2, "", "--only"},
		{"named by a flag, of one", "skip: [{detector: " + rule + ", reason: r, files: b.csv}]", []string{rule}, 2, "", "--only"},
		{"another named by a flag", "skip: [{detector: " + rule + ", reason: r}]", []string{"small-sample"}, 0, "", "-"},
	} {
		out := run(t, c.settings, check.Flags{Only: c.only}, config.Given{Only: c.only})
		n, problem, overruled := 0, "", ""
		for _, f := range out.Findings {
			if f.Rule == rule {
				n += len(f.Inputs)
			}
		}
		for _, p := range out.Problems {
			problem += p.Message
		}
		for _, s := range out.Settings {
			overruled += or(s.Overruled)
		}
		if n != c.inputs || problem != c.problem || overruled != c.overruled {
			t.Errorf("%s: findings about %d inputs, %q, %q", c.name, n, problem, overruled)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		name, settings string
		flags          check.Flags
		given          config.Given
		want           string
	}{
		{"nothing", "", check.Flags{}, config.Given{}, "pass"},
		{"fail-on", "fail-on: warning", check.Flags{}, config.Given{}, "fail"},
		{"fail-on by flag", "fail-on: warning", check.Flags{FailOn: "error"}, config.Given{FailOn: true}, "pass"},
		{"never", "fail-on: never", check.Flags{FailOn: "note"}, config.Given{}, "pass"},
		{"inconclusive", "objectives: [p99<500ms]", check.Flags{}, config.Given{}, "inconclusive"},
		{"inconclusive passes", "objectives: [p99<500ms]\ninconclusive: pass", check.Flags{}, config.Given{}, "pass"},
		{"inconclusive by flag", "objectives: [p99<500ms]\ninconclusive: pass", check.Flags{Inconclusive: "fail"}, config.Given{Inconclusive: true}, "inconclusive"},
	} {
		if out := run(t, c.settings, c.flags, c.given); out.Verdict != c.want {
			t.Errorf("%s: %s, %s", c.name, out.Verdict, out.Why)
		}
	}
	var opt check.Options
	for _, c := range []struct {
		settings string
		given    config.Given
		was      bool
		want     bool
	}{{"strict: true", config.Given{}, false, true}, {"strict: true", config.Given{Strict: true}, false, false}, {"strict: false", config.Given{}, true, false}} {
		file, err := parse("version: 1\n" + c.settings)
		if err != nil {
			t.Fatal(err)
		}
		opt.Strict = c.was
		if file.Apply(&opt, c.given, today); opt.Strict != c.want {
			t.Errorf("%s %+v: strict is %t", c.settings, c.given, opt.Strict)
		}
	}
}

// Drafts can be read, whatever stands in names.
func TestDraft(t *testing.T) {
	p99, n, s := 421.0, int64(100), "ms"
	evil := "a: b\n- {x}\u202e'\"#\x1b[2J \\ [1]*"
	r := &report.Result{}
	for i, path := range []string{evil, "load/a.csv", "yes", "\xff.csv", "-", "load/a.csv"} {
		r.Inputs = append(r.Inputs, report.Input{Path: path, Kind: "load", Run: &report.Run{Loop: "closed", Requests: &n, Errors: new(int64), Unit: &s}})
		r.Distributions = append(r.Distributions, report.Distribution{Input: i, Op: evil, Measured: &report.Figures{P99: &p99}}, report.Distribution{Input: i})
	}
	for range 100 {
		r.Inputs = append(r.Inputs, report.Input{Path: strings.Repeat("x", len(r.Inputs))})
	}
	zero := 0.0
	r.Objectives = []report.Objective{{Objective: config.Probe, Input: 1, Verdict: "pass", Raw: &report.Judged{Amount: &zero}}}
	text := config.Draft(r)
	file, err := parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(file.Objectives) != 4 || file.Objectives[0].String() != "p99<500ms" || !file.Objectives[0].Files[0].Match(evil) || file.Objectives[0].Files[0].Match("a") {
		t.Errorf("%+v\n%s", file.Objectives, text)
	}
	if !strings.Contains(text, "  - {sla: errors<1%, files: load/a.csv}") || strings.Count(text, "unit: ms") != 3 {
		t.Errorf("%s", text)
	}
	// what it offers can be said
	uncommented := strings.ReplaceAll(text, "  # - ", "  - ")
	for i, line := range strings.Split(uncommented, "\n") {
		if strings.HasPrefix(line, "  - {") {
			section := "objectives"
			switch {
			case strings.Contains(line, "rate: "):
				section = "plans"
			case strings.Contains(line, "unit: ") || strings.Contains(line, "tz: "):
				section = "reading"
			}
			filled := strings.NewReplacer("rate: R/s", "rate: 12.5/s", "workers: N", "workers: 10").Replace(line)
			if _, err := parse("version: 1\n" + section + ":\n" + filled + "\n"); err != nil {
				t.Errorf("line %d: %v\n%s", i+1, err, line)
			}
			if _, err := parse("version: 1\n" + section + ":\n" + line + "\n"); filled != line && err == nil {
				t.Errorf("line %d: a plan that nobody filled in is one\n%s", i+1, line)
			}
		}
	}
	empty := config.Draft(&report.Result{})
	if _, err := parse(empty); err != nil {
		t.Error(err)
	}
	if err := fits(t, compile(t), empty); err != nil {
		t.Error(err)
	}
	if err := fits(t, compile(t), text); err != nil {
		t.Error(err)
	}
	for _, line := range strings.Split(text, "\n") {
		if report.Safe(line) != line {
			t.Errorf("%q", line)
		}
	}
}
