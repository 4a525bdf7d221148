package omission_test

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/detect/omission"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/hey"
	"github.com/tailcheck/tailcheck/ingest/load/hgrm"
	"github.com/tailcheck/tailcheck/ingest/load/hlog"
	"github.com/tailcheck/tailcheck/ingest/load/samples"
	"github.com/tailcheck/tailcheck/ingest/load/wrk"
	"github.com/tailcheck/tailcheck/ingest/load/wrk2"
)

var formats = []ingest.Format{hey.Format, hey.CSV, hgrm.Format, hlog.Format, samples.Format, wrk.Format, wrk2.Format}

// open returns the records of a file, read as the pipeline reads them, with the
// plan that a user gives.
func open(t *testing.T, path string, plan func(*ingest.Run)) []ingest.Record {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skip("the corpus is not here")
	}
	file, err := ingest.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := ingest.Find(file, formats, "")
	if err != nil {
		t.Skipf("not read: %v", err)
	}
	f := found[0]
	r := f.Open()
	defer r.Close()
	in := ingest.Input{Section: f.Section(), Command: f.Command, CommandFrom: f.CommandFrom}
	var out []ingest.Record
	for rec, err := range f.Format.Read(r, in) {
		if err != nil {
			t.Fatal(err)
		}
		switch rec := rec.(type) {
		case *ingest.Run:
			c := *rec
			if plan != nil {
				plan(&c)
			}
			out = append(out, &c)
		case *ingest.Sample:
			c := *rec
			out = append(out, &c)
		case *ingest.Aggregate:
			c := *rec
			c.Quantiles, c.Buckets = slices.Clone(rec.Quantiles), slices.Clone(rec.Buckets)
			out = append(out, &c)
		}
	}
	return out
}

func interval(d time.Duration) func(*ingest.Run) {
	return func(r *ingest.Run) { r.Interval, r.IntervalFrom = d, "--interval" }
}

func perWorker(workers int, d time.Duration) func(*ingest.Run) {
	return func(r *ingest.Run) {
		r.Workers, r.WorkersFrom = workers, "-c"
		r.Interval, r.IntervalFrom = d, "-q"
		r.Rate, r.RateFrom = float64(workers)/d.Seconds(), "-q"
	}
}

func names(found []detect.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Detector+" "+f.Confidence.String())
	}
	return out
}

