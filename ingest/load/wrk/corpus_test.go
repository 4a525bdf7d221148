package wrk_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/wrk"
)

type outcome struct {
	run        *ingest.Run
	aggregates []*ingest.Aggregate
	problems   []string
}

func read(t testing.TB, text string, in ingest.Input) (out outcome) {
	t.Helper()
	for rec, err := range wrk.Format.Read(strings.NewReader(text), in) {
		if err != nil {
			t.Fatal(err)
		}
		switch r := rec.(type) {
		case *ingest.Run:
			if out.run != nil {
				t.Error("a second run")
			}
			out.run = r
		case *ingest.Aggregate:
			out.aggregates = append(out.aggregates, r)
		case *ingest.Problem:
			out.problems = append(out.problems, fmt.Sprintf("%d: %v", r.Offset, r.Err))
		}
	}
	return out
}

// find reads the only report of a file as the command does.
func find(t *testing.T, path string) (outcome, error) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skip("the corpus of published files is not here: ", err)
	}
	f, err := ingest.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := ingest.Find(f, []ingest.Format{wrk.Format}, "")
	if err != nil {
		return outcome{}, err
	}
	if len(found) != 1 {
		t.Fatalf("%s: %d reports", path, len(found))
	}
	x := found[0]
	var b bytes.Buffer
	if _, err := b.ReadFrom(x.Open()); err != nil {
		t.Fatal(err)
	}
	return read(t, b.String(), ingest.Input{Head: x.Head, Section: x.Section(), Command: x.Command, CommandFrom: x.CommandFrom}), nil
}

const shared = "../../../../shared/corpus/"

