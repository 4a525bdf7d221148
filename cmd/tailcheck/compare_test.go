package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// comparedBy runs compare and returns what it prints and its exit code.
func comparedBy(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(append([]string{"tailcheck", "compare"}, args...), strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), code
}

// What fixtures/compare/README.md says is true: the same server twice is not
// called different, 10 % more latency is, and the gate goes by it.
func TestCompareRecordings(t *testing.T) {
	dir := "../../fixtures/compare/"
	for _, kind := range []string{"hey", "open"} {
		base := dir + kind + "-base.csv"
		for _, c := range []struct {
			args string
			code int
			want string
		}{
			{dir + kind + "-again.csv", 0, "\n~ no difference is shown"},
			{dir + kind + "-slower.csv", 0, "\nSlower: p99"},
			{dir + kind + "-again.csv --fail-on-regression 10%", 0, "\nPASS"},
			{dir + kind + "-again.csv --fail-on-regression 5% --sla p50<1s", 0, "\nPASS"},
			{dir + kind + "-again.csv --fail-on-regression 1%", 3, "\nINCONCLUSIVE"}, // 3,000 requests cannot show so little
			{dir + kind + "-slower.csv --fail-on-regression 5%", 1, "\nFAIL"},
			{dir + kind + "-slower.csv --fail-on-regression 5% --sla p90<1s", 1, "\nFAIL"},
			{dir + kind + "-slower.csv --fail-on-regression 50%", 0, "\nPASS"},
			{dir + kind + "-slower.csv --fail-on-regression 5% --sla p99.9<1s", 3, "takes "}, // too few
			{base, 0, "\n~ no difference"},
		} {
			stdout, _, code := comparedBy(t, append([]string{"--base", base}, strings.Fields(c.args)...)...)
			if code != c.code || !strings.Contains("\n"+stdout, c.want) {
				t.Errorf("%s %s: exit code %d, want %d and %q\n%s", base, c.args, code, c.code, c.want, stdout)
			}
		}
		// and the other way round
		stdout, _, code := comparedBy(t, "--base", dir+kind+"-slower.csv", base, "--fail-on-regression", "5%")
		if code != 0 || !strings.HasPrefix(stdout, "Faster: p99") {
			t.Errorf("%d\n%s", code, stdout)
		}
	}
}

// What was not measured in the same way is named and not compared; what cannot
// be judged is no pass.
func TestCompareWhatCannotBe(t *testing.T) {
	load := "../../fixtures/load/"
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"--base L/stall-hey/hey.csv L/stall-hey/open.csv", "loop that is closed, head in one that is scheduled", 3},
		{"--base L/stall-hey/hey.csv L/stall-hey/hey.csv", "may have omitted requests", 3},
		{"--base L/stall-hey/hey.csv L/stall-hey/hey.csv --interval 80ms", "fill at 80 ms from --interval", 3}, // one stall is one thing
		{"--base ../../fixtures/compare/hey-base.txt ../../fixtures/compare/hey-slower.txt", "no interval can be had from them", 3},
		{"--base L/wrk2/clean.txt ../../fixtures/clean/wrk.txt", "loop that is scheduled, head in one that is closed", 3},
		{"--base ../../fixtures/clean/hey.csv ../../fixtures/clean/wrk.txt", "corrected by its tool", 3},
		{"--base L/broken/hey-refused.txt L/broken/hey-refused.txt", "Not compared", 3},
		{"--base ../../fixtures/clean/traces.jsonl ../../fixtures/clean/traces.jsonl", "only findings", 0},
		{"--base ../../fixtures/trace/redis-mget-tags ../../fixtures/trace/redis-mget-48", "new error mget-storm", 1},
		{"--base ../../fixtures/trace/redis-mget-48 ../../fixtures/trace/redis-mget-tags", "gone error mget-storm", 0},
		{"--base ../../fixtures/trace/redis-mget-48 ../../fixtures/trace/redis-mget-48", "unchanged error mget-storm", 0},
		{"--base ../../fixtures/trace/redis-mget-tags ../../fixtures/trace/redis-mget-48 --fail-on never", "new error mget-storm", 0},
		{"--base L/broken/empty.txt ../../fixtures/clean/hey.csv", "nothing to compare", 2},
		{"--base no-such-file ../../fixtures/clean/hey.csv", "nothing to compare", 2},
		{"--base ../../fixtures/clean/hey.csv --sla cart:p99<1s ../../fixtures/clean/hey.csv", "no operation of that name", 3},
		{"--base ../../fixtures/clean/hey.csv --sla max<1s ../../fixtures/clean/hey.csv", "has no upper end", 3},
		{"--base ../../fixtures/clean/hey.csv --sla errors<1% ../../fixtures/clean/hey.csv", "errors is not on both sides", 3}, // no row of a request without an answer
		{"--base ../../fixtures/clean/hey.txt --sla errors<1% ../../fixtures/clean/hey.txt", "PASS", 0},
		{"--base ../../fixtures/clean/hey.csv --sla rate>=1/s ../../fixtures/clean/hey.csv", "PASS", 0},
		{"--base L/hdr/v2.hlog --unit us --sla rate>=1/s L/hdr/v2.hlog", "INCONCLUSIVE", 3},
	} {
		args := strings.Fields(strings.ReplaceAll(c.args, "L/", load))
		stdout, _, code := comparedBy(t, append(args, "--fail-on-regression", "50%")...)
		if said := strings.Join(strings.Fields(stdout), " "); code != c.code || !strings.Contains(said, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", c.args, code, c.code, c.want, stdout)
		}
		if _, _, code := comparedBy(t, args...); code != 0 && c.code != 2 {
			t.Errorf("%s: exit code %d without a gate", c.args, code)
		}
	}
}

