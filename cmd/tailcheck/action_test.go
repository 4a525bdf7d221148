package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

const stallHey = "fixtures/load/stall-hey/"

// The verdicts, exit codes, annotations and summaries of the action.
func TestActionChecks(t *testing.T) {
	a := parsed[action](t, "action.yml")
	for name, c := range map[string]struct {
		with    map[string]string
		code    int
		verdict string
		log     string // is in what the step prints
		summary string // is in the job summary
	}{
		"fails":        {map[string]string{"files": "hey.csv", "sla": "p99<500ms", "interval": "80ms"}, 1, "fail", "::error file=hey.csv,title=p99<500ms is not met::", "## tailcheck: FAIL"},
		"passes":       {map[string]string{"files": "open-isolated.csv", "sla": "p99<500ms"}, 0, "pass", "::notice file=open-isolated.csv", "## tailcheck: PASS"},
		"inconclusive": {map[string]string{"files": "hey.csv", "sla": "p99<500ms"}, 3, "inconclusive", "could not be judged", "## tailcheck: INCONCLUSIVE"},
		"let pass":     {map[string]string{"files": "hey.csv", "sla": "p99<500ms", "inconclusive": "pass"}, 0, "pass", "::warning", "what cannot be judged passes"},
		"missing":      {map[string]string{"files": "no-such.csv", "sla": "p99<500ms"}, 2, "unusable", "no such file", "no input could be read"},
		"no pattern":   {map[string]string{"files": "no-such-*.csv", "sla": "p99<500ms"}, 2, "unusable", "no-such-*.csv: no such file", "no input could be read"},
		"one missing":  {map[string]string{"files": "open-isolated.csv\nno-such.csv\n", "sla": "p99<500ms"}, 2, "unusable", "no such file", "no such file"},
		"no file":      {map[string]string{"files": " \n\t\n", "sla": "p99<500ms"}, 2, "unusable", "names no file", ""},
		"bad flag":     {map[string]string{"files": "hey.csv", "rate": "fast"}, 2, "unusable", "--rate", "## tailcheck: not run"},
		"bad switch":   {map[string]string{"files": "hey.csv", "strict": "yes"}, 2, "unusable", "want true or false", ""},
		"two":          {map[string]string{"files": "  hey.csv \r\n\n  open-isolated.csv", "sla": "p99<500ms\r\n  max<3s  \n", "interval": "80ms"}, 1, "fail", "max<3s", "## tailcheck: FAIL"},
		"pattern":      {map[string]string{"files": "*.csv", "sla": "p99<500ms", "interval": "80ms"}, 1, "fail", "hey.csv", "open-isolated.csv"},
		"spaces":       {map[string]string{"files": "a name*", "sla": "p99<500ms"}, 0, "pass", "a name [1].csv", "a name"},
		"exact name":   {map[string]string{"files": "a name [1].csv", "sla": "p99<500ms"}, 0, "pass", "a name [1].csv", "a name"},
		"dash":         {map[string]string{"files": "--sla=max<1ms"}, 0, "pass", "", "## tailcheck: PASS"},
		"quiet":        {map[string]string{"files": "hey.csv", "sla": "p99<500ms", "interval": "80ms", "summary": "false", "annotations": "false"}, 1, "fail", "FAIL", ""},
		"comma in op":  {map[string]string{"files": "hey.csv", "sla": "GET /a,b: p99<500ms"}, 3, "inconclusive", "GET /a,b", "GET /a,b"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t)
			r.put(stallHey+"hey.csv", "hey.csv")
			r.put(stallHey+"open-isolated.csv", "open-isolated.csv")
			r.put(stallHey+"open-isolated.csv", "a name [1].csv")
			r.put(stallHey+"open-isolated.csv", "--sla=max<1ms")
			const before = "what another step wrote\n"
			if err := os.WriteFile(r.env["GITHUB_STEP_SUMMARY"], []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
			code, log := r.action(c.with)
			if code != c.code || !strings.Contains(log, c.log) {
				t.Errorf("exit code %d, want %d, and %q in:\n%s", code, c.code, c.log, log)
			}
			for output, want := range map[string]string{"verdict": c.verdict, "exit-code": fmt.Sprint(c.code)} {
				if got := r.value(a.Outputs[output].Value); got != want {
					t.Errorf("output %s: %q, want %q", output, got, want)
				}
			}
			summary, kept := strings.CutPrefix(r.read("GITHUB_STEP_SUMMARY"), before)
			if !kept || !strings.Contains(summary, c.summary) || c.summary == "" && summary != "" {
				t.Errorf("the summary should have %q:\n%s", c.summary, summary)
			}
			if c.with["annotations"] == "false" && strings.Contains(log, "::error") {
				t.Errorf("annotations:\n%s", log)
			}
		})
	}
}

