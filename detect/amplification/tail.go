package amplification

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// TailAmplification finds requests whose median is the tail of what they call.
var TailAmplification = detect.Detector{
	Name: "tail-amplification", Severity: detect.Warning, Reads: ingest.KindTrace,
	Doc: `Requests wait for the slowest of many parallel calls

A request that waits for N parallel calls is as slow as the slowest of them. If
one call in a hundred is slow, of requests with 69 calls half meet a slow one,
since 1-0.99^69 = 0.5: what is p99 of a call is the median of the request. In
general the median request meets the quantile 0.5^(1/N) of the calls; N is what
is seen in the traces, with all its values.

It is reported where all of this holds, over at least ten requests: calls of one
operation under one parent, ten or more, that run at the same time; the parent
waited for all of them, and for little else; the slowest takes most of the time
in which they run, and requests are slow when their slowest call is (rank
correlation); the median request waits at least three times as long as a call
takes in the median. All of it is shape, the times of spans; no attribute says
that a parent waits. Confidence is high from fifty requests on, if the rank
correlation is strong and the median of the requests is about where independent
calls would put it. Dean and Barroso, "The Tail at Scale" (CACM 2013).

Which quantile the median request meets is said beside the one that independent
calls would give, and so is the share of requests that meet a call beyond p99. If
that share is below 1-(1-p)^N, slow calls come together (a shared host, a shared
database): fewer requests are hit, but hit harder, and hedging brings less. What
half the calls, hedging, and answering without the last of them would give is
worked out from the calls that were seen, as if independent. The cost is the
time by which the last call exceeded the median of its siblings, on critical
paths only.

Not reported: calls one after another (their times add up: serial-fan-out), and
calls few of which overlap; parents that end while calls still run, cancel them,
or take as long whatever the slowest does (a quorum, the first k, a deadline with
partial results); work of queue consumers and calls that nobody waits for;
commands that share one round trip; commands to a store that has fewer servers
than half of them (mget-storm and n-plus-one look at those); calls that ask for different things (paths,
services), such as a page of thirteen; one peer that explains most of it
(hot-peer); fan-outs that a collector replaced by summaries; parents that are
not in the traces. A few calls fewer than were made (dropped spans) cannot be
seen: their number is at least what is said.`,
	New: func() detect.Tally { return &hops{judge: tailAmplification} },
}

// TailNumbers are the numbers of a tail-amplification finding. Root is the span
// that makes the calls.
type TailNumbers struct {
	FanOut       int64   `json:"fan_out"` // calls of the median request
	LeafP50      float64 `json:"leaf_p50_ms"`
	LeafP99      float64 `json:"leaf_p99_ms"`
	LeafQuantile float64 `json:"leaf_quantile_at_root_median"` // share of calls that take no longer than the median request waits for its calls
	Expected     float64 `json:"expected_quantile"`            // of independent calls: 0.5^(1/fan_out), over all numbers of calls that were seen
	RootP50      float64 `json:"root_p50_ms"`
}

// Limits of what is amplification. They are this project's own, set so that the
// fan-outs known to be healthy (fixtures/trace/fan-out-8) are far from them.
const (
	minRequests   = 10   // requests; fewer say nothing about a median
	sureRequests  = 50   // requests from which confidence may be high
	minCalls      = 10   // calls of the median request: with fewer it meets no tail, 0.5^(1/10) = 0.93
	minFactor     = 3    // median wait of a request, in medians of a call
	minWaited     = 0.8  // share of fan-outs whose parents waited for all calls
	minBeside     = 0.5  // share of calls that ran at the time of the slowest
	minSlowest    = 0.7  // the slowest calls, of the time in which calls ran
	minOfParents  = 0.5  // time in which calls ran, of that of the parents
	minRank       = 0.5  // rank correlation of a request and its slowest call
	sureRank      = 0.8  // that from which confidence may be high
	failing       = 0.05 // share of calls that fail from which they are taken for overloaded
	farTogether   = -4   // standard errors below what independence gives
	minDispersion = 1.5  // variance of slow calls, of that of independence
)

