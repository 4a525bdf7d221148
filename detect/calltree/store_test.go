package calltree

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tailcheck/tailcheck/ingest"
)

func TestRowSize(t *testing.T) {
	if n := unsafe.Sizeof(row{}); n != rowSize {
		t.Errorf("a row has %d bytes, rowSize says %d", n, rowSize)
	}
	var r, back row
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		fillRandom(rand.New(rand.NewPCG(uint64(i), 9)), reflect.NewAt(v.Field(i).Type(), v.Field(i).Addr().UnsafePointer()).Elem())
	}
	b := r.encode(nil)
	back.decode(b)
	if len(b) != rowSize || back != r {
		t.Errorf("%d bytes: %+v became %+v", len(b), r, back)
	}
}

// fillRandom sets a value and all in it.
func fillRandom(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int16, reflect.Int8:
		v.SetInt(int64(r.Uint64() >> 1 >> (63 - v.Type().Bits() + 1)))
	case reflect.Uint64, reflect.Uint32, reflect.Uint16, reflect.Uint8:
		v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
	case reflect.String:
		v.SetString(strings.Repeat("x", r.IntN(300)) + fmt.Sprint(r.IntN(1000)))
	case reflect.Array:
		for i := range v.Len() {
			fillRandom(r, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillRandom(r, v.Field(i))
		}
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillRandom(r, v.Elem())
		}
	default:
		panic(v.Kind())
	}
}

func randomSpan(r *rand.Rand) ingest.Span {
	var s ingest.Span
	fillRandom(r, reflect.ValueOf(&s).Elem())
	s.Kind %= ingest.Consumer + 1
	s.Outcome %= ingest.Canceled + 1
	s.Remote = int8(r.IntN(3) - 1)
	if s.Call != nil {
		s.Call.Protocol %= ingest.RPC + 1
	}
	return s
}

// What goes in comes out, field by field, from memory and from a file, with
// names in the table and beside the rows.
func TestSpansKeepEverything(t *testing.T) {
	for name, memory := range map[string]*Memory{"memory": nil, "file": NewMemory(1, t.TempDir())} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 3))
			s := NewSpans(memory)
			defer s.Close()
			want := map[ingest.SpanID]ingest.Span{}
			for range 40_000 { // about 200 bytes a text: more than the table holds
				x := randomSpan(r)
				want[x.ID] = x
				s.Add(&x)
			}
			if n := s.own.names; n.bytes > maxNameBytes || n.bytes < maxNameBytes/2 {
				t.Errorf("%d bytes of names", n.bytes)
			}
			seen := 0
			for tr, err := range s.All() {
				if err != nil {
					t.Fatal(err)
				}
				for _, got := range tr.Spans {
					seen++
					if w := want[got.ID]; !reflect.DeepEqual(got, w) {
						t.Fatalf("got  %+v\nwant %+v", got, w)
					}
				}
			}
			if seen != len(want) || s.Len() != int64(seen) {
				t.Errorf("%d spans, want %d", seen, len(want))
			}
		})
	}
}

// randomTraces returns spans of traces with everything in them that is bad:
// missing parents, loops, repeated ids, shared ids, equal times, no times.
func randomTraces(r *rand.Rand, n int) []ingest.Span {
	var out []ingest.Span
	services := []string{"", "a", "b", "c"}
	for i := range n {
		x := ingest.Span{
			Trace: traceID(r.IntN(2)*r.IntN(3), 1+r.IntN(max(n/12, 1))), ID: spanID(r.IntN(15)), Parent: spanID(r.IntN(18)),
			Pos: ingest.Pos{Input: int32(r.IntN(3)), Offset: int64(i)}, Service: services[r.IntN(4)], Op: fmt.Sprint("op", r.IntN(3)), Peer: services[r.IntN(4)],
			Kind: ingest.Kind(r.IntN(6)), Outcome: ingest.Outcome(r.IntN(4)), Stands: 1, Resend: -1,
		}
		if r.IntN(10) > 0 {
			x.Start = base + ms*ingest.Time(r.IntN(40))
			x.End = x.Start + ms*ingest.Time(r.IntN(30)-1)
		}
		x.Async = x.Kind == ingest.Producer || x.Kind == ingest.Consumer
		out = append(out, x)
		if r.IntN(6) == 0 {
			out = append(out, x)
		}
	}
	return out
}

// describe writes down all that a trace says.
func describe(tr *Trace) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%x %v %+v %+v\n", tr.ID, tr.Pos, tr.Counts, tr.Inputs)
	for k := range tr.Spans {
		n := Node(k)
		fmt.Fprintf(&b, "%+v parent %d depth %d hop %d self %v\n", tr.Spans[k], tr.Parent(n), tr.Depth(n), tr.Hop(n), tr.Self(n))
	}
	for _, n := range append(slices.Collect(tr.Parents()), None) {
		for _, g := range tr.Groups(n) {
			fmt.Fprintf(&b, "group %d %v %s %s %v %v %v %v\n", n, g.Kind, g.Service, g.Op, g.Spans, g.Peers(), g.Sum(), g.Peak())
		}
	}
	for _, n := range tr.Roots() {
		fmt.Fprintf(&b, "path %v\n", tr.Path(n))
	}
	fmt.Fprintf(&b, "skew %v\n", tr.Skews())
	return b.String()
}

