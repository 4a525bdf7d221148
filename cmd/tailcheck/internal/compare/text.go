package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

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
		s.Head(a.title(x), a.loads(x))
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
	if in.Loop != nil && *in.Loop != "unknown" {
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

// table are the times of a comparison, as cells.
func (a *Answer) table(x *Comparison) (header []string, rows [][]string) {
	var all []float64
	both := false
	for _, ch := range x.Changes {
		if ch.Of == "" {
			continue
		}
		both = both || ch.Of == corrected
		for _, v := range []*float64{ch.Base.Value, ch.Head.Value} {
			if v != nil {
				all = append(all, *v)
			}
		}
	}
	unit, write := report.Times(all)
	cell := func(v *float64) string {
		if v == nil {
			return "–"
		}
		return write(*v)
	}
	header = []string{unit, "base", "head", "change", "95 % interval", "requests", "worth"}
	for _, ch := range x.Changes {
		if ch.Of == "" || ch.Base.Value == nil && ch.Head.Value == nil {
			continue
		}
		name := ch.Metric
		if both {
			name += " " + ch.Of
		}
		rows = append(rows, []string{name, cell(ch.Base.Value), cell(ch.Head.Value), ch.word(), ch.interval(), numbers(ch.Base.Count, ch.Head.Count), ch.worth()})
	}
	return header, rows
}

// word is the change as a cell: "~", "+12 %", and in brackets where there is no
// interval that shows it.
func (ch *Change) word() string {
	if ch.Change == nil {
		return "–"
	}
	if ch.Verdict == Same {
		return "~"
	}
	s := percent(*ch.Change)
	if *ch.Change > 0 {
		s = "+" + s
	}
	if ch.Verdict == NotJudged {
		return "(" + s + ")"
	}
	return s
}

func (ch *Change) interval() string {
	if ch.Low == nil {
		return "–"
	}
	return percent(*ch.Low) + " to " + percent(*ch.High)
}

func (ch *Change) worth() string {
	if ch.Base.Effective == nil || ch.Head.Effective == nil {
		return "–"
	}
	b, h := int64(math.Round(*ch.Base.Effective)), int64(math.Round(*ch.Head.Effective))
	return numbers(&b, &h)
}

// numbers writes the numbers of both sides: "3 000" where they are equal.
func numbers(b, h *int64) string {
	switch {
	case b == nil || h == nil:
		return "–"
	case *b == *h:
		return report.Whole(*b)
	}
	return report.Whole(*b) + " / " + report.Whole(*h)
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

// lines are what is said below a table.
func (a *Answer) lines(x *Comparison) (out []string) {
	if x.Why != nil {
		out = append(out, "not compared: "+*x.Why)
	}
	for _, ch := range x.Changes {
		switch ch.Metric {
		case "errors":
			out = append(out, fmt.Sprintf("errors: %s %% → %s %%: %s (95 %% interval of the difference %s to %s points)", amount(*ch.Base.Value), amount(*ch.Head.Value), errorWord(ch.Verdict), points(*ch.Low), points(*ch.High)))
		case "rate":
			out = append(out, fmt.Sprintf("rate: %s/s → %s/s (%s; one number a run, no interval)", amount(*ch.Base.Value), amount(*ch.Head.Value), signed(*ch.Change)))
		}
	}
	if x.Judged != nil && *x.Judged == corrected {
		method := x.Head.Method
		if x.Base.Method != method {
			method = x.Base.Method + "; " + method
		}
		out = append(out, "the corrected values are compared: "+method)
	}
	out = append(out, x.Notes...)
	return append(out, reasons(x.Changes)...)
}

func errorWord(verdict string) string {
	return map[string]string{Slower: "more", Faster: "fewer", Same: "~"}[verdict]
}

func signed(share float64) string {
	if share > 0 {
		return "+" + percent(share)
	}
	return percent(share)
}

// reasons say why numbers that would decide have no interval, those with the
// same reason together.
func reasons(list []Change) (out []string) {
	var whys []string
	names := map[string][]string{}
	for _, ch := range list {
		if !ch.Decides || ch.Verdict != NotJudged || ch.Why == "" || ch.Why == "not compared" {
			continue
		}
		if names[ch.Why] == nil {
			whys = append(whys, ch.Why)
		}
		names[ch.Why] = append(names[ch.Why], ch.Metric)
	}
	for _, why := range whys {
		out = append(out, strings.Join(names[why], ", ")+": "+why)
	}
	return out
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
		s += fmt.Sprintf(" How requests hang together is measured in %d blocks of each run; \"worth\" is how many independent ones they are.", a.blocks())
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
	return fmt.Sprintf("each of the %d holds with %s, so that all hold together with 95 %%", a.Intervals, strings.Replace(fmt.Sprintf("%.4g", 100*a.Each), "e+02", "", 1)+" %")
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
