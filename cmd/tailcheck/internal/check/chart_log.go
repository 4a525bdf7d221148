package check

import (
	"fmt"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/stall"
	"github.com/tailcheck/tailcheck/ingest"
)

// logTimeline draws what a server's log says of each stretch of time, its stalls,
// and over it the load reports that can be seen in it, by the log's clock.
func (j *judge) logTimeline(x *input) bool {
	in := j.pass.table.Input(x.index)
	log := in.Timeline.Bins()
	if len(log) == 0 || in.Last <= in.First || in.First == 0 {
		return false
	}
	byStart := len(in.Pairs) > 0 && !in.PairsLost
	axis := newBins(in.First, in.Last)
	if width := int64(in.Timeline.Width()); !byStart && axis.width < width {
		axis = axis.cut(width, in.Last)
	}
	exact := time.Duration(0) // as far as the stamps of the log are
	for i := range in.Log.Shapes {
		if s := &in.Log.Shapes[i]; s.Stamp != ingest.StampNone {
			exact = max(exact, s.Resolution)
		}
	}
	if axis.width < int64(exact) {
		axis = axis.cut(int64(exact), in.Last)
	}
	t := &report.Timeline{WidthMs: *msOf(axis.width)}
	if in.First > dated {
		t.StartUnixMs = int64(axis.from) / 1e6
	}
	note := "Each bar is the slowest request of the log that ended in that stretch of time."
	own := report.TimeSeries{Name: "the server's log", Role: report.Other}
	if byStart {
		note = "Each bar is the slowest request of the log that began in that stretch of time."
		own.Bins = axis.sent(in.Pairs, false)
	} else {
		own.Bins = axis.ended(&in.Timeline)
	}
	if exact >= time.Second {
		note += fmt.Sprintf(" The times of the log are exact to %s.", sla.FormatTime(int64(exact)))
	}
	t.Series = append(t.Series, own)
	for _, s := range stall.Stalls(j.pass.table, x.index) {
		t.Marks = append(t.Marks, report.Interval{Name: "the server answered nobody", FromMs: *msOf(int64(s.From.Sub(axis.from))), ToMs: *msOf(int64(s.To.Sub(axis.from)))})
		if len(t.Marks) == maxStalls {
			break
		}
	}
	if len(t.Marks) > 0 {
		note += " Marked are the stalls that were found."
	}
	over := j.over(x.index, axis)
	t.Series = append(t.Series, over...)
	if len(over) > 0 {
		note += " The load report that the log belongs to lies over it, by the log's clock, by the starts of its requests: what it did not send is not in it."
	}
	j.draw(report.Chart{Title: "The server over time", Input: x.index, Note: note, Timeline: t})
	return true
}

// dated is the moment before which a time is no date.
const dated = ingest.Time(1e17)

// over are the load reports whose runs can be seen in a log.
func (j *judge) over(log int, axis bins) (out []report.TimeSeries) {
	for _, x := range j.inputs {
		load := j.pass.table.Input(x.index)
		if len(load.Pairs) == 0 || load.PairsLost || len(out) == 2 {
			continue
		}
		logs, ahead := stall.Beside(j.pass.table, load)
		for _, i := range logs {
			if i == log {
				out = append(out, report.TimeSeries{Name: "the load report " + x.path, Role: report.Measured, Bins: axis.sent(axis.within(load.Pairs, ahead), false)})
			}
		}
	}
	return out
}

// within are pairs by another clock, those that are in the bins.
func (b bins) within(pairs []detect.Pair, ahead time.Duration) []detect.Pair {
	var out []detect.Pair
	to := b.from.Add(time.Duration(int64(b.n) * b.width))
	for _, p := range pairs {
		if p.Start = p.Start.Add(ahead); p.Start >= b.from && p.Start < to {
			out = append(out, p)
		}
	}
	return out
}

// ended are the requests of a timeline by their ends.
func (b bins) ended(t *detect.Timeline) []report.Bin {
	count, longest := make([]int64, b.n), make([]int64, b.n)
	for i := range longest {
		longest[i] = -1
	}
	list := t.Bins()
	for i := range list {
		x := &list[i]
		if x.Ends == 0 {
			continue
		}
		k := b.at(x.FirstEnd)
		count[k] += x.Ends
		if x.Timed > 0 {
			longest[k] = max(longest[k], int64(x.Longest))
		}
	}
	return b.list(count, longest, true)
}
