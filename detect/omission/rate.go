package omission

import (
	"fmt"
	"math"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// RateNumbers are the numbers of saturated-run and rate-not-reached. Null: not known.
type RateNumbers struct {
	Planned  *float64 `json:"planned_rate"`  // requests a second
	Achieved *float64 `json:"achieved_rate"` // requests a second
	Reached  *float64 `json:"reached"`       // share of the planned requests that were sent
	Dropped  int64    `json:"dropped"`       // planned and never sent, as the tool says
}

func (f *facts) rateNumbers(reached float64) RateNumbers {
	n := RateNumbers{Dropped: f.run.Dropped}
	if f.plan.rate > 0 {
		planned := f.plan.rate
		n.Planned = &planned
	}
	if f.elapsed > 0 {
		achieved := round(f.plan.sent / f.elapsed)
		n.Achieved = &achieved
	}
	if reached > 0 {
		v := float64(int64(reached*1000+0.5)) / 1000
		n.Reached = &v
	}
	return n
}

// missedRate says what it means that the plan was not kept.
type missedRate struct {
	saturated  bool
	confidence detect.Confidence
	why        string
	reached    float64
}

// Shape of the latencies of a saturated run that is timed from the schedule: the
// wait of each request is longer than that of the one before, so that percentile
// p lies p of the way from minimum to maximum, give or take rampSlack.
const (
	rampSlack = 0.15
	rampShare = 0.1 // of the length of the run, that the last wait is at least
)

// ramp reports whether the latencies rise evenly, up to a good part of the run.
func (f *facts) ramp() bool {
	s := &f.spread
	low, high := float64(max(s.min, 0)), float64(s.max)
	if high <= low || high/1e9 < rampShare*f.elapsed {
		return false
	}
	for _, p := range []latency.Percentile{latency.P50, latency.P75, latency.P90} {
		v, known := s.at(p)
		if way := (float64(v) - low) / (high - low); known && math.Abs(way-p.Percent()/100) > rampSlack || !known && p == latency.P50 {
			return false
		}
	}
	return f.elapsed > 0
}

// missed is check 5.
func (f *facts) missed() (missedRate, bool) {
	if !f.usable() || f != f.parts[0] || len(f.contradictions()) > 0 {
		return missedRate{}, false
	}
	reached := f.reached()
	median, _ := f.spread.at(latency.P50)
	closed := f.run.Loop == ingest.Closed || f.run.Loop == ingest.LoopUnknown
	if closed && f.plan.tooShort {
		return missedRate{true, detect.High, fmt.Sprintf("one worker cannot send every %s where the median request takes %s", msOf(f.plan.interval), ms(median)), reached}, true
	}
	rising := fmt.Sprintf("requests waited longer and longer, up to %s, as they do behind a server that is slower than the plan", ms(f.spread.max))
	if reached <= 0 && f.treated == ingest.FromSchedule && f.spread.n >= fewSamples && f.ramp() {
		return missedRate{true, detect.Medium, rising, 0}, true // the shape shows it without the plan
	}
	if reached <= 0 || reached >= rateKept {
		return missedRate{}, false
	}
	if closed {
		if yes, _ := f.omitted(); yes || f.verdict.kind == omission || f.plan.interval > 0 && f.waveFill() >= 0.5*(f.plan.due-f.plan.sent) {
			return missedRate{}, false // the stalls explain what is missing, or the first requests do
		}
		if u := f.occupancy(); u >= saturated && !f.corrected() {
			return missedRate{true, detect.Medium, fmt.Sprintf("%s waited for answers %s of the time", count(int64(f.workers), "worker"), percent(min(u, 1))), reached}, true
		}
		return missedRate{false, detect.High, "", reached}, true
	}
	if f.stallExplains() {
		return missedRate{}, false
	}
	switch {
	case f.corrected() && f.ramp():
		return missedRate{true, detect.High, rising, reached}, true
	case !f.corrected() && !f.timed() && f.occupancy() >= saturated:
		return missedRate{true, detect.Medium, fmt.Sprintf("all %s were busy all the time", count(int64(f.workers), "connection")), reached}, true
	}
	return missedRate{false, detect.High, "", reached}, true
}

// stallExplains reports whether what a scheduled run is behind its plan piled up
// during its slowest request, and not because the plan was too much.
func (f *facts) stallExplains() bool {
	t, p := &f.tail, &f.plan
	return !f.corrected() && t.gap > 0 && t.gap >= t.ordinary && p.due > p.sent && p.rate*seconds(t.max) >= 0.5*(p.due-p.sent)
}

func (m missedRate) evidence(f *facts) []detect.Evidence {
	var e evidence
	if m.reached > 0 {
		want := "at least 99 %"
		if f.plan.rate > 0 {
			want = fmt.Sprintf("at least 99 %% of %s (%s)", perSecond(f.plan.rate), f.plan.rateFrom)
		}
		e.add("planned requests that were sent", percent(m.reached), want)
		if f.in.Has {
			e.at(f.run.Pos)
		}
	}
	if m.reached == 0 && m.saturated && !f.plan.tooShort {
		e.add("from the fastest to the slowest request", ms(f.spread.min)+" to "+ms(f.spread.max), "a small part of the run")
		if f.agg != nil {
			e.at(f.agg.Pos)
		}
	}
	if f.plan.tooShort {
		median, _ := f.spread.at(latency.P50)
		e.add("interval of one worker", msOf(f.plan.interval)+" ("+fact(f.run.IntervalFrom)+")", "at least the median, "+ms(median))
	}
	if f.run.Dropped > 0 {
		e.add("planned and never sent", fmt.Sprint(f.run.Dropped), "0")
	}
	return e
}

// SaturatedRun finds runs that asked for more than could be answered.
var SaturatedRun = detect.Detector{
	Name: "saturated-run", Severity: detect.Warning, Reads: ingest.Load,
	Doc: `The run was saturated

Less than 97 % of the planned rate was sent because every connection was busy:
what was measured is the queue in front of a server that is slower than the
plan, growing as long as the run lasts. Percentiles of such a run depend on how
long it was, and filling in what was not sent invents a schedule that nothing
could have kept. Also an interval below the median latency: no worker can keep
that plan.

It rests on the rate achieved against the plan, and on the shape: timed from a
schedule, waits rise to about D·(1 - achieved/planned) like a ramp, so that
every percentile p is about p of the way from minimum to maximum; raw, the
connections are occupied (throughput x mean / connections near 1). The shape
alone, with a last wait of a tenth of the run or more, tells it with medium
confidence where the plan is not known. Little, "A Proof for the Queuing
Formula L = λW" (1961).

Not reported: closed loops without a plan, which saturate themselves by design;
runs whose missing requests are explained by stalls (coordinated-omission);
runs that missed the rate while connections were free (rate-not-reached).`,
	Judge: func(t *detect.Table) []detect.Finding {
		return append(each(t, func(f *facts) *detect.Finding {
			m, found := f.missed()
			if !found || !m.saturated {
				return nil
			}
			out := &detect.Finding{Confidence: m.confidence, Numbers: f.rateNumbers(m.reached), Evidence: m.evidence(f)}
			out.Message = "the run was saturated: " + m.why
			if m.reached > 0 {
				out.Message = fmt.Sprintf("only %s of the planned requests were sent and the run was saturated: %s", percent(m.reached), m.why)
			}
			out.Remedy = "Measure at a rate that the server can keep, or take this as its limit; percentiles beyond it say how long the run was."
			return out
		}), equalThroughput(t)...)
	},
}

// RateNotReached finds runs that did not offer the planned load.
var RateNotReached = detect.Detector{
	Name: "rate-not-reached", Severity: detect.Warning, Reads: ingest.Load,
	Doc: `The planned rate was not reached

Less than 97 % of the planned requests were sent, so the objective was not
tested at its rate: with 17 % of the rate, latencies look fine. An open loop is
no proof either: it drops what it has no worker for (k6 counts
dropped_iterations) or falls behind.

It rests on requests sent against rate x length of the run (until the last
send, where send times are known), or on the tool's own count of requests that
it dropped.

Not reported: 97 % and more; fewer than 30 planned requests; closed loops whose
missing requests are explained by stalls (coordinated-omission); saturated runs
(saturated-run).`,
	Judge: func(t *detect.Table) []detect.Finding {
		return each(t, func(f *facts) *detect.Finding {
			m, found := f.missed()
			if !found || m.saturated {
				return nil
			}
			out := &detect.Finding{Confidence: m.confidence, Numbers: f.rateNumbers(m.reached), Evidence: m.evidence(f)}
			out.Message = fmt.Sprintf("only %s of the planned requests were sent: the objective was not tested at its rate", percent(m.reached))
			if f.plan.rate > 0 && f.elapsed > 0 {
				out.Message = fmt.Sprintf("only %s of the planned requests were sent (%s instead of %s): the objective was not tested at its rate", percent(m.reached), perSecond(f.plan.sent/f.elapsed), perSecond(f.plan.rate))
			}
			out.Remedy = "See what held the generator back (too few connections, its own processor, ports), and measure again until the rate is kept."
			return out
		})
	},
}
