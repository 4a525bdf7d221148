package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// A page of what-if allows no script but its own, and shows what inputs wrote as
// text.
func TestWhatIfPage(t *testing.T) {
	chart := charted().Charts[4]
	page := func(w *WhatIfPage) string {
		var b bytes.Buffer
		if err := w.WriteHTML(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	plain := page(&WhatIfPage{Question: "calls that are late are sent once more?", Answer: []string{"Hedge after 19 ms.", "Knee: after 19 ms."}, Source: "traces.jsonl", RestsOn: []string{"one call: as measured"}, Charts: []Chart{chart}})
	for _, want := range []string{"Hedge after 19 ms.", "one call: as measured", "knee at 19 ms", "<td>36.7 ms</td>", "<td>105</td>", "traces.jsonl", `"kind":"sweep"`} {
		if !strings.Contains(core(t, plain), want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(plain, "No input could be read") || strings.Contains(plain, `id="inputs"`) {
		t.Error("it speaks of inputs")
	}
	chart.Title, chart.Note = evil, evil
	chart.Sweep.Over, chart.Sweep.At[0] = evil, evil
	for _, charts := range [][]Chart{{chart}, nil} {
		hostile := page(&WhatIfPage{Question: evil, Answer: []string{evil}, Source: evil, RestsOn: []string{evil}, Charts: charts})
		body := core(t, hostile)
		for i, l := range strings.Split(body, "\n") {
			if Safe(l) != l || !utf8.ValidString(l) {
				t.Errorf("line %d is not safe: %q", i+1, l)
			}
		}
		if n := strings.Count(body, "<script"); n != 2*len(charts) {
			t.Errorf("%d scripts with %d charts", n, len(charts))
		}
		for _, no := range []string{"<script>alert", "style=", "onerror=", " onclick", "<img", "ZgotmplZ"} {
			if strings.Contains(body, no) {
				t.Errorf("the page has %s", no)
			}
		}
	}
}
