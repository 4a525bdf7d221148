package check

import (
	"fmt"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/omission"
	"github.com/tailcheck/tailcheck/ingest"
)

// load corrects and judges every operation of a load report.
func (j *judge) load(x *input) {
	in := j.pass.table.Input(x.index)
	measured := false
	whole := j.whole(in)
	// What is true of the input is worked out once: it may have many operations,
	// and each of them findings.
	suspect, why := j.suspect(in)
	refuse := j.refuse(in.Index)
	for _, row := range in.Rows() {
		e := evidenceOf(row)
		if !e.measured() {
			continue
		}
		measured = true
		var repair correct.Repair
		if suspect || e.tool != nil || row.Response.Count() > 0 || j.opt.Command == "correct" {
			repair = e.mend(in, j.workers(in), refuse)
		} else {
			repair = correct.Repair{Method: correct.None}
		}
		j.out.repairs = append(j.out.repairs, repair.Figures)
		j.out.Distributions = append(j.out.Distributions, j.distribution(in, e, repair))
		for _, o := range j.objectives(x.index) {
			if o.Metric.IsTime() && (o.Op == "" || o.Op == row.Op) {
				j.objective(o, in, e, repair, suspect, why)
			}
		}
	}
	for _, o := range j.objectives(x.index) {
		switch {
		case !o.Metric.IsTime() && o.Op == "":
			j.counted(o, in, "", whole)
		case !o.Metric.IsTime():
			for _, row := range in.Rows() {
				if row.Op == o.Op {
					j.counted(o, in, o.Op, countsOf(in, row))
				}
			}
		case !measured && o.Op == "":
			v := sla.Judge(o, sla.Case{Tool: in.Run.Tool, Counted: whole.Counted, Requests: whole.Requests, Errors: whole.Errors, Lost: in.Run.Lost})
			j.add(v, in.Index, "")
		}
	}
	if !measured {
		j.empty = append(j.empty, x.path)
	}
}

// measured reports whether any latency is known. Zeros behind which no count of
// samples stands are none: a tool prints them where nothing was answered.
func (e *evidence) measured() bool {
	return holdsAny(e.raw) || holdsAny(e.tool)
}

func holdsAny(f correct.Figures) bool {
	if f == nil {
		return false
	}
	says := func(r correct.Range) bool { return r.Known() && (f.Count() > 0 || r.Low > 0) }
	return says(f.Max()) || says(f.Mean()) ||
		slices.ContainsFunc(printedPercentiles, func(x printedPercentile) bool { return says(f.Percentile(x.p)) })
}

// suspect reports whether a raw pass of an input proves nothing by itself, and why.
func (j *judge) suspect(in *detect.Input) (bool, string) {
	if f := j.found("coordinated-omission", in.Index); f != nil && f.Confidence >= detect.Medium {
		return true, f.Message
	}
	if in.Run.Treated.Corrected() {
		if why := omission.Censored(j.pass.table, in.Index); why != "" {
			return true, why
		}
		return false, ""
	}
	if why := omission.Unstated(j.pass.table, in.Index); why != "" {
		return true, why
	}
	if f := j.found("isolated-slowness", in.Index); f != nil && f.Confidence == detect.High {
		return false, "" // the time axis shows that others went on: nobody waited
	}
	if j.planned[in.Index] && in.Run.Loop != ingest.Open {
		return true, "a plan is known"
	}
	return false, ""
}

// refuse is why nothing of an input may be filled, or "".
func (j *judge) refuse(input int) string {
	for _, rule := range []string{"inconsistent-report", "censored-tail", "saturated-run", "isolated-slowness"} {
		if f := j.found(rule, input); f != nil && f.Confidence >= detect.Medium {
			return rule + ": " + f.Message
		}
	}
	return ""
}

// doubt is why a pass of an input cannot be believed, or "".
func (j *judge) doubt(in *detect.Input) string {
	why, ok := j.doubts[in.Index]
	if !ok {
		why = j.doubtful(in)
		j.doubts[in.Index] = why
	}
	return why
}

func (j *judge) doubtful(in *detect.Input) string {
	r := &in.Run
	switch {
	case r.Cut:
		return "the report is cut short: what followed is not known"
	case r.Counted && r.Requests > 0 && 2*r.Errors >= r.Requests:
		return fmt.Sprintf("%d of %d requests failed, so that these are mostly times of failures", r.Errors, r.Requests)
	}
	return j.contradicted(in)
}

