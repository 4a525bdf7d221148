package check

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Plan is what the user says about how the load was planned. Zero: not said.
type Plan struct {
	Rate     float64       // requests a second of all workers
	Workers  int           // connections
	Interval time.Duration // between requests of one worker

	RateFrom, WorkersFrom, IntervalFrom ingest.Fact // who says so; empty: the flag
}

// maxWorkers is how many connections a load may be offered on: more are no load
// of one generator, and would make any stall a small one.
const maxWorkers = 1_000_000

// maxInterval is the longest interval that is taken for a plan of one worker:
// what is longer is a slip of units.
const maxInterval = 24 * time.Hour

// apply puts the plan into a run: flags beat what the report says, and what is
// missing of rate, workers and interval follows from the other two. It returns
// what the flags contradict.
func (p Plan) apply(r *ingest.Run) []string {
	var against []string
	p.RateFrom, p.WorkersFrom, p.IntervalFrom = cmp.Or(p.RateFrom, "--rate"), cmp.Or(p.WorkersFrom, "--workers"), cmp.Or(p.IntervalFrom, "--interval")
	said := func(what string, who ingest.Fact, was any, from ingest.Fact) {
		against = append(against, fmt.Sprintf("%s says another %s than the report: %v (%s)", who, what, was, from))
	}
	if p.Workers > 0 {
		if r.Workers > 0 && r.Workers != p.Workers {
			said("number of workers", p.WorkersFrom, r.Workers, r.WorkersFrom)
		}
		r.Workers, r.WorkersFrom = p.Workers, p.WorkersFrom
	}
	if p.Rate > 0 {
		if r.Rate > 0 && r.Rate != p.Rate {
			said("rate", p.RateFrom, fmt.Sprintf("%v/s", r.Rate), r.RateFrom)
		}
		r.Rate, r.RateFrom = p.Rate, p.RateFrom
	}
	if p.Interval == 0 && (p.Rate > 0 || p.Workers > 0) && r.Rate > 0 && r.Workers > 0 {
		r.Interval, r.IntervalFrom = 0, "" // follows anew
	}
	if p.Interval > 0 {
		if r.Interval > 0 && r.Interval != p.Interval && r.IntervalFrom != "" {
			said("interval", p.IntervalFrom, r.Interval, r.IntervalFrom)
		}
		r.Interval, r.IntervalFrom = p.Interval, p.IntervalFrom
		if p.Rate == 0 {
			r.Rate, r.RateFrom = 0, ""
		}
	}
	if p.Interval > 0 && p.Rate > 0 && r.Workers > 0 {
		if want := float64(r.Workers) / p.Rate; want < 0.99*p.Interval.Seconds() || want > 1.01*p.Interval.Seconds() {
			against = append(against, fmt.Sprintf("an interval of %v (%s), a rate of %v/s (%s) and %d workers (%s) contradict each other: workers/rate is %v; the interval is used",
				p.Interval, p.IntervalFrom, p.Rate, p.RateFrom, r.Workers, r.WorkersFrom, time.Duration(want*1e9)))
		}
	}
	switch {
	case r.Interval == 0 && r.Rate > 0 && float64(r.Workers)/r.Rate > maxInterval.Seconds():
		against = append(against, fmt.Sprintf("%d workers (%s) and a rate of %v/s (%s) make an interval of more than a day for each: that is no plan", r.Workers, r.WorkersFrom, r.Rate, r.RateFrom))
		r.Rate, r.RateFrom = 0, ""
	case r.Interval == 0 && r.Rate > 0 && r.Workers > 0:
		r.Interval = time.Duration(float64(r.Workers) / r.Rate * 1e9)
		r.IntervalFrom = ingest.Fact(fmt.Sprintf("workers/rate: %d (%s) / %v/s (%s)", r.Workers, r.WorkersFrom, r.Rate, r.RateFrom))
	case r.Interval > 0 && r.Rate == 0 && r.Workers > 0:
		r.Rate = float64(r.Workers) / r.Interval.Seconds()
		r.RateFrom = ingest.Fact(fmt.Sprintf("workers/interval: %d (%s) / %v (%s)", r.Workers, r.WorkersFrom, r.Interval, r.IntervalFrom))
	}
	return against
}
