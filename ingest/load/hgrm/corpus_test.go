package hgrm_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/hgrm"
)

type outcome struct {
	run      *ingest.Run
	agg      *ingest.Aggregate
	problems []string
}

func read(t testing.TB, text string, in ingest.Input) (out outcome) {
	t.Helper()
	for rec, err := range hgrm.Format.Read(strings.NewReader(text), in) {
		if err != nil {
			t.Fatal(err)
		}
		switch r := rec.(type) {
		case *ingest.Run:
			out.run = r
		case *ingest.Aggregate:
			if out.agg != nil {
				t.Error("a second aggregate")
			}
			out.agg = r
		case *ingest.Problem:
			out.problems = append(out.problems, r.Err.Error())
		}
	}
	return out
}

// between returns the values of the last row at or below a percentile, and of
// the first at or above it.
func between(a *ingest.Aggregate, p float64) (low, high time.Duration) {
	for _, q := range a.Quantiles {
		if q.Percentile <= p+1e-9 {
			low = q.Value
		}
		if q.Percentile >= p-1e-9 {
			return low, q.Value
		}
	}
	return low, -1
}

func total(a *ingest.Aggregate) (n int64) {
	for _, b := range a.Buckets {
		n += b.Count
	}
	return n
}

// What SOURCES.md and the lab's README say of each file, and its text.
func TestPublishedSpectra(t *testing.T) {
	for name, want := range map[string]struct {
		count        int64
		p50, p90     time.Duration
		p99, most    time.Duration
		mean, stddev time.Duration
		rule         ingest.QuantileRule
		tool         string
		rows         int // lines of the file that hold one
	}{
		"load/hdrhistogram/gen-go-corrected.hgrm":      {2400, 2801 * us, 261119 * us, 1360895 * us, 1461247 * us, 94638 * us, 286567 * us, ingest.NearestRank, "", 42},
		"load/hdrhistogram/stormpot-java-12digit.hgrm": {236, 33 * us, 0, 105 * us, 153 * us, 43 * us, 18 * us, ingest.RuleHdrJava, "", 10},
		"load/vegeta/gen-open-100rps-hdrplot.txt":      {1000, 2_615_979, 513_648_612, 1415 * ms, 1_508_362_674, -1, -1, ingest.RuleDigest, "vegeta", 0},
		"load/vegeta/readme-hdrplot.txt":               {1998, 513_059, 555_774, 0, 2_658_916, -1, -1, ingest.RuleDigest, "vegeta", 0},
		"recorded/lab/vegeta-serial.hdrplot.txt":       {200, 0, 0, 0, 2_000_819_920, -1, -1, ingest.RuleDigest, "vegeta", 0},
	} {
		b, err := os.ReadFile(shared + name)
		if err != nil {
			t.Skip("the corpus of published files is not here: ", err)
		}
		if !hgrm.Format.Sniff(b) {
			t.Errorf("%s: not recognised", name)
		}
		got := read(t, string(b), ingest.Input{})
		if len(got.problems) > 0 || got.agg == nil {
			t.Errorf("%s: %v", name, got.problems)
			continue
		}
		r, a := got.run, got.agg
		if r.Tool != want.tool || r.Loop != ingest.LoopUnknown || r.Counted || (r.UnitAssumed == ms) != (want.tool == "") || (r.Treated == ingest.Raw) != (want.tool != "") {
			t.Errorf("%s: %+v", name, r)
		}
		if a.Count != want.count || total(a) != want.count || !a.Complete || a.Max != want.most || a.Mean != want.mean || a.Stddev != want.stddev || a.Rule != want.rule || a.Treated != r.Treated {
			t.Errorf("%s: %+v", name, a)
		}
		for p, v := range map[float64]time.Duration{50: want.p50, 90: want.p90, 99: want.p99} {
			if low, high := between(a, p); v != 0 && (low > v || high < v || p < 99 && low != high) {
				t.Errorf("%s: p%v in [%v, %v], want %v", name, p, low, high, v)
			}
		}
		if last := a.Quantiles[len(a.Quantiles)-1]; last.Percentile != 100 || last.Value < a.Max {
			t.Errorf("%s: ends with %+v", name, last)
		}
	}
}

// What the README of the lab says of vegeta-serial, in ms: p50 50.8, p90
// 1414.2, p99 1941.5.
func TestLab(t *testing.T) {
	b, err := os.ReadFile(shared + "recorded/lab/vegeta-serial.hdrplot.txt")
	if err != nil {
		t.Skip("the recorded lab is not here: ", err)
	}
	a := read(t, string(b), ingest.Input{}).agg
	for p, want := range map[float64]time.Duration{50: 50800 * us, 90: 1414200 * us, 99: 1941500 * us} {
		if low, high := between(a, p); low > want+20*ms || high < want-20*ms { // t-digest, against nearest rank
			t.Errorf("p%v in [%v, %v]", p, low, high)
		}
	}
}
