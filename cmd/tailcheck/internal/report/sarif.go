package report

import (
	"cmp"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
)

// SARIF writes results as code scanning takes them.
var SARIF = Renderer{
	Name: "sarif",
	Doc: `SARIF 2.1.0 for code scanning and editors

A result for each finding, for each objective that is not met and for each thing
that could not be judged; what passes is left out, because viewers show results of
kind "pass" as alerts. All detectors that had something to look at are declared as
rules, with their documentation as help. Fingerprints do not depend on paths,
lines or order: the same finding about the same kind of run is the same alert the
next time; where it is there several times they are numbered. Parts of an input
that could not be read are notifications.`,
	Render: func(w io.Writer, r *Result, _ Options) error {
		s := sarif{text: text{page: newPage(Options{}), r: r, dir: commonDir(r.Inputs)}, index: map[string]int{}, times: map[string]int{}}
		return Encode(w, s.log())
	},
}

// Bounds: code scanning shows 5,000 results of a run and refuses 25,001; a full
// description has 1,024 characters (docs.github.com, SARIF support).
const (
	sarifResults     = 5000
	sarifNotices     = 1000
	sarifRelated     = 20
	sarifWords       = 4000 // columns of a message
	sarifDescription = 1000
)

// Rules that are no detectors.
const (
	ruleMissed    = "objective-missed"
	ruleNotJudged = "not-judged"
)

// sarif is one Result on its way to a log of results.
type sarif struct {
	text
	rules []sarifRule
	index map[string]int // of rules, by name
	times map[string]int // of fingerprints
	out   []sarifResult
	left  int
	open  bool // something is said to be not judged
}

func (s *sarif) log() sarifLog {
	s.declare()
	s.objectives()
	s.findings()
	if s.r.Verdict == sla.Inconclusive && !s.open {
		s.add(ruleNotJudged, "error", s.r.Why, s.r.start(0), []string{"gate"})
	}
	invocation := sarifInvocation{Successful: !s.r.Unusable, Notifications: s.notifications()}
	return sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool:        sarifTool{sarifDriver{"tailcheck", "https://github.com/tailcheck/tailcheck", s.rules}},
			Invocations: []sarifInvocation{invocation},
			Results:     s.out,
			Properties:  sarifRunBag{Safe(s.r.Verdict), clip(s.r.Why, sarifWords), s.left},
		}},
	}
}

// declare lists the rules, those of tailcheck itself first.
func (s *sarif) declare() {
	s.rule(ruleMissed, "error", "A service level objective is not met",
		"The value that was measured, or what it becomes when requests that were never sent are put back, is not on the right side of the limit. The message says which of the two.")
	s.rule(ruleNotJudged, "error", "Something could not be judged",
		"The report does not hold what an objective is about, or holds it in a way that proves nothing: a censored tail, omission suspected and no plan to correct with, no data at all. It is not a pass. Give the plan (--rate, --workers, --interval), or measure again with per-request data.")
	for _, r := range s.r.Rules {
		s.rule(r.Name, sarifLevel(r.Severity), r.Title(), r.Text())
	}
}

func (s *sarif) rule(id, level, title, text string) {
	if id = ruleID(id); s.has(id) {
		return
	}
	full, _, _ := strings.Cut(text, "\n\n")
	full = strings.Join(strings.Fields(full), " ")
	title = cmp.Or(Safe(title), "A rule without documentation")
	s.index[id] = len(s.rules)
	s.rules = append(s.rules, sarifRule{ID: id, Short: sarifMessage{clip(title, sarifDescription)}, Full: sarifMessage{cmp.Or(clip(full, sarifDescription), title)},
		Default: sarifDefault{level}, Help: sarifMessage{cmp.Or(safeLines(text), title)}, Bag: sarifRuleBag{[]string{"performance", "latency"}}})
}

func ruleID(name string) string { return cmp.Or(Safe(name), "unnamed") }

func (s *sarif) has(id string) bool {
	_, ok := s.index[id]
	return ok
}

func sarifLevel(s detect.Severity) string {
	switch s {
	case detect.Error:
		return "error"
	case detect.Warning:
		return "warning"
	}
	return "note"
}

func (s *sarif) objectives() {
	for _, o := range s.worstFirst() {
		id, level := ruleMissed, "error"
		switch o.Verdict {
		case sla.Pass:
			continue
		case sla.Inconclusive:
			if id = ruleNotJudged; s.r.Verdict == sla.Pass {
				level = "warning"
			}
		}
		r := s.add(id, level, s.called(o)+": "+o.Why, s.r.start(o.Input), append([]string{o.Objective, o.Op}, s.kindOf(o.Input)...))
		if r != nil {
			r.Properties.Op = Safe(o.Op)
		}
	}
}

