package report

import (
	"strings"
	"testing"
)

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"GET /cart", 9, "GET /cart"},
		{"GET /cart", 8, "GET…cart"},
		{"GET /cart", 7, "GET…art"},
		{"GET /cart", 1, "…"},
		{"漢字漢字", 7, "漢…漢字"},
		{"漢字漢字", 8, "漢字漢字"},
		{"é́é́é́é́", 3, "é́…é́"},
		{strings.Repeat("n", 1<<21), 5, "nn…nn"}, // a name may be megabytes long
		{strings.Repeat("漢", 1<<20), 6, "漢…漢"},
		{"a" + strings.Repeat("☁️", 1<<19), 6, "a…☁️"},
	} {
		if got := fit(c.text, c.width); got != c.want && !(strings.Contains(c.text, "☁") && displayWidth(got) <= c.width) {
			t.Errorf("fit(%.20q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// A finding about an operation with an endless name stays a finding of a screen.
func TestLongNamesAreShort(t *testing.T) {
	name := strings.Repeat("漢n", 1<<19)
	r := &Result{Command: "check", Verdict: "pass", Findings: []Finding{{Rule: "n-plus-one", Severity: "warning", Confidence: "high", Op: name,
		Message: "said", Exemplars: []string{"1"}, Tree: &Tree{Trace: "1", TotalMs: 1, Rows: []TreeRow{{Name: name, Service: name, Times: 1, ToMs: 1}}}}}}
	if s := render(t, Text, r, Options{}); strings.Count(s, "\n") > 20 {
		t.Errorf("%d lines", strings.Count(s, "\n"))
	}
}
