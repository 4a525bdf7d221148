package report

import (
	"fmt"
	"slices"
	"strings"
)

// raw is the word for the measured figures of a distribution: nobody may call
// those raw of which the report does not say so.
func (t text) raw(d *Distribution) string {
	if d.Input >= 0 && d.Input < len(t.r.Inputs) {
		in := &t.r.Inputs[d.Input]
		if in.Run != nil && in.Run.Treatment == "unknown" && in.Records.Samples == 0 {
			return "reported"
		}
	}
	return "raw"
}

// rule says how raw percentiles were picked: "nearest rank, from samples".
func (d *Distribution) rule() string {
	if d.Measured == nil {
		return ""
	}
	s := d.Measured.Rule
	switch d.Measured.Resolution {
	case "", "printed", "log":
	case "bounds":
		s = strings.TrimPrefix(s+", within bounds", ", ")
	case "samples":
		s = strings.TrimPrefix(s+" of samples", " of ")
	default:
		s = strings.TrimPrefix(s+", from the "+d.Measured.Resolution, ", ")
	}
	return s
}

// how says how corrected figures came about: "fill at 80 ms from --interval".
func (t text) how(d *Distribution) string {
	c := d.Correction
	if c == nil {
		return ""
	}
	s := c.Method
	switch c.Method {
	case "intended":
		s = "timed from the due time"
	case "substitute":
		s = "substitution"
	case "bounds":
		s = "bounds of a fill"
	case "by-tool":
		s = "filled by the tool"
		if d.Input >= 0 && d.Input < len(t.r.Inputs) {
			in := &t.r.Inputs[d.Input]
			tool := in.Tool
			if tool == "" {
				tool = "the tool"
			}
			s = "filled by " + tool
			if in.Run != nil && in.Run.Treatment == "from-schedule" {
				s = "timed from the schedule by " + tool
			}
		}
		return s
	}
	if c.IntervalMs != nil {
		s += " at " + millis(*c.IntervalMs)
		if c.IntervalFrom != nil {
			s += " from " + *c.IntervalFrom
		}
	}
	return s
}

// correction says in one clause how corrected figures came about, or why there
// are none.
func (t text) correction(d *Distribution) string {
	c := d.Correction
	if d.Corrected != nil {
		return "corrected: " + t.how(d)
	}
	if c == nil || c.Refused == nil {
		if d.Vantage == "server" || d.Vantage == "proxy" {
			return "" // no generator timed it: there is nothing to correct
		}
		if rule := t.against(d.Input); rule != "" {
			return "not corrected: see " + rule
		}
		if t.raw(d) == "reported" {
			return "not corrected: it may be already"
		}
		return "not corrected: no reason to"
	}
	return "not corrected: " + *c.Refused
}

// against returns the finding about an input that forbids a fill, or "".
func (t text) against(input int) string {
	for _, rule := range []string{"inconsistent-report", "censored-tail", "saturated-run", "isolated-slowness"} {
		if t.finds(rule, input) {
			return rule
		}
	}
	return ""
}

// finds reports whether there is a finding of a rule about an input that is more
// than a guess.
func (t text) finds(rule string, input int) bool {
	return slices.ContainsFunc(t.r.Findings, func(f Finding) bool {
		return f.Rule == rule && f.Confidence != "low" && slices.Contains(f.Inputs, input)
	})
}

// provenance prints what stands behind the table of a distribution.
func (t text) provenance(d *Distribution) {
	for _, n := range t.notes(d) {
		t.text(2, 2, n)
	}
}

// notes says what stands behind the figures of a distribution, a paragraph each.
func (t text) notes(d *Distribution) (notes []string) {
	note := func(head, text string) { notes = append(notes, strings.TrimSpace(head+" "+text)) }
	if t.finds("censored-tail", d.Input) {
		note("", "the tail is a lower bound: see censored-tail")
	}
	if d.Measured != nil {
		rule := d.rule()
		if t.raw(d) == "reported" {
			rule += "; nothing says whether raw or corrected"
		}
		note(t.raw(d)+":", rule)
		notes = append(notes, d.Measured.printed(t.raw(d))...)
	}
	if d.Corrected == nil {
		if s := t.correction(d); s != "" {
			note("", s)
		}
		return append(append(notes, t.flips(d)...), waits(d)...)
	}
	c := d.Correction
	if c == nil {
		c = &Correction{}
	}
	s := t.how(d)
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
	note("corrected:", s)
	notes = append(notes, d.Corrected.printed("corrected")...)
	if c.Assumes != nil {
		note("assumes:", *c.Assumes)
	}
	if b := c.Band; b != nil && (b.Half != nil || b.Double != nil) {
		note("band:", fmt.Sprintf("corrected p99 is %s at half the interval, %s at double", known(b.Half), known(b.Double)))
	}
	return append(append(notes, t.flips(d)...), waits(d)...)
}

// printed says percentiles by another rule than those of the table.
func (f *Figures) printed(kind string) (notes []string) {
	var rules []string
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
		notes = append(notes, kind+", "+rule+": "+strings.Join(values, ", "))
	}
	return notes
}

// flips says the flip points of correct; check has them at the objectives.
func (t text) flips(d *Distribution) (notes []string) {
	if t.r.Command != "correct" {
		return nil
	}
	for i := range t.r.Objectives {
		if o := &t.r.Objectives[i]; o.FlipInterval != nil && o.Input == d.Input && o.Op == d.Op {
			notes = append(notes, flipText(o.Objective, *o.FlipInterval))
		}
	}
	return notes
}

// waits says the random-arrival view, which is a risk and no percentile.
func waits(d *Distribution) []string {
	if d.Correction == nil || len(d.Correction.RandomWait) == 0 {
		return nil
	}
	var s []string
	for _, w := range d.Correction.RandomWait {
		s = append(s, percent(w.Share)+" wait over "+millis(w.Over))
	}
	return []string{"random arrival: of users who come at a random moment, " + strings.Join(s, ", ") + " (from the raw samples; a risk, not a percentile)"}
}