// What must be found in files whose truth is written down: SOURCES.md and
// recorded/lab/README.md in the corpus, the README of each fixture.
func TestFiles(t *testing.T) {
	const corpus, fixtures = "../../../shared/corpus/", "../../fixtures/"
	const co, corrected = "coordinated-omission", "already-corrected high"
	for _, c := range []struct {
		file string
		plan func(*ingest.Run)
		want []string
	}{
		{corpus + "recorded/lab/hey-c1.csv", nil, []string{co + " medium"}},
		{corpus + "recorded/lab/hey-c1.csv", interval(80 * time.Millisecond), []string{co + " high"}},
		{corpus + "recorded/lab/hey-c1-summary.txt", nil, []string{co + " medium"}},
		{corpus + "recorded/lab/hey-c1-summary.txt", interval(80 * time.Millisecond), []string{co + " high"}},
		{corpus + "recorded/lab/openloop-1conn.csv", nil, nil},
		{corpus + "recorded/lab/openloop-serial.csv", nil, nil},
		{corpus + "recorded/lab/openloop-concurrent.csv", nil, []string{"isolated-slowness high"}},
		{corpus + "recorded/lab/wrk-c1.txt", nil, []string{corrected, "censored-tail high"}},
		{corpus + "load/hey/gen-stall-q20c10.csv", nil, []string{co + " high"}},
		{corpus + "load/hey/gen-stall-q20c10.csv", perWorker(10, 50*time.Millisecond), []string{co + " high"}},
		{corpus + "load/hey/gen-stall-q20c10.txt", nil, []string{co + " medium"}},
		{corpus + "load/hey/gen-stall-q20c10.txt", perWorker(10, 50*time.Millisecond), []string{co + " high"}},
		{corpus + "load/hey/gen-ok-c20.txt", nil, nil},
		{corpus + "load/hey/double-percent-100k.txt", nil, nil},
		{corpus + "load/hey/gen-n8-tiny.txt", nil, []string{"small-sample high"}},
		{corpus + "load/hey/csv-one-row.csv", nil, []string{"small-sample high"}},
		{corpus + "load/hey/gen-all-refused.txt", nil, []string{"no-data high"}},
		{corpus + "load/hey/gen-all-timeout.txt", nil, []string{"no-data high"}},
		{corpus + "load/hey/llm-99-of-200-timeouts.txt", nil, []string{"censored-tail high"}},
		// The command line above it (-c 1000) cannot be that of this report: a
		// mean of 0.59 s at 13 338/s keeps 7 900 requests waiting.
		{corpus + "load/hey/1M-503s-and-errors.txt", nil, []string{"inconsistent-report high", "censored-tail high"}},
		{corpus + "load/hey/boom-issue100-histogram-only.txt", nil, []string{"small-sample high"}},
		// One request of 45.6 s at one a second: 44 were due meanwhile.
		{corpus + "load/hey/boom-issue100-histogram-only.txt", perWorker(1, time.Second), []string{co + " high", "small-sample high"}},
		{corpus + "load/wrk/gen-stall-latency.txt", nil, []string{corrected}},
		{corpus + "load/wrk/issue438-a.txt", nil, []string{corrected}},
		{corpus + "load/wrk/dp-perf-latte.txt", nil, []string{corrected}},
		{corpus + "load/wrk/upgrade-http-1m.txt", nil, []string{corrected}},
		{corpus + "load/wrk/longevity-96h-http.txt", nil, []string{corrected, "censored-tail high"}},
		{corpus + "load/wrk/WrkResultsWithLatencyFlag.txt", nil, []string{corrected, "small-sample high"}},
		{corpus + "load/wrk2/readme-basic-R2000.txt", nil, []string{corrected}},
		{corpus + "load/wrk2/readme-example1-u_latency.txt", nil, []string{corrected}},
		{corpus + "load/hdrhistogram/gen-go-corrected.hgrm", nil, []string{"correction-not-stated high"}},
		{corpus + "load/hdrhistogram/stormpot-java-12digit.hgrm", nil, []string{"correction-not-stated high"}},
		{corpus + "load/hdrhistogram/jHiccup-2.0.7S.logV2.hlog", nil, []string{"correction-not-stated high"}},
		{fixtures + "clean/hey.csv", nil, nil},
		{fixtures + "clean/hey.txt", nil, nil},
		{fixtures + "clean/hey-rate.csv", nil, nil},
		{fixtures + "clean/hey-rate.csv", perWorker(5, 50*time.Millisecond), nil},
		{fixtures + "clean/open.csv", nil, nil},
		{fixtures + "clean/wrk.txt", nil, []string{corrected}},
		{fixtures + "load/innocent/cold-start-hey.csv", nil, []string{"cold-start medium"}},
		{fixtures + "load/innocent/independent-hey.csv", nil, nil},
		{fixtures + "load/innocent/independent-hey.csv", perWorker(10, 30*time.Millisecond), []string{"isolated-slowness high"}},
		{fixtures + "load/innocent/independent-open.csv", nil, nil},
		{fixtures + "load/innocent/long-poll-hey.csv", nil, nil},
		{fixtures + "load/stall-hey/hey.csv", nil, []string{co + " medium"}},
		{fixtures + "load/stall-hey/hey.txt", nil, []string{co + " medium"}},
		{fixtures + "load/stall-hey/open.csv", nil, nil},
		{fixtures + "load/stall-hey/open-isolated.csv", nil, []string{"isolated-slowness high"}},
		{fixtures + "load/stall-hey-rate/hey.csv", nil, []string{co + " high"}},
		{fixtures + "load/stall-hey-rate/hey.txt", nil, []string{co + " medium"}},
		{fixtures + "load/stall-hey-rate/session.txt", nil, []string{co + " high"}},
		{fixtures + "load/stall-wrk/filled.txt", nil, []string{corrected}},
		{fixtures + "load/stall-wrk/timeout.txt", nil, []string{corrected, "censored-tail high"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			records := open(t, c.file, c.plan)
			found := detecttest.Fold(omission.Detectors, [][]ingest.Record{records})
			if got := names(found); !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
				for _, f := range found {
					t.Logf("%s %v: %s %s", f.Detector, f.Confidence, f.Message, detecttest.Numbers(f))
				}
			}
		})
	}
}

// The finding that a reader of hey-c1.csv gets (recorded/lab/README.md: max
// 2000.7, p99 51.2, row 150 is the stall, 24 samples to fill in at 80 ms).
func TestOmissionOfTheLab(t *testing.T) {
	const file = "../../../shared/corpus/recorded/lab/hey-c1.csv"
	found := detecttest.Fold(omission.Detectors, [][]ingest.Record{open(t, file, interval(80*time.Millisecond))})
	if len(found) != 1 {
		t.Fatalf("%d findings", len(found))
	}
	f := found[0]
	n := f.Numbers.(omission.OmissionNumbers)
	if *n.MaxOverP99 != 39.1 || *n.Seen != 1 || *n.Missing != 24 || *n.Expected < 16.5 || *n.Expected > 16.7 {
		t.Errorf("numbers %s", detecttest.Numbers(f))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e := f.Evidence[0]
	if e.What != "max / p99" || e.Got != "39" || !e.Has || 1+bytes.Count(text[:e.At.Offset], []byte("\n")) != 151 {
		t.Errorf("evidence %+v", e)
	}
}
