package report

import (
	"bytes"
	"io"
	"math"
)

// WhatIfPage is a page for a browser that shows what a model says: charts with
// the table of each, and what they rest on.
type WhatIfPage struct {
	Question string
	Answer   []string // paragraphs
	Source   string   // where times come from; empty: from parameters
	RestsOn  []string
	Charts   []Chart
}

// WriteHTML writes the page, by the rules of the report for a browser: it needs no
// network, and allows no script but its own.
func (w *WhatIfPage) WriteHTML(to io.Writer) error {
	parts := htmlOnce()
	h := html{text: text{r: &Result{Charts: w.Charts}}, b: sharesOf(1)}
	p := &htmlPage{Style: parts.style, Script: parts.script, Policy: parts.policy, Verdict: "none", Word: "What if", Sign: "≈", Inputs: h.name(w.Source)}
	p.Sentence = h.say(w.Question)
	p.Title = clip("What if "+w.Question, 140)
	for _, s := range w.Answer {
		p.Answer = append(p.Answer, h.say(s))
	}
	for _, s := range w.RestsOn {
		p.RestsOn = append(p.RestsOn, h.say(s))
	}
	if h.charts(p); !p.Plots {
		p.Script, p.Policy = "", parts.withoutAny
	}
	var b bytes.Buffer
	if err := parts.page.Execute(&b, p); err != nil {
		return err
	}
	_, err := to.Write(b.Bytes())
	return err
}

func (h *html) sweep(x *htmlChart, d *chartData, s *Sweep) bool {
	d.Kind, d.Plain, d.Of = "sweep", s.Plain, h.name(s.Of)
	x.Label = "Sweep"
	if len(s.At) == 0 || len(s.Series) == 0 {
		return false
	}
	x.Head = []string{h.name(s.Over)}
	for i, at := range s.At {
		d.X = append(d.X, number(float64(i)))
		d.Names = append(d.Names, h.name(at))
		x.Rows = append(x.Rows, []string{h.name(at)})
	}
	low, high := math.Inf(1), 0.0
	for _, ser := range s.Series {
		out := seriesData{Name: h.name(ser.Name), Role: ser.Role.String(), Low: make([]*number, len(s.At)), Dots: true}
		for i := range s.At {
			cell := "–"
			if i < len(ser.Values) && !math.IsNaN(ser.Values[i]) {
				v := ser.Values[i]
				out.Low[i] = pointer(v)
				if cell = millis(v); s.Plain {
					cell = plain(v)
				}
				if v > 0 {
					low = min(low, v)
				}
				high = max(high, v)
			}
			x.Rows[i] = append(x.Rows[i], cell)
		}
		d.Series = append(d.Series, out)
		x.Head = append(x.Head, out.Name)
		x.Legend = append(x.Legend, htmlKey{ser.Role.String(), out.Name})
	}
	for _, c := range s.Beside {
		x.Head = append(x.Head, h.name(c.Name))
		for i := range s.At {
			cell := "–"
			if i < len(c.Cells) {
				cell = h.name(c.Cells[i])
			}
			x.Rows[i] = append(x.Rows[i], cell)
		}
	}
	d.Log = high > 30*low
	if s.Knee > 0 && s.Knee <= len(s.At) {
		d.Marks = []markData{{Name: "knee", From: number(float64(s.Knee - 1))}}
		x.Marks = []string{"knee at " + h.name(s.At[s.Knee-1])}
	}
	return true
}
