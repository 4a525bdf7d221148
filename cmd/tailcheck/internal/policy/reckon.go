package policy

import (
	"math"
	"time"
)

// Reckoned is what a chain amounts to at its worst.
type Reckoned struct {
	Hops      []ReckonedHop
	LeafCalls int64         // calls of the last service for one request of the entry; MostCalls: that or more
	Waits     time.Duration // the entry waits for its own call at most
	Deadline  time.Duration // when everybody above has given up; Forever: nobody does
	Given     bool          // the deadline was given, else it is when the entry gives up by itself
	Works     time.Duration // after which all work is over, if nobody is told that it is in vain
}

// ReckonedHop is one hop at its worst.
type ReckonedHop struct {
	Hop
	Reach int64         // calls of the callee for one request of the entry
	Try   time.Duration // one try lasts at most
	Wants time.Duration // all tries and pauses would last, were there no timeout
	Waits time.Duration // the caller waits at most
	Gives time.Duration // that a caller leaves the callee for one try
	Works time.Duration // from the first try, until all work below is over
}

// MostCalls is where calls are no longer counted.
const MostCalls = int64(1) << 53

// Reckon works a chain out.
//
// Calls: every try of every hop fails, at once; the product of tries (and of
// calls, where a caller makes several). A hop's retries fit into its timeout with
// the shortest pauses that its jitter allows, or are not counted.
//
// Time: every call hangs. A try ends with its own limit, or when the callee gives
// up, whichever is first; a hop ends with its timeout, or when all tries and their
// longest pauses are over. The last service never answers, unless it is known
// how long it works.
//
// Work in vain: that of a callee goes on as long as its own settings let it, after
// its caller has given up; where the deadline is passed on, no longer than that.
// Tries may fail late instead of hanging, so that the last one begins as late as
// all the others allow, but before the timeout. The last service is taken to stop
// with its caller, unless it is known how long it works.
func (c *Chain) Reckon() *Reckoned {
	r := &Reckoned{Hops: make([]ReckonedHop, len(c.Hops))}
	calls := int64(1)
	for i, h := range c.Hops {
		calls = multiply(multiply(calls, int64(h.Calls)), int64(h.Policy.reachable()))
		r.Hops[i] = ReckonedHop{Hop: h, Reach: calls}
	}
	r.LeafCalls = calls
	inner, below := Forever, Forever
	if c.Cost > 0 {
		inner, below = c.Cost, c.Cost
	}
	for i := len(c.Hops) - 1; i >= 0; i-- {
		x := &r.Hops[i]
		p := x.Policy
		n := int64(p.reachable())
		x.Try = min(p.PerTry, inner)
		x.Gives = min(p.PerTry, p.Timeout)
		var last time.Duration // the last try starts
		switch {
		case p.Hedge: // tries run side by side, each as long as the callee
			x.Try, x.Gives = inner, p.Timeout
			last = times(n-1, p.Delay)
			x.Wants = add(last, inner)
		case x.Try == Forever: // the first never ends
			x.Wants = Forever
		default:
			last = add(times(n-1, x.Try), p.Backoff.pauses(int(n), true))
			x.Wants = add(last, x.Try)
		}
		last = min(last, p.Timeout)
		x.Waits = min(p.Timeout, x.Wants)
		if below == Forever && i == len(c.Hops)-1 {
			x.Works = x.Waits
		} else {
			x.Works = max(x.Waits, add(last, below))
		}
		if p.PassesOn {
			x.Works = x.Waits
		}
		inner, below = times(int64(x.Calls), x.Waits), times(int64(x.Calls), x.Works)
	}
	// several calls of the first hop are one after another, too
	r.Waits, r.Works = inner, below
	r.Deadline, r.Given = c.Deadline, c.Deadline > 0
	if !r.Given {
		r.Deadline = r.Waits
	}
	return r
}

// reachable returns how many tries fit into the timeout if each fails at once.
func (p *Policy) reachable() int {
	n := p.Tries
	for n > 1 && !p.Hedge && p.Backoff.pauses(n, false) >= p.Timeout {
		n--
	}
	return n
}

func multiply(a, b int64) int64 {
	if b > 0 && a > MostCalls/b {
		return MostCalls
	}
	return a * b
}

// Expected returns the calls of the last service for one request where each call
// of each hop fails with the given probability by itself: the product over the
// hops of 1 + f + f² + … , as many terms as tries.
func (r *Reckoned) Expected(f float64) float64 {
	product := 1.0
	for _, h := range r.Hops {
		n := h.Policy.reachable()
		mean := float64(n)
		if f < 1 {
			mean = (1 - math.Pow(f, float64(n))) / (1 - f)
		}
		product *= mean * float64(h.Calls)
	}
	return product
}
