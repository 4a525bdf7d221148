// Package simulate holds models whose truth is known: load loops against
// servers that stall. It answers what a load generator would have measured,
// and what users who do not wait for each other would have met, to the
// nanosecond and the same for the same seed.
//
// Time is a [time.Duration] since the start of the run. Nothing here sleeps or
// reads a clock; only drawing ([Scatter.Run] and the like) uses several cores.
//
// A request is followed by one rule: the [Load] says when it is due and when it
// is sent, the [Server] says when it ends. Since requests are served in the
// order in which they arrive, the end of a request is known as soon as it is
// sent, and a run needs no event queue but the one of its workers.
package simulate

import (
	"math/rand/v2"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// Request is one request of a run.
type Request struct {
	Due    time.Duration // when the plan wanted it sent; of a closed loop, which has no plan: Start
	Start  time.Duration // when it was sent
	End    time.Duration // when its answer had come
	Worker int32         // 1, 2, …; 0: an open loop, which has no workers
}

// ServiceTime is what a load generator that times from the send records.
func (r Request) ServiceTime() time.Duration { return r.End - r.Start }

// ResponseTime is what somebody waited who wanted the request sent when due.
func (r Request) ResponseTime() time.Duration { return r.End - r.Due }

// Streams of random numbers: what is drawn for one purpose does not depend on
// how much is drawn for another, so that two loops with one seed meet the same
// service times.
const (
	streamService = iota + 1
	streamArrival
	streamScenario
	streamScatter
	streamChain
	streamHedge
	streamHedgeSecond
)

func random(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(mixed(seed), mixed(seed^stream<<32)))
}

// mixed spreads the bits of x over all 64 (the finaliser of SplitMix64, Steele
// et al. 2014), so that neighbouring seeds give unrelated sources.
func mixed(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// Run offers the load to the server and returns the requests in the order in
// which they were sent. Equal arguments give equal requests.
//
// A load needs a limit (Requests or Length); without one nothing is sent.
func Run(load Load, server Server, seed uint64) []Request {
	if load.Requests <= 0 && load.Length <= 0 {
		return nil
	}
	s := newServing(server, random(seed, streamService))
	out := make([]Request, 0, load.expected())
	switch load.Loop {
	case Open:
		return load.open(out, s, random(seed, streamArrival))
	case Pooled:
		return load.pooled(out, s, random(seed, streamArrival))
	}
	return load.workers(out, s)
}

// ServiceTimes sums up what a load generator that times from the send records.
func ServiceTimes(requests []Request) *latency.Summary {
	var s latency.Summary
	for _, r := range requests {
		s.Record(int64(r.ServiceTime()))
	}
	return &s
}

// ResponseTimes sums up what was waited from the due time on.
func ResponseTimes(requests []Request) *latency.Summary {
	var s latency.Summary
	for _, r := range requests {
		s.Record(int64(r.ResponseTime()))
	}
	return &s
}
