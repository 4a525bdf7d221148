package whatif

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
)

// One report under each assumption: the table of 200 requests, every digit of it.
func TestLoadTable(t *testing.T) {
	a, err := Load(LoadAsk{Service: 50 * ms, Requests: 200, Stalls: []Stalled{{150, 2 * time.Second}}, Plan: check.Plan{Interval: 80 * ms}, SlowOver: -1})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name string
		n    int64
		slow int64
		at   [6]float64
	}{
		{"as measured", 200, 1, [6]float64{50, 50, 50, 50, 50, 2000}},
		{"additive fill", 224, 25, [6]float64{50, 240, 1120, 1840, 1920, 2000}},
		{"substitution", 200, 25, [6]float64{50, 400, 1200, 1840, 1920, 2000}},
		{"one serial server", 200, 51, [6]float64{50, 1400, 1700, 1940, 1970, 2000}},
		{"all paused", 200, 25, [6]float64{50, 450, 1250, 1890, 1970, 2000}},
		{"only those slow", 200, 1, [6]float64{50, 50, 50, 50, 50, 2000}},
	}
	rows := a.Rows.([]LoadRow)
	if len(rows) != len(want) {
		t.Fatalf("%d rows", len(rows))
	}
	for i, r := range rows {
		w := want[i]
		if got := [6]float64{r.P50, r.P90, r.P95, r.P99, r.P995, r.Max}; r.Name != w.name || r.N != w.n || r.Slow != w.slow || got != w.at {
			t.Errorf("%s: %d requests, %d slow, %v; want %+v", r.Name, r.N, r.Slow, got, w)
		}
	}
}

// A closed loop's report, read as "everything paused", comes to what an open loop
// recorded against the same server: fixtures/load/stall-hey-rate, as its README
// counts it.
func TestLoadAgreesWithOpenLoop(t *testing.T) {
	opt := options(t, fixtures+"load/stall-hey-rate/hey.csv")
	opt.Plan = check.Plan{Interval: 50 * ms, Workers: 10}
	m, err := Read(context.Background(), opt, "")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Load(LoadAsk{From: m, SlowOver: -1, Plan: opt.Plan})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range a.Rows.([]LoadRow) {
		if r.Name != "all paused" {
			continue
		}
		for _, c := range [][2]float64{{r.P90, 307.3}, {r.P95, 906.8}, {r.P99, 1390.7}, {r.Max, 1505.5}} {
			if math.Abs(c[0]/c[1]-1) > 0.03 {
				t.Errorf("%.1f ms, an open loop recorded %.1f", c[0], c[1])
			}
		}
	}
}
