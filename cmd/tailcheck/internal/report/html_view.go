package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/correct/sla"
)

// html is one Result on its way to a page. It says things in the words of text.
type html struct {
	text
	b htmlBounds
}

// htmlPage is what the template is given: text that is safe to show, cut to a
// length, in the order of the page.
type htmlPage struct {
	Style  template.CSS
	Script template.JS
	Policy string
	Data   template.JS // of the charts
	Plots  bool        // some of them are plotted

	Title, Verdict, Word, Sign string
	Sentence, Why              string
	Answer, RestsOn            []string // of a page of what-if
	Inputs                     string   // in a few words
	Tiles                      []htmlTile
	Objectives                 []htmlObjective
	MoreObjectives             string
	Distributions              []htmlDistribution
	Shared                     *htmlShared
	Unjudged                   string
	Findings                   []htmlFinding
	MoreFindings               string
	Next                       []htmlAdvice
	Charts                     []htmlChart
	MoreCharts                 string
	Read                       []htmlInput
	MoreInputs                 string
	Problems                   []htmlProblem
	MoreProblems               string
	Skipped                    []string
	MoreSkipped                string
	Settings                   []string
	MoreSettings               string
	Numbers                    []htmlNumbers
	MoreNumbers                string
}

// htmlTile is a number in large print.
type htmlTile struct{ Kind, Name, Value, About string }

// say makes text fit to be shown: safe, and not longer than a sentence may be.
func (h *html) say(s string) string { return clip(s, h.b.words) }

// name is say for names, paths and other single words.
func (h *html) name(s string) string { return clip(s, h.b.name) }

func more(n int, thing string) string {
	if n <= 0 {
		return ""
	}
	return "And " + counted(int64(n), "more "+thing) + "; the JSON report (--output json) has all of them."
}

func (h *html) view() *htmlPage {
	r := h.r
	p := &htmlPage{Verdict: r.Verdict, Inputs: h.inputNames()}
	switch r.Verdict {
	case sla.Pass:
		p.Word, p.Sign = "Pass", "✓"
	case sla.Fail:
		p.Word, p.Sign = "Fail", "✗"
	default:
		p.Word, p.Sign, p.Verdict = "Inconclusive", "?", "inconclusive"
	}
	p.Sentence, p.Why = h.say(h.sentence()), h.say(r.Why)
	if h.unjudgedReport() {
		p.Word, p.Sign, p.Verdict, p.Why = "Report", "≈", "none", ""
	}
	for _, f := range r.Findings { // the sentence is its message already
		if r.Why == f.Rule+": "+f.Message && p.Sentence == h.say(sentenceOf(f.Message)) {
			p.Why = ""
		}
	}
	if len(r.Objectives) == 0 && r.Verdict == sla.Pass {
		p.Why = ""
	}
	p.Title = clip(p.Word+": "+h.sentence(), min(h.b.words, 140))
	h.tiles(p)
	h.objectiveRows(p)
	h.distributionTables(p)
	h.findingList(p)
	for _, s := range r.Next {
		p.Next = append(p.Next, h.advice(s)...)
	}
	h.charts(p)
	h.inputList(p)
	h.numbers(p)
	return p
}

// unjudgedReport reports whether the page is a report and not a gate.
func (h *html) unjudgedReport() bool {
	return h.r.Command == "correct" && len(h.r.Objectives) == 0 && h.r.Verdict == sla.Pass
}

func (h *html) inputNames() string {
	var names []string
	for i := range h.r.Inputs {
		if len(names) == 3 {
			names = append(names, fmt.Sprintf("%d more", len(h.r.Inputs)-i))
			break
		}
		names = append(names, h.name(h.r.Inputs[i].name()))
	}
	return strings.Join(names, ", ")
}

// sentence is the verdict for somebody who reads nothing else.
func (h *html) sentence() string {
	r := h.r
	if h.unjudgedReport() {
		return "Latencies before and after correction; nothing was judged."
	}
	o := h.decisive()
	switch r.Verdict {
	case sla.Fail:
		switch {
		case o == nil || o.Verdict != sla.Fail:
			for _, f := range Ranked(r.Findings) {
				if strings.HasPrefix(r.Why, f.Rule+": ") {
					return sentenceOf(f.Message)
				}
			}
			return sentenceOf(r.Why)
		case o.Flips && o.Raw != nil && o.Corrected != nil:
			return fmt.Sprintf("%s is missed: the report shows %s, but counting the requests that were never sent it is %s.",
				h.objectiveName(o), judged(o.Raw, unitOf(o.Objective), ""), judged(o.Corrected, unitOf(o.Objective), ""))
		}
		return fmt.Sprintf("%s is missed: it is %s.", h.objectiveName(o), h.decisiveValue(o))
	case sla.Pass:
		switch {
		case len(r.Objectives) == 0:
			return "Nothing that was found fails this run. No objective was given."
		case len(r.Objectives) == 1 && o != nil:
			return fmt.Sprintf("%s is met: it is %s.", h.objectiveName(o), h.decisiveValue(o))
		}
		return fmt.Sprintf("All %d objectives are met.", len(r.Objectives))
	}
	if o != nil && o.Verdict == sla.Inconclusive {
		return fmt.Sprintf("This run proves nothing about %s.", h.objectiveName(o))
	}
	return "This run could not be judged."
}

