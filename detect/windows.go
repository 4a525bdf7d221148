package detect

import (
	"cmp"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// Traffic is what a server's log tells of requests beside their latencies.
type Traffic struct {
	Requests int64
	Failed   int64         // of Requests: not ingest.OK
	Proxied  int64         // of Requests: those with at least one upstream try
	Retried  int64         // of Requests: those of which a try repeats the one before
	Tries    int64         // upstream tries of all
	Repeats  int64         // of Tries: those that repeat the one before
	Wasted   time.Duration // time of tries that were repeated, where the log gives it
	Queued   int64         // of Requests: those that waited for a worker and were not tried again
	Queue    time.Duration // sum of their waits
}

func (t *Traffic) add(s *ingest.Sample) {
	t.Requests++
	if s.Outcome != ingest.OK {
		t.Failed++
	}
	if n := s.UpstreamTries(); n > 0 {
		t.Proxied++
		t.Tries += int64(n)
		if again := s.Retries(); again > 0 {
			t.Retried++
			t.Repeats += int64(again)
			t.Wasted += wasted(s.Attempts)
		}
	}
	if waited(s) {
		t.Queued++
		t.Queue += s.Queue
	}
}

// waited reports whether a request waited for a worker. What a proxy gives as the
// wait of one that it tried again is also the pauses between its tries.
func waited(s *ingest.Sample) bool { return s.Queue > 0 && s.Retries() == 0 }

// wasted returns the time of those tries that the next one repeats.
func wasted(tries []ingest.Attempt) (sum time.Duration) {
	for i := range tries {
		if i+1 < len(tries) && !tries[i+1].Redirected {
			sum += max(0, tries[i].Latency)
		}
	}
	return sum
}

// Add adds all of o.
func (t *Traffic) Add(o *Traffic) {
	t.Requests += o.Requests
	t.Failed += o.Failed
	t.Proxied += o.Proxied
	t.Retried += o.Retried
	t.Tries += o.Tries
	t.Repeats += o.Repeats
	t.Wasted += o.Wasted
	t.Queued += o.Queued
	t.Queue += o.Queue
}

// Window is one row of a log in one stretch of time.
type Window struct {
	Number int64 // since the epoch, in widths of Input.Window
	Traffic
	Latency latency.Sketch // requests in it by their start, or by their end where that is all that is known
}

// MaxWindows bounds the windows of an input: their width doubles until rows times
// the windows in which anything happened are no more.
const MaxWindows = 1 << 16

// Of the light summaries of rows: exact up to 1 024 distinct values, then within
// 1/256.
const rowValues, rowBits = 1024, 9

// minWindow is the smallest window.
const minWindow = time.Second

// windows are those of one row.
type windows struct {
	list []*Window
	last *Window
	find map[int64]*Window // made where there are many
}

func (w *windows) at(n int64) *Window {
	if w.last != nil && w.last.Number == n {
		return w.last
	}
	few := w.list // time goes forward: it is one of the last, or there are no more
	if w.find != nil {
		few = few[len(few)-4:]
	}
	for i := len(few) - 1; i >= 0; i-- {
		if few[i].Number == n {
			w.last = few[i]
			return w.last
		}
	}
	if w.find == nil {
		return nil
	}
	w.last = w.find[n]
	return w.last
}

func (w *windows) put(x *Window) {
	w.list = append(w.list, x)
	w.last = x
	if w.find == nil && len(w.list) > 16 {
		w.find = make(map[int64]*Window, 64)
		for _, x := range w.list {
			w.find[x.Number] = x
		}
	} else if w.find != nil {
		w.find[x.Number] = x
	}
}

// merge adds a window of another list, which is the n-th here.
func (w *windows) merge(o *Window, n int64) {
	if x := w.at(n); x != nil {
		x.Traffic.Add(&o.Traffic)
		x.Latency.Merge(&o.Latency)
		return
	}
	o.Number = n
	w.put(o)
}

// window counts a sample in its row's window, all but its latency.
func (in *Input) window(row *Row, s *ingest.Sample, at ingest.Time) *Window {
	if in.Window == 0 {
		in.Window, in.times = minWindow, map[int64]struct{}{}
	}
	n := number(at, in.Window)
	w := row.windows.at(n)
	if w == nil {
		in.times[n] = struct{}{}
		if in.fitWindows() {
			n = number(at, in.Window)
		}
		if w = row.windows.at(n); w == nil {
			w = &Window{Number: n}
			row.windows.put(w)
		}
	}
	w.Traffic.add(s)
	return w
}

// fitWindows makes windows wider until there are few enough, and reports whether
// it had to.
func (in *Input) fitWindows() bool {
	width := in.Window
	for len(in.rows)*len(in.times) > MaxWindows && len(in.times) > 1 {
		in.widen(2 * in.Window)
	}
	return in.Window != width
}

// widen makes windows wider, by a power of two.
func (in *Input) widen(width time.Duration) {
	by := width / in.Window
	times := make(map[int64]struct{}, len(in.times)/2+1)
	for n := range in.times {
		times[number(ingest.Time(n), by)] = struct{}{}
	}
	in.Window, in.times = width, times
	for _, row := range in.rows {
		row.settle()
		row.window = nil
		old := row.windows.list
		row.windows = windows{}
		for _, w := range old {
			row.windows.merge(w, number(ingest.Time(w.Number), by))
		}
	}
}

// mergeWindows makes the windows of two parts of an input equally wide, before
// their rows are merged.
func (in *Input) mergeWindows(o *Input) {
	switch {
	case o.Window == 0:
	case in.Window == 0:
		in.Window, in.times = o.Window, o.times
	default:
		if in.Window < o.Window {
			in.widen(o.Window)
		} else if o.Window < in.Window {
			o.widen(in.Window)
		}
		for n := range o.times {
			in.times[n] = struct{}{}
		}
	}
}

// Windows returns the windows of a row that hold anything, in order of time, from
// Finish on. They must not be changed.
func (r *Row) Windows() []*Window { return r.windows.list }

func (w *windows) sort() {
	slices.SortFunc(w.list, func(a, b *Window) int { return cmp.Compare(a.Number, b.Number) })
}

// Whole returns the windows of all rows together, in order of time.
func (in *Input) Whole() []*Window {
	all := windows{}
	for _, row := range in.Rows() {
		for _, w := range row.windows.list {
			x := all.at(w.Number)
			if x == nil {
				x = &Window{Number: w.Number}
				all.put(x)
			}
			x.Traffic.Add(&w.Traffic)
			x.Latency.Merge(&w.Latency)
		}
	}
	all.sort()
	return all.list
}
