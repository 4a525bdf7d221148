package detect

import (
	"cmp"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Timeline is what went on when: requests that started and ended, in bins of
// one width. The width is the smallest at which no more than MaxBins bins hold
// anything, so that it depends on all that was added and on no order. The zero
// value is empty.
type Timeline struct {
	rung  int // of widths
	bins  []Bin
	index map[int64]int32 // place in bins, by number since the epoch
	near  [64]int32       // places in bins of those asked for last, by the last digits of their numbers
}

// Bin is a stretch of a timeline. Moments are exact, whatever its width.
type Bin struct {
	Number              int64 // since the epoch, in widths
	Starts, Ends        int64
	FirstStart, LastEnd ingest.Time // 0: none
	LastStart, FirstEnd ingest.Time
	Failed              int64         // of Ends
	Longest             time.Duration // of Ends; 0: none has a latency
	Latency             time.Duration // sum over Timed
	Timed               int64         // of Ends: those with a latency
}

// MaxBins bounds a timeline: a day and a half at one second.
const MaxBins = 1 << 17

// widths of bins: each divides the next, and from one second on, the resolution
// of most logs, a bin holds whole seconds.
var widths = [...]time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute, 10 * time.Minute,
	time.Hour, 6 * time.Hour, 24 * time.Hour, 30 * 24 * time.Hour, 300 * 24 * time.Hour, 3000 * 24 * time.Hour, 30000 * 24 * time.Hour}

// Width returns the width of bins.
func (t *Timeline) Width() time.Duration { return widths[t.rung] }

// Empty reports whether nothing was added that has a time.
func (t *Timeline) Empty() bool { return len(t.bins) == 0 }

// Bins returns the bins that hold anything, in order of time once the table is
// finished. They must not be changed.
func (t *Timeline) Bins() []Bin { return t.bins }

// Sort puts the bins in order, as finishing a table does.
func (t *Timeline) Sort() {
	slices.SortFunc(t.bins, func(a, b Bin) int { return cmp.Compare(a.Number, b.Number) })
	t.index, t.near = nil, [64]int32{}
}

// Begin returns when a bin begins.
func (t *Timeline) Begin(b *Bin) ingest.Time { return ingest.Time(b.Number * int64(t.Width())) }

// add counts a request. Start, end: 0 is not known; d is negative where it is not.
func (t *Timeline) add(start, end ingest.Time, d time.Duration, failed bool) {
	if start != 0 {
		b := t.at(start)
		b.Starts++
		b.FirstStart, b.LastStart = earliest(b.FirstStart, start), max(b.LastStart, start)
	}
	if end == 0 {
		return
	}
	b := t.at(end)
	b.Ends++
	b.FirstEnd, b.LastEnd = earliest(b.FirstEnd, end), max(b.LastEnd, end)
	if failed {
		b.Failed++
	}
	if d >= 0 {
		b.Timed++
		b.Latency += d
		b.Longest = max(b.Longest, d)
	}
}

// earliest returns the earlier of two moments, of which 0 is none.
func earliest(a, b ingest.Time) ingest.Time {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// number returns which bin a moment is in.
func number(at ingest.Time, w time.Duration) int64 {
	n := int64(at) / int64(w)
	if at < 0 && int64(at)%int64(w) != 0 {
		n--
	}
	return n
}

// at returns the bin of a moment.
func (t *Timeline) at(moment ingest.Time) *Bin {
	n := number(moment, widths[t.rung])
	near := &t.near[n&63]
	if i := *near; int(i) < len(t.bins) && t.bins[i].Number == n {
		return &t.bins[i]
	}
	if t.index == nil {
		t.reindex()
	}
	i, ok := t.index[n]
	if !ok {
		if len(t.bins) == MaxBins && t.rung+1 < len(widths) {
			t.widen(t.rung + 1)
			return t.at(moment)
		}
		i = int32(len(t.bins))
		t.bins = append(t.bins, Bin{Number: n})
		t.index[n] = i
	}
	*near = i
	return &t.bins[i]
}

func (t *Timeline) reindex() {
	t.index = make(map[int64]int32, len(t.bins))
	for i := range t.bins {
		t.index[t.bins[i].Number] = int32(i)
	}
}

// widen makes bins as wide as a rung has them.
func (t *Timeline) widen(rung int) {
	old, from := t.bins, int64(widths[t.rung])
	t.rung, t.bins, t.index, t.near = rung, nil, map[int64]int32{}, [64]int32{}
	for i := range old {
		b := &old[i]
		t.put(b, number(ingest.Time(b.Number*from), widths[rung]))
	}
}

// put adds all of a bin to the one with a number.
func (t *Timeline) put(b *Bin, n int64) {
	if t.index == nil {
		t.reindex()
	}
	i, ok := t.index[n]
	if !ok {
		i = int32(len(t.bins))
		t.bins = append(t.bins, Bin{Number: n})
		t.index[n] = i
	}
	into := &t.bins[i]
	into.Starts += b.Starts
	into.Ends += b.Ends
	into.FirstStart, into.LastStart = earliest(into.FirstStart, b.FirstStart), max(into.LastStart, b.LastStart)
	into.FirstEnd, into.LastEnd = earliest(into.FirstEnd, b.FirstEnd), max(into.LastEnd, b.LastEnd)
	into.Failed += b.Failed
	into.Longest = max(into.Longest, b.Longest)
	into.Latency += b.Latency
	into.Timed += b.Timed
}

// Merge adds all of o, which stays as it is.
func (t *Timeline) Merge(o *Timeline) {
	if t.rung < o.rung {
		t.widen(o.rung)
	}
	for i := range o.bins {
		b := &o.bins[i]
		t.put(b, number(o.Begin(b), widths[t.rung]))
	}
	for len(t.bins) > MaxBins && t.rung+1 < len(widths) {
		t.widen(t.rung + 1)
	}
}
