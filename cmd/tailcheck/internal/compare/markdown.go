package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// mostMarkdown is below the 1 MiB that GitHub takes for the summary of a step.
const mostMarkdown = 900 << 10

// WriteMarkdown writes an answer for the summary of a job.
func (a *Answer) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	md, start := report.MarkdownText, report.MarkdownStart
	if g := a.Gate; g != nil {
		line("## %s: tailcheck compare\n", md(gateHead(g)))
	} else {
		line("## tailcheck compare\n")
	}
	line("**%s** %s.", md(headline[a.Verdict]), md(a.Answer))
	if g := a.Gate; g != nil {
		line("\n%s\n", start(gateLine(g)))
		for i, why := range g.Why {
			if i == mostTables {
				line("- and %d more", len(g.Why)-i)
				break
			}
			line("- %s", start(why))
		}
	}
	shown, left := a.shown()
	for _, x := range shown {
		line("\n### %s\n", md(a.title(x)))
		line("%s\n", start(a.loads(x)))
		header, rows := a.table(x)
		if len(rows) > 0 {
			row := func(cells []string) {
				for i := range cells {
					cells[i] = md(cells[i])
				}
				line("| %s |", strings.Join(cells, " | "))
			}
			row(slices.Clone(header))
			line("|---|%s", strings.Repeat("---:|", len(header)-1))
			for _, r := range rows {
				row(r)
			}
			line("")
		}
		for _, l := range a.lines(x) {
			line("- %s", start(l))
		}
	}
	if left > 0 {
		line("\n%d more operations are in the JSON report.", left)
	}
	for _, x := range []struct {
		word string
		list []Finding
	}{{"New", a.Findings.New}, {"Gone", a.Findings.Gone}, {"Unchanged", a.Findings.Unchanged}} {
		if len(x.list) == 0 {
			continue
		}
		line("\n### %s findings\n", x.word)
		for i, f := range x.list {
			if i == mostTables {
				line("- and %d more", len(x.list)-i)
				break
			}
			line("- %s", start(f.line()))
		}
	}
	if rest := slices.Concat(a.Alone, a.Problems); len(rest) > 0 {
		line("\n### Not compared\n")
		for _, x := range rest {
			line("- %s", start(x))
		}
	}
	if why := a.method(); why != "" {
		line("\n<sub>Intervals: %s</sub>", md(why))
	}
	text := b.String()
	if len(text) > mostMarkdown {
		text = text[:strings.LastIndexByte(text[:mostMarkdown], '\n')+1] + "\nThe rest is left out: see the JSON report.\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
