package calltree

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

const ms = ingest.Time(time.Millisecond)

// base is when the test traces begin.
const base = ingest.Time(1_700_000_000_000_000_000)

func spanID(n int) (id ingest.SpanID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

func traceID(hi, lo int) (id ingest.TraceID) {
	binary.BigEndian.PutUint64(id[:], uint64(hi))
	binary.BigEndian.PutUint64(id[8:], uint64(lo))
	return id
}

// sp is a span of trace 1 by id, parent, operation, start and end in milliseconds.
func sp(id, parent int, op string, start, end int) ingest.Span {
	return ingest.Span{
		Trace: traceID(0, 1), ID: spanID(id), Parent: spanID(parent), Service: "s", Op: op,
		Start: base + ms*ingest.Time(start), End: base + ms*ingest.Time(end), Stands: 1, Resend: -1, Kind: ingest.Internal,
	}
}

func with(s ingest.Span, change func(*ingest.Span)) ingest.Span {
	change(&s)
	return s
}

// traces assembles spans; every trace is one that stays.
func traces(t testing.TB, spans ...ingest.Span) []*Trace {
	t.Helper()
	var out []*Trace
	for _, part := range byTrace(spans) {
		var s Spans
		for i := range part {
			s.Add(&part[i])
		}
		for tr, err := range s.All() {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, tr)
			break
		}
	}
	return out
}

func byTrace(spans []ingest.Span) [][]ingest.Span {
	var out [][]ingest.Span
	index := map[uint64]int{}
	for _, s := range spans {
		i, ok := index[low(s.Trace)]
		if !ok {
			i = len(out)
			index[low(s.Trace)] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], s)
	}
	return out
}

func one(t testing.TB, spans ...ingest.Span) *Trace {
	t.Helper()
	list := traces(t, spans...)
	if len(list) != 1 {
		t.Fatalf("%d traces, want 1", len(list))
	}
	return list[0]
}

// outline writes the tree: operations, children in brackets, missing parents as ?id.
func outline(tr *Trace) string {
	var b strings.Builder
	var write func(n Node)
	write = func(n Node) {
		b.WriteString(tr.Spans[n].Op)
		if kids := tr.Children(n); len(kids) > 0 {
			b.WriteByte('(')
			for i, k := range kids {
				if i > 0 {
					b.WriteByte(' ')
				}
				write(k)
			}
			b.WriteByte(')')
		}
	}
	for i, r := range tr.Roots() {
		if i > 0 {
			b.WriteByte(' ')
		}
		write(r)
	}
	for n, id := range tr.Orphans() {
		fmt.Fprintf(&b, " ?%d[", binary.BigEndian.Uint64(id[:]))
		for i, k := range tr.Children(n) {
			if i > 0 {
				b.WriteByte(' ')
			}
			write(k)
		}
		b.WriteByte(']')
	}
	return strings.TrimSpace(b.String())
}

func kind(k ingest.Kind, service string) func(*ingest.Span) {
	return func(s *ingest.Span) { s.Kind, s.Service = k, service }
}

