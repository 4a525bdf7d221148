package sla

import (
	"math"
	"math/bits"

	"github.com/tailcheck/tailcheck/correct"
)

// Case is what is known about the requests that an objective is judged on.
type Case struct {
	Raw       correct.Figures // as measured; nil: the report holds corrected figures only, or none
	Corrected correct.Figures // nil: not corrected
	RawRule   string          // how raw percentiles were picked, in words: "nearest rank", "printed by hey"; empty: not said
	Method    string          // how Corrected came about, in words: "fill at 80 ms from --interval", "timed from the schedule by wrk2"
	Tool      string          // that wrote the report, for advice: "hey"; empty: not known

	// Unstated says that nothing tells whether Raw is raw or corrected already.
	Unstated bool

	// ByTool says that the tool itself had corrected before it reported: then
	// Corrected is what it printed, and is what is judged.
	ByTool bool

	// Suspect says that a raw pass proves nothing by itself:
	// coordinated-omission at medium confidence or above, or a plan was given.
	Suspect bool
	Why     string // Suspect in words: "max / p99 is 39 where 1.2 is usual"; or why a raw pass is one all the same; empty: not said
	Refused string // why a correction is impossible; empty: not said

	// Doubt is why a pass cannot be believed, in words; empty: nothing. It is an
	// inconsistent-report, or a saturated-run or rate-not-reached of a run that
	// is open or scheduled.
	Doubt string

	// Requests that are not in Raw or Corrected, or only with a lower bound.
	Lost       int64 // requests that left no latency: timed out, or failed without an answer
	Bounded    int64 // requests in the figures whose latency is a lower bound
	CensoredAt int64 // ns: no latency of the Lost and Bounded ones is below it; 0: not known

	// UnitAssumed says that latencies were read in a unit that the file does not
	// state: no limit on a time can then be judged.
	UnitAssumed bool

	Counted          bool  // Requests and Errors are known
	Requests, Errors int64 // all requests that ended; those of them that failed
	Rate             float64
	FlipInterval     int64 // ns; passed on to the Verdict; 0: none
}

// Judged is one value against the limit.
type Judged struct {
	Range   correct.Range // of a time, ns
	Amount  float64       // Errors in percent, Rate in requests a second; NaN: not known, or a time
	Verdict string
}

// Verdict is what a case proves about an objective.
type Verdict struct {
	Objective    Objective
	Raw          *Judged // nil: the report holds no raw value
	Corrected    *Judged // nil: not corrected
	Verdict      string
	Flips        bool   // the raw value passes and the corrected one fails
	FlipInterval int64  // largest interval of one worker at which the corrected value fails, ns; 0: none known
	Why          string // one sentence
}

// Judge judges an objective. A fail, raw or corrected, is a fail; a pass must be
// a pass of everything that the report allows to be judged, of a run that is not
// in doubt; all else is inconclusive.
func Judge(o Objective, c Case) Verdict {
	v := Verdict{Objective: o, Verdict: Inconclusive}
	if !o.Metric.IsTime() {
		v.Raw = c.counted(o)
		v.Verdict = v.Raw.Verdict
		if v.Verdict == Pass && c.Doubt != "" {
			v.Verdict = Inconclusive
		}
		v.Why = c.whyCounted(o, v)
		return v
	}
	v.FlipInterval = c.FlipInterval
	var raw, corrected value
	if c.Raw != nil {
		raw = c.value(c.Raw, o)
		v.Raw = raw.judge(o)
	}
	if c.Corrected != nil {
		corrected = c.value(c.Corrected, o)
		v.Corrected = corrected.judge(o)
	}
	if c.UnitAssumed {
		v.Why = c.whyUnit(o, v, raw, corrected)
		for _, j := range []*Judged{v.Raw, v.Corrected} {
			if j != nil {
				j.Verdict = Inconclusive
			}
		}
		return v
	}
	v.Verdict = c.verdict(v.Raw, v.Corrected)
	v.Flips = is(v.Raw, Pass) && is(v.Corrected, Fail)
	v.Why = c.why(o, v, raw, corrected)
	return v
}

func is(j *Judged, verdict string) bool { return j != nil && j.Verdict == verdict }

// verdict joins the raw and the corrected answer.
func (c Case) verdict(raw, corrected *Judged) string {
	switch {
	case is(raw, Fail), is(corrected, Fail):
		return Fail
	case c.Doubt != "":
		return Inconclusive
	case c.ByTool:
		// What the tool corrected is the value; a raw block beside it is for
		// comparison. A run that is suspect even so may hide more.
		if is(corrected, Pass) && !c.Suspect {
			return Pass
		}
	case is(raw, Pass) && is(corrected, Pass):
		return Pass
	case is(raw, Pass) && corrected == nil && !c.Suspect:
		return Pass
	case raw == nil && is(corrected, Pass):
		return Pass
	}
	return Inconclusive
}

// judge compares a value with the limit of a time.
func (x value) judge(o Objective) *Judged {
	j := &Judged{Range: x.Range, Amount: math.NaN(), Verdict: Inconclusive}
	most := o.Limit // the highest value that meets the limit
	if o.Strict {
		most--
	}
	switch {
	case x.High != correct.Infinite && x.High <= most:
		j.Verdict = Pass
	case x.Low > most:
		j.Verdict = Fail
	case x.censored && x.Low >= o.Limit:
		// The request was given up at the limit: its latency is above it.
		j.Verdict = Fail
	}
	return j
}

// counted judges what is a count: the share of errors, the achieved rate.
func (c Case) counted(o Objective) *Judged {
	j := &Judged{Range: correct.Unknown, Amount: math.NaN(), Verdict: Inconclusive}
	if o.Metric == Errors {
		if !c.Counted || c.Requests <= 0 || c.Errors < 0 {
			return j
		}
		j.Amount = 100 * float64(c.Errors) / float64(c.Requests)
		j.Verdict = Fail
		if d := c.againstShare(o.Limit); d < 0 || d == 0 && !o.Strict {
			j.Verdict = Pass
		}
		return j
	}
	if !(c.Rate > 0) || math.IsInf(c.Rate, 0) {
		return j
	}
	j.Amount = c.Rate
	j.Verdict = Fail
	if limit := float64(o.Limit) / Millionths; c.Rate > limit || c.Rate == limit && !o.Strict {
		j.Verdict = Pass
	}
	return j
}

// againstShare compares the share of errors with a limit in millionths of a
// percent, exactly: negative below, 0 at, positive above it.
func (c Case) againstShare(limit int64) int {
	eh, el := bits.Mul64(uint64(c.Errors), 100*Millionths)
	lh, ll := bits.Mul64(uint64(limit), uint64(c.Requests))
	switch {
	case eh < lh || eh == lh && el < ll:
		return -1
	case eh == lh && el == ll:
		return 0
	}
	return 1
}