// Every flag of check is an input, or there is a reason; and the other way round.
func TestActionInputs(t *testing.T) {
	a := parsed[action](t, "action.yml")
	used := map[string]bool{"files": true, "version": true, "checksum": true, "summary": true, "annotations": true}
	for _, name := range rendererNames() {
		used[name] = name != "text" && name != "github" // the log; the input annotations
	}
	without := map[string]string{"output": "the log is text", "o": "the log is standard output", "report": "an input for each form"}
	for _, f := range (&session{}).check().Flags {
		name := f.Names()[0]
		if without[name] != "" {
			continue
		}
		used[name] = true
		if _, ok := f.(*cli.BoolFlag); ok && a.Inputs[name].Default != "false" {
			t.Errorf("the input %s is a switch: its default should be false", name)
		}
	}
	check := a.Runs.Steps[1]
	for name, need := range used {
		if _, ok := a.Inputs[name]; ok != need {
			t.Errorf("the input %s: %v, want %v", name, ok, need)
		}
	}
	for name, in := range a.Inputs {
		if !used[name] || in.Description == "" {
			t.Errorf("the input %s is no flag, or says nothing of itself", name)
		}
		if name == "version" || name == "checksum" {
			continue
		}
		variable := "INPUT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if check.Env[variable] != "${{ inputs."+name+" }}" || !strings.Contains(check.Run, `"$`+variable+`"`) {
			t.Errorf("the input %s does not reach the script as $%s", name, variable)
		}
	}
}

// The inputs that write a file write it.
func TestActionReports(t *testing.T) {
	r := newRunner(t)
	r.put(stallHey+"hey.csv", "hey.csv")
	with := map[string]string{"files": "hey.csv", "sla": "p99<500ms", "interval": "80ms"}
	begins := map[string]string{"html": "<!DOCTYPE html>", "sarif": "{", "junit": "<?xml", "json": "{", "csv": "row,", "markdown": "## tailcheck: FAIL"}
	for name := range begins {
		with[name] = "report of " + name
	}
	if code, log := r.action(with); code != 1 {
		t.Errorf("exit code %d\n%s", code, log)
	}
	for name, want := range begins {
		got, err := os.ReadFile(filepath.Join(r.dir, "report of "+name))
		if err != nil || !strings.HasPrefix(strings.ToLower(string(got)), strings.ToLower(want)) {
			t.Errorf("%s: %v, begins %.40q", name, err, got)
		}
	}
}

// Whatever an input is, it is one argument: nothing of it is run, and it writes
// no annotation, output or file of its own.
func TestActionInjection(t *testing.T) {
	if testing.Short() {
		t.Skip("runs some hundred commands")
	}
	a := parsed[action](t, "action.yml")
	attacks := []string{
		"$(touch pwned)`touch pwned`", `"; touch pwned; "`, "'; touch pwned; '", "x\ntouch pwned", "a[$(touch pwned)]",
		"x\n::error::pwned", "x\r\x1b[31m\n##[error]pwned", "x\nverdict=pwned", "%0A::error::pwned",
		"--report=csv=pwned", "-o pwned", "${{ github.token }}",
	}
	for name := range a.Inputs {
		if name == "version" || name == "checksum" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			r.put(stallHey+"hey.csv", "hey.csv")
			for _, attack := range attacks {
				with := map[string]string{"files": "hey.csv", "sla": "p99<500ms", "summary": "false", "annotations": "false"}
				with[name] = attack
				code, log := r.action(with)
				if code < 0 || code > 3 {
					t.Errorf("%q: exit code %d\n%s", attack, code, log)
				}
				for _, line := range strings.FieldsFunc(log, func(c rune) bool { return c == '\n' || c == '\r' }) {
					if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "\x1b") || strings.HasPrefix(line, "##[") {
						t.Errorf("%q: the log has the line %q", attack, line)
					}
				}
				if got, want := r.read("GITHUB_OUTPUT"), fmt.Sprintf("exit-code=%d\n", code); !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 2 || strings.Contains(got, "pwned") {
					t.Errorf("%q: outputs\n%s", attack, got)
				}
			}
			err := filepath.WalkDir(filepath.Dir(r.dir), func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.Name() == "pwned" {
					t.Errorf("%s is there", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// The action uses no other, and its scripts are what shellcheck lets through.
func TestActionSteps(t *testing.T) {
	a := parsed[action](t, "action.yml")
	if a.Runs.Using != "composite" {
		t.Errorf("using %q", a.Runs.Using)
	}
	for _, s := range a.Runs.Steps {
		if s.Uses != "" || s.Shell != "bash" {
			t.Errorf("%s: uses another action or another shell", s.Name)
		}
		if _, err := exec.LookPath("shellcheck"); err != nil {
			continue
		}
		cmd := exec.Command("shellcheck", "--shell=bash", "-")
		cmd.Stdin = strings.NewReader("set -eo pipefail\n" + s.Run) // as the runner calls bash
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", s.Name, err, out)
		}
	}
}