func (s *sarif) findings() {
	for _, f := range Ranked(s.r.Findings) {
		at := s.r.placeOf(f)
		message := f.Message
		if f.Op != "" {
			message = f.Op + ": " + message
		}
		level := sarifLevel(f.Level)
		if s.r.fails(f) {
			level = "error"
		}
		s.rule(f.Rule, sarifLevel(f.Level), "", "")
		r := s.add(f.Rule, level, message, at, append([]string{f.Op}, s.kindOf(f.Inputs...)...))
		if r == nil {
			continue
		}
		r.Properties = sarifBag{Op: Safe(f.Op), Confidence: Safe(f.Confidence), Remedy: safeLines(f.advice())}
		if sensible(f.ImpactMs) {
			r.Properties.ImpactMs = f.ImpactMs
		}
		for i, x := range f.Exemplars {
			if i < sarifRelated {
				r.Properties.Exemplars = append(r.Properties.Exemplars, Safe(x))
			}
		}
		r.Related = s.related(f)
	}
}

// related are the places of what a finding rests on, each once.
func (s *sarif) related(f *Finding) (out []sarifLocation) {
	seen := map[string]bool{}
	for _, e := range f.Evidence {
		if e.At == nil || len(out) == sarifRelated {
			continue
		}
		want := text0(e.Want)
		if want != "" {
			want = compared(want)
		}
		said := sarifText(evidenceText([]string{e.What, e.Got, want, ""}))
		p, ok := s.r.parsePlace(*e.At, f.Inputs)
		if !ok || p.path == "" || seen[*e.At+said] {
			continue
		}
		seen[*e.At+said] = true
		l := sarifPlace(p)
		l[0].Message = &sarifMessage{said}
		out = append(out, l...)
	}
	return out
}

// add appends a result, unless there are too many.
func (s *sarif) add(id, level, message string, at place, identity []string) *sarifResult {
	s.open = s.open || id == ruleNotJudged
	if len(s.out) == sarifResults {
		s.left++
		return nil
	}
	print := fingerprint(append([]string{id}, identity...))
	s.times[print]++
	if n := s.times[print]; n > 1 { // viewers show results with one fingerprint as one alert: the second stall of a log is another
		print = fingerprint(append([]string{id, strconv.Itoa(n)}, identity...))
	}
	s.out = append(s.out, sarifResult{RuleID: ruleID(id), RuleIndex: s.index[ruleID(id)], Kind: "fail", Level: level, Message: sarifMessage{sarifText(message)},
		Locations: sarifPlace(at), Fingerprints: sarifPrints{print, print}})
	return &s.out[len(s.out)-1]
}

// notifications are what could not be read.
func (s *sarif) notifications() []sarifNotification {
	level := "warning"
	if s.r.Unusable {
		level = "error"
	}
	var out []sarifNotification
	for i := range s.r.Problems {
		x := &s.r.Problems[i]
		if i == sarifNotices {
			out = append(out, sarifNotification{Level: level, Message: sarifMessage{"and " + counted(int64(len(s.r.Problems)-i), "more problem")}})
			break
		}
		p := place{path: x.Path, line: line0(x.Line)}
		out = append(out, sarifNotification{level, sarifMessage{sarifText(p.String() + ": " + x.Message)}, sarifPlace(p)})
	}
	for i, x := range s.r.Skipped {
		if i == sarifNotices {
			break
		}
		out = append(out, sarifNotification{Level: "note", Message: sarifMessage{sarifText("skipped: " + x)}})
	}
	return out
}

// placeholder is what a viewer may fill with an argument of the message.
var placeholder = regexp.MustCompile(`\{([0-9]+)\}`)

// sarifText makes input text fit to be a message: in one, "[text](address)" is a
// link and "{0}" a placeholder (SARIF 2.1.0, 3.11.5 and 3.11.6).
func sarifText(s string) string {
	s = strings.ReplaceAll(clip(s, sarifWords), "](", `]\x28`)
	return cmp.Or(placeholder.ReplaceAllString(s, "{{$1}}"), "nothing more is known")
}

// safeLines is Safe for text whose line breaks are kept.
func safeLines(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i, l := range lines {
		lines[i] = Safe(strings.TrimRight(l, " \r"))
	}
	return strings.Join(lines, "\n")
}
