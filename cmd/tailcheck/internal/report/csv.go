package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/correct/sla"
)

// CSV writes one table for spreadsheets and scripts.
var CSV = Renderer{
	Name: "csv",
	Doc: `CSV, one table for spreadsheets and scripts

A row for the verdict, for each percentile of each operation before and after, for
each objective, for each finding and for each part that could not be read; the
column "row" says which. Values have the unit that the column "unit" says; what is
not known is empty. Text that a spreadsheet would take for a formula begins with an
apostrophe, and so does text that begins with one. Lines end as RFC 4180 has it.`,
	Render: func(w io.Writer, r *Result, _ Options) error {
		c := table4180{text: text{page: newPage(Options{}), r: r, dir: commonDir(r.Inputs)}, w: csv.NewWriter(w)}
		c.w.UseCRLF = true
		c.all()
		c.w.Flush()
		return c.w.Error()
	},
}

// csvColumns are the columns, in order. Rows leave empty what they do not have.
var csvColumns = []string{"row", "input", "line", "format", "op", "vantage", "name",
	"raw", "raw_low", "raw_high", "raw_kind", "raw_rule",
	"corrected", "corrected_low", "corrected_high", "method", "interval_ms", "interval_from", "unit",
	"verdict", "raw_verdict", "corrected_verdict", "flips", "flip_interval_ms",
	"severity", "confidence", "impact_ms", "text"}

// table4180 is one Result on its way to a table.
type table4180 struct {
	text
	w *csv.Writer
}

// row is what a row has, by column.
type row map[string]string

func (c *table4180) put(r row) {
	cells := make([]string, len(csvColumns))
	for i, name := range csvColumns {
		cells[i] = r[name]
	}
	_ = c.w.Write(cells) // the writer keeps its error
}

func (c *table4180) all() {
	_ = c.w.Write(csvColumns)
	c.put(row{"row": "verdict", "verdict": cellText(c.r.Verdict), "text": cellText(c.r.Why)})
	for i := range c.r.Distributions {
		c.distribution(&c.r.Distributions[i])
	}
	for i := range c.r.Objectives {
		c.objective(&c.r.Objectives[i])
	}
	for i := range c.r.Findings {
		c.finding(&c.r.Findings[i])
	}
	for i := range c.r.Problems {
		x := &c.r.Problems[i]
		r := row{"row": "problem", "input": cellText(x.Path), "text": cellText(x.Message)}
		if n := line0(x.Line); n > 0 {
			r["line"] = strconv.FormatInt(n, 10)
		}
		c.put(r)
	}
	for _, x := range c.r.Skipped {
		c.put(row{"row": "skipped", "text": cellText(x)})
	}
}

// at says which input a row is about.
func (c *table4180) at(r row, input int) row {
	if input >= 0 && input < len(c.r.Inputs) {
		in := &c.r.Inputs[input]
		r["input"], r["format"] = cellText(in.Path), cellText(in.Format)
		if n := line0(in.Line); n > 0 {
			r["line"] = strconv.FormatInt(n, 10)
		}
	}
	return r
}

func (c *table4180) distribution(d *Distribution) {
	base := func(name string) row {
		r := c.at(row{"row": "percentile", "op": cellText(d.Op), "vantage": cellText(d.Vantage), "name": name, "unit": "ms"}, d.Input)
		if d.Measured != nil {
			r["raw_kind"], r["raw_rule"] = c.raw(d), cellText(d.rule())
		}
		c.how(r, d)
		return r
	}
	for i, x := range percentileNames {
		r := base(x.name)
		raw, after := r.bounds("raw", d.Measured, i), r.bounds("corrected", d.Corrected, i)
		if raw || after {
			c.put(r)
		}
	}
	r := base("min")
	if raw, after := r.number("raw", d.Measured.min()), r.number("corrected", d.Corrected.min()); raw || after {
		c.put(r)
	}
	r = base("samples")
	r["unit"] = ""
	if raw, after := r.count("raw", d.Measured), r.count("corrected", d.Corrected); raw || after {
		c.put(r)
	}
	c.printed(d, base, "raw", d.Measured)
	c.printed(d, base, "corrected", d.Corrected)
}

