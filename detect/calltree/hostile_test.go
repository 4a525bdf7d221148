package calltree

import (
	"fmt"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Hostile shapes: seconds at most, no recursion. A failure is a hang or a
// stack overflow, so nothing is timed.
func TestHostileShapes(t *testing.T) {
	const n = 100_000
	for name, span := range map[string]func(i int) ingest.Span{
		"chain":              func(i int) ingest.Span { return sp(i+1, i, fmt.Sprint("op", i), i, 2*n-i) },
		"wide":               func(i int) ingest.Span { return sp(i+1, min(i, 1), "op", i, i+10) },
		"wide, distinct ops": func(i int) ingest.Span { return sp(i+1, min(i, 1), fmt.Sprint("op", i), i%77, i+10) },
		"roots":              func(i int) ingest.Span { return sp(i+1, 0, fmt.Sprint("op", i), i, i+10) },
		"one loop":           func(i int) ingest.Span { return sp(i+1, (i+1)%n+1, "op", i, i+10) },
		"own parents":        func(i int) ingest.Span { return sp(i+1, i+1, "op", i, i+10) },
		"one id":             func(i int) ingest.Span { return sp(1, 1, "op", i, i+10) },
		"one id, children":   func(i int) ingest.Span { return sp(1+i%2*i, 1, "op", i, i+10) },
		"no id":              func(i int) ingest.Span { return sp(0, 0, "op", i, i+10) },
		"all orphans":        func(i int) ingest.Span { return sp(i+1, i+n+1, "op", i, i+10) },
		"equal ends":         func(i int) ingest.Span { return sp(i+1, min(i, 1), "op", i, n+5) },
		"pairs": func(i int) ingest.Span {
			return with(sp(i/2+1, i/4+1, "op", i, i+10), kind(ingest.Kind(2+i%2), fmt.Sprint(i%7)))
		},
		"processes": func(i int) ingest.Span {
			return with(sp(i+1, i/2, "op", i, n+5), func(s *ingest.Span) { s.Instance = fmt.Sprint(i); s.Kind = ingest.Kind(2 + i%2) })
		},
		"far times": func(i int) ingest.Span {
			s := sp(i+1, min(i, 1), "op", 0, 0)
			s.Start, s.End = -1<<63+ingest.Time(i), 1<<63-1
			return s
		},
		"negative, then long": func(i int) ingest.Span {
			s := sp(i+1, min(i, 1), "op", 0, 0)
			s.Start, s.End = -1<<61+ingest.Time(i), 1<<61
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s Spans
			for i := range n {
				x := span(i)
				s.Add(&x)
			}
			var p Profile
			for tr, err := range s.All() {
				if err != nil {
					t.Fatal(err)
				}
				if c := tr.Counts; c.Rows != n || c.Spans+c.Duplicates != n {
					t.Errorf("%+v", c)
				}
				p.Add(tr)
				for parent := range tr.Parents() {
					for _, g := range tr.Groups(parent) {
						g.Peers()
					}
				}
				tr.Skews()
				tr.Self(0)
			}
			var total time.Duration
			for _, r := range p.Roots() {
				total = sum(total, r.Time)
			}
			if total < 0 {
				t.Error("time wrapped round")
			}
		})
	}
}
