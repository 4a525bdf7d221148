package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/correct/sla"
)

// objectives prints each objective in one paragraph: raw, then corrected.
func (t text) objectives() {
	if len(t.r.Objectives) == 0 {
		return
	}
	t.section()
	var passed, hidden int64
	shown := 0
	for _, o := range t.worstFirst() {
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

// worstFirst returns the objectives, those that fail before those that are open
// before those that pass.
func (t text) worstFirst() []*Objective {
	var out []*Objective
	for i := range t.r.Objectives {
		out = append(out, &t.r.Objectives[i])
	}
	order := []string{sla.Fail, sla.Inconclusive, sla.Pass}
	slices.SortStableFunc(out, func(a, b *Objective) int {
		return slices.Index(order, a.Verdict) - slices.Index(order, b.Verdict)
	})
	return out
}

// called names an objective and where it was judged, as far as that is not clear.
func (t text) called(o *Objective) string {
	op := o.Op
	if strings.HasPrefix(o.Objective, op+": ") {
		op = "" // the objective names it
	}
	if where := t.where(o.Input, op); where != "" {
		return o.Objective + " in " + where
	}
	return o.Objective
}

func (t text) objective(o *Objective) {
	var b strings.Builder
	b.WriteString(t.called(o) + o.origin() + ": ")
	d := t.distribution(o.Input, o.Op)
	unit := unitOf(o.Objective)
	raw, corrected := "", ""
	if o.Raw != nil {
		rule := d.rule()
		if o.Raw.Value == nil && o.Raw.High != nil {
			rule = sla.NotPrinted(rule)
		}
		raw = t.raw(d) + " " + judged(o.Raw, unit, rule) + " " + o.Raw.Verdict
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
// fails as well, but that is not proven. The interval is cut to what millis
// shows, not rounded up to one at which the objective is met.
func flipText(objective string, interval float64) string {
	shown := interval
	if interval >= 10 && interval < 1e4 {
		shown = math.Floor(10*interval+1e-6) / 10
	}
	s := "flip point: " + millis(shown) + " is the largest interval at which " + objective + " fails corrected"
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
	case j.Low != nil && j.High != nil && millis(*j.Low) == millis(*j.High):
		s = millis(*j.Low)
	case j.Low != nil && j.High != nil && *j.Low == 0:
		s = "at most " + millis(*j.High)
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
