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
		t := text{newPage(o), r}
		if r.Command == "correct" {
			t.inputs()
			t.verdict()
			t.objectives()
		} else {
			t.verdict()
			t.objectives()
			t.inputs()
		}
		t.findings()
		t.problems()
		t.next()
		t.unjudged()
		_, err := io.WriteString(w, t.page.String())
		return err
	},
}

// text is one Result on its way to a page.
type text struct {
	*page
	r *Result
}

// Bounds of what is printed, so that a report stays readable; JSON has all.
const (
	maxObjectives = 40
	maxInputs     = 30
	maxFindings   = 60
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

// objectives prints each objective in one paragraph: raw, then corrected.
func (t text) objectives() {
	if len(t.r.Objectives) == 0 {
		return
	}
	t.section()
	var passed, hidden int64
	shown := 0
	for i := range t.r.Objectives {
		o := &t.r.Objectives[i]
		if len(t.r.Objectives) > maxObjectives && o.Verdict == sla.Pass {
			passed++
			continue
		}
		if shown++; shown > maxObjectives {
			hidden++
			continue
		}
		t.objective(o)
	}
	if hidden > 0 {
		t.text(0, 6, fmt.Sprintf("and %s more that do not pass; --output json lists all", count(hidden)))
	}
	if passed > 0 {
		t.text(0, 6, fmt.Sprintf("and %s pass", counted(passed, "objective")))
	}
}

func (t text) objective(o *Objective) {
	var b strings.Builder
	b.WriteString(o.Objective)
	op := o.Op
	if strings.HasPrefix(o.Objective, op+": ") {
		op = "" // the objective names it
	}
	if where := t.where(o.Input, op); where != "" {
		b.WriteString(" in " + where)
	}
	b.WriteString(": ")
	d := t.distribution(o.Input, o.Op)
	unit := unitOf(o.Objective)
	raw, corrected := "", ""
	if o.Raw != nil {
		raw = "raw " + judged(o.Raw, unit, d.rule()) + " " + o.Raw.Verdict
	}
	if o.Corrected != nil {
		corrected = "corrected " + judged(o.Corrected, unit, t.how(d)) + " " + o.Corrected.Verdict
	}
	switch {
	case raw != "" && corrected != "":
		b.WriteString(raw + " → " + corrected)
	case raw == "" && corrected == "":
		b.WriteString("nothing to judge")
	default:
		b.WriteString(raw + corrected)
	}
	if o.Flips {
		b.WriteString(": the verdict flips")
	}
	t.para(0, o.Verdict, colourOf(o.Verdict), 5, b.String())
	if o.Verdict != sla.Pass && !strings.Contains(t.r.Why, o.Why) {
		t.text(5, 0, o.Why)
	}
	if o.FlipInterval != nil && t.r.Command != "correct" {
		t.text(5, 0, flipText("it", *o.FlipInterval))
	}
}

// unitOf returns the unit of an objective that is not a time.
func unitOf(objective string) string {
	switch o, _ := sla.Parse(objective); o.Metric {
	case sla.Errors:
		return " %"
	case sla.Rate:
		return "/s"
	}
	return ""
}

// flipText says what a flip point is. At smaller intervals the objective mostly
// fails as well, but that is not proven.
func flipText(objective string, interval float64) string {
	s := "flip point: " + millis(interval) + " is the largest interval at which " + objective + " fails corrected"
	if sensible(&interval) && interval > 0 {
		s += " (one worker sending " + plain(1000/interval) + " requests/s)"
	}
	return s
}

// judged writes a judged value with how it came about.
func judged(j *Judged, unit, how string) string {
	var s string
	switch {
	case j.Amount != nil:
		return plain(*j.Amount) + unit
	case j.Value != nil:
		s = millis(*j.Value)
	case j.Low != nil && j.High != nil:
		s = "between " + millis(*j.Low) + " and " + millis(*j.High)
	case j.Low != nil:
		s = "at least " + millis(*j.Low)
	case j.High != nil:
		s = "at most " + millis(*j.High)
	default:
		s = "not known"
	}
	return s + brackets(how)
}

// where names the place of something, as far as the result has several.
func (t text) where(input int, op string) string {
	var parts []string
	if len(t.r.Inputs) > 1 && input >= 0 && input < len(t.r.Inputs) {
		parts = append(parts, t.r.Inputs[input].name())
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
			values = append(values, "raw "+d.Measured.p99()+brackets(d.rule()))
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
