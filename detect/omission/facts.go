package omission

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// load is one load report: its run, its time axis, and its distributions.
type load struct {
	in    *detect.Input
	run   *ingest.Run
	axis  *axis // nil: none
	parts []*facts
}

// facts is what the checks share about one distribution. Zero: not known.
type facts struct {
	*load
	op       string
	spread   spread
	agg      *ingest.Aggregate // behind the spread; nil: samples or intervals are
	blocks   []block           // what the report holds, by position
	treated  ingest.Treatment  // of the spread
	response latency.Summary   // due to end, of the samples whose due time is known
	censored int64             // samples whose latency is a lower bound

	elapsed  float64 // length of the run, seconds
	rate     float64 // successes a second
	inFlight float64 // rate times mean, as Little's law has it

	workers     float64
	workersFrom string // in words
	counted     bool   // the report or the user says how many; else it was worked out

	plan    plan
	failed  failures
	tail    tail
	connect connection
	verdict verdict
}

// block is one distribution that the report printed.
type block struct {
	agg     *ingest.Aggregate // nil: samples or intervals
	treated ingest.Treatment
}

type factsKey struct{}

// loads returns the load reports of a table, with what they say, worked out once.
func loads(t *detect.Table) []*load {
	return t.Derive(factsKey{}, func() any {
		var out []*load
		for _, in := range t.Inputs() {
			if l := newLoad(in); l != nil {
				out = append(out, l)
			}
		}
		return out
	}).([]*load)
}

// newLoad returns nil for inputs that are no load reports: logs of servers and
// proxies are not, whatever they hold.
func newLoad(in *detect.Input) *load {
	rows := in.Rows()
	client := slices.ContainsFunc(rows, seenByClient)
	if len(rows) > 0 && !client || !in.Has && !client {
		return nil
	}
	l := &load{in: in, run: &in.Run}
	l.axis = newAxis(in, in.Run.Workers)
	l.parts = l.split(rows)
	for _, f := range l.parts {
		f.measure()
		f.findPlan()
		f.findFailures()
		f.findTail()
		f.findConnecting()
		f.verdict = f.judge()
	}
	return l
}

func seenByClient(r *detect.Row) bool {
	return r.Vantage == ingest.Client || r.Vantage == ingest.VantageUnknown
}

// split makes the distributions: one of all samples together, because a worker
// goes through all operations and waits for each; and one for each operation
// that has only printed figures.
func (l *load) split(rows []*detect.Row) []*facts {
	var out []*facts
	var all latency.Summary
	var sampled *facts
	for _, row := range rows {
		if !seenByClient(row) {
			continue
		}
		f := &facts{load: l, op: row.Op}
		for i := range row.Aggregates {
			a := &row.Aggregates[i]
			f.blocks = append(f.blocks, block{a, firstKnown(a.Treated, l.run.Treated)})
		}
		switch {
		case row.Service.Count() > 0 && !row.Spectrum:
			if sampled == nil {
				sampled = f
				out = append(out, f)
				f.treated = l.run.Treated
			} else {
				sampled.op = ""
				sampled.blocks = append(sampled.blocks, f.blocks...)
			}
			all.Merge(&row.Service)
			sampled.response.Merge(&row.Response)
			sampled.censored += row.Censored
		case row.Service.Count() > 0:
			f.spread = fromSummary(histogram, &row.Service)
			f.treated = firstKnown(row.Treated, l.run.Treated)
			f.blocks = append(f.blocks, block{nil, f.treated})
			out = append(out, f)
		case len(f.blocks) > 0:
			b := richest(f.blocks)
			f.agg, f.treated, f.spread = b.agg, b.treated, fromAggregate(b.agg)
			out = append(out, f)
		}
	}
	if sampled != nil {
		sampled.spread = fromSummary(samples, &all)
	}
	return out
}

// richest picks the block to read: the first of those that hold every sample, else
// the first.
func richest(blocks []block) block {
	for _, b := range blocks {
		if b.agg.Complete {
			return b
		}
	}
	return blocks[0]
}

func firstKnown(t, u ingest.Treatment) ingest.Treatment {
	if t != ingest.TreatmentUnknown {
		return t
	}
	return u
}

// measure works out length, rate and workers.
func (f *facts) measure() {
	run := f.run
	switch {
	case run.Elapsed > 0:
		f.elapsed = run.Elapsed.Seconds()
	case f.in.Last > f.in.First:
		f.elapsed = f.in.Last.Sub(f.in.First).Seconds()
	case run.Achieved > 0 && run.Requests > 0:
		f.elapsed = float64(run.Requests) / run.Achieved
	}
	if f.elapsed > 0 && !math.IsInf(f.elapsed, 0) {
		n := f.spread.n
		if answered := run.Requests - run.Lost; run.Counted && len(f.parts) < 2 && answered > 0 {
			n = answered // a tool may leave its warm-up out of the histogram
		}
		f.rate = float64(n) / f.elapsed
	}
	f.inFlight = f.rate * seconds(f.spread.mean)
	f.findWorkers()
}

// Occupancy of sound closed loops (knowledge: measured on published reports):
// workers spend this share of their time waiting for answers.
const (
	soundLow  = 0.92
	soundHigh = 1.09
)

func (f *facts) findWorkers() {
	run := f.run
	switch {
	case run.Workers > 0:
		f.workers, f.workersFrom, f.counted = float64(run.Workers), fact(run.WorkersFrom), true
	case f.axis != nil && f.axis.serial:
		f.workers, f.workersFrom = 1, "the samples: never two at once"
	case f.axis != nil:
		f.workers, f.workersFrom = float64(f.axis.overlap), "the samples: most at once"
	case f.inFlight > 0 && !f.treated.Corrected() && run.Loop != ingest.Open:
		f.workers, f.workersFrom = f.inFlight, "throughput x mean"
		if f.inFlight >= soundLow && f.inFlight <= soundHigh {
			f.workers = 1
		}
	}
}

// workersWords names the number of workers and where it is from.
func (f *facts) workersWords() string {
	n := short(f.workers)
	if f.workers == math.Trunc(f.workers) {
		n = strconv.FormatFloat(f.workers, 'f', 0, 64)
	}
	return n + " (" + f.workersFrom + ")"
}

// one reports whether one worker sent everything.
func (f *facts) one() bool { return f.workers == 1 }

// occupancy returns throughput x mean / workers, or 0 where it is not known.
func (f *facts) occupancy() float64 {
	if !f.counted || f.spread.mean < 0 {
		return 0
	}
	return f.inFlight / f.workers
}

// corrected reports whether the tool made up for omitted requests, by its own
// word.
func (f *facts) corrected() bool {
	return slices.ContainsFunc(f.blocks, func(b block) bool { return b.treated.Corrected() }) || f.treated.Corrected()
}

// timed reports whether the due time of every sample is known: then nothing is
// hidden, because response times count from it.
func (f *facts) timed() bool { return f.response.Count() > 0 && f.response.Count() == f.spread.n }

// usable reports whether there is anything to judge.
func (f *facts) usable() bool { return f.spread.n > 0 && f.spread.max >= 0 }

func seconds(ns int64) float64 {
	if ns < 0 {
		return 0
	}
	return time.Duration(ns).Seconds()
}