func TestCompareMisuse(t *testing.T) {
	hey := "../../fixtures/clean/hey.csv"
	for _, c := range []struct{ args, want string }{
		{hey, "no base given"},
		{"--base " + hey, "nothing to compare with"},
		{"--base= " + hey, "--base is empty"},
		{"--base - -", "read once only"},
		{"--base " + hey + " " + hey + " --fail-on-regression=", "--fail-on-regression is empty"},
		{"--base " + hey + " " + hey + " --fail-on-regression 5", "want a share"},
		{"--base " + hey + " " + hey + " --fail-on-regression -5%", "want a share"},
		{"--base " + hey + " " + hey + " --fail-on-regression NaN", "want a share"},
		{"--base " + hey + " " + hey + " --ignore inf", "want a share"},
		{"--base " + hey + " " + hey + " --output html", "one of text, json, markdown"},
		{"--base " + hey + " " + hey + " -o " + hey, "would be overwritten"},
		{"--base " + hey + " " + hey + " --fail-on loud", "--fail-on"},
	} {
		if _, stderr, code := comparedBy(t, strings.Fields(c.args)...); code != exitUnusable || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %d %s", c.args, code, stderr)
		}
	}
}

// Every fixture compared with itself: what is printed is what the schema says,
// the same bytes each time, and nothing is called slower or new.
func TestCompareWithItself(t *testing.T) {
	if testing.Short() {
		t.Skip("reads every fixture twice")
	}
	schema := jsonschema.NewCompiler()
	f, err := os.Open("../../docs/schema/tailcheck-compare-1.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.AddResource("compare.json", doc); err != nil {
		t.Fatal(err)
	}
	s := schema.MustCompile("compare.json")
	for _, top := range []string{"clean", "compare", "load", "trace"} {
		err := filepath.WalkDir("../../fixtures/"+top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, ".md") {
				return err
			}
			args := []string{"--base", path, path, "--sla", "p99<500ms", "--sla", "mean<1s", "--interval", "80ms", "--workers", "1", "--fail-on-regression", "5%"}
			out, _, code := comparedBy(t, append(args, "--output", "json")...)
			again, _, _ := comparedBy(t, append(args, "--output", "json", "--jobs", "1")...)
			if out != again {
				t.Errorf("%s: other bytes the second time", path)
			}
			x, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
			if err != nil {
				t.Fatalf("%s: %v\n%s", path, err, out)
			}
			if err := s.Validate(x); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			if code == exitFail || strings.Contains(out, `"verdict": "slower"`) || strings.Contains(out, `"verdict": "faster"`) || !strings.Contains(out, `"new": []`) {
				t.Errorf("%s: exit code %d\n%s", path, code, out)
			}
			for _, output := range []string{"text", "markdown"} {
				if out, _, _ := comparedBy(t, append(args, "--output", output)...); strings.Contains(out, "NaN") || strings.Contains(out, "Inf") || strings.Contains(out, "%!") {
					t.Errorf("%s: %s", path, out)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Several files are paired by name; what one side alone has is named, and keeps
// a gate from passing. Text of an input stays text.
func TestComparePairs(t *testing.T) {
	base, head := t.TempDir(), t.TempDir()
	put := func(dir, name, from string) {
		text, err := os.ReadFile("../../fixtures/compare/" + from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put(base, "a.csv", "hey-base.csv")
	put(base, "b.csv", "hey-base.csv")
	put(head, "b.csv", "hey-slower.csv")
	put(head, "a.csv", "hey-again.csv")
	out, _, code := comparedBy(t, "--base", base, head, "--fail-on-regression", "5%", "--sla", "p50<1s")
	said := strings.Join(strings.Fields(out), " ")
	if code != exitFail || !strings.Contains(said, "Slower: b.csv: p50 is") || strings.Contains(said, "a.csv: p50 is") || strings.Count(said, "paired by name") != 2 {
		t.Errorf("%d\n%s", code, out)
	}
	put(head, "c<script>|x.csv", "hey-again.csv")
	out, _, code = comparedBy(t, "--base", filepath.Join(base, "a.csv"), head, "--fail-on-regression", "10%", "--output", "markdown")
	if code != exitInconclusive || !strings.Contains(out, "head only: ") || strings.Contains(out, "<script>") || strings.Contains(out, "|x.csv") {
		t.Errorf("%d\n%s", code, out)
	}
}
