package retries

import (
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// multiply works out the products, and the best candidate of each hop.
func (r *requestTries) multiply(t *calltree.Trace, from, to calltree.Node) {
	for n := from; n < to; n++ {
		p := int64(1)
		if up := t.Parent(n); t.Span(up) != nil {
			p = r.product[up]
		}
		r.product[n] = times(p, max(1, r.tries[n]))
	}
	for i := range r.calls {
		c := &r.calls[i]
		switch best := c.sum.at; {
		case best == 0:
			r.found = append(r.found, c.sum)
			c.sum.at = int32(i) + 1
		case r.product[c.first] > r.product[r.calls[best-1].first]:
			c.sum.at = int32(i) + 1
		}
	}
}

// judge adds what the request says of a hop that was tried again in it.
func (r *requestTries) judge(t *calltree.Trace, top calltree.Node, s *hopSum) {
	c := &r.calls[s.at-1]
	outer, layers := c, 0
	for n := c.first; t.Span(n) != nil; n = t.Parent(n) {
		if r.tries[n] > 1 {
			outer = &r.calls[r.of[n]-1]
			layers++
		}
	}
	s.tried++
	if layers > 1 && r.product[c.first] >= minProduct {
		s.multiplied++
	}
	if !t.Counts.Complete() {
		s.partial++
	}
	lost := lostTo(t, top, outer)
	s.lost = plus(s.lost, lost)
	s.exemplars.add(exemplar{lost, t.ID})
	s.inputs.add(t)
	if p := r.product[c.first]; p >= s.best.product {
		s.take(&chain{p, s.now, r.chain(t, c), t.ID, t.Spans[c.first].Pos})
	}
}

// lostTo returns how long a call that was tried again kept its request waiting
// beyond what one try that succeeds would have taken: from the first try to the
// last one, or to its end if that failed, too, as far as that is on the critical
// path below the call's parent.
func lostTo(t *calltree.Trace, top calltree.Node, c *triedCall) time.Duration {
	from, to := t.Spans[c.first].Start, c.end
	if t.Span(top) == nil {
		return max(0, to.Sub(from))
	}
	var lost time.Duration
	for _, p := range t.Path(top) {
		if t.Under(p.Span, c.parent) {
			lost += max(0, min(p.End, to).Sub(max(p.Start, from)))
		}
	}
	return lost
}

// chain returns the layers from the root to a call: each hop that tried again,
// and one for each process on the way that called the next without trying again.
func (r *requestTries) chain(t *calltree.Trace, c *triedCall) []layer {
	var out []layer
	var leaving hop                           // the call by which the path leaves the process it is in
	open, tried := !t.Crosses(c.first), false // the path is in a process that calls; it has tried again
	for n := c.first; t.Span(n) != nil && len(out) < maxChain; n = t.Parent(n) {
		if t.Crosses(n) {
			if open && !tried {
				out = append(out, layer{leaving, 1})
			}
			open, tried = true, false
			if up := t.Span(t.Parent(n)); up.Kind == ingest.ClientSpan {
				leaving = hopOf(up, nil)
			} else {
				leaving = hopOf(&t.Spans[n], up)
			}
		}
		if r.tries[n] > 1 {
			out = append(out, layer{r.calls[r.of[n]-1].hop, r.tries[n]})
			tried = true
		}
	}
	if open && !tried && len(out) < maxChain {
		out = append(out, layer{leaving, 1})
	}
	slices.Reverse(out)
	return out
}
