package amplification_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/amplification"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/ingest"
)

func assemble(t testing.TB, spans []ingest.Span) []ingest.Record {
	t.Helper()
	traces, err := detecttest.Assemble(spans)
	if err != nil {
		t.Fatal(err)
	}
	var out []ingest.Record
	for _, tr := range traces {
		out = append(out, tr)
	}
	return out
}

func span(trace, id, parent int, op string, start, took time.Duration) ingest.Span {
	s := ingest.Span{Service: "s", Op: op, Start: ingest.Relative(start), Stands: 1, Resend: -1}
	s.End = s.Start.Add(took)
	binary.BigEndian.PutUint64(s.Trace[8:], uint64(trace))
	binary.BigEndian.PutUint64(s.ID[:], uint64(id))
	binary.BigEndian.PutUint64(s.Parent[:], uint64(parent))
	return s
}

// Shapes that could take the product of steps: they end within the time of a
// test. A chain of 20 000 with a fan-out at each, a parent of 100 000 children in
// groups of three, one of 100 000 calls to as many peers.
func TestLargeTraces(t *testing.T) {
	var spans []ingest.Span
	const deep = 20000
	for i := range deep {
		start, took := time.Duration(i), time.Duration(4*deep-2*i)
		spans = append(spans, span(1, 10*i+1, 10*i-9, "down", start, took))
		if i == 0 {
			spans[0].Parent = ingest.SpanID{}
		}
		for k := range 3 {
			s := span(1, 10*i+2+k, 10*i+1, "leaf", start+1, took/2+time.Duration(k))
			s.Peer = fmt.Sprint(k)
			spans = append(spans, s)
		}
	}
	spans = append(spans, span(2, 1, 0, "wide", 0, time.Second))
	for i := range 99999 {
		spans = append(spans, span(2, i+2, 1, fmt.Sprint("op", i/3), time.Duration(i), time.Millisecond))
	}
	spans = append(spans, span(3, 1, 0, "peers", 0, time.Second))
	for i := range 100000 {
		s := span(3, i+2, 1, "call", time.Duration(i), time.Millisecond+time.Duration(i))
		s.Peer = fmt.Sprint("peer", i)
		spans = append(spans, s)
	}
	fold(assemble(t, spans))
}

// Times and numbers from anywhere: no panic, no numbers that are none.
func TestAnyTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	times := []ingest.Time{0, 1, -1, 1 << 40, 1<<62 - 1, 1 << 62, math.MaxInt64, math.MinInt64, -(1 << 62) + 1}
	for round := range 200 {
		var spans []ingest.Span
		for tr := range 12 {
			for i := range 30 {
				s := span(tr+1, i+1, r.IntN(3), "x", time.Duration(r.IntN(1000)), time.Duration(r.IntN(1e8)))
				if r.IntN(4) == 0 {
					s.Start = times[r.IntN(len(times))]
				}
				if r.IntN(4) == 0 {
					s.End = times[r.IntN(len(times))]
				}
				s.Stands = []int64{1, 1, 1, 0, -5, math.MaxInt64}[r.IntN(6)]
				s.Outcome = ingest.Outcome(r.IntN(4))
				s.Kind = ingest.Kind(r.IntN(6))
				s.Async = r.IntN(9) == 0
				s.Peer = fmt.Sprint(r.IntN(5))
				if round%2 == 0 {
					s.Stands, s.Kind, s.Outcome = 1, ingest.ClientSpan, ingest.OK
				}
				spans = append(spans, s)
			}
		}
		for _, f := range fold(assemble(t, spans)) {
			if f.Impact < 0 || detecttest.Numbers(f) == "" || len(f.Inputs) == 0 {
				t.Fatalf("%+v", f)
			}
		}
	}
}

// Many hops, in any order: what is kept is the same, and no more than its bound.
func TestManyHops(t *testing.T) {
	var spans []ingest.Span
	for i := range 3000 {
		spans = append(spans, span(i+1, 1, 0, fmt.Sprint("root", i), 0, time.Second))
		for k := range 6 {
			s := span(i+1, k+2, 1, "call", time.Duration(k)*150*time.Millisecond, 140*time.Millisecond)
			s.Peer, s.Kind = fmt.Sprint(k), ingest.ClientSpan
			spans = append(spans, s)
		}
	}
	records := assemble(t, spans)
	if found := fold(records); len(found) != 1024 {
		t.Errorf("%d findings", len(found))
	}
	sameHoweverSplit(t, records)
}

// The cost of each detector for a span of traces as they usually are (one request
// of twenty spans, no fan-out) and of fan-outs of 69. The tree is built, and its
// groups and critical path are worked out, before the clock starts.
func BenchmarkAdd(b *testing.B) {
	var usual, fan []ingest.Span
	r := rand.New(rand.NewPCG(1, 1))
	for tr := range 200 {
		for i := range 20 {
			s := span(tr+1, i+1, i/2, fmt.Sprint("op", i), time.Duration(i)*time.Millisecond, time.Duration(60-2*i)*time.Millisecond)
			usual = append(usual, s)
		}
		fan = append(fan, span(tr+1, 1, 0, "root", 0, 100*time.Millisecond))
		for i := range 69 {
			s := span(tr+1, i+2, 1, "call", time.Millisecond, time.Duration(1e6+r.IntN(9e7)))
			s.Peer = fmt.Sprint("peer", i)
			fan = append(fan, s)
		}
	}
	for _, in := range []struct {
		name  string
		spans []ingest.Span
	}{{"usual", usual}, {"fan-out", fan}} {
		records := assemble(b, in.spans)
		for _, rec := range records {
			tr := rec.(*calltree.Trace)
			tr.Groups(calltree.None)
			tr.Path(tr.Roots()[0])
		}
		for _, d := range amplification.Detectors {
			b.Run(in.name+"/"+d.Name, func(b *testing.B) {
				benchmark(b, d, records, len(in.spans))
			})
		}
	}
}

func benchmark(b *testing.B, d detect.Detector, records []ingest.Record, spans int) {
	tally := d.New()
	for _, rec := range records { // names and histograms are there
		tally.Add(rec)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for _, rec := range records {
			tally.Add(rec)
		}
		n += spans
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/span")
}
