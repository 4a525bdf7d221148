package amplification

import (
	"fmt"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// SerialFanOut finds requests that ask many peers one after another.
var SerialFanOut = detect.Detector{
	Name: "serial-fan-out", Severity: detect.Warning, Reads: ingest.KindTrace,
	Doc: `Many peers are asked one after another

A request that asks N peers one after another takes as long as all of them
together; at once it would take as long as the slowest. That such a sum happens to
equal a percentile of the calls says nothing: it is no tail amplification.

It is reported for calls of one operation under one parent: five or more, to more
than half as many peers as there are calls (attributes: address, service or
cluster), that do not overlap (by times: their sum is within a tenth of the time
in which they run), take at least 100 ms or 10 % of their parent's time, and at
least 1 % of it, on the critical path. Confidence is high from ten parents on.
The cost is their time on the critical path less the slowest call of each
parent, and at least 1 ms for each parent.

Not reported: calls to few peers, or to peers that are not named, and commands to
a store that sends them where their keys are (n-plus-one looks at those); calls
each made because the one before had failed (retries, failover); calls that ask
for different things (paths, services); work of queue consumers, calls that
nobody waits for, set-up of connections, answers from a cache. That the calls need
each other's answers cannot be seen; then they cannot be made at once.`,
	New: func() detect.Tally { return &serial{} },
}

// SerialNumbers are the numbers of a serial-fan-out finding.
type SerialNumbers struct {
	Calls   int64   `json:"calls"`   // of all parents
	Parents int64   `json:"parents"` // that made them
	Sum     float64 `json:"sum_ms"`  // of the durations of the calls
}

// Limits of what is a serial fan-out; those of time are the ones of n-plus-one.
const (
	minSerial     = 5
	minSerialTime = 100 * time.Millisecond // of calls on the critical path, or
	minSerialPart = 10                     // this part of the parent's time: a tenth
	noSerialPart  = 100                    // and never less than this: a hundredth
	sureParents   = 10                     // parents from which confidence is high
)

// serial is the tally of calls made one after another.
//
// As a grouping: spans by (trace, parent) and their service, operation and kind,
// with count(*), the sum of the duration, the union of the times, the longest
// and the number of distinct peers, of those whose sum is within a tenth of the
// union; then these by (service and operation of the parent, service, operation
// and kind of the calls), with counts and sums.
type serial struct {
	all   bounded[hopKey, serialHop]
	watch fanOut
	peers map[string]bool // scratch
}

type serialHop struct {
	parents, calls, partial int64
	fewest, most            int64 // calls of a parent
	peers                   int64 // most distinct ones of a parent
	sum, took, lost         time.Duration
	worst                   worst
	inputs                  inputs
}

func (h *serial) Add(r ingest.Record) {
	if t, ok := r.(*calltree.Trace); ok {
		h.watch.walk(t, h.add)
	}
}

func (h *serial) add(f *fanOut) {
	if f.n() < minSerial || f.pruned || !f.serial() || f.cut || f.chained() || f.alike() != same {
		return
	}
	peers := h.distinct(f)
	if 2*peers <= f.n() || byKey(f.calls[0].span.Store) {
		return
	}
	var onPath time.Duration
	for _, c := range f.calls {
		if f.onPath(c) {
			onPath = add(onPath, c.took)
		}
	}
	took := f.t.Duration(f.parent)
	if onPath < took/noSerialPart || onPath < minSerialTime && onPath < took/minSerialPart || onPath-f.max() < minWait {
		return
	}
	o := h.all.get(f.key(), maxHops, hopKey.hash)
	if o == nil {
		return
	}
	one := serialHop{parents: 1, calls: f.n(), fewest: f.n(), most: f.n(), peers: peers, sum: f.sum, took: took, lost: onPath - f.max()}
	if !f.t.Counts.Complete() {
		one.partial = 1
	}
	one.worst.add(exemplar{int64(one.lost), f.t.ID})
	one.inputs.of(f.t)
	o.merge(&one)
}

// byKey reports whether a store sends a command where its key is: commands to
// many servers are one for each key, and no fan-out.
func byKey(d *ingest.Datastore) bool {
	return d != nil && slices.Contains([]string{"redis", "valkey", "keydb", "dragonfly", "garnet", "memcached"}, d.System)
}

// chained reports whether most of the calls were made after one had failed.
func (f *fanOut) chained() bool {
	n := 0
	for _, c := range f.calls[:len(f.calls)-1] {
		if c.span.Outcome != ingest.OK {
			n++
		}
	}
	return 2*n > len(f.calls)-1
}

// distinct returns how many peers are called; 0: not all of them are named.
func (h *serial) distinct(f *fanOut) int64 {
	if h.peers == nil {
		h.peers = map[string]bool{}
	}
	clear(h.peers)
	for _, c := range f.calls {
		if c.span.Peer == "" {
			return 0
		}
		h.peers[c.span.Peer] = true
	}
	return int64(len(h.peers))
}

func (o *serialHop) merge(x *serialHop) {
	if o.parents == 0 || x.fewest < o.fewest {
		o.fewest = x.fewest
	}
	o.most, o.peers = max(o.most, x.most), max(o.peers, x.peers)
	o.parents += x.parents
	o.calls += x.calls
	o.partial += x.partial
	o.sum, o.took, o.lost = add(o.sum, x.sum), add(o.took, x.took), add(o.lost, x.lost)
	o.worst.merge(&x.worst)
	o.inputs.merge(x.inputs)
}

func (h *serial) Merge(other detect.Tally) {
	h.all.merge(&other.(*serial).all, maxHops, hopKey.hash, (*serialHop).merge)
}

func (h *serial) Findings() []detect.Finding {
	h.all.cut(maxHops, hopKey.hash)
	var out []detect.Finding
	for _, k := range h.all.keys(hopKey.compare) {
		out = append(out, h.all.m[k].finding(k))
	}
	return out
}

func (o *serialHop) finding(k hopKey) detect.Finding {
	f := detect.Finding{
		Confidence: detect.Medium, Op: operation(k.parent), Inputs: slices.Clone(o.inputs),
		Exemplars: o.worst.ids(), Impact: o.lost, Numbers: SerialNumbers{o.calls, o.parents, inMs(o.sum)},
	}
	if o.parents >= sureParents {
		f.Confidence = detect.High
	}
	n := fmt.Sprint(o.fewest)
	if o.most > o.fewest {
		n = fmt.Sprintf("%d to %d", o.fewest, o.most)
	}
	each := time.Duration(o.parents)
	f.Message = fmt.Sprintf("%s%s calls of %s are made one after another, to up to %d peers, and take %s of the %s of their parent in the mean; at once they would take %s",
		atLeast(o.partial > 0), n, k.calls(), o.peers, ms(o.sum/each), ms(o.took/each), ms((o.sum-o.lost)/each))
	e := (*evidence)(&f.Evidence)
	e.addf("calls of a parent", "", "%s%s, %s", atLeast(o.partial > 0), n, count(o.parents, "parent"))
	e.addf("peers of a parent, most", "", "%d", o.peers)
	e.addf("calls, of the parents' time", "", "%s", percent(ratio(o.sum, o.took)))
	e.addf("longest call alone, mean", "", "%s", ms((o.sum-o.lost)/each))
	e.add("rests on", "peers named, times", "")
	f.Remedy = "If the calls do not need each other's answers, make them at once, with a bound on how many, or ask for all in one. Parallel, the slowest will decide: watch its tail."
	return f
}
