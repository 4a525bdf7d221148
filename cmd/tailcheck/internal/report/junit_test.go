package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The rules of two schemas, as far as they concern what is written here. That of
// Ant's reports (windyroad/JUnit-Schema, JUnit.xsd) is the stricter one: attributes
// that are required, in brackets those that are allowed beside them, and children in
// their order with how often they may stand. What Jenkins' xUnit plugin takes
// (junit-10.xsd) includes it for these elements.
var junitSchema = map[string]struct {
	required, allowed string
	children          string // a regular expression over the names of the children, each with a blank
	text              bool
}{
	"testsuites": {"", "", `(testsuite )*`, false},
	"testsuite":  {"id package name timestamp hostname tests failures errors time", "skipped", `properties (testcase )*system-out system-err `, false},
	"properties": {"", "", `(property )*`, false},
	"property":   {"name value", "", ``, false},
	"testcase":   {"name classname time", "", `((skipped |error |failure ))?`, false},
	"skipped":    {"", "message", ``, true},
	"error":      {"type", "message", ``, true},
	"failure":    {"type", "message", ``, true},
	"system-out": {"", "", ``, true},
	"system-err": {"", "", ``, true},
}

// junitTypes are the types of attributes; xs:token has no blanks at its ends and
// no two together.
var junitTypes = map[string]*regexp.Regexp{
	"timestamp": regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$`),
	"time":      regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`),
	"id":        regexp.MustCompile(`^[0-9]+$`), "tests": regexp.MustCompile(`^[0-9]+$`), "failures": regexp.MustCompile(`^[0-9]+$`),
	"errors": regexp.MustCompile(`^[0-9]+$`), "skipped": regexp.MustCompile(`^[0-9]+$`),
	"name": token, "classname": token, "hostname": token, "package": token,
}

var token = regexp.MustCompile(`^[^ \t\r\n]+( [^ \t\r\n]+)*$`)

type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (e *element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// checkJUnit reads the document, holds it against the schema, and returns the
// tests by what became of them.
func checkJUnit(t *testing.T, name, s string) map[string][]string {
	t.Helper()
	for i, l := range strings.Split(s, "\n") {
		if _, _, _, command := runnerCommand(l); Safe(l) != l || command {
			t.Errorf("%s: line %d is not safe: %q", name, i+1, l)
		}
	}
	if strings.Contains(s, "]]>") {
		t.Errorf("%s: ]]> in text", name)
	}
	d := xml.NewDecoder(strings.NewReader(s))
	var root element
	if err := d.Decode(&root); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, s)
	}
	if x, err := d.Token(); err != nil || string(x.(xml.CharData)) != "\n" {
		t.Errorf("%s: %v after the root", name, x)
	} else if _, err := d.Token(); err != io.EOF {
		t.Errorf("%s: something after the root", name)
	}
	if root.XMLName.Local != "testsuites" {
		t.Errorf("%s: the root is %s", name, root.XMLName.Local)
	}
	var check func(e *element)
	check = func(e *element) {
		kind := e.XMLName.Local
		rule, ok := junitSchema[kind]
		if !ok {
			t.Errorf("%s: no element is called %s", name, kind)
			return
		}
		var has []string
		for _, a := range e.Attrs {
			has = append(has, a.Name.Local)
			if !slices.Contains(strings.Fields(rule.required+" "+rule.allowed), a.Name.Local) {
				t.Errorf("%s: %s has no attribute %s", name, kind, a.Name.Local)
			}
			if re := junitTypes[a.Name.Local]; re != nil && !re.MatchString(a.Value) && kind != "skipped" {
				t.Errorf("%s: %s of %s is %q", name, a.Name.Local, kind, a.Value)
			}
		}
		for _, want := range strings.Fields(rule.required) {
			if !slices.Contains(has, want) {
				t.Errorf("%s: %s without %s", name, kind, want)
			}
		}
		children := ""
		for i := range e.Children {
			children += e.Children[i].XMLName.Local + " "
			check(&e.Children[i])
		}
		if !regexp.MustCompile(`^` + rule.children + `$`).MatchString(children) {
			t.Errorf("%s: in %s stand %s", name, kind, children)
		}
		if !rule.text && strings.TrimSpace(e.Text) != "" {
			t.Errorf("%s: text in %s: %q", name, kind, e.Text)
		}
	}
	check(&root)
	out := map[string][]string{}
	for i := range root.Children {
		suite := &root.Children[i]
		if suite.attr("id") != strconv.Itoa(i) {
			t.Errorf("%s: suite %d has the id %s", name, i, suite.attr("id"))
		}
		n := map[string]int{}
		for _, c := range suite.Children {
			if c.XMLName.Local != "testcase" {
				continue
			}
			how := "pass"
			if len(c.Children) > 0 {
				how = c.Children[0].XMLName.Local
			}
			n[how]++
			n["tests"]++
			out[how] = append(out[how], suite.attr("name")+": "+c.attr("name"))
		}
		for attr, how := range map[string]string{"tests": "tests", "failures": "failure", "errors": "error", "skipped": "skipped"} {
			if suite.attr(attr) != strconv.Itoa(n[how]) {
				t.Errorf("%s: %s=%s of %d", name, attr, suite.attr(attr), n[how])
			}
		}
	}
	return out
}

