package check

import (
	"cmp"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/detect"
)

// judge turns a merged pass into the outcome.
type judge struct {
	opt    Options
	out    *Outcome
	inputs []*input
	pass   *pass

	known     []detect.Finding          // by all detectors that ran
	findings  []detect.Finding          // of those: what is to be told
	about     map[int][]*detect.Finding // by input; see found
	doubts    map[int]string            // by input; see doubt
	planned   map[int]bool              // inputs whose plan is known
	crew      map[int]int               // workers, by input
	empty     []string                  // inputs that held nothing that can be judged
	mostly    string                    // a log of which most lines were not read, in words; empty: none
	narrowed  bool                      // the filter let no trace through
	positions positions
}

func (j *judge) all() {
	j.positions.inputs = j.inputs
	j.planned, j.doubts = map[int]bool{}, map[int]string{}
	j.plans()
	j.detect()
	for _, x := range j.inputs {
		j.input(x)
	}
	for _, x := range j.inputs {
		switch x.kind() {
		case kindLoad:
			j.load(x)
		case kindLog:
			j.log(x)
		}
	}
	j.unmatched()
	j.show()
	j.next()
	j.verdict()
	j.charts()
}

// plans puts the user's plan into every run and completes what can be counted.
func (j *judge) plans() {
	for _, x := range j.inputs {
		if x.kind() != kindLoad {
			continue
		}
		in := j.pass.table.Input(x.index)
		for _, m := range x.asked.plan.apply(&in.Run) {
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
		}
		if t := j.pass.tallies[i]; t != nil {
			found = append(found, t.Findings()...)
		}
		for _, f := range found {
			f.Detector, f.Severity = d.Name, d.Severity
			j.known = append(j.known, f)
		}
	}
	slices.SortStableFunc(j.known, func(a, b detect.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Detector, b.Detector), cmp.Compare(a.Op, b.Op), slices.Compare(a.Inputs, b.Inputs), cmp.Compare(a.Message, b.Message))
	})
	for i := range j.known {
		if f := &j.known[i]; !j.skipped(f) && !slices.Contains(j.opt.muted, f.Detector) {
			j.findings = append(j.findings, *f)
		}
	}
}

// found returns the surest finding of a rule about an input, or nil: there may
// be one for each operation.
func (j *judge) found(rule string, input int) *detect.Finding {
	if j.about == nil {
		j.about = map[int][]*detect.Finding{}
		for i := range j.known {
			f := &j.known[i]
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
