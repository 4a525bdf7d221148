package retries_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/detect/retries"
	"github.com/tailcheck/tailcheck/ingest"
)

func id(n uint64) (s ingest.SpanID) { binary.BigEndian.PutUint64(s[:], n); return }

func traceID(n uint64) (t ingest.TraceID) { binary.BigEndian.PutUint64(t[8:], n); return }

// anyTrace draws spans that hold anything at all: few names, so that groups
// form; failures, retries, hedges and late starts by accident; missing and
// circular parents, impossible times and counts.
func anyTrace(r *rand.Rand, n uint64) []ingest.Span {
	spans := make([]ingest.Span, 1+r.IntN(60))
	calls := []*ingest.Call{nil, {Protocol: ingest.RPC, Method: "A/Get"}, {Protocol: ingest.HTTP, Method: "PATCH", Target: "/x"}}
	stores := []*ingest.Datastore{nil, {System: "redis", Op: "INCR", Keys: 1}, {System: "postgresql", Template: "SELECT ?", Pipelined: true}}
	for i := range spans {
		s := &spans[i]
		*s = ingest.Span{
			Pos: ingest.Pos{Input: int32(r.IntN(3)), Offset: int64(n)<<20 + int64(i)}, Trace: traceID(n), ID: id(uint64(i + 1)), Stands: 1, Resend: -1,
			Service: fmt.Sprint("s", r.IntN(3)), Op: []string{"a", "b", "Attempt.c", ""}[r.IntN(4)], Peer: []string{"", "h1:80", "h2:80"}[r.IntN(3)],
			Kind: ingest.Kind(r.IntN(6)), Outcome: ingest.Outcome(r.IntN(4)), Status: []int16{0, 0, 4, 14, 401, 503}[r.IntN(6)],
			Call: calls[r.IntN(len(calls))], Store: stores[r.IntN(len(stores))],
		}
		s.Error = s.Outcome != ingest.OK
		s.Async = r.IntN(20) == 0
		s.Setup = r.IntN(20) == 0
		if i > 0 {
			s.Parent = id(uint64(1 + r.IntN(i)))
		}
		s.Start = ingest.Time(1 + r.Int64N(int64(300*time.Millisecond)))
		s.End = s.Start.Add(time.Duration(r.Int64N(int64(100 * time.Millisecond))))
		switch r.IntN(60) {
		case 0:
			s.Parent = id(uint64(1 + r.IntN(len(spans)))) // a loop
		case 1:
			s.Parent = id(9999) // missing
		case 2:
			s.Start, s.End = 0, 0
		case 3:
			s.Start, s.End = math.MinInt64, math.MaxInt64
		case 4:
			s.Stands = math.MaxInt64
		case 5:
			s.Rare = &ingest.Rare{Retries: math.MaxInt32, Hedges: math.MaxInt32, Total: math.MaxInt64, Budget: time.Millisecond}
		case 6:
			s.Resend = int32(r.IntN(1 << 20))
		case 7:
			s.Rare = &ingest.Rare{Retries: 2}
		case 8:
			s.ID = id(uint64(1 + r.IntN(len(spans))))
		}
	}
	return spans
}

// Whatever the traces hold, nothing panics or overflows, and how they are spread
// over tallies, in which order, makes no difference.
func TestAnyTraces(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		var spans []ingest.Span
		for n := range uint64(60) {
			spans = append(spans, anyTrace(r, n+1)...)
		}
		traces, err := detecttest.Assemble(spans)
		if err != nil {
			t.Fatal(err)
		}
		all := records(traces)
		want := detecttest.Fold(retries.Detectors, [][]ingest.Record{all})
		for range 3 {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			parts := make([][]ingest.Record, 1+r.IntN(6))
			for _, rec := range all {
				p := r.IntN(len(parts))
				parts[p] = append(parts[p], rec)
			}
			if got := detecttest.Fold(retries.Detectors, parts); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: in %d parts\n%s\ninstead of\n%s", seed, len(parts), said(got), said(want))
			}
		}
		for _, f := range want {
			seen[f.Detector] = true
			if f.Impact < 0 {
				t.Errorf("seed %d: impact %v", seed, f.Impact)
			}
			switch n := f.Numbers.(type) {
			case retries.RetryNumbers:
				if n.Product < 1 || n.LeafCallsMax < 1 || n.LeafCalls < 0 || n.WastedMs < 0 {
					t.Errorf("seed %d: %+v", seed, n)
				}
			case retries.OrphanedNumbers:
				if n.Spans < 1 || n.WorkMs < 0 || n.Traces < 1 {
					t.Errorf("seed %d: %+v", seed, n)
				}
			case retries.HedgeNumbers:
				if n.HedgeShare < 0 || n.HedgeShare > 1 || n.LoadFactor < 1 {
					t.Errorf("seed %d: %+v", seed, n)
				}
			}
		}
	}
	for _, d := range retries.Detectors {
		if !seen[d.Name] {
			t.Logf("%s never spoke", d.Name)
		}
	}
}

// A trace as deep, and one as wide, as traces get: linear, and without recursion.
func TestHugeTraces(t *testing.T) {
	const n = 100_000
	for _, shape := range []string{"deep", "wide"} {
		var store calltree.Spans
		for i := range n {
			s := ingest.Span{Trace: traceID(1), ID: id(uint64(i + 1)), Stands: 1, Resend: -1, Service: fmt.Sprint("s", i%2), Op: "call", Kind: ingest.ClientSpan, Outcome: ingest.TimedOut}
			s.Start = ingest.Time(1 + i*int(10*time.Millisecond))
			s.End = s.Start.Add(time.Millisecond)
			switch {
			case i == 0:
			case shape == "deep":
				s.Parent = id(uint64(i))
			default:
				s.Parent = id(1)
			}
			store.Add(&s)
		}
		for tr, err := range store.All() {
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range retries.Detectors {
				began := time.Now()
				tally := d.New()
				tally.Add(tr)
				tally.Findings()
				t.Logf("%s, %s: %v", shape, d.Name, time.Since(began))
			}
		}
	}
}

// Names without end: what is remembered is bounded, and the same whichever way
// traces were spread.
func TestManyNames(t *testing.T) {
	if testing.Short() {
		t.Skip("a trace for each of many names")
	}
	const n = 40_000
	var store calltree.Spans
	for i := range uint64(n) {
		root := ingest.Span{Trace: traceID(i + 1), ID: id(1), Stands: 1, Resend: -1, Service: "web", Op: fmt.Sprint("GET /", i), Kind: ingest.ServerSpan, Start: 1e9, End: 2e9}
		store.Add(&root)
		for k := range uint64(3) {
			c := root
			c.ID, c.Parent, c.Op, c.Kind, c.Outcome = id(2+k), id(1), fmt.Sprint("call ", i/5), ingest.ClientSpan, ingest.Failed
			c.Start = root.Start.Add(time.Duration(k) * 20 * time.Millisecond)
			c.End = c.Start.Add(10 * time.Millisecond)
			store.Add(&c)
		}
	}
	i := 0
	whole, third := retries.RetryMultiplication.New(), [3]detect.Tally{}
	for w := range third {
		third[w] = retries.RetryMultiplication.New()
	}
	for tr, err := range store.All() {
		if err != nil {
			t.Fatal(err)
		}
		whole.Add(tr)
		third[i%3].Add(tr)
		i++
	}
	third[2].Merge(third[0])
	third[2].Merge(third[1])
	a, b := whole.Findings(), third[2].Findings()
	if len(a) == 0 || !reflect.DeepEqual(a, b) {
		t.Errorf("%d findings, %d from parts", len(a), len(b))
	}
}
