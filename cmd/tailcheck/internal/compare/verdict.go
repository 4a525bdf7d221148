package compare

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mostNamed is how many changes a verdict names; the tables have all.
const mostNamed = 3

// verdict joins everything into one word and a sentence.
func (c *comparing) verdict() {
	out := c.out
	var slower, faster, same []string
	var why []string
	for i := range out.Comparisons {
		x := &out.Comparisons[i]
		if x.Why != nil {
			why = append(why, c.place(x)+*x.Why)
			continue
		}
		for _, ch := range byWeight(x.Changes) {
			switch {
			case !ch.Decides:
			case ch.Verdict == Slower:
				slower = append(slower, c.place(x)+sentence(ch))
			case ch.Verdict == Faster:
				faster = append(faster, c.place(x)+sentence(ch))
			case ch.Verdict == Same && (ch.Metric == "p50" || ch.Metric == "p99"):
				same = append(same, c.place(x)+fmt.Sprintf("%s %s to %s", ch.Metric, percent(*ch.Low), percent(*ch.High)))
			case ch.Verdict == NotJudged && ch.Why != "" && ch.Metric != "p99.9":
				why = append(why, c.place(x)+ch.Metric+": "+ch.Why)
			}
		}
	}
	switch {
	case len(slower) > 0 && len(faster) > 0:
		out.Verdict, out.Answer = Mixed, some(slower)+"; "+some(faster)
	case len(slower) > 0:
		out.Verdict, out.Answer = Slower, some(slower)
	case len(faster) > 0:
		out.Verdict, out.Answer = Faster, some(faster)
	case len(same) > 0:
		out.Verdict, out.Answer = Same, "no difference is shown (95 % intervals of the change: "+some(same)+")"
	case len(why) > 0:
		out.Verdict, out.Answer = NotJudged, why[0]
	case len(out.Comparisons) > 0:
		out.Verdict, out.Answer = NotJudged, "no number has an interval"
	case len(out.Pairs) > 0 && !out.Unusable:
		out.Verdict, out.Answer = NotJudged, "there are no latencies to compare, only findings"
	default:
		out.Verdict, out.Answer = NotJudged, "there is nothing to compare"
	}
}

// some joins sentences, the first few of many.
func some(list []string) string {
	if n := len(list) - mostNamed; n > 0 {
		return fmt.Sprintf("%s; and %d more", strings.Join(list[:mostNamed], "; "), n)
	}
	return strings.Join(list, "; ")
}

// byWeight orders changes by how much people ask for them.
func byWeight(list []Change) []*Change {
	out := make([]*Change, 0, len(list))
	for i := range list {
		out = append(out, &list[i])
	}
	first := []string{"p99", "p50", "p90", "p99.9"}
	rank := func(ch *Change) int {
		i := slices.Index(first, ch.Metric)
		if i < 0 {
			i = len(first)
		}
		if ch.asked {
			i -= 100
		}
		return i
	}
	slices.SortStableFunc(out, func(a, b *Change) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// place says what a comparison is about, where there are several: "cart.csv GET /: ".
func (c *comparing) place(x *Comparison) string { return c.out.place(x) }

func (a *Answer) place(x *Comparison) string {
	var parts []string
	if len(a.Pairs) > 1 {
		in := a.Head[a.Pairs[x.Pair].Head]
		name := filepath.Base(in.Path)
		if in.Line != nil {
			name += fmt.Sprintf(":%d", *in.Line)
		}
		parts = append(parts, name)
	}
	if x.Op != "" {
		parts = append(parts, x.Op)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " ") + ": "
}

// sentence says what changed: "p99 is 12 % slower (95 % interval 8 % to 17 %)".
func sentence(ch *Change) string {
	low, high := *ch.Low, *ch.High
	worse := *ch.Change > 0
	if !worse {
		low, high = -high, -low
	}
	if ch.Metric == "errors" {
		word := "lower"
		if worse {
			word = "higher"
		}
		return fmt.Sprintf("the share of errors is %s points %s (95 %% interval %s to %s), %s instead of %s", points(math.Abs(*ch.Change)), word, points(low), points(high),
			amount(*ch.Head.Value)+" %", amount(*ch.Base.Value)+" %")
	}
	word := "faster"
	if worse {
		word = "slower"
	}
	of := ""
	if ch.Of == corrected {
		of = " corrected"
	}
	return fmt.Sprintf("%s%s is %s %s (95 %% interval %s to %s)", ch.Metric, of, percent(math.Abs(*ch.Change)), word, percent(low), percent(high))
}

// percent writes a share with two digits or a decimal: "12 %", "4.2 %", "0.3 %".
func percent(share float64) string {
	v := 100 * share
	s := strconv.FormatFloat(v, 'f', 1, 64)
	if math.Abs(v) >= 9.95 {
		s = strconv.FormatFloat(v, 'f', 0, 64)
	}
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		s = "0"
	}
	return s + " %"
}

// points writes a difference of shares in percentage points.
func points(share float64) string { return amount(100 * share) }

// amount writes a number with three digits that matter.
func amount(v float64) string {
	decimals := 2
	switch a := math.Abs(v); {
	case a >= 100:
		decimals = 0
	case a >= 10:
		decimals = 1
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		s = "0"
	}
	return s
}
