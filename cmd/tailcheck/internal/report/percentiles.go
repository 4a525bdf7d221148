package report

import (
	"fmt"
	"slices"
	"strings"
)

// percentileNames are the rows of the table.
var percentileNames = []struct {
	name string
	of   func(*Figures) *float64
}{
	{"p50", func(f *Figures) *float64 { return f.P50 }},
	{"p75", func(f *Figures) *float64 { return f.P75 }},
	{"p90", func(f *Figures) *float64 { return f.P90 }},
	{"p95", func(f *Figures) *float64 { return f.P95 }},
	{"p99", func(f *Figures) *float64 { return f.P99 }},
	{"p99.9", func(f *Figures) *float64 { return f.P999 }},
	{"p99.99", func(f *Figures) *float64 { return f.P9999 }},
	{"max", func(f *Figures) *float64 { return f.Max }},
	{"mean", func(f *Figures) *float64 { return f.Mean }},
}

// at returns what some figures say under a name, in milliseconds. High is nil
// for a value, and where there is no upper end: then open is true; ok is false
// where nothing is known.
func (f *Figures) at(i int) (low float64, high *float64, open, ok bool) {
	if f == nil {
		return 0, nil, false, false
	}
	if v := percentileNames[i].of(f); sensible(v) {
		return *v, nil, false, true
	}
	for _, b := range f.Bounds {
		if b.Name == percentileNames[i].name && sensible(b.Low) {
			if !sensible(b.High) {
				return *b.Low, nil, true, true
			}
			return *b.Low, b.High, false, true
		}
	}
	return 0, nil, false, false
}

func (f *Figures) cell(i int, s scale) string {
	switch low, high, open, ok := f.at(i); {
	case !ok:
		return "–"
	case high != nil && low == 0:
		return "≤ " + s.time(*high)
	case high != nil && s.number(low) != s.number(*high):
		return s.number(low) + "–" + s.time(*high)
	case open:
		return "≥ " + s.time(low)
	default:
		return s.time(low)
	}
}

// unitsAbove moves the unit of every time into the header.
func (t table) unitsAbove(unit string) table {
	u := table{header: slices.Clone(t.header), left: t.left}
	for i := 1; i < len(u.header); i++ {
		if u.header[i] == "raw" || u.header[i] == "reported" || u.header[i] == "corrected" {
			u.header[i] += ", " + unit
		}
	}
	for _, r := range t.rows {
		r = slices.Clone(r)
		for i := range r {
			r[i] = strings.TrimSuffix(r[i], " "+unit)
		}
		u.rows = append(u.rows, r)
	}
	return u
}

// percentiles prints one distribution: the table, and how it came about.
func (t text) percentiles(d *Distribution) {
	if d.Measured == nil && d.Corrected == nil {
		return
	}
	t.gap = true
	title := d.Op
	if d.Vantage != "" && d.Vantage != "unknown" && d.Vantage != "client" {
		title = strings.TrimSpace(title + " (as the " + d.Vantage + " saw it)")
	}
	if title != "" {
		t.para(2, title, bold, 2, "")
	}
	tab, s := t.figures(d)
	drop := -1
	if n := len(tab.header) - 1; tab.header[n] == "change" {
		drop = n
	}
	narrow := tab
	if drop > 0 {
		narrow = tab.without(drop)
	}
	if !t.page.table(2, tab, narrow, tab.unitsAbove(s.name), narrow.unitsAbove(s.name)) {
		for _, r := range tab.rows {
			parts := r[:1:1]
			for c := 1; c < len(tab.header); c++ {
				if r[c] != "" {
					parts = append(parts, tab.header[c]+" "+r[c])
				}
			}
			t.text(2, 2, strings.Join(parts, " "))
		}
	}
	if t.r.Command == "correct" && len(t.r.Distributions) <= maxTables {
		t.plot(d)
	}
	t.provenance(d)
}

// figures is the table of a distribution, raw beside corrected, with the scale of
// its times. Columns that would say nothing are left out; "change" is the last
// where there is one.
func (t text) figures(d *Distribution) (table, scale) {
	var all []float64
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
	s := scaleOf(all)
	tab := table{header: []string{"", t.raw(d), "corrected", "change"}}
	for i, x := range percentileNames {
		raw, rawHigh, rawOpen, known := d.Measured.at(i)
		after, afterHigh, _, both := d.Corrected.at(i)
		if !known && !both {
			continue
		}
		change := ""
		if known && both && raw > 0 && rawHigh == nil && !rawOpen {
			if times := after / raw; times >= 1.05 || times <= 0.95 {
				change = "×" + plain2(times)
				if afterHigh != nil {
					change = "≥ " + change
				}
			}
		}
		tab.rows = append(tab.rows, []string{x.name, d.Measured.cell(i, s), d.Corrected.cell(i, s), change})
	}
	if n := []string{"samples", d.Measured.samples(), d.Corrected.samples(), ""}; n[1] != "–" || n[2] != "–" {
		tab.rows = append(tab.rows, n)
	}
	switch {
	case d.Corrected == nil:
		tab = tab.without(3).without(2)
	case d.Measured == nil:
		tab = tab.without(3).without(1)
	case !slices.ContainsFunc(tab.rows, func(r []string) bool { return r[3] != "" }):
		tab = tab.without(3)
	}
	return tab, s
}

func (f *Figures) samples() string {
	if f == nil || f.Count == nil {
		return "–"
	}
	return count(*f.Count)
}

// plain2 writes a factor with two digits.
func plain2(f float64) string {
	if f >= 10 {
		return count(int64(f + 0.5))
	}
	return fmt.Sprintf("%.1f", f)
}
