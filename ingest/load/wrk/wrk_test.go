package wrk_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/wrk"
)

const (
	ms = time.Millisecond
	us = time.Microsecond
)

// report is the layout of a whole report.
const report = `Running 30s test @ http://127.0.0.1:8080/
  2 threads and 20 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     5.00ms    1.00ms  20.00ms   90.00%
    Req/Sec     1.00k    10.00     1.10k    90.00%
  Latency Distribution
     50%    4.00ms
     75%    5.00ms
     90%    6.00ms
     99%    9.00ms
  60000 requests in 30.00s, 8.43MB read
Requests/sec:   2000.00
Transfer/sec:    718.91KB
`

func with(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(report) }

func TestUnits(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0.00us": 0, "849.99us": 849990, "0.85ms": 850 * us, "999.99ms": 999990 * us, "1.43s ": 1430 * ms, "50.99s ": 50990 * ms,
		"0.86m ": 51600 * ms, "19.54m ": 1172400 * ms, "4320.00m": 72 * time.Hour,
	} {
		got := read(t, with("20.00ms", text), ingest.Input{})
		if len(got.problems) > 0 || got.aggregates[0].Max != want {
			t.Errorf("%s: %v %v", text, got.aggregates[0].Max, got.problems)
		}
	}
}

// What cannot be a duration is a Problem and not a number; the rest is read.
func TestAbsurdFigures(t *testing.T) {
	for name, c := range map[string]struct {
		text, problem string
		field         func(outcome) time.Duration
	}{
		"overflow":          {with("20.00ms", "307445734491.24m"), `"307445734491.24m" is not a duration`, func(r outcome) time.Duration { return r.aggregates[0].Max }},
		"cut to its column": {with(" 20.00ms", "30744573 "), `"30744573" is not a duration`, func(r outcome) time.Duration { return r.aggregates[0].Max }},
		"not a number":      {with("5.00ms    1.00ms", "-nanus    1.00ms"), `"-nanus" is not a duration`, func(r outcome) time.Duration { return r.aggregates[0].Mean }},
		"negative":          {with("1.00ms", "-1.00ms"), `"-1.00ms" is not a duration`, func(r outcome) time.Duration { return r.aggregates[0].Stddev }},
	} {
		got := read(t, c.text, ingest.Input{})
		if len(got.problems) != 1 || !strings.HasSuffix(got.problems[0], c.problem) || c.field(got) != -1 || got.run.Requests != 60000 {
			t.Errorf("%s: %v %+v", name, got.problems, got.aggregates)
		}
	}
	got := read(t, with("99%    9.00ms", "99%  307445734491.24m"), ingest.Input{})
	if len(got.problems) != 1 || quantiles(got.aggregates[0]) != "50 4ms 75 5ms 90 6ms" {
		t.Errorf("%v %s", got.problems, quantiles(got.aggregates[0]))
	}
	got = read(t, with("60000 requests", "99999999999999999999 requests", "Requests/sec:   2000.00", "Requests/sec:   inf"), ingest.Input{})
	if len(got.problems) != 2 || got.run.Requests != 0 || got.run.Achieved != 0 {
		t.Errorf("%v %+v", got.problems, got.run)
	}
}

func TestNothingMeasured(t *testing.T) {
	text := with("60000 requests", "0 requests", "2000.00", "0.00", "90.00%", "-nan%",
		"5.00ms    1.00ms  20.00ms", "0.00us    0.00us   0.00us", "4.00ms", "0.00us", "75%    5.00ms", "75%    0.00us", "6.00ms", "0.00us", "9.00ms", "0.00us")
	got := read(t, text, ingest.Input{})
	if len(got.aggregates) != 0 || got.run.Requests != 0 || !got.run.Counted || len(got.problems) > 0 {
		t.Errorf("%+v %+v %v", got.run, got.aggregates, got.problems)
	}
	// every answer came after the timeout
	got = read(t, with("read\n", "read\n  Socket errors: connect 0, read 0, write 0, timeout 60000\n"), ingest.Input{})
	if len(got.aggregates) != 0 || got.run.Timeouts != 60000 {
		t.Errorf("%+v %+v", got.run, got.aggregates)
	}
}

func TestErrors(t *testing.T) {
	got := read(t, with("read\n", "read\n  Socket errors: connect 1, read 20, write 300, timeout 4000\n  Non-2xx or 3xx responses: 50000\n"), ingest.Input{})
	r := got.run
	if r.Lost != 4321 || r.Timeouts != 4000 || r.Errors != 54321 || r.Requests != 60000 || got.aggregates[0].Count != 56000 || len(got.problems) > 0 {
		t.Errorf("%+v %v", r, got.problems)
	}
	// counted with %d: wraps at 2^31
	got = read(t, with("read\n", "read\n  Non-2xx or 3xx responses: -294967296\n"), ingest.Input{})
	if got.run.Errors != 0 || len(got.problems) != 1 {
		t.Errorf("%+v %v", got.run, got.problems)
	}
}

// Fewer answers than connections: wrk does not fill ("complete / cfg.connections > 0").
func TestTooFewToFill(t *testing.T) {
	got := read(t, with("60000 requests", "19 requests"), ingest.Input{})
	if got.run.Treated != ingest.Raw || got.aggregates[0].Treated != ingest.Raw {
		t.Errorf("%v %v", got.run.Treated, got.aggregates[0].Treated)
	}
}