// What SOURCES.md of the corpus and the text of each file say.
func TestPublishedReports(t *testing.T) {
	for name, want := range map[string]struct {
		requests, errors, lost, timeouts int64
		workers                          int
		elapsed, planned                 time.Duration
		rate                             float64
		mean, stddev, most, unit         time.Duration
		quantiles                        string
	}{
		"load/wrk/WrkResultsQuick.txt":           {1045, 0, 0, 0, 16, 5080 * ms, 5 * time.Second, 205.68, 78270 * us, 31110 * us, 235540 * us, 10 * us, ""},
		"load/wrk/WrkResultsWithErrors.txt":      {12, 12, 0, 0, 1, 1030 * ms, time.Second, 11.63, 78430 * us, 55330, 78480 * us, 10 * us, ""},
		"load/wrk/WrkResultsWithLatencyFlag.txt": {18, 0, 0, 0, 1, 1010 * ms, time.Second, 17.81, 42280 * us, 3670 * us, 46510 * us, 10 * us, "50 40.25ms 75 46.51ms 90 46.51ms 99 46.51ms"},
		"load/wrk/dp-perf-latte.txt":             {66017, 0, 0, 0, 10, 30020 * ms, 30 * time.Second, 2199.43, 6290 * us, 7850 * us, 182060 * us, 10 * us, "50 3.44ms 75 7.09ms 90 15.33ms 99 31.86ms"},
		"load/wrk/gen-done-lua.txt":              {5152, 0, 0, 0, 4, 3 * time.Second, 3 * time.Second, 1716.05, 2320 * us, 92250, 3720 * us, 10 * us, "50 2.31ms 75 2.36ms 90 2.42ms 99 2.59ms"},
		"load/wrk/gen-mix-non2xx.txt":            {1327, 132, 0, 0, 4, 3 * time.Second, 3 * time.Second, 441.75, 71030 * us, 96610 * us, 302420 * us, 10 * us, "50 1.28ms 75 138.66ms 90 238.48ms 99 301.55ms"},
		"load/wrk/gen-stall-latency.txt":         {68558, 0, 0, 0, 20, 12010 * ms, 12 * time.Second, 5706.69, 152580 * us, 357080 * us, 1500 * ms, 10 * ms, "50 2.63ms 75 2.91ms 90 751.5ms 99 1.43s"},
		"load/wrk/issue438-a.txt":                {5047, 0, 0, 0, 1, time.Second, time.Second, 5043.27, 6040 * us, 20330 * us, 117180 * us, 10 * us, ""},
		"load/wrk/issue438-b.txt":                {5504, 0, 0, 0, 1, 1100 * ms, time.Second, 5006.85, 487510, 1520 * us, 16330 * us, 10 * us, ""},
		"load/wrk/longevity-96h-http.txt":        {210108892, 356317 + 4299, 356317 + 4299, 4299, 100, 336944_400 * ms, 96 * time.Hour, 623.57, 174970 * us, 140070 * us, 2 * time.Second, 10 * ms, ""},
		"load/wrk/readme-22M.txt":                {22464657, 0, 0, 0, 400, 30 * time.Second, 30 * time.Second, 748868.53, 635910, 890 * us, 12920 * us, 10 * us, ""},
		"load/wrk/upgrade-http-1m.txt":           {175177, 127, 127, 0, 100, time.Minute, 0, 2918.55, 29230 * us, 39240 * us, 1150 * ms, 10 * ms, "50 21.66ms 75 36.03ms 90 56.05ms 99 113.86ms"},
		"recorded/lab/wrk-c1.txt":                {199, 1, 1, 1, 1, 12010 * ms, 12 * time.Second, 16.57, 50400 * us, 65030, 50620 * us, 10 * us, "50 50.4ms 75 50.44ms 90 50.49ms 99 50.59ms"},
	} {
		got, err := find(t, shared+name)
		if err != nil || len(got.problems) > 0 || len(got.aggregates) != 1 {
			t.Errorf("%s: %d aggregates, %v, %v", name, len(got.aggregates), got.problems, err)
			continue
		}
		r, a := got.run, got.aggregates[0]
		if r.Requests != want.requests || r.Errors != want.errors || r.Lost != want.lost || r.Timeouts != want.timeouts || !r.Counted {
			t.Errorf("%s: counts of %+v", name, r)
		}
		if r.Workers != want.workers || r.WorkersFrom != "report" || r.Elapsed != want.elapsed || r.Planned != want.planned || r.Achieved != want.rate {
			t.Errorf("%s: plan of %+v", name, r)
		}
		if r.Tool != "wrk" || r.Loop != ingest.Closed || r.Treated != ingest.Filled || r.Timeout != 2*time.Second || r.CatchUp || r.Rate != 0 {
			t.Errorf("%s: kind of %+v", name, r)
		}
		if a.Mean != want.mean || a.Stddev != want.stddev || a.Max != want.most || a.Unit != want.unit || a.Min != -1 {
			t.Errorf("%s: statistics of %+v", name, a)
		}
		if a.Treated != ingest.Filled || a.Rule != ingest.RuleWrk || a.Count != want.requests-want.timeouts || a.Op != "" || a.Complete {
			t.Errorf("%s: kind of %+v", name, a)
		}
		if q := quantiles(a); q != want.quantiles {
			t.Errorf("%s: %s", name, q)
		}
	}
}

func quantiles(a *ingest.Aggregate) string {
	var words []string
	for _, q := range a.Quantiles {
		words = append(words, fmt.Sprint(q.Percentile, " ", q.Value))
	}
	return strings.Join(words, " ")
}

func TestNoReport(t *testing.T) {
	_, err := find(t, shared+"load/wrk/gen-refused.txt")
	if err == nil || !strings.Contains(err.Error(), "could not connect and measured nothing") {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"unable to connect to 127.0.0.1:1 Connection refused\n":                         "could not connect",
		"wrk: unable to connect to localhost:8080 Connection refused":                   "could not connect",
		"Running 30s test @ http://h/\n  12 threads and 400 connections\n":              "stops before its first figure",
		"Running 3s test @ http://h/\n4 connections\n\n3k requests in 3.01s, 1 kB read": "", // autocannon
		"We are Running a test @ home":                                                  "",
		"":                                                                              "",
	} {
		if wrk.Format.Sniff([]byte(text)) {
			t.Errorf("%q: claimed", text)
		}
		if got := wrk.Format.Near([]byte(text)); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}
