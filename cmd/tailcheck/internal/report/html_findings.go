package report

import (
	"fmt"
	"strings"
)

// htmlFinding is one finding with what it rests on.
type htmlFinding struct {
	Rule, Severity, Confidence, Where, Cost, Message string
	Evidence                                         []Evidence
	Wants, Places                                    bool // some evidence has them
	MoreEvidence                                     string
	Tree                                             *htmlWaterfall
	Traces                                           []string
	MoreTraces                                       string
	Remedy                                           []htmlAdvice
}

// htmlAdvice is a sentence, or a command to be copied.
type htmlAdvice struct {
	Text    string
	Command bool
}

// htmlWaterfall is a trace drawn small.
type htmlWaterfall struct {
	Trace, Total string
	Rows         []htmlSpan
	More         string
}

// htmlSpan is a row of a waterfall; X and Width are in thousandths of it.
type htmlSpan struct {
	Depth              int
	Service, Name      string
	Times, Failed      string
	Starts, Took       string
	X, Width           int
	Bad, Many, Skipped bool
}

func (h *html) findingList(p *htmlPage) {
	most := h.b.findings
	if h.top > 0 {
		most = min(most, h.top)
	}
	for i, f := range Ranked(h.r.Findings) {
		if i == most {
			p.MoreFindings = more(len(h.r.Findings)-i, "finding")
			return
		}
		p.Findings = append(p.Findings, h.found(f))
	}
}

func (h *html) found(f *Finding) htmlFinding {
	x := htmlFinding{Rule: h.name(f.Rule), Severity: severityClass(f.Severity), Confidence: h.name(f.Confidence), Message: h.say(sentenceOf(f.Message)), Remedy: h.advice(f.advice())}
	var where []string
	if len(h.r.Inputs) > 1 {
		for _, i := range f.Inputs {
			if i >= 0 && i < len(h.r.Inputs) && len(where) < 3 {
				where = append(where, h.name(h.short(i)))
			}
		}
		if more := len(f.Inputs) - len(where); more > 0 && len(where) > 0 {
			where[len(where)-1] += fmt.Sprintf(" and %d more", more)
		}
	}
	x.Where = strings.Join(where, ", ")
	if f.Op != "" {
		x.Where = strings.TrimPrefix(x.Where+" · "+h.name(f.Op), " · ")
	}
	if sensible(f.ImpactMs) {
		x.Cost = millis(*f.ImpactMs)
	}
	for i, e := range f.Evidence {
		if i == h.b.evidence {
			x.MoreEvidence = more(len(f.Evidence)-i, "number")
			break
		}
		c := Evidence{What: h.name(e.What), Got: h.name(e.Got)}
		if e.Want != nil && *e.Want != "" {
			s := h.name(*e.Want)
			c.Want, x.Wants = &s, true
		}
		if e.At != nil && *e.At != "" {
			s := h.name(*e.At)
			c.At, x.Places = &s, true
		}
		x.Evidence = append(x.Evidence, c)
	}
	for i, id := range f.Exemplars {
		if i == 8 {
			x.MoreTraces = more(len(f.Exemplars)-i, "trace")
			break
		}
		x.Traces = append(x.Traces, h.name(id))
	}
	x.Tree = h.waterfall(f.Tree)
	return x
}

func severityClass(s string) string {
	switch s {
	case "error", "warning", "note":
		return s
	}
	return "note"
}

// advice is text of tailcheck's own, line by line: a line that begins with "$ "
// is a command.
func (h *html) advice(s string) []htmlAdvice {
	var out []htmlAdvice
	for _, l := range strings.Split(strings.TrimSpace(s), "\n") {
		l = strings.TrimSpace(l)
		command := strings.HasPrefix(l, "$ ")
		if l = h.say(strings.TrimPrefix(l, "$ ")); l != "" && len(out) < 20 {
			out = append(out, htmlAdvice{l, command})
		}
	}
	return out
}

// maxDepthHTML is how far the stylesheet indents.
const maxDepthHTML = 12

func (h *html) waterfall(t *Tree) *htmlWaterfall {
	if t == nil || len(t.Rows) == 0 {
		return nil
	}
	w := &htmlWaterfall{Trace: h.name(t.Trace), Total: millis(t.TotalMs)}
	for i, r := range t.Rows {
		if i == h.b.rows {
			break
		}
		x := htmlSpan{Depth: min(max(r.Depth, 0), maxDepthHTML), Service: h.name(r.Service), Name: h.name(r.Name), Bad: r.Failed > 0, Many: r.Times > 1, Skipped: r.Skipped > 0,
			Starts: fromStart(r.FromMs), Took: millis(max(0, r.ToMs-r.FromMs))}
		if r.Times > 1 {
			x.Times = "×" + count(r.Times)
		}
		how := "failed"
		switch r.Failed {
		case r.Cancelled:
			how = "cancelled"
		case r.TimedOut:
			how = "timed out"
		}
		switch {
		case r.Failed == 0:
		case r.Times == 1:
			x.Failed = how
		default:
			x.Failed = count(r.Failed) + " " + how
		}
		if t.TotalMs > 0 {
			at := func(ms float64) int { return min(max(int(1000*ms/t.TotalMs+0.5), 0), 1000) }
			x.X = min(at(r.FromMs), 996)
			x.Width = max(at(r.ToMs)-x.X, 4)
		}
		w.Rows = append(w.Rows, x)
	}
	left := t.Left + len(t.Rows) - len(w.Rows)
	switch {
	case t.More:
		w.More = "And more than " + counted(int64(left), "further row") + "."
	case left > 0:
		w.More = "And " + counted(int64(left), "further row") + "."
	}
	return w
}

// fromStart writes a time since the start of a trace.
func fromStart(ms float64) string {
	if ms == 0 {
		return "0"
	}
	return millis(ms)
}

// htmlInput is one input as it was read.
type htmlInput struct{ Name, Format, About, Command string }

// htmlProblem is a part that could not be read.
type htmlProblem struct{ Place, Message string }

func (h *html) inputList(p *htmlPage) {
	for i := range h.r.Inputs {
		in := &h.r.Inputs[i]
		if i == h.b.inputs {
			p.MoreInputs = more(len(h.r.Inputs)-i, "input")
			break
		}
		about := strings.TrimPrefix(strings.TrimPrefix(in.about(), in.Format), ", ")
		x := htmlInput{Name: h.name(in.name()), Format: h.name(in.Format), About: clip(about, min(600, h.b.words))}
		if in.Run != nil && in.Run.Command != nil {
			x.Command = clip(*in.Run.Command, min(400, h.b.words))
		}
		p.Read = append(p.Read, x)
	}
	for i, x := range h.r.Problems {
		if i == h.b.problems {
			p.MoreProblems = more(len(h.r.Problems)-i, "problem")
			break
		}
		place := x.Path
		if x.Line != nil {
			place += fmt.Sprintf(":%d", *x.Line)
		}
		p.Problems = append(p.Problems, htmlProblem{h.name(place), clip(x.Message, min(600, h.b.words))})
	}
	for i, x := range h.r.Skipped {
		if i == h.b.problems {
			p.MoreSkipped = "And " + counted(int64(len(h.r.Skipped)-i), "more file") + "."
			break
		}
		p.Skipped = append(p.Skipped, clip(x, min(600, h.b.words)))
	}
	for i := range h.r.Settings {
		if i == h.b.problems {
			p.MoreSettings = more(len(h.r.Settings)-i, "setting")
			break
		}
		p.Settings = append(p.Settings, clip(h.r.Settings[i].sentence(), min(600, h.b.words)))
	}
}
