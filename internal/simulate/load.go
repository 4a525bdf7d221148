package simulate

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Loop says what decides when the next request is sent.
type Loop uint8

// Loops. All but Closed have a plan: due times at the rate Workers / Interval.
const (
	// Closed workers send when their answer has come, with no think time (hey
	// without -q, wrk, ab). Interval is ignored: there is no plan.
	Closed Loop = iota

	// Paced workers wait for the next tick of their own clock, and ticks that
	// pass meanwhile are lost, all but the first of them (hey -q: a ticker
	// holds one tick). All clocks tick together, first after one Interval.
	Paced

	// Scheduled workers each have a part of the schedule and send what they
	// are late with back to back (wrk2, YCSB -target).
	Scheduled

	// Pooled workers share one schedule: whoever is free takes the request
	// that is due next (vegeta -max-workers, oha -q).
	Pooled

	// Open sends every request when it is due, however many are in flight.
	Open
)

func (l Loop) String() string {
	return [...]string{"closed", "paced", "scheduled", "pooled", "open"}[l]
}

// Omits reports whether requests that the plan wanted are never sent when
// answers are late.
func (l Loop) Omits() bool { return l == Closed || l == Paced }

// Load is how requests are offered.
type Load struct {
	Loop Loop

	// Workers is the number of connections, each with one request at a time.
	// 0 counts as 1. An open loop has none: there it only scales the rate.
	Workers int

	// Interval is the planned time between two requests of one worker. The
	// whole load's rate is Workers / Interval, due evenly, first at 0 (Paced:
	// see there). 0 with a loop that needs one counts as 1 ns.
	Interval time.Duration

	// Poisson makes due times of Open and Pooled random, with exponential
	// gaps of mean Interval / Workers before each, the first too.
	Poisson bool

	Requests int           // how many; Closed, Paced: shared out evenly in advance, as hey does; 0: no limit
	Length   time.Duration // nothing is due, and nothing of a closed loop sent, at or after it; 0: no limit
}

// Open returns the load as users would have offered it who do not wait for
// each other: the same plan, kept. Its run is the truth about a server.
func (l Load) Open() Load {
	l.Loop = Open
	return l
}

// Rate returns the planned requests a second of all workers; 0: no interval.
func (l Load) Rate() float64 {
	if l.Interval <= 0 {
		return 0
	}
	return float64(max(l.Workers, 1)) / l.Interval.Seconds()
}

// String returns "paced, 4 workers, 50/s".
func (l Load) String() string {
	s := l.Loop.String()
	switch n := max(l.Workers, 1); {
	case l.Loop == Open:
	case n == 1:
		s += ", 1 worker"
	default:
		s += fmt.Sprintf(", %d workers", n)
	}
	if l.Interval > 0 {
		s += fmt.Sprintf(", %.4g/s", l.Rate())
	}
	return s
}

// maxExpected bounds the room made in advance; longer runs grow.
const maxExpected = 1 << 24

func (l Load) expected() int {
	n := l.Requests
	if l.Length > 0 && l.Interval > 0 {
		if planned := l.Rate()*l.Length.Seconds() + 1; n <= 0 || planned < float64(n) {
			n = int(min(planned, maxExpected))
		}
	}
	return min(max(n, 0), maxExpected)
}

// plan yields the due times of a schedule that is not parted among workers.
type plan struct {
	Load
	rng  *rand.Rand
	sent int
	last time.Duration
}

// next returns the next due time, and false when the load is over.
func (p *plan) next() (time.Duration, bool) {
	if p.Requests > 0 && p.sent >= p.Requests {
		return 0, false
	}
	var due time.Duration
	if p.Poisson {
		gap := p.rng.ExpFloat64() * float64(p.Interval) / float64(p.Workers)
		due = p.last + nanoseconds(gap)
		p.last = due
	} else {
		due = p.due(p.sent)
	}
	if p.Length > 0 && due >= p.Length {
		return 0, false
	}
	p.sent++
	return due, true
}

// due is the time of the k-th request of an even plan, counted from 0, rounded
// down: k·Interval/Workers without the overflow of the product.
func (l Load) due(k int) time.Duration {
	w := l.Workers
	return time.Duration(k/w)*l.Interval + time.Duration(k%w)*l.Interval/time.Duration(w)
}

// defaults fills in what Load promises for zero values.
func (l Load) defaults() Load {
	l.Workers = max(l.Workers, 1)
	l.Interval = max(l.Interval, 1)
	return l
}

func (l Load) open(out []Request, s *serving, rng *rand.Rand) []Request {
	p := plan{Load: l.defaults(), rng: rng}
	for {
		due, ok := p.next()
		if !ok {
			return out
		}
		out = append(out, Request{Due: due, Start: due, End: s.serve(due)})
	}
}

func (l Load) pooled(out []Request, s *serving, rng *rand.Rand) []Request {
	p := plan{Load: l.defaults(), rng: rng}
	free := newWorkers(p.Workers)
	for {
		due, ok := p.next()
		if !ok {
			return out
		}
		w := &free[0]
		start := max(due, w.at)
		w.at = s.serve(start)
		out = append(out, Request{due, start, w.at, w.id + 1})
		free.down(0)
	}
}
