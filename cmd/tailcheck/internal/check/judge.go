package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/omission"
	"github.com/tailcheck/tailcheck/ingest"
)

// judge turns a merged pass into the outcome.
type judge struct {
	opt    Options
	out    *Outcome
	inputs []*input
	pass   *pass

	findings  []detect.Finding
	about     map[int][]*detect.Finding // by input; see found
	planned   map[int]bool              // inputs whose plan is known
	crew      map[int]int               // workers, by input
	empty     []string                  // inputs that held nothing that can be judged
	narrowed  bool                      // the filter let no trace through
	positions positions
}

func (j *judge) all() {
	j.positions.inputs = j.inputs
	j.planned = map[int]bool{}
	j.plans()
	j.detect()
	for _, x := range j.inputs {
		j.input(x)
	}
	for _, x := range j.inputs {
		if x.found.Format.Yields&ingest.Load != 0 {
			j.load(x)
		}
	}
	j.unmatched()
	j.show()
	j.next()
	j.verdict()
}

// plans puts the user's plan into every run and completes what can be counted.
func (j *judge) plans() {
	for _, x := range j.inputs {
		if x.found.Format.Yields&ingest.Load == 0 {
			continue
		}
		in := j.pass.table.Input(x.index)
		for _, m := range j.opt.Plan.apply(&in.Run) {
			j.out.Problems = append(j.out.Problems, report.Problem{Path: x.path, Message: m})
		}
		complete(in)
		j.planned[x.index] = in.Run.Interval > 0 || in.Run.Rate > 0
	}
}

func (j *judge) detect() {
	for i, d := range j.opt.Detectors {
		var found []detect.Finding
		if d.Judge != nil {
			found = d.Judge(j.pass.table)
		} else {
			found = j.pass.tallies[i].Findings()
		}
		for _, f := range found {
			f.Detector, f.Severity = d.Name, d.Severity
			j.findings = append(j.findings, f)
		}
	}
	slices.SortStableFunc(j.findings, func(a, b detect.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Detector, b.Detector), cmp.Compare(a.Op, b.Op), slices.Compare(a.Inputs, b.Inputs), cmp.Compare(a.Message, b.Message))
	})
}

// found returns the surest finding of a rule about an input, or nil: there may
// be one for each operation.
func (j *judge) found(rule string, input int) *detect.Finding {
	if j.about == nil {
		j.about = map[int][]*detect.Finding{}
		for i := range j.findings {
			f := &j.findings[i]
			for _, in := range f.Inputs {
				j.about[in] = append(j.about[in], f)
			}
		}
	}
	var best *detect.Finding
	for _, f := range j.about[input] {
		if f.Detector == rule && (best == nil || f.Confidence > best.Confidence) {
			best = f
		}
	}
	return best
}

// input describes an input as it was read.
func (j *judge) input(x *input) {
	c, in := j.pass.count(int32(x.index)), j.pass.table.Input(x.index)
	r := report.Input{Path: x.path, Format: x.found.Format.Name, Kind: kindOf(x.found.Format.Yields),
		Records: report.Records{Runs: c.runs, Samples: c.samples, Aggregates: c.aggregates, Spans: c.spans, Problems: c.problems}}
	if x.found.Part {
		r.Line = &x.found.Line
	}
	if x.found.Format.Yields&ingest.Load != 0 {
		r.Tool = in.Run.Tool
		r.Run = runOf(in)
	}
	if x.found.Format.Yields&(ingest.KindSpan|ingest.KindTrace) != 0 {
		t := j.pass.assembled[int32(x.index)]
		if t == nil {
			t = &traceCounts{}
			j.without(x.path, c.spans)
		}
		r.Records.Traces = t.traces
		r.Trace = &report.Trace{Spans: t.Spans, Traces: t.traces, Roots: t.Roots, Orphans: t.Orphans, RepeatedIDs: t.RepeatedIDs, Errors: t.Errors, StandsFor: t.Stands}
	}
	j.out.Inputs = append(j.out.Inputs, r)
	if bad := j.pass.fatal[int32(x.index)]; bad != nil {
		j.out.Unusable = true
		j.positions.want(bad.Pos)
	}
	for _, p := range j.pass.problems[int32(x.index)] {
		j.positions.want(p.Pos)
	}
	if c.problems > 0 && j.opt.Strict {
		j.out.Unusable = true
	}
}

func kindOf(k ingest.Kinds) string {
	switch {
	case k&(ingest.KindSpan|ingest.KindTrace) != 0:
		return "trace"
	case k&(ingest.KindRun|ingest.KindAggregate) != 0:
		return "load"
	}
	return "log"
}