// contradicted is what the detectors hold against a report as a whole, or "".
func (j *judge) contradicted(in *detect.Input) string {
	rules := []string{"inconsistent-report"}
	if in.Run.Loop == ingest.Open || in.Run.Loop == ingest.Scheduled {
		rules = append(rules, "saturated-run", "rate-not-reached")
	}
	for _, rule := range rules {
		if f := j.found(rule, in.Index); f != nil {
			return f.Message
		}
	}
	return ""
}

func (j *judge) objective(o sla.Objective, in *detect.Input, e *evidence, repair correct.Repair, suspect bool, why string) {
	run := &in.Run
	c := sla.Case{Raw: e.raw, Corrected: repair.Figures, RawRule: e.rule(run), Method: methodOf(repair, run), Tool: run.Tool, Unstated: e.unstated(in),
		ByTool: repair.Method == correct.ByTool, Suspect: suspect, Why: why, Refused: repair.Refused, Doubt: j.doubt(in),
		Lost: run.Lost, Bounded: e.row.Censored, UnitAssumed: run.UnitAssumed > 0,
		Counted: run.Counted, Requests: run.Requests, Errors: run.Errors, Rate: run.Achieved, FlipInterval: e.flip(o)}
	if len(in.Rows()) > 1 {
		c.Lost = 0 // not known of one operation; the run's own are judged by errors
	}
	if run.Timeout > 0 && run.Timeouts >= run.Lost {
		c.CensoredAt = int64(run.Timeout)
	}
	if c.Corrected == nil && c.Lost == 0 && c.Bounded == 0 && below(e.raw, o) && !j.overloaded(in.Index) {
		if c.Suspect {
			c.Why = "nobody waits longer than the slowest request, which meets it"
		}
		c.Suspect = false
	}
	v := sla.Judge(o, c)
	if w := repair.Weighed; w != nil && v.Verdict == sla.Pass && c.Doubt == "" {
		weighed := c
		weighed.Corrected = w
		if x := sla.Judge(o, weighed); x.Verdict == sla.Fail {
			c.Doubt = fmt.Sprintf("the run sent faster than its plan: with its calm times at the plan's weight %s would be %s", o.Name(), sla.FormatTime(x.Corrected.Range.Low))
			v = sla.Judge(o, c)
		}
	}
	j.add(v, in.Index, e.row.Op)
}

// overloaded reports whether a run could not keep its plan: at that rate users
// would wait for longer and longer, whatever the slowest request took.
func (j *judge) overloaded(input int) bool {
	return j.found("saturated-run", input) != nil || j.found("rate-not-reached", input) != nil
}

// below reports whether even the slowest request meets an objective.
func below(f correct.Figures, o sla.Objective) bool {
	if f == nil {
		return false
	}
	top := f.Max()
	return top.IsValue() && (top.Low < o.Limit || !o.Strict && top.Low == o.Limit)
}

// flip returns the largest interval at which an objective on a percentile is
// missed though the measured value meets it, or 0.
func (e *evidence) flip(o sla.Objective) int64 {
	if o.Metric != sla.Quantile || e.tool != nil || e.row.Response.Count() > 0 {
		return 0
	}
	limit := correct.Limit{Percentile: o.Percentile, Value: o.Limit, Strict: o.Strict}
	if e.samples != nil {
		return correct.Flip(e.samples, limit)
	}
	if e.summary != nil {
		if b, err := correct.Brackets(e.summary); err == nil {
			return correct.FlipBounds(b, limit)
		}
	}
	return 0
}

func (j *judge) add(v sla.Verdict, input int, op string) {
	o := report.Objective{Objective: v.Objective.String(), Input: input, Op: op, Raw: judgedOf(v.Raw), Corrected: judgedOf(v.Corrected), Verdict: v.Verdict, Flips: v.Flips, Why: v.Why, From: j.from(v.Objective, input)}
	if v.FlipInterval > 0 {
		o.FlipInterval = msOf(v.FlipInterval)
	}
	j.out.Objectives = append(j.out.Objectives, o)
}
