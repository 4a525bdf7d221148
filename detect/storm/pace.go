package storm

import (
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// A program that polls sleeps between its calls: at least leastPause, and
// pauseTimes as long as a call takes. Steady pauses differ by a quarter of the
// shortest at most, those of a back-off grow by a fifth each time at least.
const (
	leastPause = 10 * time.Millisecond
	pauseTimes = 4
)

// paced reports whether calls of one parent follow each other at steady or
// growing intervals, with nothing else called in the pauses: the program polls,
// probes or paces itself, and does not work through a list. Spans are by start.
func paced(t *calltree.Trace, spans []calltree.Node) bool {
	if len(spans) < 3 {
		return false
	}
	parent := t.Parent(spans[0])
	kids := t.Children(parent)
	took := make([]time.Duration, 0, len(spans))
	var least, most, before time.Duration
	growing := true
	for i, k := range spans {
		took = append(took, t.Duration(k))
		if i == 0 {
			continue
		}
		end := t.Spans[spans[i-1]].End
		pause := t.Spans[k].Start.Sub(end)
		if pause < leastPause || t.Parent(k) != parent || other(t, kids, end, k) {
			return false
		}
		if i == 1 {
			least, most = pause, pause
		} else {
			growing = growing && pause >= before+before/5
		}
		least, most, before = min(least, pause), max(most, pause), pause
	}
	slices.Sort(took)
	return (growing || most <= least+least/4) && least >= pauseTimes*took[(len(took)-1)/2]
}

// other reports whether a sibling began after a time and before span k.
func other(t *calltree.Trace, kids []calltree.Node, from ingest.Time, k calltree.Node) bool {
	i, _ := slices.BinarySearchFunc(kids, from, func(n calltree.Node, at ingest.Time) int {
		if t.Spans[n].Start < at {
			return -1
		}
		return 1
	})
	return i < len(kids) && kids[i] != k
}
