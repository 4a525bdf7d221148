package report

import (
	"strings"

	"github.com/tailcheck/tailcheck/detect"
)

// Rule is a detector as renderers know it. Name is its name, Doc its text with
// the title as first line.
type Rule struct {
	Name, Doc string
	Severity  detect.Severity
	Fails     bool // a finding of it fails the gate
}

// Title is what a finding of the rule means, in a few words.
func (r Rule) Title() string {
	title, _, _ := strings.Cut(r.Doc, "\n")
	return title
}

// Text is all that the rule says beside its title.
func (r Rule) Text() string {
	_, text, _ := strings.Cut(r.Doc, "\n")
	return strings.TrimSpace(text)
}

// fails reports whether findings of a rule fail the gate. A rule that is not
// listed does as its severity does when nothing else is said.
func (r *Result) fails(f *Finding) bool {
	for i := range r.Rules {
		if r.Rules[i].Name == f.Rule {
			return r.Rules[i].Fails
		}
	}
	return f.Level >= detect.Error
}
