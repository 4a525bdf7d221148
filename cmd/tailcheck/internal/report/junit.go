package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/tailcheck/tailcheck/correct/sla"
)

// JUnit writes test results as CI servers show them.
var JUnit = Renderer{
	Name: "junit",
	Doc: `JUnit XML for Jenkins, GitLab and other CI servers

A test for each objective, for each detector that had something to look at, and
for each input. An objective that is not met and a finding that fails the gate are
failures; what could not be judged or read is an error, neither a pass nor
skipped. Findings that do not fail the gate stand in the output of their suite.
It fits the schema that is commonly used, of Ant's reports (windyroad/JUnit-Schema),
and that of Jenkins' xUnit plugin. Times are zero and the date is 1970, because
the same input gives the same bytes.`,
	Render: func(w io.Writer, r *Result, _ Options) error {
		j := junit{text: text{page: newPage(Options{}), r: r, dir: commonDir(r.Inputs)}}
		j.objectives()
		j.detectors()
		j.inputs()
		j.verdict()
		_, err := io.WriteString(w, j.document())
		return err
	},
}

// Bounds of what one test says.
const (
	junitFindings = 100 // findings and problems
	junitLines    = 500 // lines of the output of a suite
	junitWords    = 2000
)

// junit is one Result on its way to test results.
type junit struct {
	text
	suites []junitSuite
}

type junitSuite struct {
	name  string
	cases []junitCase
	out   []string
}

// junitCase is one test. Bad is failure, error or empty.
type junitCase struct {
	name, bad, kind, message string
	body                     []string
}

func (j *junit) suite(name string) *junitSuite {
	j.suites = append(j.suites, junitSuite{name: name})
	return &j.suites[len(j.suites)-1]
}

func (j *junit) objectives() {
	s := j.suite("objectives")
	for i := range j.r.Objectives {
		o := &j.r.Objectives[i]
		c := junitCase{name: j.called(o)}
		d, unit := j.distribution(o.Input, o.Op), unitOf(o.Objective)
		if o.origin() != "" {
			c.body = append(c.body, "the objective stands in "+*o.From)
		}
		if o.Raw != nil {
			c.body = append(c.body, j.raw(d)+": "+judged(o.Raw, unit, d.rule())+" "+o.Raw.Verdict)
		}
		if o.Corrected != nil {
			c.body = append(c.body, "corrected: "+judged(o.Corrected, unit, j.how(d))+" "+o.Corrected.Verdict)
		}
		if o.Flips {
			c.body = append(c.body, "the verdict flips")
		}
		if o.FlipInterval != nil {
			c.body = append(c.body, flipText("it", *o.FlipInterval))
		}
		c.message = o.Why
		switch o.Verdict {
		case sla.Pass:
			s.out = append(s.out, "pass "+c.name+": "+o.Why)
		case sla.Fail:
			c.bad, c.kind = "failure", "objective"
		default: // nothing else is a pass either
			c.bad, c.kind = "error", "inconclusive"
		}
		s.cases = append(s.cases, c)
	}
}

// detectors has a test for each rule, and for what was found under a name that
// none of them has.
func (j *junit) detectors() {
	s := j.suite("detectors")
	by := map[string][]*Finding{}
	var names []string
	for i := range j.r.Rules {
		names = append(names, j.r.Rules[i].Name)
		by[j.r.Rules[i].Name] = nil
	}
	for _, f := range Ranked(j.r.Findings) {
		if _, listed := by[f.Rule]; !listed {
			names = append(names, f.Rule)
		}
		by[f.Rule] = append(by[f.Rule], f)
	}
	for _, name := range names {
		c := junitCase{name: name}
		for i, f := range by[name] {
			said := j.found(f)
			switch {
			case !j.r.fails(f):
				s.out = append(s.out, f.Severity+" "+name+": "+said[0])
				for _, more := range said[1:] {
					s.out = append(s.out, "  "+more)
				}
				continue
			case c.bad == "":
				c.bad, c.kind, c.message = "failure", f.Severity, f.Message
				if n := len(by[name]); n > 1 {
					c.message = counted(int64(n), "finding") + ", the first: " + f.Message
				}
			}
			if i < junitFindings {
				c.body = append(c.body, said...)
			}
		}
		if n := len(by[name]) - junitFindings; n > 0 && c.bad != "" {
			c.body = append(c.body, fmt.Sprintf("and %d more; the JSON report has all", n))
		}
		s.cases = append(s.cases, c)
	}
	if n := len(s.out) - junitLines; n > 0 {
		s.out = append(s.out[:junitLines], fmt.Sprintf("and %d more lines; the JSON report has all", n))
	}
}