// What comes out depends on the spans only: not on their order, on who took
// which, on how they were merged, or on whether they were spilled.
func TestOrderAndSplitDoNotMatter(t *testing.T) {
	defer func(n int64) { room = n }(room)
	room = 1000 // several passes over a part
	r := rand.New(rand.NewPCG(5, 5))
	for round := range 30 {
		spans := randomTraces(r, 1+r.IntN(600))
		var want []string
		for variant := range 6 {
			var memory *Memory
			if variant%2 == 1 {
				memory = NewMemory(1, t.TempDir())
			}
			stores := make([]*Spans, 1+variant)
			for i := range stores {
				stores[i] = NewSpans(memory)
			}
			for i := range spans {
				stores[r.IntN(len(stores))].Add(&spans[i])
			}
			for len(stores) > 1 { // any tree of merges
				i := 1 + r.IntN(len(stores)-1)
				stores[i-1].Merge(stores[i])
				stores = slices.Delete(stores, i, i+1)
			}
			var got []string
			for part := range stores[0].Parts() {
				for tr, err := range stores[0].Traces(part) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, describe(tr))
				}
			}
			if err := stores[0].Close(); err != nil {
				t.Fatal(err)
			}
			if memory != nil && memory.Used() != 0 {
				t.Fatalf("%d bytes used after closing", memory.Used())
			}
			if variant == 0 {
				want = got
			}
			if !slices.Equal(got, want) {
				for i := range want {
					if i >= len(got) || got[i] != want[i] {
						t.Fatalf("round %d, variant %d: got\n%s\nwant\n%s", round, variant, got[min(i, len(got)-1)], want[i])
					}
				}
			}
			r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		}
	}
}

// Past the limit spans go to files, memory stays near it, and nothing is lost.
func TestSpill(t *testing.T) {
	dir := t.TempDir()
	const limit = 4 << 20
	m := NewMemory(limit, dir)
	a, b := NewSpans(m), NewSpans(m)
	const n = 200_000
	most := int64(0)
	for i := range n {
		x := sp(i+1, 0, "x", i%1000, i%1000+5)
		x.Trace = traceID(1, i/50)
		if i%50 > 0 {
			x.Parent = spanID(i/50*50 + 1)
		}
		if i%2 == 0 {
			a.Add(&x)
		} else {
			b.Add(&x)
		}
		most = max(most, m.Used())
	}
	if most > limit+(1<<20) {
		t.Errorf("%d bytes used, the limit is %d", most, limit)
	}
	if a.own.file == nil || b.own.file == nil {
		t.Fatal("nothing was spilled")
	}
	a.Merge(b)
	count := 0
	for tr, err := range a.All() {
		if err != nil {
			t.Fatal(err)
		}
		count++
		if len(tr.Spans) != 50 || len(tr.Children(0)) != 49 {
			t.Fatalf("%d spans", len(tr.Spans))
		}
	}
	if count != n/50 {
		t.Errorf("%d traces, want %d", count, n/50)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}

func TestSpillFails(t *testing.T) {
	s := NewSpans(NewMemory(1, t.TempDir()+"/absent"))
	for i := range 100_000 {
		x := sp(i+1, 0, "x", 0, 1)
		s.Add(&x)
	}
	errs := 0
	for tr, err := range s.All() {
		if tr != nil || err == nil {
			t.Error("a trace in spite of the error")
		}
		errs++
	}
	if errs != 1 || s.Len() > 1000 || s.Close() == nil {
		t.Errorf("%d errors, %d spans", errs, s.Len())
	}
}

// Of a trace that is too large the same spans are taken in any order.
func TestTooLargeTrace(t *testing.T) {
	defer func(n int64) { maxTrace = n }(maxTrace)
	maxTrace = 500
	r := rand.New(rand.NewPCG(7, 7))
	var want string
	for range 3 {
		var s Spans
		for _, i := range r.Perm(3000) {
			x := sp(i+1, 0, "x", i, i+1)
			s.Add(&x)
		}
		other := with(sp(1, 0, "small", 0, 1), func(s *ingest.Span) { s.Trace = traceID(0, 2) })
		s.Add(&other)
		for tr, err := range s.All() {
			if err != nil {
				t.Fatal(err)
			}
			if tr.ID == other.Trace {
				if tr.Counts.Beyond != 0 || len(tr.Spans) != 1 {
					t.Errorf("%+v", tr.Counts)
				}
				continue
			}
			n := int64(len(tr.Spans))
			if n > maxTrace || n < maxTrace/4 || n+tr.Counts.Beyond != 3000 {
				t.Fatalf("%d spans, %d beyond", n, tr.Counts.Beyond)
			}
			got := describe(tr)
			if want != "" && got != want {
				t.Error("other spans were taken")
			}
			want = got
		}
	}
}

// Bytes that a span at rest takes: 104 for its row, and room that segments have
// for growth. Names are apart; here there are few.
func TestBytesAtRest(t *testing.T) {
	m := NewMemory(0, "")
	s := NewSpans(m)
	const n = 300_000
	for i := range n {
		x := typical(i)
		s.Add(&x)
	}
	open := int64(0)
	for i := range s.open {
		open += s.open[i].size()
	}
	each := float64(m.Used()+open) / n
	t.Logf("%.1f bytes a span", each)
	if each > 120 {
		t.Errorf("%.1f bytes a span, want at most 120", each)
	}
}
