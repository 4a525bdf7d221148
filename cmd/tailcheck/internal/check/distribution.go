package check

import (
	"time"

	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// evidence is what is known about one operation of one input: its raw figures,
// those that the tool corrected, and what a repair may start from.
type evidence struct {
	row     *detect.Row
	raw     correct.Figures   // nil: the report holds corrected figures only
	tool    correct.Figures   // as corrected by the tool; nil: none
	summary *ingest.Aggregate // behind raw; nil: samples are
	samples *correct.Sampled  // raw samples or buckets; nil: none
	buckets bool              // samples are bucket edges
	treated ingest.Treatment  // of raw, as far as the report says
	resolution,
	toolResolution string
	toolSummary *ingest.Aggregate
}

// figures are a summary's printed percentiles, and beside them those of its
// buckets by nearest rank.
type figures struct {
	*correct.Printed
	buckets *correct.Sampled
}

func (f figures) Percentile(p latency.Percentile) correct.Range {
	if f.IsPrinted(p) {
		return f.Printed.Percentile(p)
	}
	return f.buckets.Percentile(p)
}

func (f figures) Max() correct.Range {
	if r := f.Printed.Max(); r.Known() {
		return r
	}
	return f.buckets.Max()
}

func (f figures) Min() correct.Range {
	if r := f.Printed.Min(); r.Known() {
		return r
	}
	return f.buckets.Min()
}

func (f figures) Mean() correct.Range {
	if r := f.Printed.Mean(); r.Known() {
		return r
	}
	return f.buckets.Mean()
}

func evidenceOf(row *detect.Row) *evidence {
	e := &evidence{row: row}
	if row.Service.Count() > 0 {
		e.samples = correct.FromSummary(&row.Service)
		e.buckets = row.Spectrum
		e.resolution = "samples"
		if row.Spectrum {
			e.resolution = "histogram"
		} else if !row.Service.Exact() {
			e.resolution = "histogram"
		}
		if row.Treated.Corrected() {
			e.tool, e.toolResolution, e.samples = e.samples, e.resolution, nil
		} else {
			e.raw, e.treated = e.samples, row.Treated
			if !row.Spectrum {
				e.treated = ingest.Raw // requests that were timed one by one
			}
		}
	}
	for i := range row.Aggregates {
		a := &row.Aggregates[i]
		f, s, resolution := ofAggregate(a)
		switch {
		case a.Treated.Corrected() && e.tool == nil:
			e.tool, e.toolResolution, e.toolSummary = f, resolution, a
		case !a.Treated.Corrected() && e.raw == nil:
			e.raw, e.resolution, e.summary, e.treated = f, resolution, a, a.Treated
			if s != nil {
				e.samples, e.buckets = s, true
			}
		}
	}
	return e
}

func ofAggregate(a *ingest.Aggregate) (correct.Figures, *correct.Sampled, string) {
	p := correct.FromAggregate(a)
	if s := correct.FromBuckets(a); s != nil {
		return figures{p, s}, s, "spectrum"
	}
	return p, nil, "printed"
}

// unstated reports whether nothing says that raw is raw.
func (e *evidence) unstated(in *detect.Input) bool {
	return e.raw != nil && e.treated == ingest.TreatmentUnknown && in.Run.Treated == ingest.TreatmentUnknown
}

// mend repairs the distribution. Workers are those of the run, 0 where they are
// not known. Refuse is why nothing may be filled although an interval is known;
// empty: it may.
func (e *evidence) mend(in *detect.Input, workers int, refuse string) correct.Repair {
	c := correct.Case{Run: in.Run, Samples: e.samples, Buckets: e.buckets, Summary: e.summary, Tool: e.tool, Unstated: e.unstated(in), Refuse: refuse}
	if n := e.row.Response.Count(); n > 0 && n == e.row.Service.Count() {
		c.Response = correct.FromSummary(&e.row.Response)
	} else if in.Run.Rate > 0 && len(in.Pairs) > 0 && len(in.Rows()) == 1 {
		c.Sends = make([]correct.Send, len(in.Pairs))
		for i, p := range in.Pairs {
			c.Sends[i] = correct.Send{Start: p.Start, Latency: p.Latency}
		}
	}
	if c.Run.Workers == 0 {
		c.Run.Workers = workers // the plan's interval stands; this is for how many requests it had
	}
	return correct.Mend(c)
}

// complete fills in what the report leaves to be counted.
func complete(in *detect.Input) {
	r := &in.Run
	if !r.Counted && in.Samples > 0 {
		var failed, censored int64
		for _, row := range in.Rows() {
			failed += row.Outcomes[ingest.Failed] + row.Outcomes[ingest.TimedOut] + row.Outcomes[ingest.Canceled]
			censored += row.Outcomes[ingest.TimedOut]
		}
		r.Requests, r.Errors, r.Counted = in.Samples, failed+r.Lost, true
		r.Requests += r.Lost
		r.Timeouts = max(r.Timeouts, censored)
		if r.Tool == "hey" && in.Samples == 1_000_000 { // requester.go: results past the first million are dropped
			r.Capped = true
		}
	}
	if r.Elapsed == 0 && in.Last > in.First {
		r.Elapsed = in.Last.Sub(in.First)
	}
	if r.Achieved == 0 && r.Elapsed > 0 && in.Samples > 0 {
		r.Achieved = float64(in.Samples) / r.Elapsed.Seconds()
	}
	if r.Elapsed > 100*365*24*time.Hour {
		r.Elapsed = 0
	}
}