func known[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func runOf(in *detect.Input) *report.Run {
	run := &in.Run
	r := &report.Run{Loop: run.Loop.String(), Treatment: run.Treated.String(),
		Workers: known(run.Workers), WorkersFrom: known(string(run.WorkersFrom)), Rate: known(run.Rate), RateFrom: known(string(run.RateFrom)),
		IntervalFrom: known(string(run.IntervalFrom)), Achieved: known(run.Achieved), Command: known(run.Command)}
	if run.Interval > 0 {
		r.IntervalMs = msOf(int64(run.Interval))
	}
	if run.Elapsed > 0 {
		r.ElapsedMs = msOf(int64(run.Elapsed))
	}
	if run.Counted {
		r.Requests, r.Errors, r.Timeouts = &run.Requests, &run.Errors, &run.Timeouts
	}
	if run.UnitAssumed > 0 {
		u := run.UnitAssumed.String()[1:]
		r.Unit = &u
	}
	return r
}

// load corrects and judges every operation of a load report.
func (j *judge) load(x *input) {
	in := j.pass.table.Input(x.index)
	measured := false
	whole := j.whole(in)
	for _, row := range in.Rows() {
		e := evidenceOf(row)
		if !e.measured() {
			continue
		}
		measured = true
		suspect, why := j.suspect(in)
		var repair correct.Repair
		if suspect || e.tool != nil || row.Response.Count() > 0 || j.opt.Command == "correct" {
			repair = e.mend(in, j.workers(in), j.refuse(in.Index))
		} else {
			repair = correct.Repair{Method: correct.None}
		}
		j.out.repairs = append(j.out.repairs, repair.Figures)
		j.out.Distributions = append(j.out.Distributions, j.distribution(in, e, repair))
		for _, o := range j.opt.Objectives {
			if o.Metric.IsTime() && (o.Op == "" || o.Op == row.Op) {
				j.objective(o, in, e, repair, suspect, why)
			}
		}
	}
	for _, o := range j.opt.Objectives {
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

type requestCounts struct {
	Counted                bool
	Requests, Errors, Lost int64
	Rate                   float64
}

func (j *judge) whole(in *detect.Input) requestCounts {
	r := &in.Run
	c := requestCounts{Counted: r.Counted, Requests: r.Requests, Errors: r.Errors, Lost: r.Lost, Rate: r.Achieved}
	if r.Elapsed > 0 && r.Counted { // rate counts answers, not attempts that failed at once
		c.Rate = min(c.Rate, float64(r.Requests-r.Lost)/r.Elapsed.Seconds()*1.01)
	}
	return c
}

func countsOf(in *detect.Input, row *detect.Row) requestCounts {
	var n int64
	for _, k := range row.Outcomes {
		n += k
	}
	c := requestCounts{Counted: n > 0, Requests: n, Errors: n - row.Outcomes[ingest.OK]}
	if in.Run.Elapsed > 0 {
		c.Rate = float64(n) / in.Run.Elapsed.Seconds()
	}
	return c
}

func (j *judge) counted(o sla.Objective, in *detect.Input, op string, c requestCounts) {
	j.add(sla.Judge(o, sla.Case{Tool: in.Run.Tool, Doubt: j.doubt(in), Counted: c.Counted, Requests: c.Requests, Errors: c.Errors, Rate: c.Rate}), in.Index, op)
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
		c.Suspect = false // nobody waits longer than the longest stall
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
	o := report.Objective{Objective: v.Objective.String(), Input: input, Op: op, Raw: judgedOf(v.Raw), Corrected: judgedOf(v.Corrected), Verdict: v.Verdict, Flips: v.Flips, Why: v.Why}
	if v.FlipInterval > 0 {
		o.FlipInterval = msOf(v.FlipInterval)
	}
	j.out.Objectives = append(j.out.Objectives, o)
}

// unmatched judges objectives on operations that no input has: a metric that
// was not measured never passes.
func (j *judge) unmatched() {
	for _, o := range j.opt.Objectives {
		if slices.ContainsFunc(j.out.Objectives, func(x report.Objective) bool { return x.Objective == o.String() }) {
			continue
		}
		why := "no input holds latencies"
		if o.Op != "" {
			why = fmt.Sprintf("no input has an operation named %q", o.Op)
		}
		j.out.Objectives = append(j.out.Objectives, report.Objective{Objective: o.String(), Input: -1, Op: o.Op, Verdict: sla.Inconclusive, Why: why})
	}
}

// maxTrees is how many exemplars are drawn: each is assembled again for it.
const maxTrees = 40

// show turns findings and problems into what is printed.
func (j *judge) show() {
	for _, f := range j.findings {
		for _, e := range f.Evidence {
			if e.Has {
				j.positions.want(e.At)
			}
		}
	}
	j.positions.resolve()
	trees := map[string]*report.Tree{}
	for _, f := range j.findings {
		r := report.Finding{Rule: f.Detector, Severity: f.Severity.String(), Level: f.Severity, Confidence: f.Confidence.String(), Inputs: f.Inputs, Op: f.Op,
			Message: f.Message, Numbers: f.Numbers, Exemplars: f.Exemplars, Remedy: f.Remedy, Evidence: []report.Evidence{}}
		if r.Exemplars == nil {
			r.Exemplars = []string{}
		}
		if f.Impact > 0 {
			r.ImpactMs = msOf(int64(f.Impact))
		}
		for _, e := range f.Evidence {
			x := report.Evidence{What: e.What, Got: e.Got, Want: known(e.Want)}
			if e.Has {
				x.At = known(j.positions.at(e.At))
			}
			r.Evidence = append(r.Evidence, x)
		}
		if len(f.Exemplars) > 0 {
			id := f.Exemplars[0]
			tree, drawn := trees[id]
			if !drawn && len(trees) < maxTrees {
				tree = j.tree(&f)
				trees[id] = tree
			}
			r.Tree = tree
		}
		j.out.Findings = append(j.out.Findings, r)
	}
	for _, x := range j.inputs {
		list := j.pass.problems[int32(x.index)]
		if bad := j.pass.fatal[int32(x.index)]; bad != nil {
			list = append(slices.Clone(list), *bad)
		}
		for _, p := range list {
			j.out.Problems = append(j.out.Problems, report.Problem{Path: x.path, Line: j.positions.line(p.Pos), Message: p.Err.Error()})
		}
		if n := j.pass.count(int32(x.index)).problems; n > int64(len(j.pass.problems[int32(x.index)])) {
			j.out.Problems = append(j.out.Problems, report.Problem{Path: x.path, Message: fmt.Sprintf("%d problems in all; the first %d are shown", n, keptProblems)})
		}
	}
}

// next says how to measure again what cannot be believed as it is: in an open
// loop, with the tool's own kind of command.
func (j *judge) next() {
	seen := map[string]bool{}
	for _, x := range j.inputs {
		f := j.found("coordinated-omission", x.index)
		if f == nil && (j.found("censored-tail", x.index) == nil || len(j.opt.Objectives) == 0) {
			continue
		}
		in := j.pass.table.Input(x.index)
		run := in.Run
		run.Workers = j.workers(in)
		command := omission.OpenLoop(run)
		if seen[command] || len(seen) == 3 {
			continue
		}
		if len(seen) == 0 {
			j.out.Next = append(j.out.Next, "To measure again, with requests sent by the clock:")
		}
		seen[command] = true
		j.out.Next = append(j.out.Next, "$ "+command)
	}
}

// verdict joins everything into one word and the reason for it.
func (j *judge) verdict() {
	out := j.out
	fails := func(f func(report.Objective) bool) (n int, first string) {
		for _, o := range out.Objectives {
			if f(o) {
				if n++; n == 1 {
					first = o.Objective + ": " + o.Why
					if len(out.Inputs) > 1 && o.Input >= 0 {
						first = out.Inputs[o.Input].Path + ": " + first
					}
				}
			}
		}
		return n, first
	}
	failed, why := fails(func(o report.Objective) bool { return o.Verdict == sla.Fail })
	if failed > 0 {
		out.Verdict, out.Why = sla.Fail, why
		return
	}
	if !j.opt.NeverFail {
		for _, f := range out.Findings {
			if f.Level >= j.opt.FailOn {
				out.Verdict, out.Why = sla.Fail, fmt.Sprintf("%s: %s", f.Rule, f.Message)
				return
			}
		}
	}
	if j.narrowed {
		out.Verdict, out.Why = sla.Inconclusive, "none of the traces is one that "+j.opt.Filter.String()+" asks for"
		return
	}
	if len(j.empty) > 0 {
		out.Verdict, out.Why = sla.Inconclusive, j.empty[0]+" holds nothing that could be judged: nothing was measured"
		return
	}
	if len(out.Inputs) == 0 {
		out.Verdict, out.Why = sla.Inconclusive, "no input could be read"
		return
	}
	if out.Unusable {
		out.Verdict, out.Why = sla.Inconclusive, "an input could not be used"
		return
	}
	if n, why := fails(func(o report.Objective) bool { return o.Verdict == sla.Inconclusive }); n > 0 && (!j.opt.Lenient || slices.ContainsFunc(out.Objectives, func(o report.Objective) bool { return o.Input < 0 })) {
		out.Verdict, out.Why = sla.Inconclusive, why
		return
	} else if n > 0 {
		out.Verdict, out.Why = sla.Pass, "what cannot be judged passes, as --inconclusive says: "+why
		return
	}
	out.Verdict = sla.Pass
	switch {
	case len(out.Objectives) == 0:
		out.Why = "no objective was given; no finding fails the gate"
	case len(out.Objectives) == 1:
		out.Why = out.Objectives[0].Objective + ": " + out.Objectives[0].Why
	default:
		out.Why = fmt.Sprintf("all %d objectives pass", len(out.Objectives))
	}
}

// methodOf says in words how corrected figures came about.
func methodOf(r correct.Repair, run *ingest.Run) string {
	at := func(s string) string {
		return fmt.Sprintf("%s at %s from %s", s, sla.FormatTime(r.Interval), r.IntervalFrom)
	}
	switch r.Method {
	case correct.Intended:
		return "timed from the moment each request was due"
	case correct.FillAdded:
		return at("fill")
	case correct.FillInPlace:
		return at("substitution")
	case correct.Bounds:
		return at("bounds of a fill")
	case correct.ByTool:
		if run.Treated == ingest.FromSchedule {
			return "timed from the schedule by " + toolName(run)
		}
		return "filled by " + toolName(run) + " itself"
	}
	return ""
}

func toolName(run *ingest.Run) string {
	if run.Tool == "" {
		return "the load tool"
	}
	return run.Tool
}
