package report

import (
	"fmt"
	"strings"
)

func (m *markdown) findings() {
	most := markdownFindings
	if m.top > 0 {
		most = m.top
	}
	var left int64
	for i, f := range Ranked(m.r.Findings) {
		var b block
		if i == 0 {
			b.line("\n### Findings")
		}
		m.finding(&b, f)
		if i >= most || !m.put(&b) {
			left++
		}
	}
	m.left(left, "finding")
}

// finding is a sentence with everything else folded below it.
func (m *markdown) finding(b *block, f *Finding) {
	head := m.name(f.Rule)
	if f.Op != "" {
		head += " of " + m.name(f.Op)
	}
	if f.Confidence != "" {
		head += ", confidence " + m.name(f.Confidence)
	}
	if sensible(f.ImpactMs) {
		head += ", costs " + millis(*f.ImpactMs)
	}
	b.line("\n<details>\n<summary><b>%s</b> %s: %s</summary>\n", md(f.Severity), head, m.say(f.Message))
	if p := m.r.placeOf(f); p.path != "" {
		b.line("In %s\n", m.name(p.String()))
	}
	if len(f.Evidence) > 0 {
		b.line("| evidence | got | compared with | at |\n|---|---|---|---|")
		for i, e := range f.Evidence {
			if i == maxEvidence {
				b.line("| and %d more in the JSON report | | | |", len(f.Evidence)-i)
				break
			}
			b.line("| %s | %s | %s | %s |", m.name(e.What), m.name(e.Got), m.name(text0(e.Want)), m.name(text0(e.At)))
		}
		b.line("")
	}
	if n := len(f.Exemplars); n > 0 {
		ids := f.Exemplars[:min(3, n)]
		more := ""
		if n > len(ids) {
			more = fmt.Sprintf(" and %d more", n-len(ids))
		}
		b.line("Traces: %s%s\n", m.name(strings.Join(ids, ", ")), more)
	}
	m.tree(b, f.Tree)
	m.steps(b, f.advice())
	b.line("</details>")
}

func text0(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// tree draws a trace as text does.
func (m *markdown) tree(b *block, tree *Tree) {
	if tree == nil || len(tree.Rows) == 0 {
		return
	}
	t := text{page: newPage(Options{Width: 100}), r: m.r, drawn: map[string]bool{}}
	t.tree(tree)
	b.line("<pre>\n%s</pre>\n", htmlText(t.page.String()))
}

// steps writes advice: sentences as they are, commands in a block to be copied.
func (m *markdown) steps(b *block, advice string) {
	for _, l := range strings.Split(advice, "\n") {
		switch l = strings.TrimSpace(l); {
		case l == "":
		case strings.HasPrefix(l, "$ "):
			b.line("<pre>%s</pre>\n", htmlText(clip(strings.TrimPrefix(l, "$ "), 4*markdownWords)))
		default:
			b.line("%s\n", m.start(l))
		}
	}
}

func (m *markdown) advice() {
	if len(m.r.Next) == 0 {
		return
	}
	var b block
	b.line("\n### What to do\n")
	m.steps(&b, strings.Join(m.r.Next, "\n"))
	m.put(&b)
}

func (m *markdown) problems() {
	list := func(title string, n int, item func(i int) string) {
		if n == 0 {
			return
		}
		var b block
		b.line("\n<details>\n<summary>%s</summary>\n", title)
		for i := range n {
			if i == maxProblems {
				b.line("- and %d more", n-i)
				break
			}
			b.line("- %s", m.start(item(i)))
		}
		b.line("\n</details>")
		if !m.put(&b) {
			m.always("%s; the JSON report has them.", title)
		}
	}
	list(counted(int64(len(m.r.Problems)), "problem")+" in reading", len(m.r.Problems), func(i int) string {
		x := &m.r.Problems[i]
		return place{path: x.Path, line: line0(x.Line)}.String() + ": " + x.Message
	})
	list(counted(int64(len(m.r.Skipped)), "file")+" skipped", len(m.r.Skipped), func(i int) string { return m.r.Skipped[i] })
	list(counted(int64(len(m.r.Settings)), "setting"), len(m.r.Settings), func(i int) string { return m.r.Settings[i].sentence() })
}
