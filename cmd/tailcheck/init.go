package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/config"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

func (s *session) init() *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "write a commented tailcheck.yaml from the files it finds",
		ArgsUsage: "[FILE...]",
		Description: `Reads the files, or those of the working directory that it recognises, and
writes settings for them: objectives a little above what was measured, and
plans, readings and skips as comments to be filled in. A file that is there
already is kept. "-" prints instead of writing.

Examples:
  tailcheck init
  tailcheck init results/*.csv
  tailcheck init - hey.csv`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`; -: standard output", Value: config.Name},
			&cli.BoolFlag{Name: "force", Usage: "write over a file that is there already"},
		},
		OnUsageError: usage,
		Action:       s.draft,
	}
}

func (s *session) draft(c *cli.Context) error {
	paths, target := c.Args().Slice(), c.String("o")
	if target == "" {
		return errors.New("-o is empty\nhint: leave it out for " + config.Name)
	}
	if i := slices.Index(paths, standardOutput); i >= 0 {
		paths, target = slices.Delete(slices.Clone(paths), i, i+1), standardOutput
	}
	if _, err := os.Lstat(target); target != standardOutput && err == nil && !c.Bool("force") {
		return exists(target)
	}
	if target != standardOutput {
		if err := overInput(target, paths); err != nil {
			return err
		}
	}
	found := true
	if len(paths) == 0 {
		paths, found = []string{"."}, false
	}
	opt, err := check.Flags{SLA: []string{config.Probe}}.Options(suite.Formats, suite.Detectors)
	if err != nil {
		return err
	}
	opt.Command, opt.Paths = "check", paths
	read, done := s.watch(paths)
	opt.Read = read
	out, err := check.Run(c.Context, opt)
	done()
	if err != nil {
		return err
	}
	if found {
		s.warn(out)
		if out.Unusable {
			return exit(exitUnusable)
		}
	}
	text := config.Draft(out.Result)
	file, err := config.Parse(target, []byte(text), configKnown())
	if err != nil {
		return fmt.Errorf("a draft that cannot be read, which is a fault of tailcheck: %w", err)
	}
	if target == standardOutput {
		_, err := io.WriteString(s.stdout, text)
		return err
	}
	if err := create(target, text, c.Bool("force")); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stdout, "%s: %s from %s; put in the limits that users need, then: tailcheck check FILE...\n", report.Safe(target), plural(len(file.Objectives), "objective"), plural(len(out.Inputs), "input"))
	return err
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func exists(path string) error {
	return fmt.Errorf("%s is there already\nhint: tailcheck init - prints, --force writes over it", path)
}

// create writes a file that must not be there yet, unless it may be written over.
func create(path, text string, force bool) error {
	if force {
		return writeFile(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return exists(path)
	}
	if err == nil {
		_, err = io.WriteString(f, text)
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(path)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, pathless(err))
	}
	return nil
}
