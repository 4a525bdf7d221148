package check

import (
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// input describes an input as it was read.
func (j *judge) input(x *input) {
	c, in := j.pass.count(int32(x.index)), j.pass.table.Input(x.index)
	r := report.Input{Path: x.path, Format: x.found.Format.Name, Kind: kindOf(x.found.Format.Yields),
		Records: report.Records{Runs: c.runs, Samples: c.samples, Aggregates: c.aggregates, Spans: c.spans, Problems: c.problems}}
	if x.found.Part {
		r.Line = &x.found.Line
	}
	if x.kind() == kindLog {
		r.Log = j.logOf(x)
	}
	if x.kind() == kindLoad {
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
		return kindTrace
	case k&(ingest.KindRun|ingest.KindAggregate) != 0:
		return kindLoad
	}
	return kindLog
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
