package omission_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/omission"
)

// The names and severities that the contract promises.
func TestContract(t *testing.T) {
	names := strings.Fields(`coordinated-omission already-corrected correction-not-stated censored-tail saturated-run rate-not-reached
		hidden-time isolated-slowness cold-start connect-tail concurrency-inversion loop-model-changed inconsistent-report small-sample no-data`)
	notes := strings.Fields("already-corrected correction-not-stated isolated-slowness cold-start connect-tail small-sample")
	var got []string
	for _, d := range omission.Detectors {
		got = append(got, d.Name)
		want := detect.Warning
		if slices.Contains(notes, d.Name) {
			want = detect.Note
		}
		if d.Severity != want {
			t.Errorf("%s is a %v, want %v", d.Name, d.Severity, want)
		}
		title, text, _ := strings.Cut(d.Doc, "\n\n")
		if title == "" || strings.Contains(title, "\n") || !strings.Contains(text, "It rests on") && !strings.Contains(text, "What it rests on") || !strings.Contains(text, "Not reported:") {
			t.Errorf("%s: the Doc has a title, what it rests on, and what is not reported", d.Name)
		}
		for line := range strings.Lines(d.Doc) {
			if len([]rune(line)) > 81 {
				t.Errorf("%s: a line of the Doc is longer than 80", d.Name)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(names)
	if !slices.Equal(got, names) {
		t.Errorf("detectors %q, want %q", got, names)
	}
}
