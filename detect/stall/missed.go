package stall

import (
	"fmt"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/words"
)

// MissedNumbers are the numbers of stall-missed-by-load-test, as the contract
// has them.
type MissedNumbers struct {
	Duration float64 `json:"duration_ms"`
	Due      int64   `json:"due"` // requests that would have met the stall at the run's rate
	Report   float64 `json:"report_p99_ms"`
	WouldBe  float64 `json:"would_be_p99_ms"`
}

// worse is how many times the report's p99 what it would have been must be.
const worse = 1.5

func judgeMissed(t *detect.Table) (out []detect.Finding) {
	f := find(t)
	for _, load := range t.Inputs() {
		if isLog(load) || !load.Has || load.Run.Loop == ingest.Open || load.Run.Treated.Corrected() {
			continue
		}
		m := align(load, f.views)
		if m == nil {
			continue
		}
		var met []*stall
		for _, s := range f.stalls {
			if m.meets(s) && m.felt(s) && slices.ContainsFunc(s.inputs, func(i int) bool { return slices.Contains(m.view.indexes(), i) }) {
				met = append(met, s)
			}
		}
		if x := m.missed(met); x != nil {
			out = append(out, *x)
		}
	}
	return out
}

// felt reports whether a stall can have been one of the run: a client that waits
// for its answers met it at least once, so that its slowest request is about as
// slow. Where the report does not say, or lost requests, it can.
func (m *match) felt(s *stall) bool {
	slowest := time.Duration(-1)
	for _, row := range m.load.Rows() {
		if row.Service.Count() > 0 {
			slowest = max(slowest, time.Duration(row.Service.Max()))
		}
		for i := range row.Aggregates {
			slowest = max(slowest, row.Aggregates[i].Max)
			for _, q := range row.Aggregates[i].Quantiles {
				if q.Percentile == 100 {
					slowest = max(slowest, q.Value)
				}
			}
		}
	}
	r := &m.load.Run
	return slowest < 0 || r.Lost > 0 || r.Timeouts > 0 || 2*slowest >= s.length()-2*s.blur
}

// missed says what the stalls of a run would have cost users who come by the
// clock. Of several it tells the longest, and reckons with all.
func (m *match) missed(met []*stall) *detect.Finding {
	p99, n, ok := reported(m.load)
	if len(met) == 0 || !ok {
		return nil
	}
	longest := met[0]
	lost := time.Duration(0)
	sure := m.sure
	for _, s := range met {
		if s.length() > longest.length() {
			longest = s
		}
		lost += s.length()
	}
	sure = min(sure, longest.confidence())
	if sure < detect.Medium {
		return nil // a silence alone may be a pause of this very run
	}
	rate, from := m.rate(lost)
	if rate <= 0 {
		return nil
	}
	base := m.base(n)
	total, due, seen := latency.Summary{}, int64(0), int64(0)
	if base != nil {
		total.Merge(base)
	}
	for _, s := range met {
		d, k := m.unsent(s, rate, m.density(n, lost, rate), &total)
		due += d
		seen += k
	}
	would := total.Percentile(latency.P99)
	if base == nil {
		would = beyond(p99, n, met, m.density(n, lost, rate))
	}
	if float64(would) < worse*float64(p99) {
		return nil
	}
	x := detect.Finding{Confidence: sure, Inputs: union([]int{m.load.Index}, longest.inputs),
		Impact:  time.Duration(due) * longest.length() / 2,
		Numbers: MissedNumbers{Duration: words.Millis(longest.length()), Due: due, Report: words.Millis(time.Duration(p99)), WouldBe: words.Millis(time.Duration(would))},
		Message: fmt.Sprintf("the report says p99 %s; its log shows that the server stood still from %s to %s, for %s: at %s %d requests would have met it, and p99 would have been about %s",
			msOf(time.Duration(p99)), at(longest.from, longest.blur), clock(longest.to, longest.blur), took(longest.length()), rateOf(rate), due, msOf(time.Duration(would))),
		Remedy: "believe the log: judge by the p99 with the requests that were never sent, and measure again with a generator that sends by the clock (wrk2, oha -q with --latency-correction, k6 constant-arrival-rate)"}
	var e evidence
	e.add("report and log belong together", m.how, "")
	e.add("p99 of the report", msOf(time.Duration(p99)), fmt.Sprintf("about %s, with the requests that were due in the stall", msOf(time.Duration(would))))
	e.add("requests of the run that met the stall", fmt.Sprint(seen), fmt.Sprintf("%d due at %s (%s)", due, rateOf(rate), from))
	if len(met) > 1 {
		e.add("stalls in the run", fmt.Sprint(len(met)), took(lost)+" in all")
	}
	if len(longest.held) > 0 {
		e.add("longest request in the log", took(longest.worst().Latency), "")
		e.place(longest.worst().Pos)
	} else if len(longest.pauses) > 0 {
		e.add("pause: "+longest.pauses[0].Op, took(longest.pauses[0].Length), "")
		e.place(longest.pauses[0].Pos)
	}
	x.Evidence = e
	return &x
}

