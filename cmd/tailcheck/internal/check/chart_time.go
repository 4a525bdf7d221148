package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// drawnBins is how many stretches of time a timeline has.
const drawnBins = 400

// timeline draws when the requests of a load report were sent and how long they
// took, with those that were due and not sent.
func (j *judge) timeline(x *input) bool {
	in := j.pass.table.Input(x.index)
	if in.First == 0 || in.Last <= in.First {
		return false
	}
	pairs, note := in.Pairs, "Each bar is the slowest request that was sent in that stretch of time."
	if in.PairsLost || len(pairs) == 0 {
		for _, s := range in.Slowest {
			if s.Start != 0 {
				pairs = append(pairs, detect.Pair{Start: s.Start, Latency: s.Latency})
			}
		}
		slices.SortFunc(pairs, func(a, b detect.Pair) int { return cmp.Compare(a.Start, b.Start) })
		note = fmt.Sprintf("Each bar is the slowest request that was sent in that stretch of time, of the %d slowest of the run; the others are not kept.", len(pairs))
	}
	if len(pairs) == 0 {
		return false
	}
	axis := newBins(pairs[0].Start, in.Last)
	t := &report.Timeline{WidthMs: *msOf(axis.width)}
	if in.Run.Absolute {
		t.StartUnixMs = int64(axis.from) / 1e6
	}
	t.Series = append(t.Series, report.TimeSeries{Name: "sent", Role: report.Measured, Bins: axis.sent(pairs, in.PairsLost)})
	if iv := j.filledAt(in); iv > 0 && !in.PairsLost {
		if unsent := axis.unsent(pairs, iv); len(unsent) > 0 {
			t.Series = append(t.Series, report.TimeSeries{Name: "due and not sent", Role: report.Corrected, Bins: unsent})
			note += " Behind a slow request stand those that were due while it lasted and were not sent, with the time that each would have waited."
		}
	}
	if !in.PairsLost {
		t.Marks = stalls(pairs, axis.from)
		if len(t.Marks) > 0 {
			note += " Marked are the longest times in which requests were waiting and nothing was sent or answered."
		}
	}
	for _, o := range j.objectives(x.index) {
		if o.Metric.IsTime() && o.Metric != sla.Mean && o.Op == "" {
			t.Limits = append(t.Limits, report.Limit{Name: o.String(), Ms: *msOf(o.Limit)})
		}
	}
	j.draw(report.Chart{Title: "Latency over time", Input: x.index, Note: note, Timeline: t})
	return true
}

// filledAt is the interval at which the requests of an input were put back; 0:
// they were not, or there are several operations, whose requests take turns.
func (j *judge) filledAt(in *detect.Input) int64 {
	if len(in.Rows()) != 1 || in.Run.Treated.Corrected() {
		return 0
	}
	for i := range j.out.Distributions {
		d := &j.out.Distributions[i]
		if d.Input != in.Index || d.Correction == nil || d.Corrected == nil || d.Correction.IntervalMs == nil {
			continue
		}
		switch d.Correction.Method {
		case string(correct.FillAdded), string(correct.FillInPlace):
			return int64(*d.Correction.IntervalMs * 1e6)
		}
	}
	return 0
}

// bins cut a run into stretches of equal width.
type bins struct {
	from  ingest.Time
	width int64 // ns
	n     int
}

// newBins cuts a time into at most drawnBins of a round width.
func newBins(from, last ingest.Time) bins {
	b := bins{from: from}
	least := max(int64(last.Sub(from))/drawnBins, 1)
	width := int64(1)
	for ; width < least && width < math.MaxInt64/10; width *= 10 {
		for _, m := range []int64{1, 2, 5} { // round widths: 1, 2, 5, 10, …
			if m*width >= least {
				return b.cut(m*width, last)
			}
		}
	}
	return b.cut(width, last)
}

