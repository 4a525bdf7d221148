package compare

import (
	"fmt"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// findings sorts the findings of both sides into new, gone and unchanged ones. A
// finding is the same when its rule, its operation and the pairs that its inputs
// are in are: numbers and sentences differ from run to run.
func (c *comparing) findings() {
	base := c.findingsOf(&c.base, func(p Pair) int { return p.Base })
	head := c.findingsOf(&c.head, func(p Pair) int { return p.Head })
	had := map[string]int{}
	for _, f := range base {
		had[f.key]++
	}
	for _, f := range head {
		if had[f.key] > 0 {
			had[f.key]--
			c.out.Findings.Unchanged = append(c.out.Findings.Unchanged, f)
		} else {
			c.out.Findings.New = append(c.out.Findings.New, f)
		}
	}
	for _, f := range slices.Backward(base) {
		if had[f.key] > 0 {
			had[f.key]--
			c.out.Findings.Gone = append(c.out.Findings.Gone, f)
		}
	}
	slices.Reverse(c.out.Findings.Gone)
}

func (c *comparing) findingsOf(s *side, at func(Pair) int) []Finding {
	var out []Finding
	for i := range s.out.Findings {
		f := &s.out.Findings[i]
		var places []string
		path := ""
		for _, in := range f.Inputs {
			if in < 0 || in >= len(s.out.Inputs) {
				continue
			}
			if path == "" {
				path = s.out.Inputs[in].Path
			}
			pair := slices.IndexFunc(c.out.Pairs, func(p Pair) bool { return at(p) == in })
			if pair < 0 {
				places = append(places, s.out.Inputs[in].Path)
			} else {
				places = append(places, fmt.Sprint(pair))
			}
		}
		slices.Sort(places)
		out = append(out, Finding{Rule: f.Rule, Severity: f.Severity, Op: f.Op, Path: path, Message: f.Message,
			fails: c.fails(f), key: fmt.Sprintf("%q %q %q", f.Rule, f.Op, places)})
	}
	return out
}

// fails reports whether a new finding is a regression.
func (c *comparing) fails(f *report.Finding) bool {
	return !c.opt.Check.NeverFail && f.Level >= c.opt.Check.FailOn
}
