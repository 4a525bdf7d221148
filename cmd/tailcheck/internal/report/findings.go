package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

func severityColour(severity string) string {
	switch severity {
	case "error":
		return red
	case "warning":
		return yellow
	}
	return cyan
}

// findings prints what was found: a sentence, what it rests on, what to do.
func (t text) findings() {
	most := maxFindings
	if t.top > 0 {
		most = t.top
	}
	for i, f := range Ranked(t.r.Findings) {
		if i == most {
			t.section()
			t.text(0, 2, fmt.Sprintf("and %s more; --output json lists all", counted(int64(len(t.r.Findings)-i), "finding")))
			return
		}
		t.section()
		t.finding(f)
	}
}

// Ranked orders findings as people want to read them: by severity, and what cost
// most first.
func Ranked(findings []Finding) []*Finding {
	out := make([]*Finding, len(findings))
	for i := range findings {
		out[i] = &findings[i]
	}
	cost := func(f *Finding) float64 {
		if f.ImpactMs == nil {
			return 0
		}
		return *f.ImpactMs
	}
	slices.SortStableFunc(out, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(b.Level, a.Level), cmp.Compare(cost(b), cost(a)))
	})
	return out
}

func (t text) finding(f *Finding) {
	head := []string{f.Rule}
	if len(t.r.Inputs) > 1 && len(f.Inputs) > 0 {
		var names []string
		for _, i := range f.Inputs {
			if i >= 0 && i < len(t.r.Inputs) && len(names) < 3 {
				names = append(names, t.short(i))
			}
		}
		if more := len(f.Inputs) - len(names); more > 0 && len(names) > 0 {
			names[len(names)-1] += fmt.Sprintf(" and %d more", more)
		}
		head = append(head, "in "+strings.Join(names, ", "))
	}
	if f.Op != "" {
		head = append(head, "of "+fit(Safe(f.Op), maxOp))
	}
	line := strings.Join(head, " ")
	if f.Confidence != "" {
		line += ", confidence " + f.Confidence
	}
	if f.ImpactMs != nil {
		line += ", costs " + millis(*f.ImpactMs)
	}
	t.para(0, f.Severity, severityColour(f.Severity), 2, line)
	t.text(2, 0, f.Message)
	t.evidence(f.Evidence)
	t.tree(f.Tree)
	if len(f.Exemplars) > 0 {
		ids := f.Exemplars[:min(3, len(f.Exemplars))]
		s := strings.Join(ids, ", ")
		if more := len(f.Exemplars) - len(ids); more > 0 {
			s += fmt.Sprintf(" and %d more", more)
		}
		t.text(2, 2, "traces: "+s)
	}
	if f.Remedy != "" {
		t.advice(2, "→", f.advice())
	}
}

// evidence prints numbers and where they stand, as a table where it fits.
func (t text) evidence(es []Evidence) {
	if len(es) == 0 {
		return
	}
	more := len(es) - maxEvidence
	if more > 0 {
		es = es[:maxEvidence]
	}
	var rows [][]string
	for _, e := range es {
		want, at := "", ""
		if e.Want != nil && *e.Want != "" {
			want = compared(*e.Want)
		}
		if e.At != nil {
			at = *e.At
		}
		rows = append(rows, []string{e.What, e.Got, want, at})
	}
	tab := table{header: []string{"", "", "", ""}, rows: rows, left: []int{1, 2, 3}}
	for c := 3; c > 1; c-- {
		if !slices.ContainsFunc(rows, func(r []string) bool { return r[c] != "" }) {
			tab = tab.without(c)
		}
	}
	lines := tab.lines()
	widest := 0
	for _, l := range lines {
		widest = max(widest, displayWidth(l))
	}
	if len(lines) > 2 && widest+4 <= min(t.width, maxText) {
		for _, l := range lines[2:] {
			t.line("    " + l)
		}
	} else {
		for _, r := range rows {
			t.text(4, 2, evidenceText(r))
		}
	}
	if more > 0 {
		t.text(4, 2, fmt.Sprintf("and %d more numbers in --output json", more))
	}
}

// compared writes what a number was compared with: "vs 1.2"; words say it
// themselves: "(up to 5 is ordinary for this many samples)".
func compared(want string) string {
	if strings.ContainsAny(want[:1], "0123456789<>=~") {
		return "vs " + want
	}
	return "(" + want + ")"
}

// evidenceText writes one number in a line: "max / p99 39 vs 1.2, at hey.csv:151".
func evidenceText(r []string) string {
	s := r[0] + " " + r[1]
	if r[2] != "" {
		s += " " + r[2]
	}
	if r[3] != "" {
		s += ", at " + r[3]
	}
	return s
}

// problems prints what could not be read.
func (t text) problems() {
	if n := len(t.r.Problems); n > 0 {
		t.section()
		t.para(0, counted(int64(n), "problem"), yellow, 2, "in reading")
		for i, x := range t.r.Problems {
			if i == maxProblems {
				t.text(2, 2, fmt.Sprintf("and %d more; --output json lists them", n-i))
				break
			}
			s := x.Path
			if x.Line != nil {
				s += fmt.Sprintf(":%d", *x.Line)
			}
			s += ": " + x.Message
			t.text(2, 2, s)
		}
	}
	if n := len(t.r.Skipped); n > 0 {
		t.section()
		t.text(0, 2, counted(int64(n), "file")+" skipped")
		for i, x := range t.r.Skipped {
			if i == maxProblems {
				t.text(2, 2, fmt.Sprintf("and %d more", n-i))
				break
			}
			t.text(2, 2, x)
		}
	}
}

// next prints what to do beyond the remedies.
func (t text) next() {
	if len(t.r.Next) == 0 {
		return
	}
	t.section()
	for _, s := range t.r.Next {
		t.advice(0, "→", s)
	}
}
