package whatif

import (
	"context"
	"math"
	"slices"
	"testing"
)

// The chain, run as it was recorded, comes to what was observed, within two
// standard errors and a hundredth (the model has one mean pause and overhead for
// all); counts are exact.
func TestChainAgreesWithObserved(t *testing.T) {
	for _, c := range []struct {
		path       string
		leaf       float64 // calls of a request in the mean, as the README of the file counts them
		tries      []int
		alternates int
	}{
		{fixtures + "trace/retries-3x3x3/traces.jsonl", 11.4, []int{3, 3, 3}, 3},
		{fixtures + "trace/retries-one-hop/traces.jsonl", 63.0 / 60, []int{1, 1, 2}, 3},
		{fixtures + "trace/grpc-retry/native.jsonl", 2.5, []int{4}, 3},
		{fixtures + "trace/grpc-retry/otelgrpc.jsonl", 2.5, []int{4}, 3},
		{fixtures + "trace/abandoned/http.jsonl", 6, []int{1, 1}, 1},
		{fixtures + "trace/abandoned/grpc.jsonl", 6, []int{1, 1}, 1},
		{fixtures + "trace/deadline-passed/http.jsonl", 3, []int{1, 1}, 1},
		{fixtures + "trace/deadline-passed/grpc.jsonl", 3, []int{1, 1}, 1},
		{corpus + "traces/otlp-json/grpc-retry-3x3x3.jsonl", 27, []int{3, 3, 3}, 3},
		{corpus + "traces/otlp-json/http-abandoned-work.jsonl", 6, []int{1, 1}, 1},
		{corpus + "traces/otlp-json/grpc-missing-deadline.jsonl", 11.0 / 8, []int{1, 1}, 1},
	} {
		t.Run(c.path, func(t *testing.T) {
			a, _, err := ChainFrom(context.Background(), options(t, c.path), "", 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			rows := a.Rows.([]ChainRow)
			o, p := rows[0], rows[1]
			if math.Abs(o.Leaf-c.leaf) > 1e-4 || !slices.Equal(o.Tries, c.tries) || len(rows) != 2+c.alternates {
				t.Errorf("observed %+v, want %.3f leaf calls, tries %v, %d alternatives", o, c.leaf, c.tries, c.alternates)
			}
			near := func(what string, got, want, e float64) {
				if math.Abs(got-want) > e {
					t.Errorf("%s: predicted %.4f, observed %.4f, allowed %.4f", what, got, want, e)
				}
			}
			near("leaf calls", p.Leaf, o.Leaf, 1e-4)
			near("calls", p.Distinct, o.Distinct, 1e-4)
			near("elapsed", p.Elapsed, o.Elapsed, min(2*math.Hypot(p.ElapsedEr, o.ElapsedEr), 0.01*o.Elapsed+0.1))
			near("waited", p.Waited, o.Waited, 0.01*o.Waited+0.1)
			near("orphaned", p.Orphaned, o.Orphaned, 0.01*o.Orphaned+0.1)
			near("success", p.Success, o.Success, 1e-4)
		})
	}
}

// Passing the deadline on would have made of abandoned what the same program
// recorded with the deadline passed on: three calls of inventory in the mean.
func TestChainAlternativeIsWhatTheControlDid(t *testing.T) {
	a, _, err := ChainFrom(context.Background(), options(t, fixtures+"trace/abandoned/http.jsonl"), "", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := ChainFrom(context.Background(), options(t, fixtures+"trace/deadline-passed/http.jsonl"), "", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	passed, control := a.Rows.([]ChainRow)[2], b.Rows.([]ChainRow)[0]
	if passed.Policy != "deadline passed on" || passed.Leaf != control.Leaf || passed.Orphaned != 0 || math.Abs(passed.Elapsed-control.Elapsed) > 1 {
		t.Errorf("predicted %+v, recorded %+v", passed, control)
	}
}

func TestChainTables(t *testing.T) {
	ask := ChainAsk{Tries: []int{3}, Cost: 10 * ms, Fails: -1, Steps: 1, Sweep: "hops=2,3,4,5"}
	a, err := Chain(ask)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][4]float64{{3, 6, 3, 30}, {9, 21, 12, 90}, {27, 66, 39, 270}, {81, 201, 120, 810}} {
		r := a.Rows.([]ChainRow)[i]
		if got := [4]float64{r.Leaf, r.Attempts, r.Distinct, r.Elapsed}; got != want {
			t.Errorf("%d hops: %v, want %v", i+2, got, want)
		}
	}
	a, err = Chain(ChainAsk{Tries: []int{3}, Hops: 3, Cost: 10 * ms, Fails: -1, Steps: 1, Budget: 45 * ms})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][3]float64{{9, 90, 0}, {6, 60, 10}, {4, 40, 0}} {
		r := a.Rows.([]ChainRow)[i]
		if got := [3]float64{r.Leaf, r.Elapsed, r.Orphaned}; got != want {
			t.Errorf("%s: %v, want %v", r.Policy, got, want)
		}
	}
}