func TestCopiesThatLostTheirShape(t *testing.T) {
	want := read(t, report, ingest.Input{})
	var lines []string
	for line := range strings.Lines(report) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	for name, text := range map[string]string{
		"single blanks": strings.Join(lines, "\n"),
		"tabs":          strings.ReplaceAll(strings.Join(lines, "\n"), " ", "\t"),
		"CRLF":          strings.ReplaceAll(report, "\n", "\r\n"),
		"blank lines":   strings.ReplaceAll(report, "\n", "\n\n"),
	} {
		if name == "tabs" { // the anchor keeps its blanks
			text = strings.Replace(text, "Running\t30s\ttest\t@\t", "Running 30s test @ ", 1)
		}
		if !wrk.Format.Sniff([]byte(text)) {
			t.Errorf("%s: not recognised", name)
		}
		got := read(t, text, ingest.Input{})
		if len(got.problems) > 0 || *got.run != *want.run || len(got.aggregates) != 1 || quantiles(got.aggregates[0]) != quantiles(want.aggregates[0]) {
			t.Errorf("%s: %+v %v", name, got.run, got.problems)
		}
	}
}

func TestCommandLine(t *testing.T) {
	const from = ingest.Fact("command line at ci.log:3")
	for command, want := range map[string]struct {
		tool    string
		rate    float64
		planned time.Duration
		timeout time.Duration
		problem string
	}{
		"wrk -t2 -c20 -d30s http://h/":                        {"wrk", 0, 30 * time.Second, 2 * time.Second, ""},
		"wrk -t 2 -c 20 -d 2m --timeout 10s http://h/":        {"wrk", 0, 2 * time.Minute, 10 * time.Second, ""},
		"wrk --duration=1H -T5 --connections=20 http://h/":    {"wrk", 0, time.Hour, 5 * time.Second, ""},
		"wrk -H 'X: -R5' -s -R.lua http://h/ -- -R 7":         {"wrk", 0, 30 * time.Second, 2 * time.Second, ""},
		"wrk -Lt2 -c20 -R2000 http://h/":                      {"wrk2", 2000, 30 * time.Second, 0, ""},
		"wrk --rate 2k http://h/":                             {"wrk2", 2000, 30 * time.Second, 0, ""},
		"wrk2 -R$RATE http://h/":                              {"wrk2", 0, 30 * time.Second, 0, ""},
		"wrk2 http://h/":                                      {"wrk2", 0, 30 * time.Second, 0, ""},
		"wrk -c 99999999999999999999 -d 9999999999h http://h": {"wrk", 0, 30 * time.Second, 2 * time.Second, ""},
		"wrk -c400 -R5 http://h/":                             {"wrk", 0, 30 * time.Second, 2 * time.Second, "another run's"},
	} {
		got := read(t, report, ingest.Input{Command: command, CommandFrom: from})
		r := got.run
		if r.Tool != want.tool || r.Rate != want.rate || r.Timeout != want.timeout {
			t.Errorf("%s: %+v", command, r)
		}
		if (r.Rate > 0) != (r.RateFrom == from) || r.Workers != 20 || r.WorkersFrom != "report" {
			t.Errorf("%s: %+v", command, r)
		}
		if strings.Contains(command, "9999999999h") {
			want.planned = r.Planned // held at something that is no panic
		}
		if r.Planned != want.planned {
			t.Errorf("%s: planned %s", command, r.Planned)
		}
		if want.problem == "" != (len(got.problems) == 0) || want.problem != "" && !strings.Contains(got.problems[0], want.problem) {
			t.Errorf("%s: %v", command, got.problems)
		}
		if r.Tool == "wrk2" {
			a := got.aggregates[0]
			if r.Loop != ingest.Scheduled || !r.CatchUp || r.Treated != ingest.FromSchedule || a.Treated != ingest.FromSchedule || a.Rule != ingest.RuleHdrC || a.Count != 60000 {
				t.Errorf("%s: %+v %+v", command, r, a)
			}
		}
	}
}

// The timeout that nobody stated is not claimed where the maximum denies it.
func TestTimeoutUnknown(t *testing.T) {
	if got := read(t, with("20.00ms", "2.50s "), ingest.Input{}); got.run.Timeout != 0 {
		t.Error(got.run.Timeout)
	}
}

func TestCutReports(t *testing.T) {
	lines := strings.SplitAfter(report, "\n")
	for n := range lines {
		text := strings.Join(lines[:n], "")
		if claims := wrk.Format.Sniff([]byte(text)); claims != (n >= 3) {
			t.Errorf("%d lines: claimed: %v", n, claims)
		}
		got := read(t, text, ingest.Input{})
		if whole := n >= 11; whole != (len(got.problems) == 0) || got.run.Counted != whole {
			t.Errorf("%d lines: %v", n, got.problems)
		}
		if !wrk.Format.Sniff([]byte(strings.Join(lines[2:], ""))) {
			t.Error("not recognised without its first lines")
		}
	}
}

func TestSecondReport(t *testing.T) {
	for _, text := range []string{report + report, strings.Join(strings.SplitAfter(report, "\n")[:5], "") + report} {
		got := read(t, text, ingest.Input{})
		if len(got.problems) == 0 || !strings.Contains(got.problems[0], "another report") {
			t.Errorf("%v", got.problems)
		}
	}
}
