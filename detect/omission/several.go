package omission

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// target returns what a report was about, so that two reports are compared only
// where it is known that they are of the same: the address of the command line,
// else the operations. Empty: not known.
func (l *load) target() string {
	if u := address(l.run.Command); u != "" {
		return u
	}
	var ops []string
	for _, r := range l.in.Rows() {
		if r.Op == "" {
			return ""
		}
		ops = append(ops, r.Op)
	}
	slices.Sort(ops)
	return strings.Join(slices.Compact(ops), "\n")
}

// comparable is one report that may be compared with others.
type comparison struct {
	*facts
	p99 int64
}

// byTarget returns the reports with enough samples and a p99, by target.
func byTarget(t *detect.Table) map[string][]comparison {
	out := map[string][]comparison{}
	for _, l := range loads(t) {
		if len(l.parts) != 1 {
			continue
		}
		f := l.parts[0]
		target := l.target()
		p99, known := f.spread.at(latency.P99)
		if f.timed() {
			p99 = f.response.Percentile(latency.P99)
		}
		if target == "" || !known || p99 <= 0 || f.spread.n < fewSamples || len(f.contradictions()) > 0 {
			continue
		}
		out[target] = append(out[target], comparison{f, p99})
	}
	return out
}

func targets(m map[string][]comparison) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Differences between reports that are worth a word.
const (
	moreWorkers = 1.5  // times as many
	lowerTail   = 0.8  // times the other p99, at most
	sameRate    = 0.03 // share by which equal throughputs may differ
	jump        = 2    // times the closed loop's p99
)

// rising returns pairs of closed, raw runs of the same target and tool whose
// workers rise, next to each other by workers.
func rising(t *detect.Table) [][2]comparison {
	var out [][2]comparison
	all := byTarget(t)
	for _, target := range targets(all) {
		runs := slices.DeleteFunc(slices.Clone(all[target]), func(c comparison) bool {
			return c.run.Loop != ingest.Closed || c.corrected() || !c.counted || c.plan.rate > 0 || c.run.Interval > 0
		})
		slices.SortStableFunc(runs, func(a, b comparison) int {
			return cmp.Or(strings.Compare(a.run.Tool, b.run.Tool), cmp.Compare(a.workers, b.workers), a.in.Index-b.in.Index)
		})
		for i := 1; i < len(runs); i++ {
			if a, b := runs[i-1], runs[i]; a.run.Tool == b.run.Tool && b.workers >= moreWorkers*a.workers {
				out = append(out, [2]comparison{a, b})
			}
		}
	}
	return out
}

func both(a, b comparison) []int {
	in := []int{a.in.Index, b.in.Index}
	slices.Sort(in)
	return in
}

// ConcurrencyInversion finds runs whose tail gets better as load rises.
var ConcurrencyInversion = detect.Detector{
	Name: "concurrency-inversion", Severity: detect.Warning, Reads: ingest.Load,
	Doc: `The tail gets better as concurrency rises

Of two closed-loop runs against the same target the one with more connections
has the lower p99. Servers do not get faster under more load: the share of slow
samples in a closed loop with a stall is about b/(D-S) (b a normal latency, S
the stall, D the run) whatever the number of connections is, so that where p99
falls depends on how many fast samples the run could pile up beside the stall,
and not on the server.

It rests on two reports of the same tool against the same address, or with the
same operations; p99 lower by 20 % or more at 1.5 times the connections.

Not reported: runs of which it is not known that they had the same target;
corrected and paced ones.`,
	Judge: func(t *detect.Table) []detect.Finding {
		var out []detect.Finding
		for _, pair := range rising(t) {
			a, b := pair[0], pair[1]
			if float64(b.p99) > lowerTail*float64(a.p99) {
				continue
			}
			f := detect.Finding{
				Confidence: detect.Medium, Inputs: both(a, b),
				Message: fmt.Sprintf("p99 falls from %s to %s (raw) as the connections rise from %s to %s: it counts fast samples beside a stall, not what users meet", ms(a.p99), ms(b.p99), short(a.workers), short(b.workers)),
				Remedy:  "Trust neither; measure both with an open loop at the same rate.",
			}
			e := (*evidence)(&f.Evidence)
			compared(e, a)
			compared(e, b)
			out = append(out, f)
		}
		return out
	},
}

func compared(e *evidence, c comparison) {
	e.add(fmt.Sprintf("p99 at %s connections", short(c.workers)), ms(c.p99), "")
	e.at(c.place())
}

// place is where a report says its figures.
func (f *facts) place() ingest.Pos {
	if f.agg != nil {
		return f.agg.Pos
	}
	if f.tail.has {
		return f.tail.at
	}
	return f.run.Pos
}

// equalThroughput finds that more connections gave no more throughput.
func equalThroughput(t *detect.Table) []detect.Finding {
	var out []detect.Finding
	for _, pair := range rising(t) {
		a, b := pair[0], pair[1]
		if a.rate <= 0 || math.Abs(b.rate-a.rate) > sameRate*a.rate || a.occupancy() < saturated || b.occupancy() < saturated {
			continue
		}
		f := detect.Finding{
			Confidence: detect.Medium, Inputs: both(a, b),
			Message: fmt.Sprintf("%s connections got no more throughput than %s (%s and %s): the target was saturated, and latency is waiting in its queue", short(b.workers), short(a.workers), perSecond(b.rate), perSecond(a.rate)),
			Remedy:  "Measure below that rate; percentiles at it say how many connections there were.",
		}
		e := (*evidence)(&f.Evidence)
		for _, c := range []comparison{a, b} {
			e.add(fmt.Sprintf("throughput at %s connections", short(c.workers)), perSecond(c.rate), "")
			e.at(c.place())
		}
		out = append(out, f)
	}
	return out
}

// LoopModelChanged finds comparisons of closed with open loops.
var LoopModelChanged = detect.Detector{
	Name: "loop-model-changed", Severity: detect.Warning, Reads: ingest.Load,
	Doc: `The loop model changed between reports

One report is of a closed loop, the other is timed from a schedule or of an
open loop, and the p99 of the latter is at least twice as high. That is no
regression of the server: the open loop shows what the closed one did not send.
The higher number is the right one.

It rests on two reports against the same address, or with the same operations,
and on how each tool sends.

Not reported: reports of which it is not known that they had the same target,
and differences below a factor of 2.`,
	Judge: func(t *detect.Table) []detect.Finding {
		var out []detect.Finding
		all := byTarget(t)
		for _, target := range targets(all) {
			var closed, open *comparison
			for i := range all[target] {
				c := &all[target][i]
				switch {
				case c.run.Loop == ingest.Open, c.timed(), c.treated == ingest.FromSchedule:
					if open == nil {
						open = c
					}
				case c.run.Loop == ingest.Closed && !c.corrected():
					if closed == nil {
						closed = c
					}
				}
			}
			if closed == nil || open == nil || open.p99 < jump*closed.p99 {
				continue
			}
			f := detect.Finding{
				Confidence: detect.Medium, Inputs: both(*closed, *open),
				Message: fmt.Sprintf("p99 is %s in a closed loop (raw) and %s in an open one: the higher number is the right one, and the difference is no regression", ms(closed.p99), ms(open.p99)),
				Remedy:  "Compare runs of one loop model only; keep the open loop.",
			}
			e := (*evidence)(&f.Evidence)
			e.add("p99, closed loop", ms(closed.p99), "")
			e.at(closed.place())
			e.add("p99, open loop or timed from the schedule", ms(open.p99), "")
			e.at(open.place())
			out = append(out, f)
		}
		return out
	},
}
