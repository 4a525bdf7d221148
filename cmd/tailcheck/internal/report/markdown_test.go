package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// tags are all that a summary may hold of HTML.
var tags = regexp.MustCompile(`</?(details|summary|b|pre)>|<span>&#64;</span>`)

var preformatted = regexp.MustCompile(`(?s)<pre>.*?</pre>`)

// Whatever the input holds: the only HTML is the summary's own and balanced, no
// line begins in a way that an input chose, and tables have as many cells as
// their header.
func checkMarkdown(t *testing.T, name, s string) {
	t.Helper()
	if len(s) >= 1<<20 {
		t.Errorf("%s: %d bytes", name, len(s))
	}
	for _, tag := range []string{"details", "summary", "b", "pre", "span"} {
		if a, b := strings.Count(s, "<"+tag+">"), strings.Count(s, "</"+tag+">"); a != b {
			t.Errorf("%s: %d <%s> and %d </%s>", name, a, tag, b, tag)
		}
	}
	for _, code := range preformatted.FindAllString(s, -1) { // Markdown is not read there
		if strings.ContainsAny(strings.TrimSuffix(strings.TrimPrefix(code, "<pre>"), "</pre>"), "<>") {
			t.Errorf("%s: HTML in %q", name, code)
		}
	}
	own := tags.ReplaceAllString(preformatted.ReplaceAllString(s, ""), "")
	if i := strings.IndexAny(own, "<>@`~$[]"); i >= 0 {
		t.Errorf("%s: not escaped: %.60q", name, own[i:])
	}
	if strings.Contains(own, "://") || strings.Contains(strings.ToLower(own), "www.") {
		t.Errorf("%s: a link", name)
	}
	columns := 0
	for i, l := range strings.Split(preformatted.ReplaceAllString(s, ""), "\n") {
		if _, _, _, command := runnerCommand(l); Safe(l) != l || command {
			t.Errorf("%s: line %d is not safe: %q", name, i+1, l)
		}
		if !strings.HasPrefix(l, "|") {
			columns = 0
			continue
		}
		n := strings.Count(l, "|")
		if columns > 0 && n != columns {
			t.Errorf("%s: line %d has %d cells, its table %d: %s", name, i+1, n-1, columns-1, l)
		}
		columns = n
	}
}

func TestMarkdownIsSafe(t *testing.T) {
	for _, c := range results {
		checkMarkdown(t, c.name, render(t, Markdown, c.make(), Options{}))
	}
	for _, s := range []string{"</details>", "<details>", "- [x](javascript:alert(1))", "1. list", "# title", "![i](http://x/y.png)", "@everyone", "https://evil.example", "www.evil.example",
		"a|b|c", "\n\n# title", "```\ncode", "$`x`$", "<!--", "&lt;script&gt;", "&#42;", "===", "---", "    code", ":---:", "| a |\n|---|", "##[error]x", "\u202e", "[^1]", "~~x~~", "H~2~O", "*x* __y__", "\n::error::x"} {
		checkMarkdown(t, s, render(t, Markdown, withText(s), Options{}))
	}
}

// withText is a result in which an input says s wherever it may.
func withText(s string) *Result {
	r := hostile()
	r.Why = s
	in := &r.Inputs[0]
	in.Path, in.Tool, in.Format = s, s, s
	in.Run.WorkersFrom, in.Run.IntervalFrom, in.Run.Command = p(s), p(s), p(s)
	d := &r.Distributions[0]
	d.Op, d.Measured.Rule, d.Measured.Printed[0].Name, d.Measured.Printed[0].Rule = s, s, s, s
	d.Correction.IntervalFrom, d.Correction.Assumes = p(s), p(s)
	for i := range r.Objectives {
		r.Objectives[i].Objective, r.Objectives[i].Op, r.Objectives[i].Why = s, s, s
	}
	f := &r.Findings[0]
	f.Rule, f.Op, f.Message, f.Remedy, f.Exemplars = s, s, s, s+"\n$ "+s, []string{s}
	f.Evidence = []Evidence{{s, s, p(s), p(s + ":7")}}
	f.Tree = &Tree{Trace: s, TotalMs: 1, Rows: []TreeRow{{Service: s, Name: s, Times: 1, ToMs: 1}}}
	r.Problems = []Problem{{Path: s, Line: p(int64(7)), Message: s}}
	r.Skipped, r.Next = []string{s}, []string{s, "$ " + s}
	return r
}

// huge is more of everything than anybody reads, with long hostile names.
func huge(n int) *Result {
	r := many()
	name := strings.Repeat("<@|`漢", 100_000/n)
	for i := range n {
		in := labInput()
		in.Path = fmt.Sprint(name, i)
		r.Inputs = append(r.Inputs, in)
		r.Distributions = append(r.Distributions, Distribution{Input: len(r.Inputs) - 1, Op: in.Path, Measured: labMeasured()})
		r.Objectives = append(r.Objectives, Objective{Objective: in.Path + ": p99<1s", Input: len(r.Inputs) - 1, Op: in.Path, Raw: &Judged{Value: p(1e4), Verdict: "fail"}, Verdict: "fail", Why: in.Path})
		f := omission()
		f.Op, f.Message, f.Remedy, f.Inputs = in.Path, in.Path, "$ "+in.Path, []int{len(r.Inputs) - 1}
		r.Findings = append(r.Findings, f)
		r.Problems = append(r.Problems, Problem{Path: in.Path, Message: in.Path})
		r.Skipped = append(r.Skipped, in.Path)
	}
	return r
}

func TestMarkdownIsBounded(t *testing.T) {
	for _, n := range []int{1, 10, 1000, 20_000} {
		s := render(t, Markdown, huge(n), Options{})
		checkMarkdown(t, fmt.Sprint(n), s)
		if n == 20_000 {
			for _, want := range []string{"19,967 objectives more", "findings more", "distributions more", "20,001 files skipped"} {
				if !strings.Contains(s, want) {
					t.Errorf("%q is not said", want)
				}
			}
		}
	}
}
