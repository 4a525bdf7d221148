package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/correct/sla"
)

// Markdown writes for the summary of a CI job and for comments.
var Markdown = Renderer{
	Name: "markdown",
	Doc: `Markdown for job summaries, comments and incident documents

The verdict first, then each objective raw and corrected, the percentiles before
and after, and what was found, with its evidence folded. Text of the inputs is
text whatever it holds: no Markdown, no HTML, no mention of anybody. It stays
below 1 MiB, which is what GitHub takes for a job summary; what is left out is
counted.`,
	Render: func(w io.Writer, r *Result, o Options) error {
		m := markdown{text: text{page: newPage(Options{}), r: r, dir: commonDir(r.Inputs), top: o.Top}}
		m.all()
		_, err := io.WriteString(w, m.out.String())
		return err
	},
}

// Bounds of the summary. GitHub shows none that is longer than 1 MiB; several
// steps share a page, and 400 kB of one are more than anybody reads.
const (
	markdownBytes    = 400_000
	markdownFindings = 100
	markdownRows     = 200  // distributions in one table
	markdownWords    = 1500 // columns of a sentence
	markdownName     = 200  // columns of a name
)

// markdown is one Result on its way to a summary.
type markdown struct {
	text
	out strings.Builder
}

// block is a part of the summary that stands whole or not at all.
type block struct{ strings.Builder }

func (b *block) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

// put writes a block if there is room for it.
func (m *markdown) put(b *block) bool {
	if m.out.Len()+b.Len() > markdownBytes {
		return false
	}
	m.out.WriteString(b.String())
	return true
}

// always writes a line whatever the room: there are few of them, and short ones.
func (m *markdown) always(format string, args ...any) {
	fmt.Fprintf(&m.out, "\n"+format+"\n", args...)
}

func (m *markdown) all() {
	m.head()
	m.objectives()
	m.distributions()
	m.findings()
	m.advice()
	m.problems()
}

// head is the verdict and its reason, or that nothing was judged.
func (m *markdown) head() {
	var b block
	if m.r.Command == "correct" && len(m.r.Objectives) == 0 && m.r.Verdict == sla.Pass {
		b.line("## tailcheck: before and after")
	} else {
		b.line("## tailcheck: %s", strings.ToUpper(md(m.r.Verdict)))
		if m.r.Why != "" {
			b.line("\n%s", m.start(m.r.Why))
		}
	}
	m.put(&b)
	if len(m.r.Objectives) == 0 && len(m.r.Distributions) > 0 {
		m.always("No objective was given: percentiles were not judged.")
	}
}

func (m *markdown) objectives() {
	var left int64
	for i, o := range m.worstFirst() {
		var b block
		if i == 0 {
			b.line("\n| verdict | objective | raw | corrected | |\n|---|---|---|---|---|")
		}
		d, unit := m.distribution(o.Input, o.Op), unitOf(o.Objective)
		var raw, corrected, why string
		if o.Raw != nil {
			raw = judged(o.Raw, unit, "") + " " + o.Raw.Verdict
			if m.raw(d) != "raw" {
				raw = m.raw(d) + " " + raw
			}
		}
		if o.Corrected != nil {
			corrected = judged(o.Corrected, unit, m.how(d)) + " " + o.Corrected.Verdict
		}
		if o.Verdict != sla.Pass {
			why = o.Why
		}
		verdict := strong(o.Verdict)
		if o.Flips {
			verdict += ", flips"
		}
		b.line("| %s | %s | %s | %s | %s |", verdict, m.name(m.called(o)+o.origin()), m.name(raw), m.name(corrected), m.say(why))
		if i >= maxObjectives || !m.put(&b) {
			left++
		}
	}
	m.left(left, "objective")
}

// strong sets a verdict in bold unless it is a pass.
func strong(verdict string) string {
	if verdict == sla.Pass {
		return md(verdict)
	}
	return "**" + md(verdict) + "**"
}

// left counts what there was no room for.
func (m *markdown) left(n int64, thing string) {
	if n > 0 {
		m.always("and %s more; the JSON report has all.", counted(n, thing))
	}
}

