package report

import (
	"fmt"
	"slices"
	"strings"
)

// htmlDistribution is one table of percentiles, before and after.
type htmlDistribution struct {
	Name         string
	Raw          string // "raw", "reported", "measured"; empty: there is no such column
	Corrected    bool
	Changes      bool // some percentile changed by a twentieth or more
	Unit         string
	Rows         []htmlRow
	Count, After string
	Notes        []string
}

type htmlRow struct {
	Name, Raw, Corrected, Change string
	Much                         bool // it changed to double or more
}

// htmlShared is many distributions in one table.
type htmlShared struct {
	Raw  string
	Rows []htmlSharedRow
	More string
}

type htmlSharedRow struct{ Name, P50, P99, Corrected, Max, Count, How string }

func (h *html) distributionTables(p *htmlPage) {
	full := maxTables
	if h.r.Command == "correct" {
		full = maxTablesOf
	}
	if len(h.r.Distributions) > full {
		p.Shared = h.sharedTable()
	} else {
		for i := range h.r.Distributions {
			if d := &h.r.Distributions[i]; d.Measured != nil || d.Corrected != nil {
				p.Distributions = append(p.Distributions, h.table(d))
			}
		}
	}
	if len(h.r.Objectives) == 0 && len(h.r.Distributions) > 0 && !h.unjudgedReport() {
		p.Unjudged = "No objective was given. One on p99, like --sla 'p99<500ms', would be judged on the p99 in this table, raw and corrected."
	}
}

// title names a distribution among others.
func (h *html) title(d *Distribution) string {
	name := h.where(d.Input, d.Op)
	if name == "" {
		name = d.Op
	}
	if d.Vantage != "" && d.Vantage != "unknown" && d.Vantage != "client" {
		name = strings.TrimSpace(name + " (as the " + d.Vantage + " saw it)")
	}
	return h.name(name)
}

// figuresScale is the unit that all numbers of some figures share.
func figuresScale(ds ...*Distribution) scale {
	var all []float64
	for _, d := range ds {
		for i := range percentileNames {
			for _, f := range []*Figures{d.Measured, d.Corrected} {
				if low, high, _, ok := f.at(i); ok {
					all = append(all, low)
					if high != nil {
						all = append(all, *high)
					}
				}
			}
		}
	}
	return scaleOf(all)
}

