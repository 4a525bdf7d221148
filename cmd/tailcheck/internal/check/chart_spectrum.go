package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// spectra draws distributions before and after: those that miss an objective,
// then the slowest by p99.
func (j *judge) spectra() {
	type key struct {
		input int
		op    string
	}
	failed := map[key]bool{}
	for _, o := range j.out.Objectives {
		if o.Verdict == sla.Fail {
			failed[key{o.Input, o.Op}] = true
		}
	}
	order := make([]int, len(j.out.Distributions))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		if d := &j.out.Distributions[i]; failed[key{d.Input, d.Op}] {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(p99Of(&j.out.Distributions[b]), p99Of(&j.out.Distributions[a])))
	})
	drawn := 0
	for _, i := range order {
		if drawn == maxSpectra {
			break
		}
		d := &j.out.Distributions[i]
		s := j.spectrum(i)
		if s == nil {
			continue
		}
		drawn++
		note := ""
		if n := len(order); drawn == maxSpectra && n > maxSpectra {
			note = fmt.Sprintf("%d more operations are not drawn; those that miss an objective come first, then the slowest by p99.", n-drawn)
		}
		j.draw(report.Chart{Title: "Latency by percentile", Input: d.Input, Op: d.Op, Note: strings.TrimSpace(s.note + " " + note), Spectrum: &s.Spectrum})
	}
}

// p99Of is the p99 by which distributions are chosen; -1: not known.
func p99Of(d *report.Distribution) float64 {
	w := -1.0
	for _, f := range []*report.Figures{d.Measured, d.Corrected} {
		if f != nil && f.P99 != nil {
			w = max(w, *f.P99)
		}
	}
	return w
}

type spectrum struct {
	report.Spectrum
	note string
}

// spectrum draws the distribution with a number; nil: there is nothing to draw.
func (j *judge) spectrum(i int) *spectrum {
	d := &j.out.Distributions[i]
	var out spectrum
	if row := j.rowOf(d); row != nil && d.Measured != nil {
		if e := evidenceOf(row); e.raw != nil {
			word := "raw"
			if in := j.pass.table.Input(d.Input); e.unstated(in) {
				word = "reported"
			}
			out.add(word, report.Measured, e.raw)
		}
	}
	if d.Corrected != nil && i < len(j.out.repairs) && j.out.repairs[i] != nil {
		out.add("corrected", report.Corrected, j.out.repairs[i])
	}
	if len(out.Series) == 0 {
		return nil
	}
	for _, o := range j.objectives(d.Input) {
		if o.Metric != sla.Quantile && o.Metric != sla.Max || o.Op != "" && o.Op != d.Op {
			continue
		}
		l := report.Limit{Name: o.String(), Ms: *msOf(o.Limit)}
		if o.Metric == sla.Quantile {
			l.Percentile = o.Percentile.Percent()
		}
		out.Limits = append(out.Limits, l)
	}
	switch c := d.Correction; {
	case c == nil, d.Corrected == nil:
	case c.Method == string(correct.FillAdded) || c.Method == string(correct.FillInPlace):
		out.note = "Where the curves part, requests were due that the generator did not send; the corrected curve counts them with the time that they would have waited."
	case c.Method == string(correct.Bounds):
		out.note = "The report holds a summary only: the corrected curve lies between the two lines."
	case c.Method == string(correct.Intended):
		out.note = "The corrected curve counts the time from the moment at which each request was due."
	}
	return &out
}

// rowOf finds the row behind a distribution; of a log of several operations the
// one without a name is all of them.
func (j *judge) rowOf(d *report.Distribution) *detect.Row {
	rows := j.pass.table.Input(d.Input).Rows()
	for _, row := range rows {
		if row.Op == d.Op && row.Vantage.String() == d.Vantage {
			return row
		}
	}
	if d.Op != "" || d.Input >= len(j.inputs) || j.inputs[d.Input].kind() != kindLog {
		return nil
	}
	whole := &detect.Row{}
	for _, row := range rows {
		whole.Vantage = row.Vantage
		whole.Add(row)
	}
	return whole
}

// add draws some figures at HdrHistogram's percentiles: five steps each time
// that the rest to 100 % halves, until there is no sample beyond.
func (s *spectrum) add(name string, role report.Role, f correct.Figures) {
	points := spectrumOf(f)
	if len(points) > 0 {
		s.Series = append(s.Series, report.SpectrumSeries{Name: name, Role: role, Points: points})
	}
}

func spectrumOf(f correct.Figures) []report.SpectrumPoint {
	var out []report.SpectrumPoint
	put := func(percent float64, r correct.Range) {
		if !r.Known() || r.High == correct.Infinite && r.Low == 0 {
			return
		}
		p := report.SpectrumPoint{Percentile: percent, LowMs: *msOf(r.Low), HighMs: math.Inf(1)}
		if r.High != correct.Infinite {
			p.HighMs = *msOf(r.High)
		}
		out = append(out, p)
	}
	n := f.Count()
	last := latency.P9999 // where it is not known how many samples there are
	for _, p := range drawnPercentiles() {
		if n > 0 && p.Rank(n) == n {
			// Of all percentiles from here on the maximum is the value.
			put(100-50/float64(n), f.Max())
			break
		}
		if n <= 0 && p > last {
			break
		}
		put(p.Percent(), f.Percentile(p))
	}
	return out
}

// drawnPercentiles are the percentiles of a spectrum, rising: HdrHistogram's own
// ticks, and those that people ask for.
func drawnPercentiles() []latency.Percentile {
	var out []latency.Percentile
	for _, x := range printedPercentiles {
		out = append(out, x.p)
	}
	for q := 0.0; ; {
		p := latency.PercentileOf(100 * q)
		if p >= latency.P100 {
			break
		}
		out = append(out, p)
		half := math.Exp2(math.Floor(math.Log2(1/(1-q))) + 1)
		q += 1 / (ticks * half)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
