// Package config reads tailcheck.yaml: what a project asks of its reports, so
// that a command line need not say it again. Flags beat it.
package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
)

// Name is the file that is read where no other is named.
const Name = "tailcheck.yaml"

// Version is that of the format that is read.
const Version = 1

// File is what a file says. Line is where each thing stands.
type File struct {
	Path       string
	Objectives []Objective
	Plans      []Plan
	Readings   []Reading
	Skips      []Skip
	Reports    []Report

	FailOn       Word // error, warning, note, never; empty: not said
	Inconclusive Word // fail, pass; empty: not said
	Strict       Word // true, false; empty: not said
}

// Word is a setting of one word.
type Word struct {
	Value string
	Line  int
}

// Objective is one objective on the inputs that its patterns cover.
type Objective struct {
	sla.Objective
	Files []Pattern // none: every input
	Line  int
}

// Plan is how the load of some reports was planned.
type Plan struct {
	check.Plan
	Files []Pattern
	Line  int
}

// Reading is how some inputs are written.
type Reading struct {
	check.How
	Unit  time.Duration
	Zone  *time.Location
	Files []Pattern
	Line  int
}

// Skip is a detector that is not wanted, and why.
type Skip struct {
	Detector string
	Reason   string
	Until    string // last day on which it is skipped, like 2026-12-31, in UTC; empty: no end
	Files    []Pattern
	Line     int
}

// Report is one form in which a result is written, and where to.
type Report struct {
	Name, Path string
	Line       int
}

// Given are the flags of a command line that beat settings of a file.
type Given struct {
	FailOn, Inconclusive, Strict bool
	Only                         []string // detectors
}

// Apply puts what the file says into the options that the flags made. Skips that
// have ended on the day of now are problems and skip nothing.
func (f *File) Apply(opt *check.Options, given Given, now time.Time) {
	for _, x := range f.Plans {
		s := f.scope(x.Files, x.Line)
		s.Plan = x.Plan
		s.Plan.RateFrom, s.Plan.WorkersFrom, s.Plan.IntervalFrom = s.From(), s.From(), s.From()
		opt.Scopes = append(opt.Scopes, s)
	}
	for _, x := range f.Readings {
		s := f.scope(x.Files, x.Line)
		s.How, s.Unit, s.Zone = x.How, x.Unit, x.Zone
		opt.Scopes = append(opt.Scopes, s)
	}
	for i := range f.Objectives {
		x := &f.Objectives[i]
		s := f.scope(x.Files, x.Line)
		s.Objective = &x.Objective
		opt.Scopes = append(opt.Scopes, s)
		if slices.ContainsFunc(opt.Objectives, func(o sla.Objective) bool { return check.SameMetric(o, x.Objective) }) {
			f.note(opt, report.Setting{Name: "objective", Value: x.String(), Files: s.Files, Overruled: flag("--sla")}, x.Line)
		}
	}
	for _, x := range f.Skips {
		f.skip(opt, x, given, now)
	}
	f.words(opt, given)
}

func flag(name string) *string { return &name }

// scope is the part of a scope that all have.
func (f *File) scope(files []Pattern, line int) check.Scope {
	s := check.Scope{Path: f.Path, Line: line, Files: shown(files)}
	if len(files) > 0 {
		s.Covers = func(path string) bool {
			return slices.ContainsFunc(files, func(p Pattern) bool { return p.Match(path) })
		}
	}
	return s
}

func shown(files []Pattern) string {
	var all []string
	for _, p := range files {
		all = append(all, p.text)
	}
	return strings.Join(all, ", ")
}

// note lists a setting in the report.
func (f *File) note(opt *check.Options, s report.Setting, line int) {
	s.From = fmt.Sprintf("%s:%d", f.Path, line)
	opt.Settings = append(opt.Settings, s)
}

func (f *File) skip(opt *check.Options, x Skip, given Given, now time.Time) {
	if line := int64(x.Line); x.Until != "" && now.UTC().Format(time.DateOnly) > x.Until {
		opt.Problems = append(opt.Problems, report.Problem{Path: f.Path, Line: &line,
			Message: fmt.Sprintf("the skip of %s ended on %s: it runs again (the reason was: %s)", x.Detector, x.Until, x.Reason)})
		return
	}
	s := f.scope(x.Files, x.Line)
	note := report.Setting{Name: "skip", Value: x.Detector, Files: s.Files, Reason: &x.Reason}
	if x.Until != "" {
		note.Until = &x.Until
	}
	switch {
	case slices.Contains(given.Only, x.Detector):
		note.Overruled = flag("--only")
	case s.Covers == nil:
		opt.Mute(x.Detector)
	default:
		s.Skip = x.Detector
		opt.Scopes = append(opt.Scopes, s)
	}
	f.note(opt, note, x.Line)
}

// words applies the settings of one word.
func (f *File) words(opt *check.Options, given Given) {
	for _, w := range []struct {
		name string
		Word
		given bool
	}{{"fail-on", f.FailOn, given.FailOn}, {"inconclusive", f.Inconclusive, given.Inconclusive}, {"strict", f.Strict, given.Strict}} {
		if w.Value == "" {
			continue
		}
		note := report.Setting{Name: w.name, Value: w.Value}
		if w.given {
			note.Overruled = flag("--" + w.name)
			f.note(opt, note, w.Line)
			continue
		}
		f.note(opt, note, w.Line)
		switch w.name {
		case "fail-on":
			opt.FailOn, opt.NeverFail = severities[w.Value], w.Value == "never"
		case "inconclusive":
			opt.Lenient, opt.LenientFrom = w.Value == "pass", fmt.Sprintf("%s:%d", f.Path, w.Line)
		case "strict":
			opt.Strict = w.Value == "true"
		}
	}
}

var severities = map[string]detect.Severity{"error": detect.Error, "warning": detect.Warning, "note": detect.Note}

// nearest returns ", did you mean NAME?" for the name that a slip of the keys is
// nearest to, or "".
func nearest(s string, names []string) string {
	best, dist := "", 2+len(s)/3
	if len(s) > 60 {
		return ""
	}
	for _, n := range names {
		if d := check.Distance(s, n); d < dist {
			best, dist = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}
