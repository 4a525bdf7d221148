package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct/sla"
)

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
		what := "none of the traces"
		if slices.ContainsFunc(j.inputs, func(x *input) bool { return x.kind() == kindLog }) {
			what = "no request"
		}
		out.Verdict, out.Why = sla.Inconclusive, what+" is one that "+j.opt.Filter.String()+" asks for"
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
	if j.mostly != "" && !j.opt.Lenient {
		out.Verdict, out.Why = sla.Inconclusive, j.mostly
		return
	}
	if out.Unusable {
		out.Verdict, out.Why = sla.Inconclusive, "an input could not be used"
		return
	}
	for _, x := range j.inputs {
		if (j.pass.cut[int32(x.index)] || j.pass.table.Input(x.index).Run.Cut) && !j.opt.Lenient {
			out.Verdict, out.Why = sla.Inconclusive, x.path+" is not whole: what is lost of it may hold more than was found"
			return
		}
	}
	if n, why := fails(func(o report.Objective) bool { return o.Verdict == sla.Inconclusive }); n > 0 && (!j.opt.Lenient || slices.ContainsFunc(out.Objectives, func(o report.Objective) bool { return o.Input < 0 })) {
		out.Verdict, out.Why = sla.Inconclusive, why
		return
	} else if n > 0 {
		out.Verdict, out.Why = sla.Pass, "what cannot be judged passes, as "+cmp.Or(j.opt.LenientFrom, "--inconclusive")+" says: "+why
		return
	}
	out.Verdict = sla.Pass
	switch {
	case len(out.Objectives) == 0:
		out.Why = "no objective was given; no finding fails the gate"
	case len(out.Objectives) == 1:
		out.Why = out.Objectives[0].Objective + ": " + out.Objectives[0].Why
	default:
		out.Why = "every objective passes"
	}
}
