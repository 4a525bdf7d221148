package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What CI services run is run here from the parsed files, by the shells and
// with the files and variables that they give to a step.

// root is the folder of the repository.
const root = "../.."

// step is a step of a workflow or of a composite action of GitHub.
type step struct {
	Name, ID, Shell, Run, Uses string
	If                         string
	Env, With                  map[string]string
	WorkingDirectory           string `yaml:"working-directory"`
	ContinueOnError            bool   `yaml:"continue-on-error"`
}

// action is an action.yml.
type action struct {
	Inputs map[string]struct {
		Description, Default string
		Required             bool
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []step
	}
}

// workflow is a file of .github/workflows.
type workflow struct {
	Env  map[string]string
	Jobs map[string]struct {
		Strategy struct {
			Matrix struct{ Include []map[string]string }
		}
		Env   map[string]string
		Steps []step
	}
}

// parsed reads a YAML file of the repository.
func parsed[T any](t *testing.T, path string) (out T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err == nil {
		err = yaml.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

// runner is a machine that runs steps.
type runner struct {
	t       *testing.T
	dir     string            // the workspace
	bin     string            // a folder that PATH begins with; tailcheck is in it
	temp    string            // $RUNNER_TEMP
	env     map[string]string // set for all steps
	context map[string]string // what expressions may name
	log     strings.Builder
}

func newRunner(t *testing.T) *runner {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	dir := t.TempDir()
	r := &runner{t: t, dir: filepath.Join(dir, "work"), bin: filepath.Join(dir, "bin"), temp: filepath.Join(dir, "temp"),
		context: map[string]string{}, env: map[string]string{}}
	for _, d := range []string{r.dir, r.bin, r.temp} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(r.bin, "tailcheck")) // TestMain runs tailcheck by that name
	}
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.env, map[string]string{
		"PATH":        r.bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"RUNNER_TEMP": r.temp, "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64",
		"GITHUB_ACTIONS": "true", "CI": "true", "NO_COLOR": "1",
		"GITHUB_WORKSPACE": r.dir, "GITHUB_OUTPUT": filepath.Join(r.temp, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(r.temp, "summary"),
	})
	return r
}

// put copies a file of the repository into the workspace.
func (r *runner) put(from, to string) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(root, from))
	if err == nil {
		err = os.WriteFile(filepath.Join(r.dir, to), text, 0o644)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// program puts a script of bash on the PATH.
func (r *runner) program(name, script string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.bin, name), []byte("#!/usr/bin/env bash\n"+script), 0o755); err != nil {
		r.t.Fatal(err)
	}
}

var expression = regexp.MustCompile(`\$\{\{ *([a-z0-9_.-]+) *\}\}`)

// value puts what expressions name in their place. Those that a test does not
// know are an error of the test.
func (r *runner) value(text string) string {
	r.t.Helper()
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		name := expression.FindStringSubmatch(e)[1]
		v, ok := r.context[name]
		if !ok {
			r.t.Errorf("%s: nothing has this name", e)
		}
		return v
	})
}

// shell runs a script with a shell, as given in argv, and returns its exit code
// and what it printed.
func (r *runner) shell(argv []string, script string, env map[string]string) (int, string) {
	r.t.Helper()
	file := filepath.Join(r.temp, "script.sh")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command(argv[0], append(argv[1:], file)...)
	cmd.Dir, cmd.Env = r.dir, os.Environ()
	for _, m := range []map[string]string{r.env, env} {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			cmd.Env = append(cmd.Env, k+"="+m[k])
		}
	}
	out, err := cmd.CombinedOutput()
	r.log.Write(out)
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		r.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// step runs a step and returns its exit code and what it printed. What it wrote
// to $GITHUB_OUTPUT can be named afterwards.
func (r *runner) step(s step) (int, string) {
	r.t.Helper()
	if strings.Contains(s.Run, "${{") {
		r.t.Fatalf("%s: an expression in a script: what it stands for would be run", s.Name)
	}
	env := map[string]string{}
	for k, v := range s.Env {
		env[k] = r.value(v)
	}
	if err := os.WriteFile(r.env["GITHUB_OUTPUT"], nil, 0o644); err != nil {
		r.t.Fatal(err)
	}
	argv := []string{"bash", "-e"} // what GitHub runs where no shell is named
	if s.Shell == "bash" {
		argv = []string{"bash", "--noprofile", "--norc", "-eo", "pipefail"}
	} else if s.Shell != "" {
		r.t.Fatalf("%s: shell %q", s.Name, s.Shell)
	}
	code, out := r.shell(argv, s.Run, env)
	for _, line := range strings.Split(strings.TrimSuffix(r.read("GITHUB_OUTPUT"), "\n"), "\n") {
		if k, v, ok := strings.Cut(line, "="); ok {
			r.context["steps."+s.ID+".outputs."+k] = v
		} else if line != "" {
			r.t.Errorf("%s: $GITHUB_OUTPUT has the line %q", s.Name, line)
		}
	}
	return code, out
}

// read returns the file that a variable names.
func (r *runner) read(variable string) string {
	text, _ := os.ReadFile(r.env[variable])
	return string(text)
}

// job runs steps until one fails, as a job does; those that other actions do are
// skipped, and ours is run from action.yml. It returns the exit code of the step
// that failed, or 0.
func (r *runner) job(steps []step) int {
	r.t.Helper()
	for _, s := range steps {
		code := 0
		switch {
		case strings.HasPrefix(s.Uses, "tailcheck/tailcheck@"):
			with := map[string]string{}
			for k, v := range s.With {
				with[k] = r.value(v)
			}
			code, _ = r.action(with)
		case s.Uses == "":
			code, _ = r.step(s)
		}
		if code != 0 && !s.ContinueOnError {
			return code
		}
	}
	return 0
}

// action runs the steps of action.yml but for the first, which installs: the
// binary is there.
func (r *runner) action(with map[string]string) (int, string) {
	r.t.Helper()
	a := parsed[action](r.t, "action.yml")
	for name, in := range a.Inputs {
		r.context["inputs."+name] = in.Default
	}
	for name, v := range with {
		if _, ok := a.Inputs[name]; !ok {
			r.t.Errorf("the action has no input %s", name)
		}
		r.context["inputs."+name] = v
	}
	r.context["steps.install.outputs.bin"] = filepath.Join(r.bin, "tailcheck")
	var code int
	var out string
	for _, s := range a.Runs.Steps[1:] {
		if code, out = r.step(s); code != 0 {
			break
		}
	}
	return code, out
}
