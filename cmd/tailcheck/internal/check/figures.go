package check

import (
	"math"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// distribution prints one operation before and after.
func (j *judge) distribution(in *detect.Input, e *evidence, r correct.Repair) report.Distribution {
	d := report.Distribution{Input: in.Index, Op: e.row.Op, Vantage: e.row.Vantage.String()}
	if e.raw != nil {
		d.Measured = figuresOf(e.raw, e.rule(&in.Run), e.resolution)
		d.Measured.Printed = append(printedOf(e.summary, e.samples), byToolsRule(in, e)...)
	}
	if r.Figures != nil {
		rule, resolution := "nearest rank", e.resolution
		switch r.Method {
		case correct.ByTool:
			rule, resolution = ruleOf(e.toolSummary, &in.Run), e.toolResolution
		case correct.Bounds:
			resolution = "bounds"
		}
		d.Corrected = figuresOf(r.Figures, rule, resolution)
		if r.Method == correct.ByTool {
			s, _ := e.tool.(figures)
			d.Corrected.Printed = printedOf(e.toolSummary, s.buckets)
		}
	}
	if r.Method == correct.None && r.Refused == "" {
		return d
	}
	c := &report.Correction{Method: string(r.Method), IntervalFrom: known(string(r.IntervalFrom)), Confidence: known(r.Confidence), Assumes: known(r.Assumes), Refused: known(r.Refused)}
	if r.Interval > 0 {
		c.IntervalMs = msOf(r.Interval)
	}
	if r.Method == correct.FillAdded || r.Method == correct.FillInPlace {
		c.Added, c.AddedShare = &r.Added, &r.AddedShare
		c.Band = &report.Band{Half: valueOf(r.Half), Double: valueOf(r.Double)}
	}
	if e.samples != nil && in.Run.Loop == ingest.Closed && in.Run.Elapsed > 0 && j.workers(in) == 1 {
		for _, x := range j.waits(e.samples, in.Index) {
			c.RandomWait = append(c.RandomWait, report.Wait{Over: *msOf(x), Share: correct.Wait(e.samples, x, in.Run.Elapsed)})
		}
	}
	d.Correction = c
	return d
}

// waits are the waiting times of the random-arrival view: the objectives'
// limits, or half of the longest latency.
func (j *judge) waits(s *correct.Sampled, input int) []int64 {
	var out []int64
	for _, o := range j.objectives(input) {
		if o.Metric.IsTime() {
			out = append(out, o.Limit)
		}
	}
	if len(out) == 0 {
		out = append(out, s.Max().Low/2)
	}
	return out
}

// workers is workersOf, worked out once for each input: it looks at every sample,
// and an input may have as many operations.
func (j *judge) workers(in *detect.Input) int {
	n, ok := j.crew[in.Index]
	if !ok {
		n = workersOf(in)
		if j.crew == nil {
			j.crew = map[int]int{}
		}
		j.crew[in.Index] = n
	}
	return n
}

// workersOf returns the workers of a run; where it does not say, the most
// requests that were in flight at once. 0: not known.
func workersOf(in *detect.Input) int {
	if in.Run.Workers > 0 || len(in.Pairs) == 0 {
		return in.Run.Workers
	}
	// in a closed loop with one worker no request starts before the one before
	// it ended; starts and ends are printed to a tenth of a millisecond
	const slack = 200_000
	for i, p := range in.Pairs[1:] {
		if in.Pairs[i].End()-p.Start > slack {
			return 0
		}
	}
	return 1
}

// rule names how the raw percentiles were picked.
func (e *evidence) rule(run *ingest.Run) string {
	if e.summary == nil {
		return "nearest rank"
	}
	return ruleOf(e.summary, run)
}

func ruleOf(a *ingest.Aggregate, run *ingest.Run) string {
	if a == nil {
		return "nearest rank"
	}
	if rule := a.Rule.String(); rule != run.Tool {
		return "printed by " + toolName(run) + " (" + rule + ")"
	}
	return "printed by " + run.Tool + ", by its own rule"
}

func valueOf(r correct.Range) *float64 {
	if !r.IsValue() {
		return nil
	}
	return msOf(r.Low)
}

type printedPercentile struct {
	p    latency.Percentile
	slot func(*report.Figures) **float64
}

var printedPercentiles = []printedPercentile{
	{latency.P50, func(f *report.Figures) **float64 { return &f.P50 }},
	{latency.P75, func(f *report.Figures) **float64 { return &f.P75 }},
	{latency.P90, func(f *report.Figures) **float64 { return &f.P90 }},
	{latency.P95, func(f *report.Figures) **float64 { return &f.P95 }},
	{latency.P99, func(f *report.Figures) **float64 { return &f.P99 }},
	{latency.P999, func(f *report.Figures) **float64 { return &f.P999 }},
	{latency.P9999, func(f *report.Figures) **float64 { return &f.P9999 }},
}

func figuresOf(f correct.Figures, rule, resolution string) *report.Figures {
	r := &report.Figures{Count: known(f.Count()), Min: valueOf(f.Min()), Mean: valueOf(f.Mean()), Max: valueOf(f.Max()), Rule: rule, Resolution: resolution}
	for _, x := range printedPercentiles {
		v := f.Percentile(x.p)
		*x.slot(r) = valueOf(v)
		if !v.IsValue() && v.Known() {
			b := report.Bound{Name: x.p.String(), Low: msOf(v.Low)}
			if v.High != correct.Infinite {
				b.High = msOf(v.High)
			}
			r.Bounds = append(r.Bounds, b)
		}
	}
	return r
}

// printedOf are percentiles of the table by nearest rank over the report's own
// buckets, where the tool printed something else. A spectrum prints dozens that
// nobody asks for.
func printedOf(a *ingest.Aggregate, s *correct.Sampled) []report.Printed {
	if a == nil || s == nil {
		return nil
	}
	var out []report.Printed
	for _, q := range a.Quantiles {
		p := latency.PercentileOf(q.Percentile)
		own := s.Percentile(p).Low
		if !inTable(p) {
			continue
		}
		if diff := math.Abs(float64(own - int64(q.Value))); diff > float64(q.Unit) && diff > 0.001*float64(own) {
			out = append(out, report.Printed{Name: p.String(), Value: *msOf(own), Rule: "nearest rank over the report's own buckets"})
		}
	}
	return out
}

func inTable(p latency.Percentile) bool {
	for _, x := range printedPercentiles {
		if x.p == p {
			return true
		}
	}
	return false
}

func judgedOf(v *sla.Judged) *report.Judged {
	if v == nil {
		return nil
	}
	r := &report.Judged{Verdict: v.Verdict}
	switch {
	case !math.IsNaN(v.Amount):
		r.Amount = &v.Amount
	case v.Range.IsValue():
		r.Value = msOf(v.Range.Low)
	case v.Range.Known():
		r.Low = msOf(v.Range.Low)
		if v.Range.High != correct.Infinite {
			r.High = msOf(v.Range.High)
		}
	}
	return r
}

// rules are the quantile rules of tools that leave samples behind, so that what
// they print can be found again beside nearest rank.
var rules = map[string]ingest.QuantileRule{"hey": ingest.RuleHey}

// byToolsRule are percentiles of samples by the rule of the tool that took them,
// where nearest rank says something else.
func byToolsRule(in *detect.Input, e *evidence) []report.Printed {
	rule, ok := rules[in.Run.Tool]
	if !ok || e.summary != nil || e.samples == nil || e.buckets {
		return nil
	}
	var out []report.Printed
	for _, x := range printedPercentiles {
		rank, _ := correct.Ranks(rule, x.p, e.samples.Count())
		if v := e.samples.At(rank); v != e.samples.Percentile(x.p).Low {
			out = append(out, report.Printed{Name: x.p.String(), Value: *msOf(v), Rule: in.Run.Tool + "'s own rule"})
		}
	}
	return out
}
