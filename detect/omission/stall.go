package omission

import (
	"fmt"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// verdict is what the slow requests of a distribution were.
type verdict struct {
	kind       kind
	confidence detect.Confidence
	proof      proof
	stalls     int   // times in which nothing happened; 0: not seen on a time axis
	longest    int64 // of them, ns
	share      float64
	alone      int // slow requests during which others went on
}

type kind uint8

const (
	nothing  kind = iota // or it cannot be told
	omission             // the generator waited and did not send
	isolated             // some requests were slow while others went on
	others               // the same, of a tail that is nothing special
)

// proof says what the verdict rests on.
type proof uint8

const (
	byAxis proof = iota + 1
	byPlan
	bySummary
)

// Thresholds of the summary's evidence.
const (
	unseen     = 0.7   // share of the expected slow requests that must be missing
	touches    = 0.001 // share of the run that the stalls must last to touch p99.9
	starved    = 0.9   // of the run's length, from which on a request says nothing but that it never got its turn
	leastStall = 3     // times the highest percentile below it, that a stall seen on the time axis lasts
	goingOn    = 0.25  // of the mean rate, from which on others went on
	ending     = 0.6   // of those in flight in a stall, that must end with it
)

// byClock reports whether the generator means to send by the clock.
func (f *facts) byClock() bool {
	return f.run.Loop == ingest.Open || f.run.Loop == ingest.Scheduled
}

// judge tells omission from slowness that nobody had to wait for, by the checks
// of a finished report in their order. What an earlier check explains is not
// judged again.
func (f *facts) judge() verdict {
	t := &f.tail
	switch {
	case !f.usable(), t.n < 2, t.gap == 0 && f.plan.missing <= 0:
		return verdict{}
	case len(f.contradictions()) > 0:
		return verdict{} // check 2
	case f.corrected(), f.occupancy() > overfull:
		return verdict{} // check 3
	case f.treated == ingest.TreatmentUnknown && f.spread.source != samples:
		return verdict{} // check 3: what it is not known to be is not judged
	}
	// An open loop that never stood still sent everything.
	if v := f.judgeAxis(); v.kind != nothing || f.timed() || f.axis != nil && f.run.Loop == ingest.Open {
		return v
	}
	if f.connect.found {
		return verdict{}
	}
	if float64(t.max) >= starved*f.elapsed*1e9 && f.elapsed > 0 {
		return verdict{}
	}
	if rate := f.reached(); rate > 0 && rate < rateKept && f.run.Loop != ingest.Closed && !f.stallExplains() {
		return verdict{} // check 5
	}
	if f.plan.tooShort {
		return f.judgeSummary()
	}
	switch yes, no := f.omitted(); { // check 6
	case no:
		return verdict{}
	case yes && f.counted && float64(t.seenHigh) < f.workers/2:
		return verdict{} // some workers only
	case yes:
		confidence := detect.High
		if !f.one() && !f.counted {
			confidence = detect.Medium
		}
		return verdict{kind: omission, confidence: confidence, proof: byPlan}
	}
	return f.judgeSummary()
}

// judgeAxis is check 9: times in which nothing was sent and nothing answered
// although somebody waited are stalls of everything, and slow requests during
// which others came and went are slow alone. With one worker every request is
// both, and the axis says nothing.
func (f *facts) judgeAxis() verdict {
	a, t := f.axis, &f.tail
	if a == nil || f.spread.source != samples || a.serial && !f.byClock() {
		return verdict{}
	}
	var v verdict
	var total int64
	for _, g := range a.gaps {
		length := int64(g.length())
		base, known := f.below(length / 2)
		switch {
		case g.from >= a.pairs[len(a.pairs)-1].Start:
			// Nothing was to be sent any more.
		case g.first == g.inFlight && t.wave > 0:
		case 2*float64(g.inFlight) <= f.workers:
			// The others were not waiting, and sent nothing: the generator
			// paused, or the run was about to end.
		case float64(g.ended) < ending*float64(g.inFlight):
			// They do not end together: slow ones that met by chance.
		case known == 0 || float64(length) < leastStall*float64(max(base, 1)):
		default:
			v.stalls++
			total += length
			v.longest = max(v.longest, length)
		}
	}
	if v.stalls > 0 && !f.timed() {
		v.kind, v.proof, v.confidence = omission, byAxis, detect.High
		if v.share = float64(total) / 1e9 / f.elapsed; v.share < touches {
			v.confidence = detect.Low
		}
		return v
	}
	// Others came and went while the slow ones waited: whatever is missing, a
	// fill would invent a loss.
	if alone := f.alone(); alone > 0 {
		v = verdict{kind: others, confidence: detect.High, proof: byAxis, alone: alone}
		if t.gap >= t.ordinary {
			v.kind = isolated
		}
		return v
	}
	return verdict{}
}

// alone returns how many of the slow requests waited while others were sent and
// answered at a quarter of the mean rate or more, where that is so for most of them; else 0.
func (f *facts) alone() int {
	alone, stuck := 0, 0
	for _, s := range f.tail.slow {
		slots := f.rate * s.Latency.Seconds()
		switch {
		case s.Start == 0:
		case slots >= leastMissing && f.axis.passed(s) >= goingOn*slots && f.axis.covered(s) < 0.5:
			alone++
		default:
			stuck++
		}
	}
	if alone < 2*stuck {
		return 0
	}
	return alone
}

// judgeSummary is checks 7 and 8: whether a plain report can be believed.
func (f *facts) judgeSummary() verdict {
	t := &f.tail
	if t.n < fewSamples || t.gap < t.ordinary || t.expected < leastMissing || t.omegaTop < unseen {
		return verdict{}
	}
	v := verdict{kind: omission, confidence: detect.Low, proof: bySummary}
	if f.workers > 0 && float64(t.seenHigh) < f.workers/2 {
		v.kind = isolated
		if f.counted {
			v.confidence = detect.Medium
		}
		return v
	}
	switch {
	case f.run.Loop != ingest.Closed && f.run.Loop != ingest.Scheduled:
	case f.axis != nil && !f.axis.serial: // it would have shown the stall
	case len(f.parts) > 1: // the workers are those of all operations
	case t.omegaLow < unseen, float64(t.max)/1e9 < touches*f.elapsed:
	case f.one(), !f.counted && float64(t.seenLow) >= f.workers/2:
		v.confidence = detect.Medium
	case wholeStalls(t.seenLow, t.seenHigh, f.workers):
		v.confidence = detect.Medium
	}
	return v
}

// wholeStalls reports whether the slow requests are as many as a few stalls of
// all workers leave: each of them one for each worker, give or take a tenth.
func wholeStalls(low, high int64, workers float64) bool {
	for stalls := 1.0; stalls <= fewStalls; stalls++ {
		if float64(low) >= 0.9*stalls*workers && float64(high) <= 1.1*stalls*workers {
			return true
		}
	}
	return false
}

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
	slow := fmt.Sprintf("%s of %d took more than %s, up to %s", span(t.seenLow, t.seenHigh), t.n, ms(t.max/2), ms(t.max))
	if t.seenLow == 1 && t.seenHigh == 1 {
		slow = fmt.Sprintf("1 request of %d took %s", t.n, ms(t.max))
	}
	switch {
	case t.baseAt != 0:
		slow += fmt.Sprintf(" where %v is %s (raw)", t.baseAt, ms(t.base))
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
		e.add(fmt.Sprintf("max / %v", t.baseAt), short(t.gap), "up to "+short(t.ordinary)+" is ordinary for this many samples")
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

// each asks a question of every distribution.
func each(t *detect.Table, ask func(*facts) *detect.Finding) []detect.Finding {
	var out []detect.Finding
	for _, l := range loads(t) {
		for _, f := range l.parts {
			if found := ask(f); found != nil {
				found.Inputs, found.Op = []int{f.in.Index}, f.op
				out = append(out, *found)
			}
		}
	}
	return out
}
