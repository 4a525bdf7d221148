package amplification

import (
	"fmt"
	"math"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// HotPeer finds one peer of many that requests wait for.
var HotPeer = detect.Detector{
	Name: "hot-peer", Severity: detect.Warning, Reads: ingest.KindTrace,
	Doc: `One peer is the slowest of those called far too often

Of N peers that are called in parallel each should be the slowest in one of N
requests. Where one is so in far more, requests do not wait for bad luck but for
that peer: a hot shard, a bad host, a neighbour that takes its time. It is the
slowest of few that is looked for, in each hop by itself.

It rests on the peer that client spans name (attributes: address and port,
service or cluster) and on the times of parallel calls that their parent waited
for, all of one operation and of at least three peers. A peer called c times in
a request of n calls is expected to be the slowest with probability c/n. Reported
is one whose odds of being the slowest are at least four times the expected
ones, so often that the chance of it is below one in a million for the whole hop
(a binomial test by Chernoff's bound, times the number of peers; Hoeffding 1956
for unequal n), and by much: a tenth of the wait for such calls, 1 ms, and a
twentieth of all that is waited for. Confidence is high from fifty requests and a
chance below one in 10^12. The cost is the time by which its call exceeded the
slowest of all other peers, on critical paths.

Not reported: calls that ask for different things (paths, services): then the
slowest is another service and not a hot peer; requests in which two calls took
equally long, as clocks of milliseconds have many; peers that are not named, or
by one name for all (a load balancer); calls one after another.`,
	New: func() detect.Tally { return &hops{judge: hotPeer, peer: true} },
}

// HotPeerNumbers are the numbers of a hot-peer finding.
type HotPeerNumbers struct {
	Peer     string  `json:"peer"`
	Slowest  int64   `json:"slowest"`  // requests in which it was the slowest
	Expected float64 `json:"expected"` // by chance
	Requests int64   `json:"requests"` // in which it was called
	Peers    int     `json:"peers"`    // that were called in the hop
	Excess   float64 `json:"excess_ms"`
}

func hotPeer(_ *hops, k hopKey, o *hop) *detect.Finding {
	if o.judged < minRequests || o.unsure > 0 {
		return nil
	}
	waited := ratio(o.requests, o.requests+o.cut+o.pruned)
	if waited < minWaited || ratio(o.beside, o.others) < minBeside {
		return nil
	}
	list := o.hot()
	if len(list) == 0 {
		return nil
	}
	p := list[0]
	f := &detect.Finding{Confidence: detect.Medium, Exemplars: p.worst.ids()}
	if p.requests >= sureRequests && p.bound < verySignificant {
		f.Confidence = detect.High
	}
	f.Numbers = HotPeerNumbers{p.name, p.slowest, math.Round(p.expected*10) / 10, p.requests, len(o.peers.m), inMs(p.excess)}
	more := ""
	if len(list) > 1 {
		more = fmt.Sprintf(" (and %s likewise)", count(int64(len(list)-1), "other"))
	}
	f.Message = fmt.Sprintf("%s%s is the slowest of %d peers that are asked for %s in %d of %s; by chance it would be %s",
		clip(p.name), more, len(o.peers.m), k.calls(), p.slowest, count(p.requests, "request"), short(p.expected))
	e := (*evidence)(&f.Evidence)
	for i, p := range list[:min(3, len(list))] {
		e.addf(clip(p.name)+" the slowest", fmt.Sprintf("%s by chance", short(p.expected)), "%d of %d", p.slowest, p.requests)
		e.addf("chance of that", "below 1e-6", "below %s", chance(p.bound))
		e.addf("slower than the next, mean", "", "%s", ms(p.excess/time.Duration(p.slowest)))
		f.Impact = add(f.Impact, p.lost)
		if i > 0 {
			f.Exemplars = merged(list)
		}
	}
	if o.tied > 0 {
		e.addf("requests without one slowest", "", "%d, not counted", o.tied)
	}
	e.add("rests on", "peers named, times", "")
	f.Remedy = "Look at that peer first: its load, what it holds (hot keys, a larger shard), its host, its garbage collection. Spread what is hot over more peers, or balance by latency; where a replica can answer, hedge calls to it meanwhile."
	return f
}

// verySignificant is the logarithm of a chance of one in 10^12.
const verySignificant = -27.6

// chance writes a chance that is given as a logarithm.
func chance(log float64) string {
	e := math.Ceil(log / math.Ln10)
	if e < -99 {
		return "1e-99"
	}
	return fmt.Sprintf("1e%.0f", e)
}

// merged returns the exemplars of all.
func merged(list []hot) []string {
	var all worst
	for _, p := range list {
		all.merge(&p.worst)
	}
	return all.ids()
}
