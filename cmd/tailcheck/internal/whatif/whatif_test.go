package whatif

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

const (
	fixtures = "../../../../fixtures/"
	corpus   = "../../../../../shared/corpus/"
	ms       = time.Millisecond
)

func options(t *testing.T, path string) check.Options {
	t.Helper()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not here", path)
	}
	opt, err := check.Flags{}.Options(suite.Formats, suite.Detectors)
	if err != nil {
		t.Fatal(err)
	}
	opt.Paths = []string{path}
	return opt
}

func read(t *testing.T, path string) *Measured {
	t.Helper()
	m, err := Read(context.Background(), options(t, path), "")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

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

func TestHedgeRefuses(t *testing.T) {
	for path, want := range map[string]string{
		fixtures + "trace/retries-3x3x3/traces.jsonl":          "overload (retry-multiplication)",
		fixtures + "trace/hedging-healthy/traces.jsonl.zst":    "hedged already",
		fixtures + "trace/hedging-abuse/traces.jsonl.zst":      "hedged already",
		fixtures + "load/wrk2/saturated.txt":                   "overload (saturated-run)",
		corpus + "traces/otlp-json/grpc-hedging-abuse.jsonl":   "hedged already",
		corpus + "traces/zipkin-v1/train-ticket-preserve.json": "", // too little to say
	} {
		t.Run(path, func(t *testing.T) {
			a, err := Hedge(HedgeAsk{From: read(t, path), Draws: 1000})
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(a.Refused, "\n")
			if want != "" && (!strings.Contains(all, want) || len(a.Advice) > 0 || len(a.Rows.([]HedgeRow)) > 0) {
				t.Errorf("refused %q with %d settings, want %q", all, len(a.Advice), want)
			}
		})
	}
}

// Without hedging the replay is what was recorded; the settings are of their
// kind.
func TestHedgeReplay(t *testing.T) {
	m := read(t, fixtures+"trace/fan-out-69/traces.pb.zst")
	a, err := Hedge(HedgeAsk{From: m, Draws: 100_000, Seed: 4})
	if err != nil || len(a.Refused) > 0 {
		t.Fatal(err, a.Refused)
	}
	rows := a.Rows.([]HedgeRow)
	// README: root p50 62.6, p99 149.5
	if p := rows[0].P99; p.Low > 149.6 || p.High < 149.4 {
		t.Errorf("as recorded: p99 %+v, want 149.5", p)
	}
	if p := rows[0].P50; math.Abs(p.Value-62.6) > 0.3 {
		t.Errorf("as recorded: p50 %+v, want 62.6", p)
	}
	var chosen *HedgeRow
	for i := range rows {
		if rows[i].Chosen {
			chosen = &rows[i]
		}
	}
	if chosen == nil || chosen.Extra > 0.05 || *chosen.After < 13 || *chosen.After > 20 || chosen.P99.Value > 80 || chosen.Worst.Value < chosen.P99.Value {
		t.Errorf("recommended: %+v", chosen)
	}
	if len(a.Advice) != 2 {
		t.Fatalf("%d settings", len(a.Advice))
	}
	var config struct {
		MethodConfig []struct {
			Name          []map[string]string
			HedgingPolicy struct {
				MaxAttempts  int
				HedgingDelay string
			}
		}
	}
	if err := json.Unmarshal([]byte(a.Advice[0].Text), &config); err != nil {
		t.Fatal(err)
	}
	p := config.MethodConfig[0]
	if d, err := time.ParseDuration(p.HedgingPolicy.HedgingDelay); err != nil || p.HedgingPolicy.MaxAttempts != 2 || inMs(d) != *chosen.After || p.Name[0]["service"] != "search.v1.Shard" {
		t.Errorf("service config %+v", config)
	}
}

// Calls that are slower the more of them come wait for each other.
func TestHedgeSeesQueues(t *testing.T) {
	x := &hedge{}
	for i := range 20 {
		busy := i >= 14
		b := bucket{index: i, p50: 10 * ms, rate: 100 + float64(i)}
		if busy {
			b.p50, b.rate = time.Duration(20+i)*ms, 300+float64(i)
		}
		x.by = append(x.by, b)
	}
	if x.queueing() == "" {
		t.Error("no queue is seen")
	}
	for i := range x.by {
		x.by[i].rate = 100 // the same rate throughout: slow for another reason
	}
	if why := x.queueing(); why != "" {
		t.Error(why)
	}
}

// Equal bytes for equal input: whatever the cores, and however the file is cut.
func TestSameBytes(t *testing.T) {
	answers := func(t *testing.T, cores, chunk int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		var out bytes.Buffer
		write := func(a *Answer, err error) {
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(a.WriteJSON(&out), a.WriteText(&out, report.Options{})); err != nil {
				t.Fatal(err)
			}
		}
		from := func(path string) check.Options {
			opt := options(t, path)
			opt.Jobs, opt.Chunk, opt.Plan = cores, chunk, check.Plan{Interval: 80 * ms}
			return opt
		}
		measured := func(path string) *Measured {
			m, err := Read(context.Background(), from(path), "")
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		ask := asked()
		ask.From = measured(fixtures + "trace/fan-out-8/traces.jsonl.zst")
		write(Scatter(ask))
		write(Hedge(HedgeAsk{From: ask.From, Draws: 50_000, Seed: 1}))
		write(Load(LoadAsk{From: measured(fixtures + "load/stall-hey/hey.csv"), SlowOver: -1, Seed: 1}))
		a, _, err := ChainFrom(context.Background(), from(fixtures+"trace/retries-3x3x3/traces.jsonl"), "", 0, 1)
		write(a, err)
		write(Chain(ChainAsk{Tries: []int{3}, Hops: 4, Cost: 10 * ms, Failing: 0.2, Steps: 1, Share: 0.2, Draws: 20_000, Seed: 1}))
		return out.String()
	}
	one := answers(t, 1, 0)
	if many := answers(t, 5, 4<<10); many != one {
		t.Error("the answer depends on cores or on how the file is cut")
	}
}

func TestAnswersFitSchema(t *testing.T) {
	raw, err := os.ReadFile("../../../../docs/schema/tailcheck-whatif-1.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	fits := func(a *Answer, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := a.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		x, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(x); err != nil {
			t.Errorf("%s: %#v", a.Model, err)
		}
	}
	ask := asked()
	fits(Scatter(ask))
	ask.Sweep = "delay"
	fits(Scatter(ask))
	ask = asked()
	ask.From = read(t, fixtures+"trace/fan-out-8/traces.jsonl.zst")
	ask.Draws = 1000
	fits(Scatter(ask))
	fits(Hedge(HedgeAsk{From: ask.From, Draws: 1000}))
	fits(Hedge(HedgeAsk{From: read(t, fixtures+"trace/hedging-abuse/traces.jsonl.zst"), Draws: 1000}))
	fits(Chain(ChainAsk{Tries: []int{3}, Hops: 3, Cost: 10 * ms, Fails: -1, Steps: 1, Budget: 45 * ms}))
	a, _, err := ChainFrom(context.Background(), options(t, fixtures+"trace/abandoned/http.jsonl"), "", 0, 1)
	fits(a, err)
	fits(Load(LoadAsk{Service: 50 * ms, Requests: 200, Stalls: []Stalled{{150, 2 * time.Second}}, Plan: check.Plan{Interval: 80 * ms}, SlowOver: -1, Servers: 4}))
}
