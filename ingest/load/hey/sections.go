package hey

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/tailcheck/tailcheck/ingest"
)

// summaryRow reads a row behind "Summary:". The first row of a name counts.
func (rep *report) summaryRow(line []byte, at int64) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "Total", "Slowest", "Fastest", "Average":
		p, known, numeric := seconds(value)
		if !numeric {
			rep.problem(at, fmt.Errorf("row `%s:`: %q is not a number of seconds", name, excerpt(bytes.TrimSpace(value))))
			return
		}
		if !known {
			return // NaN: the average of nothing
		}
		rep.time(string(name), p, at)
	case "Requests/sec":
		v, err := strconv.ParseFloat(string(bytes.TrimSpace(value)), 64)
		switch {
		case err != nil:
			rep.problem(at, fmt.Errorf("row `Requests/sec:`: %q is not a number", excerpt(bytes.TrimSpace(value))))
		case !math.IsNaN(v) && !math.IsInf(v, 0) && rep.run.Achieved == 0:
			rep.run.Achieved = v
		}
	}
}

func (rep *report) time(name string, p printed, at int64) {
	field := &rep.run.Elapsed
	switch name {
	case "Total":
		if p.value < 0 {
			// hey on Windows: the counter behind its clock overflows every half hour.
			rep.problem(at, fmt.Errorf("the total is negative (%v): hey's clock wrapped around, and the rate is as wrong", p.value))
		}
		if rep.run.Elapsed == 0 {
			rep.run.Elapsed = p.value
		}
		return
	case "Slowest":
		field = &rep.agg.Max
	case "Fastest":
		field = &rep.agg.Min
	case "Average":
		field = &rep.agg.Mean
	}
	if *field >= 0 {
		return
	}
	if p.value < 0 {
		rep.problem(at, fmt.Errorf("row `%s:`: a negative time (%v), hey's clock wrapped around", name, p.value))
		return
	}
	*field = p.value
	rep.agg.Unit = max(rep.agg.Unit, p.unit)
	if name == "Slowest" {
		rep.aggAt = at
	}
}

func (rep *report) bar(line []byte, at int64) {
	mark, count, ok := histogramRow(line)
	switch {
	case !ok:
		rep.stray(line, at, bytes.ContainsRune(line, '[') && bytes.ContainsRune(line, '|'))
		return
	case !rep.room(at):
		return
	case mark.value < rep.last:
		rep.problem(at, fmt.Errorf("the histogram's mark %v is below the one before", mark.value))
		return
	case count > math.MaxInt64/4-rep.inBars:
		rep.problem(at, errors.New("the histogram's counts do not fit"))
		return
	}
	rep.row(at)
	rep.agg.Buckets = append(rep.agg.Buckets, ingest.Bucket{Low: rep.last, High: mark.value, Unit: mark.unit, Count: count})
	rep.last = mark.value
	rep.inBars += count
}

func (rep *report) percentile(line []byte, at int64) {
	percentile, p, ok := percentileRow(line)
	n := len(rep.agg.Quantiles)
	switch {
	case !ok:
		rep.stray(line, at, bytes.Contains(line, []byte("% in ")))
		return
	case percentile == 0:
		// "0% in 0.0000 secs": a percentile that so few requests do not have.
		rep.row(at)
		return
	case !rep.room(at):
		return
	case n > 0 && percentile <= rep.agg.Quantiles[n-1].Percentile:
		rep.problem(at, fmt.Errorf("the percentile %v does not follow the one before", percentile))
		return
	}
	rep.row(at)
	rep.agg.Quantiles = append(rep.agg.Quantiles, ingest.Quantile{
		Percentile: percentile, Value: p.value, Unit: p.unit, Pos: rep.in.Pos(at).Offset,
	})
}

func (rep *report) status(line []byte, at int64) {
	status, count, ok := statusRow(line)
	if !ok {
		rep.stray(line, at, bytes.HasSuffix(line, []byte(" responses")))
		return
	}
	if count > math.MaxInt64/4-rep.ok {
		rep.problem(at, errors.New("the numbers of responses do not fit"))
		return
	}
	rep.row(at)
	rep.ok += count
	if status >= 400 {
		rep.run.Errors += count
	}
}

// failure reads a row "[n]\ttext". Texts may have lines of their own, and the
// percent signs in them went through Printf; only their number and whether they
// speak of a timeout is used.
func (rep *report) failure(line []byte, at int64) {
	count, text, ok := bracketed(line)
	if !ok || len(text) == 0 {
		return
	}
	if count > math.MaxInt64/4-rep.run.Lost {
		rep.problem(at, errors.New("the numbers of errors do not fit"))
		return
	}
	rep.row(at)
	rep.run.Lost += count
	if timedOut(text) {
		rep.run.Timeouts += count
	}
}