// printed has a row for each percentile by another rule.
func (c *table4180) printed(d *Distribution, base func(string) row, column string, f *Figures) {
	if f == nil {
		return
	}
	for _, x := range f.Printed {
		r := base(cellText(x.Name))
		r["row"], r["raw_rule"] = "other rule", cellText(x.Rule)
		if column == "raw" {
			r["method"], r["interval_ms"], r["interval_from"] = "", "", ""
		}
		r.number(column, &x.Value)
		c.put(r)
	}
}

func (f *Figures) min() *float64 {
	if f == nil {
		return nil
	}
	return f.Min
}

func (c *table4180) how(r row, d *Distribution) {
	if d.Correction == nil {
		return
	}
	r["method"] = cellText(d.Correction.Method)
	r.number("interval_ms", d.Correction.IntervalMs)
	r["interval_from"] = cellText(text0(d.Correction.IntervalFrom))
	r["confidence"] = cellText(text0(d.Correction.Confidence))
	r["text"] = cellText(text0(d.Correction.Refused))
}

func (c *table4180) objective(o *Objective) {
	d := c.text.distribution(o.Input, o.Op)
	r := c.at(row{"row": "objective", "op": cellText(o.Op), "vantage": cellText(d.Vantage), "name": cellText(o.Objective), "unit": "ms"}, o.Input)
	if unit := strings.TrimSpace(unitOf(o.Objective)); unit != "" {
		r["unit"] = unit
	}
	if d.Measured != nil {
		r["raw_kind"], r["raw_rule"] = c.raw(d), cellText(d.rule())
	}
	if o.Corrected != nil {
		c.how(r, d)
	}
	for side, j := range map[string]*Judged{"raw": o.Raw, "corrected": o.Corrected} {
		if j == nil {
			continue
		}
		r.number(side, j.Value)
		if j.Amount != nil {
			r.number(side, j.Amount)
		}
		r.number(side+"_low", j.Low)
		r.number(side+"_high", j.High)
		r[side+"_verdict"] = cellText(j.Verdict)
	}
	r["verdict"], r["flips"] = cellText(o.Verdict), fmt.Sprint(o.Flips)
	r.number("flip_interval_ms", o.FlipInterval)
	r["text"] = cellText(o.Why)
	if o.Verdict == "" {
		r["verdict"] = sla.Inconclusive
	}
	c.put(r)
}

func (c *table4180) finding(f *Finding) {
	r := row{"row": "finding"}
	if len(f.Inputs) > 0 {
		r = c.at(r, f.Inputs[0])
	}
	if p := c.r.placeOf(f); p.line > 0 {
		r["line"] = strconv.FormatInt(p.line, 10)
	}
	r["op"], r["name"], r["severity"], r["confidence"], r["text"] = cellText(f.Op), cellText(f.Rule), cellText(f.Severity), cellText(f.Confidence), cellText(f.Message)
	r.number("impact_ms", f.ImpactMs)
	c.put(r)
}

// bounds sets a column to a percentile, or those of its bounds.
func (r row) bounds(column string, f *Figures, i int) bool {
	low, high, open, ok := f.at(i)
	switch {
	case !ok:
		return false
	case high == nil && !open:
		r.number(column, &low)
	default:
		r.number(column+"_low", &low)
		r.number(column+"_high", high)
	}
	return true
}

func (r row) count(column string, f *Figures) bool {
	if f == nil || f.Count == nil {
		return false
	}
	r[column] = strconv.FormatInt(*f.Count, 10)
	return true
}

// number sets a column to a number of at most four decimals, as in JSON.
func (r row) number(column string, v *float64) bool {
	if v == nil {
		return false
	}
	var e encoder
	if e.float(*v); string(e.b) != "null" {
		r[column] = string(e.b)
	}
	return r[column] != ""
}

// formula are the characters that spreadsheets take for the start of a formula
// (OWASP, CSV Injection), in both widths.
const formula = "=+-@\t\r\n＝＋－＠|%"

// cellText makes input text fit for a cell: safe, and no formula. The apostrophe
// is taken back by removing one, because what begins with one gets another.
func cellText(s string) string {
	s = Safe(s)
	if first := strings.TrimLeft(s, " "); first != "" && (strings.ContainsAny(first[:1], formula) || strings.HasPrefix(s, "'") || strings.ContainsRune(formula, []rune(first)[0])) {
		return "'" + s
	}
	return s
}
