package compare

import (
	"fmt"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

func sideOf(paths ...string) *side {
	s := &side{out: &check.Outcome{Result: &report.Result{}}}
	for _, p := range paths {
		s.out.Inputs = append(s.out.Inputs, report.Input{Path: p})
	}
	return s
}

// Files are paired by name, then by operations, then in their order.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		base, head *side
		want       string
	}{
		{sideOf("old/a", "old/b"), sideOf("new/b", "new/a"), "[{0 1 name} {1 0 name}] [] []"},
		{sideOf("main.csv"), sideOf("branch.csv"), "[{0 0 order}] [] []"},
		{sideOf("x", "a", "y"), sideOf("a", "p", "q", "r"), "[{0 1 order} {1 0 name} {2 2 order}] [] [3]"},
		{sideOf("1/a", "2/a"), sideOf("3/a", "4/a"), "[{0 0 order} {1 1 order}] [] []"},               // two of one name: no names
		{sideOf("ci.log", "ci.log"), sideOf("o/ci.log", "o/ci.log"), "[{0 0 name} {1 1 name}] [] []"}, // reports in one file, by their place in it
		{sideOf("a", "b"), sideOf("b"), "[{1 0 name}] [0] []"},
		{sideOf(), sideOf("b"), "[] [] [0]"},
	} {
		p, b, h := pairs(c.base, c.head)
		if got := fmt.Sprint(p, b, h); got != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
	}
	base, head := sideOf("x", "y"), sideOf("p", "q")
	base.sides = []check.Side{{Input: 0, Op: "cart"}, {Input: 0, Op: "pay"}, {Input: 1, Op: "search"}}
	head.sides = []check.Side{{Input: 0, Op: "search"}, {Input: 1, Op: "pay"}, {Input: 1, Op: "cart"}}
	if p, _, _ := pairs(base, head); fmt.Sprint(p) != "[{0 1 operations} {1 0 operations}]" {
		t.Error(p)
	}
}
