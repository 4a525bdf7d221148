package retries_test

import (
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/retries"
	"github.com/tailcheck/tailcheck/ingest"
)

// The names and severities that the contract promises.
func TestContract(t *testing.T) {
	want := map[string]detect.Severity{
		"retry-multiplication": detect.Error, "orphaned-work": detect.Error, "deadline-not-propagated": detect.Warning, "hedge-overload": detect.Error,
	}
	for _, d := range retries.Detectors {
		severity, known := want[d.Name]
		if !known || d.Severity != severity || d.Reads&ingest.KindTrace == 0 || d.New == nil {
			t.Errorf("%s: %v", d.Name, d.Severity)
		}
		delete(want, d.Name)
		title, text, _ := strings.Cut(d.Doc, "\n\n")
		if title == "" || strings.Contains(title, "\n") || !strings.Contains(text, "What it rests on") || !strings.Contains(text, "Not reported:") {
			t.Errorf("%s: the Doc has a title, what it rests on, and what is not reported", d.Name)
		}
		for line := range strings.Lines(d.Doc) {
			if len([]rune(line)) > 81 {
				t.Errorf("%s: a line of the Doc is longer than 80: %s", d.Name, line)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
