package whatif

import (
	"fmt"
	"io"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// WriteHTML writes a sweep as a page to look at: charts, the table behind each,
// and what they rest on.
func (a *Answer) WriteHTML(w io.Writer) error {
	p := report.WhatIfPage{Question: a.Question, Answer: strings.Split(a.Answer, "\n"), Charts: a.charts(), RestsOn: a.restsOn()}
	if a.Source != nil {
		p.Source = a.Source.Path
	}
	for _, r := range a.Refused {
		p.Answer = append(p.Answer, "Refused: "+r)
	}
	if a.Knee != nil {
		p.Answer = append(p.Answer, "Knee: "+a.Knee.Text)
	}
	return p.WriteHTML(w)
}

// Sweeps reports whether there is a sweep to be shown: hedging is looked at for
// one delay after another anyway.
func (a *Answer) Sweeps() bool { return a.Swept != nil || a.Model == "hedge" }

func (a *Answer) charts() []report.Chart {
	switch rows := a.Rows.(type) {
	case []ScatterRow:
		return a.scatterCharts(rows)
	case []HedgeRow:
		return hedgeCharts(rows)
	case []ChainRow:
		return a.chainCharts(rows)
	}
	return nil
}

func (a *Answer) scatterCharts(rows []ScatterRow) []report.Chart {
	waits := report.Sweep{Over: a.Swept.Over, Of: "wait", Series: []report.SweepSeries{{Name: "p50", Role: report.Measured}, {Name: "p99", Role: report.Corrected}, {Name: "p99.9", Role: report.Other}},
		Beside: []report.SweepColumn{{Name: "calls sent"}, {Name: "answers"}, {Name: "meet a slow leaf"}}}
	sent := report.Sweep{Over: a.Swept.Over, Plain: true, Of: "calls sent", Series: []report.SweepSeries{{Name: "calls sent", Role: report.Measured}}}
	for i := range rows {
		r := &rows[i]
		at := r.at(a.Swept.Over)
		waits.At = append(waits.At, at)
		for k, e := range []Estimate{r.Waits.P50, r.Waits.P99, r.Waits.P999} {
			waits.Series[k].Values = append(waits.Series[k].Values, e.Value)
		}
		for k, cell := range []string{mean(r.Sent), mean(r.Answers), hundredths(r.Meets)} {
			waits.Beside[k].Cells = append(waits.Beside[k].Cells, cell)
		}
		sent.Series[0].Values = append(sent.Series[0].Values, r.Sent)
		if k := a.Knee; k != nil && (k.At != nil && at == fmt.Sprint(*k.At) || k.Delay != nil && r.After != nil && *r.After == *k.Delay) {
			waits.Knee = i + 1
		}
	}
	if a.RestsOn.Draws == 0 { // nothing is drawn: all percentiles are the same
		waits.Series = waits.Series[:1]
		waits.Series[0].Name = "wait"
	}
	sent.At, sent.Knee = waits.At, waits.Knee
	return []report.Chart{
		{Title: "What requests wait", Input: -1, Sweep: &waits},
		{Title: "Calls that a request sends", Input: -1, Sweep: &sent},
	}
}

func hedgeCharts(rows []HedgeRow) []report.Chart {
	waits := report.Sweep{Over: "second call after", Of: "time of requests", Series: []report.SweepSeries{{Name: "p50", Role: report.Measured}, {Name: "p99", Role: report.Corrected}, {Name: "p99 at worst", Role: report.Other}},
		Beside: []report.SweepColumn{{Name: "p99.9"}, {Name: "further calls"}}}
	extra := report.Sweep{Over: waits.Over, Plain: true, Of: "further calls, %", Series: []report.SweepSeries{{Name: "further calls, %", Role: report.Measured}}}
	for i := range rows {
		r := &rows[i]
		at := "never"
		if r.After != nil {
			at = clockOr0(*r.After)
		}
		waits.At = append(waits.At, at)
		for k, e := range []Estimate{r.P50, r.P99, r.Worst} {
			waits.Series[k].Values = append(waits.Series[k].Values, e.Value)
		}
		waits.Beside[0].Cells = append(waits.Beside[0].Cells, clockOr0(r.P999.Value))
		waits.Beside[1].Cells = append(waits.Beside[1].Cells, report.Share(r.Extra))
		extra.Series[0].Values = append(extra.Series[0].Values, 100*r.Extra)
		if r.Chosen {
			waits.Knee = i + 1
		}
	}
	extra.At, extra.Knee = waits.At, waits.Knee
	return []report.Chart{
		{Title: "What requests take", Input: -1, Sweep: &waits},
		{Title: "Further calls", Input: -1, Sweep: &extra},
	}
}

// chainCharts has a series for each policy; rows go through the policies of one
// value before they come to the next.
func (a *Answer) chainCharts(rows []ChainRow) []report.Chart {
	if len(a.sweptAt) == 0 || len(rows)%len(a.sweptAt) != 0 {
		return nil
	}
	n := len(rows) / len(a.sweptAt)
	elapsed := report.Sweep{Over: a.Swept.Over, At: a.sweptAt, Of: "time"}
	leaf := report.Sweep{Over: a.Swept.Over, At: a.sweptAt, Plain: true, Of: "calls of the leaf"}
	for k := range n {
		name := rows[k].Policy
		if s := rows[k].Share; s != nil {
			name += ", up to " + report.Share(*s) + " retries"
		}
		role := report.Role(min(k, int(report.Other)))
		e, l := report.SweepSeries{Name: name, Role: role}, report.SweepSeries{Name: name, Role: role}
		for i := k; i < len(rows); i += n {
			e.Values, l.Values = append(e.Values, rows[i].Elapsed), append(l.Values, rows[i].Leaf)
		}
		elapsed.Series, leaf.Series = append(elapsed.Series, e), append(leaf.Series, l)
	}
	return []report.Chart{
		{Title: "Calls of the leaf for one request", Input: -1, Sweep: &leaf},
		{Title: "Time until the last work has ended", Input: -1, Sweep: &elapsed},
	}
}