// distributions are the inputs and their percentiles before and after: a table
// each where they are few, else a row each.
func (m *markdown) distributions() {
	few := maxTables
	if m.r.Command == "correct" {
		few = maxTablesOf
	}
	if len(m.r.Distributions) > few {
		m.rows()
		return
	}
	var left int64
	for i := range m.r.Inputs {
		in := &m.r.Inputs[i]
		var b block
		b.line("\n### %s\n\n%s", m.name(in.name()), m.start(in.about()))
		if in.Run != nil && in.Run.Command != nil {
			b.line("\nCommand line: %s", m.say(*in.Run.Command))
		}
		for k := range m.r.Distributions {
			if d := &m.r.Distributions[k]; d.Input == i {
				m.table(&b, d)
			}
		}
		if i >= maxInputs || !m.put(&b) {
			left++
		}
	}
	m.left(left, "input")
}

func (m *markdown) rows() {
	m.always("### Percentiles\n")
	var left int64
	for i := range m.r.Inputs {
		var b block
		b.line("- **%s**: %s", m.name(m.r.Inputs[i].name()), m.say(m.r.Inputs[i].about()))
		if i >= maxInputs || !m.put(&b) {
			left++
		}
	}
	m.left(left, "input")
	left = 0
	for i, d := range m.slowest() {
		var b block
		if i == 0 {
			raw := m.rawOfAll(m.slowest())
			b.line("\n| | p50 %s | p99 %[1]s | p99 corrected | max %[1]s | samples |\n|---|--:|--:|--:|--:|--:|", raw)
		}
		m.row(&b, d)
		if i >= markdownRows || !m.put(&b) {
			left++
		}
	}
	m.left(left, "distribution")
}

// slowest returns the distributions as they are shown: as they come where few,
// else the slowest by p99 first.
func (m *markdown) slowest() []*Distribution {
	var out []*Distribution
	for i := range m.r.Distributions {
		out = append(out, &m.r.Distributions[i])
	}
	if len(out) > maxRows {
		slices.SortStableFunc(out, func(a, b *Distribution) int {
			switch x, y := a.worst(), b.worst(); {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
	}
	return out
}

func (m *markdown) table(b *block, d *Distribution) {
	if d.Measured == nil && d.Corrected == nil {
		return
	}
	title := strings.TrimSpace(m.where(d.Input, d.Op))
	if d.Vantage != "" && d.Vantage != "unknown" && d.Vantage != "client" {
		title = strings.TrimSpace(title + " (as the " + d.Vantage + " saw it)")
	}
	if title != "" {
		b.line("\n%s", "**"+m.name(title)+"**")
	}
	tab, _ := m.figures(d)
	b.line("\n| %s |\n|---|%s", strings.Join(tab.header, " | "), strings.Repeat("--:|", len(tab.header)-1))
	for _, r := range tab.rows {
		for c := range r {
			r[c] = m.name(r[c])
		}
		b.line("| %s |", strings.Join(r, " | "))
	}
	b.line("")
	for _, n := range m.notes(d) {
		b.line("- %s", m.start(n))
	}
}

func (m *markdown) row(b *block, d *Distribution) {
	var all []float64
	for _, f := range []*Figures{d.Measured, d.Corrected} {
		for _, i := range []int{0, 4, 7} {
			if low, _, _, ok := f.at(i); ok {
				all = append(all, low)
			}
		}
	}
	s, f := scaleOf(all), d.Measured
	if f == nil {
		f = d.Corrected
	}
	after := d.Corrected.cell(4, s)
	if d.Corrected != nil {
		after += brackets(m.how(d))
	}
	b.line("| %s | %s | %s | %s | %s | %s |", m.name(m.label(d)), d.Measured.cell(0, s), d.Measured.cell(4, s), m.name(after), d.Measured.cell(7, s), f.samples())
}

// say makes a sentence fit to be shown, name a name, start what is first in a line.
func (m *markdown) say(s string) string   { return md(clip(s, markdownWords)) }
func (m *markdown) name(s string) string  { return md(clip(s, markdownName)) }
func (m *markdown) start(s string) string { return mdStart(clip(s, markdownWords)) }
