package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// order are the requests of an input as they were sent. An input has one of it
// for all of its operations, of which there may be thousands.
type order struct {
	latencies []int64
	sorted    []int64           // those, for percentiles of all; nil: not yet asked
	known     map[asked]float64 // inflation of all operations together
}

type asked struct {
	p     latency.Percentile
	alpha float64
}

// orderKey is an input by where its requests are kept, and how they are timed.
type orderKey struct {
	first *detect.Pair
	due   bool
}

// orderOf returns the requests behind a distribution, or nil where it is not
// known when they were sent.
func (c *comparing) orderOf(s *check.Side, of string) *order {
	if blocks(len(s.Pairs)) == 0 {
		return nil
	}
	key := orderKey{&s.Pairs[0], of == corrected && s.Repair.Method == correct.Intended}
	if o := c.orders[key]; o != nil {
		return o
	}
	o := &order{known: map[asked]float64{}}
	if key.due {
		o.latencies = due(s.Pairs, s.Run.Rate)
	} else {
		o.latencies = sent(s.Pairs)
	}
	if c.orders == nil {
		c.orders = map[orderKey]*order{}
	}
	c.orders[key] = o
	return o
}

// together is the inflation of a percentile over all operations of an input.
func (o *order) together(p latency.Percentile, alpha float64) float64 {
	if f, ok := o.known[asked{p, alpha}]; ok {
		return f
	}
	if o.sorted == nil {
		o.sorted = slices.Clone(o.latencies)
		slices.Sort(o.sorted)
	}
	x := o.sorted[p.Rank(int64(len(o.sorted)))-1]
	f := inflation(o.latencies, counting{}, x, alpha)
	o.known[asked{p, alpha}] = f
	return f
}

// sent returns the latencies of requests in the order in which they were sent.
func sent(pairs []detect.Pair) []int64 {
	out := make([]int64, len(pairs))
	for i, p := range pairs {
		out[i] = int64(p.Latency)
	}
	return out
}

// due returns what was waited from the moments on at which requests were due,
// when they were due evenly over the run. It is for how they hang together only:
// what a request waits behind a stall is in its response time, not in its latency.
func due(pairs []detect.Pair, rate float64) []int64 {
	if len(pairs) < 2 {
		return sent(pairs)
	}
	order := slices.Clone(pairs)
	slices.SortStableFunc(order, func(a, b detect.Pair) int { return cmp.Compare(a.Start, b.Start) })
	gap := 1e9 / rate
	if !(rate > 0) {
		gap = float64(order[len(order)-1].Start-order[0].Start) / float64(len(order)-1)
	}
	out := make([]int64, len(order))
	for i, p := range order {
		at := order[0].Start + ingest.Time(math.Round(gap*float64(i)))
		out[i] = int64(p.End().Sub(min(at, p.Start)))
	}
	return out
}
