package stall

import (
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Stood is a time in which a server answered nobody, for those who want to see
// it: what server-stall speaks of.
type Stood struct{ From, To ingest.Time }

// Stalls returns when the server of a log stood still, in order of time.
func Stalls(t *detect.Table, input int) []Stood {
	var out []Stood
	for _, s := range find(t).stalls {
		if slices.Contains(s.inputs, input) && s.from != 0 {
			out = append(out, Stood{s.from, s.to})
		}
	}
	return out
}

// Beside returns the logs in which the run of a load report can be seen, and what
// has to be added to the report's times for those of the logs' clock. None: there
// is no such log, or the report has no times.
func Beside(t *detect.Table, load *detect.Input) (logs []int, ahead time.Duration) {
	if isLog(load) || !load.Has || load.First == 0 {
		return nil, 0
	}
	m := align(load, find(t).views)
	switch {
	case m == nil:
		return nil, 0
	case m.byTime:
		return m.view.indexes(), 0
	}
	return m.view.indexes(), m.from.Sub(load.First)
}
