package calltree

import (
	"fmt"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

var (
	typicalOps    = [...]string{"GET /cart", "auth.Check", "cart.Get", "price.Quote", "stock.Get", "SELECT items", "MGET", "render"}
	typicalStores = func() (d [64]*ingest.Datastore) {
		for i := range d {
			d[i] = &ingest.Datastore{System: "redis", Op: "MGET", Keys: 1, Statement: fmt.Sprintf("mget user:%d:profile", i), Template: "mget user:{}:profile"}
		}
		return d
	}()
	typicalCall = &ingest.Call{Protocol: ingest.HTTP, Method: "GET", Target: "/cart"}
)

// typical returns the i-th span of a store of traces of 20 spans: a gateway,
// four services, calls and reads below them.
func typical(i int) ingest.Span {
	trace, k := i/20, i%20
	s := ingest.Span{
		Pos: ingest.Pos{Offset: int64(i) * 700}, Trace: traceID(trace*0x9E3779B9, trace+1), ID: spanID(i + 1),
		Service: [...]string{"gateway", "cart", "price", "stock"}[k%4], Instance: [...]string{"a", "b"}[trace%2],
		Op: typicalOps[k%8], Start: base + ms*ingest.Time(trace+k), Stands: 1, Resend: -1,
		Kind: [...]ingest.Kind{ingest.ServerSpan, ingest.ClientSpan, ingest.Internal}[k%3], Args: uint64(i),
	}
	s.End = s.Start + ms*ingest.Time(40-k)
	if k > 0 {
		s.Parent = spanID(trace*20 + (k-1)/3 + 1)
	}
	switch k % 4 {
	case 1:
		s.Store, s.Peer = typicalStores[i%64], "10.0.0.7:6379"
	case 2:
		s.Call, s.Peer = typicalCall, "price:8080"
	}
	return s
}

const benchSpans = 1 << 20

func typicalSpans() *Spans {
	s := NewSpans(nil)
	for i := range benchSpans {
		x := typical(i)
		s.Add(&x)
	}
	return s
}

func perSpan(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchSpans, "ns/span")
}

func BenchmarkAdd(b *testing.B) {
	for b.Loop() {
		typicalSpans()
	}
	perSpan(b)
}

// BenchmarkAssemble assembles a million spans in traces of 20, on one core;
// +all also asks for all that a trace can tell.
func BenchmarkAssemble(b *testing.B) {
	s := typicalSpans()
	for _, all := range []bool{false, true} {
		name := map[bool]string{false: "tree", true: "tree+all"}[all]
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for t, err := range s.All() {
					if err != nil {
						b.Fatal(err)
					}
					if all {
						askAll(t)
					}
				}
			}
			perSpan(b)
		})
	}
}

func BenchmarkProfile(b *testing.B) {
	s := typicalSpans()
	for b.Loop() {
		var p Profile
		for t, err := range s.All() {
			if err != nil {
				b.Fatal(err)
			}
			p.Add(t)
		}
	}
	perSpan(b)
}

func askAll(t *Trace) {
	for p := range t.Parents() {
		for _, g := range t.Groups(p) {
			g.Busy()
		}
	}
	t.Skews()
	t.Self(0)
	for _, r := range t.Roots() {
		t.Path(r)
	}
}

// BenchmarkOneTrace assembles one trace of a hundred thousand spans.
func BenchmarkOneTrace(b *testing.B) {
	s := NewSpans(nil)
	for i := range 100_000 {
		x := sp(i+1, (i+9)/10, typicalOps[i%8], i/10, 200_000)
		s.Add(&x)
	}
	for b.Loop() {
		for t := range s.All() {
			askAll(t)
		}
	}
}
