package omission

import (
	"fmt"
	"math"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// overfull is the occupancy above which a mean cannot be raw: closed loops
// reach 1.09 with requests still in flight at the end.
const overfull = 1.2

// Slack of a report with itself: under 1 % is rounding (tools that print few
// digits say how many), and a mean and percentiles made from differently rounded
// values differ by a little more.
const (
	rounding  = 0.01
	meanSlack = 0.02
)

// contradictions returns what in a report cannot be true together.
func (f *facts) contradictions() []detect.Evidence {
	var e evidence
	if f.run.Elapsed < 0 {
		e.add("length of the run", msOf(f.run.Elapsed), "more than 0")
	}
	for _, b := range f.blocks {
		if b.agg != nil {
			e.aggregate(b.agg, f.run.Capped)
		}
	}
	if f.agg != nil && f.usable() {
		f.againstRun(&e)
	}
	f.againstAxis(&e)
	return e
}

// againstAxis checks a number of workers against what was in flight at once.
func (f *facts) againstAxis(e *evidence) {
	a := f.axis
	if a == nil || f.spread.source != samples || !f.counted || f.run.Loop != ingest.Closed {
		return
	}
	median, _ := f.spread.at(latency.P50)
	if float64(a.overlap) <= overfull*f.workers || a.overlap <= int64(f.workers)+1 || int64(a.resolution) > median/4 {
		return // times too coarse overlap by themselves
	}
	e.add("number of requests in flight at once", fmt.Sprint(a.overlap), fmt.Sprintf("at most that of the workers, %s", f.workersWords()))
}

// aggregate checks one printed distribution against itself.
func (e *evidence) aggregate(a *ingest.Aggregate, capped bool) {
	most := int64(a.Max)
	for _, v := range []struct {
		what string
		v    int64
	}{{"minimum", int64(a.Min)}, {"mean", int64(a.Mean)}, {"maximum", most}} {
		if v.v > latency.Highest {
			e.add(v.what, ms(v.v), "less than 30 days")
			e.at(a.Pos)
		}
	}
	within := rounding + min(max(a.Digest, 0), 1)
	slack := func(v, unit int64) int64 { return max(int64(within*float64(v)), unit, int64(a.Unit)) }
	var last ingest.Quantile
	for i, q := range a.Quantiles {
		v, unit := int64(q.Value), int64(q.Unit)
		name, at := latency.PercentileOf(q.Percentile).String(), a.Pos
		if q.Pos != 0 {
			at.Offset = q.Pos
		}
		say := func(want string) {
			e.add(name, ms(v), want)
			e.at(at)
		}
		switch {
		case v < 0 || v > latency.Highest:
			say("0 to 30 days")
		case i > 0 && q.Percentile > last.Percentile && v < int64(last.Value)-slack(v, max(unit, int64(last.Unit))):
			say(fmt.Sprintf("at least %v, %s", latency.PercentileOf(last.Percentile), ms(int64(last.Value))))
		case most >= 0 && v > most+slack(most, unit):
			say("at most the maximum, " + ms(most))
		case a.Min >= 0 && v < int64(a.Min)-slack(int64(a.Min), unit):
			say("at least the minimum, " + msOf(a.Min))
		}
		last = q
	}
	if a.Min >= 0 && most >= 0 && int64(a.Min) > most+slack(most, 0) {
		e.add("minimum", msOf(a.Min), "at most the maximum, "+ms(most))
		e.at(a.Pos)
	}
	if len(*e) == 0 && a.Mean >= 0 && !capped {
		e.mean(a)
	}
}

// mean checks the mean against what the percentiles and the extremes allow:
// mean >= (1-q)·x_q summed over all of them, and the same from above. One rank
// of slack, as tools disagree on ranks.
func (e *evidence) mean(a *ingest.Aggregate) {
	s := fromAggregate(a)
	mean := float64(a.Mean)
	slack := meanSlack*mean + float64(a.Unit)
	if a.Min >= 0 && mean+slack < float64(a.Min) || a.Max >= 0 && mean-slack > float64(a.Max) {
		e.add("mean", msOf(a.Mean), fmt.Sprintf("between minimum and maximum, %s and %s", msOf(max(0, a.Min)), msOf(a.Max)))
		e.at(a.Pos)
		return
	}
	if s.n < fewSamples || len(s.ranks) == 0 || a.Complete {
		return
	}
	var low, high, top float64
	for _, b := range s.ranks {
		low += float64(b.count) * float64(b.low)
		high += float64(b.count) * float64(b.high)
		top = float64(b.low)
	}
	n := float64(s.n)
	low, high = (low-top)/n, (high+float64(max(0, s.max)))/n
	switch {
	case mean+slack < low:
		e.add("mean", msOf(a.Mean), "at least "+ms(int64(low))+" by the percentiles")
		e.at(a.Pos)
	case s.max >= 0 && mean-slack > high:
		e.add("mean", msOf(a.Mean), "at most "+ms(int64(high))+" by the percentiles and the maximum")
		e.at(a.Pos)
	}
}

// againstRun checks a raw distribution against the run: nobody waits longer
// than the run lasts, and workers that wait for every answer cannot wait longer
// than there is time.
func (f *facts) againstRun(e *evidence) {
	run := f.run
	if f.elapsed > 0 && float64(f.spread.max)/1e9 > f.elapsed*(1+2*rounding)+seconds(f.spread.unit) {
		e.add("slowest request", ms(f.spread.max), fmt.Sprintf("at most the length of the run, %s", ms(int64(min(f.elapsed*1e9, math.MaxInt64/2)))))
		e.at(f.agg.Pos)
	}
	raw := f.treated == ingest.Raw && !f.corrected()
	if raw && run.Counted && len(f.parts) == 1 && f.agg.Count > 0 && float64(f.agg.Count) > float64(run.Requests)*(1+rounding) {
		e.add("latencies", fmt.Sprint(f.agg.Count), fmt.Sprintf("at most the %d requests", run.Requests))
		e.at(f.agg.Pos)
	}
	if run.Counted && run.Requests >= fewSamples && f.elapsed >= 0.1 && run.Achieved > 0 && run.Elapsed > 0 && !run.Capped {
		if got := float64(run.Requests) / f.elapsed; math.Abs(got-run.Achieved) > 0.03*run.Achieved {
			e.add("printed rate", perSecond(run.Achieved), fmt.Sprintf("%s by %d requests in %s", perSecond(got), run.Requests, msOf(run.Elapsed)))
			e.at(run.Pos)
		}
	}
	if raw && run.Loop == ingest.Closed && f.counted && f.rate > 0 {
		if mean := f.spread.meanAtLeast(); f.rate*seconds(mean) > overfull*f.workers && float64(f.spread.n)*seconds(mean) > 2*seconds(f.spread.max) {
			what, got := "mean", ms(mean)
			if f.spread.mean < 0 {
				what, got = "mean that the percentiles force", "at least "+got
			}
			e.add(what, got, fmt.Sprintf("at most %s, as %s (%s) cannot spend more on each of %s requests in %s",
				ms(int64(f.workers/f.rate*1e9)), count(int64(f.workers), "worker"), f.workersFrom, short(f.rate*f.elapsed), ms(int64(min(f.elapsed*1e9, math.MaxInt64/2)))))
			e.at(f.agg.Pos)
		}
	}
}

// InconsistentReport finds reports whose numbers cannot all be true.
var InconsistentReport = detect.Detector{
	Name: "inconsistent-report", Severity: detect.Warning, Reads: ingest.Load,
	Doc: `The report contradicts itself

Numbers that cannot be true together: percentiles that fall as they should
rise, or lie outside minimum and maximum; a mean below what the percentiles
force (mean >= (1-q)·x_q for every one) or above what they allow; a request
that took longer than the run; more latencies than requests; a rate that is not
requests by time; more waiting than the workers had time for (Little's law:
throughput x mean cannot be above the number of workers; a mean that was not
printed is at least what the percentiles force). Units were mixed, a file was
edited, the plan is that of another run, or the tool is wrong. No objective
passes on such a report.

It rests on arithmetic. 1 % or one unit of the last printed digit is rounding
and not reported, one rank of slack is given because tools pick percentiles
differently, and the mean of a report whose tool stopped counting is not used.
Little, "A Proof for the Queuing Formula L = λW" (1961).

Not reported: an occupancy above 1.2 where it is not known whether the tool
corrected (that is already-corrected); figures that are possible, however
unlikely: 12 000 requests in 60 s over one connection with p99 at 60 ms and a
maximum of 2 s can be, as long as nothing says that the median was 50 ms.`,
	Judge: func(t *detect.Table) []detect.Finding {
		return each(t, func(f *facts) *detect.Finding {
			found := f.contradictions()
			if len(found) == 0 {
				return nil
			}
			first := found[0]
			out := &detect.Finding{
				Confidence: detect.High, Evidence: found,
				Message: fmt.Sprintf("the report contradicts itself: %s is %s and should be %s", first.What, first.Got, first.Want),
				Remedy:  "Find out which of the numbers is wrong (units, a wrong --workers, a file put together from several) before anything is judged on them.",
			}
			if more := len(found) - 1; more > 0 {
				out.Message += fmt.Sprintf(" (and %s)", count(int64(more), "more contradiction"))
			}
			return out
		})
	},
}