// found says a finding in lines.
func (j *junit) found(f *Finding) []string {
	head := f.Message
	if f.Op != "" {
		head = f.Op + ": " + head
	}
	if at := j.r.placeOf(f).String(); at != "" {
		head = at + ": " + head
	}
	lines := []string{head}
	for i, e := range f.Evidence {
		if i == maxEvidence {
			lines = append(lines, fmt.Sprintf("and %d more numbers in the JSON report", len(f.Evidence)-i))
			break
		}
		want := text0(e.Want)
		if want != "" {
			want = compared(want)
		}
		lines = append(lines, evidenceText([]string{e.What, e.Got, want, text0(e.At)}))
	}
	if f.Remedy != "" {
		lines = append(lines, strings.Split("to do: "+f.advice(), "\n")...)
	}
	return lines
}

// inputs has a test for each file that was named or found. What could not be
// read of one is an error, unless all passed nevertheless: then it is told.
func (j *junit) inputs() {
	s := j.suite("inputs")
	problems := map[string][]string{}
	var paths []string
	know := func(path string) {
		if _, known := problems[path]; !known {
			problems[path] = nil
			paths = append(paths, path)
		}
	}
	for i := range j.r.Inputs {
		know(j.r.Inputs[i].Path)
	}
	for i := range j.r.Problems {
		x := &j.r.Problems[i]
		know(x.Path)
		problems[x.Path] = append(problems[x.Path], place{path: x.Path, line: line0(x.Line)}.String()+": "+x.Message)
	}
	for _, path := range paths {
		c := junitCase{name: path}
		list := problems[path]
		if n := len(list) - junitFindings; n > 0 {
			list = append(list[:junitFindings:junitFindings], fmt.Sprintf("and %d more", n))
		}
		switch {
		case len(list) > 0 && j.r.Verdict != sla.Pass:
			c.bad, c.kind, c.message, c.body = "error", "unreadable", list[0], list
		case len(list) > 0:
			s.out = append(s.out, list...)
		}
		s.cases = append(s.cases, c)
	}
	for i, x := range j.r.Skipped {
		if i == junitFindings {
			s.out = append(s.out, fmt.Sprintf("and %d more files skipped", len(j.r.Skipped)-i))
			break
		}
		s.out = append(s.out, "skipped: "+x)
	}
}

// verdict adds a test where nothing else says that the gate is not green.
func (j *junit) verdict() {
	if j.r.Verdict == sla.Pass {
		return
	}
	for i := range j.suites {
		for _, c := range j.suites[i].cases {
			if c.bad != "" {
				return
			}
		}
	}
	s := j.suite("gate")
	s.cases = append(s.cases, junitCase{name: "verdict", bad: "error", kind: j.r.Verdict, message: j.r.Why})
}

func (j *junit) document() string {
	var b strings.Builder
	b.WriteString(xml.Header + "<testsuites>\n")
	id := 0
	for i := range j.suites {
		s := &j.suites[i]
		if len(s.cases) == 0 {
			continue
		}
		n := map[string]int{}
		for _, c := range s.cases {
			n[c.bad]++
		}
		fmt.Fprintf(&b, `  <testsuite id="%d" package="tailcheck" name="%s" timestamp="1970-01-01T00:00:00" hostname="localhost" tests="%d" failures="%d" errors="%d" skipped="0" time="0">`+"\n",
			id, s.name, len(s.cases), n["failure"], n["error"])
		id++
		fmt.Fprintf(&b, "    <properties>\n      <property name=\"verdict\" value=\"%s\"></property>\n      <property name=\"why\" value=\"%s\"></property>\n    </properties>\n", xmlText(j.r.Verdict), xmlText(clip(j.r.Why, junitWords)))
		for k := range s.cases {
			s.cases[k].write(&b, s.name)
		}
		fmt.Fprintf(&b, "    <system-out>%s</system-out>\n    <system-err></system-err>\n  </testsuite>\n", xmlLines(s.out))
	}
	b.WriteString("</testsuites>\n")
	return b.String()
}

func (c *junitCase) write(b *strings.Builder, suite string) {
	name := strings.Join(strings.Fields(Safe(c.name)), " ") // a token of XML Schema
	if name == "" {
		name = "unnamed"
	}
	fmt.Fprintf(b, `    <testcase name="%s" classname="tailcheck.%s" time="0">`, xmlText(name), suite)
	if c.bad != "" {
		fmt.Fprintf(b, `<%s type="%s" message="%s">%s</%[1]s>`, c.bad, xmlText(c.kind), xmlText(clip(c.message, junitWords)), xmlLines(c.body))
	}
	b.WriteString("</testcase>\n")
}

// xmlText makes input text fit to stand in XML 1.0, which has no way to write
// most control characters: Safe leaves none.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(Safe(s)))
	return b.String()
}

func xmlLines(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(xmlText(noCommand(clip(l, junitWords))) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
