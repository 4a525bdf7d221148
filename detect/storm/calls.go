package storm

import (
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// CallNumbers are the numbers of findings about calls that repeat.
type CallNumbers struct {
	Calls   int64   `json:"calls"`   // of all parents; a lower bound, as spans may be lost
	Parents int64   `json:"parents"` // spans that made them
	Sum     float64 `json:"sum_ms"`  // durations of the calls, added up
}

// callTally adds up calls that repeat, by operation.
type callTally struct {
	sums table[sums]
	find func(*calltree.Trace, []occurrence) []occurrence // appends those of a trace
	say  func(key, *sums) detect.Finding

	found []occurrence
	trace collector
}

func (t *callTally) Add(r ingest.Record) {
	tr, ok := r.(*calltree.Trace)
	if !ok {
		return
	}
	if t.found = t.find(tr, t.found[:0]); len(t.found) == 0 {
		return
	}
	t.trace.reset()
	for i := range t.found {
		t.trace.add(tr, &t.found[i])
	}
	for k, s := range t.trace.seen {
		t.sums.get(k).merge(s)
	}
}

func (t *callTally) Merge(other detect.Tally) {
	for k, o := range other.(*callTally).sums {
		t.sums.get(k).merge(o)
	}
}

func (t *callTally) Findings() []detect.Finding {
	var out []detect.Finding
	for _, k := range t.sums.keys() {
		out = append(out, t.say(k, t.sums[k]))
	}
	return out
}
