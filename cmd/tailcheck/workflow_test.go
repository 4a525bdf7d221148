package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The cases that every example of docs/ci must tell apart: what the load
// generator of a pipeline leaves, and how the pipeline ends.
var pipelines = map[string]struct {
	file string // of fixtures/load/stall-hey; empty: there is none
	code int
}{
	"a stall that the closed loop missed": {"hey.csv", 1},
	"a stall that the open loop saw":      {"open.csv", 1},
	"one slow request, in an open loop":   {"open-isolated.csv", 0},
	"no file":                             {"", 2},
}

// The workflow of docs/ci fails a build on the closed loop's file, and passes on
// the open loop's of a server where only the held request is slow.
func TestGitHubWorkflow(t *testing.T) {
	for name, c := range pipelines {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t)
			if c.file != "" {
				r.put(stallHey+c.file, "recorded.csv")
			}
			r.program("hey", "cat recorded.csv 2>/dev/null || rm -f load.csv\n")
			w := parsed[workflow](t, "docs/ci/github.yml")
			maps.Copy(r.env, w.Env)
			if code := r.job(w.Jobs["tail"].Steps); code != c.code {
				t.Errorf("exit code %d, want %d\n%s", code, c.code, &r.log)
			}
			_, err := os.Stat(filepath.Join(r.dir, "tailcheck.sarif"))
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// The workflow that makes its own files, live: the two jobs of its matrix.
func TestLabWorkflow(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	w := parsed[workflow](t, "docs/ci/github-lab.yml")
	job := w.Jobs["gate"]
	want := map[string]int{"serial": 1, "isolated": 0}
	if len(job.Strategy.Matrix.Include) != len(want) {
		t.Errorf("%d jobs, want %d", len(job.Strategy.Matrix.Include), len(want))
	}
	for _, m := range job.Strategy.Matrix.Include {
		t.Run(m["server"], func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			installs(r)
			for k, v := range m {
				r.context["matrix."+k] = v
			}
			for k, v := range job.Env {
				r.env[k] = r.value(v)
			}
			if code := r.job(job.Steps); code != want[m["server"]] {
				t.Errorf("exit code %d, want %d\n%s", code, want[m["server"]], &r.log)
			}
		})
	}
}

// installs puts a go on the PATH that installs tailcheck as it stands here.
func installs(r *runner) {
	r.env["GITHUB_PATH"] = filepath.Join(r.temp, "path")
	r.env["SELF"] = filepath.Join(r.bin, "tailcheck")
	r.program("go", `case "$1 $2" in
"env GOPATH") echo "$RUNNER_TEMP/go" ;;
"install github.com/tailcheck/tailcheck/cmd/tailcheck@latest")
	mkdir -p "${GOBIN:=$RUNNER_TEMP/go/bin}" && cp -P "$SELF" "$GOBIN/tailcheck" ;;
*) echo "go $*: not expected" >&2; exit 1 ;;
esac
`)
}

// The template of GitLab, by the shells that images have.
func TestGitLabTemplate(t *testing.T) {
	type job struct {
		BeforeScript []string `yaml:"before_script"`
		Script       []string
		Variables    map[string]string
		Artifacts    struct {
			Paths   []string
			Reports struct{ Junit string }
		}
	}
	j := parsed[map[string]job](t, "docs/ci/gitlab.yml")[".tailcheck"]
	script := strings.Join(append(j.BeforeScript, j.Script...), "\n")
	for _, shell := range []string{"bash", "sh"} {
		for name, c := range pipelines {
			t.Run(shell+"/"+name, func(t *testing.T) {
				r := newRunner(t)
				installs(r)
				maps.Copy(r.env, j.Variables)
				file := c.file
				if file != "" {
					r.put(stallHey+file, file)
				} else {
					file = "$(touch pwned); `touch pwned`"
				}
				maps.Copy(r.env, map[string]string{"TAILCHECK_FILES": file + "\n", "TAILCHECK_SLA": "p99<500ms\nmax<3s\n", "TAILCHECK_ARGS": "--interval=80ms"})
				code, log := r.shell([]string{shell, "-e"}, script, nil)
				if code != c.code {
					t.Errorf("exit code %d, want %d\n%s", code, c.code, log)
				}
				for _, file := range append(j.Artifacts.Paths, j.Artifacts.Reports.Junit) {
					if _, err := os.Stat(filepath.Join(r.dir, file)); err != nil {
						t.Error(err)
					}
				}
				if _, err := os.Stat(filepath.Join(r.dir, "pwned")); err == nil {
					t.Error("a name of a file was run")
				}
			})
		}
	}
}

var groovy = regexp.MustCompile(`(?s)script: '''(.*?)'''`)

// The script of the Jenkinsfile, as Groovy gives it to sh.
func TestJenkinsfile(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/ci/Jenkinsfile"))
	if err != nil {
		t.Fatal(err)
	}
	found := groovy.FindStringSubmatch(string(text))
	if found == nil {
		t.Fatal("no script in the Jenkinsfile")
	}
	script := strings.ReplaceAll(found[1], "\\\n", "") // Groovy joins such lines
	if strings.Contains(script, `\`) || strings.Count(string(text), "{") != strings.Count(string(text), "}") {
		t.Errorf("what Groovy would make of it is not known:\n%s", text)
	}
	for name, c := range pipelines {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t)
			if c.file != "" {
				r.put(stallHey+c.file, "load.csv")
			}
			code, log := r.shell([]string{"sh", "-xe"}, script, map[string]string{"FILES": "load.csv"})
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s", code, c.code, log)
			}
			if _, err := os.Stat(filepath.Join(r.dir, "tailcheck.xml")); err != nil {
				t.Error(err)
			}
		})
	}
}

// The hooks of pre-commit, with the arguments of the example: pre-commit runs
// the words of the entry, those of args, and the files.
func TestPreCommit(t *testing.T) {
	type hook struct {
		ID, Entry, Language, Files string
		Args                       []string
	}
	hooks := map[string]hook{}
	for _, h := range parsed[[]hook](t, ".pre-commit-hooks.yaml") {
		hooks[h.ID] = h
	}
	config := parsed[struct {
		Repos []struct{ Hooks []hook }
	}](t, "docs/ci/pre-commit-config.yaml")
	for _, used := range config.Repos[0].Hooks {
		h, ok := hooks[used.ID]
		if !ok {
			t.Fatalf("there is no hook %s", used.ID)
		}
		if h.Language != "golang" || hooks["tailcheck"].Files != "^$" {
			t.Errorf("%+v", h)
		}
		files := regexp.MustCompile(used.Files)
		for name, c := range pipelines {
			path := "../../" + stallHey + c.file
			if c.file == "" {
				path = "no-such.csv"
			}
			if !files.MatchString("load-tests/" + filepath.Base(path)) {
				t.Errorf("%s is not matched", path)
			}
			var out strings.Builder
			args := append(append(strings.Fields(h.Entry), used.Args...), path)
			if code := run(args, strings.NewReader(""), &out, &out); code != c.code {
				t.Errorf("%s: exit code %d, want %d\n%s", name, code, c.code, &out)
			}
		}
	}
}
