package report

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sarifSchemas are the part of the standard that is written here, as stated in
// testdata, and, where TAILCHECK_SARIF_SCHEMA names a copy of it, the schema that
// OASIS publishes: sarif-schema-2.1.0.json.
func sarifSchemas(t *testing.T) []*jsonschema.Schema {
	t.Helper()
	files := []string{"testdata/sarif-2.1.0-part.schema.json"}
	if published := os.Getenv("TAILCHECK_SARIF_SCHEMA"); published != "" {
		files = append(files, published)
	}
	var out []*jsonschema.Schema
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(f)
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("sarif.json", doc); err != nil {
			t.Fatal(err)
		}
		s, err := c.Compile("sarif.json")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// checkSARIF holds a log against the schemas and what they do not say, and returns
// it.
func checkSARIF(t *testing.T, schemas []*jsonschema.Schema, name, s string) sarifLog {
	t.Helper()
	x, err := jsonschema.UnmarshalJSON(strings.NewReader(s))
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, s)
	}
	for _, schema := range schemas {
		if err := schema.Validate(x); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var texts func(x any)
	texts = func(x any) { // what a reader of the JSON gets is safe as well
		switch x := x.(type) {
		case string:
			for _, l := range strings.Split(x, "\n") {
				if Safe(l) != l {
					t.Errorf("%s: not safe: %q", name, l)
				}
			}
		case []any:
			for _, y := range x {
				texts(y)
			}
		case map[string]any:
			for k, y := range x {
				texts(y)
				if s, _ := y.(string); k == "text" && (strings.Contains(s, "](") || regexp.MustCompile(`[^{]\{[0-9]+\}`).MatchString(s)) {
					t.Errorf("%s: a link or a placeholder: %q", name, s)
				}
			}
		}
	}
	texts(x)
	var log sarifLog
	if err := json.Unmarshal([]byte(s), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	for i, r := range run.Results {
		if r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s: result %d is of rule %d, %q", name, i, r.RuleIndex, r.RuleID)
		}
		if r.Kind != "fail" && r.Level != "none" {
			t.Errorf("%s: result %d of kind %q has the level %q", name, i, r.Kind, r.Level)
		}
	}
	var ids []string
	for _, r := range run.Tool.Driver.Rules {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(run.Tool.Driver.Rules) {
		t.Errorf("%s: a rule is declared twice", name)
	}
	return log
}

func TestSARIF(t *testing.T) {
	schemas := sarifSchemas(t)
	for _, c := range results {
		r := c.make()
		run := checkSARIF(t, schemas, c.name, render(t, SARIF, r, Options{})).Runs[0]
		red := slices.ContainsFunc(run.Results, func(x sarifResult) bool { return x.Level == "error" })
		if red == (r.Verdict == "pass") {
			t.Errorf("%s is %s: %v", c.name, r.Verdict, run.Results)
		}
		if len(run.Tool.Driver.Rules) < len(r.Rules)+2 {
			t.Errorf("%s declares %d rules of %d", c.name, len(run.Tool.Driver.Rules), len(r.Rules))
		}
	}
	for _, s := range []string{"[x](javascript:alert(1))", "{0}", "\x00\x1b\u202e", "C:\\x\\y.csv", "/tmp/a b%", "a:b", "?q#f", "//host/x", "", "-", "../x", "./y", "\xff"} {
		checkSARIF(t, schemas, s, render(t, SARIF, withText(s), Options{}))
	}
	log := checkSARIF(t, schemas, "huge", render(t, SARIF, huge(6000), Options{}))
	if run := log.Runs[0]; len(run.Results) != sarifResults || run.Properties.LeftOut != 2*6000+5-sarifResults {
		t.Errorf("%d results, %d left out", len(run.Results), run.Properties.LeftOut)
	}
}

func TestSARIFSchemaRefuses(t *testing.T) {
	schema := sarifSchemas(t)[0]
	for what, edit := range map[string]func(*sarifLog){
		"a version":             func(l *sarifLog) { l.Version = "2.2" },
		"a level":               func(l *sarifLog) { l.Runs[0].Results[0].Level = "fatal" },
		"an empty message":      func(l *sarifLog) { l.Runs[0].Results[0].Message.Text = "" },
		"line 0":                func(l *sarifLog) { l.Runs[0].Results[0].Locations[0].Physical.Region = &sarifRegion{} },
		"a rule without a name": func(l *sarifLog) { l.Runs[0].Tool.Driver.Rules[0].ID = "" },
	} {
		log := checkSARIF(t, sarifSchemas(t), what, render(t, SARIF, flips(), Options{}))
		edit(&log)
		raw, _ := json.Marshal(log)
		x, _ := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
		if schema.Validate(x) == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}

// The same finding about the same kind of run is the same alert, wherever the
// file lies, whatever stands before it, and whatever the figures are.
func TestSARIFFingerprints(t *testing.T) {
	prints := func(r *Result) map[string]string {
		out := map[string]string{}
		for _, x := range checkSARIF(t, nil, "", render(t, SARIF, r, Options{})).Runs[0].Results {
			out[x.RuleID+" "+x.Properties.Op] = x.Fingerprints.Own
			if x.Fingerprints.Line != x.Fingerprints.Own {
				t.Error("two fingerprints")
			}
		}
		return out
	}
	want := prints(many())
	r := many()
	for i := range r.Inputs {
		r.Inputs[i].Path = "/elsewhere/" + r.Inputs[i].Path
	}
	slices.Reverse(r.Objectives)
	slices.Reverse(r.Findings)
	slices.Reverse(r.Findings[0].Inputs)
	r.Findings[0].Message, r.Findings[0].Evidence = "other numbers", nil
	for k, v := range prints(r) {
		if k != ruleMissed+" " && want[k] != v { // two of them are about no operation
			t.Errorf("%s has another fingerprint", k)
		}
	}
	seen := map[string]bool{}
	for _, x := range checkSARIF(t, nil, "", render(t, SARIF, many(), Options{})).Runs[0].Results {
		if seen[x.Fingerprints.Own] {
			t.Errorf("%s: the fingerprint of another", x.Message.Text)
		}
		seen[x.Fingerprints.Own] = true
	}
	// the second stall of one log is an alert of its own
	r = many()
	first := r.Findings[0]
	first.Message = "another time"
	r.Findings = append(r.Findings, first)
	all := map[string]bool{}
	for _, x := range checkSARIF(t, nil, "", render(t, SARIF, r, Options{})).Runs[0].Results {
		all[x.Fingerprints.Own] = true
	}
	if len(all) != len(seen)+1 {
		t.Errorf("%d fingerprints, want one more than %d", len(all), len(seen))
	}
	for x := range seen {
		if !all[x] {
			t.Errorf("%s changed with another finding", x)
		}
	}
	r = many()
	r.Inputs[0].Run.Workers = p(2)
	if got := prints(r); got["concurrency-inversion GET /cart"] == want["concurrency-inversion GET /cart"] {
		t.Error("another run has the same fingerprint")
	}
}

func TestFileURI(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"hey.csv", "hey.csv"}, {"./runs/a b.csv", "runs/a%20b.csv"}, {"/tmp/x", "file:///tmp/x"}, {`C:\x\y.csv`, "file:///C:/x/y.csv"},
		{"a:b", "./a:b"}, {"-", "stdin"}, {"50%", "50%25"}, {"a#b?c", "a%23b%3Fc"}, {"\x1b\n", "%1B%0A"}, {"../x", "../x"},
	} {
		if got := fileURI(c.path); got != c.want {
			t.Errorf("%q is %q, want %q", c.path, got, c.want)
		}
	}
}
