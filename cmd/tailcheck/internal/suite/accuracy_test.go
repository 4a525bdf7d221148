package suite_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

const (
	scenarios    = 420
	scenarioSeed = 1
)

// trial is one scenario, as tailcheck sees it.
type trial struct{ simulate.Scenario }

// input writes a run as its generator would have reported it.
func (x *trial) input(requests []simulate.Request) []byte {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	switch x.Load.Loop {
	case simulate.Closed, simulate.Paced: // hey -o csv, in the order of the ends
		requests = slices.Clone(requests)
		slices.SortStableFunc(requests, func(a, b simulate.Request) int { return int(a.End - b.End) })
		fmt.Fprintln(w, "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset")
		for _, r := range requests {
			fmt.Fprintf(w, "%.4f,0.0000,0.0000,0.0000,%.4f,0.0000,200,%.4f\n", r.ServiceTime().Seconds(), r.ServiceTime().Seconds(), r.Start.Seconds())
		}
	case simulate.Pooled: // no due times: the schedule must be rebuilt
		fmt.Fprintln(w, "start_ns,end_ns,status")
		for _, r := range requests {
			fmt.Fprintf(w, "%d,%d,200\n", r.Start, r.End)
		}
	default:
		fmt.Fprintln(w, "due_ns,start_ns,end_ns,status")
		for _, r := range requests {
			fmt.Fprintf(w, "%d,%d,%d,200\n", r.Due, r.Start, r.End)
		}
	}
	_ = w.Flush()
	return b.Bytes()
}

