package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/tailcheck/tailcheck/correct/sla"
)

// gate judges the limit of --fail-on-regression.
//
// A number fails where it is worse by more than the limit and its interval shows
// that it is worse at all. It passes where its interval ends below the limit, or
// is narrow enough that a change of twice the limit would have been shown.
// Otherwise the runs are too short to say.
func (c *comparing) gate() {
	if !c.opt.Gate {
		return
	}
	g := &Gate{Limit: c.opt.Limit, Why: []string{}}
	c.out.Gate = g
	var failed, open []string
	judged := 0
	for i := range c.out.Comparisons {
		x := &c.out.Comparisons[i]
		name := c.place(x)
		if c.asks() && len(c.asked(x.Op)) == 0 {
			continue
		}
		if x.Why != nil {
			open = append(open, name+*x.Why)
			continue
		}
		for _, ch := range c.gated(x) {
			judged++
			switch bad, why := c.weigh(ch); {
			case bad:
				failed = append(failed, name+why)
			case why != "":
				open = append(open, name+why)
			}
		}
	}
	for _, f := range c.out.Findings.New {
		if f.fails {
			failed = append(failed, fmt.Sprintf("new: %s: %s", f.Rule, f.Message))
		}
	}
	for _, a := range c.out.Alone {
		open = append(open, "nothing to compare with: "+a)
	}
	for _, o := range c.objectives() {
		if !c.holds(o) {
			what := o.Name() + " is not on both sides"
			if o.Op != "" {
				what = fmt.Sprintf("no operation of that name has %s on both sides", o.Name())
			}
			open = append(open, fmt.Sprintf("%s: %s", o, what))
		}
	}
	switch {
	case judged > 0 || len(open) > 0:
	case !c.findingsAlone():
		open = append(open, "nothing was compared")
	default:
		for _, s := range []struct {
			name string
			side
		}{{"base", c.base}, {"head", c.head}} {
			if s.out.Verdict == Inconclusive { // nothing was measured, or it is not whole
				open = append(open, s.name+": "+s.out.Why)
			}
		}
	}
	switch {
	case len(failed) > 0:
		g.Verdict, g.Why = Fail, append(g.Why, failed...)
	case len(open) > 0:
		g.Verdict, g.Why = Inconclusive, append(g.Why, open...)
	default:
		g.Verdict = Pass
	}
}

// findingsAlone reports whether both sides hold traces only, which are compared
// by their findings.
func (c *comparing) findingsAlone() bool {
	for _, list := range [][]Input{c.out.Base, c.out.Head} {
		if len(list) == 0 {
			return false
		}
		for _, in := range list {
			if in.Kind != "trace" {
				return false
			}
		}
	}
	return len(c.out.Problems) == 0
}

// holds reports whether some comparison has the number that an objective is about,
// or says why it has none.
func (c *comparing) holds(o sla.Objective) bool {
	for i := range c.out.Comparisons {
		x := &c.out.Comparisons[i]
		if o.Op != "" && o.Op != x.Op {
			continue
		}
		if x.Why != nil || slices.ContainsFunc(x.Changes, func(ch Change) bool { return ch.Metric == o.Name() }) {
			return true
		}
	}
	return false
}

// asks reports whether there are objectives: then a gate is about the operations
// that they are about.
func (c *comparing) asks() bool { return len(c.objectives()) > 0 }

// gated are the numbers of an operation that a gate is about: those of objectives,
// or p50 and p99 where there are none; and in any case errors.
func (c *comparing) gated(x *Comparison) (out []*Change) {
	asked := c.asks()
	for i := range x.Changes {
		ch := &x.Changes[i]
		ours := ch.Decides || ch.asked && (ch.Of == "" || x.Judged != nil && ch.Of == *x.Judged)
		switch {
		case !ours:
		case ch.Metric == "errors", ch.asked, !asked && (ch.Metric == "p50" || ch.Metric == "p99"):
			out = append(out, ch)
		}
	}
	return out
}

// weigh judges one number: bad with the reason, or why it cannot be said; neither:
// it passes.
func (c *comparing) weigh(ch *Change) (bad bool, why string) {
	limit := c.opt.Limit
	if ch.Metric == "errors" {
		// A share of errors that is shown to rise is worse by more than the limit
		// where it rises by more than that share of itself.
		if ch.Verdict == Slower && *ch.Change > limit*(*ch.Base.Value)/100 {
			return true, sentence(ch)
		}
		return false, ""
	}
	if ch.Change == nil {
		return false, ch.Metric + ": " + ch.Why
	}
	worse := *ch.Change
	if ch.Metric == "rate" {
		if worse = -worse; worse <= limit {
			return false, ""
		}
		return false, fmt.Sprintf("rate is %s lower, but %s", percent(worse), ch.Why)
	}
	if ch.Verdict == NotJudged {
		return false, fmt.Sprintf("%s: %s", ch.Metric, ch.Why)
	}
	half := math.Max(*ch.High-worse, 0)
	switch {
	case *ch.Low > 0 && worse > limit:
		return true, sentence(ch)
	case *ch.High <= limit, half <= limit:
		return false, ""
	}
	return false, fmt.Sprintf("%s: the interval (%s to %s) is too wide to see a change of %s: it takes %s",
		ch.Metric, percent(*ch.Low), percent(*ch.High), percent(limit), more(math.Pow(half/limit, 2)))
}

// more says how many requests it takes: the width of an interval falls with the
// root of their number.
func more(times float64) string {
	switch {
	case times > 100:
		return "far more requests"
	case times >= 10:
		return fmt.Sprintf("about %.0f times as many requests", times)
	}
	return fmt.Sprintf("about %.1f times as many requests", times)
}
