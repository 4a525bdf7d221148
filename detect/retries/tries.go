package retries

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// Bounds of what is remembered, in distinct names.
const (
	maxRoots = 1 << 9 // operations of the root, for each hop
	maxChain = 32     // layers of a chain, counted from the bottom
)

// traceTries is what traces tell of calls that were tried again.
//
// As a grouping. Sibling spans of kind client (see isCall) by (trace, parent,
// service, operation, target, class of peer, arguments), by start: they are
// tries if each but the last failed and none begins before the one before has
// ended. By (root operation, hop) then: sum of calls, of tries after the first,
// of callers with one call that succeeded, with several, with one that failed;
// maximum over traces of calls and of the product of tries along the path from
// the root, with that path.
type traceTries struct {
	hops bounded[hop, hopTries]

	request requestTries
	split   requestsOf
}

// hopTries is what is known of one hop, by the operation at the root.
type hopTries struct {
	roots bounded[operation, hopSum]
	last  operation // of the request before, and its sum
	sum   *hopSum
}

// hopSum is one hop in the requests of one root operation.
type hopSum struct {
	requests int64 // that have calls of the hop
	calls    int64 // each try counted
	most     int64 // calls in one request
	asked    int64 // calls, all tries of one counted as one
	extra    int64 // tries after the first
	retried  int64 // calls that were tried again
	once     int64 // calls that failed and were not
	marked   int64 // tries that an attribute numbers
	solo     int64 // callers that made one call, which succeeded
	several  int64 // callers that made several calls, at least two of which succeeded
	wasted   time.Duration

	exhausted         int64 // of retried: all tries failed
	fewest, mostTries int64 // of these: tries

	tried      int64 // requests in which calls were tried again
	multiplied int64 // of these: in which two layers did, 4 times or more in all
	partial    int64 // of these: traces that are not complete
	lost       time.Duration
	best       chain
	exemplars  exemplars
	inputs     inputs

	now int64 // calls in the request that is being added
	at  int32 // number of its best candidate there, plus one
}

// chain is the layers of one path from the root to a hop that was tried again.
type chain struct {
	product int64
	calls   int64 // of the hop, in that request
	layers  []layer
	trace   ingest.TraceID
	pos     ingest.Pos
}

// layer is one hop of a chain. Tries 1: it does not try again.
type layer struct {
	hop   hop
	tries int64
}

// compare orders chains: the highest product first, of equal ones the longest,
// then by what they consist of.
func (c *chain) compare(o *chain) int {
	return cmp.Or(
		cmp.Compare(o.product, c.product),
		cmp.Compare(len(o.layers), len(c.layers)),
		slices.CompareFunc(c.layers, o.layers, func(a, b layer) int { return cmp.Or(cmp.Compare(b.tries, a.tries), a.hop.compare(b.hop)) }),
		cmp.Compare(o.calls, c.calls),
		bytes.Compare(c.trace[:], o.trace[:]),
		c.pos.Compare(o.pos),
	)
}

func (t *traceTries) merge(o *traceTries) {
	t.hops.merge(&o.hops, func(to, from *hopTries) {
		to.roots.limit = maxRoots
		to.roots.merge(&from.roots, (*hopSum).add)
		to.sum = nil
	})
}

// add takes over what another tally knows of the same hop.
func (s *hopSum) add(o *hopSum) {
	s.requests += o.requests
	s.calls = plus(s.calls, o.calls)
	s.most = max(s.most, o.most)
	s.asked = plus(s.asked, o.asked)
	s.extra = plus(s.extra, o.extra)
	s.retried += o.retried
	if s.exhausted == 0 || o.exhausted > 0 && o.fewest < s.fewest {
		s.fewest = o.fewest
	}
	s.mostTries = max(s.mostTries, o.mostTries)
	s.exhausted += o.exhausted
	s.once += o.once
	s.marked += o.marked
	s.solo += o.solo
	s.several += o.several
	s.wasted = plus(s.wasted, o.wasted)
	s.tried += o.tried
	s.multiplied += o.multiplied
	s.partial += o.partial
	s.lost = plus(s.lost, o.lost)
	s.take(&o.best)
	s.exemplars.merge(&o.exemplars)
	s.inputs.merge(&o.inputs)
}

func (s *hopSum) take(c *chain) {
	if c.product > 0 && (s.best.product == 0 || c.compare(&s.best) < 0) {
		s.best = *c
	}
}

// sum returns the sum of a hop in requests of the root operation; nil: it is
// not among those that are kept.
func (t *traceTries) sum(h hop, root operation) *hopSum {
	k := t.hops.get(h)
	if k == nil {
		return nil
	}
	if k.sum == nil || k.last != root {
		k.roots.limit = maxRoots
		k.last, k.sum = root, k.roots.get(root)
	}
	return k.sum
}

func (t *traceTries) add(tr *calltree.Trace) {
	t.request.reset(tr)
	for _, root := range tr.Roots() {
		t.request.add(t, tr, root)
	}
	for missing := range tr.Orphans() {
		t.request.add(t, tr, missing)
	}
}
