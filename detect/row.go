package detect

import (
	"cmp"
	"container/heap"
	"hash/fnv"
	"io"
	"slices"
	"unsafe"

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

	// Of a server's log; zero where the row is none.
	Traffic
	Untimed   int64           // requests without a latency: they are in no percentile
	Streams   int64           // connections and not requests: neither are they
	Queues    latency.Summary // waits for a worker, of those that waited; light
	Bounds    latency.Summary // of Service: those that are lower bounds; light
	MostTries int64           // upstream tries of one request, the most
	MostAt    ingest.Pos      // where that is, the first of those
	windows   windows
	gone      bool // it is counted among Others from now on

	// Latencies that have come are counted many at once: summaries of thousands of
	// rows do not fit into caches together.
	pending [32]int64
	waiting int     // of pending
	window  *Window // in which they are; nil: none
}

// Served reports whether the row was seen by a server or a proxy: it is one of a log.
func (r *Row) Served() bool { return r.Vantage == ingest.Server || r.Vantage == ingest.Proxy }

// Others is the operation under which all others are counted where a log has
// more than MaxRows.
const Others = "(other routes)"

// MaxRows bounds the rows of a log. Those whose names have the lowest hashes are
// kept, so that which they are does not depend on any order.
const MaxRows = 1 << 14

// known is a row that was asked for lately. Readers give the same string for the
// same name, so that it need not be hashed nor compared.
type known struct {
	op  string
	row *Row
}

const manyKnown = 1 << 13

// near returns a row as find does.
func (in *Input) near(op string, v ingest.Vantage) *Row {
	p := unsafe.StringData(op)
	if in.known == nil {
		if len(in.rows) < 2 {
			return in.find(op, v)
		}
		in.known = make([]known, manyKnown)
	}
	k := &in.known[uint64(uintptr(unsafe.Pointer(p)))*0x9E3779B97F4A7C15>>(64-13)]
	if unsafe.StringData(k.op) == p && len(k.op) == len(op) && k.row != nil && k.row.Vantage == v && !k.row.gone {
		return k.row
	}
	*k = known{op, in.find(op, v)}
	return k.row
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
	if r.Served() {
		if op != Others && !in.room(k) {
			return in.find(Others, v)
		}
		r.lighten()
	}
	in.rows[k], in.order = r, nil
	return r
}

// hashOf is FNV-1a, 64 bits: the same on every machine.
func hashOf(k rowKey) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte{byte(k.vantage)})
	_, _ = io.WriteString(h, k.op)
	return h.Sum64()
}

// room makes room for a row of a log, where its hash is low enough.
func (in *Input) room(k rowKey) bool {
	x := keptRow{hashOf(k), k}
	if len(in.kept) >= MaxRows {
		if x.compare(in.kept[0]) >= 0 {
			return false
		}
		out := heap.Pop(&in.kept).(keptRow).rowKey
		gone := in.rows[out]
		delete(in.rows, out)
		gone.gone, in.row = true, nil
		in.find(Others, out.vantage).merge(gone)
	}
	heap.Push(&in.kept, x)
	return true
}

// keptRow is a row that is kept by its own name.
type keptRow struct {
	hash uint64
	rowKey
}

func (x keptRow) compare(y keptRow) int {
	return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.op, y.op), cmp.Compare(x.vantage, y.vantage))
}

// keptRows is a heap with the highest hash first.
type keptRows []keptRow

func (h keptRows) Len() int           { return len(h) }
func (h keptRows) Less(i, j int) bool { return h[i].compare(h[j]) > 0 }
func (h keptRows) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *keptRows) Push(x any)        { *h = append(*h, x.(keptRow)) }
func (h *keptRows) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// lighten makes the summaries of an empty row light ones.
func (r *Row) lighten() {
	r.Service, r.Queues, r.Bounds = latency.Light(rowValues, rowBits), latency.Light(rowValues, rowBits), latency.Light(rowValues, rowBits)
}

// Complete returns the percentile of the requests of which more than a lower
// bound is known; 0: there are none.
func (r *Row) Complete(p latency.Percentile) int64 {
	bounds := map[int64]int64{}
	for _, v := range r.Bounds.Values() {
		bounds[v.V] += v.Count
	}
	var rest latency.Summary
	for _, v := range r.Service.Values() {
		rest.RecordN(v.V, v.Count-bounds[v.V])
	}
	return rest.Percentile(p)
}

// Add adds what another row of the same log says, windows aside. An empty row
// becomes one for all of them.
func (r *Row) Add(o *Row) {
	if r.Requests == 0 {
		r.lighten()
	}
	r.add(o)
}

// record counts a latency, in a window unless that is nil.
func (r *Row) record(v int64, w *Window) {
	if r.waiting == len(r.pending) || w != r.window {
		r.settle()
		r.window = w
	}
	r.pending[r.waiting] = v
	r.waiting++
}

// settle counts what is pending.
func (r *Row) settle() {
	for _, v := range r.pending[:r.waiting] {
		r.Service.Record(v)
	}
	if r.window != nil {
		for _, v := range r.pending[:r.waiting] {
			r.window.Latency.Record(v)
		}
	}
	r.waiting = 0
}

// most takes note of a request with many tries.
func (r *Row) most(tries int64, at ingest.Pos) {
	if tries > r.MostTries || tries == r.MostTries && tries > 0 && at.Compare(r.MostAt) < 0 {
		r.MostTries, r.MostAt = tries, at
	}
}

// merge adds all of o, which is not used again.
func (r *Row) merge(o *Row) {
	r.settle()
	o.settle()
	r.add(o)
	for _, w := range o.windows.list {
		r.windows.merge(w, w.Number)
	}
}

func (r *Row) add(o *Row) {
	r.Service.Merge(&o.Service)
	r.Response.Merge(&o.Response)
	for i, n := range o.Outcomes {
		r.Outcomes[i] += n
	}
	r.Censored += o.Censored
	r.Intervals += o.Intervals
	r.Spectrum = r.Spectrum || o.Spectrum
	r.Treated = max(r.Treated, o.Treated)
	r.Aggregates = append(r.Aggregates, o.Aggregates...)
	slices.SortFunc(r.Aggregates, func(a, b ingest.Aggregate) int { return a.Pos.Compare(b.Pos) })
	r.Traffic.Add(&o.Traffic)
	r.Untimed += o.Untimed
	r.Streams += o.Streams
	r.Queues.Merge(&o.Queues)
	r.Bounds.Merge(&o.Bounds)
	r.most(o.MostTries, o.MostAt)
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
