package simulate

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// exponentials is requests of n calls of exponential times, in one bucket.
func exponentials(requests, n int, seed uint64) *Replay {
	r := random(seed, streamScenario)
	p := &Replay{Buckets: make([]ReplayBucket, 1)}
	for range requests {
		var q ReplayRequest
		for range n {
			c := ReplayCall{Took: nanoseconds(r.ExpFloat64() * 1e7), Peer: uint32(r.IntN(1000)) + 1}
			q.Calls = append(q.Calls, c)
			p.Buckets[0] = append(p.Buckets[0], c)
		}
		p.Requests = append(p.Requests, q)
	}
	return p
}

// The hedged minimum of independent exponentials has a closed form: after d the
// request takes longer than x with exp(-x/m)·exp(-(x-d)/m). The replay of many
// independent calls comes to it, within what so many recorded requests can tell.
func TestReplayAgainstClosedForm(t *testing.T) {
	const requests, n, after = 20_000, 5, 15 * ms
	held, all := 0, 0
	for seed := range uint64(8) {
		p := exponentials(requests, n, seed)
		for _, d := range []time.Duration{Never, after} {
			got := p.Run(d, nil, 100_000, seed)
			for _, q := range []latency.Percentile{latency.P50, latency.P90, latency.P99} {
				within := func(x float64) float64 {
					f := 1 - math.Exp(-x/10)
					if d >= 0 && x > 15 {
						f = 1 - math.Exp(-x/10)*math.Exp(-(x-15)/10)
					}
					return math.Pow(f, n)
				}
				at := q.Percent() / 100
				// both the recording and the drawing have an error
				off := 1.96 * math.Sqrt(at*(1-at)*(1.0/requests+1.0/100_000))
				v := float64(got.Took.Percentile(q)) / 1e6
				if all++; math.Abs(within(v)-at) <= off {
					held++
				}
			}
			if d == after {
				want := n * math.Exp(-1.5)
				if diff := math.Abs(got.Extra.Mean() - want); diff > 5*(got.Extra.Error()+math.Sqrt(want/requests)) {
					t.Errorf("%.4f second calls, want %.4f", got.Extra.Mean(), want)
				}
			}
		}
	}
	if held < all*85/100 {
		t.Errorf("within the error in %d of %d", held, all)
	}
}

// Slowness that is shared stays shared: in one bucket all calls are slow, and a
// second one does not help; as if independent, it would.
func TestReplayKeepsSharedSlowness(t *testing.T) {
	p := &Replay{Buckets: make([]ReplayBucket, 2)}
	for i := range 1000 {
		c, bucket := ReplayCall{Took: 10 * ms, Peer: uint32(i%3) + 1}, 0
		if i >= 900 {
			c.Took, bucket = 200*ms, 1
		}
		p.Buckets[bucket] = append(p.Buckets[bucket], c)
		p.Requests = append(p.Requests, ReplayRequest{Calls: []ReplayCall{c}, Bucket: bucket, Rest: ms})
	}
	got := p.Run(20*ms, nil, 50_000, 1)
	if v := got.Took.Percentile(latency.P99); v != int64(201*ms) {
		t.Errorf("p99 %v, want 201ms: the other replica is slow as well", time.Duration(v))
	}
	if got := p.Run(20*ms, p.Buckets[0], 50_000, 1).Took.Percentile(latency.P99); got != int64(31*ms) {
		t.Errorf("p99 %v with second calls of a good time, want 31ms", time.Duration(got))
	}
	// One replica is slow: the second call goes to another.
	one := &Replay{Buckets: make([]ReplayBucket, 1)}
	for i := range 900 {
		c := ReplayCall{Took: 10 * ms, Peer: uint32(i%3) + 1}
		if c.Peer == 1 {
			c.Took = 200 * ms
		}
		one.Buckets[0] = append(one.Buckets[0], c)
		one.Requests = append(one.Requests, ReplayRequest{Calls: []ReplayCall{c}})
	}
	if got := one.Run(20*ms, nil, 50_000, 1).Took.Max(); got > int64(30*ms) {
		t.Errorf("slowest %v, want 30ms", time.Duration(got))
	}
}

func TestReplayOfSerialCalls(t *testing.T) {
	calls := []ReplayCall{{0, 10 * ms, 1}, {12 * ms, 100 * ms, 1}, {115 * ms, 10 * ms, 1}}
	p := &Replay{Requests: []ReplayRequest{{Rest: 5 * ms, Calls: calls, Serial: true}}, Buckets: []ReplayBucket{{{0, 10 * ms, 2}}}}
	if got := p.Run(Never, nil, 10, 1).Took.Max(); got != int64(130*ms) {
		t.Errorf("as recorded %v, want 130ms", time.Duration(got))
	}
	if got := p.Run(20*ms, nil, 10, 1).Took.Max(); got != int64(60*ms) {
		t.Errorf("hedged %v, want 60ms: 70 ms are saved", time.Duration(got))
	}
}

func TestReplaySameOnAnyNumberOfCores(t *testing.T) {
	p := exponentials(500, 10, 1)
	text := func(cores int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		r := p.Run(15*ms, nil, 60_000, 3)
		return fmt.Sprint(r.Took.Values(), r.Calls, r.Extra)
	}
	if text(1) != text(5) {
		t.Error("the result depends on the number of cores")
	}
}

func BenchmarkReplay(b *testing.B) {
	p := exponentials(1000, 69, 1)
	for b.Loop() {
		p.Run(30*ms, nil, 100_000, 1)
	}
}
