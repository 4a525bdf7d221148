package calltree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// tree makes spans of "A 0-100 (B 0-50 (C 1-2) D 60-90)", times in milliseconds.
func tree(t testing.TB, text string) []ingest.Span {
	t.Helper()
	var out []ingest.Span
	stack := []int{0}
	last := 0
	words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "(":
			stack = append(stack, last)
		case ")":
			stack = stack[:len(stack)-1]
		default:
			var from, to int
			if _, err := fmt.Sscanf(words[i+1], "%d-%d", &from, &to); err != nil {
				t.Fatal(err)
			}
			last = len(out) + 1
			s := sp(last, stack[len(stack)-1], strings.TrimSuffix(words[i], "~"), from, to)
			s.Async = strings.HasSuffix(words[i], "~")
			out = append(out, s)
			i++
		}
	}
	return out
}

// fromTheEnd writes a path as amplification.md does: the last piece first.
func fromTheEnd(tr *Trace, path []Piece) string {
	var out []string
	for _, p := range slices.Backward(path) {
		out = append(out, fmt.Sprintf("%s%d-%d", tr.Spans[p.Span].Op, (p.Start-base)/ms, (p.End-base)/ms))
	}
	return strings.Join(out, " ")
}

func TestPath(t *testing.T) {
	for _, c := range []struct{ name, tree, want string }{
		// amplification.md section 6, to the digit.
		{"gaps", "C 1-101 (D 20-40 E 50-60)", "C60-101 E50-60 C40-50 D20-40 C1-20"},
		{"overlap", "X 1-101 (A 10-50 C 20-60)", "X60-101 C20-60 X1-20"},
		{"clamped at both ends", "A 1-30 (B 15-35 (C 10-25))", "B25-30 C15-25 A1-15"},
		{"clamped grandchild", "A 1-30 (B 15-35 (C 20-40))", "C20-30 B15-20 A1-15"},
		{"back to back", "A 0-100 (B 0-50 C 50-100)", "C50-100 B0-50"},

		{"alone", "A 5-9", "A5-9"},
		{"nobody waits for B", "A 0-100 (B~ 0-90 (D 5-80) C 10-40)", "A40-100 C10-40 A0-10"},
		{"outside", "A 0-100 (B 100-120 C 200-300)", "A0-100"},
		{"before the parent", "A 50-100 (B 0-70)", "A70-100 B50-70"},
		{"around the parent", "A 50-100 (B 0-170)", "B50-100"},
		{"no length", "A 0-100 (B 40-40 C 60-60)", "A0-100"},
		{"both end last: the one that began first", "A 0-100 (B 50-100 C 20-100)", "C20-100 A0-20"},
		{"parallel, then one more", "A 0-100 (B 10-50 C 10-40 D 10-60 E 60-90)", "A90-100 E60-90 D10-60 A0-10"},
		{"deep", "A 0-100 (B 10-90 (C 20-80 (D 30-70) E 80-85))", "A90-100 B85-90 E80-85 C70-80 D30-70 C20-30 B10-20 A0-10"},
		// Overlaps below 1 % of the parent (1000 long: below 10).
		{"small overlap", "A 0-1000 (B 100-309 C 300-500)", "A500-1000 C300-500 B100-300 A0-100"},
		{"overlap of 1 %", "A 0-1000 (B 100-310 C 300-500)", "A500-1000 C300-500 A0-300"},
		{"of two small overlaps the smaller", "A 0-1000 (B 100-309 D 200-302 C 300-500)", "A500-1000 C300-500 D200-300 A0-200"},
		{"touching beats overlapping", "A 0-1000 (B 100-309 D 200-300 C 300-500)", "A500-1000 C300-500 D200-300 A0-200"},
		{"a small overlap beats a larger gap", "A 0-1000 (B 100-305 D 200-290 C 300-500)", "A500-1000 C300-500 B100-300 A0-100"},
		{"a smaller gap beats a small overlap", "A 0-1000 (B 100-305 D 200-297 C 300-500)", "A500-1000 C300-500 A297-300 D200-297 A0-200"},
		{"overlap inside is parallel", "A 0-1000 (B 301-309 C 300-500)", "A500-1000 C300-500 A0-300"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := one(t, tree(t, c.tree)...)
			if got := fromTheEnd(tr, tr.Path(0)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			checkPath(t, tr, 0)
		})
	}
}

func TestPathWithoutTimes(t *testing.T) {
	tr := one(t, with(sp(1, 0, "r", 0, 0), func(s *ingest.Span) { s.Start, s.End = 0, 0 }), sp(2, 1, "c", 5, 9))
	if p := tr.Path(0); len(p) != 0 {
		t.Errorf("%v", p)
	}
	if p := tr.Path(1); len(p) != 1 {
		t.Errorf("%v", p)
	}
}

