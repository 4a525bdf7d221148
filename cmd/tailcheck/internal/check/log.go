package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/stall"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// Kinds of inputs, as the contract names them.
const (
	kindLoad  = "load"
	kindTrace = "trace"
	kindLog   = "log"
)

// kind returns what kind of input a report is.
func (x *input) kind() string { return kindOf(x.found.Format.Yields) }

// log describes a server's log, and judges the objectives on it.
func (j *judge) log(x *input) {
	in := j.pass.table.Input(x.index)
	whole := &detect.Row{}
	for _, row := range in.Rows() {
		whole.Vantage = row.Vantage
		whole.Add(row)
	}
	rows := in.Rows()
	if len(rows) > 1 {
		rows = append([]*detect.Row{whole}, rows...)
	}
	for _, row := range rows {
		if e := evidenceOf(row); e.measured() {
			j.out.repairs = append(j.out.repairs, nil)
			d := j.distribution(in, e, correct.Repair{Method: correct.None})
			d.Correction = nil
			d.Measured.Rule, d.Measured.Resolution = j.logRule(in, row), "log"
			j.out.Distributions = append(j.out.Distributions, d)
		}
	}
	doubt := j.logDoubt(in)
	for _, o := range j.objectives(in.Index) {
		if whole.Requests == 0 || o.Metric.IsTime() && whole.Service.Count() == 0 {
			continue // it says nothing of that; another input may, and else nobody passes
		}
		if o.Op == "" {
			j.logObjective(o, in, whole, doubt)
			continue
		}
		found, others := false, false
		for _, row := range in.Rows() {
			if row.Op == o.Op {
				found = true
				j.logObjective(o, in, row, doubt)
			}
			others = others || row.Op == detect.Others
		}
		if !found && others {
			j.add(sla.Verdict{Objective: o, Verdict: sla.Inconclusive, Why: fmt.Sprintf("the log has more than %d operations, and whether %q is one of those that are counted together as %q is not known: --op %q looks at it alone", detect.MaxRows, o.Op, detect.Others, o.Op)}, in.Index, o.Op)
		}
	}
	if n := in.Problems; 2*n > in.Log.Lines && in.Log.Lines > 0 && j.mostly == "" {
		j.mostly = fmt.Sprintf("%s: %d of %d lines were not read: what they say is not known", x.path, n, in.Log.Lines)
	}
	if whole.Requests == 0 && in.Pauses.Count == 0 {
		if j.opt.Filter != (Filter{}) && in.Log.Lines > 0 {
			j.narrowed = true
		} else {
			j.empty = append(j.empty, x.path)
		}
	}
}

func (j *judge) logObjective(o sla.Objective, in *detect.Input, row *detect.Row, doubt string) {
	e := evidenceOf(row)
	c := sla.Case{Tool: j.inputs[in.Index].found.Format.Name, Raw: e.raw, RawRule: "nearest rank over the log", Doubt: doubt, Bounded: row.Censored,
		UnitAssumed: unitUnknown(in) != nil, Counted: row.Requests > 0, Requests: row.Requests, Errors: row.Requests - row.Outcomes[ingest.OK]}
	if span := in.Last.Sub(in.First); span > 0 {
		c.Rate = float64(row.Requests) / span.Seconds()
	}
	switch untimed := row.Requests - row.Streams - row.Service.Count(); {
	case !o.Metric.IsTime():
		c.Doubt = j.unread(in)
	case doubt == "" && 10*untimed > row.Requests-row.Streams: // of the operation
		c.Doubt = fmt.Sprintf("%d of %d requests have no latency in the log", untimed, row.Requests-row.Streams)
	}
	j.add(sla.Judge(o, c), in.Index, row.Op)
}

// logDoubt is why a pass on a log's latencies cannot be believed, or "".
func (j *judge) logDoubt(in *detect.Input) string {
	if why := j.unread(in); why != "" {
		return why
	}
	var timed, all int64
	for _, row := range in.Rows() {
		timed += row.Service.Count()
		all += row.Requests - row.Streams
	}
	if 10*(all-timed) > all {
		return fmt.Sprintf("%d of %d requests have no latency in the log", all-timed, all)
	}
	return stall.Unseen(j.pass.table, in.Index)
}

// unread is why what a log counts cannot be believed, or "": more than one line
// in 20 was not read.
func (j *judge) unread(in *detect.Input) string {
	if n := in.Problems; n > 0 && 20*n > in.Log.Lines {
		return fmt.Sprintf("%d of %d lines were not read", n, in.Log.Lines)
	}
	return ""
}

// unitUnknown returns the shape of lines whose unit is not known, or nil.
func unitUnknown(in *detect.Input) *ingest.Shape {
	for i := range in.Log.Shapes {
		if s := &in.Log.Shapes[i]; s.Assumed != 0 && s.Timed > 0 {
			return s
		}
	}
	return nil
}

