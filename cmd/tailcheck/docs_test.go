package main

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what commands in the docs print into the docs")

// Law 6: every `$ …` example in the README and the docs runs, and prints what
// stands below it. In a fence marked `console` a line that begins with "$ " is
// a command of bash, run at the root of the repository; the lines up to the next
// command are what it prints on standard output and standard error. Commands of a
// page share a TMPDIR. A page whose first line is <!-- needs NAME --> is left out
// where that program is missing.
func TestExamplesInDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole commands")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "tailcheck"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var pages []string
	for _, top := range []string{"README.md", "CONTRIBUTING.md", "docs"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".md") {
				pages = append(pages, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(tmp, command string) string {
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "NO_COLOR=1", "COLUMNS=80", "TMPDIR="+tmp)
		out, _ := cmd.CombinedOutput()
		return strings.TrimRight(string(out), "\n")
	}
	examples := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if tool, ok := strings.CutPrefix(string(text), "<!-- needs "); ok {
			tool, _, _ = strings.Cut(tool, " ")
			if _, err := exec.LookPath(tool); err != nil {
				t.Logf("%s: not run, there is no %s", page, tool)
				continue
			}
		}
		tmp := t.TempDir()
		got := rewrite(string(text), func(command string) string { examples++; return run(tmp, command) })
		if got == string(text) {
			continue
		}
		if *update {
			if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s: an example prints something else; go test ./cmd/tailcheck -run TestExamplesInDocs -update writes it anew\n%s", page, difference(string(text), got))
	}
	if examples == 0 {
		t.Error("there are no examples")
	}
}

// rewrite puts what commands print below them.
func rewrite(text string, run func(command string) string) string {
	var out []string
	inside, skip := false, false
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside, skip = line == "```console", false
		case inside && strings.HasPrefix(line, "$ "):
			out = append(out, line)
			if printed := run(strings.TrimPrefix(line, "$ ")); printed != "" {
				out = append(out, strings.Split(printed, "\n")...)
			}
			skip = true
			continue
		case inside && skip:
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func difference(a, b string) string {
	var w bytes.Buffer
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		var l, r string
		if i < len(x) {
			l = x[i]
		}
		if i < len(y) {
			r = y[i]
		}
		if l != r {
			w.WriteString("- " + l + "\n+ " + r + "\n")
			if w.Len() > 2000 {
				break
			}
		}
	}
	return w.String()
}
