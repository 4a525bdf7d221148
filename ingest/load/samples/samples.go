// Package samples reads plain CSV files: a header, then a row for every
// request, written by a load generator of one's own or exported from elsewhere.
package samples

import (
	"bytes"
	"fmt"

	"github.com/tailcheck/tailcheck/ingest"
)

// Format is a plain CSV of requests.
var Format = ingest.Format{
	Name: "csv",
	Doc: `A plain CSV of requests

A file with a header and a row for every request: when it was due, when it was
sent, when its answer came, how long it took, its status, its operation. Two of
start, end and latency give the third, and all else may be absent. With a due
time the response time counts from it, which is what a planned test is judged on.

To produce one, write rows like these:

    due_s,start_s,latency_ms,status,op
    0.000,0.0002,50.7,200,GET /cart

Names end in their unit: _s, _ms, _us, _ns. Known are due, intended, scheduled;
start, send; end, done, finish; latency, duration, elapsed, service,
response_time; latency_from_due; status, code; op, operation, label, name, url.
Say others with --format csv --columns due=NAME,latency=NAME (roles: due, start,
end, latency, status, op) and the unit of columns without a suffix with --unit.

No unit is ever guessed. An empty status is a good answer; 0, 400 and above, and
words other than OK are failures. Times above 1e9 seconds are dates. A quoted
field must end on its line. Where the only latency is the one from the due time,
it counts as corrected already.
`,
	Yields: ingest.KindRun | ingest.KindSample | ingest.KindProblem,
	Sniff:  func(head []byte) bool { ok, _ := recognise(head); return ok },
	Near:   func(head []byte) string { _, why := recognise(head); return why },
	Split:  ingest.SplitLines,
	Read:   read,
}

// recognise reports whether head starts with a header that says enough by its
// known names and units alone, and else what it lacks, or "" where it is no
// such header at all.
func recognise(head []byte) (ok bool, why string) {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	names, err := splitHeader(line)
	if err != nil {
		return false, ""
	}
	l, err := newLayout(names, ingest.Options{})
	other := foreign(names)
	switch {
	case err != nil && (other != "" || len(names) == 1 && !l.has(latency)):
		return false, ""
	case err != nil:
		return false, nearMiss(l)
	case other != "":
		return false, fmt.Sprintf("the header has a column `%s`: not a table of requests; if it is one, give --format csv", other)
	case l.has(latency), l.has(start) && l.has(end), l.has(due) && l.has(response):
		return true, ""
	}
	return false, "the header has only one latency, from the due time: if that is meant, give --format csv"
}

// nearMiss tells how a header with known names falls short of a layout.
func nearMiss(l *layout) string {
	for r := due; r <= response; r++ {
		if len(l.rivals[r]) > 1 {
			return fmt.Sprintf("the columns `%s` and `%s` could both be the %s: give --format csv --columns %s=NAME", l.rivals[r][0], l.rivals[r][1], r, r.flag())
		}
	}
	for r := due; r <= response; r++ {
		if l.has(r) && l.unit[r] == 0 {
			return fmt.Sprintf("the header has a column `%s` without a unit: give --format csv and --unit", l.name(r))
		}
	}
	for r := due; r <= response; r++ {
		if l.has(r) {
			return fmt.Sprintf("the header has a column `%s`, but neither a latency nor both a start and an end", l.name(r))
		}
	}
	return ""
}

// foreign returns the name of a column by which a table is one of spans, of
// metrics or of statistics, or "".
func foreign(names []string) string {
	for _, name := range names {
		base, _ := splitUnit(name)
		switch base {
		case "traceid", "trace_id", "spanid", "span_id", "parentid", "parent_id", "parent_span_id", "parentspanid", "metric_name", "metric",
			"count", "requests", "avg", "mean", "median", "min", "max":
			return name
		}
		for _, prefix := range [...]string{"avg_", "mean_", "median_", "min_", "max_"} {
			if len(base) > len(prefix) && base[:len(prefix)] == prefix {
				return name
			}
		}
		if len(base) > 2 && base[0] == 'p' && base[1]-'0' <= 9 && base[2]-'0' <= 9 {
			return name // p50, p99.9, p95_latency
		}
	}
	return ""
}
