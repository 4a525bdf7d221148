package amplification

import (
	"cmp"
	"slices"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// FanOut is what requests of one kind and their parallel calls of one operation
// looked like, for those who want to see it: the distributions behind a
// tail-amplification finding, or behind its absence.
type FanOut struct {
	Op   string // the caller, as findings name it
	Call string // what it calls

	Requests int64
	Calls    latency.Summary // how long each call took
	Waits    latency.Summary // how long each request waited: at least one of its calls ran
	Widths   latency.Summary // calls of each request

	Met      float64 // share of calls that take no longer than the median wait
	Expected float64 // of independent calls: see TailNumbers
}

// FanOuts returns what a tally of TailAmplification has seen, those first that
// waited longest in all for a straggler. It is called after the last merge.
func FanOuts(t detect.Tally) []FanOut {
	h, ok := t.(*hops)
	if !ok {
		return nil
	}
	keys := slices.DeleteFunc(h.all.keys(hopKey.compare), func(k hopKey) bool { return h.all.m[k].requests == 0 || h.all.m[k].leaves.Count() == 0 })
	slices.SortStableFunc(keys, func(a, b hopKey) int { return cmp.Compare(h.all.m[b].stragglers, h.all.m[a].stragglers) })
	var out []FanOut
	for _, k := range keys {
		o := h.all.m[k]
		out = append(out, FanOut{Op: operation(k.parent), Call: k.calls(), Requests: o.requests, Calls: o.leaves, Waits: o.waits, Widths: o.widths,
			Met: newLeaves(&o.leaves).share(o.waits.Percentile(latency.P50)), Expected: slowestQuantile(widthsOf(&o.widths), 1)})
	}
	return out
}
