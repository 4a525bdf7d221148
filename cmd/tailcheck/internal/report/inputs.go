package report

import (
	"fmt"
	"strings"
)

// inputs prints what was read, and the percentiles before and after.
func (t text) inputs() {
	full := maxTables
	if t.r.Command == "correct" {
		full = maxTablesOf
	}
	for i := range t.r.Inputs {
		in := &t.r.Inputs[i]
		if i >= maxInputs && len(t.r.Distributions) > full {
			t.text(0, 2, fmt.Sprintf("and %s more", counted(int64(len(t.r.Inputs)-i), "input")))
			break
		}
		if i == 0 || len(t.r.Distributions) <= full {
			t.section()
		}
		t.para(0, in.name()+":", bold, 2, in.about())
		if in.Run != nil && in.Run.Command != nil {
			t.text(2, 4, "command line: "+fit(Safe(*in.Run.Command), 300))
		}
		if len(t.r.Distributions) > full {
			continue
		}
		for k := range t.r.Distributions {
			if d := &t.r.Distributions[k]; d.Input == i {
				t.percentiles(d)
			}
		}
	}
	if len(t.r.Distributions) > full {
		t.shared()
	}
}

// about says what an input is, in a few words each.
func (in *Input) about() string {
	var s []string
	add := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	from := func(f *string) string {
		if f == nil {
			return ""
		}
		return " (" + *f + ")"
	}
	add("%s", in.Format)
	if r := in.Run; r != nil {
		if r.Loop != "unknown" && r.Loop != "" {
			add("%s loop", r.Loop)
		}
		if r.Workers != nil {
			add("%s%s", counted(int64(*r.Workers), "worker"), from(r.WorkersFrom))
		}
		if r.Rate != nil {
			add("planned rate %s/s%s", plain(*r.Rate), from(r.RateFrom))
		}
		if r.IntervalMs != nil {
			add("interval %s%s", millis(*r.IntervalMs), from(r.IntervalFrom))
		}
		in := in.requests()
		if r.ElapsedMs != nil {
			in = strings.TrimSpace(in + " in " + millis(*r.ElapsedMs))
		}
		if in != "" {
			add("%s", in)
		}
		if r.Achieved != nil {
			add("achieved rate %s/s", plain(*r.Achieved))
		}
		if r.Errors != nil {
			add("%s", counted(*r.Errors, "error"))
		}
		if r.Timeouts != nil && *r.Timeouts > 0 {
			add("%s", counted(*r.Timeouts, "timeout"))
		}
		if r.Unit != nil {
			add("read in %s because it states no unit", *r.Unit)
		}
	}
	if x := in.Trace; x != nil {
		add("%s in %s", counted(x.Spans, "span"), counted(x.Traces, "trace"))
		if x.Orphans > 0 {
			add("%s", counted(x.Orphans, "orphan"))
		}
	}
	if x := in.Log; x != nil {
		s = append(s, x.about()...)
	}
	return strings.Join(s, ", ")
}

// requests says how many there were, as far as that is known.
func (in *Input) requests() string {
	switch {
	case in.Run.Requests != nil:
		return counted(*in.Run.Requests, "request")
	case in.Records.Samples > 0:
		return counted(in.Records.Samples, "sample")
	}
	return ""
}

// about says what a log turned out to be.
func (x *Log) about() (s []string) {
	add := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	some := func(n int64, what string) {
		if n > 0 {
			add("%s %s", count(n), what)
		}
	}
	switch {
	case x.Pauses == 0:
		add("%s of %s", counted(x.Requests, "request"), counted(x.Lines, "line"))
	case x.Requests == 0:
		add("%s in %s", counted(x.Pauses, "pause"), counted(x.Lines, "line"))
	default:
		add("%s and %s in %s", counted(x.Requests, "request"), counted(x.Pauses, "pause"), counted(x.Lines, "line"))
	}
	some(x.Unread, "not read")
	if x.Wrapper != nil {
		add("in %s", *x.Wrapper)
	}
	if x.From != nil && x.To != nil {
		add("from %s to %s", *x.From, *x.To)
	}
	if x.Zone != nil && strings.HasPrefix(*x.Zone, "unknown") {
		add("zone of the stamps %s: --tz", *x.Zone)
	}
	if x.Unit != nil {
		unit := "times in " + *x.Unit
		if x.UnitFrom != nil {
			unit += " (by " + *x.UnitFrom + ")"
		}
		s = append(s, unit)
	}
	if x.Assumed != nil {
		or := ""
		if x.Other != nil {
			or = ", it could be " + *x.Other
		}
		add("UNIT OF TIMES NOT KNOWN: shown as if in %s%s; say which with --unit", *x.Assumed, or)
	}
	if x.ClockStarts != nil {
		add("clock starts: %s", *x.ClockStarts)
	}
	if x.Requests > 0 && x.Untimed == x.Requests {
		add("no latencies")
	} else {
		some(x.Untimed, "without a latency")
	}
	if x.Streams > 0 {
		add("%s, in no percentile", counted(x.Streams, "connection"))
	}
	some(x.Censored, "of which a lower bound is known (gave up, timed out)")
	if x.Tries > 0 {
		tries := "upstream tries"
		if x.Tries == 1 {
			tries = "upstream try"
		}
		add("%s %s, %s retried", count(x.Tries), tries, counted(x.Retried, "request"))
	}
	return s
}
