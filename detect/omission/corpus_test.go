package omission_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// TestShow prints what is found in every load report of the corpus.
func TestShow(t *testing.T) {
	if os.Getenv("SHOW") == "" {
		t.Skip("SHOW is not set")
	}
	var files []string
	for _, g := range []string{"../../../shared/corpus/recorded/lab/*.*", "../../../shared/corpus/load/*/*", "../../fixtures/load/*/*", "../../fixtures/clean/*"} {
		more, _ := filepath.Glob(g)
		files = append(files, more...)
	}
	for _, f := range files {
		if strings.HasSuffix(f, ".log") || !strings.Contains(f, os.Getenv("SHOW")) {
			continue
		}
		t.Run(f, func(t *testing.T) {
			for _, x := range detecttest.Fold(omission.Detectors, [][]ingest.Record{open(t, f, nil)}) {
				fmt.Printf("%s: %s %v: %s %s\n", f, x.Detector, x.Confidence, x.Message, detecttest.Numbers(x))
				for _, e := range x.Evidence {
					fmt.Printf("      %s: %s [%s] %v\n", e.What, e.Got, e.Want, e.At)
				}
			}
		})
	}
	_ = bytes.Equal
	_ = names
	_ = interval
	_ = perWorker
}
