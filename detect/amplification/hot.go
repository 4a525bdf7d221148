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
// one that costs most first. By chance a peer with c of the n calls of a request
// is the slowest with probability c/n. The bound is multiplied by the number of
// peers, since the worst of all is looked for.
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
		h.bound = binomialBound(k, t, h.expected) + math.Log(float64(len(o.peers.m)))
		// Far more often: the odds of being the slowest are at least four times
		// what they should be. By far: a tenth of what the parents wait for their
		// calls in the mean, and users wait for that, a twentieth of all of it.
		mean, wait := p.excess/time.Duration(p.slowest), o.busy/time.Duration(o.requests)
		if h.bound > significant || k*(t-h.expected) < 4*h.expected*(t-k) || mean < max(wait/10, minWait) || p.lost < o.busy/20 {
			continue
		}
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b hot) int {
		return cmp.Or(cmp.Compare(b.lost, a.lost), cmp.Compare(a.name, b.name))
	})
	return out
}

// significant is the logarithm of a chance of one in a million: there are many
// hops, and a wrong alarm costs more than a late one.
const significant = -13.8

// minWait is what a wait must be at least to matter; below, the scheduler of the
// calling process decides who is last.
const minWait = time.Millisecond

// binomialBound returns the logarithm of a bound on the chance of k or more of t
// trials, where so many are expected: exp(-t·D(k/t‖expected/t)) (Chernoff 1952),
// also if the trials differ in their probability (Hoeffding 1956).
func binomialBound(k, t, expected float64) float64 {
	d := k / t * math.Log(k/expected)
	if k < t {
		d += (t - k) / t * math.Log((t-k)/(t-expected))
	}
	return -t * d
}
