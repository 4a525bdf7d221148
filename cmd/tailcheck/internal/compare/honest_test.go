package compare

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

// sideFrom is a run of a simulated server as a load report holds it.
func sideFrom(requests []simulate.Request) check.Side {
	var s latency.Summary
	x := check.Side{Kind: "load", Vantage: "client", Sampled: true, Alone: true, Repair: correct.Repair{Method: correct.None, Refused: "no plan"}}
	for _, r := range requests {
		s.Record(int64(r.ResponseTime()))
		x.Pairs = append(x.Pairs, detect.Pair{Start: ingest.Time(r.Due + 1), Latency: r.ResponseTime()})
	}
	x.Raw, x.Error = correct.FromSummary(&s), s.Error()
	return x
}

// different compares two runs by the whole procedure, and reports which numbers
// it calls different.
func different(base, head check.Side) (called []string) {
	c := &comparing{out: &Answer{Head: []Input{{}}, Pairs: []Pair{{}}}}
	x := couple{0, &base, &head}
	c.alpha = each(c.intervals([]couple{x}))
	for _, ch := range c.compare(x).Changes {
		if ch.Verdict == Slower || ch.Verdict == Faster {
			called = append(called, ch.Metric+" "+ch.Verdict)
		}
	}
	return called
}

const ms1 = time.Millisecond

// servers whose requests hang together more and more: not at all, ten workers
// that share four places, and a queue that is half and four fifths full.
var servers = []struct {
	name   string
	load   simulate.Load
	server func(scale float64) simulate.Server
}{
	{"independent", simulate.Load{Loop: simulate.Open, Workers: 1, Interval: ms1}, func(f float64) simulate.Server {
		return simulate.Server{Service: simulate.Exponential(time.Duration(f * float64(10*ms1)))}
	}},
	{"closed, 10 workers on 4", simulate.Load{Loop: simulate.Closed, Workers: 10}, func(f float64) simulate.Server {
		return simulate.Server{Service: simulate.Exponential(time.Duration(f * float64(8*ms1))), Workers: 4}
	}},
	{"a queue half full", simulate.Load{Loop: simulate.Open, Workers: 1, Interval: 10 * ms1, Poisson: true}, func(f float64) simulate.Server {
		return simulate.Server{Service: simulate.Exponential(time.Duration(f * float64(5*ms1))), Workers: 1}
	}},
	{"a queue four fifths full", simulate.Load{Loop: simulate.Open, Workers: 1, Interval: 10 * ms1, Poisson: true}, func(f float64) simulate.Server {
		return simulate.Server{Service: simulate.Exponential(time.Duration(f * float64(8*ms1))), Workers: 1}
	}},
}

// Two runs of the same server are called different in no more than 5 % of
// seeds, all percentiles of a comparison taken together. docs/compare.md says
// what other methods make of the same runs.
func TestSameServerIsNotCalledDifferent(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates hundreds of runs")
	}
	const seeds = 500
	for _, s := range servers {
		for _, n := range []int{1000, 2000, 5000} {
			wrong := 0
			for seed := range uint64(seeds) {
				s.load.Requests = n
				a := sideFrom(simulate.Run(s.load, s.server(1), 2*seed+1))
				b := sideFrom(simulate.Run(s.load, s.server(1), 2*seed+2))
				if len(different(a, b)) > 0 {
					wrong++
				}
			}
			t.Logf("%s, %d requests: %.1f %%", s.name, n, 100*float64(wrong)/seeds)
			if wrong > seeds*5/100 {
				t.Errorf("%s, %d requests: called different in %d of %d seeds", s.name, n, wrong, seeds)
			}
		}
	}
}

// A server that takes 10 % longer is found from the number of requests on that
// docs/compare.md states, in at least 80 % of seeds.
func TestTenPercentAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates hundreds of runs")
	}
	const seeds = 100
	fixed := func(f float64) simulate.Server { // as fixtures/compare: 10 ms and an exponential addition of mean 2 ms
		return simulate.Server{Service: added{time.Duration(f * float64(10*ms1)), simulate.Exponential(time.Duration(f * float64(2*ms1)))}}
	}
	for _, c := range []struct {
		name   string
		load   simulate.Load
		server func(float64) simulate.Server
		metric string
		n      int
	}{
		{"fixtures/compare", servers[0].load, fixed, "p50", 500},
		{"fixtures/compare", servers[0].load, fixed, "p99", 5000},
		{"independent", servers[0].load, servers[0].server, "p50", 7000},
		{"independent", servers[0].load, servers[0].server, "p99", 16000},
		{"closed, 10 workers on 4", servers[1].load, servers[1].server, "p50", 6000},
		{"closed, 10 workers on 4", servers[1].load, servers[1].server, "p99", 12000},
	} {
		found := 0
		c.load.Requests = c.n
		for seed := range uint64(seeds) {
			a := sideFrom(simulate.Run(c.load, c.server(1), 2*seed+1))
			b := sideFrom(simulate.Run(c.load, c.server(1.1), 2*seed+2))
			for _, x := range different(a, b) {
				if x == c.metric+" "+Slower {
					found++
				}
			}
		}
		t.Logf("%s, %s, %d requests: found in %d %%", c.name, c.metric, c.n, found*100/seeds)
		if found < seeds*80/100 {
			t.Errorf("%s, %s, %d requests: found in %d of %d seeds", c.name, c.metric, c.n, found, seeds)
		}
	}
}

// A tail that one stall made is one thing that happened, however many requests
// were in it: there is no interval that would call another run's tail another.
func TestOneStallIsOneThing(t *testing.T) {
	load := simulate.Load{Loop: simulate.Open, Workers: 1, Interval: ms1, Requests: 20_000}
	calm := simulate.Server{Service: simulate.Exponential(10 * ms1)}
	stalled := calm
	stalled.Stalls = []simulate.Stall{simulate.PauseAt(5*time.Second, 500*ms1)}
	a, b := sideFrom(simulate.Run(load, calm, 1)), sideFrom(simulate.Run(load, stalled, 2))
	for _, x := range different(a, b) {
		if x == "p99 slower" || x == "p99.9 slower" {
			t.Errorf("%s, of one stall", x)
		}
	}
	e := (&comparing{}).estimator(&b, measured)
	if g := e.percentile(latency.P99, 0.05); g.interval || g.why == "" || g.at < float64(100*ms1) {
		t.Errorf("%+v", g)
	}
}

// added is a fixed time and an addition to it.
type added struct {
	fixed time.Duration
	simulate.Distribution
}

func (a added) Draw(r *rand.Rand, n int) time.Duration {
	return a.fixed + a.Distribution.Draw(r, n)
}
