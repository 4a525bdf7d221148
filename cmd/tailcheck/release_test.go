package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// releases is what is read of .goreleaser.yaml.
type releases struct {
	ProjectName string `yaml:"project_name"`
	Builds      []struct {
		Main, Binary        string
		Env, Flags, Ldflags []string
		Goos, Goarch        []string
		ModTimestamp        string `yaml:"mod_timestamp"`
	}
	Archives []struct {
		NameTemplate    string `yaml:"name_template"`
		Formats         []string
		FormatOverrides []struct {
			Goos    string
			Formats []string
		} `yaml:"format_overrides"`
		Files []struct{ Src string }
	}
	Checksum struct {
		NameTemplate string `yaml:"name_template"`
		Algorithm    string
	}
}

// The names of a release, which are in three files, are one: action.yml
// downloads what .goreleaser.yaml writes, and .ci/crossbuild builds the same.
func TestReleaseNames(t *testing.T) {
	r := parsed[releases](t, ".goreleaser.yaml")
	a := parsed[action](t, "action.yml")
	install := a.Runs.Steps[0].Run
	cross, err := os.ReadFile(filepath.Join(root, ".ci/crossbuild"))
	if err != nil {
		t.Fatal(err)
	}
	b, archive := r.Builds[0], r.Archives[0]
	name := strings.NewReplacer("{{ .ProjectName }}", r.ProjectName, "{{ .Version }}", "${number}", "{{ .Os }}", "${os}", "{{ .Arch }}", "${arch}").Replace(archive.NameTemplate)
	for _, want := range []string{"archive=" + name + ".$suffix", "get " + r.Checksum.NameTemplate} {
		if !strings.Contains(install, want) {
			t.Errorf("action.yml does not have %q", want)
		}
	}
	for _, os := range b.Goos {
		suffix := archive.Formats[0]
		for _, o := range archive.FormatOverrides {
			if o.Goos == os {
				suffix = o.Formats[0]
			}
		}
		if !strings.Contains(install, "os="+os+" suffix="+suffix) {
			t.Errorf("action.yml does not have %s as %s", os, suffix)
		}
	}
	for _, arch := range b.Goarch {
		if !strings.Contains(install, "arch="+arch+" ;;") {
			t.Errorf("action.yml does not have %s", arch)
		}
	}
	if loops := "for os in " + strings.Join(b.Goos, " "); !strings.Contains(string(cross), loops) || !strings.Contains(string(cross), "for arch in "+strings.Join(b.Goarch, " ")) {
		t.Errorf(".ci/crossbuild builds other targets than %v %v", b.Goos, b.Goarch)
	}
	if b.Main != "./cmd/tailcheck" || b.Binary != "tailcheck" || !slices.Contains(b.Env, "CGO_ENABLED=0") || !slices.Contains(b.Flags, "-trimpath") || b.ModTimestamp == "" || r.Checksum.Algorithm != "sha256" {
		t.Errorf("%+v", r)
	}
	for _, f := range archive.Files {
		if _, err := os.Stat(filepath.Join(root, f.Src)); err != nil {
			t.Error(err)
		}
	}
	// the linker says nothing of a variable that is not there
	if source, err := os.ReadFile("version.go"); err != nil || !regexp.MustCompile(`(?m)^var version = ""$`).Match(source) {
		t.Errorf("-X main.version sets nothing: %v", err)
	}
}

