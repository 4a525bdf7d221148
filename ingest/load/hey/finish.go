package hey

import (
	"math"
	"slices"

	"github.com/tailcheck/tailcheck/ingest"
)

// finish works out what follows from the sections together.
func (rep *report) finish() {
	if !rep.in.Section {
		rep.between() // the file is the report's alone: a torn last row, say
	}
	slices.SortStableFunc(rep.problems, func(a, b ingest.Problem) int { return a.Compare(b.Pos) })
	run, agg := &rep.run, &rep.agg
	agg.Pos = run.Pos
	if rep.aggAt >= 0 {
		agg.Pos = rep.in.Pos(rep.aggAt)
	}
	agg.Vantage, agg.Treated, agg.Rule = ingest.Client, ingest.Raw, ingest.RuleHey

	answers := rep.ok
	if rep.rows[statuses] == 0 {
		answers = rep.inBars
	}
	run.Requests = answers + run.Lost
	run.Errors += run.Lost
	run.Counted = rep.seen[statuses] || rep.seen[failures]
	// Every version ends with the status codes or the errors, or has them behind
	// the summary. What is pasted without a summary is an excerpt.
	run.Cut = rep.seen[summary] && !run.Counted

	agg.Count = answers
	if rep.noted > 0 && rep.rows[histogram] > 0 {
		// The heads of 2017-12 count every answer by status, but distribute the
		// first million only.
		agg.Count = min(answers, rep.inBars)
	}
	run.Capped = rep.capped(answers)
	if run.Elapsed < 0 {
		run.Achieved = 0 // a rate over a negative time; the length stays, as a sign of it
	}
	if run.Capped {
		// hey divides the sum of all latencies by the number that it kept.
		agg.Mean = -1
	}
	if run.Counted && answers == 0 {
		// Nothing was answered: the zeros of Slowest and Fastest are no values.
		agg.Min, agg.Mean, agg.Max, agg.Unit = -1, -1, -1, 0
		agg.Quantiles, agg.Buckets = agg.Quantiles[:0], agg.Buckets[:0]
	}
	plan(rep.in).apply(run)
}

// capped reports whether hey stopped keeping results: it counted as many as it
// keeps, and Total times Requests/sec says that there were more, by more than
// their rounding (four decimals each).
func (rep *report) capped(answers int64) bool {
	if rep.agg.Count < answers {
		return true
	}
	if answers != maxResults && answers != rep.noted {
		return false
	}
	const half = 0.00005
	total, rate := math.Abs(rep.run.Elapsed.Seconds()), math.Abs(rep.run.Achieved)
	return (total-half)*(rate-half)-float64(rep.run.Lost) > float64(answers)+0.5
}