// decisive is the objective that the verdict rests on; nil: none.
func (h *html) decisive() *Objective {
	for _, o := range h.worstFirst() {
		return o
	}
	return nil
}

func (h *html) objectiveName(o *Objective) string {
	op := o.Op
	if strings.HasPrefix(o.Objective, op+": ") {
		op = ""
	}
	if where := h.where(o.Input, op); where != "" {
		return o.Objective + " in " + where
	}
	return o.Objective
}

// decisiveValue says the value that decides.
func (h *html) decisiveValue(o *Objective) string {
	unit := unitOf(o.Objective)
	switch {
	case o.Corrected != nil && (o.Raw == nil || o.Raw.Verdict == sla.Pass):
		return judged(o.Corrected, unit, "corrected")
	case o.Raw != nil:
		return judged(o.Raw, unit, h.raw(h.distribution(o.Input, o.Op)))
	}
	return "not known"
}

// tiles are the numbers of the decisive objective, or those of the only
// distribution.
func (h *html) tiles(p *htmlPage) {
	add := func(kind, name, value, about string) {
		p.Tiles = append(p.Tiles, htmlTile{kind, h.name(name), h.name(value), h.name(about)})
	}
	o := h.decisive()
	if o == nil {
		if len(h.r.Distributions) != 1 {
			return
		}
		d := &h.r.Distributions[0]
		if d.Measured != nil && d.Measured.P99 != nil {
			add("measured", "p99, "+h.raw(d), known(d.Measured.P99), d.rule())
		}
		if d.Corrected != nil && d.Corrected.P99 != nil {
			add("corrected", "p99, corrected", known(d.Corrected.P99), h.how(d))
		}
		return
	}
	if o.Verdict != h.r.Verdict {
		return // something else decided
	}
	d := h.distribution(o.Input, o.Op)
	unit, metric := unitOf(o.Objective), "value"
	if parsed, err := sla.Parse(o.Objective); err == nil {
		metric = parsed.Name()
		if i := strings.LastIndex(metric, ": "); i >= 0 {
			metric = metric[i+2:]
		}
	}
	if o.Raw != nil {
		add("measured "+verdictClass(o.Raw.Verdict), metric+", "+h.raw(d), judged(o.Raw, unit, ""), h.ruleOf(o, d))
	}
	if o.Corrected != nil {
		add("corrected "+verdictClass(o.Corrected.Verdict), metric+", corrected", judged(o.Corrected, unit, ""), h.how(d))
	}
	if len(p.Tiles) > 0 {
		about := ""
		if o.Flips {
			about = "met as measured, missed as corrected"
		}
		add("objective", "objective", o.Objective, about)
	}
}

// ruleOf says how the raw value of an objective was picked.
func (h *html) ruleOf(o *Objective, d *Distribution) string {
	rule := d.rule()
	if o.Raw.Value == nil && o.Raw.High != nil {
		rule = sla.NotPrinted(rule)
	}
	if o.Raw.Amount != nil {
		return "counted"
	}
	return rule
}

// htmlObjective is a row of the table of objectives.
type htmlObjective struct {
	Verdict, Word, Name, Where, Raw, RawVerdict, RawHow, Corrected, CorrectedVerdict, CorrectedHow, Why, Flip string
	Flips                                                                                                     bool
}

func verdictClass(v string) string {
	if slices.Contains([]string{sla.Pass, sla.Fail, sla.Inconclusive}, v) {
		return v
	}
	return "none"
}

func (h *html) objectiveRows(p *htmlPage) {
	all := h.worstFirst()
	for i, o := range all {
		if i == h.b.objectives {
			p.MoreObjectives = more(len(all)-i, "objective")
			break
		}
		d := h.distribution(o.Input, o.Op)
		op, unit := o.Op, unitOf(o.Objective)
		if strings.HasPrefix(o.Objective, op+": ") {
			op = ""
		}
		x := htmlObjective{Verdict: verdictClass(o.Verdict), Word: h.name(o.Verdict), Name: h.name(o.Objective), Where: h.name(strings.TrimSpace(h.where(o.Input, op) + o.origin())), Flips: o.Flips}
		if o.Raw != nil {
			x.Raw, x.RawVerdict = h.name(judged(o.Raw, unit, "")), h.name(o.Raw.Verdict)
			x.RawHow = h.name(strings.TrimSuffix(h.raw(d)+"; "+h.ruleOf(o, d), "; "))
		}
		if o.Corrected != nil {
			x.Corrected, x.CorrectedVerdict = h.name(judged(o.Corrected, unit, "")), h.name(o.Corrected.Verdict)
			x.CorrectedHow = h.name(h.how(d))
		}
		if o.Why != "" && !strings.Contains(h.r.Why, o.Why) {
			x.Why = h.say(o.Why)
		}
		if o.FlipInterval != nil && sensible(o.FlipInterval) {
			x.Flip = h.say(flipText("it", *o.FlipInterval))
		}
		p.Objectives = append(p.Objectives, x)
	}
}
