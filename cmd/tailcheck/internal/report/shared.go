package report

import (
	"fmt"
	"slices"
	"strings"
)

// shared prints many distributions in one table.
func (t text) shared() {
	t.section()
	ds := make([]*Distribution, 0, len(t.r.Distributions))
	for i := range t.r.Distributions {
		ds = append(ds, &t.r.Distributions[i])
	}
	hidden := 0
	if len(ds) > maxRows {
		order := slices.Clone(ds)
		slices.SortStableFunc(order, func(a, b *Distribution) int {
			switch x, y := a.worst(), b.worst(); {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
		keep := map[*Distribution]bool{}
		for _, d := range order[:maxRows] {
			keep[d] = true
		}
		hidden = len(ds) - maxRows
		ds = slices.DeleteFunc(ds, func(d *Distribution) bool { return !keep[d] })
	}
	var all []float64
	for _, d := range ds {
		for _, f := range []*Figures{d.Measured, d.Corrected} {
			for _, i := range []int{0, 4, 7} {
				if low, high, _, ok := f.at(i); ok {
					all = append(all, low)
					if high != nil {
						all = append(all, *high)
					}
				}
			}
		}
	}
	s := scaleOf(all)
	var legend []string
	raw := t.rawOfAll(ds)
	tab := table{header: []string{"", "p50 " + raw, "p99 " + raw, "p99 corrected", "max " + raw, "samples", ""}}
	for _, d := range ds {
		l := t.correction(d)
		if d.Measured != nil {
			l = strings.TrimSuffix(t.raw(d)+": "+d.rule()+"; "+l, "; ")
		}
		k := slices.Index(legend, l)
		if k < 0 {
			k = len(legend)
			legend = append(legend, l)
		}
		f := d.Measured
		if f == nil {
			f = d.Corrected
		}
		tab.rows = append(tab.rows, []string{t.label(d), d.Measured.cell(0, s), d.Measured.cell(4, s), d.Corrected.cell(4, s), d.Measured.cell(7, s), f.samples(), mark(k)})
	}
	if len(legend) < 2 {
		tab = tab.without(6)
	}
	if !slices.ContainsFunc(ds, func(d *Distribution) bool { return d.Corrected != nil || d.Correction != nil }) {
		tab = tab.without(3) // logs are not corrected
	}
	t.fitShared(tab)
	if hidden > 0 {
		t.text(0, 2, fmt.Sprintf("the %d slowest by p99; %d more are in --output json", maxRows, hidden))
	}
	for k, l := range legend {
		if len(legend) < 2 {
			t.text(0, 2, l)
			continue
		}
		t.para(0, mark(k), bold, 4, l)
	}
}

// rawOfAll is the word for the measured figures of many distributions.
func (t text) rawOfAll(ds []*Distribution) string {
	word := ""
	for _, d := range ds {
		switch raw := t.raw(d); {
		case d.Measured == nil:
		case word == "" || word == raw:
			word = raw
		default:
			return "measured" // the legend says of each
		}
	}
	if word == "" {
		return "raw"
	}
	return word
}

// mark is the sign of a legend: "[a]", …, "[27]".
func mark(k int) string {
	if k < 26 {
		return "[" + string(rune('a'+k)) + "]"
	}
	return fmt.Sprintf("[%d]", k+1)
}

// worst is the p99 by which rows are chosen.
func (d *Distribution) worst() float64 {
	w := -1.0
	for _, f := range []*Figures{d.Measured, d.Corrected} {
		if low, _, _, ok := f.at(4); ok {
			w = max(w, low)
		}
	}
	return w
}

func (t text) label(d *Distribution) string {
	name := t.where(d.Input, d.Op)
	if name == "" && d.Input >= 0 && d.Input < len(t.r.Inputs) {
		name = t.short(d.Input)
	}
	return Safe(name)
}

// fitShared draws the shared table with as many columns and as much of the names
// as the page has room for: the two p99 stay.
func (t text) fitShared(tab table) {
	widest := 0
	for _, r := range tab.rows {
		widest = max(widest, displayWidth(r[0]))
	}
	need := min(widest, 30)
	for _, drop := range []string{"", "samples", tab.header[1], tab.header[4], "p99 corrected"} {
		switch i := slices.Index(tab.header, drop); {
		case drop != "" && i < 0:
		case drop == "p99 corrected": // the name is long: it stands beside the measured p99
			tab.header[i], need = "corrected", min(need, 10)
		case drop != "":
			tab = tab.without(i)
		}
		rest := 0
		for _, l := range tab.without(0).lines() {
			rest = max(rest, displayWidth(l))
		}
		if room := t.width - rest - 2; room >= need {
			for i := range tab.rows {
				tab.rows[i][0] = fit(tab.rows[i][0], room)
			}
			if t.page.table(0, tab) {
				return
			}
		}
	}
	for _, r := range tab.rows {
		parts := []string{r[0] + ":"}
		for c := 1; c < len(r); c++ {
			parts = append(parts, strings.TrimSpace(tab.header[c]+" "+r[c]))
		}
		t.text(0, 2, strings.Join(parts, " "))
	}
}
