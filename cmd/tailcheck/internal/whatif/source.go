package whatif

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/simulate"
	"github.com/tailcheck/tailcheck/internal/words"
)

// Measured is what a file says of the times of one call.
type Measured struct {
	Source
	Leaf  *simulate.Measured
	Width int              // calls of the median request; 1: each is a request of its own
	Waits *latency.Summary // what requests waited for their calls; nil: not seen

	Problems []report.Problem
	run      *ingest.Run // of a load report; nil: traces
	input    *detect.Input
	fan      *fanOut // of traces; nil: a load report
	findings []detect.Finding

	log     bool // a server's log
	methods      // of its requests, where their names begin with one

	hedgedElsewhere []string // other operations whose calls are sent more than once
}

// met is the share of requests that had a call longer than d.
func (m *Measured) met(d time.Duration) float64 {
	if m.fan == nil || len(m.fan.requests) == 0 {
		return 0
	}
	n := 0
	for _, r := range m.fan.requests {
		for _, c := range r.calls {
			if c.took > d {
				n++
				break
			}
		}
	}
	return float64(n) / float64(len(m.fan.requests))
}

// waited is the share of requests that waited for longer than d.
func (m *Measured) waited(d time.Duration) *float64 {
	v := round4(float64(m.Waits.Above(int64(d))) / float64(m.Waits.Count()))
	return &v
}

// gather reads one file with the tallies that are given beside the detectors.
func gather(ctx context.Context, opt check.Options, tallies ...func() detect.Tally) (*check.Gathered, []detect.Tally, error) {
	if len(opt.Paths) != 1 {
		return nil, nil, fmt.Errorf("--from: want one file")
	}
	first := len(opt.Detectors)
	opt.Detectors = append([]detect.Detector{}, opt.Detectors...)
	for i, t := range tallies {
		opt.Detectors = append(opt.Detectors, detect.Detector{Name: fmt.Sprint("what-if ", i), Reads: ingest.KindTrace, New: t})
	}
	g, err := check.Gather(ctx, opt)
	if err != nil {
		return nil, nil, err
	}
	if len(g.Inputs) > 1 {
		return nil, nil, fmt.Errorf("%s: holds %d reports\nhint: --from takes one of them in a file of its own", opt.Paths[0], len(g.Inputs))
	}
	return g, g.Tallies[first:], nil
}

// Read reads the times of calls from a file: of a load report those of its
// requests, of traces those of one operation. Op names it; empty: the operation
// that parents call most, in parallel if there is such.
func Read(ctx context.Context, opt check.Options, op string) (*Measured, error) {
	g, tallies, err := gather(ctx, opt, func() detect.Tally { return &fanOuts{} })
	if err != nil {
		return nil, err
	}
	m := &Measured{Problems: g.Problems, findings: g.Findings}
	m.Path, m.Format = g.Inputs[0].Path, g.Inputs[0].Format
	if g.Yields[0]&(ingest.KindSpan|ingest.KindTrace) != 0 {
		return m, m.fromTraces(tallies[0].(*fanOuts), op)
	}
	m.log = g.Yields[0]&ingest.KindLog != 0
	return m, m.fromReport(g.Table.Input(0), op)
}

func (m *Measured) fromTraces(f *fanOuts, op string) error {
	fan, others := f.choose(op)
	if fan == nil {
		if op != "" {
			return fmt.Errorf("%s: no calls of an operation named %q%s", m.Path, op, others)
		}
		return fmt.Errorf("%s: its traces hold no calls whose time is known", m.Path)
	}
	m.fan = fan
	m.hedgedElsewhere = f.hedged(fan)
	var leaf, widths latency.Summary
	m.Waits = &latency.Summary{}
	failed := 0
	for _, r := range fan.requests {
		for _, c := range r.calls {
			leaf.Record(int64(c.took))
			if c.outcome != ingest.OK {
				failed++
			}
		}
		widths.Record(int64(len(r.calls)))
		m.Waits.Record(int64(r.wait))
	}
	m.Leaf = simulate.NewMeasured(leaf.Values())
	m.Op, m.Calls, m.Requests = fan.key.String(), leaf.Count(), int64(len(fan.requests))
	m.Width = int(widths.Percentile(latency.P50))
	if widths.Min() != widths.Max() {
		m.Notes = append(m.Notes, fmt.Sprintf("requests make %d to %d calls, the median request %d", widths.Min(), widths.Max(), m.Width))
	}
	if fan.serial > fan.parallel {
		m.Notes = append(m.Notes, "requests make these calls one after another, and wait for the sum; models of many calls at once say what they would wait if they were")
	}
	if failed > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%s of the calls failed or were cancelled: their times are of failures", words.Part(int64(failed), leaf.Count())))
	}
	if fan.cut {
		m.Notes = append(m.Notes, "the requests with the lowest hashes of their ids are used, as many as have "+report.Whole(maxKeptCalls)+" calls")
	}
	if others != "" {
		m.Notes = append(m.Notes, strings.TrimPrefix(others, "; "))
	}
	return nil
}