// judge runs tailcheck on a report.
func (x *trial) judge(t *testing.T, data []byte, plan bool, limits ...time.Duration) *check.Outcome {
	t.Helper()
	var f check.Flags
	if plan {
		f.Workers = x.Load.Workers
		if x.Load.Loop == simulate.Pooled {
			f.Rate = fmt.Sprintf("%.9f/s", x.Load.Rate())
		} else if x.Load.Loop.Omits() {
			f.Interval = x.Load.Interval.String()
		}
	}
	for _, l := range limits {
		f.SLA = append(f.SLA, fmt.Sprintf("p99<%dns", l))
	}
	o := options(t, f, "-")
	o.Stdin = bytes.NewReader(data)
	out, err := check.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tally counts verdicts against the truth.
type tally struct{ right, open, wrongPass, wrongFail int }

func (c *tally) add(verdict string, fails bool) (wrong string) {
	switch {
	case verdict == "inconclusive":
		c.open++
	case verdict == "fail" == fails:
		c.right++
	case fails:
		c.wrongPass++
		return "passes, and would have failed"
	default:
		c.wrongFail++
		return "fails, and would have passed"
	}
	return ""
}

func (c tally) String() string {
	return fmt.Sprintf("%d | %d | %d | %d", c.right, c.open, c.wrongPass, c.wrongFail)
}

// group is one row of the page.
type group struct {
	name                   string
	n, matters             int
	raw, corrected         []float64 // |ln(value/truth)|
	plan, blind            tally
	found, missed, falsely int
	refused                int
	cases                  []string
}

func quantileOf(v []float64, q float64) string {
	if len(v) == 0 {
		return "–"
	}
	slices.Sort(v)
	f := math.Exp(v[min(len(v)-1, int(q*float64(len(v))))])
	if f > 99 {
		return "> 99x"
	}
	return fmt.Sprintf("%.2fx", f)
}

// The page docs/accuracy.md: how far corrections are from the truth of
// simulated runs, and how often verdicts and detectors are right.
func TestAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of simulated runs")
	}
	groups := map[string]*group{}
	var order []string
	at := func(x simulate.Scenario) *group {
		loop := "open or scheduled (due times in the file)"
		switch x.Load.Loop {
		case simulate.Closed:
			loop = "closed"
		case simulate.Paced:
			loop = "closed with a pace (hey -q)"
		case simulate.Pooled:
			loop = "few connections that catch up (vegeta -max-workers)"
		}
		name := loop + " | " + x.Kind.String()
		g := groups[name]
		if g == nil {
			g = &group{name: name}
			groups[name] = g
			order = append(order, name)
		}
		return g
	}
	for _, s := range simulate.Scenarios(scenarios, scenarioSeed) {
		x := &trial{Scenario: s}
		g := at(s)
		requests := s.Run()
		raw := simulate.ServiceTimes(requests).Percentile(latency.P99)
		truth := simulate.ResponseTimes(s.Truth()).Percentile(latency.P99)
		data := x.input(requests)
		// One limit that the truth misses by half, one that it keeps by half.
		limits := []time.Duration{time.Duration(truth) * 2 / 3, time.Duration(truth) * 3 / 2}
		planned, blind := x.judge(t, data, true, limits...), x.judge(t, data, false, limits...)
		g.n++
		matters := truth > 2*raw
		if matters {
			g.matters++
		}
		g.raw = append(g.raw, math.Abs(math.Log(float64(raw)/float64(truth))))
		if d := planned.Distributions[0]; d.Corrected != nil && d.Corrected.P99 != nil {
			g.corrected = append(g.corrected, math.Abs(math.Log(*d.Corrected.P99*1e6/float64(truth))))
		} else {
			g.refused++
		}
		for i, fails := range []bool{true, false} {
			for _, c := range []struct {
				t    *tally
				o    *check.Outcome
				what string
			}{{&g.plan, planned, "with the plan"}, {&g.blind, blind, "without a plan"}} {
				if wrong := c.t.add(c.o.Objectives[i].Verdict, fails); wrong != "" {
					g.cases = append(g.cases, fmt.Sprintf("%s: %s, p99 %.1f ms raw, %.1f ms in truth: p99<%.1fms %s", s.Name, c.what, float64(raw)/1e6, float64(truth)/1e6, float64(limits[i])/1e6, wrong))
				}
			}
		}
		said := has(blind, "coordinated-omission", "medium high")
		switch {
		case said && (s.Kind == simulate.Calm || s.Kind == simulate.Isolated || !s.Load.Loop.Omits() && s.Load.Loop != simulate.Pooled):
			g.falsely++
			g.cases = append(g.cases, s.Name+": coordinated-omission is found without a plan, and nothing was omitted that users would have met")
		case said:
			g.found++
		case matters && s.Load.Loop.Omits() && s.Kind != simulate.Calm && s.Kind != simulate.Isolated:
			g.missed++
			g.cases = append(g.cases, fmt.Sprintf("%s: coordinated-omission is not found without a plan, p99 %.1f ms raw, %.1f ms in truth", s.Name, float64(raw)/1e6, float64(truth)/1e6))
		}
	}
	slices.Sort(order)
	var b strings.Builder
	fmt.Fprintf(&b, `<!-- generated: go test ./cmd/tailcheck/internal/suite -run TestAccuracy -update -->

# Accuracy

%d seeded scenarios of load loops against servers whose behaviour is known (internal/simulate): closed loops, closed
loops with a pace, schedules that are kept or caught up with; constant, exponential, lognormal and two-peaked service
times; calm servers, slow requests that nobody waits for (isolated), that a queue waits behind (queued), pauses, and
freezes. The report of each run is written as its tool would write it and goes through the whole of tailcheck. The
truth is what users would have met who arrive by the plan and do not wait for each other.

## p99 against the truth

Factor between a p99 and the truth's (whichever way): the median scenario, and the one that nine of ten are better
than. Corrected: with the plan given. A refusal gives no figure.

| loop | server | runs | truth over twice raw | raw: median | nine of ten | corrected: median | nine of ten | refused |
|---|---|---:|---:|---:|---:|---:|---:|---:|
`, scenarios)
	for _, name := range order {
		g := groups[name]
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %s | %s | %s | %d |\n", name, g.n, g.matters, quantileOf(g.raw, 0.5), quantileOf(g.raw, 0.9), quantileOf(g.corrected, 0.5), quantileOf(g.corrected, 0.9), g.refused)
	}
	b.WriteString(`
## Verdicts

Two objectives for each run, one that the truth misses by half and one that it keeps by half: right verdicts,
inconclusive ones, passes that should be fails, fails that should be passes.

| loop | server | with the plan: right | inconclusive | wrong pass | wrong fail | without: right | inconclusive | wrong pass | wrong fail |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|
`)
	var plan, blind tally
	for _, name := range order {
		g := groups[name]
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, g.plan, g.blind)
		for _, c := range []struct{ sum, x *tally }{{&plan, &g.plan}, {&blind, &g.blind}} {
			c.sum.right, c.sum.open, c.sum.wrongPass, c.sum.wrongFail = c.sum.right+c.x.right, c.sum.open+c.x.open, c.sum.wrongPass+c.x.wrongPass, c.sum.wrongFail+c.x.wrongFail
		}
	}
	fmt.Fprintf(&b, "| all | | %s | %s |\n", plan, blind)
	b.WriteString(`
## coordinated-omission, without a plan

How often the detector speaks (medium confidence or above) where it is right, where it is wrong, and where it is
silent although the p99 of a loop that omits is less than half of the truth's.

| loop | server | runs | right | wrong | silent |
|---|---|---:|---:|---:|---:|
`)
	for _, name := range order {
		g := groups[name]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", name, g.n, g.found, g.falsely, g.missed)
	}
	b.WriteString("\n## Where it is wrong\n\nEvery wrong verdict, wrong alarm and silence of the tables above. What they have in common: a closed loop's file cannot\ntell a request that was slow alone from a stall of everything (isolated), a fill knows nothing of the queue that a stall\nleaves behind (queued), and a run's own speed says nothing of the plan.\n\n")
	for _, name := range order {
		for _, c := range groups[name].cases {
			fmt.Fprintf(&b, "- %s\n", c)
		}
	}
	path := filepath.Join(root, "docs", "accuracy.md")
	got, _ := os.ReadFile(path)
	if string(got) == b.String() {
		return
	}
	if !*update {
		t.Errorf("docs/accuracy.md is not current: go test ./cmd/tailcheck/internal/suite -run TestAccuracy -update")
		return
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
