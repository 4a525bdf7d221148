package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

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
	s := signed(*ch.Change)
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

// lines are what is said below a table.
func (a *Answer) lines(x *Comparison) (out []string) {
	if x.Why != nil {
		out = append(out, "not compared: "+*x.Why)
	}
	for _, ch := range x.Changes {
		switch ch.Metric {
		case "errors":
			out = append(out, fmt.Sprintf("errors: %s %% → %s %%: %s (95 %% interval of the difference %s to %s points, if errors are independent)", amount(*ch.Base.Value), amount(*ch.Head.Value), errorWord(ch.Verdict), points(*ch.Low), points(*ch.High)))
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
	if s := percent(share); share <= 0 || s == "0 %" {
		return s
	}
	return "+" + percent(share)
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