func tailAmplification(h *hops, k hopKey, o *hop) *detect.Finding {
	calls := o.widths.Percentile(latency.P50)
	if o.requests < minRequests || calls < minCalls || o.lost <= 0 || 2*o.keyed > o.requests {
		return nil
	}
	waited := ratio(o.requests, o.requests+o.cut+o.pruned)
	beside := ratio(o.beside, o.others)
	slowest := ratio(o.longest, o.busy)
	ofParents := ratio(o.busy, o.parents)
	if waited < minWaited || beside < minBeside || slowest < minSlowest || ofParents < minOfParents {
		return nil
	}
	wait, p50 := time.Duration(o.waits.Percentile(latency.P50)), time.Duration(o.leaves.Percentile(latency.P50))
	if wait < minFactor*p50 || wait-p50 < minWait {
		return nil
	}
	rank := o.sample.correlation()
	if rank < minRank {
		return nil
	}
	hot := o.hot()
	if len(hot) > 0 && hot[0].excess > o.stragglers/2 {
		return nil
	}

	widths, leaves := widthsOf(&o.widths), newLeaves(&o.leaves)
	met, expected := leaves.share(int64(wait)), slowestQuantile(widths, 1)
	p99, root := time.Duration(o.leaves.Percentile(latency.P99)), time.Duration(o.roots.Percentile(latency.P50))
	slow, judged := o.slow.judge(o.requests, widths)
	shared := judged && slow.z < farTogether && slow.dispersion > minDispersion

	f := &detect.Finding{Confidence: detect.Medium, Exemplars: o.worst.ids(), Impact: o.lost}
	f.Numbers = TailNumbers{calls, inMs(p50), inMs(p99), round4(met), round4(expected), inMs(root)}
	far := (1 - met) / (1 - expected)
	switch {
	case o.requests < 2*minRequests || o.unsure > 0:
		f.Confidence = detect.Low
	case o.requests >= sureRequests && rank >= sureRank && far > 0.4 && far < 2.5:
		f.Confidence = detect.High
	}
	f.Message = fmt.Sprintf("each request waits for the slowest of %s%s parallel calls of %s: half of the requests take %s or more, which is the %s percentile of a call, whose median is %s",
		atLeast(o.partial > 0), o.width(), k.calls(), ms(root), ordinal(met), ms(p50))
	e := (*evidence)(&f.Evidence)
	e.addf("leaf quantile at root p50", quantile(expected)+" if independent", "%s", quantile(met))
	e.addf("leaf p50, p99", "", "%s, %s", ms(p50), ms(p99))
	if judged {
		e.addf("requests with a slow call ("+percent(slow.share)+")", percent(slow.expected)+" if independent", "%s", percent(slow.seen))
		e.addf("dispersion of slow calls", "1 if independent", "%s", short(slow.dispersion))
	}
	if shared {
		e.add("slow calls", "come together", "fewer hit, harder")
	}
	e.addf("slowest call, of root's time", "", "%s", percent(ratio(o.longest, o.parents)))
	e.addf("rank correlation of the two", "", "%.2f, %s", rank, count(int64(len(o.sample.list)), "request"))
	e.addf("calls at the slowest's time", "", "%s", percent(beside))
	e.addf("root p50 with half the calls", "if independent", "about %s", ms(o.elsewhere(root, wait, leaves.at(slowestQuantile(widths, 0.5)))))
	overloaded := shared || ratio(o.failed, o.calls) >= failing
	if after := leaves.at(0.95); !overloaded {
		e.addf("root p50 hedged after "+ms(after), "if independent", "about %s", ms(o.elsewhere(root, wait, leaves.hedged(expected, after))))
	}
	without := max(1, calls/20)
	e.addf(fmt.Sprintf("root p50 without the last %d", without), "if independent", "about %s", ms(o.elsewhere(root, wait, leaves.at(orderQuantile(calls-without, calls)))))
	e.add("rests on", "times of spans", "")
	f.Remedy = tailRemedy(shared, overloaded, hot) + h.commands(k, calls, overloaded)
	return f
}

// width writes how many calls requests make.
func (o *hop) width() string {
	if o.widths.Min() == o.widths.Max() {
		return fmt.Sprint(o.widths.Min())
	}
	return fmt.Sprintf("%d (%d to %d)", o.widths.Percentile(latency.P50), o.widths.Min(), o.widths.Max())
}

// elsewhere returns the median request if it waited for its calls as long as
// given, instead of wait.
func (o *hop) elsewhere(root, wait, instead time.Duration) time.Duration {
	return max(0, root-wait) + instead
}

func tailRemedy(shared, overloaded bool, hot []hot) string {
	first := ""
	if len(hot) > 0 {
		first = fmt.Sprintf("First see to %s, which is the slowest too often (hot-peer). ", clip(hot[0].name))
	}
	const fewer = "Ask fewer: batch calls for one peer, ask only those that can have an answer, or put in a level that asks a part each."
	const partial = "Answer at a deadline with what has come, where a part of the answers is still an answer (rankings, not sums)."
	switch {
	case shared:
		return first + "Slow calls come together: look for what they share (a host, a database, garbage collection) and mend that. " + fewer + " " + partial + " Do not hedge calls that are slow for a common reason."
	case overloaded:
		return first + "Many of the calls fail: mend that first, and send no hedges to what is overloaded. " + fewer + " " + partial
	}
	return first + fewer + " Hedge: where a replica can answer, send a call again when it has taken longer than its p95 (5 % more calls), and cancel the loser. " + partial
}

// commands work out the ways out for these calls: what each policy would bring,
// and where calls may be hedged, second calls replayed on those that were made.
func (h *hops) commands(k hopKey, calls int64, overloaded bool) string {
	op := h.asked(k)
	scatter := detect.Command("whatif", "scatter", "--from", "FILE", "--op", op, "--n", strconv.FormatInt(calls, 10))
	if overloaded {
		return scatter
	}
	return scatter + detect.Command("whatif", "hedge", "--from", "FILE", "--op", op)
}

// asked names calls as whatif knows them: by their operation, with who makes them
// where others make such calls as well.
func (h *hops) asked(k hopKey) string {
	for o := range h.all.m {
		if o != k && o.leaf.Op == k.leaf.Op {
			return nameOr(strings.TrimSpace(k.leaf.Op), "calls without a name") + " below " + strings.TrimSpace(k.parent.Service+" "+k.parent.Op)
		}
	}
	return k.leaf.Op
}
