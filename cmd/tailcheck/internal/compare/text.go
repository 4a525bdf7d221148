package compare

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// mostTables is how many operations are shown in text and Markdown, those with a
// difference first; JSON has all.
const mostTables = 20

// headline is the first word of a report for people.
var headline = map[string]string{Slower: "Slower:", Faster: "Faster:", Mixed: "Slower and faster:", Same: "~", NotJudged: "Not compared:"}

// WriteText writes an answer for people.
func (a *Answer) WriteText(w io.Writer, o report.Options) error {
	s := report.NewSheet(o)
	s.Head(headline[a.Verdict], a.Answer+".")
	if g := a.Gate; g != nil {
		s.Head(gateHead(g), gateLine(g))
		for i, why := range g.Why {
			if i == mostTables {
				s.Item(fmt.Sprintf("and %d more", len(g.Why)-i))
				break
			}
			s.Item(why)
		}
	}
	shown, left := a.shown()
	for _, x := range shown {
		s.Section()
		s.Head(a.title(x)+":", a.loads(x))
		a.rows(s, x)
	}
	if left > 0 {
		s.Section()
		s.Text(fmt.Sprintf("%d more operations are in --output json.", left))
	}
	a.findings(s)
	if len(a.Alone) > 0 || len(a.Problems) > 0 {
		s.Section()
		s.Head("Not compared:", "")
		for _, x := range slices.Concat(a.Alone, a.Problems) {
			s.Item(x)
		}
	}
	if why := a.method(); why != "" {
		s.Section()
		s.Head("Intervals:", why)
	}
	_, err := io.WriteString(w, s.String())
	return err
}

func gateHead(g *Gate) string {
	return map[string]string{Pass: "PASS", Fail: "FAIL", Inconclusive: "INCONCLUSIVE"}[g.Verdict]
}

func gateLine(g *Gate) string {
	s := fmt.Sprintf("--fail-on-regression %s", percent(g.Limit))
	switch {
	case g.Verdict == Pass:
		return s + ": nothing is worse by more than that."
	case g.Verdict == Fail:
		return s + ":"
	}
	return s + ": it cannot be said whether anything is worse by more than that:"
}

// shown returns the comparisons that are shown, and how many are not.
func (a *Answer) shown() (list []*Comparison, left int) {
	for i := range a.Comparisons {
		list = append(list, &a.Comparisons[i])
	}
	if left = len(list) - mostTables; left <= 0 {
		return list, 0
	}
	weight := func(x *Comparison) int {
		w := 0
		for _, ch := range x.Changes {
			if ch.Decides && (ch.Verdict == Slower || ch.Verdict == Faster) {
				w++
			}
		}
		return w
	}
	slices.SortStableFunc(list, func(x, y *Comparison) int { return weight(y) - weight(x) })
	return list[:mostTables], left
}

func (a *Answer) title(x *Comparison) string {
	p := a.Pairs[x.Pair]
	s := a.Base[p.Base].Path + " → " + a.Head[p.Head].Path
	if x.Op != "" {
		s += ", " + x.Op
	}
	return s
}

// loads says how both sides were measured, and how they came together.
func (a *Answer) loads(x *Comparison) string {
	p := a.Pairs[x.Pair]
	b, h := how(a.Base[p.Base]), how(a.Head[p.Head])
	s := b
	if b != h {
		s = b + " → " + h
	}
	if len(a.Pairs) > 1 {
		s += "; paired by " + p.By
	}
	return s
}

func how(in Input) string {
	s := in.Format
	if in.Loop != nil && *in.Loop != unknown {
		s += ", " + *in.Loop + " loop"
	}
	if in.Workers != nil {
		s += fmt.Sprintf(", %d workers", *in.Workers)
	}
	if in.Rate != nil {
		s += fmt.Sprintf(", %s/s", amount(*in.Rate))
	}
	return s
}

func (a *Answer) rows(s *report.Sheet, x *Comparison) {
	header, rows := a.table(x)
	if len(rows) > 0 {
		s.Table(header, rows, nil, []int{6, 5})
	}
	for _, line := range a.lines(x) {
		s.Item(line)
	}
}

func (a *Answer) findings(s *report.Sheet) {
	f := a.Findings
	if len(f.New)+len(f.Gone)+len(f.Unchanged) == 0 {
		return
	}
	s.Section()
	for _, x := range []struct {
		word string
		list []Finding
	}{{"new", f.New}, {"gone", f.Gone}, {"unchanged", f.Unchanged}} {
		for i, y := range x.list {
			if i == mostTables {
				s.Item(fmt.Sprintf("and %d more that are %s", len(x.list)-i, x.word))
				break
			}
			s.Head(x.word, y.line())
		}
	}
}

func (f Finding) line() string {
	s := f.Severity + " " + f.Rule
	if f.Op != "" {
		s += " of " + f.Op
	}
	return s + ", " + f.Path + ": " + f.Message
}

// method says what the intervals are.
func (a *Answer) method() string {
	timed, interval := false, false
	for _, x := range a.Comparisons {
		for _, ch := range x.Changes {
			interval = interval || ch.Low != nil && ch.Metric != "errors"
			timed = timed || ch.Low != nil && ch.Metric != "errors" && x.Base.Blocks != nil && x.Head.Blocks != nil
		}
	}
	if !interval {
		return ""
	}
	s := fmt.Sprintf("order statistics of each side, joined as variances add up (MOVER); %s.", eachWord(a))
	if timed {
		s += fmt.Sprintf(" How requests hang together is measured in up to %d blocks of each run; \"worth\" is how many independent ones they are.", a.blocks())
	}
	if a.Ignore > 0 {
		s += fmt.Sprintf(" Changes below %s are not called. What differs between two runs of one binary beside chance (the machine, its neighbours) is in no interval: compare base with base to see it.", percent(a.Ignore))
	}
	return s
}

func eachWord(a *Answer) string {
	if a.Intervals == 1 {
		return "the one interval holds with 95 %"
	}
	miss := 100 * (1 - family) / float64(a.Intervals) // in percent
	decimals := max(2, 1+int(math.Ceil(-math.Log10(miss))))
	return fmt.Sprintf("each of the %d holds with %.*f %%, so that all hold together with 95 %%", a.Intervals, decimals, 100-miss)
}

func (a *Answer) blocks() int {
	for _, x := range a.Comparisons {
		if x.Base.Blocks != nil {
			return *x.Base.Blocks
		}
	}
	return mostBlocks
}

// WriteJSON writes the answer for programs.
func (a *Answer) WriteJSON(w io.Writer) error { return report.Encode(w, a) }
