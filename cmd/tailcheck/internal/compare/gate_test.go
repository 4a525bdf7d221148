package compare

import (
	"strings"
	"testing"
)

// The three answers of a gate at 5 %, by hand from where estimate and interval lie.
func TestWeigh(t *testing.T) {
	c := &comparing{opt: Options{Limit: 0.05}}
	for _, x := range []struct {
		low, at, high float64
		want          string
	}{
		{0.06, 0.10, 0.14, Fail},          // all of it beyond
		{0.01, 0.06, 0.11, Fail},          // shown to be worse, and by more
		{-0.01, 0.06, 0.13, Inconclusive}, // perhaps not worse at all
		{0.01, 0.04, 0.07, Pass},          // shown to be worse, by less
		{-0.03, 0.01, 0.05, Pass},         // not by more
		{-0.04, 0.00, 0.045, Pass},        //
		{-0.08, 0.00, 0.08, Inconclusive}, // 5 % could hide in it
		{-0.02, 0.03, 0.08, Pass},         // narrow enough: 10 % would have been shown
		{-0.30, -0.20, -0.05, Pass},       // faster
		{-0.60, -0.10, 0.90, Inconclusive},
	} {
		ch := &Change{Metric: "p99", Of: measured, Change: &x.at, Low: &x.low, High: &x.high, Verdict: Same}
		got := Pass
		switch bad, why := c.weigh(ch); {
		case bad:
			got = Fail
		case why != "":
			got = Inconclusive
		}
		if got != x.want {
			t.Errorf("%v in %v to %v: %s, want %s", x.at, x.low, x.high, got, x.want)
		}
	}
	up, down := 0.2, -0.2
	if bad, why := c.weigh(&Change{Metric: "rate", Change: &down, Why: "no interval"}); bad || !strings.Contains(why, "20 % lower") {
		t.Errorf("a lower rate: %v %s", bad, why)
	}
	if bad, why := c.weigh(&Change{Metric: "rate", Change: &up}); bad || why != "" {
		t.Errorf("a higher rate: %v %s", bad, why)
	}
}

func TestSomeAndPercent(t *testing.T) {
	for v, want := range map[float64]string{0.123: "12 %", 0.0123: "1.2 %", 0.09: "9 %", -0.004: "-0.4 %", -0.0001: "0 %", 27.73: "2773 %"} {
		if got := percent(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	if got := some([]string{"a", "b", "c", "d", "e"}); got != "a; b; c; and 2 more" {
		t.Error(got)
	}
}
