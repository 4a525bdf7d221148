package whatif

import (
	"cmp"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

// bucket is what is known of a time of the file.
type bucket struct {
	index  int
	p50    time.Duration
	p95    time.Duration
	rate   float64 // calls a second; 0: not known
	length time.Duration
}

const (
	maxBuckets = 64
	minBucket  = 200 // calls of a bucket
)

// collect turns the file into requests, and their calls into buckets of equal
// numbers by time.
func (x *hedge) collect() {
	f := x.From
	type timed struct {
		start int64
		r     simulate.ReplayRequest
	}
	var list []timed
	switch {
	case f.fan != nil:
		x.ranked = true
		for _, r := range f.fan.requests {
			q := simulate.ReplayRequest{Rest: max(0, r.took-r.wait)}
			end, overlap := time.Duration(0), false
			for i, c := range r.calls {
				begin := c.start.Sub(r.calls[0].start)
				overlap = overlap || i > 0 && begin < end
				end = max(end, begin+c.took)
				q.Calls = append(q.Calls, simulate.ReplayCall{Begin: begin, Took: c.took, Peer: c.peer})
			}
			q.Serial = !overlap
			q.Rest = max(0, r.took-end)
			list = append(list, timed{int64(r.calls[0].start), q})
		}
	case f.input != nil && len(f.input.Pairs) > 0 && int64(len(f.input.Pairs)) == f.Calls:
		x.ranked = true
		for _, p := range f.input.Pairs {
			list = append(list, timed{int64(p.Start), simulate.ReplayRequest{Calls: []simulate.ReplayCall{{Took: p.Latency}}}})
		}
	default:
		n := int(min(f.Calls, maxRequests))
		for i := range n {
			list = append(list, timed{0, simulate.ReplayRequest{Calls: []simulate.ReplayCall{{Took: f.Leaf.Quantile((float64(i) + 0.5) / float64(n))}}}})
		}
	}
	slices.SortStableFunc(list, func(a, b timed) int { return cmp.Compare(a.start, b.start) })
	calls := 0
	for _, t := range list {
		calls += len(t.r.Calls)
	}
	buckets := 1
	if x.ranked {
		buckets = min(max(calls/minBucket, 1), maxBuckets)
	}
	x.replay.Buckets = make([]simulate.ReplayBucket, buckets)
	spans := make([][2]int64, buckets)
	seen := 0
	for _, t := range list {
		b := min(seen*buckets/max(calls, 1), buckets-1)
		seen += len(t.r.Calls)
		t.r.Bucket = b
		if len(x.replay.Buckets[b]) == 0 {
			spans[b][0] = t.start
		}
		spans[b][1] = t.start
		x.replay.Buckets[b] = append(x.replay.Buckets[b], t.r.Calls...)
		x.replay.Requests = append(x.replay.Requests, t.r)
	}
	for b, calls := range x.replay.Buckets {
		m := measuredOf(calls)
		if m == nil { // a request may have more calls than a bucket
			continue
		}
		k := bucket{index: b, p50: m.Quantile(0.5), p95: m.Quantile(0.95), length: time.Duration(spans[b][1] - spans[b][0])}
		if k.length > 0 {
			k.rate = float64(len(calls)) / k.length.Seconds()
		}
		x.by = append(x.by, k)
	}
	if x.N > 0 && (f.fan == nil || x.N != f.Width) {
		x.replay.Width = x.N
	}
}

func measuredOf(calls ...simulate.ReplayBucket) *simulate.Measured {
	var s latency.Summary
	for _, b := range calls {
		for _, c := range b {
			s.Record(int64(c.Took))
		}
	}
	return simulate.NewMeasured(s.Values())
}

// calmTime finds the calm half of the file, whose p95 the delay is, and the
// slowest time, where second calls come from in the worst case.
func (x *hedge) calmTime() {
	order := slices.Clone(x.by)
	slices.SortFunc(order, func(a, b bucket) int { return cmp.Or(cmp.Compare(a.p95, b.p95), cmp.Compare(a.index, b.index)) })
	var calm []simulate.ReplayBucket
	for _, b := range order[:(len(order)+1)/2] {
		calm = append(calm, x.replay.Buckets[b.index])
	}
	x.calm = measuredOf(calm...)
	worst := order[len(order)-1]
	x.slow = x.replay.Buckets[worst.index]
}

// slowCalls is where second calls come from in the worst case: the slowest part
// of the file; where there is but one part, the calls that would be sent again
// themselves.
func (x *hedge) slowCalls(after time.Duration) simulate.ReplayBucket {
	if len(x.by) > 1 {
		return x.slow
	}
	var late simulate.ReplayBucket
	for _, c := range x.slow {
		if c.Took > after {
			late = append(late, c)
		}
	}
	return late
}

func (x *hedge) worst() int {
	return slices.MaxFunc(x.by, func(a, b bucket) int { return cmp.Or(cmp.Compare(a.p95, b.p95), cmp.Compare(a.index, b.index)) }).index
}
