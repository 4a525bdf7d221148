package wrk2_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/hgrm"
	"github.com/tailcheck/tailcheck/ingest/load/wrk"
	"github.com/tailcheck/tailcheck/ingest/load/wrk2"
)

const (
	ms     = time.Millisecond
	us     = time.Microsecond
	corpus = "../../../../shared/corpus/load/wrk2/"
)

// report is the layout of a whole short one, without the calibration that a
// run of 10 s shows.
const report = `Running 5s test @ http://127.0.0.1:80/
  2 threads and 4 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     2.00ms    1.00ms   3.00ms   67.66%
    Req/Sec       -nan      -nan   0.00      0.00%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    2.00ms
 99.999%    3.00ms
100.000%    3.00ms

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       1.000     0.000000            2         1.00
       2.000     0.500000            6         2.00
       3.001     1.000000           10          inf
#[Mean    =        2.010, StdDeviation   =        1.010]
#[Max     =        3.000, Total count    =           10]
#[Buckets =           27, SubBuckets     =         2048]
----------------------------------------------------------
  10 requests in 5.00s, 1.00KB read
Requests/sec:      2.00
Transfer/sec:    200.00B
`

func with(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(report) }

const calibration = "  Thread calibration: mean lat.: 9.747ms, rate sampling interval: 21ms\n"

func TestCommandLine(t *testing.T) {
	list := found(t, "$ ./wrk -t2 -c4 -d5s -R 2 -L http://127.0.0.1:80/\n"+report)
	if len(list) != 1 {
		t.Fatal(len(list))
	}
	r := list[0].run
	if r.Rate != 2 || !strings.HasSuffix(string(r.RateFrom), ":1") || r.Workers != 4 || r.WorkersFrom != "report" || r.Planned != 5*time.Second {
		t.Errorf("%+v", r)
	}
}

