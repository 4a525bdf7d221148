package omission

import (
	"math"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// plan is what the load was meant to be, and what became of it.
type plan struct {
	rate     float64       // requests a second of all workers; 0: not known
	interval time.Duration // between requests of one worker; 0: not known
	rateFrom string

	sent     float64 // requests sent
	due      float64 // requests that the rate wanted in the time of the run; 0: not known
	tooShort bool    // the interval is below the median latency: no worker can keep it

	missing int64  // requests due and never sent; -1: not known
	how     string // how they were counted

	fillLow, fillHigh float64 // requests that a fill at the interval would add
}

// Tolerances of the rate, in shares of it.
const (
	rateKept   = 0.97 // below it the rate was not reached (knowledge: 0.99 is fine, 0.97 is not)
	rateBeaten = 1.03 // above it the run sent faster than planned, so that its number of requests proves nothing
	fewest     = 30   // requests due, below which a share means nothing
	saturated  = 0.9  // of the workers' time spent waiting, from which on nothing paces them
)

func (f *facts) findPlan() {
	p, run := &f.plan, f.run
	p.missing = -1
	p.interval, p.rate, p.rateFrom = run.Interval, run.Rate, fact(run.RateFrom)
	workers := f.workers
	if !f.counted && !f.one() {
		workers = 0
	}
	if p.rate <= 0 && p.interval > 0 && workers > 0 {
		p.rate, p.rateFrom = workers/p.interval.Seconds(), fact(run.IntervalFrom)
	}
	if p.interval <= 0 && p.rate > 0 && workers > 0 {
		p.interval = time.Duration(min(workers/p.rate*1e9, math.MaxInt64/2))
	}
	p.sent = float64(f.spread.n + run.Lost)
	if run.Counted {
		p.sent = float64(run.Requests)
	}
	if p.rate > 0 {
		p.due = p.rate * f.sending()
	}
	if p.interval <= 0 || f.spread.n <= 0 {
		return
	}
	if median, ok := f.spread.at(latency.P50); ok && f.treated != ingest.FromSchedule {
		p.tooShort = int64(p.interval) < median
	}
	// The fill of HdrHistogram adds floor(v/i) - 1 samples for a sample v.
	p.fillLow, p.fillHigh = f.spread.sum(func(v int64) float64 { return float64(max(0, v/int64(p.interval)-1)) })
	// Without pacing the number of requests says how fast the server was, not
	// what was left out: gaps are counted then.
	paced := p.due > 0 && p.sent <= rateBeaten*p.due && f.inFlight < saturated*f.workers && len(f.parts) == 1
	switch {
	case run.Loop == ingest.Open || run.CatchUp || f.timed():
	case f.one() && f.axis != nil:
		p.missing, p.how = f.axis.skipped(p.interval), "gaps between sends"
	case paced:
		p.missing, p.how = max(0, int64(math.Round(p.due-p.sent))), "rate x length - requests"
	default:
		p.missing, p.how = int64(p.fillLow), "lengths of requests"
	}
}

// sending returns the seconds in which the generator sent. Waiting for the last
// answers is no part of them.
func (f *facts) sending() float64 {
	if a := f.axis; a != nil {
		n := float64(len(a.pairs))
		between := a.pairs[len(a.pairs)-1].Start.Sub(a.pairs[0].Start).Seconds()
		if f.run.Loop != ingest.Closed && n > 1 {
			return between * n / (n - 1)
		}
	}
	if p := f.run.Planned.Seconds(); p > 0 && p < f.elapsed && f.run.Loop != ingest.Closed {
		return p
	}
	return f.elapsed
}

// skipped counts the due times that one worker let pass between its sends:
// Σ max(0, floor(gap/interval) - 1).
func (a *axis) skipped(interval time.Duration) int64 {
	var n int64
	for i := 1; i < len(a.pairs); i++ {
		n += max(0, int64(a.pairs[i].Start.Sub(a.pairs[i-1].Start)/interval)-1)
	}
	last := a.pairs[len(a.pairs)-1]
	return n + max(0, int64(last.Latency/interval)-1)
}

// reached returns the share of the planned requests that were sent; 0 where
// there is no plan, or too little of it.
func (f *facts) reached() float64 {
	p := &f.plan
	switch {
	case f.run.Dropped > 0:
		return p.sent / (p.sent + float64(f.run.Dropped))
	case p.due >= fewest:
		return p.sent / p.due
	}
	return 0
}

// omitted reports whether the plan proves that requests were not sent while
// others were waited for, and whether it proves that none were left out. What
// is missing must be about what a fill would add: then the slow requests
// explain it.
func (f *facts) omitted() (yes, no bool) {
	p := &f.plan
	if p.missing < 0 || p.tooShort || !f.waits() {
		return false, false
	}
	// What the first wave of requests cost is its own matter.
	wave := f.waveFill()
	m, low, high := float64(p.missing)-wave, p.fillLow-wave, p.fillHigh-wave
	if low >= leastMissing && m < 0.3*low || high < leastMissing && m < leastMissing {
		return false, true
	}
	return m >= leastMissing && m >= leastShare*(p.sent+m) && high >= 0.5*m, false
}

// waveFill is what of a fill is due to the first requests of the workers, where
// they are slow.
func (f *facts) waveFill() (sum float64) {
	if f.tail.wave > 0 {
		for _, p := range f.axis.pairs[:f.axis.wave] {
			sum += float64(max(0, int64(p.Latency/f.plan.interval)-1))
		}
	}
	return sum
}

// What must be missing before a word is said: so many requests, and a share of
// all that can touch the percentiles that people look at.
const (
	leastMissing = 5
	leastShare   = 0.005
)
