package amplification

import (
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// hops is the tally of fan-outs that run in parallel. One row per hop; a fan-out
// counts in the sums if its parent waited for all of its calls.
//
// As a grouping: spans by (trace, parent) and their service, operation and kind,
// with count(*), sum and max of the duration, the union of the times and the
// peer of the longest; then these by (service and operation of the parent,
// service, operation and kind of the calls), with counts, sums, and histograms of
// the duration of the calls, of the union, of the parent's duration, and of
// count(*).
type hops struct {
	judge func(*hops, hopKey, *hop) *detect.Finding
	peer  bool // only what hot-peer needs is summed up

	all   bounded[hopKey, hop]
	watch fanOut
	peers []*peer // scratch: of each call
	round int64   // counts fan-outs, so that each peer is counted once in each
}

// hop is what is summed up of one.
type hop struct {
	requests int64 // parents that waited for all of their calls, of which some ran at once
	serial   int64 // parents that made them one after another
	cut      int64 // parents that did not wait for all
	pruned   int64 // parents of which summaries are left
	partial  int64 // of requests: in traces that are not complete
	mixed    int64 // parents whose calls ask for different things
	unsure   int64 // of requests: those whose calls may do so
	keyed    int64 // of requests: those whose calls are commands to a store of fewer servers than half of them

	calls, failed int64
	others        int64 // calls that were not the slowest of their parent
	beside        int64 // of others: those that ran at the time of the slowest
	longest       time.Duration
	busy          time.Duration
	parents       time.Duration
	lost          time.Duration // on critical paths, to calls that took longer than the median of their siblings
	stragglers    time.Duration // the same, on critical paths or not

	leaves latency.Summary // durations of the calls
	waits  latency.Summary // times in which at least one ran
	roots  latency.Summary // durations of the parents
	widths latency.Summary // calls of a parent
	slow   grid
	sample sample

	judged int64 // of requests: those that say which of at least three peers was the slowest
	tied   int64 // of requests: those in which two were
	peers  bounded[string, peer]

	worst  worst // by the time that the straggler cost
	inputs inputs
}

// peer is what is known of one peer of a hop.
type peer struct {
	name     string
	requests int64  // in which it was called
	slowest  int64  // of these: in which it was the slowest
	chance   uint64 // sum of its shares of the calls, in 2^-32: how often it would be by chance
	excess   time.Duration
	lost     time.Duration // of excess: on critical paths
	worst    worst         // by excess

	round int64 // scratch: the fan-out in which it was last counted
}

func (h *hops) Add(r ingest.Record) {
	if t, ok := r.(*calltree.Trace); ok {
		h.watch.walk(t, h.add)
	}
}

func (h *hops) add(f *fanOut) {
	o := h.all.get(f.key(), maxHops, hopKey.hash)
	if o == nil {
		return
	}
	alike := f.alike()
	switch {
	case alike == differs:
		o.mixed++
		return
	case f.pruned || f.n() < minFanOut:
		o.pruned++
		return
	case f.serial():
		o.serial++
		return
	case f.cut:
		o.cut++
		return
	}
	if alike == maybe {
		o.unsure++
	}
	o.add(f)
	if !h.peer {
		o.addTail(f)
	}
	if peers := h.addPeers(o, f); f.calls[0].span.Store != nil && 2*peers < len(f.calls) {
		o.keyed++
	}
}

// add sums up what both detectors of parallel calls need.
func (o *hop) add(f *fanOut) {
	o.requests++
	o.others += f.n() - 1
	o.beside += f.beside()
	o.busy = add(o.busy, f.busy)
	o.inputs.of(f.t)
}

// addTail sums up what tail-amplification needs beyond.
func (o *hop) addTail(f *fanOut) {
	t := f.t
	if !t.Counts.Complete() {
		o.partial++
	}
	o.calls += f.n()
	o.failed += f.failed
	o.longest = add(o.longest, f.max())
	took, lost := t.Duration(f.parent), f.lost()
	o.parents = add(o.parents, took)
	o.stragglers = add(o.stragglers, f.max()-f.median())
	o.lost = add(o.lost, lost)
	for _, d := range f.durations() {
		o.leaves.Record(int64(d))
	}
	o.waits.Record(int64(f.busy))
	o.roots.Record(int64(took))
	o.widths.Record(f.n())
	o.slow.add(f.durations())
	o.sample.add(request{requestHash(t, f.parent), took, f.max()})
	o.worst.add(exemplar{int64(lost), t.ID})
}

// addPeers notes which peer was the slowest, and returns how many were called; 0:
// not all of them are named.
func (h *hops) addPeers(o *hop, f *fanOut) int {
	h.peers = h.peers[:0]
	h.round++
	distinct := 0
	for _, c := range f.calls {
		if c.span.Peer == "" {
			return 0
		}
		p := o.peers.get(c.span.Peer, maxPeers, hashOf)
		h.peers = append(h.peers, p)
		if p == nil {
			distinct++ // one of very many
			continue
		}
		if p.round != h.round {
			p.round, p.name = h.round, c.span.Peer
			distinct++
		}
	}
	if distinct < minPeers {
		return distinct
	}
	if f.tied {
		o.tied++
		return distinct
	}
	o.judged++
	h.round++
	share := uint64(1) << 32 / uint64(f.n())
	for _, p := range h.peers {
		if p == nil {
			continue
		}
		p.chance += share
		if p.round != h.round {
			p.round = h.round
			p.requests++
		}
	}
	p := h.peers[f.slowest]
	if p == nil {
		return distinct
	}
	var second time.Duration // of other peers
	name := f.calls[f.slowest].span.Peer
	for _, c := range f.calls {
		if c.took > second && c.span.Peer != name {
			second = c.took
		}
	}
	p.slowest++
	excess := f.max() - second
	p.excess = add(p.excess, excess)
	if f.onPath(f.calls[f.slowest]) {
		p.lost = add(p.lost, excess)
	}
	p.worst.add(exemplar{int64(excess), f.t.ID})
	return distinct
}

func (h *hops) Merge(other detect.Tally) {
	x := other.(*hops)
	h.all.merge(&x.all, maxHops, hopKey.hash, (*hop).merge)
}

func (o *hop) merge(x *hop) {
	o.requests += x.requests
	o.serial += x.serial
	o.cut += x.cut
	o.pruned += x.pruned
	o.partial += x.partial
	o.mixed += x.mixed
	o.unsure += x.unsure
	o.keyed += x.keyed
	o.calls += x.calls
	o.failed += x.failed
	o.others += x.others
	o.beside += x.beside
	o.longest = add(o.longest, x.longest)
	o.busy = add(o.busy, x.busy)
	o.parents = add(o.parents, x.parents)
	o.lost = add(o.lost, x.lost)
	o.stragglers = add(o.stragglers, x.stragglers)
	o.leaves.Merge(&x.leaves)
	o.waits.Merge(&x.waits)
	o.roots.Merge(&x.roots)
	o.widths.Merge(&x.widths)
	o.slow.merge(&x.slow)
	o.sample.merge(&x.sample)
	o.judged += x.judged
	o.tied += x.tied
	o.peers.merge(&x.peers, maxPeers, hashOf, (*peer).merge)
	o.worst.merge(&x.worst)
	o.inputs.merge(x.inputs)
}

func (p *peer) merge(x *peer) {
	p.name = x.name
	p.requests += x.requests
	p.slowest += x.slowest
	p.chance += x.chance
	p.excess = add(p.excess, x.excess)
	p.lost = add(p.lost, x.lost)
	p.worst.merge(&x.worst)
}

func (h *hops) Findings() []detect.Finding {
	h.all.cut(maxHops, hopKey.hash)
	var out []detect.Finding
	for _, k := range h.all.keys(hopKey.compare) {
		o := h.all.m[k]
		o.peers.cut(maxPeers, hashOf)
		if f := h.judge(h, k, o); f != nil {
			f.Inputs, f.Op = slices.Clone(o.inputs), operation(k.parent)
			out = append(out, *f)
		}
	}
	return out
}
