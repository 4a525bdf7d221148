package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// asked is what the tests look at of a report.
type asked struct {
	Findings []struct {
		Rule, Remedy string
		WhatIf       *struct {
			Command string
			Lines   []string
		} `json:"what_if"`
	}
}

func checked(t *testing.T, args ...string) (r asked, raw []byte) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(append([]string{"tailcheck", "check", "--output", "json", "--fail-on", "never"}, args...), strings.NewReader(""), &out, &errs); code == exitUnusable {
		return r, nil
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, errs.String())
	}
	return r, out.Bytes()
}

// Every command that a remedy of a fixture names runs as it is printed, and
// check --what-if shows two lines of what the first of each says.
func TestCommandsOfRemedies(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all fixtures")
	}
	want := map[string]bool{"tail-amplification": false, "mget-storm": false, "retry-multiplication": false, "orphaned-work": false}
	logs := false
	err := filepath.WalkDir("../../fixtures", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "record" {
			return fs.SkipDir
		}
		if d.IsDir() || strings.HasSuffix(path, ".md") || !strings.Contains(path, "/trace/") && !strings.Contains(path, "/log/") {
			return nil
		}
		r, _ := checked(t, "--what-if", path)
		for _, f := range r.Findings {
			named := false
			for _, l := range strings.Split(f.Remedy, "\n") {
				command, ok := strings.CutPrefix(l, "$ tailcheck ")
				if !ok {
					continue
				}
				named = true
				if strings.Contains(command, "FILE") {
					t.Errorf("%s, %s: the input is not named: %s", path, f.Rule, command)
				}
				args, err := shellWords("tailcheck " + command)
				if err != nil {
					t.Fatal(err)
				}
				var out, errs bytes.Buffer
				if code := run(args, strings.NewReader(""), &out, &errs); code != exitPass || errs.Len() > 0 || out.Len() == 0 {
					t.Errorf("%s, %s: %s: exit code %d\n%s", path, f.Rule, command, code, errs.String())
				}
			}
			switch _, wanted := want[f.Rule]; {
			case !named && f.WhatIf != nil:
				t.Errorf("%s, %s: an answer to nothing", path, f.Rule)
			case named && (f.WhatIf == nil || len(f.WhatIf.Lines) != 2 || slices.Contains(f.WhatIf.Lines, "")):
				t.Errorf("%s, %s: %v", path, f.Rule, f.WhatIf)
			case wanted && !named && f.Rule != "mget-storm":
				t.Errorf("%s, %s: no command: %s", path, f.Rule, f.Remedy)
			case wanted && named:
				want[f.Rule] = true
				logs = logs || f.Rule == "retry-multiplication" && strings.Contains(path, "/log/")
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for rule, seen := range want {
		if !seen {
			t.Errorf("no fixture shows %s with a command", rule)
		}
	}
	if !logs {
		t.Error("no log shows retry-multiplication with a command")
	}
}

// The answers are those of the commands, the same for any number of workers, and
// stand where the remedy stands.
func TestAnswersBesideRemedies(t *testing.T) {
	for _, c := range []struct{ path, first, second string }{
		{"../../fixtures/trace/fan-out-69/traces.pb.zst", "As recorded requests wait for 69 calls: p50 62.5 ms and p99 149.4 ms", "If calls are independent: answered with the first 66: p50 14 ms"},
		{"../../fixtures/trace/retries-3x3x3/traces.jsonl", "As recorded a request makes 11.40 calls of the leaf in 87.4 ms", "With the deadline passed on: 1.40 calls of the leaf in 11.5 ms"},
		{"../../fixtures/trace/abandoned/http.jsonl", "As recorded a request makes 6 calls of the leaf in 94.1 ms, 46.8 ms of it for nobody", "With the deadline passed on: 3 calls of the leaf in 46.1 ms, 0 ms of it for nobody"},
		{"../../fixtures/trace/redis-mget-48/traces.jsonl", "48 keys are 48 slots on 3 of 3 primaries, sent as 48 commands.", "with 12 hash tags at most 12."},
	} {
		r, one := checked(t, "--what-if", "--jobs", "1", c.path)
		if _, four := checked(t, "--what-if", "--jobs", "4", c.path); !bytes.Equal(one, four) {
			t.Errorf("%s: other bytes for other workers", c.path)
		}
		if len(r.Findings) == 0 || r.Findings[0].WhatIf == nil {
			t.Errorf("%s: no answer", c.path)
			continue
		}
		w := r.Findings[0].WhatIf
		if !strings.Contains(w.Lines[0], c.first) || !strings.Contains(w.Lines[1], c.second) {
			t.Errorf("%s: %q", c.path, w.Lines)
		}
		for _, output := range []string{"text", "html", "markdown", "junit", "sarif"} {
			text, _, _ := said(t, "check", "--what-if", "--fail-on", "never", "--output", output, c.path)
			if !strings.Contains(text, w.Lines[0][:20]) {
				t.Errorf("%s: %s does not show %q", c.path, output, w.Lines[0])
			}
		}
		if r, _ := checked(t, c.path); r.Findings[0].WhatIf != nil {
			t.Errorf("%s: an answer that nobody asked for", c.path)
		}
	}
}

// Names in traces are of whoever sends them: no command gets other words of them
// than the one that they are, and none that a shell would read another way.
func TestHostileNamesInCommands(t *testing.T) {
	for _, c := range []struct {
		name  string
		named bool
	}{
		{"GET FILE --n 3", true}, {"it's; rm -rf ~", true}, {`a\b "c" $(d)`, true}, {"-n", true},
		{"x\ny", false}, {"x\u202ey", false}, {"##[add-mask]x", false}, {strings.Repeat("long", 60), false},
	} {
		raw, err := os.ReadFile("../../fixtures/trace/retries-3x3x3/traces.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		name, _ := json.Marshal(c.name)
		text := strings.ReplaceAll(string(raw), `"shop.ledger.v1.Ledger/Append"`, string(name))
		path := filepath.Join(t.TempDir(), "it's here.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, _ := checked(t, "--what-if", path)
		for _, f := range r.Findings {
			if f.Rule != "retry-multiplication" {
				continue
			}
			_, command, found := strings.Cut(f.Remedy, "\n$ ")
			if found != c.named || strings.Contains(command, "\n") {
				t.Errorf("%q: %q", c.name, f.Remedy)
			}
			if !found {
				continue
			}
			words, err := shellWords(command)
			if err != nil || len(words) != 7 || words[4] != path || words[6] != "payments "+c.name {
				t.Errorf("%q: %q", c.name, words)
			}
			if f.WhatIf == nil || len(f.WhatIf.Lines) != 2 || !strings.HasPrefix(f.WhatIf.Lines[0], "As recorded") {
				t.Errorf("%q: %v", c.name, f.WhatIf)
			}
		}
	}
}