func TestAssembly(t *testing.T) {
	client, server := kind(ingest.ClientSpan, "a"), kind(ingest.ServerSpan, "b")
	untimed := func(s *ingest.Span) { s.Start, s.End, s.Kind = 0, 0, ingest.KindUnspecified }
	for _, c := range []struct {
		name  string
		spans []ingest.Span
		want  string
		count Counts
	}{
		{"children by start, ties by id", []ingest.Span{sp(1, 0, "r", 0, 100), sp(4, 1, "d", 20, 30), sp(3, 1, "c", 20, 40), sp(2, 1, "b", 50, 60), sp(5, 3, "e", 21, 22)},
			"r(c(e) d b)", Counts{Rows: 5, Spans: 5, Stands: 5, Roots: 1}},
		{"two roots", []ingest.Span{sp(2, 0, "b", 5, 100), sp(1, 0, "a", 5, 100), sp(3, 2, "c", 6, 7)},
			"a b(c)", Counts{Rows: 3, Spans: 3, Stands: 3, Roots: 2}},
		{"orphans of one parent stay together", []ingest.Span{sp(1, 0, "r", 0, 9), sp(2, 77, "x", 3, 4), sp(3, 66, "y", 1, 2), sp(4, 77, "z", 2, 3), sp(5, 2, "k", 3, 4)},
			"r ?66[y] ?77[z x(k)]", Counts{Rows: 5, Spans: 5, Stands: 5, Roots: 1, Orphans: 3, Absent: 2}},
		{"own parent", []ingest.Span{sp(1, 1, "r", 0, 9), sp(2, 1, "c", 1, 2)},
			"r(c)", Counts{Rows: 2, Spans: 2, Stands: 2, Cut: 1}},
		{"a loop is cut at its first span", []ingest.Span{sp(9, 0, "r", 0, 9), sp(3, 1, "c", 3, 4), sp(1, 2, "a", 1, 2), sp(2, 3, "b", 2, 3), sp(4, 3, "d", 5, 6)},
			"r a(c(b d))", Counts{Rows: 5, Spans: 5, Stands: 5, Roots: 1, Cut: 1}},
		{"duplicates", []ingest.Span{sp(1, 0, "r", 0, 9), sp(2, 1, "c", 1, 2), sp(2, 1, "c", 1, 2), sp(2, 1, "c", 1, 2)},
			"r(c)", Counts{Rows: 4, Spans: 2, Stands: 2, Roots: 1, Duplicates: 2, RepeatedIDs: 2}},
		{"shared id: children under the server's half", []ingest.Span{sp(1, 0, "r", 0, 100), with(sp(2, 1, "client", 10, 90), client), with(sp(2, 1, "server", 20, 80), server),
			with(sp(3, 2, "callee's", 30, 40), kind(ingest.ClientSpan, "b")), with(sp(4, 2, "caller's", 11, 12), kind(ingest.Internal, "a")), with(sp(5, 2, "unknown", 50, 60), kind(ingest.Internal, ""))},
			"r(client(caller's server(callee's unknown)))", Counts{Rows: 6, Spans: 6, Stands: 6, Roots: 1, Halves: 1, RepeatedIDs: 1}},
		{"shared id at the root", []ingest.Span{with(sp(2, 0, "client", 10, 90), client), with(sp(2, 0, "server", 20, 80), server)},
			"client(server)", Counts{Rows: 2, Spans: 2, Stands: 2, Roots: 1, Halves: 1, RepeatedIDs: 1}},
		{"shared id, server's clock behind", []ingest.Span{with(sp(2, 0, "client", 10, 90), client), with(sp(2, 0, "server", 2, 60), server)},
			"client(server)", Counts{Rows: 2, Spans: 2, Stands: 2, Roots: 1, Halves: 1, RepeatedIDs: 1}},
		{"shared id and a partial row", []ingest.Span{with(sp(2, 0, "client", 10, 90), client), with(sp(2, 0, "server", 20, 80), server), with(with(sp(2, 0, "", 0, 0), client), untimed)},
			"client(server)", Counts{Rows: 3, Spans: 2, Stands: 2, Roots: 1, Halves: 1, Partial: 1, RepeatedIDs: 2}},
		{"an id taken by another span", []ingest.Span{sp(1, 0, "r", 0, 100), sp(2, 1, "x", 10, 20), sp(2, 1, "y", 30, 40), sp(3, 2, "in y", 32, 33), sp(4, 2, "in x", 12, 13)},
			"r(x(in x) y(in y))", Counts{Rows: 5, Spans: 5, Stands: 5, Roots: 1, Repeated: 1, RepeatedIDs: 1}},
		{"two servers for one client", []ingest.Span{with(sp(2, 0, "client", 10, 90), client), with(sp(2, 0, "proxy", 20, 80), server), with(sp(2, 0, "app", 25, 75), server)},
			"client(proxy app)", Counts{Rows: 3, Spans: 3, Stands: 3, Roots: 1, Halves: 1, Repeated: 1, RepeatedIDs: 2}},
		{"no ids at all", []ingest.Span{sp(0, 0, "a", 0, 1), sp(0, 0, "a", 0, 1), sp(0, 0, "b", 2, 3)},
			"a a b", Counts{Rows: 3, Spans: 3, Stands: 3, Roots: 3}},
		{"no times", []ingest.Span{with(sp(1, 0, "r", 0, 0), untimed), sp(2, 1, "backwards", 20, 10)},
			"r(backwards)", Counts{Rows: 2, Spans: 2, Stands: 2, Roots: 1, Untimed: 2}},
		{"pruned", []ingest.Span{sp(1, 0, "r", 0, 100), with(sp(2, 1, "mget", 10, 90), func(s *ingest.Span) { s.Stands = 47; s.Error = true; s.Rare = &ingest.Rare{Dropped: 3} })},
			"r(mget)", Counts{Rows: 2, Spans: 2, Stands: 48, Roots: 1, Errors: 1, Dropped: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				tr := one(t, c.spans...)
				if got := outline(tr); got != c.want {
					t.Fatalf("got  %s\nwant %s", got, c.want)
				}
				if tr.Counts != c.count {
					t.Fatalf("got  %+v\nwant %+v", tr.Counts, c.count)
				}
				r.Shuffle(len(c.spans), func(i, j int) { c.spans[i], c.spans[j] = c.spans[j], c.spans[i] })
			}
		})
	}
}

// A row without times adds what it knows to the row that has them.
func TestPartialRowFillsIn(t *testing.T) {
	tr := one(t,
		with(sp(1, 9, "get", 1, 2), func(s *ingest.Span) { s.Parent, s.Kind = ingest.SpanID{}, ingest.ClientSpan }),
		with(sp(1, 9, "", 0, 0), func(s *ingest.Span) {
			s.Start, s.End, s.Kind, s.Peer, s.Status = 0, 0, ingest.KindUnspecified, "db:1", 503
		}))
	if s := tr.Spans[0]; len(tr.Spans) != 1 || s.Peer != "db:1" || s.Op != "get" || s.Parent != spanID(9) || s.Status != 503 || s.Kind != ingest.ClientSpan {
		t.Errorf("%+v", s)
	}
}

