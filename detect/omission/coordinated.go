package omission

import (
	"fmt"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// OmissionNumbers are the numbers of a coordinated-omission finding. Null: not known.
type OmissionNumbers struct {
	MaxOverP99 *float64 `json:"max_over_p99"`
	Expected   *float64 `json:"expected_above_half_max"` // by one stall of everything at the mean rate
	Seen       *int64   `json:"seen_above_half_max"`     // at most
	Missing    *int64   `json:"missing_requests"`        // due and never sent; null without a plan
}

func (f *facts) omissionNumbers() OmissionNumbers {
	var n OmissionNumbers
	t := &f.tail
	if t.p99 > 0 {
		v := round(float64(t.max) / float64(t.p99))
		n.MaxOverP99 = &v
	}
	if t.expected > 0 {
		v := round(t.expected)
		n.Expected = &v
	}
	seen := t.seenHigh
	n.Seen = &seen
	if f.plan.missing >= 0 && !f.plan.tooShort {
		missing := f.plan.missing
		n.Missing = &missing
	}
	return n
}

// CoordinatedOmission finds reports whose generator waited where it should have sent.
var CoordinatedOmission = detect.Detector{
	Name: "coordinated-omission", Severity: detect.Warning, Reads: ingest.Load,
	Doc: `The load generator stopped sending while it waited

A generator that waits for an answer before it sends the next request (a closed
loop) sends nothing while the server stalls. A stall of two seconds then leaves
one slow sample for each worker instead of one for every request that users
would have sent meanwhile, and percentiles look far better than what users met.

What it rests on, strongest first. The time axis: times in which requests were
in flight and nothing at all was sent or answered, long enough that the mean
rate promised ln(n)+7 requests in them. The plan: requests that rate x length
promised, or that fell into gaps between sends, are missing, and about as many
as the slow requests explain (Σ floor(L/interval)-1, the count that
HdrHistogram's recordValueWithExpectedInterval adds). The summary alone: the
slowest request is further above p99 than the number of samples explains, and
arrivals at the mean rate would have put X·max/2 requests above half of it
where only k were seen (k at least half of the workers, because a stall of
everything catches each of them). Confidence is high by axis or plan, medium by
a clear summary, low where k is only known within bounds or does not fit the
number of workers. Gil Tene, "How NOT to Measure Latency" (2013) and the README
of wrk2; HdrHistogram; Little, "A Proof for the Queuing Formula L = λW" (1961).

Not reported: what the tool corrected itself (already-corrected), what was
timed from a schedule or has due times, slow requests during which others went
on (isolated-slowness), the first requests of the workers (cold-start),
connection set-up (connect-tail), a run that keeps its plan, a tail that n
explains (30 times p99 is much for 12 000 samples and ordinary for a million),
fewer than 100 samples without a plan. With one worker a slow request and a
stall of everything look the same: the finding says that nothing was sent, not
that everything was slow.`,
	Judge: func(t *detect.Table) []detect.Finding {
		return each(t, func(f *facts) *detect.Finding {
			if f.verdict.kind != omission {
				return nil
			}
			return f.omission()
		})
	},
}

func (f *facts) omission() *detect.Finding {
	t, v := &f.tail, &f.verdict
	out := &detect.Finding{Confidence: v.confidence, Numbers: f.omissionNumbers()}
	slow := fmt.Sprintf("%s of %d requests took more than %s, up to %s", span(t.seenLow, t.seenHigh), t.n, ms(t.max/2), ms(t.max))
	if t.seenLow == 1 && t.seenHigh == 1 {
		slow = fmt.Sprintf("1 request of %d took %s", t.n, ms(t.max))
	}
	switch {
	case t.baseAt != 0:
		slow += " where " + t.baseWords() + " (raw)"
	default:
		slow += " (raw)"
	}
	switch v.proof {
	case byAxis:
		out.Message = fmt.Sprintf("%s: for %s in all (%s of the run) nothing was sent and nothing answered while requests waited, so that what users would have met then is not in the percentiles", slow, ms(int64(v.share*f.elapsed*1e9)), percent(v.share))
	case byPlan:
		out.Message = fmt.Sprintf("%s, and the generator waited: %s due at one every %s per worker %s never sent, so that what they would have met is not in the percentiles", slow, count(f.plan.missing, "request"), msOf(f.plan.interval), were(f.plan.missing))
	default:
		out.Message = fmt.Sprintf("%s, and the generator seems to have waited: arrivals at the mean rate of %s would have put about %s requests above %s", slow, perSecond(f.rate), short(t.expected), ms(t.max/2))
	}
	e := (*evidence)(&out.Evidence)
	if t.baseAt != 0 {
		e.add(fmt.Sprintf("max / %v", t.baseAt), t.gapWords(), "up to "+short(t.ordinary)+" is ordinary for this many samples")
	} else {
		e.add("max", ms(t.max), "")
	}
	if t.has {
		e.at(t.at)
	}
	if v.proof == bySummary {
		e.add("implied tail index", short(t.index()), "")
	}
	if v.stalls > 0 {
		e.add("times without any event", fmt.Sprintf("%d, the longest %s", v.stalls, ms(v.longest)), fmt.Sprintf("below %s at this rate", ms(int64(silence(int64(len(f.axis.pairs)))/f.rate*1e9))))
	}
	if t.expected > 0 {
		e.add("requests above half of the maximum", span(t.seenLow, t.seenHigh), "about "+short(t.expected)+" by arrivals at the mean rate")
	}
	if f.plan.missing >= 0 && !f.plan.tooShort {
		e.add("requests due and not sent, by "+f.plan.how, fmt.Sprint(f.plan.missing), "0")
	}
	if f.workers > 0 {
		e.add("workers", f.workersWords(), "")
	}
	out.Remedy = "Judge the corrected percentiles, not these, and measure again with a load that is sent by the clock, however long answers take (an open loop)."
	if f.plan.interval <= 0 {
		out.Remedy = "Measure again with a load that is sent by the clock, however long answers take (an open loop); or give the planned time between requests of one worker (--interval, or --rate and --workers) to see corrected percentiles."
	}
	return out
}

func were(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