// naivePath is the rule without the tolerance, recursively, one nanosecond at a
// time never looked at twice: who has the time before end, within from.
func naivePath(tr *Trace, n Node, from, to ingest.Time) []Piece {
	var out []Piece
	at := to
	for first := true; at > from; first = false {
		best := None
		for _, k := range tr.Children(n) {
			c := tr.Spans[k]
			if c.Async || !tr.Timed(k) || c.End <= from || c.End == c.Start || c.Start >= at || !first && c.End > at {
				continue
			}
			if best == None || c.End > tr.Spans[best].End || c.End == tr.Spans[best].End && c.Start < tr.Spans[best].Start {
				best = k
			}
		}
		if best == None {
			break
		}
		c := tr.Spans[best]
		if end := min(c.End, at); end < at {
			out = append(out, Piece{n, end, at})
			at = end
		}
		out = append(out, naivePath(tr, best, max(c.Start, from), at)...)
		at = max(c.Start, from)
	}
	if from < at {
		out = append(out, Piece{n, from, at})
	}
	return out
}

// randomTree returns a tree of n spans whose children are mostly within.
func randomTree(r *rand.Rand, n, length int) []ingest.Span {
	out := []ingest.Span{sp(1, 0, "op0", 0, length)}
	for len(out) < n {
		p := r.IntN(len(out))
		from, to := int((out[p].Start-base)/ms), int((out[p].End-base)/ms)
		a := from - 2 + r.IntN(max(to-from+4, 1))
		s := sp(len(out)+1, p+1, fmt.Sprint("op", r.IntN(4)), a, a+r.IntN(max(to-a+3, 1)))
		s.Async = r.IntN(10) == 0
		out = append(out, s)
	}
	return out
}

func TestPathAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 2000 {
		// 99 long at most: an overlap of 1 ms is never below 1 %.
		tr := one(t, randomTree(r, 1+r.IntN(25), 1+r.IntN(99))...)
		got := fromTheEnd(tr, tr.Path(0))
		naive := naivePath(tr, 0, tr.Spans[0].Start, tr.Spans[0].End)
		slices.Reverse(naive)
		if want := fromTheEnd(tr, naive); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

func TestSelf(t *testing.T) {
	for _, c := range []struct {
		tree string
		want string
	}{
		{"A 0-100", "A100"},
		{"A 0-100 (B 10-50 C 20-60)", "A50 B40 C40"},              // union, not the sum
		{"A 0-100 (B 10-50 C 50-60 D 90-120)", "A40 B40 C10 D30"}, // cut off at the end
		{"A 10-100 (B 0-30 C 200-300)", "A70 B30 C100"},           // before and outside
		{"A 0-100 (B~ 10-50)", "A100 B40"},                        // nobody waits for B
		{"A 0-100 (B 10-90 (C 0-95))", "A20 B0 C95"},              // C takes nothing off A
		{"A 0-10 (B 0-10 C 2-3)", "A0 B10 C1"},
	} {
		tr := one(t, tree(t, c.tree)...)
		var got []string
		for k := range tr.Spans {
			got = append(got, fmt.Sprintf("%s%d", tr.Spans[k].Op, tr.Self(Node(k)).Milliseconds()))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got %s, want %s", c.tree, s, c.want)
		}
	}
}

// Where nothing overlaps and all is waited for, self times add up to the
// root's time, and are what the critical path gives.
func TestSelfAddsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		spans := []ingest.Span{sp(1, 0, "r", 0, 10_000)}
		for i := 0; i < len(spans) && len(spans) < 60; i++ { // children one after another
			at, end := int((spans[i].Start-base)/ms), int((spans[i].End-base)/ms)
			for at+2 < end && r.IntN(4) > 0 {
				at += r.IntN(max((end-at)/4, 1))
				to := at + 1 + r.IntN(max((end-at)/2, 1))
				spans = append(spans, sp(len(spans)+1, i+1, "c", at, min(to, end)))
				at = min(to, end)
			}
		}
		tr := one(t, spans...)
		onPath := make([]time.Duration, len(tr.Spans))
		for _, p := range tr.Path(0) {
			onPath[p.Span] += p.Length()
		}
		var total time.Duration
		for k := range tr.Spans {
			total += tr.Self(Node(k))
			if onPath[k] != tr.Self(Node(k)) {
				t.Fatalf("%v on the path, self %v", onPath[k], tr.Self(Node(k)))
			}
		}
		if total != tr.Duration(0) {
			t.Fatalf("self times are %v, the root took %v", total, tr.Duration(0))
		}
	}
}