// logRule says how the percentiles of a log's row came about, and what they are of.
func (j *judge) logRule(in *detect.Input, row *detect.Row) string {
	s := "nearest rank"
	if e := row.Service.Error(); e > 0 {
		s += fmt.Sprintf(" within %.2g %%", 100*e)
	}
	if u := unitUnknown(in); u != nil {
		s += ", IF THE UNIT IS " + unitName(u.Assumed)
	}
	if row.Censored > 0 {
		s += fmt.Sprintf(", %d of them lower bounds%s", row.Censored, latencyWithout(row))
	}
	return s
}

// latencyWithout is the p99 without the requests of which only a lower bound is known.
func latencyWithout(row *detect.Row) string {
	if row.Censored == row.Service.Count() {
		return ""
	}
	return " and p99 without them " + sla.FormatTime(row.Complete(latency.P99))
}

func unitName(d time.Duration) string {
	return map[time.Duration]string{time.Nanosecond: "ns", time.Microsecond: "us", time.Millisecond: "ms", time.Second: "s"}[d]
}

// mainShape is how most of a log's requests are written; nil: it is no log.
func mainShape(in *detect.Input) *ingest.Shape {
	var best *ingest.Shape
	for i := range in.Log.Shapes {
		if s := &in.Log.Shapes[i]; best == nil || s.Requests > best.Requests {
			best = s
		}
	}
	return best
}

// ClockStarts says at what moment the latencies of a log begin; empty: it is not
// known.
func ClockStarts(in *detect.Input) string { return clockOf(in) }

func clockOf(in *detect.Input) string {
	var all []string
	for i := range in.Log.Shapes {
		if c := in.Log.Shapes[i].Clock; c != "" && in.Log.Shapes[i].Timed > 0 && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return strings.Join(all, ", or ")
}

// logOf is what the report says of a log.
func (j *judge) logOf(x *input) *report.Log {
	in := j.pass.table.Input(x.index)
	l := &report.Log{Lines: in.Log.Lines, Unread: in.Problems, ClockStarts: known(clockOf(in)), Pauses: in.Pauses.Count}
	for _, row := range in.Rows() {
		l.Requests += row.Requests
		l.Censored += row.Censored
		l.Retried += row.Retried
		l.Tries += row.Tries
		l.Untimed += row.Untimed
		l.Streams += row.Streams
	}
	if u := unitUnknown(in); u != nil {
		l.Assumed = known(unitName(u.Assumed))
		if u.Other != 0 {
			l.Other = known(unitName(u.Other))
		}
	}
	if s := mainShape(in); s != nil {
		if s.Unit != 0 {
			l.Unit, l.UnitFrom = known(unitName(s.Unit)), known(string(s.UnitFrom))
		}
		l.Stamp, l.Zone = known(s.Stamp.String()), known(s.Zone.String())
		l.Layout, l.Wrapper = known(s.Layout), known(s.Wrapper)
	}
	first, last := in.First, in.Last
	if in.Pauses.First != 0 && (first == 0 || in.Pauses.First < first) {
		first = in.Pauses.First
	}
	last = max(last, in.Pauses.Last)
	const dated = ingest.Time(1e17) // what is before 1973 is a time since the start of a process
	if first > dated {
		l.From, l.To = known(stampOf(first)), known(stampOf(last))
	}
	l.WindowMs, l.Windows = windowsOf(in)
	return l
}

func stampOf(t ingest.Time) string {
	return time.Unix(0, int64(t)).UTC().Format("2006-01-02T15:04:05.000Z")
}

// maxShownWindows is how many windows a report gives of a log: as wide as makes
// them no more.
const maxShownWindows = 240

func windowsOf(in *detect.Input) (*float64, []report.Window) {
	all := in.Whole()
	if len(all) == 0 {
		return nil, []report.Window{}
	}
	width, by := in.Window, int64(1)
	for span := all[len(all)-1].Number - all[0].Number + 1; span/by > maxShownWindows; {
		width, by = 2*width, 2*by
	}
	var out []report.Window
	for i := 0; i < len(all); {
		n := floor(all[i].Number, by)
		w := detect.Window{Number: n}
		for ; i < len(all) && floor(all[i].Number, by) == n; i++ {
			w.Add(&all[i].Traffic)
			w.Latency.Merge(&all[i].Latency)
		}
		r := report.Window{From: stampOf(ingest.Time(n * int64(width))), Requests: w.Requests, Errors: w.Failed, Tries: w.Tries, Retried: w.Retried}
		if w.Latency.Count() > 0 {
			at := func(p latency.Percentile) *float64 { return msOf(w.Latency.Percentile(p)) }
			r.P50, r.P90, r.P99, r.P999, r.Max = at(latency.P50), at(latency.P90), at(latency.P99), at(latency.P999), msOf(w.Latency.Max())
		}
		if w.Queued > 0 {
			r.Queue = msOf(int64(w.Queue) / w.Requests)
		}
		out = append(out, r)
	}
	return msOf(int64(width)), out
}

func floor(n, by int64) int64 {
	if n < 0 {
		return (n - by + 1) / by
	}
	return n / by
}