// Spans with the lower 64 bits of a trace id belong to the trace of 128 bits,
// where there is one only.
func TestTraceIDsOfTwoLengths(t *testing.T) {
	var s Spans
	for i, id := range []ingest.TraceID{traceID(0, 7), traceID(5, 7), traceID(0, 8), traceID(1, 8), traceID(2, 8), traceID(0, 9), traceID(3, 0), traceID(4, 0), {}} {
		x := sp(i+1, 0, "x", i, i+1)
		x.Trace = id
		s.Add(&x)
	}
	got := map[ingest.TraceID]int{}
	for tr, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		got[tr.ID] = len(tr.Spans)
		for _, x := range tr.Spans {
			if x.Trace != tr.ID {
				t.Errorf("span of %x in trace %x", x.Trace, tr.ID)
			}
		}
	}
	want := map[ingest.TraceID]int{traceID(5, 7): 2, traceID(0, 8): 1, traceID(1, 8): 1, traceID(2, 8): 1, traceID(0, 9): 1, traceID(3, 0): 1, traceID(4, 0): 1, {}: 1}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestCountsByInput(t *testing.T) {
	on := func(input int32) func(*ingest.Span) { return func(s *ingest.Span) { s.Input = input } }
	tr := one(t, with(sp(1, 0, "r", 0, 9), on(2)), with(sp(2, 1, "a", 1, 2), on(0)), with(sp(3, 8, "o", 1, 2), on(0)), with(sp(2, 1, "a", 1, 2), on(2)))
	want := []InputCounts{
		{0, Counts{Rows: 2, Spans: 2, Stands: 2, Orphans: 1}},
		{2, Counts{Rows: 2, Spans: 1, Stands: 1, Roots: 1, Duplicates: 1, RepeatedIDs: 1}},
	}
	if !slices.Equal(tr.Inputs, want) {
		t.Errorf("%+v", tr.Inputs)
	}
	if tr.Counts.Complete() {
		t.Error("complete in spite of an orphan")
	}
}

func TestNavigation(t *testing.T) {
	tr := one(t,
		with(sp(1, 0, "GET /", 0, 100), kind(ingest.ServerSpan, "web")),
		with(sp(2, 1, "call", 10, 90), kind(ingest.ClientSpan, "web")),
		with(sp(3, 2, "serve", 20, 80), kind(ingest.ServerSpan, "api")),
		with(sp(4, 3, "work", 30, 40), kind(ingest.Internal, "api")),
		with(sp(5, 3, "get", 50, 60), kind(ingest.ClientSpan, "api")),
		with(sp(6, 42, "lost", 5, 6), kind(ingest.ServerSpan, "db")),
	)
	find := func(op string) Node {
		for i := range tr.Spans {
			if tr.Spans[i].Op == op {
				return Node(i)
			}
		}
		t.Fatal(op)
		return None
	}
	work, serve, call, root, lost := find("work"), find("serve"), find("call"), find("GET /"), find("lost")
	if got := slices.Collect(tr.Ancestors(work)); !slices.Equal(got, []Node{serve, call, root}) {
		t.Errorf("ancestors %v", got)
	}
	if tr.Depth(work) != 3 || tr.Depth(root) != 0 || tr.Hop(root) != 0 || tr.Hop(call) != 0 || tr.Hop(serve) != 1 || tr.Hop(work) != 1 {
		t.Error("depth or hop")
	}
	if !tr.Crosses(serve) || tr.Crosses(work) || tr.Crosses(root) || tr.Crosses(lost) {
		t.Error("crosses")
	}
	if tr.Top(work) != root || tr.Top(lost) != lost || !tr.Under(work, call) || tr.Under(lost, call) || !tr.Under(root, root) {
		t.Error("top or under")
	}
	for n, id := range tr.Orphans() {
		if id != spanID(42) || tr.Span(n) != nil || tr.Parent(n) != None || !slices.Equal(tr.Children(n), []Node{lost}) {
			t.Errorf("orphans of %v", id)
		}
		if from, to := tr.Subtree(n); from != lost || to != lost+1 {
			t.Errorf("subtree %d %d", from, to)
		}
	}
	if from, to := tr.Subtree(None); from != 0 || to != 6 {
		t.Errorf("subtree of all: %d %d", from, to)
	}
	if p := tr.Process(work); p.String() != "api" {
		t.Errorf("process %q", p)
	}
	// What the exporter says of the parent comes first.
	tr = one(t, sp(1, 0, "a", 0, 9), with(sp(2, 1, "b", 1, 2), func(s *ingest.Span) { s.Remote = 1 }),
		with(sp(3, 1, "c", 3, 4), func(s *ingest.Span) { s.Remote = -1; s.Service = "other" }),
		with(sp(4, 1, "d", 5, 6), func(s *ingest.Span) { s.Service = "other" }), with(sp(5, 1, "e", 7, 8), func(s *ingest.Span) { s.Service = "" }))
	if tr.Hop(1) != 1 || tr.Hop(2) != 0 || tr.Hop(3) != 1 || tr.Hop(4) != 0 {
		t.Error("remote flags")
	}
}
