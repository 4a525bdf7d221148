package compare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// Options say what to compare.
type Options struct {
	Check check.Options // how both sides are read and judged; Paths is not used
	Base  []string
	Head  []string

	Ignore float64 // changes below this share are not called; 0: all are
	Gate   bool    // there is a limit
	Limit  float64 // share by which nothing may be worse
}

// always are the percentiles that are compared without being asked for.
var always = []latency.Percentile{latency.P50, latency.P90, latency.P99, latency.P999}

// comparing is an Answer on its way.
type comparing struct {
	opt        Options
	base, head side
	out        *Answer
	alpha      float64
}

// Run compares. What is wrong with inputs is in the answer.
func Run(ctx context.Context, opt Options) (*Answer, error) {
	c := &comparing{opt: opt, out: &Answer{Schema: Schema, Confidence: family, Ignore: opt.Ignore, Base: []Input{}, Head: []Input{}, Pairs: []Pair{}, Comparisons: []Comparison{},
		Findings: Findings{New: []Finding{}, Gone: []Finding{}, Unchanged: []Finding{}}, Alone: []string{}, Problems: []string{}}}
	for _, x := range []struct {
		s     *side
		paths []string
		in    *[]Input
	}{{&c.base, opt.Base, &c.out.Base}, {&c.head, opt.Head, &c.out.Head}} {
		o := opt.Check
		o.Command, o.Paths = "compare", x.paths
		out, err := check.Run(ctx, o)
		if err != nil {
			return nil, err
		}
		x.s.out, x.s.sides = out, out.Sides()
		*x.in = inputs(out.Result)
		c.out.Unusable = c.out.Unusable || out.Unusable
		for _, p := range out.Problems {
			at := p.Path
			if p.Line != nil {
				at = fmt.Sprintf("%s:%d", p.Path, *p.Line)
			}
			c.out.Problems = append(c.out.Problems, at+": "+p.Message)
		}
	}
	c.all()
	return c.out, nil
}

func inputs(r *report.Result) []Input {
	out := []Input{}
	for _, x := range r.Inputs {
		in := Input{Path: x.Path, Line: x.Line, Format: x.Format, Kind: x.Kind, Tool: x.Tool}
		if u := x.Run; u != nil {
			in.Loop, in.Treatment, in.Workers, in.Rate, in.IntervalMs, in.ElapsedMs = &u.Loop, &u.Treatment, u.Workers, u.Rate, u.IntervalMs, u.ElapsedMs
		}
		out = append(out, in)
	}
	return out
}

// couple is one operation that both sides of a pair have.
type couple struct {
	pair       int
	base, head *check.Side
}

func (c *comparing) all() {
	list, lonelyBase, lonelyHead := pairs(&c.base, &c.head)
	c.out.Pairs = append(c.out.Pairs, list...)
	alone := func(where, what string) { c.out.Alone = append(c.out.Alone, where+" only: "+what) }
	for _, i := range lonelyBase {
		alone("base", c.out.Base[i].Path)
	}
	for _, i := range lonelyHead {
		alone("head", c.out.Head[i].Path)
	}
	var couples []couple
	for i, p := range list {
		found, base, head := c.couples(i, p)
		couples = append(couples, found...)
		for _, op := range base {
			alone("base", c.out.Base[p.Base].Path+": "+op)
		}
		for _, op := range head {
			alone("head", c.out.Head[p.Head].Path+": "+op)
		}
	}
	c.out.Intervals = c.intervals(couples)
	c.alpha = each(c.out.Intervals)
	c.out.Each = 1 - c.alpha
	for _, x := range couples {
		c.out.Comparisons = append(c.out.Comparisons, c.compare(x))
	}
	c.rates()
	c.findings()
	c.verdict()
	c.gate()
}

// couples joins the distributions of two inputs by operation; one without a name
// on either side is the only one there.
func (c *comparing) couples(pair int, p Pair) (out []couple, lonelyBase, lonelyHead []string) {
	of := func(s *side, input int) (list []*check.Side) {
		for i := range s.sides {
			if s.sides[i].Input == input {
				list = append(list, &s.sides[i])
			}
		}
		return list
	}
	base, head := of(&c.base, p.Base), of(&c.head, p.Head)
	if len(base) == 1 && len(head) == 1 && (base[0].Op == "" || head[0].Op == "") {
		return []couple{{pair, base[0], head[0]}}, nil, nil
	}
	taken := map[*check.Side]bool{}
	for _, b := range base {
		i := slices.IndexFunc(head, func(h *check.Side) bool { return h.Op == b.Op && h.Vantage == b.Vantage })
		if i < 0 {
			i = slices.IndexFunc(head, func(h *check.Side) bool { return h.Op == b.Op && !taken[h] })
		}
		if i < 0 {
			lonelyBase = append(lonelyBase, b.Op)
			continue
		}
		taken[head[i]] = true
		out = append(out, couple{pair, b, head[i]})
	}
	for _, h := range head {
		if !taken[h] {
			lonelyHead = append(lonelyHead, h.Op)
		}
	}
	return out, lonelyBase, lonelyHead
}

// asked are the objectives that are about an operation.
func (c *comparing) asked(op string) (out []sla.Objective) {
	for _, o := range c.opt.Check.Objectives {
		if o.Op == "" || o.Op == op {
			out = append(out, o)
		}
	}
	return out
}

// percentiles of an operation: those that are always compared, and those of
// objectives.
func (c *comparing) percentiles(op string) []latency.Percentile {
	out := slices.Clone(always)
	for _, o := range c.asked(op) {
		if o.Metric == sla.Quantile && !slices.Contains(out, o.Percentile) {
			out = append(out, o.Percentile)
		}
	}
	slices.Sort(out)
	return out
}

// intervals counts the numbers for which there will be intervals that decide, as
// far as that follows from how many requests there are: all of them have to hold
// together.
func (c *comparing) intervals(couples []couple) (n int) {
	for _, x := range couples {
		of, _ := decisive(x.base, x.head)
		if of == "" {
			continue
		}
		b, h := newEstimator(x.base, of), newEstimator(x.head, of)
		for _, p := range c.percentiles(x.head.Op) {
			if b.percentile(p, 1-family).interval && h.percentile(p, 1-family).interval {
				n++
			}
		}
		if c.wantsMean(x.head.Op) && b.mean(1-family).interval && h.mean(1-family).interval {
			n++
		}
		if x.base.HasCounts && x.head.HasCounts {
			n++
		}
	}
	return max(n, 1)
}

func (c *comparing) wantsMean(op string) bool {
	return slices.ContainsFunc(c.asked(op), func(o sla.Objective) bool { return o.Metric == sla.Mean })
}

func (c *comparing) compare(x couple) Comparison {
	of, why := decisive(x.base, x.head)
	r := Comparison{Pair: x.pair, Op: x.head.Op, Vantage: x.head.Vantage, Judged: said(of), Why: said(why), Base: figuresOf(x.base), Head: figuresOf(x.head), Changes: []Change{}, Notes: []string{}}
	unlike := alike(x.base, x.head)
	for _, kind := range []string{measured, corrected} {
		b, h := newEstimator(x.base, kind), newEstimator(x.head, kind)
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
