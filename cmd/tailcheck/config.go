package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/config"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

// noConfig is what --config is set to where no file is to be read.
const noConfig = "none"

func configFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Usage: "settings are in `FILE`; none: nowhere", DefaultText: config.Name + ", where there is one"}
}

// configKnown is what a file of settings may name.
func configKnown() config.Known {
	return config.Known{Formats: suite.Formats, Detectors: suite.Detectors, Renderers: rendererNames()}
}

// config reads the file of settings: the one that --config names, or
// tailcheck.yaml of the working directory where there is one; nil: none.
func (s *session) config(c *cli.Context) (*config.File, error) {
	path := config.Name
	if c.IsSet("config") {
		if path = c.String("config"); path == "" || path == noConfig {
			return nil, nil
		}
	} else {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if _, err := os.Stat("tailcheck.yml"); err == nil {
				fmt.Fprintf(s.stderr, "tailcheck: warning: tailcheck.yml is not read: settings are in %s, or where --config says\n", config.Name)
			}
			return nil, nil
		case err == nil && !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is no regular file\nhint: --config none ignores it", path)
		}
	}
	return config.Read(path, func(path string) (io.ReadCloser, error) { return os.Open(path) }, configKnown())
}

// configure puts a file of settings, which may be nil, into the options that the
// flags made.
func configure(c *cli.Context, file *config.File, opt *check.Options) {
	if file == nil {
		return
	}
	file.Apply(opt, config.Given{FailOn: c.IsSet("fail-on"), Inconclusive: c.IsSet("inconclusive"), Strict: c.IsSet("strict"), Only: check.SplitList(c.StringSlice("only"))}, time.Now())
}

// reportsOf returns the reports that a file asks for and no flag writes already.
func reportsOf(file *config.File, given []fileReport) ([]fileReport, error) {
	var out []fileReport
	for _, r := range file.Reports {
		if slices.ContainsFunc(given, func(g fileReport) bool { return g.renderer.Name == r.Name }) {
			continue
		}
		at := fmt.Sprintf("%s:%d: %s", file.Path, r.Line, r.Name)
		renderer, err := rendererNamed(at, r.Name)
		if err != nil {
			return nil, err
		}
		if r.Path != standardOutput && !below(r.Path) {
			return nil, fmt.Errorf("%s: %s leads out of the working directory\nhint: --report %s=FILE writes anywhere", at, r.Path, r.Name)
		}
		out = append(out, fileReport{renderer, r.Path})
	}
	return out, nil
}

// below reports whether a file lies below the working directory, links followed.
// One that does not exist yet is where its folder is.
func below(path string) bool {
	here, err := filepath.EvalSymlinks(".")
	if err == nil {
		here, err = filepath.Abs(here)
	}
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		if real, err = filepath.EvalSymlinks(filepath.Dir(path)); err != nil {
			return true // there is no such folder, and nothing will be written
		}
	}
	if real, err = filepath.Abs(real); err != nil {
		return false
	}
	rel, err := filepath.Rel(here, real)
	return err == nil && filepath.IsLocal(rel)
}
