package retries

import (
	"fmt"

	"github.com/tailcheck/tailcheck/detect"
)

func (o *orphaned) Merge(other detect.Tally) {
	o.ops.merge(&other.(*orphaned).ops, (*orphanedSum).add)
}

func (s *orphanedSum) add(o *orphanedSum) {
	s.gaveUp += o.gaveUp
	s.wentOn += o.wentOn
	s.well += o.well
	s.background += o.background
	s.spans = plus(s.spans, o.spans)
	s.calls = plus(s.calls, o.calls)
	s.orphans = plus(s.orphans, o.orphans)
	s.work = plus(s.work, o.work)
	s.after = plus(s.after, o.after)
	s.longest = max(s.longest, o.longest)
	s.traces += o.traces
	s.sure += o.sure
	s.timeout += o.timeout
	s.partial += o.partial
	s.exemplars.merge(&o.exemplars)
	s.inputs.merge(&o.inputs)
	if o.has && (!s.has || o.pos.Compare(s.pos) < 0) {
		s.pos, s.has = o.pos, true
	}
	s.late.keep(o.late)
}

// byDesign reports whether work goes on behind calls that ended well as well:
// at least half as often as behind those that were given up.
func byDesign(background, well, wentOn, gaveUp int64) bool {
	return background > 0 && 2*float64(background)*float64(gaveUp) >= float64(wentOn)*float64(well)
}

func (o *orphaned) Findings() []detect.Finding {
	var out []detect.Finding
	for _, h := range o.ops.sorted() {
		s := o.ops.m[h]
		if s.spans > 0 && !byDesign(s.background, s.well, s.wentOn, s.gaveUp) {
			out = append(out, s.finding(h))
		}
	}
	return out
}

func (s *orphanedSum) finding(h hop) detect.Finding {
	least := ""
	if s.partial > 0 {
		least = "at least "
	}
	how := "had given up"
	if s.sure == 0 {
		how = "had failed"
	}
	spans := "span"
	if s.spans > 1 {
		spans = "spans"
	}
	out := detect.Finding{
		Op: h.String(), Inputs: s.inputs.list, Exemplars: s.exemplars.ids(), Impact: s.after,
		Numbers: OrphanedNumbers{s.spans, millis(s.work), s.traces},
		Message: fmt.Sprintf("%s%d %s started after %s %s, so that nobody waited for them: %s of work, up to %s after it had ended (behind %d of %s that ended so)",
			least, s.spans, spans, h.String(), how, ms(s.work), ms(s.longest), s.wentOn, count(s.gaveUp, "call")),
		Remedy: "Pass the caller's deadline and cancellation on with each call, and look before each further step whether somebody still waits. Give each hop a deadline below that of its caller. Where the work has to be finished whatever the caller does, hand it to a queue and say so." + s.late.chain(),
	}
	switch {
	case s.sure == 0:
		out.Confidence = detect.Low
	case s.traces > 1:
		out.Confidence = detect.High
	default:
		out.Confidence = detect.Medium
	}
	e := (*evidence)(&out.Evidence)
	e.add("spans that started after an ancestor "+how, fmt.Sprintf("%s%d in %s", least, s.spans, count(s.traces, "trace")), "0")
	e.at(s.pos)
	e.add("of these, calls of further services", fmt.Sprint(s.calls), "")
	e.add("of these, started after their own parent had ended", fmt.Sprint(s.orphans), "")
	e.add("time spent past that moment", ms(s.work), "")
	e.add("calls given up, of these timed out", fmt.Sprintf("%d, %d", s.gaveUp, s.timeout), "")
	if s.well > 0 {
		e.add("calls that ended well with spans that started later", fmt.Sprintf("%d of %d", s.background, s.well), "0")
	}
	rests := "the outcome of the ancestor (timed out or cancelled) and times"
	if s.sure == 0 {
		rests = "shape: the ancestor failed while what it had called went on; why is not recorded"
	}
	e.add("rests on", rests, "")
	return out
}
