package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/correct/sla"
)

// Text writes for a person at a terminal.
var Text = Renderer{
	Name: "text",
	Doc: `Text for people

The verdict and why it is so; each objective, raw and corrected; percentiles
before and after; what was found, with its evidence; what could not be read; what
to do. It fits the width of the terminal. Every number says whether it is raw or
corrected, and how it came about.`,
	Render: func(w io.Writer, r *Result, o Options) error {
		t := text{page: newPage(o), r: r, dir: commonDir(r.Inputs), top: o.Top, plain: o.Plain, drawn: map[string]bool{}}
		t.verdict()
		t.objectives()
		t.inputs()
		t.findings()
		t.problems()
		t.settings()
		t.next()
		t.unjudged()
		_, err := io.WriteString(w, t.page.String())
		return err
	},
}

// text is one Result on its way to a page.
type text struct {
	*page
	r     *Result
	top   int             // findings to show; 0: maxFindings
	plain bool            // ASCII only, where pictures are drawn
	drawn map[string]bool // trees that were drawn already
	dir   string          // directory that all inputs share, with its slash: left out where inputs are named again
}

// commonDir returns the directory that the paths of several inputs share.
func commonDir(inputs []Input) string {
	if len(inputs) < 2 {
		return ""
	}
	dir := inputs[0].Path
	for _, in := range inputs {
		n := 0
		for n < len(dir) && n < len(in.Path) && dir[n] == in.Path[n] {
			n++
		}
		dir = dir[:strings.LastIndexAny(dir[:n], `/\`)+1] // Windows has the other one
	}
	return dir
}

// short names an input among others.
func (t text) short(i int) string { return strings.TrimPrefix(t.r.Inputs[i].name(), t.dir) }

// Bounds of what is printed, so that a report stays readable; JSON has all.
const (
	maxObjectives = 40
	maxInputs     = 30
	maxFindings   = 60
	maxOp         = 120 // columns of an operation in a heading; the JSON has all
	maxEvidence   = 12
	maxProblems   = 20
	maxTables     = 3  // full percentile tables of check; more share one table
	maxTablesOf   = 12 // the same of correct
	maxRows       = 40 // of the shared table
)

func colourOf(verdict string) string {
	switch verdict {
	case sla.Pass:
		return green
	case sla.Fail:
		return red
	}
	return yellow
}

func (t text) verdict() {
	if t.r.Command == "correct" && len(t.r.Objectives) == 0 && t.r.Verdict == sla.Pass {
		return // a report, not a gate: nothing was judged
	}
	t.section()
	why := t.r.Why
	if why == "" && t.r.Verdict == sla.Pass {
		why = "nothing stands against it"
	}
	t.para(0, strings.ToUpper(t.r.Verdict), colourOf(t.r.Verdict), min(5, len(t.r.Verdict)+1), why)
}

// where names the place of something, as far as the result has several.
func (t text) where(input int, op string) string {
	var parts []string
	if len(t.r.Inputs) > 1 && input >= 0 && input < len(t.r.Inputs) {
		parts = append(parts, t.short(input))
	}
	if op != "" && len(t.r.Distributions) > 1 {
		parts = append(parts, op)
	}
	return strings.Join(parts, ", ")
}

// name is the path of an input, with the line where the report starts.
func (in *Input) name() string {
	if in.Line != nil {
		return fmt.Sprintf("%s:%d", in.Path, *in.Line)
	}
	return in.Path
}

// distribution returns the one that an objective was judged on, or an empty one.
func (t text) distribution(input int, op string) *Distribution {
	i := slices.IndexFunc(t.r.Distributions, func(d Distribution) bool { return d.Input == input && d.Op == op })
	if i < 0 {
		return &Distribution{Input: -1}
	}
	return &t.r.Distributions[i]
}

// unjudged says what an objective would have been judged on, where none was given.
func (t text) unjudged() {
	if len(t.r.Objectives) > 0 || len(t.r.Distributions) == 0 {
		return
	}
	t.section()
	var on []string
	for i := range t.r.Distributions {
		d := &t.r.Distributions[i]
		if i == maxTables {
			on = append(on, fmt.Sprintf("and so on for %d more", len(t.r.Distributions)-i))
			break
		}
		var values []string
		if d.Measured != nil {
			values = append(values, t.raw(d)+" "+d.Measured.p99()+brackets(d.rule()))
		}
		if d.Corrected != nil {
			values = append(values, "corrected "+d.Corrected.p99()+brackets(t.how(d)))
		}
		if len(values) == 0 {
			continue
		}
		s := strings.Join(values, " and ")
		if where := t.where(d.Input, d.Op); where != "" {
			s = where + ": " + s
		}
		on = append(on, s)
	}
	t.text(0, 2, "No objective was given. One on p99, like --sla 'p99<500ms', would be judged on "+strings.Join(on, "; ")+".")
}

// brackets puts text in brackets, square ones where it holds round ones.
func brackets(s string) string {
	switch {
	case s == "":
		return ""
	case strings.Contains(s, "("):
		return " [" + s + "]"
	}
	return " (" + s + ")"
}

// p99 writes the p99 of some figures, or within what bounds it lies.
func (f *Figures) p99() string {
	if f.P99 == nil {
		for _, b := range f.Bounds {
			if b.Name == "p99" {
				return "p99 " + judged(&Judged{Low: b.Low, High: b.High}, "", "")
			}
		}
		return "p99 not known"
	}
	return "p99 " + millis(*f.P99)
}
