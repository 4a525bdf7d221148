package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/compare"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

func (s *session) compare() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "two runs side by side: what changed, and whether chance explains it",
		ArgsUsage: "--base FILE... HEAD...",
		Description: `Reads and judges both sides as check does, and compares percentiles as measured
and as corrected, errors, rates and findings, with intervals that say what so
many requests can show. ~ stands where no difference is shown. What was not
measured in the same way is named, and not compared. Files are paired by name,
by operations, or in the order given.

Examples:
  tailcheck compare --base main.csv branch.csv
  tailcheck compare --base runs/main runs/branch --sla 'p99<500ms'
  tailcheck compare --base main.csv branch.csv --fail-on-regression 5%

Exit codes: without --fail-on-regression 0, or 2 when an input could not be
used. With it 0 nothing is worse by more than that; 1 something is, and its
interval shows it, or there is a new finding (--fail-on); 3 it cannot be said.`,
		Flags:        compareFlags(),
		OnUsageError: usage,
		Action:       s.sideBySide,
	}
}

// compareFlags are those of commands that read reports, but for what makes no
// sense of two.
func compareFlags() []cli.Flag {
	out := []cli.Flag{
		&cli.StringSliceFlag{Name: "base", Usage: "compare with `FILE`, may be repeated; a directory means its files"},
		&cli.StringFlag{Name: "fail-on-regression", Usage: "exit code 1 where an objective's number (without objectives p50 and p99) is worse by more than `SHARE`, like 5%, and its interval shows it"},
		&cli.StringFlag{Name: "fail-on", Usage: "with --fail-on-regression, new findings of this severity or above fail: error, warning, note, never", Value: "error"},
		&cli.StringFlag{Name: "ignore", Usage: "changes below `SHARE` are not called, whatever their interval says", Value: "2%"},
		&cli.StringFlag{Name: "output", Usage: "print as `NAME`: text, json, markdown", Value: "text"},
	}
	for _, f := range readFlags() {
		if !slices.Contains([]string{"output", "report", "top"}, f.Names()[0]) {
			out = append(out, f)
		}
	}
	return out
}

// share reads "5%" or "0.05"; empty: no.
func share(flag, text string) (v float64, given bool, err error) {
	if text == "" {
		return 0, false, nil
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err = strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0) || math.IsInf(v, 0) || v >= 1 && !percent || v > 100 {
		return 0, false, fmt.Errorf("--%s %q: want a share\nhint: --%s 5%%", flag, text, flag)
	}
	return v, true, nil
}

func (s *session) sideBySide(c *cli.Context) error {
	const hint = "\nhint: tailcheck compare --base main.csv branch.csv"
	base, head := c.StringSlice("base"), c.Args().Slice()
	switch {
	case len(base) == 0:
		return errors.New("no base given" + hint)
	case len(head) == 0:
		return errors.New("nothing to compare with the base" + hint)
	case slices.Contains(base, ""):
		return errors.New("--base is empty" + hint)
	}
	for _, name := range []string{"fail-on-regression", "ignore", "o", "trace", "service", "op", "since", "until", "interval", "rate", "memory", "unit", "format", "log-format", "tz"} {
		if c.IsSet(name) && c.String(name) == "" {
			return fmt.Errorf("--%s is empty\nhint: a variable that is not set? leave the flag out to mean nothing by it", name)
		}
	}
	output := c.String("output")
	if !slices.Contains([]string{"text", "json", "markdown"}, output) {
		return fmt.Errorf("--output %q: unknown\nhint: one of text, json, markdown", output)
	}
	opt := compare.Options{Base: base, Head: head}
	var err error
	if opt.Limit, opt.Gate, err = share("fail-on-regression", c.String("fail-on-regression")); err != nil {
		return err
	}
	if opt.Ignore, _, err = share("ignore", c.String("ignore")); err != nil {
		return err
	}
	file, err := s.config(c)
	if err != nil {
		return err
	}
	flags := check.Flags{SLA: c.StringSlice("sla"), Rate: c.String("rate"), Interval: c.String("interval"), Unit: c.String("unit"), Workers: c.Int("workers"),
		Format: c.String("format"), FailOn: c.String("fail-on"), Only: c.StringSlice("only"), Skip: c.StringSlice("skip"), Columns: c.StringSlice("columns"),
		Strict: c.Bool("strict"), Jobs: c.Int("jobs"), Since: c.String("since"), Until: c.String("until"), Service: c.String("service"), Op: c.String("op"),
		Trace: c.String("trace"), Memory: c.String("memory"), LogFormat: c.String("log-format"), Zone: c.String("tz")}
	if opt.Check, err = flags.Options(suite.Formats, suite.Detectors); err != nil {
		return err
	}
	opt.Check.Stdin = s.stdin
	configure(c, file, &opt.Check)
	sources := slices.Concat(base, head)
	if readTwice(sources) {
		return errors.New("standard input can be read once only" + hint)
	}
	path := c.String("o")
	if file != nil {
		sources = append(sources, file.Path)
	}
	if err := overInput(path, sources); err != nil {
		return err
	}
	read, done := s.watch(slices.Concat(base, head))
	opt.Check.Read = read
	a, err := compare.Run(c.Context, opt)
	done()
	if err != nil {
		return err
	}
	kind := "warning"
	if a.Unusable {
		kind = "error"
	}
	for _, p := range a.Problems {
		fmt.Fprintf(s.stderr, "tailcheck: %s: %s\n", kind, report.Safe(p))
	}
	write := func(w io.Writer, o report.Options) error {
		switch output {
		case "json":
			return a.WriteJSON(w)
		case "markdown":
			return a.WriteMarkdown(w)
		}
		return a.WriteText(w, o)
	}
	if path == "" || path == standardOutput {
		err = write(s.stdout, s.terminal(report.Options{}))
	} else {
		err = writeFile(path, func(w io.Writer) error { return write(w, report.Options{}) })
	}
	if err != nil {
		return err
	}
	return compared(a)
}

// compared is the exit code of a comparison; nil: 0.
func compared(a *compare.Answer) error {
	switch {
	case a.Unusable:
		return exit(exitUnusable)
	case a.Gate == nil || a.Gate.Verdict == compare.Pass:
		return nil
	case a.Gate.Verdict == compare.Fail:
		return exit(exitFail)
	}
	return exit(exitInconclusive)
}