func (h *html) table(d *Distribution) htmlDistribution {
	s := figuresScale(d)
	t := htmlDistribution{Name: h.title(d), Corrected: d.Corrected != nil, Unit: s.name}
	if d.Measured != nil {
		t.Raw = h.raw(d)
	}
	bare := func(cell string) string { return h.name(strings.TrimSuffix(cell, " "+s.name)) }
	for i, x := range percentileNames {
		raw, rawHigh, rawOpen, isKnown := d.Measured.at(i)
		after, afterHigh, _, both := d.Corrected.at(i)
		if !isKnown && !both {
			continue
		}
		row := htmlRow{Name: x.name, Raw: bare(d.Measured.cell(i, s)), Corrected: bare(d.Corrected.cell(i, s))}
		if isKnown && both && raw > 0 && rawHigh == nil && !rawOpen {
			if times := after / raw; times >= 1.05 || times <= 0.95 {
				row.Change, row.Much, t.Changes = "×"+plain2(times), times >= 2, true
				if afterHigh != nil {
					row.Change = "≥ " + row.Change
				}
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Count, t.After = d.Measured.samples(), d.Corrected.samples()
	if d.Measured == nil {
		t.Count = ""
	}
	t.Notes = h.notes(d)
	return t
}

// notes are what stands behind the table of a distribution.
func (h *html) notes(d *Distribution) []string {
	var out []string
	note := func(head, s string) { out = append(out, h.say(strings.TrimSpace(head+" "+s))) }
	if h.finds("censored-tail", d.Input) {
		note("", "The tail is a lower bound: see censored-tail.")
	}
	if d.Measured != nil {
		rule := d.rule()
		if h.raw(d) == "reported" {
			rule += "; nothing says whether raw or corrected"
		}
		note(h.raw(d)+":", rule)
		out = append(out, h.byOtherRules(h.raw(d), d.Measured)...)
	}
	if d.Corrected == nil {
		if s := h.correction(d); s != "" {
			note("", s)
		}
	} else {
		note("corrected:", h.howMuch(d))
		out = append(out, h.byOtherRules("corrected", d.Corrected)...)
		if c := d.Correction; c != nil && c.Assumes != nil {
			note("assumes:", *c.Assumes)
		}
		if c := d.Correction; c != nil && c.Band != nil && (c.Band.Half != nil || c.Band.Double != nil) {
			note("band:", fmt.Sprintf("corrected p99 is %s at half the interval, %s at double", known(c.Band.Half), known(c.Band.Double)))
		}
	}
	if c := d.Correction; c != nil && len(c.RandomWait) > 0 {
		var s []string
		for _, w := range c.RandomWait {
			s = append(s, percent(w.Share)+" wait over "+millis(w.Over))
		}
		note("random arrival:", "of users who come at a random moment, "+strings.Join(s, ", ")+" (from the raw samples; a risk, not a percentile)")
	}
	return out
}

// howMuch says how corrected figures came about, and how much of them was added.
func (h *html) howMuch(d *Distribution) string {
	c, s := d.Correction, h.how(d)
	if c == nil {
		return s
	}
	if c.Added != nil {
		s += "; " + counted(*c.Added, "sample") + " added"
		if c.AddedShare != nil {
			s += " (" + percent(*c.AddedShare) + ")"
		}
	}
	if c.Confidence != nil {
		s += "; confidence " + *c.Confidence
	}
	if rule := d.Corrected.Rule; rule != "" && c.Method == "by-tool" {
		s += "; " + rule
	}
	return s
}

func (h *html) byOtherRules(kind string, f *Figures) []string {
	var rules, out []string
	for _, x := range f.Printed {
		if !slices.Contains(rules, x.Rule) {
			rules = append(rules, x.Rule)
		}
	}
	for _, rule := range rules {
		var values []string
		for _, x := range f.Printed {
			if x.Rule == rule {
				values = append(values, x.Name+" "+millis(x.Value))
			}
		}
		out = append(out, h.say(kind+", "+rule+": "+strings.Join(values, ", ")))
	}
	return out
}

// slowestFirst returns the distributions, those with the highest p99 first.
func (h *html) slowestFirst() []*Distribution {
	ds := make([]*Distribution, len(h.r.Distributions))
	for i := range ds {
		ds[i] = &h.r.Distributions[i]
	}
	slices.SortStableFunc(ds, func(a, b *Distribution) int {
		switch x, y := a.worst(), b.worst(); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return ds
}

func (h *html) sharedTable() *htmlShared {
	ds := h.slowestFirst()
	t := &htmlShared{}
	if n := len(ds) - h.b.rows; n > 0 {
		ds = ds[:h.b.rows]
		t.More = fmt.Sprintf("These are the %d slowest by p99. %s", h.b.rows, more(n, "operation"))
	}
	t.Raw = h.rawOfAll(ds)
	s := figuresScale(ds...)
	for _, d := range ds {
		f := d.Measured
		if f == nil {
			f = d.Corrected
		}
		how := h.correction(d)
		if d.Measured != nil {
			how = strings.TrimSuffix(h.raw(d)+": "+d.rule()+"; "+how, "; ")
		}
		name := h.title(d)
		if name == "" && d.Input >= 0 && d.Input < len(h.r.Inputs) {
			name = h.name(h.short(d.Input))
		}
		t.Rows = append(t.Rows, htmlSharedRow{name, d.Measured.cell(0, s), d.Measured.cell(4, s), d.Corrected.cell(4, s), d.Measured.cell(7, s), f.samples(), clip(how, min(300, h.b.words))})
	}
	return t
}

// htmlNumbers says of the numbers of one distribution what they are.
type htmlNumbers struct{ Name, Kind, Count, Unit, Rule, Method, Assumes string }

func (h *html) numbers(p *htmlPage) {
	add := func(n htmlNumbers) {
		if n.Name == "" {
			n.Name = "all requests"
		}
		p.Numbers = append(p.Numbers, n)
	}
	for i, d := range h.slowestFirst() {
		if i == h.b.rows/2 {
			p.MoreNumbers = more(len(h.r.Distributions)-i, "operation")
			break
		}
		s, name := figuresScale(d), h.title(d)
		if d.Measured != nil {
			add(htmlNumbers{name, h.raw(d), d.Measured.samples(), s.name, h.name(d.rule()), "as measured", ""})
		}
		switch c := d.Correction; {
		case d.Corrected != nil:
			n := htmlNumbers{name, "corrected", d.Corrected.samples(), s.name, h.name(d.Corrected.Rule), clip(h.howMuch(d), min(300, h.b.words)), ""}
			if c != nil && c.Assumes != nil {
				n.Assumes = clip(*c.Assumes, min(300, h.b.words))
			}
			add(n)
		case h.correction(d) != "":
			add(htmlNumbers{name, "corrected", "–", "–", "–", clip(h.correction(d), min(400, h.b.words)), ""})
		}
	}
}
