package whatif

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// wild is spans as no program would record them: any kind, outcome and time, with
// parents that are missing, or below themselves.
func wild(r *rand.Rand) []ingest.Span {
	var out []ingest.Span
	times := []ingest.Time{0, 1, 1e18, 1<<62 - 1, -1 << 62, 1700000000e9}
	for i := range 1 + r.IntN(40) {
		s := ingest.Span{Service: fmt.Sprint("s", r.IntN(3)), Op: fmt.Sprint("op", r.IntN(3)), Peer: []string{"", "a:1", "b:1"}[r.IntN(3)],
			Kind: ingest.Kind(r.IntN(6)), Outcome: ingest.Outcome(r.IntN(4)), Resend: int32(r.IntN(3)) - 1, Stands: 1}
		s.Trace[15], s.ID[7] = 1, byte(i+1)
		s.Parent[7] = byte(r.IntN(i + 3))
		s.Start = times[5] + ingest.Time(r.IntN(100)*1e6)
		s.End = s.Start + ingest.Time(r.IntN(50)*1e6)
		if r.IntN(10) == 0 {
			s.Start = times[r.IntN(len(times))]
		}
		if r.IntN(10) == 0 {
			s.End = times[r.IntN(len(times))]
		}
		if r.IntN(3) == 0 {
			s.Call = &ingest.Call{Protocol: ingest.HTTP, Method: []string{"GET", "POST", ""}[r.IntN(3)]}
		}
		out = append(out, s)
	}
	return out
}

// Whatever traces hold, models are asked without a panic or a hang, and every
// number is one.
func TestWildTraces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 600 {
		spans := calltree.NewSpans(nil)
		for trace := range 1 + r.IntN(6) {
			for _, s := range wild(r) {
				s.Trace[14] = byte(trace)
				spans.Add(&s)
			}
		}
		var f fanOuts
		var h hopTally
		for tr, err := range spans.All() {
			if err != nil {
				t.Fatal(err)
			}
			f.Add(tr)
			h.Add(tr)
		}
		if c, err := measureChain(h.requests, ""); err == nil {
			for _, row := range c.answer(0, 1).Rows.([]ChainRow) {
				for _, v := range []float64{row.Leaf, row.Elapsed, row.Waited, row.Orphaned, row.Success} {
					if !(v >= 0) || v > 1e12 {
						t.Fatalf("round %d: %+v", round, row)
					}
				}
			}
		}
		m := &Measured{}
		if m.fromTraces(&f, "") != nil {
			continue
		}
		ask := asked()
		ask.From, ask.Draws = m, 100
		if _, err := Scatter(ask); err != nil {
			t.Fatal(round, err)
		}
		if _, err := Hedge(HedgeAsk{From: m, Draws: 100}); err != nil {
			t.Fatal(round, err)
		}
	}
	if err := calltree.NewSpans(nil).Close(); err != nil {
		t.Fatal(err)
	}
}

// What is kept of very many requests does not depend on the order in which they
// came, or on who counted them.
func TestKeptDoesNotDependOnOrder(t *testing.T) {
	var requests []request
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 4000 {
		q := request{hash: mixed(uint64(i / 2)), start: ingest.Time(i)} // pairs share a hash
		for range 100 + r.IntN(200) {
			q.calls = append(q.calls, call{took: time.Millisecond})
		}
		requests = append(requests, q)
	}
	kept := func(parts int, shuffled bool) []ingest.Time {
		if shuffled {
			r.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
		}
		all := make([]fanOut, parts)
		for i, q := range requests {
			all[i%parts].add(q)
		}
		for i := range all[1:] {
			all[0].merge(&all[1+i])
		}
		all[0].trim()
		var starts []ingest.Time
		for _, q := range all[0].requests {
			starts = append(starts, q.start)
		}
		return starts
	}
	one := kept(1, false)
	if len(one) == 0 || len(one) == len(requests) {
		t.Fatalf("%d of %d are kept", len(one), len(requests))
	}
	for parts := range 4 {
		if !slices.Equal(kept(parts+1, true), one) {
			t.Errorf("in %d parts others are kept", parts+1)
		}
	}

	var hops []hopRequest
	for i := range 6000 {
		hops = append(hops, hopRequest{hash: mixed(uint64(i / 3)), start: ingest.Time(i), hops: make([]hopStat, 30+r.IntN(30))})
	}
	keptHops := func(parts int) []ingest.Time {
		r.Shuffle(len(hops), func(i, j int) { hops[i], hops[j] = hops[j], hops[i] })
		all := make([]hopTally, parts)
		for i, q := range hops {
			h := &all[i%parts]
			h.Merge(&hopTally{requests: []hopRequest{q}})
		}
		for i := range all[1:] {
			all[0].Merge(&all[1+i])
		}
		all[0].trim()
		var starts []ingest.Time
		for _, q := range all[0].requests {
			starts = append(starts, q.start)
		}
		return starts
	}
	first := keptHops(1)
	if len(first) == 0 || len(first) == len(hops) {
		t.Fatalf("%d of %d are kept", len(first), len(hops))
	}
	if !slices.Equal(keptHops(3), first) {
		t.Error("in 3 parts other requests are kept")
	}
}

func BenchmarkTallies(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	spans := calltree.NewSpans(nil)
	n := 0
	for trace := range 200 {
		for i := range 70 {
			s := ingest.Span{Service: "search", Op: "GET /search", Kind: ingest.ServerSpan, Stands: 1, Resend: -1, Start: 1700000000e9, End: 1700000000e9 + 1e8}
			if i > 0 {
				s.Op, s.Kind, s.Parent[7] = "Query", ingest.ClientSpan, 1
				s.End = s.Start + ingest.Time(r.IntN(1e8))
			}
			s.Trace[14], s.Trace[15], s.ID[7] = byte(trace), 1, byte(i+1)
			spans.Add(&s)
			n++
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		var f fanOuts
		var h hopTally
		for tr := range spans.All() {
			f.Add(tr)
			h.Add(tr)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mspans/s")
}
