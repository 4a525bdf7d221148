package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

// fileReport is one form in which a result is written, and where to.
type fileReport struct {
	renderer report.Renderer
	path     string // standardOutput, or a file
}

// standardOutput is the path of standard output.
const standardOutput = "-"

func rendererNames() []string {
	var out []string
	for _, r := range suite.Renderers {
		out = append(out, r.Name)
	}
	return out
}

// rendererNamed returns the renderer that a flag names, or what is wrong.
func rendererNamed(flag, name string) (report.Renderer, error) {
	best, dist := "", 3
	for _, r := range suite.Renderers {
		if r.Name == name {
			return r, nil
		}
		if d := check.Distance(strings.ToLower(name), r.Name); d < dist {
			best, dist = r.Name, d
		}
	}
	meant := ""
	if best != "" {
		meant = fmt.Sprintf(", did you mean %q?", best)
	}
	return report.Renderer{}, fmt.Errorf("%s %q: unknown%s\nhint: one of %s", flag, name, meant, strings.Join(rendererNames(), ", "))
}

// parseReports returns everything that is to be written: what --report asks for,
// then what --output does, to standard output unless -o names a file.
func parseReports(output, file string, list []string) ([]fileReport, error) {
	var out []fileReport
	for _, s := range list {
		name, path, ok := strings.Cut(s, "=")
		if !ok || path == "" {
			return nil, fmt.Errorf("--report %q: want NAME=FILE\nhint: --report json=tailcheck.json", s)
		}
		r, err := rendererNamed("--report", name)
		if err != nil {
			return nil, err
		}
		out = append(out, fileReport{r, path})
	}
	r, err := rendererNamed("--output", output)
	if err != nil {
		return nil, err
	}
	if file == "" {
		file = standardOutput
	}
	out = append(out, fileReport{r, file})
	for i := range out {
		if out[i].path == "/dev/stdout" || out[i].path == "/proc/self/fd/1" {
			out[i].path = standardOutput
		}
	}
	return out, nil
}

// reachable reports two reports that would be written to one file, and one that
// would be written over an input. Annotations may stand among the lines of text:
// GitHub looks for them there.
func reachable(reports []fileReport, hgrm string, inputs []string) error {
	all := reports
	if hgrm != "" {
		all = append(all[:len(all):len(all)], fileReport{path: hgrm})
	}
	for i, r := range all {
		if r.path != standardOutput {
			if err := overInput(r.path, inputs); err != nil {
				return err
			}
		}
		for _, other := range all[:i] {
			if !sameFile(r.path, other.path) {
				continue
			}
			names := r.renderer.Name + " " + other.renderer.Name
			if r.path == standardOutput && (names == "text github" || names == "github text") {
				continue
			}
			if r.path == standardOutput {
				return fmt.Errorf("two reports to standard output: %s and %s\nhint: give one of them a file, with -o FILE or --report NAME=FILE", other.renderer.Name, r.renderer.Name)
			}
			return fmt.Errorf("two reports to one file: %s\nhint: give each a file of its own", r.path)
		}
	}
	return nil
}

// sameFile reports whether two paths are one file, that may not exist yet. What
// is no regular file may be written to twice.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if y, err2 := os.Stat(b); err == nil && err2 == nil {
		return x.Mode().IsRegular() && os.SameFile(x, y)
	}
	return filepath.Clean(a) == filepath.Clean(b)
}

// writeReports writes all of them, also where one cannot be written: the files
// first, so that what is printed last tells of all.
func (s *session) writeReports(reports []fileReport, r *report.Result, view report.Options) error {
	var errs []error
	for _, x := range reports {
		if x.path != standardOutput {
			errs = append(errs, writeFile(x.path, func(w io.Writer) error { return x.renderer.Render(w, r, view) }))
		}
	}
	for _, x := range reports {
		if x.path == standardOutput {
			errs = append(errs, x.renderer.Render(s.stdout, r, s.terminal(view)))
		}
	}
	return errors.Join(errs...)
}
