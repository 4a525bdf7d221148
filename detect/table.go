package detect

import (
	"slices"
	"sync"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Bounds of a table, so that memory follows what is distinct and not what is read.
const (
	MaxPairs   = 1 << 20 // (start, latency) pairs kept of an input; with more samples none are kept
	MaxSlowest = 1024    // slowest samples kept of an input
)

// Table is what several detectors need, folded once: for each input its run and
// its rows. Adding and merging only adds integers, takes extremes with ties
// broken by position, and unites sets, so that a table depends only on the
// records and never on their order.
type Table struct {
	inputs map[int32]*Input
	last   *Input // of the last record

	mu      sync.Mutex
	derived map[any]any // see Derive
}

// Derive returns what compute returns, computed once for each key: what several
// detectors work out of one finished table is worked out once. The key is of a
// type that only its caller has. It is called after Finish, when every Run is
// as the detectors are to see it; compute may not call Derive.
func (t *Table) Derive(key any, compute func() any) any {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.derived[key]
	if !ok {
		v = compute()
		if t.derived == nil {
			t.derived = map[any]any{}
		}
		t.derived[key] = v
	}
	return v
}

// Input is what a table knows about one input.
type Input struct {
	Index int
	Run   ingest.Run // its zero value where no reader yielded one; see Has
	Has   bool       // a Run was read

	Samples, Aggregates, Problems int64 // records seen

	First, Last ingest.Time // first start and last end of samples; 0: no sample has a start
	Pairs       []Pair      // of a load report: (start, latency) of every sample with a start, by start; nil when there were more than MaxPairs; a log has its Timeline
	PairsLost   bool        // there were more than MaxPairs
	Slowest     []Slow      // the slowest samples, slowest first

	// Of a server's log; zero where the input is none.
	Log      ingest.Log    // how its lines are written; no shapes: it is none
	Timeline Timeline      // requests as they started and ended
	Window   time.Duration // width of the windows of its rows; 0: no request has a time
	Pauses   Pauses

	ByRequest, ByTrace Joins // requests by their ids; of traces, whole ones by theirs

	times map[int64]struct{} // numbers of the windows in which anything happened
	kept  keptRows           // of a log
	rows  map[rowKey]*Row
	order []*Row  // rows as Rows has them, from Finish on
	row   *Row    // of the last sample
	known []known // see near
	pairs pairs   // until Finish makes Pairs of them
}

// Sample folds one sample.
func (t *Table) Sample(s *ingest.Sample) {
	in := t.last
	if in == nil || int32(in.Index) != s.Input {
		in = t.input(s.Input)
		t.last = in
	}
	in.sample(s)
}

// Add folds one record.
func (t *Table) Add(rec ingest.Record) {
	if s, ok := rec.(*ingest.Sample); ok {
		t.Sample(s)
		return
	}
	in := t.input(rec.Where().Input)
	switch r := rec.(type) {
	case *ingest.Aggregate:
		in.aggregate(r)
	case *ingest.Run:
		if !in.Has || r.Pos.Compare(in.Run.Pos) < 0 {
			in.Run, in.Has = *r, true
		}
	case *ingest.Log:
		in.Log.Merge(r)
	case *ingest.Pause:
		in.Pauses.add(r)
	case *ingest.Problem:
		in.Problems++
	}
}

func (t *Table) input(idx int32) *Input {
	if in := t.inputs[idx]; in != nil {
		return in
	}
	if t.inputs == nil {
		t.inputs = map[int32]*Input{}
	}
	in := &Input{Index: int(idx)}
	t.inputs[idx] = in
	return in
}

func (in *Input) sample(s *ingest.Sample) {
	in.Samples++
	row := in.row
	if row == nil || row.Op != s.Op || row.Vantage != s.Vantage {
		row = in.near(s.Op, s.Vantage)
		in.row = row
	}
	if row.Served() {
		in.served(row, s)
		return
	}
	row.Outcomes[s.Outcome]++
	if s.Outcome == ingest.TimedOut || s.Outcome == ingest.Canceled {
		row.Censored++
	}
	row.Service.Record(int64(s.Latency))
	if s.Start != 0 {
		end := s.Start.Add(s.Latency)
		if s.Due != 0 {
			// a request that was sent early counts from its send
			row.Response.Record(int64(max(end.Sub(s.Due), s.Latency)))
		}
		if in.First == 0 || s.Start < in.First {
			in.First = s.Start
		}
		if in.Last == 0 || end > in.Last {
			in.Last = end
		}
		in.pairs.add(Pair{s.Start, s.Latency})
	}
	if len(in.Slowest) == MaxSlowest && s.Latency < in.Slowest[0].Latency {
		return
	}
	in.slow(slowOf(s))
}

// served folds a line of a server's log.
func (in *Input) served(row *Row, s *ingest.Sample) {
	row.Traffic.add(s)
	row.Outcomes[s.Outcome]++
	end := s.End
	if s.Start != 0 && s.Latency >= 0 {
		end = s.Start.Add(s.Latency)
	}
	if n := s.UpstreamTries(); n > 1 {
		row.most(int64(n), s.Pos)
	}
	if waited(s) {
		row.Queues.Record(int64(s.Queue))
	}
	var window *Window
	if at := earliest(s.Start, end); at != 0 {
		in.First = earliest(in.First, at)
		in.Last = max(in.Last, at, end)
		window = in.window(row, s, at)
		if !s.Stream {
			in.Timeline.add(s.Start, end, s.Latency, s.Outcome != ingest.OK)
		}
	}
	switch {
	case s.Stream:
		row.Streams++
		return
	case s.Latency < 0:
		row.Untimed++
		return
	}
	row.record(int64(s.Latency), window)
	if s.Outcome == ingest.TimedOut || s.Outcome == ingest.Canceled {
		row.Censored++
		row.Bounds.Record(int64(s.Latency))
	}
	in.joins(s)
	if len(in.Slowest) < MaxSlowest || s.Latency >= in.Slowest[0].Latency {
		in.slow(slowOf(s))
	}
}

func (in *Input) aggregate(a *ingest.Aggregate) {
	in.Aggregates++
	row := in.find(a.Op, a.Vantage)
	if a.Length == 0 {
		c := *a
		c.Quantiles, c.Buckets = slices.Clone(a.Quantiles), slices.Clone(a.Buckets)
		i, _ := slices.BinarySearchFunc(row.Aggregates, c, func(x, y ingest.Aggregate) int { return x.Pos.Compare(y.Pos) })
		row.Aggregates = slices.Insert(row.Aggregates, i, c)
		return
	}
	row.Intervals++
	row.Spectrum = true
	row.Treated = max(row.Treated, a.Treated)
	for _, b := range a.Buckets {
		row.Service.RecordN(int64(b.High), b.Count)
	}
	if a.Start != 0 {
		if in.First == 0 || a.Start < in.First {
			in.First = a.Start
		}
		in.Last = max(in.Last, a.Start.Add(a.Length))
	}
}

// Settle does now what has to be done before a table is merged: each worker may
// do it for its own. It changes nothing of what the table will say.
func (t *Table) Settle() {
	for _, in := range t.inputs {
		in.pairs.sort()
		for _, row := range in.rows {
			row.settle()
		}
	}
}

// Merge adds all of o. o is not used again.
func (t *Table) Merge(o *Table) {
	t.last = nil
	for idx, from := range o.inputs {
		t.input(idx).merge(from)
	}
}

func (in *Input) merge(o *Input) {
	if o.Has && (!in.Has || o.Run.Pos.Compare(in.Run.Pos) < 0) {
		in.Run, in.Has = o.Run, true
	}
	in.Samples += o.Samples
	in.Aggregates += o.Aggregates
	in.Problems += o.Problems
	if o.First != 0 && (in.First == 0 || o.First < in.First) {
		in.First = o.First
	}
	if o.Last != 0 && (in.Last == 0 || o.Last > in.Last) {
		in.Last = o.Last
	}
	in.pairs.merge(&o.pairs)
	for _, s := range o.Slowest {
		in.slow(s)
	}
	in.Log.Merge(&o.Log)
	in.Timeline.Merge(&o.Timeline)
	in.Pauses.merge(&o.Pauses)
	in.ByRequest.merge(&o.ByRequest)
	in.ByTrace.merge(&o.ByTrace)
	in.mergeWindows(o)
	in.row = nil
	for k, from := range o.rows {
		in.find(k.op, k.vantage).merge(from)
	}
	in.fitWindows()
}

// Finish puts the kept sets in order. It is called once, after the last merge
// and before anybody reads.
func (t *Table) Finish() {
	for _, in := range t.inputs {
		in.fitWindows()
		slices.SortFunc(in.Slowest, slower)
		in.Pauses.shorten()
		in.ByRequest.shorten()
		in.ByTrace.shorten()
		in.pairs.sort()
		in.Pairs, in.PairsLost = in.pairs.list, in.pairs.lost
		in.order = in.sortedRows()
		in.Timeline.Sort()
		for _, row := range in.order {
			row.settle()
			row.windows.sort()
		}
	}
}

// Inputs returns the inputs in order.
func (t *Table) Inputs() []*Input {
	out := make([]*Input, 0, len(t.inputs))
	for _, in := range t.inputs {
		out = append(out, in)
	}
	slices.SortFunc(out, func(a, b *Input) int { return a.Index - b.Index })
	return out
}

// Input returns what is known about an input, which may be nothing.
func (t *Table) Input(idx int) *Input { return t.input(int32(idx)) }
