package wrk2_test

import (
	"bytes"
	"fmt"
	"os"
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

type result struct {
	run        *ingest.Run
	aggregates []*ingest.Aggregate
	problems   []string
}

func read(t testing.TB, text string, in ingest.Input) (out result) {
	t.Helper()
	for rec, err := range wrk2.Format.Read(strings.NewReader(text), in) {
		if err != nil {
			t.Fatal(err)
		}
		switch r := rec.(type) {
		case *ingest.Run:
			out.run = r
		case *ingest.Aggregate:
			out.aggregates = append(out.aggregates, r)
		case *ingest.Problem:
			out.problems = append(out.problems, r.Err.Error())
		}
	}
	return out
}

// found reads every report of a text as the command does, with the formats
// that could take one for theirs.
func found(t testing.TB, text string) (out []result) {
	t.Helper()
	path := t.TempDir() + "/in"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := ingest.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := ingest.Find(f, []ingest.Format{wrk.Format, wrk2.Format, hgrm.Format}, "")
	if err != nil {
		t.Error(err)
	}
	for _, x := range list {
		if x.Format.Name != "wrk2" {
			t.Errorf("claimed by %s", x.Format.Name)
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(x.Open()); err != nil {
			t.Fatal(err)
		}
		out = append(out, read(t, b.String(), ingest.Input{Head: x.Head, Section: x.Section(), Command: x.Command, CommandFrom: x.CommandFrom}))
	}
	return out
}

func published(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(corpus + name)
	if err != nil {
		t.Skip("the corpus of published files is not here: ", err)
	}
	return string(b)
}

func quantiles(a *ingest.Aggregate) string {
	var words []string
	for _, q := range a.Quantiles {
		words = append(words, fmt.Sprint(q.Percentile, " ", q.Value))
	}
	return strings.Join(words, " ")
}

// What SOURCES.md of the corpus and the text of each file say. Samples, buckets
// and the first and last of these were counted in the files' rows.
func TestPublishedReports(t *testing.T) {
	type aggregate struct {
		treated            ingest.Treatment
		rule               ingest.QuantileRule
		count              int64
		mean, stddev, most time.Duration
		quantiles          string
		lowest, highest    ingest.Bucket
	}
	recorded := func(a aggregate) aggregate { a.treated = ingest.FromSchedule; return a }
	for name, want := range map[string]struct {
		requests   int64
		elapsed    time.Duration
		rate       float64
		workers    int
		aggregates []aggregate
	}{
		"readme-basic-R2000.txt": {60017, 30010 * ms, 2000.15, 100, []aggregate{
			recorded(aggregate{rule: ingest.RuleHdrC, mean: 6460 * us, stddev: 1930 * us, most: 12340 * us}),
		}},
		"readme-latency-spectrum.txt": {60018, 30 * time.Second, 2000.28, 100, []aggregate{
			recorded(aggregate{ingest.TreatmentUnknown, ingest.RuleHdrC, 39500, 6602 * us, 1919 * us, 12496 * us,
				"50 6.67ms 75 7.78ms 90 9.14ms 99 11.18ms 99.9 12.3ms 99.99 12.45ms 99.999 12.5ms 100 12.5ms",
				ingest.Bucket{Low: 0, High: 921 * us, Unit: us, Count: 1}, ingest.Bucket{Low: 12479 * us, High: 12503 * us, Unit: us, Count: 1}}),
		}},
		"readme-example1-u_latency.txt": {60031, 30010 * ms, 2000.67, 100, []aggregate{
			recorded(aggregate{ingest.TreatmentUnknown, ingest.RuleHdrC, 39500, 6178 * us, 1836 * us, 11312 * us,
				"50 6.21ms 75 7.37ms 90 8.46ms 99 10.52ms 99.9 11.19ms 99.99 11.29ms 99.999 11.32ms 100 11.32ms",
				ingest.Bucket{Low: 0, High: 677 * us, Unit: us, Count: 1}, ingest.Bucket{Low: 11295 * us, High: 11319 * us, Unit: us, Count: 1}}),
			{ingest.Raw, ingest.RuleHdrC, 39500, 2757 * us, 1254 * us, 7012 * us,
				"50 2.68ms 75 3.71ms 90 4.47ms 99 5.43ms 99.9 6.69ms 99.99 6.99ms 99.999 7.01ms 100 7.01ms",
				ingest.Bucket{Low: 0, High: 264 * us, Unit: us, Count: 1}, ingest.Bucket{Low: 7007 * us, High: 7015 * us, Unit: us, Count: 1}},
		}},
		"tail-of-spectrum-only.txt": {1463, 30010 * ms, 48.76, 0, []aggregate{
			recorded(aggregate{ingest.TreatmentUnknown, ingest.NearestRank, 976, 20424 * us, 3502 * us, 54208 * us,
				"0 17.823ms 50 19.583ms 80 20.639ms 90 22.175ms 99.0625 36.223ms 99.90234375 54.239ms 100 54.239ms",
				ingest.Bucket{Low: 0, High: 17823 * us, Unit: us, Count: 1}, ingest.Bucket{Low: 36223 * us, High: 54239 * us, Unit: us, Count: 9}}),
		}},
	} {
		list := found(t, published(t, name))
		if len(list) != 1 {
			t.Errorf("%s: %d reports", name, len(list))
			continue
		}
		got := list[0]
		r := got.run
		if len(got.problems) > 0 || len(got.aggregates) != len(want.aggregates) {
			t.Errorf("%s: %d aggregates, %v", name, len(got.aggregates), got.problems)
			continue
		}
		if r.Tool != "wrk2" || r.Loop != ingest.Scheduled || !r.CatchUp || r.Treated != ingest.FromSchedule || r.Rate != 0 || r.Timeout != 0 {
			t.Errorf("%s: kind of %+v", name, r)
		}
		if r.Requests != want.requests || !r.Counted || r.Elapsed != want.elapsed || r.Achieved != want.rate || r.Workers != want.workers || r.Errors != 0 {
			t.Errorf("%s: figures of %+v", name, r)
		}
		for i, w := range want.aggregates {
			a := got.aggregates[i]
			if a.Treated != w.treated || a.Rule != w.rule || a.Count != w.count || a.Op != "" || a.Complete != (w.count > 0) {
				t.Errorf("%s: kind of %+v", name, a)
			}
			if a.Mean != w.mean || a.Stddev != w.stddev || a.Max != w.most || a.Min != -1 {
				t.Errorf("%s: statistics of %+v", name, a)
			}
			q := quantiles(a)
			if name == "tail-of-spectrum-only.txt" { // 1024.00 tells 0.999023 more exactly
				q = strings.Replace(q, "99.902343750", "99.90234375", 1)
			}
			if q != w.quantiles {
				t.Errorf("%s: %s", name, q)
			}
			var n int64
			for _, b := range a.Buckets {
				n += b.Count
			}
			if n != w.count || n > 0 && (a.Buckets[0] != w.lowest || a.Buckets[len(a.Buckets)-1] != w.highest) {
				t.Errorf("%s: %d samples in %v", name, n, a.Buckets)
			}
		}
	}
}

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

func BenchmarkRead(b *testing.B) {
	text := published(b, "readme-example1-u_latency.txt")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for range wrk2.Format.Read(strings.NewReader(text), ingest.Input{}) {
		}
	}
}
