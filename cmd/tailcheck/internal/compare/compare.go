package compare

import (
	"context"
	"fmt"
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
	orders     map[orderKey]*order
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

// objectives are those of flags and of settings.
func (c *comparing) objectives() []sla.Objective {
	out := slices.Clone(c.opt.Check.Objectives)
	for _, s := range c.opt.Check.Scopes {
		if s.Objective != nil && !slices.ContainsFunc(out, func(o sla.Objective) bool { return check.SameMetric(o, *s.Objective) }) {
			out = append(out, *s.Objective)
		}
	}
	return out
}

// asked are the objectives that are about an operation.
func (c *comparing) asked(op string) (out []sla.Objective) {
	for _, o := range c.objectives() {
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
		b, h := c.estimator(x.base, of), c.estimator(x.head, of)
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
