package omission

import (
	"fmt"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// NoData finds runs that measured nothing.
var NoData = detect.Detector{
	Name: "no-data", Severity: detect.Warning, Reads: ingest.Load,
	Doc: `Nothing was measured

The report holds no latency of any request: all of them failed, none was
answered, or none was sent. Tools end such runs without an error (wrk prints "0
requests", hey prints "NaN" and a rate of failures), so that a gate that only
looks at percentiles passes. Nothing passes on it here.

It rests on the counts of the report.

Not reported: requests that failed with a latency, which are data.`,
	Judge: func(t *detect.Table) []detect.Finding {
		var out []detect.Finding
		for _, l := range loads(t) {
			if l.measured() {
				continue
			}
			f := detect.Finding{
				Confidence: detect.High, Inputs: []int{l.in.Index},
				Message: "no request left a latency: nothing was measured",
				Remedy:  "See why nothing was answered (a wrong address, a server that is down or hangs) and measure again.",
			}
			if n := l.run.Requests; n > 0 {
				f.Message = fmt.Sprintf("of %s none left a latency: nothing was measured", count(n, "request"))
				if l.run.Errors > 0 {
					f.Message = fmt.Sprintf("%d of %s failed and none left a latency: nothing was measured", l.run.Errors, count(n, "request"))
				}
			}
			e := (*evidence)(&f.Evidence)
			e.add("latencies", "0", "")
			e.at(l.run.Pos)
			out = append(out, f)
		}
		return out
	},
}

// measured reports whether any latency is known.
func (l *load) measured() bool {
	for _, f := range l.parts {
		if f.spread.source != printed && f.spread.n > 0 {
			return true
		}
		if f.spread.source == printed && (f.spread.max > 0 || f.spread.mean > 0 || f.spread.n > 0 && f.spread.max == 0 || hasValue(f.spread.quantiles)) {
			return true
		}
	}
	return false
}

func hasValue(qs []quantile) bool {
	for _, q := range qs {
		if q.value > 0 {
			return true
		}
	}
	return false
}

// fewSamples is the number from which on a p99 is another sample than the
// largest one. hey counts one rank higher than nearest rank, so it needs one
// sample more.
const fewSamples = 100

// SmallSample finds percentiles that are the maximum.
var SmallSample = detect.Detector{
	Name: "small-sample", Severity: detect.Note, Reads: ingest.Load,
	Doc: `Too few samples for the percentiles that are asked for

With fewer than 100 samples the p99 by nearest rank is the largest one (hey,
which counts one rank higher, needs 101), and one request decides about an
objective.

It rests on the definition of nearest rank.

Not reported: operations of a report whose other operations have more, unless
theirs are too few too.`,
	Judge: func(t *detect.Table) []detect.Finding {
		return each(t, func(f *facts) *detect.Finding {
			n := f.spread.n
			few := n < fewSamples || n == fewSamples && f.agg != nil && f.agg.Rule == ingest.RuleHey
			if n <= 0 || !few {
				return nil
			}
			out := &detect.Finding{
				Confidence: detect.High,
				Message:    fmt.Sprintf("with %s the p99 is the largest of them: one request decides", count(n, "sample")),
				Remedy:     "Measure longer: at least 1 000 requests for a p99, 10 000 for a p99.9.",
			}
			e := (*evidence)(&out.Evidence)
			e.add("samples", fmt.Sprint(n), "more than 100")
			if f.agg != nil {
				e.at(f.agg.Pos)
			}
			return out
		})
	},
}
