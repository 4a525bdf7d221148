package amplification

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// hot is a peer that is the slowest too often.
type hot struct {
	*peer
	expected float64 // how often it would be by chance
	bound    float64 // logarithm of a bound on the chance of that
}

// minPeers is the fewest peers that are compared.
const minPeers = 3

// hot returns the peers that are the slowest far more often than by chance, the
// one that costs most first.
//
// By chance a peer with c of the n calls of a request is the slowest with
// probability c/n. Of T requests it is so often as in T trials of the mean
// probability at most (Hoeffding 1956), the chance of k or more of which is at
// most exp(-T·D(k/T‖p)) (Chernoff 1952); times the number of peers, since the
// worst of all was picked.
func (o *hop) hot() []hot {
	var out []hot
	for _, p := range o.peers.m {
		if p.slowest < 5 {
			continue
		}
		h := hot{peer: p, expected: float64(p.chance) / (1 << 32)}
		k, t := float64(p.slowest), float64(p.requests)
		if h.expected <= 0 || h.expected >= t {
			continue
		}
		q := k / t
		rest := 0.0
		if q < 1 {
			rest = (1 - q) * math.Log((1-q)/(1-h.expected/t))
		}
		h.bound = -t*(q*math.Log(k/h.expected)+rest) + math.Log(float64(len(o.peers.m)))
		// Far more often: the odds of being the slowest are at least four times
		// what they should be. By far: a tenth of what the parents wait for their
		// calls in the mean, and a twentieth of all of it.
		mean, wait := p.excess/time.Duration(p.slowest), o.busy/time.Duration(o.requests)
		if h.bound > significant || k*(t-h.expected) < 4*h.expected*(t-k) || mean < max(wait/10, minWait) || p.excess < o.busy/20 {
			continue
		}
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b hot) int {
		return cmp.Or(cmp.Compare(b.excess, a.excess), cmp.Compare(a.name, b.name))
	})
	return out
}

// significant is the logarithm of a chance of one in a million: there are many
// hops, and a wrong alarm costs more than a late one.
const significant = -13.8

// minWait is what a wait must be at least to matter; below, the scheduler of the
// calling process decides who is last.
const minWait = time.Millisecond
