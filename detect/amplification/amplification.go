// Package amplification reads traces for what waiting for many calls costs: a
// request that waits for the slowest of many (tail-amplification), for one after
// another (serial-fan-out), for one peer that is slower than the others
// (hot-peer); and for how much of the traces is there to be read at all
// (low-visibility).
//
// All of them look at the calls of one operation that one parent makes: a
// fan-out. Tallies are sums over fan-outs by hop, which is the operations of the
// parent and of the calls; what can only be judged when all are summed up (which
// percentile of the calls the median request meets) is kept as histograms.
package amplification

import (
	"cmp"
	"encoding/hex"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// Detectors are the detectors of the package.
var Detectors = []detect.Detector{
	TailAmplification,
	SerialFanOut,
	HotPeer,
	LowVisibility,
}

// hopKey is a hop: who makes calls, and which.
type hopKey struct {
	parent, leaf calltree.Operation
	kind         ingest.Kind // of the calls
}

func (k hopKey) compare(o hopKey) int {
	return cmp.Or(compareOperations(k.parent, o.parent), compareOperations(k.leaf, o.leaf), cmp.Compare(k.kind, o.kind))
}

func (k hopKey) hash() uint64 {
	h := hashOf(k.parent.Service)
	h = mix(h ^ hashOf(k.parent.Op))
	h = mix(h ^ hashOf(k.leaf.Service))
	h = mix(h ^ hashOf(k.leaf.Op))
	return mix(h ^ uint64(k.kind))
}

// Bounds of what a tally keeps.
const (
	maxHops   = 1024 // hops; of more, those with the lowest hashes
	maxPeers  = 1024 // peers of a hop, likewise
	maxSample = 1024 // requests of a hop that are kept apart, likewise
	exemplars = 5    // traces that a finding names
)

// traceID writes a trace id as it is written everywhere: in hexadecimal digits.
func traceID(id ingest.TraceID) string { return hex.EncodeToString(id[:]) }
