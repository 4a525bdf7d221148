package check

import (
	"fmt"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/detect/amplification"
	"github.com/tailcheck/tailcheck/detect/retries"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// Bounds of what is drawn of traces.
const (
	maxFanOuts  = 3
	maxAttempts = 4
	maxTreesOf  = 3
	maxBars     = 40

	// looked is how many spans are looked at again for call trees and attempts:
	// whole parts of the store, which are spread by a hash of the trace ids, so
	// that what is drawn of more spans is a sample that does not depend on their
	// order.
	looked = 1 << 19
)

// traceCharts draws fan-outs, attempts and call trees.
func (j *judge) traceCharts() {
	if j.pass.spans.Len() == 0 || len(j.pass.assembled) == 0 {
		return
	}
	j.fanOuts()
	var forest forest
	var attempts retries.Attempts
	var spans, traces int64
	parts := j.pass.spans.Parts()
	part := 0
	for ; part < parts && spans < looked; part++ {
		for t, err := range j.pass.spans.Traces(part) {
			if err != nil {
				return // of a temporary file; the pass has read it once already
			}
			if j.opt.Filter.passes(t) {
				forest.add(t)
				attempts.Add(t)
				traces++
				spans += int64(len(t.Spans))
			}
		}
	}
	sample := ""
	if part < parts {
		sample = fmt.Sprintf(" A sample: %d traces, chosen by a hash of their ids.", traces)
	}
	for i, h := range attempts.Hops() {
		if i == maxAttempts {
			break
		}
		g := &report.Histogram{Each: "tries of one call", Of: "calls"}
		for _, x := range h.Tries[:min(len(h.Tries), maxBars)] {
			for n := int64(len(g.Bars)) + 1; n < x.Tries && n < maxBars; n++ {
				g.Bars = append(g.Bars, report.Bar{From: n, To: n}) // no call took so many
			}
			g.Bars = append(g.Bars, report.Bar{From: x.Tries, To: x.Tries, Count: x.Calls})
		}
		j.draw(report.Chart{Title: "Attempts: " + h.Call, Input: -1, Note: "How many calls took how many tries; tries are siblings that follow each other and of which each but the last failed." + sample, Histogram: g})
	}
	for _, tree := range forest.trees(maxTreesOf) {
		j.draw(report.Chart{Title: "Calls of " + tree.name, Input: -1, Note: fmt.Sprintf("%d requests laid over each other: each row is an operation below the same operations.%s", tree.Requests, sample), Tree: &tree.CallTree})
	}
}

// fanOuts draws parallel calls: those of findings first.
func (j *judge) fanOuts() {
	var list []amplification.FanOut
	for i, d := range j.opt.Detectors {
		if d.Name == amplification.TailAmplification.Name && j.pass.tallies[i] != nil {
			list = amplification.FanOuts(j.pass.tallies[i])
		}
	}
	found := func(f *amplification.FanOut) bool {
		return slices.ContainsFunc(j.out.Findings, func(x report.Finding) bool {
			return x.Rule == amplification.TailAmplification.Name && x.Op == f.Op && names(x.Message, f.Call)
		})
	}
	slices.SortStableFunc(list, func(a, b amplification.FanOut) int { return boolInt(found(&b)) - boolInt(found(&a)) })
	for i := range list {
		f := &list[i]
		if i == maxFanOuts {
			break
		}
		n, wait := f.Widths.Percentile(latency.P50), f.Waits.Percentile(latency.P50)
		var s spectrum
		s.add("one call", report.Measured, correct.FromSummary(&f.Calls))
		s.add("a request's wait for its calls", report.Corrected, correct.FromSummary(&f.Waits))
		s.Limits = []report.Limit{{Name: "median request", Ms: *msOf(wait)}}
		if f.Met < 1 {
			s.Marks = append(s.Marks, report.Mark{Name: "met by the median request", Percentile: 100 * f.Met})
		}
		if f.Expected < 1 {
			s.Marks = append(s.Marks, report.Mark{Name: fmt.Sprintf("expected of %d independent calls", n), Percentile: 100 * f.Expected})
		}
		j.draw(report.Chart{Title: fmt.Sprintf("%s waits for %s", f.Op, f.Call), Input: -1, Spectrum: &s.Spectrum,
			Note: fmt.Sprintf("A request waits for the slowest of its %d calls (median), so that its median is far out in the tail of a call: where the median request crosses the curve of one call. %d requests, %d calls.", n, f.Requests, f.Calls.Count())})
		j.draw(report.Chart{Title: "Fan-out: " + f.Op + " to " + f.Call, Input: -1, Histogram: widthBars(&f.Widths),
			Note: "How many parallel calls requests make."})
	}
}

// widthBars are the calls of requests, in at most maxBars bars of equal width.
func widthBars(s *latency.Summary) *report.Histogram {
	g := &report.Histogram{Each: "calls in one request", Of: "requests"}
	values := s.Values()
	if len(values) == 0 {
		return g
	}
	low := values[0].V
	width := (values[len(values)-1].V-low)/maxBars + 1
	for _, v := range values {
		from := low + (v.V-low)/width*width
		if n := len(g.Bars); n > 0 && g.Bars[n-1].From == from {
			g.Bars[n-1].Count += v.Count
			continue
		}
		g.Bars = append(g.Bars, report.Bar{From: from, To: from + width - 1, Count: v.Count})
	}
	return g
}