// The timeouts of wrk2 are connections, seen again every 2 s: one lost request
// of each at most, and none where a connection's turn comes that seldom.
func TestTimeouts(t *testing.T) {
	for name, c := range map[string]struct {
		rate, timeouts string
		want           int64
	}{
		"busy connections": {"100.00", "3", 3},
		"seen repeatedly":  {"100.00", "50", 4},
		"idle connections": {"2.00", "50", 0}, // 4 connections at 2/s: every 2 s
	} {
		got := read(t, with("sec:      2.00", "sec:      "+c.rate, "read\n", "read\n  Socket errors: connect 0, read 7, write 0, timeout "+c.timeouts+"\n"), ingest.Input{})
		if r := got.run; r.Timeouts != c.want || r.Lost != 7+c.want || r.Errors != 7+c.want {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestWithoutSpectrum(t *testing.T) {
	from, to := strings.Index(report, "  Latency Distribution"), strings.Index(report, "  10 requests")
	short := report[:from] + report[to:]
	if wrk2.Format.Sniff([]byte(short)) || !wrk.Format.Sniff([]byte(short)) {
		t.Error("a short run without --latency shows nothing of wrk2")
	}
	got := read(t, strings.Replace(short, "  Thread Stats", calibration+"  Thread Stats", 1), ingest.Input{})
	if a := got.aggregates[0]; len(got.problems) > 0 || a.Count != 0 || a.Max != 3*ms || a.Mean != 2*ms || len(a.Buckets) > 0 || a.Treated != ingest.FromSchedule {
		t.Errorf("%+v %v", a, got.problems)
	}
	// --latency, with the spectrum cut out of the copy
	from, to = strings.Index(report, "\n  Detailed"), strings.Index(report, "----")
	got = found(t, report[:from]+report[to:])[0]
	if a := got.aggregates[0]; a.Count != 10 || quantiles(a) != "50 2ms 99.999 3ms 100 3ms" || a.Rule != ingest.RuleHdrC || a.Complete {
		t.Errorf("%+v", a)
	}
}

// The wrk2 of DeathStarBench prints the p99 where others print the maximum.
func TestThirdColumnIsP99(t *testing.T) {
	fork := with("Stdev     Max   +/-", "Stdev     99%   +/-", "Running 5s", "Running 5s")
	got := found(t, strings.Replace(fork, "  Thread Stats", "\n"+calibration+"\n---\nTest Results @ http://127.0.0.1:80/ \n  Thread Stats", 1))[0]
	if a := got.aggregates[0]; len(got.problems) > 0 || a.Max != 3*ms || quantiles(a) != "50 2ms 99.999 3ms 100 3ms" || a.Count != 10 {
		t.Errorf("%+v %v", a, got.problems)
	}
	from, to := strings.Index(fork, "  Latency Distribution"), strings.Index(fork, "  10 requests")
	got = found(t, fork[:from]+fork[to:])[0]
	if a := got.aggregates[0]; len(got.problems) > 0 || a.Max != -1 || quantiles(a) != "99 3ms" || a.Mean != 2*ms {
		t.Errorf("%+v %v", a, got.problems)
	}
	// its footer alone, without a row
	from = strings.Index(fork, "#[Mean")
	got = found(t, fork[:strings.Index(fork, "  Latency Distribution")]+fork[from:])[0]
	if a := got.aggregates[0]; len(got.problems) > 0 || a.Max != 3*ms || a.Mean != 2010*us || a.Count != 10 || a.Complete {
		t.Errorf("%+v %v", a, got.problems)
	}
}

func TestExcerpts(t *testing.T) {
	lines := strings.SplitAfter(report, "\n")
	for from := range lines {
		for to := from + 1; to < len(lines); to++ {
			text := strings.Join(lines[from:to], "")
			a, b := wrk.Format.Sniff([]byte(text)), wrk2.Format.Sniff([]byte(text))
			if c := hgrm.Format.Sniff([]byte(text)); a && b || a && c || b && c {
				t.Fatalf("lines %d to %d: wrk %v, wrk2 %v, hgrm %v", from, to, a, b, c)
			}
			read(t, text, ingest.Input{}) // does not panic
		}
		if text := strings.Join(lines[from:], ""); from < 14 && !wrk2.Format.Sniff([]byte(text)) {
			t.Errorf("from line %d on: not recognised", from)
		}
	}
	if got := read(t, strings.Join(lines[:20], ""), ingest.Input{}); len(got.problems) != 1 || !strings.Contains(got.problems[0], "before its totals") || got.aggregates[0].Count != 10 {
		t.Errorf("%v", got.problems)
	}
}

func TestSeveralReports(t *testing.T) {
	list := found(t, "first\n"+report+"wrk2 -c4 -R3 http://h\n"+report)
	if len(list) != 2 || list[0].run.Rate != 0 || list[1].run.Rate != 3 || len(list[0].problems)+len(list[1].problems) > 0 {
		t.Errorf("%+v", list)
	}
}

func TestContradictions(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"count goes back": {with("            6         2.00", "            1         2.00"), "the count goes back from 2 to 1"},
		"value goes back": {with("       2.000     0.5", "       0.500     0.5"), "the value goes back from 1ms to 500µs"},
		"percentile back": {with("99.999%", "40.000%"), `"40.000%" is not a percentile above`},
		"footer's count":  {with("Total count    =           10", "Total count    =           11"), "the rows hold 10 samples, the footer says 11"},
		"absurd maximum":  {with("  3.00ms   67", "  307445734491.24m   67"), `"307445734491.24m" is not a duration`},
		"third distribution": {strings.Replace(report, "  10 requests", "  Latency Distribution (HdrHistogram - Uncorrected Latency)\n  Latency Distribution (HdrHistogram - Other)\n  10 requests", 1),
			"a third latency distribution"},
	} {
		got := read(t, c.text, ingest.Input{})
		if len(got.problems) == 0 || !strings.Contains(got.problems[0], c.want) {
			t.Errorf("%s: %v", name, got.problems)
		}
		if got.run == nil || len(got.aggregates) == 0 {
			t.Errorf("%s: nothing is left", name)
		}
	}
}

func TestNothingMeasured(t *testing.T) {
	got := read(t, with("2.00ms    1.00ms   3.00ms", "0.00us    0.00us   0.00us", "10 requests", "0 requests", "2.00ms", "0.00us", "3.00ms", "0.00us",
		"       1.000     0.000000            2         1.00\n", "", "       2.000     0.500000            6         2.00\n", "",
		"       3.001     1.000000           10          inf", "       0.000     1.000000            0          inf",
		"2.010", "0.000", "1.010", "0.000", "3.000, Total count    =           10", "0.000, Total count    =            0"), ingest.Input{})
	if len(got.aggregates) != 0 || got.run.Requests != 0 || !got.run.Counted {
		t.Errorf("%+v %+v", got.run, got.aggregates)
	}
}