// cut makes bins of a width until a moment.
func (b bins) cut(width int64, last ingest.Time) bins {
	b.width, b.n = width, int(int64(last.Sub(b.from))/width)+1
	return b
}

func (b bins) at(t ingest.Time) int {
	return min(max(int(int64(t.Sub(b.from))/b.width), 0), b.n-1)
}

func (b bins) list(count []int64, longest []int64, counted bool) []report.Bin {
	var out []report.Bin
	for i, n := range count {
		if n == 0 {
			continue
		}
		x := report.Bin{AtMs: float64(i) * float64(b.width) / 1e6, Count: n, MaxMs: -1}
		if longest[i] >= 0 {
			x.MaxMs = *msOf(longest[i])
		}
		if !counted {
			x.Count = -1
		}
		out = append(out, x)
	}
	return out
}

func (b bins) sent(pairs []detect.Pair, some bool) []report.Bin {
	count, longest := make([]int64, b.n), make([]int64, b.n)
	for _, p := range pairs {
		i := b.at(p.Start)
		count[i]++
		longest[i] = max(longest[i], int64(p.Latency))
	}
	return b.list(count, longest, !some)
}

// unsent are the requests that a fill puts back: behind a request of latency L
// one every interval, each shorter by as much, down to the interval.
func (b bins) unsent(pairs []detect.Pair, interval int64) []report.Bin {
	count, longest := make([]int64, b.n), make([]int64, b.n)
	for _, p := range pairs {
		if p.End() < p.Start {
			continue // times that cannot be
		}
		k := correct.Stands(int64(p.Latency), interval) - 1 // at start+1i … start+ki
		for m := int64(1); m <= k; {
			at := p.Start + ingest.Time(m*interval)
			i := b.at(at)
			// all that fall into the same bin at once
			end := int64(b.from.Sub(p.Start)) + int64(i+1)*b.width
			upTo := min(max((end-1)/interval, m), k)
			if i == b.n-1 {
				upTo = k
			}
			count[i] += upTo - m + 1
			longest[i] = max(longest[i], int64(p.Latency)-m*interval)
			m = upTo + 1
		}
	}
	return b.list(count, longest, true)
}

// Stalls that are marked.
const (
	maxStalls  = 20
	longStalls = 5   // medians that one lasts at least
	partStalls = 200 // of the run, one part in so many
)

// stalls finds the longest times in which requests were in flight and nothing
// was sent or answered.
func stalls(pairs []detect.Pair, from ingest.Time) []report.Interval {
	events := make([]ingest.Time, 0, 2*len(pairs))
	took := make([]int64, 0, len(pairs))
	ends := make([]ingest.Time, 0, len(pairs))
	for _, p := range pairs {
		events = append(events, p.Start, p.End())
		ends = append(ends, p.End())
		took = append(took, int64(p.Latency))
	}
	slices.Sort(events)
	slices.Sort(ends)
	slices.Sort(took)
	least := max(longStalls*took[(len(took)-1)/2], int64(events[len(events)-1].Sub(events[0]))/partStalls)
	var out []report.Interval
	started, ended := 0, 0
	for i := 1; i < len(events); i++ {
		a, b := events[i-1], events[i]
		if int64(b.Sub(a)) < least {
			continue
		}
		for started < len(pairs) && pairs[started].Start <= a {
			started++
		}
		for ended < len(ends) && ends[ended] <= a {
			ended++
		}
		if started > ended {
			out = append(out, report.Interval{Name: "nothing sent or answered", FromMs: *msOf(int64(a.Sub(from))), ToMs: *msOf(int64(b.Sub(from)))})
		}
	}
	slices.SortStableFunc(out, func(a, b report.Interval) int { return cmp.Compare(b.ToMs-b.FromMs, a.ToMs-a.FromMs) })
	out = out[:min(len(out), maxStalls)]
	slices.SortFunc(out, func(a, b report.Interval) int { return cmp.Compare(a.FromMs, b.FromMs) })
	return out
}
