package main

import (
	"debug/elf"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// instruction is one of a Dockerfile.
type instruction struct{ name, args string }

// stages reads a Dockerfile: its instructions, by the FROM that they stand below.
func stages(t *testing.T) (out [][]instruction) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	comments := regexp.MustCompile(`(?m)^#.*\n`)
	joined := strings.ReplaceAll(comments.ReplaceAllString(string(text), ""), "\\\n", " ")
	for line := range strings.Lines(joined) {
		name, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" {
			continue
		}
		if name == "FROM" {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], instruction{name, strings.TrimSpace(args)})
	}
	return out
}

// What an image of one static binary should be, by the rules that linters of
// Dockerfiles have: pinned bases, no ADD, exec forms, a user who is a number.
func TestDockerfile(t *testing.T) {
	all := stages(t)
	known := []string{"FROM", "ARG", "LABEL", "COPY", "RUN", "USER", "WORKDIR", "ENTRYPOINT"}
	for i, stage := range all {
		base := stage[0].args
		if pinned := regexp.MustCompile(`golang:1\.\d+-[a-z]+ AS [a-z]+$`); base != "scratch" && !pinned.MatchString(base) {
			t.Errorf("FROM %s: want a version and a name", base)
		}
		if (base == "scratch") != (i == len(all)-1) {
			t.Errorf("FROM %s: only the image itself begins with nothing", base)
		}
		for _, x := range stage {
			if !slices.Contains(known, x.name) {
				t.Errorf("%s %s: not wanted", x.name, x.args)
			}
			if x.name == "WORKDIR" && !strings.HasPrefix(x.args, "/") {
				t.Errorf("WORKDIR %s: want an absolute path", x.args)
			}
		}
	}
	var user, entry string
	labels := ""
	for _, x := range all[len(all)-1] {
		switch x.name {
		case "RUN":
			t.Errorf("RUN %s: there is nothing to run it with", x.args)
		case "USER":
			user = x.args
		case "ENTRYPOINT":
			entry = x.args
		case "LABEL":
			labels += x.args
		}
	}
	if !regexp.MustCompile(`^[1-9]\d*:[1-9]\d*$`).MatchString(user) {
		t.Errorf("USER %s: want numbers, and not 0", user)
	}
	if entry != `["/tailcheck"]` {
		t.Errorf("ENTRYPOINT %s", entry)
	}
	for _, l := range []string{"title", "description", "source", "documentation", "licenses"} {
		if !strings.Contains(labels, "org.opencontainers.image."+l+"=") {
			t.Errorf("no label %s", l)
		}
	}
}

// The image is built as its Dockerfile says, without an engine: the files that
// .dockerignore lets through, the commands of RUN; and what it makes is run with
// nothing around it, as the user that it names.
func TestImage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds")
	}
	src, out := t.TempDir(), t.TempDir()
	for _, name := range let(t) {
		if err := copyInto(filepath.Join(src, name), filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range stages(t)[0] {
		if x.name != "RUN" {
			continue
		}
		script := regexp.MustCompile(`--mount=\S+`).ReplaceAllString(x.args, "")
		cmd := exec.Command("sh", "-ec", strings.ReplaceAll(script, "/out", out))
		cmd.Dir, cmd.Env = src, append(os.Environ(), "TARGETOS=linux", "TARGETARCH="+runtime.GOARCH, "VERSION=v1.2.3-test")
		if log, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, log)
		}
	}
	f, err := elf.Open(filepath.Join(out, "tailcheck"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if libs, err := f.ImportedLibraries(); err != nil || len(libs) > 0 || slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Errorf("the binary is not static: %v %v", libs, err)
	}
	if err := copyInto(filepath.Join(out, "work/hey.csv"), filepath.Join(root, stallHey+"hey.csv")); err != nil {
		t.Fatal(err)
	}
	for args, c := range map[string]struct {
		code int
		want string
	}{
		"version": {0, "tailcheck v1.2.3-test go"},
		"check --sla p99<500ms --interval 80ms hey.csv": {1, "FAIL p99<500ms"},
		"check --tz Europe/Berlin hey.csv":              {0, "hey-csv"}, // zones are in the binary
		"check --report html=/tmp/report.html hey.csv":  {0, "hey-csv"},
	} {
		cmd := exec.Command("/tailcheck", strings.Fields(args)...)
		cmd.Dir, cmd.Env = "/work", []string{}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: out, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		log, err := cmd.CombinedOutput()
		if errors.Is(err, fs.ErrPermission) {
			t.Skip("only root may change the root folder")
		}
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.code || !strings.Contains(string(log), c.want) {
			t.Errorf("%s: %v, want exit code %d and %q\n%s", args, err, c.code, c.want, log)
		}
	}
}

// let returns the files that .dockerignore lets into a build. It is a list of
// what is let in at the top, and of what is not, at any depth.
func let(t *testing.T) (out []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	var tops, never []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if top, ok := strings.CutPrefix(line, "!"); ok {
			tops = append(tops, top)
		} else if name, ok := strings.CutPrefix(line, "**/"); ok {
			never = append(never, name)
		} else if line != "*" {
			t.Fatalf(".dockerignore: %s: a test does not know this", line)
		}
	}
	for _, top := range tops {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			for _, n := range never {
				if ok, _ := filepath.Match(n, d.Name()); ok && d.IsDir() {
					return fs.SkipDir
				} else if ok {
					return nil
				}
			}
			if d.Type().IsRegular() {
				name, _ := filepath.Rel(root, path)
				out = append(out, name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func copyInto(to, from string) error {
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
