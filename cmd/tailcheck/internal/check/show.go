package check

import (
	"fmt"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect/omission"
	"github.com/tailcheck/tailcheck/ingest"
)

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
			Message: f.Message, Numbers: f.Numbers, Exemplars: f.Exemplars, Remedy: j.remedy(f.Remedy, f.Inputs), Evidence: []report.Evidence{}}
		r.Command = j.command(r.Remedy, f.Inputs)
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
		if x.kind() == kindLog && len(list) > keptUnread {
			list = list[:keptUnread]
		}
		shown := len(list)
		if bad := j.pass.fatal[int32(x.index)]; bad != nil {
			list = append(slices.Clone(list), *bad)
		}
		for _, p := range list {
			j.out.Problems = append(j.out.Problems, report.Problem{Path: x.path, Line: j.positions.line(p.Pos), Message: p.Err.Error()})
		}
		if n := j.pass.count(int32(x.index)).problems; n > int64(shown) {
			j.out.Problems = append(j.out.Problems, report.Problem{Path: x.path, Message: fmt.Sprintf("%d problems in all; the first %d are shown", n, shown)})
		}
	}
}

// next says how to measure again what cannot be believed as it is: in an open
// loop, with the tool's own kind of command.
func (j *judge) next() {
	seen := map[string]bool{}
	for _, x := range j.inputs {
		f := j.found("coordinated-omission", x.index)
		if f == nil && (j.found("censored-tail", x.index) == nil || !j.asks()) {
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
