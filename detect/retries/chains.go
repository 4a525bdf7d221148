package retries

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/detect"
)

const (
	// minProduct is from how many calls of the last hop on layers multiply: two
	// layers with a single further try each.
	minProduct = 4

	// A hop's budget: tries after the first may be one in budget of its calls
	// (Finagle's RetryBudget and Linkerd's service profiles: 20 %). The minimum
	// keeps a handful of accidents in a small sample from being a rate.
	budget           = 5
	minExtra         = 5
	minTriedRequests = 3

	// loopShare: from one in so many callers on that make several calls when all
	// is well, several failed calls are no tries of one.
	loopShare = 10
)

// hopTotal is one hop in all requests.
type hopTotal struct {
	hopSum
	roots []operation // in which calls were tried again
	loop  bool
}

// finding is a finding with what it is about.
type finding struct {
	sum    *hopSum
	root   operation
	chain  chain // with loops taken out
	hop    hop
	layers int
}

func (t *traceTries) findings() []detect.Finding {
	hops := t.hops.sorted()
	totals := map[hop]*hopTotal{}
	for _, h := range hops {
		totals[h] = t.total(h)
	}
	chains := t.chains(hops, totals)
	var out []detect.Finding
	said := map[hop]bool{}
	for i := range chains {
		c := &chains[i]
		if c.prefix(chains) {
			continue
		}
		for _, l := range c.chain.layers {
			said[l.hop] = said[l.hop] || l.tries > 1
		}
		out = append(out, c.multiplied(totals))
	}
	for _, h := range hops {
		if s := totals[h]; !said[h] && s.overBudget() {
			out = append(out, overBudget(h, s, totals))
		}
	}
	return out
}

// total adds up a hop over all operations of the root.
func (t *traceTries) total(h hop) *hopTotal {
	s := &hopTotal{}
	k := t.hops.m[h]
	for _, root := range k.roots.sorted() {
		one := k.roots.m[root]
		s.add(one)
		if one.tried > 0 {
			s.roots = append(s.roots, root)
		}
	}
	s.loop = s.marked == 0 && s.several > 0 && times(s.several, loopShare) >= plus(s.several, s.solo)
	return s
}

// chains returns what multiplies, by hop and root operation.
func (t *traceTries) chains(hops []hop, totals map[hop]*hopTotal) []finding {
	var out []finding
	for _, h := range hops {
		k := t.hops.m[h]
		for _, root := range k.roots.sorted() {
			s := k.roots.m[root]
			if s.best.product < minProduct || totals[h].loop {
				continue
			}
			f := finding{sum: s, root: root, hop: h}
			f.chain, f.layers = withoutLoops(s.best, totals)
			if f.layers >= 2 && f.chain.product >= minProduct {
				out = append(out, f)
			}
		}
	}
	return out
}

// withoutLoops returns a chain with each layer that is a loop taken as tried
// once, and how many layers still try again. The product is a lower bound then.
func withoutLoops(c chain, totals map[hop]*hopTotal) (chain, int) {
	c.layers = slices.Clone(c.layers)
	n := 0
	c.product = 1
	for i := range c.layers {
		l := &c.layers[i]
		if s := totals[l.hop]; s != nil && s.loop {
			l.tries = 1
		}
		if l.tries > 1 {
			n++
		}
		c.product = times(c.product, l.tries)
	}
	return c, n
}

// prefix reports whether another finding says the same of more layers.
func (f *finding) prefix(all []finding) bool {
	mine := f.trying()
	for i := range all {
		o := &all[i]
		if o.root != f.root || o.hop == f.hop {
			continue
		}
		if theirs := o.trying(); len(theirs) > len(mine) && slices.Equal(theirs[:len(mine)], mine) {
			return true
		}
	}
	return false
}

// trying returns the hops of the chain that try again.
func (f *finding) trying() []hop {
	var out []hop
	for _, l := range f.chain.layers {
		if l.tries > 1 {
			out = append(out, l.hop)
		}
	}
	return out
}

func (s *hopTotal) overBudget() bool {
	return !s.loop && s.extra >= minExtra && s.tried >= minTriedRequests && times(s.extra, budget) > s.asked
}

// atLeast says that numbers are lower bounds where spans of the traces are
// missing or pruned.
func (s *hopSum) atLeast() string {
	if s.partial > 0 {
		return "at least "
	}
	return ""
}

func (s *hopSum) numbers(c chain) RetryNumbers {
	n := RetryNumbers{Hops: []int64{}, Product: c.product, LeafCallsMax: s.most, WastedMs: millis(s.wasted)}
	for _, l := range c.layers {
		n.Hops = append(n.Hops, l.tries)
	}
	if s.requests > 0 {
		n.LeafCalls = round2(float64(s.calls) / float64(s.requests))
	}
	return n
}

