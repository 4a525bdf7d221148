package whatif

import (
	"math"
	"testing"
)

func asked(policies ...string) ScatterAsk {
	return ScatterAsk{Deadline: -1, After: -1, SlowOver: -1, Policies: policies, Seed: 1, Draws: 100_000, Model: Model{Name: "classic"}}
}

// The tables of the classic model, through the command's own answer.
func TestScatterClassic(t *testing.T) {
	type row struct{ at, wait, sent, slow float64 }
	for sweep, want := range map[string][]row{
		"n=1,5,20,100":                   {{1, 17, 1, 5.00}, {5, 200, 5, 22.62}, {20, 200, 20, 64.15}, {100, 200, 100, 99.41}},
		"k=50,90,99,100":                 {{50, 15, 100, 99.41}, {90, 19, 100, 99.41}, {99, 200, 100, 99.41}, {100, 200, 100, 99.41}},
		"delay=5ms,20ms,50ms,150ms":      {{5, 22, 200, 99.41}, {20, 37, 105, 99.41}, {50, 67, 105, 99.41}, {150, 167, 105, 99.41}},
		"delay=9ms,10ms,15ms,19ms,200ms": {{9, 26, 200, 99.41}, {10, 27, 195, 99.41}, {15, 32, 145, 99.41}, {19, 36, 105, 99.41}, {200, 200, 100, 99.41}},
	} {
		ask := asked()
		ask.Sweep = sweep
		a, err := Scatter(ask)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range a.Rows.([]ScatterRow) {
			at := float64(r.N)
			switch {
			case r.K != nil:
				at = float64(*r.K)
			case r.After != nil:
				at = *r.After
			}
			got := row{at, r.Waits.P50.Value, r.Sent, math.Round(1e4*r.Meets) / 100}
			if got != want[i] {
				t.Errorf("%s: %v, want %v", sweep, got, want[i])
			}
		}
		if a.Knee == nil {
			t.Errorf("%s: no knee", sweep)
		}
	}
}

// The knee of a sweep over delays is where fast answers have come back.
func TestKneeOfDelay(t *testing.T) {
	ask := asked()
	ask.Sweep = "delay=5ms,9ms,10ms,15ms,19ms,20ms,50ms"
	a, err := Scatter(ask)
	if err != nil {
		t.Fatal(err)
	}
	if a.Knee == nil || *a.Knee.Delay != 19 {
		t.Errorf("knee %+v, want 19 ms: the slowest fast answer", a.Knee)
	}
}

// What is drawn from the leaves agrees with what the requests waited that made
// them, within the intervals of both.
func TestScatterAgreesWithObserved(t *testing.T) {
	for _, path := range []string{fixtures + "trace/fan-out-69/traces.pb.zst", fixtures + "trace/fan-out-8/traces.jsonl.zst", corpus + "traces/otlp-json/tail-fanout-69.jsonl"} {
		t.Run(path, func(t *testing.T) {
			ask := asked("all")
			ask.From = read(t, path)
			a, err := Scatter(ask)
			if err != nil {
				t.Fatal(err)
			}
			rows := a.Rows.([]ScatterRow)
			if len(rows) != 2 || !rows[0].Observed || rows[0].N != rows[1].N || rows[0].Sent != rows[1].Sent {
				t.Fatalf("%+v", rows)
			}
			for i, o := range rows[0].Waits.list() {
				p := rows[1].Waits.list()[i]
				// a hundredth beside: the calls of a request do not all begin at once
				if 0.99*p.Low > o.High || p.High < 0.99*o.Low {
					t.Errorf("%s: observed %+v, predicted %+v", percentiles[i].name, o, p)
				}
			}
			if d := math.Abs(rows[0].Meets - rows[1].Meets); d > 0.12 {
				t.Errorf("meets a slow leaf: observed %.3f, 1-(1-p)^n %.3f", rows[0].Meets, rows[1].Meets)
			}
		})
	}
}