// The action installs: from its source, and from a release by its checksum.
func TestActionInstalls(t *testing.T) {
	if testing.Short() {
		t.Skip("builds")
	}
	where, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	a := parsed[action](t, "action.yml")
	release := t.TempDir()
	archive := filepath.Join(release, "tailcheck_1.2.3_linux_amd64.tar.gz")
	sum := tarball(t, archive, "tailcheck", "#!/bin/sh\necho downloaded\n")
	for name, c := range map[string]struct {
		version, checksum, listed, system string
		code                              int
		want                              string // is printed, by the step or by what it installs
	}{
		"source":             {"", "", "", "Linux", 0, "tailcheck v9.8.7 "},
		"listed":             {"v1.2.3", "", sum + "  tailcheck_1.2.3_linux_amd64.tar.gz\n", "Linux", 0, "downloaded"},
		"listed, no v":       {"1.2.3", "", "00  other\n" + sum + " *tailcheck_1.2.3_linux_amd64.tar.gz\n", "Linux", 0, "downloaded"},
		"pinned":             {"v1.2.3", strings.ToUpper(sum), "", "Linux", 0, "downloaded"},
		"pinned beats list":  {"v1.2.3", strings.Repeat("0", 64), sum + "  tailcheck_1.2.3_linux_amd64.tar.gz\n", "Linux", 2, "its SHA-256 is " + sum + ", and not 000"},
		"another sum":        {"v1.2.3", "", strings.Repeat("a", 64) + "  tailcheck_1.2.3_linux_amd64.tar.gz\n", "Linux", 2, "its SHA-256 is"},
		"not listed":         {"v1.2.3", "", sum + "  tailcheck_1.2.3_linux_arm64.tar.gz\n", "Linux", 2, "and not listed"},
		"no list":            {"v1.2.3", "", "", "Linux", 2, "checksums.txt: not to be had"},
		"no such release":    {"v1.2.4", "", "", "Linux", 2, "v1.2.4/tailcheck_1.2.4_linux_amd64.tar.gz: not to be had"},
		"no such system":     {"v1.2.3", "", "", "Plan 9", 2, "no release for Plan 9"},
		"latest":             {"latest", "", "", "Linux", 2, "want a release, like v1.2.3"},
		"a command":          {"1.2.3; touch pwned", "", "", "Linux", 2, "want a release, like v1.2.3"},
		"a path":             {"../../evil", "", "", "Linux", 2, "want a release, like v1.2.3"},
		"a line":             {"1.2.3\n::error::x", "", "", "Linux", 2, "want a release, like v1.2.3"},
		"checksum, not one":  {"v1.2.3", "abc", "", "Linux", 2, "want 64 hexadecimal digits"},
		"checksum, commands": {"v1.2.3", "$(touch pwned)", "", "Linux", 2, "want 64 hexadecimal digits"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t)
			r.env["RELEASE"] = release
			r.program("curl", `url=${!#}
while [ $# -gt 0 ]; do if [ "$1" = -o ]; then out=$2; fi; shift; done
from=https://github.com/tailcheck/tailcheck/releases/download/v1.2.3/
case $url in
"$from"checksums.txt) [ -s listed ] && cp listed "$out" ;;
"$from"*) cp "$RELEASE/${url#"$from"}" "$out" ;;
*) exit 22 ;;
esac
`)
			if err := os.WriteFile(filepath.Join(r.dir, "listed"), []byte(c.listed), 0o644); err != nil {
				t.Fatal(err)
			}
			r.env["RUNNER_OS"] = c.system
			r.context = map[string]string{"github.action_path": where, "github.action_ref": "v9.8.7", "inputs.version": c.version, "inputs.checksum": c.checksum}
			code, log := r.step(a.Runs.Steps[0])
			if bin := r.context["steps.install.outputs.bin"]; code == 0 {
				out, err := exec.Command(bin, "version").CombinedOutput()
				if err != nil {
					t.Error(err)
				}
				log += string(out)
			} else if bin != "" {
				t.Errorf("there is a binary: %s", bin)
			}
			if code != c.code || !strings.Contains(log, c.want) {
				t.Errorf("exit code %d, want %d, and %q in:\n%s", code, c.code, c.want, log)
			}
			if _, err := os.Stat(filepath.Join(r.dir, "pwned")); err == nil || strings.Contains(log, "\n::") {
				t.Errorf("an input was run:\n%s", log)
			}
		})
	}
}

// tarball writes an archive of one program and returns its SHA-256.
func tarball(t *testing.T, path, name, text string) string {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	for _, err := range []error{
		w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}),
		func() error { _, err := w.Write([]byte(text)); return err }(),
		w.Close(), z.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h.Write(raw)
	return fmt.Sprintf("%x", h.Sum(nil))
}