func (f *finding) multiplied(totals map[hop]*hopTotal) detect.Finding {
	s, n := f.sum, f.sum.numbers(f.chain)
	trying := f.trying()
	who, tries, more := words(f.chain.layers)
	out := detect.Finding{
		Op: f.root.String(), Inputs: s.inputs.list, Exemplars: s.exemplars.ids(), Impact: s.lost, Numbers: n,
		Confidence: detect.Medium,
		Message: fmt.Sprintf("%s try failed calls again, one below the other, so that one request becomes %s%s = %d tries of %s (%d seen in one request, %s on average)",
			who, s.atLeast(), tries, n.Product, f.hop.call(), n.LeafCallsMax, decimal(n.LeafCalls)),
	}
	e := (*evidence)(&out.Evidence)
	e.add("tries at each hop, from the root down", tries, "one layer that tries again")
	e.at(s.best.pos)
	e.add("calls of the last hop in one request", fmt.Sprintf("%s%d, %s on average", s.atLeast(), n.LeafCallsMax, decimal(n.LeafCalls)), fmt.Sprintf("the product, %d", n.Product))
	e.add("requests in which layers multiplied", fmt.Sprintf("%d of %d", s.multiplied, s.requests), "0")
	e.add("time of the last hop spent on tries that failed", ms(s.wasted), "")
	marked, steady := int64(0), true
	for _, h := range trying {
		if t := totals[h]; t != nil {
			marked += t.marked
			steady = steady && t.fewest == t.mostTries
		}
	}
	e.restsOn(marked)
	switch {
	case marked > 0, s.multiplied > 1 && s.best.calls >= n.Product && steady:
		out.Confidence = detect.High
	case s.multiplied < 2 && n.Product < 9:
		out.Confidence = detect.Low
	}
	out.Remedy = remedy(trying, more)
	return out
}

// words names who tries again, the tries as a product, and the callers above
// the last.
func words(layers []layer) (who, tries string, above []string) {
	var callers, factors []string
	for _, l := range layers {
		factors = append(factors, strconv.FormatInt(l.tries, 10))
		if l.tries > 1 && !slices.Contains(callers, l.hop.who()) {
			callers = append(callers, l.hop.who())
		}
	}
	who = list(callers)
	if len(callers) == 1 {
		who = "layers of " + who
	}
	return who, strings.Join(factors, " x "), callers[:max(len(callers)-1, 0)]
}

func remedy(trying []hop, above []string) string {
	last := trying[len(trying)-1]
	out := fmt.Sprintf("Keep the retries of one layer only: those of %s, which calls %s itself", last.who(), last.call())
	if len(above) > 0 {
		out += fmt.Sprintf("; %s should pass the error on", list(above))
	} else {
		out += "; take out those around it"
	}
	return out + ". Limit what is left to a budget (20 % of the calls), wait longer before each try, at random, and let a service that is overloaded say so in a way that callers do not try again."
}

func overBudget(h hop, s *hopTotal, totals map[hop]*hopTotal) detect.Finding {
	c, _ := withoutLoops(s.best, totals)
	n := s.numbers(c)
	tries := int64(0)
	if len(c.layers) > 0 {
		tries = c.layers[len(c.layers)-1].tries
	}
	out := detect.Finding{
		Op: h.String(), Inputs: s.inputs.list, Exemplars: s.exemplars.ids(), Impact: s.lost, Numbers: n,
		Confidence: detect.Medium,
		Message: fmt.Sprintf("%s made %s%s of %s after the first, on top of %s: %s more, where a retry budget is 20 %% (up to %s for one call)",
			h.who(), s.atLeast(), tryCount(s.extra), h.call(), count(s.asked, "call"), percent(s.extra, s.asked), tryCount(tries)),
		Remedy: fmt.Sprintf("Give %s a retry budget (20 %% of its calls), so that it stops trying again when %s is in trouble, and wait longer before each try, at random. Find out why the first tries fail.", h.who(), h.call()),
	}
	e := (*evidence)(&out.Evidence)
	e.add("tries after the first, of calls", fmt.Sprintf("%s%d of %d, %s", s.atLeast(), s.extra, s.asked, percent(s.extra, s.asked)), "up to 20 %")
	e.at(s.best.pos)
	e.add("requests with such a call", fmt.Sprintf("%d of %d", s.tried, s.requests), "")
	e.add("failed calls that were not tried again", strconv.FormatInt(s.once, 10), "")
	e.add("time spent on tries that failed", ms(s.wasted), "")
	e.restsOn(s.marked)
	if s.marked > 0 {
		out.Confidence = detect.High
	}
	return out
}

func tryCount(n int64) string {
	if n == 1 {
		return "1 try"
	}
	return strconv.FormatInt(n, 10) + " tries"
}

func (e *evidence) restsOn(marked int64) {
	if marked > 0 {
		e.add("rests on", "shape, and attributes that number "+tryCount(marked), "")
		return
	}
	e.add("rests on", "shape: siblings one after the other, each but the last failed", "")
}
