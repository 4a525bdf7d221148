package omission

import (
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
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
	byEnds // of the slowest requests, where the table could not keep all
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

// waits reports whether a worker sends when its answer has come. A report that
// does not say so shows it where it never has two requests in flight.
func (f *facts) waits() bool {
	return f.run.Loop == ingest.Closed || f.run.Loop == ingest.LoopUnknown && f.axis != nil && f.axis.serial
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
		return verdict{kind: isolated, confidence: detect.Medium, proof: bySummary} // some workers only
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
	if together, known := f.endTogether(); known && !together {
		return verdict{kind: isolated, confidence: detect.Medium, proof: byEnds, alone: len(t.slow)}
	}
	switch {
	case !f.waits() && f.run.Loop != ingest.Scheduled:
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

// endTogether is the common-end test for runs of which the table keeps only the
// slowest samples: of a stall of everything most of them end in groups of at
// least half of the workers, each within two ordinary requests. Known is false
// where there are too few to say.
func (f *facts) endTogether() (together, known bool) {
	t := &f.tail
	if f.axis != nil || f.spread.source != samples || len(t.slow) < leastMissing || f.workers < 2 {
		return false, false
	}
	var ends []ingest.Time
	for _, s := range t.slow {
		if s.Start == 0 {
			return false, false
		}
		ends = append(ends, s.Start.Add(s.Latency))
	}
	slices.Sort(ends)
	median, _ := f.spread.at(latency.P50)
	within := max(2*time.Duration(median), time.Millisecond)
	grouped, from := 0, 0
	for i := range ends {
		if i+1 < len(ends) && ends[i+1].Sub(ends[i]) <= within {
			continue
		}
		if n := i + 1 - from; n > 1 && 2*float64(n) >= f.workers {
			grouped += n
		}
		from = i + 1
	}
	return float64(grouped) >= ending*float64(len(ends)), true
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
