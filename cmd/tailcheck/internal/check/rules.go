package check

import (
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/ingest"
)

// rulesOf returns the detectors that find something to look at in the inputs: a
// trace has nothing to say about coordinated omission.
func rulesOf(inputs []*input, opt Options) []report.Rule {
	var kinds ingest.Kinds
	for _, x := range inputs {
		kinds |= x.found.Format.Yields
	}
	if kinds&ingest.KindSpan != 0 {
		kinds |= ingest.KindTrace // spans are put together
	}
	kinds &^= ingest.KindProblem // every input may have some
	var out []report.Rule
	for _, d := range opt.Detectors {
		if d.Reads&kinds != 0 && !slices.Contains(opt.muted, d.Name) {
			out = append(out, report.Rule{Name: d.Name, Doc: d.Doc, Severity: d.Severity, Fails: !opt.NeverFail && d.Severity >= opt.FailOn})
		}
	}
	return out
}