// reported returns the p99 of a report and how many samples it is of.
func reported(load *detect.Input) (p99, n int64, ok bool) {
	rows := load.Rows()
	if len(rows) != 1 {
		return 0, 0, false
	}
	row := rows[0]
	for i := range row.Aggregates {
		a := &row.Aggregates[i]
		for _, q := range a.Quantiles {
			if q.Percentile == 99 {
				return int64(q.Value), max(a.Count, load.Run.Requests), true
			}
		}
	}
	if row.Service.Count() > 0 {
		return row.Service.Percentile(latency.P99), row.Service.Count(), true
	}
	return 0, 0, false
}

// rate returns how many requests a second the run meant to send: its plan, or
// what it sent while the server answered.
func (m *match) rate(lost time.Duration) (float64, string) {
	r := &m.load.Run
	if r.Rate > 0 {
		return r.Rate, string(r.RateFrom)
	}
	if calm := r.Elapsed - lost; r.Elapsed > 0 && calm > 0 && r.Requests > 0 {
		return float64(r.Requests) / calm.Seconds(), "as it sent while the server answered"
	}
	return 0, ""
}

// base returns the latencies of the run: the report's own, or those that the log
// has of the same requests. nil: neither has them one by one.
func (m *match) base(n int64) *latency.Summary {
	if row := m.load.Rows()[0]; row.Service.Count() > 0 {
		return &row.Service
	}
	if m.in == nil {
		return nil
	}
	all := latency.Summary{}
	for _, row := range m.in.Rows() {
		if m.row == nil || row == m.row {
			all.Merge(&row.Service)
		}
	}
	if 10*all.Count() < 9*n {
		return nil
	}
	return &all
}

// density is how many requests a second of calm time the run has latencies of:
// what was due is weighed as they are. A plan that the run did not keep would else
// outweigh them.
func (m *match) density(n int64, lost time.Duration, rate float64) float64 {
	if calm := m.load.Run.Elapsed - lost; calm > 0 && n > 0 {
		return float64(n) / calm.Seconds()
	}
	return rate
}

// unsent adds the requests that were due in a stall and were never sent, as many
// a second as the run has beside it. Each waits from when it was due to the end.
func (m *match) unsent(s *stall, rate, density float64, into *latency.Summary) (due, seen int64) {
	for _, x := range s.held {
		if m.row == nil || x.Op == m.row.Op {
			seen++
		}
	}
	every := time.Duration(float64(time.Second) / density)
	n := int64(0)
	for wait := s.length() - every; wait > 0 && n < 1<<24; wait -= every {
		n++
		if n > seen-1 { // those that were sent are in the log; the first of them began the stall
			into.Record(int64(wait))
		}
	}
	return max(int64(rate*s.length().Seconds()+0.5), 1), seen
}

// beyond is the p99 of n samples of which only the p99 is known, with those that
// were due in stalls: at least so much.
func beyond(p99, n int64, met []*stall, rate float64) int64 {
	var waits []int64
	for _, s := range met {
		every := time.Duration(float64(time.Second) / rate)
		for wait := s.length() - every; wait > 0 && len(waits) < 1<<22; wait -= every {
			waits = append(waits, int64(wait))
		}
	}
	slices.Sort(waits)
	above := (n + int64(len(waits))) / 100 // that may be above the p99
	if above >= int64(len(waits)) {
		return p99
	}
	return max(p99, waits[int64(len(waits))-1-above])
}
