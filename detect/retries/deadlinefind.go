package retries

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/detect"
)

func (d *deadlines) Merge(other detect.Tally) {
	d.calls.merge(&other.(*deadlines).calls, (*deadlineSum).add)
}

func (e *deadlineSum) add(o *deadlineSum) {
	e.gaveUp += o.gaveUp
	e.timedOut += o.timedOut
	e.wentOn += o.wentOn
	e.equal += o.equal
	e.well += o.well
	e.background += o.background
	e.calls = plus(e.calls, o.calls)
	e.visible += o.visible
	e.budget = max(e.budget, o.budget)
	e.took.merge(&o.took)
	e.overrun = plus(e.overrun, o.overrun)
	e.longest = max(e.longest, o.longest)
	e.bursts += o.bursts
	e.burst = plus(e.burst, o.burst)
	e.traces += o.traces
	e.partial += o.partial
	e.exemplars.merge(&o.exemplars)
	e.inputs.merge(&o.inputs)
	if o.has && (!e.has || o.pos.Compare(e.pos) < 0) {
		e.pos, e.has = o.pos, true
	}
}

// clustered reports whether calls were given up after about the same time: nine
// in ten within a tenth. So they had a timeout, whatever their outcomes are
// called. A few that agree prove nothing.
func (e *deadlineSum) clustered() bool {
	low, high := e.took.percentile(5), e.took.percentile(95)
	return e.took.n >= 3 && high-low <= high/10
}

// timeout reports whether a deadline, and not only a caller's leaving, ended
// calls.
func (e *deadlineSum) timeout() bool { return e.timedOut > 0 || e.clustered() }

func (d *deadlines) Findings() []detect.Finding {
	var out []detect.Finding
	for _, k := range d.calls.sorted() {
		e := d.calls.m[k]
		went := e.wentOn > 0 && e.timeout() && !byDesign(e.background, e.well, e.wentOn, e.gaveUp)
		switch {
		case went:
			out = append(out, e.wentOnFinding(k))
		case e.bursts > 0:
			out = append(out, e.burstFinding(k))
		}
	}
	return out
}

// rounded writes a timeout as somebody may have set it: timers are late by a
// little, so two digits are kept where that is less than equalShare away.
func rounded(d time.Duration) string {
	if d <= 0 {
		return "?"
	}
	unit := math.Pow(10, math.Floor(math.Log10(float64(d)))-1)
	r := time.Duration(math.Floor(float64(d)/unit) * unit)
	if d-r > d/equalShare {
		r = d
	}
	return strings.TrimSuffix(strings.TrimSuffix(ms(r), " ms"), ".0") + " ms"
}

func (e *deadlineSum) numbers() DeadlineNumbers {
	return DeadlineNumbers{millis(e.took.percentile(50)), e.gaveUp, e.wentOn, e.calls, millis(e.longest)}
}

// to names who was called.
func (k deadlineKey) to() string {
	if k.callee == "" {
		return "the service it called"
	}
	return k.callee
}

func (e *deadlineSum) wentOnFinding(k deadlineKey) detect.Finding {
	least := ""
	if e.partial > 0 {
		least = "at least "
	}
	d := rounded(e.took.percentile(50))
	out := detect.Finding{
		Op: k.hop.String(), Inputs: e.inputs.list, Exemplars: e.exemplars.ids(), Impact: e.overrun, Numbers: e.numbers(),
		Confidence: detect.Medium,
	}
	behind := count(e.calls, "further call")
	switch {
	case e.visible > 0:
		out.Message = fmt.Sprintf("%s gives %s a deadline (%s is visible) that does not reach further: behind %d of %d calls that were given up after about %s, %s%s followed", k.who(), k.to(), ms(e.budget), e.wentOn, e.gaveUp, d, least, behind)
		out.Confidence = detect.High
	case e.equal == e.wentOn:
		out.Message = fmt.Sprintf("%s and %s seem to wait equally long, each from its own start: %d of %d calls of %s were given up after about %s while %s%s ran into as long a timeout later", k.who(), k.to(), e.wentOn, e.gaveUp, k.call(), d, least, count(e.calls, "call below"))
	default:
		out.Message = fmt.Sprintf("%s seems not to know when %s stops waiting: behind %d of %d calls of %s that were given up after about %s, %s%s followed, up to %s after that", k.to(), k.who(), e.wentOn, e.gaveUp, k.call(), d, least, behind, ms(e.longest))
	}
	if e.traces < 2 && e.visible == 0 {
		out.Confidence = detect.Low
	}
	v := (*evidence)(&out.Evidence)
	v.add("calls given up, of these timed out", fmt.Sprintf("%d, %d", e.gaveUp, e.timedOut), "")
	v.add("after", fmt.Sprintf("%s (p5 %s, p95 %s)", ms(e.took.percentile(50)), ms(e.took.percentile(5)), ms(e.took.percentile(95))), "")
	v.add("calls made behind them after that", fmt.Sprintf("%s%d in %s", least, e.calls, count(e.traces, "trace")), "0")
	v.at(e.pos)
	if e.equal > 0 {
		v.add("with a timeout of their own, as long", fmt.Sprint(e.equal), "0")
	}
	v.add("went on after the deadline, longest", ms(e.longest), "")
	if e.well > 0 {
		v.add("calls that ended well with calls behind them that started later", fmt.Sprintf("%d of %d", e.background, e.well), "0")
	}
	if e.visible > 0 {
		v.add("rests on", "a deadline that is visible, and times", "")
	} else {
		v.add("rests on", "inference: outcomes and times; no attribute states a deadline", "")
	}
	out.Remedy = fmt.Sprintf("Pass what is left of the deadline on with each call (gRPC does so with the caller's context; over HTTP a header of one's own is needed), and have %s take it over: set its own calls' timeouts to what is left, not to a fixed time, and stop when it is over.", k.to())
	return out
}

func (e *deadlineSum) burstFinding(k deadlineKey) detect.Finding {
	least := ""
	if e.partial > 0 {
		least = "at least "
	}
	n := e.numbers()
	n.Calls = e.burst
	out := detect.Finding{
		Op: k.hop.String(), Inputs: e.inputs.list, Exemplars: e.exemplars.ids(), Numbers: n, Confidence: detect.Low,
		Message: fmt.Sprintf("%s seems to go on calling %s after the deadline has passed: %s%s timed out at once, in %s", k.who(), k.call(), least, count(e.burst, "call"), count(e.bursts, "burst")),
		Remedy:  "Look before each call whether the deadline has passed, and end the request there; find out where the time went before these calls.",
	}
	v := (*evidence)(&out.Evidence)
	v.add("calls that timed out at once, in bursts", fmt.Sprintf("%s%d in %d", least, e.burst, e.bursts), "0")
	v.at(e.pos)
	v.add("rests on", "inference: calls of no length that timed out", "")
	return out
}
