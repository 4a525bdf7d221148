package storm_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/detect/storm"
	"github.com/tailcheck/tailcheck/ingest"
)

// odd returns a number that is seldom a sensible one.
func odd(r *rand.Rand) int64 {
	list := []int64{0, 1, -1, 2, 5, 1000, math.MaxInt64, math.MinInt64, 1 << 62, -1 << 62, math.MaxInt32, r.Int64(), -r.Int64(), int64(time.Millisecond)}
	return list[r.IntN(len(list))]
}

func id(n int) (s ingest.SpanID) {
	binary.BigEndian.PutUint64(s[:], uint64(n))
	return s
}

// Whatever spans say, something sensible is found or nothing.
func TestOddSpans(t *testing.T) {
	systems := []string{"", "redis", "valkey", "postgresql", "memcached"}
	commands := []string{"", "MGET", "GET", "MSET", "SET", "EXPIRE", "DEL", "SELECT", "BLPOP", "FIND"}
	statements := []string{"", "mget a b c", "MGET", "mget ", "GET ?", "set {", "mset a 1 b", "MGET [999999999 other arguments]", "get {}{a}", "get\na\nget b", "mget \x00 \xff", "SELECT 1 IN (", "select (a) in (b, c"}
	found := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		pick := func(list []string) string { return list[r.IntN(len(list))] }
		var spans []ingest.Span
		var stores []*ingest.Datastore
		for range 4 {
			stores = append(stores, nil, &ingest.Datastore{
				System: pick(systems), Op: pick(commands), Statement: pick(statements), Template: pick(statements), Cut: r.IntN(4) == 0,
				Pipelined: r.IntN(6) == 0, Keys: int(odd(r)), Batch: int(odd(r)),
			})
		}
		for i := range 1 + r.IntN(200) {
			s := ingest.Span{
				Pos: ingest.Pos{Input: int32(r.IntN(3)), Offset: int64(i)}, Trace: ingest.TraceID{15: 1}, ID: id(1 + i), Parent: id(r.IntN(4)),
				Service: pick([]string{"", "a", "b"}), Op: pick([]string{"", "GET", "x", "SELECT y", "p.S/M"}), Peer: pick([]string{"", "h:1", "h:2"}),
				Kind: ingest.Kind(r.IntN(6)), Outcome: ingest.Outcome(r.IntN(8) / 5), Stands: 1, Args: uint64(r.IntN(12)), Resend: -1, Store: stores[r.IntN(len(stores))],
				Remote: int8(r.IntN(3) - 1), Async: r.IntN(9) == 0, Setup: r.IntN(9) == 0, Cached: r.IntN(9) == 0,
			}
			if r.IntN(9) == 0 {
				s.Parent = id(r.IntN(300))
			}
			if r.IntN(9) == 0 {
				s.Stands, s.Rare = odd(r), &ingest.Rare{Total: time.Duration(odd(r))}
			}
			if s.Start = ingest.Time(1 + r.IntN(1e6)); r.IntN(9) == 0 {
				s.Start = ingest.Time(odd(r))
			}
			if s.End = s.Start + ingest.Time(r.IntN(1e6)); r.IntN(9) == 0 {
				s.End = ingest.Time(odd(r))
			}
			spans = append(spans, s)
		}
		for _, f := range detecttest.Fold(storm.Detectors, [][]ingest.Record{traces(t, spans)}) {
			found++
			text := fmt.Sprint(f.Message, f.Evidence, f.Remedy)
			if f.Message == "" || len(f.Inputs) == 0 || f.Impact <= 0 || strings.Contains(text, "%!") || strings.Contains(text, "NaN") || strings.Contains(detecttest.Numbers(f), ":-") {
				t.Errorf("seed %d: %+v %s", seed, f, detecttest.Numbers(f))
			}
		}
	}
	if found < 30 {
		t.Errorf("%d findings: the spans are too odd to try anything", found)
	}
}

// Chains, many children and clocks that are set wrong at every step cost no more
// than their spans: this would not end.
func TestLargeTraces(t *testing.T) {
	base := ingest.Time(time.Hour)
	span := func(n, parent int) ingest.Span {
		return ingest.Span{Pos: ingest.Pos{Offset: int64(n)}, Trace: ingest.TraceID{15: 1}, ID: id(n), Parent: id(parent), Service: "a", Op: "x", Kind: ingest.Internal, Start: base, End: base.Add(time.Second), Stands: 1, Resend: -1}
	}
	query := &ingest.Datastore{System: "mysql", Op: "SELECT", Template: "SELECT a FROM b WHERE c = ?", Keys: -1}

	var chain []ingest.Span // each with a query for five items, each in a process of its own with a clock of its own
	for depth := range 20_000 {
		n := 1 + 6*depth
		s := span(n, max(0, n-6))
		s.Service, s.Remote = fmt.Sprint("s", depth%7), 1
		s.Start, s.End = s.Start.Add(-time.Duration(depth)*time.Millisecond), s.End.Add(-time.Duration(depth)*time.Millisecond)
		chain = append(chain, s)
		for i := range 5 {
			q := span(n+1+i, n)
			q.Service, q.Kind, q.Store, q.Remote = s.Service, ingest.ClientSpan, query, -1
			q.Start = s.Start.Add(time.Duration(1+i) * 100 * time.Millisecond)
			q.End = q.Start.Add(90 * time.Millisecond)
			chain = append(chain, q)
		}
	}
	var wide []ingest.Span // one parent, many keys of many patterns
	wide = append(wide, span(1, 0))
	for i := range 100_000 {
		s := span(2+i, 1)
		s.Kind, s.Args = ingest.ClientSpan, uint64(i+1)
		s.Store = &ingest.Datastore{System: "redis", Op: "GET", Statement: fmt.Sprint("get k", i), Template: fmt.Sprint("GET k", i/10), Keys: 1}
		s.Peer = fmt.Sprint("h:", i%5000)
		wide = append(wide, s)
	}
	for _, spans := range [][]ingest.Span{chain, wide} {
		detecttest.Fold(storm.Detectors, [][]ingest.Record{traces(t, spans)})
	}
}

// Names that hold identifiers do not fill the memory, and what is kept does not
// depend on the order.
func TestManyOperations(t *testing.T) {
	var spans []ingest.Span
	const n = 10_000
	for i := range n {
		for k := range 6 {
			s := ingest.Span{Pos: ingest.Pos{Offset: int64(6*i + k)}, ID: id(1 + k), Service: "a", Op: fmt.Sprint("GET /", i), Start: 1, End: ingest.Time(time.Second), Stands: 1, Resend: -1}
			binary.BigEndian.PutUint64(s.Trace[:], uint64(i+1))
			if k > 0 {
				s.Parent, s.Kind, s.Op = id(1), ingest.ClientSpan, "SELECT b"
				s.Start, s.End = ingest.Time(k)*1e8, ingest.Time(k)*1e8+9e7
			}
			spans = append(spans, s)
		}
	}
	records := traces(t, spans)
	found := detecttest.Fold(storm.Detectors, [][]ingest.Record{records})
	if len(found) < 1000 || len(found) >= n {
		t.Errorf("%d findings of %d operations", len(found), n)
	}
	half := n / 2
	if again := detecttest.Fold(storm.Detectors, [][]ingest.Record{records[half:], nil, records[:half]}); !reflect.DeepEqual(again, found) {
		t.Error("others in another order")
	}
}
