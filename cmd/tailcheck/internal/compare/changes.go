package compare

import (
	"math"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/correct/sla"
)

// compare compares one operation.
func (c *comparing) compare(x couple) Comparison {
	of, why := decisive(x.base, x.head)
	r := Comparison{Pair: x.pair, Op: x.head.Op, Vantage: x.head.Vantage, Judged: said(of), Why: said(why), Base: figuresOf(x.base), Head: figuresOf(x.head), Changes: []Change{}, Notes: []string{}}
	unlike := alike(x.base, x.head)
	for _, kind := range []string{measured, corrected} {
		b, h := c.estimator(x.base, kind), c.estimator(x.head, kind)
		if b == nil || h == nil {
			continue
		}
		because := why
		if because == "" && kind == corrected {
			because = unlike
		}
		for _, p := range c.percentiles(x.head.Op) {
			ch := c.change(p.String(), kind, b, h, b.percentile(p, c.alpha), h.percentile(p, c.alpha), because)
			ch.Decides, ch.asked = kind == of, c.named(x.head.Op, func(o sla.Objective) bool { return o.Metric == sla.Quantile && o.Percentile == p })
			r.Changes = append(r.Changes, ch)
		}
		if c.wantsMean(x.head.Op) {
			ch := c.change("mean", kind, b, h, b.mean(c.alpha), h.mean(c.alpha), because)
			ch.Decides, ch.asked = kind == of, true
			r.Changes = append(r.Changes, ch)
		}
		ch := c.change("max", kind, b, h, b.top(), h.top(), because)
		ch.Decides, ch.asked = false, c.named(x.head.Op, func(o sla.Objective) bool { return o.Metric == sla.Max })
		r.Changes = append(r.Changes, ch)
	}
	if ch, ok := c.errors(x); ok {
		r.Changes = append(r.Changes, ch)
	}
	r.Notes = append(r.Notes, notes(x, of, unlike)...)
	return r
}

func (c *comparing) named(op string, f func(sla.Objective) bool) bool {
	return slices.ContainsFunc(c.asked(op), f)
}

// top is the largest latency: of the largest no interval can be had from samples.
func (e *estimator) top() guess {
	r := e.figures.Max()
	g := guess{count: e.figures.Count(), why: "the largest of so many has no upper end"}
	if r.IsValue() && r.Known() {
		g.known, g.at = true, float64(r.Low)
	}
	return g
}

// change puts two guesses together.
func (c *comparing) change(metric, of string, b, h *estimator, base, head guess, because string) Change {
	ch := Change{Metric: metric, Of: of, Base: base.number(), Head: head.number(), Verdict: NotJudged, needs: max(base.needs, head.needs)}
	switch {
	case !base.known:
		ch.Why = "base: " + base.why
	case !head.known:
		ch.Why = "head: " + head.why
	case because != "":
		ch.Why = "not compared"
	case !(base.at > 0 && head.at > 0):
		ch.Why = "a time of zero has no ratio"
	default:
		at := head.at/base.at - 1
		ch.Change = &at
		switch {
		case !base.interval && base.why == head.why:
			ch.Why = base.why
		case !base.interval:
			ch.Why = "base: " + base.why
		case !head.interval:
			ch.Why = "head: " + head.why
		default:
			c.judge(&ch, b, h, base, head)
		}
	}
	return ch
}

func (c *comparing) judge(ch *Change, b, h *estimator, base, head guess) {
	timed := b.order != nil && h.order != nil
	s, ok := ratio(base.span, head.span, !timed || !b.side.Alone || !h.side.Alone)
	if !ok {
		ch.Why = "an interval that reaches down to zero has no ratio"
		return
	}
	ch.Low, ch.High = &s.low, &s.high
	switch {
	case !timed:
		ch.Why = "when requests were sent is not known, so neither is how they hang together: the interval is that of independent ones"
	case s.low > 0 && s.at >= c.opt.Ignore:
		ch.Verdict = Slower
	case s.high < 0 && -s.at >= c.opt.Ignore:
		ch.Verdict = Faster
	default:
		ch.Verdict = Same
	}
}

func (g guess) number() Number {
	n := Number{}
	if g.known {
		n.Value = ms(g.at)
	}
	if g.interval {
		n.Low, n.High = ms(g.low), ms(g.high)
	}
	if g.count > 0 {
		n.Count = &g.count
	}
	if g.effective > 0 {
		n.Effective = &g.effective
	}
	return n
}

func ms(ns float64) *float64 {
	v := ns / 1e6
	return &v
}

// errors compares the shares of requests that failed.
func (c *comparing) errors(x couple) (ch Change, ok bool) {
	b, h := x.base, x.head
	if !b.HasCounts || !h.HasCounts || b.Requests <= 0 || h.Requests <= 0 {
		return ch, false
	}
	s := shares(b.Failed, b.Requests, h.Failed, h.Requests, c.alpha)
	share := func(s *check.Side) Number {
		v := 100 * float64(s.Failed) / float64(s.Requests)
		return Number{Value: &v, Count: &s.Requests}
	}
	ch = Change{Metric: "errors", Base: share(b), Head: share(h), Change: &s.at, Low: &s.low, High: &s.high, Verdict: Same, Decides: true,
		asked: c.named(h.Op, func(o sla.Objective) bool { return o.Metric == sla.Errors })}
	switch {
	case s.low > 0:
		ch.Verdict = Slower
	case s.high < 0:
		ch.Verdict = Faster
	}
	return ch, true
}

// rates compares what was achieved: one number a run, and so without an interval.
func (c *comparing) rates() {
	for i, p := range c.out.Pairs {
		b, h := c.base.out.Inputs[p.Base].Run, c.head.out.Inputs[p.Head].Run
		if b == nil || h == nil || b.Achieved == nil || h.Achieved == nil || *b.Achieved <= 0 {
			continue
		}
		at := slices.IndexFunc(c.out.Comparisons, func(x Comparison) bool { return x.Pair == i })
		if at < 0 {
			continue
		}
		x := &c.out.Comparisons[at]
		change := *h.Achieved / *b.Achieved - 1
		x.Changes = append(x.Changes, Change{Metric: "rate", Base: Number{Value: b.Achieved}, Head: Number{Value: h.Achieved}, Change: &change, Verdict: NotJudged,
			Why: "a run has one rate: no interval can be had from it", asked: c.named("", func(o sla.Objective) bool { return o.Metric == sla.Rate })})
	}
}

func said(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func figuresOf(s *check.Side) Figures {
	f := Figures{Measured: "none", Method: s.Method, Refused: s.Repair.Refused}
	switch {
	case s.Raw == nil:
	case !s.Sampled:
		f.Measured = "printed"
	case s.Buckets:
		f.Measured = "buckets"
	default:
		f.Measured = "samples"
	}
	if s.HasCounts {
		f.Requests, f.Failed = &s.Requests, &s.Failed
	}
	if k := blocks(len(s.Pairs)); k > 0 {
		n := int(math.Round(float64(len(s.Pairs)) / float64(k)))
		f.Blocks, f.InBlock = &k, &n
	}
	return f
}

// notes are what a reader has to know beside the numbers.
func notes(x couple, of, unlike string) (out []string) {
	if of == measured && unlike != "" && x.base.Repair.Figures != x.head.Repair.Figures {
		out = append(out, "measured times are compared: "+unlike)
	}
	if of != "" && (!x.base.Alone || !x.head.Alone) && len(x.base.Pairs) > 0 {
		out = append(out, "how requests hang together is that of all operations of the input")
	}
	return out
}
