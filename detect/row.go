package detect

import (
	"cmp"
	"slices"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

type rowKey struct {
	op      string
	vantage ingest.Vantage
}

// Row is one operation of one input, seen from one place.
type Row struct {
	Op      string
	Vantage ingest.Vantage

	Service  latency.Summary // start to end of every sample that has a latency
	Response latency.Summary // due to end, of those whose due time is known
	Outcomes [4]int64        // samples by ingest.Outcome
	Censored int64           // samples whose latency is a lower bound

	// Aggregates are what the report computed itself, whole-run ones only, by
	// position. Interval histograms (an .hlog) go into Service instead.
	Aggregates []ingest.Aggregate
	Intervals  int64            // interval histograms in Service
	Spectrum   bool             // Service holds bucket edges of a report, not samples
	Treated    ingest.Treatment // of Service, where it came from aggregates
}

func (in *Input) find(op string, v ingest.Vantage) *Row {
	k := rowKey{op, v}
	if r := in.rows[k]; r != nil {
		return r
	}
	if in.rows == nil {
		in.rows = map[rowKey]*Row{}
	}
	r := &Row{Op: op, Vantage: v}
	in.rows[k], in.order = r, nil
	return r
}

// Rows returns the rows by operation and vantage, which must not be changed.
func (in *Input) Rows() []*Row {
	if in.order != nil {
		return in.order
	}
	return in.sortedRows()
}

func (in *Input) sortedRows() []*Row {
	out := make([]*Row, 0, len(in.rows))
	for _, r := range in.rows {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *Row) int {
		if c := cmp.Compare(a.Op, b.Op); c != 0 {
			return c
		}
		return int(a.Vantage) - int(b.Vantage)
	})
	return out
}
