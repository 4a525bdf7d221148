package calltree

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

func peer(name string) func(*ingest.Span) {
	return func(s *ingest.Span) { s.Peer, s.Kind = name, ingest.ClientSpan }
}

func TestGroups(t *testing.T) {
	tr := one(t, sp(1, 0, "r", 0, 100),
		with(sp(2, 1, "mget", 10, 20), peer("n1")), with(sp(3, 1, "mget", 11, 25), peer("n2")), with(sp(4, 1, "get", 12, 13), peer("n1")),
		with(sp(5, 1, "mget", 14, 40), peer("n1")), sp(6, 1, "mget", 50, 60), // another kind
		with(sp(7, 1, "mget", 60, 70), func(s *ingest.Span) { s.Service = "t"; s.Kind = ingest.ClientSpan }),
		with(sp(8, 9, "mget", 1, 2), peer("n3")), with(sp(10, 9, "mget", 2, 4), peer("n3")),
	)
	var got []string
	for p := range tr.Parents() {
		for _, g := range tr.Groups(p) {
			line := fmt.Sprintf("%d %s %s x%d:", p, g.Service, g.Op, len(g.Spans))
			for _, peer := range g.Peers() {
				line += fmt.Sprintf(" %s x%d", peer.Name, len(peer.Spans))
			}
			got = append(got, line)
		}
	}
	want := []string{
		"0 s mget x3: n1 x2 n2 x1", "0 s get x1: n1 x1", "0 s mget x1:  x1", "0 t mget x1:  x1",
		"9 s mget x2: n3 x2", // below the missing parent
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	g := tr.Groups(0)[0]
	if g.Sum() != 50*time.Millisecond || g.Busy() != 30*time.Millisecond || g.Peak() != 3 || g.Median() != 14*time.Millisecond || tr.Spans[g.Slowest()].ID != spanID(5) || g.Stands() != 3 {
		t.Errorf("sum %v, busy %v, peak %d, median %v, slowest %d, stands %d", g.Sum(), g.Busy(), g.Peak(), g.Median(), g.Slowest(), g.Stands())
	}
	for _, n := range tr.Groups(None)[0].Spans {
		if tr.Spans[n].Op != "r" {
			t.Error("roots are no group")
		}
	}
}

// More groups than are compared one by one, interleaved.
func TestManyGroups(t *testing.T) {
	spans := []ingest.Span{sp(1, 0, "r", 0, 1000)}
	for i := range 120 {
		spans = append(spans, with(sp(i+2, 1, fmt.Sprint("op", i*7%30), i, i+1), peer(fmt.Sprint(i%11))))
	}
	tr := one(t, spans...)
	groups := tr.Groups(0)
	if len(groups) != 30 {
		t.Fatalf("%d groups", len(groups))
	}
	for i, g := range groups {
		if len(g.Spans) != 4 || g.Op != fmt.Sprint("op", i*7%30) || len(g.Peers()) != 4 {
			t.Errorf("group %d: %s x%d, %d peers", i, g.Op, len(g.Spans), len(g.Peers()))
		}
	}
}

func TestPeak(t *testing.T) {
	for text, want := range map[string]int{
		"A 0-9 (B 1-2 B 2-3 B 3-4)": 1, "A 0-9 (B 1-3 B 2-3 B 3-4)": 2, "A 0-9 (B 1-1 B 1-1)": 1, "A 0-9 (B 1-9 B 2-3 B 3-4 B 3-5)": 3, "A 0-9 (B 5-2)": 0,
	} {
		tr := one(t, tree(t, text)...)
		if got := tr.Groups(0)[0].Peak(); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// A summary of 47 pruned spans states their total time.
func TestGroupOfSummaries(t *testing.T) {
	tr := one(t, sp(1, 0, "r", 0, 100), sp(2, 1, "mget", 1, 4), with(sp(3, 1, "mget", 1, 50), func(s *ingest.Span) {
		s.Stands, s.Rare = 47, &ingest.Rare{Total: 300 * time.Millisecond}
	}))
	if g := tr.Groups(0)[0]; g.Stands() != 48 || g.Sum() != 303*time.Millisecond {
		t.Errorf("stands %d, sum %v", g.Stands(), g.Sum())
	}
}

// call is a client's and a server's span, in milliseconds of each one's clock.
func call(id, parent int, from, to string, c0, c1, s0, s1 int) []ingest.Span {
	return []ingest.Span{
		with(sp(id, parent, "call", c0, c1), kind(ingest.ClientSpan, from)),
		with(sp(id+1, id, "serve", s0, s1), kind(ingest.ServerSpan, to)),
	}
}

func TestSkew(t *testing.T) {
	msec := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	root := with(sp(1, 0, "r", 0, 1000), kind(ingest.ServerSpan, "a"))
	gaveUp := func(spans []ingest.Span) []ingest.Span { spans[0].Outcome = ingest.TimedOut; return spans }
	for _, c := range []struct {
		name      string
		calls     [][]ingest.Span
		low, high int
		widen     int
	}{
		{"equal clocks", [][]ingest.Span{call(2, 1, "a", "b", 0, 100, 10, 90)}, -10, 10, 0},
		{"server ahead", [][]ingest.Span{call(2, 1, "a", "b", 0, 100, 160, 240)}, 140, 160, 160},
		{"server behind", [][]ingest.Span{call(2, 1, "a", "b", 100, 200, 40, 120)}, -80, -60, 80},
		{"two calls narrow it", [][]ingest.Span{call(2, 1, "a", "b", 0, 100, 160, 240), call(4, 1, "a", "b", 200, 210, 352, 359)}, 149, 152, 152},
		{"a client that gave up says less", [][]ingest.Span{gaveUp(call(2, 1, "a", "b", 0, 50, 10, 400))}, -40, 10, 0},
		{"a server that went on says less", [][]ingest.Span{call(2, 1, "a", "b", 0, 50, 10, 400)}, -40, 10, 0},
		{"contradiction: all that one allows", [][]ingest.Span{call(2, 1, "a", "b", 0, 100, 160, 240), call(4, 1, "a", "b", 300, 400, 310, 390)}, -10, 160, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			spans := []ingest.Span{root}
			for _, s := range c.calls {
				spans = append(spans, s...)
			}
			tr := one(t, spans...)
			if len(tr.Skews()) != 1 {
				t.Fatalf("%+v", tr.Skews())
			}
			s := tr.Skews()[0]
			if s.Low != msec(c.low) || s.High != msec(c.high) || s.Widen() != msec(c.widen) || s.Calls != len(c.calls) {
				t.Errorf("%v to %v, widen %v, %d calls; want %v to %v, %v", s.Low, s.High, s.Widen(), s.Calls, msec(c.low), msec(c.high), msec(c.widen))
			}
		})
	}

	// a -> b -> c: the skews along the way add up.
	tr := one(t, append(append([]ingest.Span{root}, call(2, 1, "a", "b", 0, 100, 160, 240)...), call(4, 3, "b", "c", 170, 230, 80, 130)...)...)
	find := func(service string) Node {
		for k := range tr.Spans {
			if tr.Spans[k].Service == service && tr.Spans[k].Kind == ingest.ServerSpan {
				return Node(k)
			}
		}
		return None
	}
	a, b, cc := find("a"), find("b"), find("c")
	if got := tr.Skew(a, b); got != msec(160) {
		t.Errorf("a, b: %v", got)
	}
	if got := tr.Skew(cc, b); got != msec(100) {
		t.Errorf("b, c: %v", got) // server -100 to -90 against the client
	}
	if got := tr.Skew(a, cc); got != msec(260) {
		t.Errorf("a, c: %v", got)
	}
	if got := tr.Skew(a, a); got != 0 {
		t.Errorf("a, a: %v", got)
	}
	// b's server span starts 840 ms before the root's end, by clocks that may
	// differ by 160.
	if got := tr.Lag(a, b); got != msec(0-240-160) {
		t.Errorf("lag %v", got)
	}
	if got := tr.Overrun(a, b); got != msec(1000-240-160) {
		t.Errorf("overrun %v", got)
	}
	// Consumers are not waited for, and tell nothing.
	tr = one(t, root, with(sp(2, 1, "send", 0, 10), func(s *ingest.Span) { s.Kind, s.Service, s.Async = ingest.Producer, "a", true }),
		with(sp(3, 2, "receive", 500, 510), func(s *ingest.Span) { s.Kind, s.Service, s.Async = ingest.Consumer, "b", true }))
	if len(tr.Skews()) != 0 || tr.Hop(2) != 1 {
		t.Errorf("%+v", tr.Skews())
	}
}
