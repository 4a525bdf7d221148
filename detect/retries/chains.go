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
	loop bool
}

// multiple is a chain that multiplies, in the requests of all operations at
// the root in which it does.
type multiple struct {
	hopSum
	roots  []operation
	hop    hop   // the last of the chain
	chain  chain // the best of them, with loops taken out
	trying []hop // of the chain: those that try again
}

func (t *traceTries) findings() []detect.Finding {
	hops := t.hops.sorted()
	totals := map[hop]*hopTotal{}
	for _, h := range hops {
		totals[h] = t.total(h)
	}
	chains, part := t.chains(hops, totals)
	var out []detect.Finding
	said := map[hop]bool{}
	for _, m := range chains {
		if part[key(m.trying)] {
			continue // another says the same of more layers
		}
		for _, h := range m.trying {
			said[h] = true
		}
		out = append(out, m.finding(totals))
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
		s.add(k.roots.m[root])
	}
	s.loop = s.marked == 0 && s.several > 0 && times(s.several, loopShare) >= plus(s.several, s.solo)
	return s
}

// chains returns what multiplies, in the order of hops, and the beginnings of
// all chains.
func (t *traceTries) chains(hops []hop, totals map[hop]*hopTotal) (out []*multiple, part map[string]bool) {
	part = map[string]bool{}
	for _, h := range hops {
		if totals[h].loop {
			continue
		}
		of := map[string]*multiple{}
		k := t.hops.m[h]
		for _, root := range k.roots.sorted() {
			s := k.roots.m[root]
			if s.best.product < minProduct {
				continue
			}
			c, trying := withoutLoops(s.best, totals)
			if len(trying) < 2 || c.product < minProduct {
				continue
			}
			name := key(trying)
			m := of[name]
			if m == nil {
				m = &multiple{hop: h, chain: c, trying: trying}
				of[name] = m
				out = append(out, m)
				for n := 2; n < len(trying); n++ {
					part[key(trying[:n])] = true
				}
			}
			m.add(s)
			m.roots = append(m.roots, root)
			if c.compare(&m.chain) < 0 {
				m.chain = c
			}
		}
	}
	return out, part
}

// key is hops as the key of a map.
func key(hops []hop) string {
	var b strings.Builder
	for _, h := range hops {
		fmt.Fprintf(&b, "%q %q %q %d\n", h.caller, h.op, h.target, h.kind)
	}
	return b.String()
}

// withoutLoops returns a chain with each layer that is a loop taken as tried
// once, and the hops that still try again. The product is a lower bound then.
func withoutLoops(c chain, totals map[hop]*hopTotal) (chain, []hop) {
	c.layers = slices.Clone(c.layers)
	var trying []hop
	c.product = 1
	for i := range c.layers {
		l := &c.layers[i]
		if s := totals[l.hop]; s != nil && s.loop {
			l.tries = 1
		}
		if l.tries > 1 {
			trying = append(trying, l.hop)
		}
		c.product = times(c.product, l.tries)
	}
	return c, trying
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

func (m *multiple) finding(totals map[hop]*hopTotal) detect.Finding {
	s, n := &m.hopSum, m.numbers(m.chain)
	who, tries, above := named(m.chain.layers)
	out := detect.Finding{
		Op: m.op(), Inputs: s.inputs.list, Exemplars: s.exemplars.ids(), Impact: s.lost, Numbers: n,
		Confidence: detect.Medium,
		Message: fmt.Sprintf("%s try failed calls again, one below the other, so that one request becomes %s%s = %d tries of %s (%d seen in one request, %s on average)",
			who, s.atLeast(), tries, n.Product, m.hop.call(), n.LeafCallsMax, decimal(n.LeafCalls)),
	}
	e := (*evidence)(&out.Evidence)
	e.add("tries at each hop, from the root down", tries, "one layer that tries again")
	e.at(m.chain.pos)
	e.add("calls of the last hop in one request", fmt.Sprintf("%s%d, %s on average", s.atLeast(), n.LeafCallsMax, decimal(n.LeafCalls)), fmt.Sprintf("the product, %d", n.Product))
	e.add("requests in which layers multiplied", fmt.Sprintf("%d of %d", s.multiplied, s.requests), "0")
	e.add("time of the last hop spent on tries that failed", ms(s.wasted), "")
	marked, steady := int64(0), true
	for _, h := range m.trying {
		if t := totals[h]; t != nil {
			marked += t.marked
			steady = steady && t.fewest == t.mostTries
		}
	}
	e.restsOn(marked)
	switch {
	case marked > 0, s.multiplied > 1 && m.chain.calls >= n.Product && steady:
		out.Confidence = detect.High
	case s.multiplied < 2 && n.Product < 9:
		out.Confidence = detect.Low
	}
	out.Remedy = remedy(m.trying, above) + m.trying[len(m.trying)-1].chain()
	return out
}

// op names the requests that a chain is about: by their root, or where several
// lead to it by its first hop.
func (m *multiple) op() string {
	if len(m.roots) == 1 {
		return m.roots[0].String()
	}
	return m.trying[0].String()
}

// named says who tries again, the tries as a product, and the callers above
// the last.
func named(layers []layer) (who, tries string, above []string) {
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
		Remedy: fmt.Sprintf("Give %s a retry budget (20 %% of its calls), so that it stops trying again when %s is in trouble, and wait longer before each try, at random. Find out why the first tries fail.", h.who(), h.call()) + h.chain(),
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
