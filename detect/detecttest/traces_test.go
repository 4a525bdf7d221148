package detecttest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// tree writes a trace as OP(peer)from-to[children], in milliseconds.
func tree(t *calltree.Trace) string {
	var b strings.Builder
	start := ingest.Relative(0)
	var walk func(n calltree.Node)
	walk = func(n calltree.Node) {
		for i, k := range t.Children(n) {
			if i > 0 {
				b.WriteByte(' ')
			}
			s := t.Span(k)
			fmt.Fprintf(&b, "%s%s %d-%d", s.Op, s.Peer, s.Start.Sub(start).Milliseconds(), s.End.Sub(start).Milliseconds())
			if len(t.Children(k)) > 0 {
				b.WriteByte('[')
				walk(k)
				b.WriteByte(']')
			}
		}
	}
	walk(calltree.None)
	return b.String()
}

func TestTraces(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"parallel", `
trace 1
span a parent=- op=a start=10ms tail=3ms
span b parent=a op=b peer={i%2} start=1ms for=5ms x3 every=1ms`,
			"a 10-21[b0 11-16 b1 12-17 b0 13-18]"},
		{"one after another, and below each", `
trace 1
span a parent=- op=a
span b parent=a op=b start=1ms after=2ms x2
span c parent=b op=c for=3ms after=1ms x2
span d parent=a op=d after=1ms for=1ms`,
			"a 0-19[b 1-8[c 1-4 c 5-8] b 10-17[c 10-13 c 14-17] d 18-19]"},
		{"the first two of three", `
trace 1
span a parent=- op=a of=2 tail=1ms
span b parent=a op=b for=9ms
span c parent=a op=c for=2ms
span d parent=a op=d for=4ms
span e parent=a op=e start=20ms for=4ms kind=producer`,
			"a 0-5[b 0-9 c 0-2 d 0-4 e 20-24]"},
		{"a deadline", `
trace 1
span a parent=- op=a most=6ms
span b parent=a op=b for=9ms`,
			"a 0-6[b 0-9]"},
		{"clocks", `
trace 1 start=1s
span a parent=- op=a for=10ms
span b parent=a op=b start=1ms for=5ms skew=-4ms
span c parent=b op=c start=1ms for=1ms`,
			"a 1000-1010[b 997-1002[c 998-999]]"},
	} {
		records, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := tree(records[0].(*calltree.Trace)); len(records) != 1 || got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestTraceFields(t *testing.T) {
	records, err := Parse(`
trace 3 x2
span a parent=- service=web instance=pod-1 op="GET /" kind=server outcome=failed status=504 remote=yes linked
span b parent=a kind=client store=redis cmd=MGET keys=2 statement="MGET k{i}" args={i} x2 every=1ms for=1ms stands=24 total=30ms resend=1
span e parent=?gone kind=consumer rpc=Svc/Get target=x
input 1
span c parent=a untimed setup cached copies=2
problem torn`)
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 3 {
		t.Fatalf("%d records", len(records))
	}
	tr := records[1].(*calltree.Trace)
	if tr.ID[15] != 4 || tr.Counts.Rows != 6 || tr.Counts.Duplicates != 1 || tr.Counts.Orphans != 1 || len(tr.Inputs) != 2 || tr.Inputs[1].Rows != 2 {
		t.Errorf("trace %x: %+v, %+v", tr.ID, tr.Counts, tr.Inputs)
	}
	a := tr.Spans[0]
	if a.Service != "web" || a.Instance != "pod-1" || a.Kind != ingest.ServerSpan || a.Outcome != ingest.Failed || !a.Error || a.Status != 504 || a.Remote != 1 || !a.Linked || a.Async {
		t.Errorf("%+v", a)
	}
	found := 0
	for _, s := range tr.Spans {
		switch {
		case s.Store != nil:
			found++
			if s.Store.Keys != 2 || s.Store.Op != "MGET" || s.Store.Statement != fmt.Sprintf("MGET k%d", s.Args-1) || s.Stands != 24 || s.Rare.Total != 30*time.Millisecond || s.Resend != 1 {
				t.Errorf("%+v %+v", s, s.Store)
			}
		case s.Call != nil:
			found++
			if s.Call.Protocol != ingest.RPC || s.Call.Method != "Svc/Get" || s.Call.Target != "x" || !s.Async {
				t.Errorf("%+v %+v", s, s.Call)
			}
		case s.Input == 1:
			found++
			if s.Start != 0 || s.End != 0 || !s.Setup || !s.Cached {
				t.Errorf("%+v", s)
			}
		}
	}
	if found != 4 {
		t.Errorf("%d of 4 spans found", found)
	}
}

// Drawn numbers are as often what they should be: over 20 000 spans the share of
// slow ones is 2 % within 0.5, of traces 10 % within 3, the mean of the others 4 ms.
func TestTracesAreDrawn(t *testing.T) {
	const text = `
trace 1 x1000 seed=5
span a parent=- for=1ms
span b parent=a op=b x18..22 for=exp:4ms|2%:100ms
span c parent=a op=c x10 for=1ms..3ms|10%trace:90ms
span d parent=a lost=50%
span e parent=d chance=50%`
	records, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := Parse(text)
	var n, slow, slowTraces, orphans int
	var sum time.Duration
	for i, r := range records {
		tr := r.(*calltree.Trace)
		if tree(tr) != tree(again[i].(*calltree.Trace)) {
			t.Fatal("drawn differently the second time")
		}
		orphans += int(tr.Counts.Orphans)
		slowC := 0
		for k := range tr.Spans {
			switch took := tr.Duration(calltree.Node(k)); {
			case tr.Spans[k].Op == "c" && took == 90*time.Millisecond:
				slowC++
			case tr.Spans[k].Op != "b":
			case took == 100*time.Millisecond:
				slow++
			default:
				sum += took
				n++
			}
		}
		if slowC == 10 {
			slowTraces++
		} else if slowC != 0 {
			t.Fatalf("slow in part of a trace: %d", slowC)
		}
	}
	if slow < 300 || slow > 500 || n < 19000 || n > 20200 {
		t.Errorf("%d slow, %d not", slow, n)
	}
	if mean := sum / time.Duration(n); mean < 3900*time.Microsecond || mean > 4100*time.Microsecond {
		t.Errorf("mean %v", mean)
	}
	if slowTraces < 70 || slowTraces > 130 {
		t.Errorf("%d of 1000 traces slow", slowTraces)
	}
	if orphans < 200 || orphans > 300 {
		t.Errorf("%d orphans", orphans)
	}
}

func TestTracesNotUnderstood(t *testing.T) {
	for _, bad := range []string{
		"span a parent=-", "trace", "trace x", "trace 0", "trace 1 colour=red", "trace 1\nspan", "trace 1\nspan a parent=b",
		"trace 1\nspan a parent=-\nspan a parent=-", "trace 1\nspan a parent=- for=soon", "trace 1\nspan a parent=- for=5ms..1ms",
		"trace 1\nspan a parent=- for=5ms|2:1ms", "trace 1\nspan a parent=- for=5ms|2%", "trace 1\nspan a parent=- x5..4",
		"trace 1\nspan a parent=- kind=round", "trace 1\nspan a parent=- chance=0.5", "trace 1\nspan a parent=- colour=red",
	} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q was understood", bad)
		}
	}
}
