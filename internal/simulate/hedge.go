package simulate

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// Replay is recorded requests that are made again with second calls. A first call
// is as it was recorded. A second one is a call of another peer that was recorded
// at about the same time (of the same bucket), so that slowness that calls share
// stays shared: where all replicas are slow at once, so is the second call.
type Replay struct {
	Requests []ReplayRequest
	Buckets  []ReplayBucket // by time

	// Width 0: the calls of a request are its own. Else a request has that many,
	// all begun at once, each drawn from the bucket of the request that is drawn:
	// samples that were single calls become requests of many.
	Width int
}

// ReplayRequest is one recorded request.
type ReplayRequest struct {
	Rest   time.Duration // what it takes beside its calls
	Calls  []ReplayCall  // by Begin
	Serial bool          // they were made one after another: what one saves, all save
	Bucket int
}

// ReplayCall is one recorded call.
type ReplayCall struct {
	Begin time.Duration // since the first call of its request began
	Took  time.Duration
	Peer  uint32 // whom it called; 0: not known
}

// ReplayBucket is the calls of some time, in any order.
type ReplayBucket []ReplayCall

// Replayed is what requests took.
type Replayed struct {
	Took  latency.Summary
	Calls Sum // of each request
	Extra Sum // second calls of each request
}

// Never is a delay after which no call is sent again.
const Never time.Duration = -1

// Run draws that many of the requests with replacement, on all cores, and sends a
// call again that takes longer than after. Slow, unless it is empty, is where
// second calls come from instead of the request's own bucket: the pessimistic
// case. Equal arguments give equal results on any number of cores; different
// delays meet the same requests.
func (p *Replay) Run(after time.Duration, slow ReplayBucket, draws int64, seed uint64) *Replayed {
	blocks := int((draws + blockDraws - 1) / blockDraws)
	calls, extra := make([]Sum, blocks), make([]Sum, blocks)
	parts := make([]Replayed, max(1, min(runtime.GOMAXPROCS(0), blocks)))
	var next atomic.Int64
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			for {
				b := int(next.Add(1)) - 1
				if b >= blocks {
					return
				}
				which, second := random(seed^mixed(uint64(b)), streamHedge), random(seed^mixed(uint64(b)), streamHedgeSecond)
				for range min(blockDraws, draws-int64(b)*blockDraws) {
					took, n, more := p.one(after, slow, which, second)
					parts[i].Took.Record(int64(took))
					calls[b].add(float64(n))
					extra[b].add(float64(more))
				}
			}
		})
	}
	wg.Wait()
	out := &parts[0]
	for i := range parts[1:] {
		out.Took.Merge(&parts[1+i].Took)
	}
	for b := range blocks {
		out.Calls.merge(calls[b])
		out.Extra.merge(extra[b])
	}
	return out
}

func (p *Replay) one(after time.Duration, slow ReplayBucket, which, second *rand.Rand) (took time.Duration, calls, extra int) {
	r := &p.Requests[which.IntN(len(p.Requests))]
	bucket := p.Buckets[r.Bucket]
	from := bucket
	if len(slow) > 0 {
		from = slow
	}
	n := len(r.Calls)
	if p.Width > 0 {
		n = p.Width
	}
	var end, saved time.Duration
	for i := range n {
		var c ReplayCall
		if p.Width > 0 {
			c = bucket[which.IntN(len(bucket))]
			c.Begin = 0
		} else {
			c = r.Calls[i]
		}
		d := c.Took
		if after >= 0 && d > after {
			extra++
			d = min(d, after+another(from, c.Peer, second))
		}
		saved += c.Took - d
		if e := c.Begin + d; e > end {
			end = e
		}
	}
	if r.Serial && p.Width == 0 {
		end = 0
		for _, c := range r.Calls {
			end = max(end, c.Begin+c.Took)
		}
		end -= saved
	}
	return r.Rest + end, n, extra
}

// anotherTries is how often a call of another peer is looked for: where one peer
// has nearly all calls, the second goes to it as well.
const anotherTries = 64

// another draws a call of another peer.
func another(from ReplayBucket, peer uint32, r *rand.Rand) time.Duration {
	var c ReplayCall
	for range anotherTries {
		if c = from[r.IntN(len(from))]; peer == 0 || c.Peer != peer {
			break
		}
	}
	return c.Took
}