func (m *Measured) fromReport(in *detect.Input, op string) error {
	m.run, m.input = &in.Run, in
	m.Width = 1
	var leaf latency.Summary
	var names []string
	treated := false
	for _, row := range in.Rows() {
		if op != "" && row.Op != op {
			names = append(names, row.Op)
			continue
		}
		var s *correct.Sampled
		if row.Service.Count() > 0 {
			s = correct.FromSummary(&row.Service)
			treated = treated || row.Treated.Corrected()
		}
		for i := range row.Aggregates {
			if s == nil {
				s = correct.FromBuckets(&row.Aggregates[i])
				treated = treated || row.Aggregates[i].Treated.Corrected()
			}
		}
		if s == nil {
			continue
		}
		for _, v := range s.Values() {
			leaf.RecordN(v.V, v.Count)
		}
		if m.log {
			m.methods.add(row)
		}
		if op == "" && m.Op == "" {
			m.Op = row.Op
		} else if op == "" && row.Op != m.Op {
			m.Op = "all operations"
		}
	}
	if op != "" {
		m.Op = op
	}
	m.Leaf = simulate.NewMeasured(leaf.Values())
	m.Calls, m.Requests = leaf.Count(), leaf.Count()
	switch {
	case m.Leaf == nil && op != "" && len(names) > 0:
		return fmt.Errorf("%s: no operation named %q\nhint: it has %s", m.Path, op, strings.Join(quoted(names), ", "))
	case m.Leaf == nil && in.Aggregates > 0:
		return fmt.Errorf("%s: holds percentiles only, and no samples to draw from\nhint: hey -o csv, wrk2 --latency or vegeta's JSON have them", m.Path)
	case m.Leaf == nil && in.Pauses.Count > 0:
		return fmt.Errorf("%s: holds pauses and slow commands, and no requests with their latencies", m.Path)
	case m.Leaf == nil:
		return fmt.Errorf("%s: holds no latencies", m.Path)
	}
	if m.log {
		note := "a server's own times"
		if clock := check.ClockStarts(in); clock != "" {
			note = "a server's own times; its clock starts when: " + clock
		}
		m.Notes = append(m.Notes, note+". What a request waits before that, and on the way, is not in them")
	}
	if treated {
		m.Notes = append(m.Notes, "the tool corrected these times itself: waits that no call had are among them")
	}
	if in.Run.Workers > 1 {
		m.Notes = append(m.Notes, fmt.Sprintf("measured with %d workers: what they waited for each other is in these times", in.Run.Workers))
	}
	return nil
}

func quoted(names []string) []string {
	const most = 8
	var out []string
	for _, n := range names[:min(len(names), most)] {
		out = append(out, fmt.Sprintf("%q", report.Safe(n)))
	}
	if len(names) > most {
		out = append(out, "…")
	}
	return out
}

// methods counts the requests of a log by what their methods allow.
type methods struct {
	unsafe, requests, failed int64
	method                   string // of unsafe ones
}

func (m *methods) add(row *detect.Row) {
	m.requests += row.Requests
	m.failed += row.Failed
	name, _, _ := strings.Cut(row.Op, " ")
	if methodAllows(name) < 0 {
		m.unsafe += row.Requests
		if m.method == "" || name < m.method {
			m.method = name
		}
	}
}
