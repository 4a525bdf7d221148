package stall

import (
	"fmt"
	"math"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// match is how a load report and a log belong together.
type match struct {
	load     *detect.Input
	view     *view
	row      *detect.Row // operation of the log that the run sent; nil: all of them
	in       *detect.Input
	from, to ingest.Time // of the run, by the clock of the log
	how      string
	sure     detect.Confidence
	byTime   bool
	apart    time.Duration // by how much the log's clock is ahead of the report's; valid with dated
	dated    bool
}

// align finds the log in which a run can be seen: by the dates of the report
// where it has them; else by the number of its requests and its length, of the
// whole log or of one operation. nil: nothing says that they belong together, or
// logs of different times fit as well.
func align(load *detect.Input, views []*view) (best *match) {
	var all []*match
	for _, v := range views {
		for _, m := range []*match{byTime(load, v), byNumber(load, v), byLongest(load, v)} {
			if m == nil || !m.plausible() {
				continue
			}
			all = append(all, m)
			if best == nil || m.sure > best.sure || m.sure == best.sure && m.dated && !best.dated {
				best = m
			}
		}
	}
	for _, m := range all {
		if !best.byTime && m.sure == best.sure && (m.from > best.to || m.to < best.from) {
			return nil // two runs alike
		}
	}
	return best
}

// Of a report with dates whose number and length are those of a log at another
// time: clocks that are apart by no more than minutes, or by a time zone. Else it
// is another run, that was as long by chance or by its plan.
const (
	mostApart = 5 * time.Minute
	mostZone  = 14 * time.Hour
)

func (m *match) plausible() bool {
	if !m.dated || m.apart.Abs() <= mostApart {
		return true
	}
	const quarter = 15 * time.Minute
	rest := (m.apart.Abs() + quarter/2) % quarter
	return m.apart.Abs() <= mostZone+mostApart && (rest-quarter/2).Abs() <= 5*time.Second+m.view.resolution
}

// byTime matches by dates: most of the run lies in the time of the log.
func byTime(load *detect.Input, v *view) *match {
	if !load.Run.Absolute || load.First == 0 || load.Last <= load.First {
		return nil
	}
	first, last := v.spans()
	over := min(last, load.Last).Sub(max(first, load.First))
	if 2*over < load.Last.Sub(load.First) {
		return nil
	}
	return &match{load: load, view: v, from: load.First.Add(-v.resolution), to: load.Last.Add(v.resolution), sure: detect.High, byTime: true,
		how: "by time"}
}

func (v *view) spans() (first, last ingest.Time) {
	for _, in := range v.inputs {
		if in.First != 0 && (first == 0 || in.First < first) {
			first = in.First
		}
		last = max(last, in.Last)
		if in.Pauses.First != 0 && (first == 0 || in.Pauses.First < first) {
			first = in.Pauses.First
		}
		last = max(last, in.Pauses.Last)
	}
	return first, last
}

// Of a match by number: requests of both may differ by one in 100, as warm-ups
// and the last ones in flight do, and lengths by two seconds.
const (
	numberShare = 0.01
	lengthSlack = 2 * time.Second
)

func byNumber(load *detect.Input, v *view) *match {
	if len(v.inputs) != 1 {
		return nil
	}
	n := load.Run.Requests - load.Run.Lost
	if n < 20 || load.Run.Elapsed <= 0 {
		return nil
	}
	in := v.inputs[0]
	near := func(m int64, first, last ingest.Time) bool {
		length := last.Sub(first)
		return math.Abs(float64(m-n)) <= max(1, numberShare*float64(n)) &&
			(length-load.Run.Elapsed).Abs() <= lengthSlack+v.resolution+load.Run.Elapsed/50
	}
	var whole int64
	var found *match
	for _, row := range in.Rows() {
		whole += row.Requests
		if windows := row.Windows(); len(windows) > 0 {
			first := ingest.Time(windows[0].Number * int64(in.Window))
			last := ingest.Time((windows[len(windows)-1].Number + 1) * int64(in.Window))
			if in.Window <= 4*time.Second && near(row.Requests, first, last) {
				if found != nil {
					return nil // it could be either
				}
				found = &match{row: row, from: max(first, in.First), to: min(last, in.Last),
					how: fmt.Sprintf("by number and length: %d requests in %s there, %d of %s in as long here", n, took(load.Run.Elapsed), row.Requests, row.Op)}
			}
		}
	}
	if near(whole, in.First, in.Last) {
		found = &match{from: in.First, to: in.Last, how: fmt.Sprintf("by number and length: %d requests in %s there, %d in %s here", n, took(load.Run.Elapsed), whole, took(in.Last.Sub(in.First)))}
	}
	if found == nil {
		return nil
	}
	found.load, found.view, found.in, found.sure = load, v, in, detect.Medium
	if load.Run.Absolute && load.First != 0 {
		found.dated, found.apart = true, found.from.Sub(load.First)
	}
	return found
}

// byLongest matches a log of pauses, which counts no requests: its longest pause
// is as long as the slowest request of the run, and no other comes near it.
func byLongest(load *detect.Input, v *view) *match {
	if v.ends > 0 || len(v.inputs) != 1 || len(load.Rows()) != 1 {
		return nil
	}
	row, in := load.Rows()[0], v.inputs[0]
	slowest := time.Duration(row.Service.Max())
	for i := range row.Aggregates {
		slowest = max(slowest, row.Aggregates[i].Max)
	}
	const near = 20 * time.Millisecond
	var found *ingest.Pause
	for i := range in.Pauses.Longest {
		p := &in.Pauses.Longest[i]
		if !p.All || p.Length < minPause || p.Start == 0 || (p.Length-slowest).Abs() > near+slowest/50 {
			continue
		}
		if found != nil {
			return nil
		}
		found = p
	}
	if found == nil {
		return nil
	}
	return &match{load: load, view: v, in: nil, from: found.Start, to: found.Start.Add(found.Length), sure: detect.Medium,
		how: fmt.Sprintf("by the longest: the slowest request of the report took %s, the pause %s, and no other pause was as long", took(slowest), took(found.Length))}
}

// meets reports whether a stall lies in the run.
func (m *match) meets(s *stall) bool {
	return s.to > m.from && s.from < m.to && s.from >= m.from.Add(-s.length()/2) && s.to <= m.to.Add(s.length()/2)
}