func TestJUnit(t *testing.T) {
	for _, c := range results {
		r := c.make()
		out := checkJUnit(t, c.name, render(t, JUnit, r, Options{}))
		if red := len(out["failure"])+len(out["error"]) > 0; red == (r.Verdict == "pass") {
			t.Errorf("%s is %s: %v", c.name, r.Verdict, out)
		}
		if len(out["skipped"]) > 0 {
			t.Errorf("%s: what was not judged is not skipped: %v", c.name, out)
		}
	}
	for _, s := range []string{"]]>", "<![CDATA[", "\x00\x01\x1b\ufffe\uffff", "\xed\xa0\x80", "<!DOCTYPE x [<!ENTITY y SYSTEM \"file:///etc/passwd\">]>&y;", "a  b \n", "", "  ", "\"'><testcase name='x'/>", "&amp;&#0;", "\n::error::x", "::error::x##[error]x"} {
		checkJUnit(t, s, render(t, JUnit, withText(s), Options{}))
	}
	checkJUnit(t, "huge", render(t, JUnit, huge(1000), Options{}))
}

// One test for each objective and each detector, and what became of it.
func TestJUnitTests(t *testing.T) {
	for _, c := range []struct {
		make func() *Result
		want string
	}{
		{flips, "map[failure:[objectives: p99<500ms] pass:[objectives: errors<1% detectors: coordinated-omission detectors: stall-missed-by-load-test detectors: concurrency-inversion detectors: censored-tail detectors: no-data detectors: already-corrected inputs: hey-c1.csv]]"},
		{nothing, "map[error:[objectives: p99<500ms inputs: refused.txt] pass:[detectors: coordinated-omission detectors: stall-missed-by-load-test detectors: concurrency-inversion detectors: censored-tail detectors: no-data detectors: already-corrected]]"},
		{many, "map[error:[objectives: GET /missing: p99<300ms] failure:[objectives: p99<500ms in c100.csv objectives: GET /checkout: p99<300ms in jmeter.jtl detectors: stall-missed-by-load-test] pass:[objectives: p99<500ms in c1.csv objectives: p99<500ms in c10.csv objectives: GET /cart: p99<300ms in jmeter.jtl objectives: POST /orders/{id}/items/{item}/reservations: p99<300ms in jmeter.jtl detectors: coordinated-omission detectors: concurrency-inversion detectors: censored-tail detectors: no-data detectors: already-corrected inputs: runs/c1.csv inputs: runs/c10.csv inputs: runs/c100.csv inputs: runs/jmeter.jtl]]"},
		// nothing measured, no objective: still not green
		{func() *Result {
			return &Result{Verdict: "inconclusive", Why: "no input could be read", Inputs: []Input{{Path: "x"}}}
		}, "map[error:[gate: verdict] pass:[inputs: x]]"},
	} {
		if got := fmt.Sprint(checkJUnit(t, "", render(t, JUnit, c.make(), Options{}))); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
