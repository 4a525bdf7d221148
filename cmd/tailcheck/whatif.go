package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/whatif"
)

func (s *session) whatif() *cli.Command {
	return &cli.Command{
		Name:      "whatif",
		Usage:     "simulate the ways out, on textbook numbers or on measured times",
		ArgsUsage: "scatter|chain|hedge|load",
		Description: `A finding says what went wrong; whatif says what a change would bring, and what
it would cost. Each model runs on parameters, or with --from FILE on the times
that a load report, traces or a server's log hold. Results are the same for the same --seed, on
any number of cores. It is a report, not a gate: the exit code is 0, or 2 when
the command line or the file cannot be used.

  tailcheck whatif scatter   a request asks many at once: wait for all, for the first, until a deadline, hedged, tied
  tailcheck whatif chain     calls that are tried again at each hop, under three deadline policies
  tailcheck whatif hedge     second calls, replayed on what was measured
  tailcheck whatif load      what users would have met who do not wait for each other

Examples:
  tailcheck whatif scatter --n 100 --slow 1% --fast 10ms --slow-time 200ms
  tailcheck whatif chain --hops 4 --tries 3
  tailcheck whatif hedge --from traces.jsonl
  tailcheck whatif load --from hey.csv --interval 80ms`,
		OnUsageError: usage,
		Subcommands:  []*cli.Command{s.whatifScatter(), s.whatifChain(), s.whatifHedge(), s.whatifLoad()},
		Action: func(c *cli.Context) error {
			names := make([]string, 0, len(c.Command.Subcommands))
			for _, x := range c.Command.Subcommands {
				if x.Name != "help" {
					names = append(names, x.Name)
				}
			}
			hint := "\nhint: tailcheck whatif " + strings.Join(names, "|")
			if !c.Args().Present() {
				return fmt.Errorf("no model given%s", hint)
			}
			return fmt.Errorf("%q is no model%s", c.Args().First(), hint)
		},
	}
}

// answerFlags are the flags that all models take.
func answerFlags() []cli.Flag {
	return []cli.Flag{
		&cli.Uint64Flag{Name: "seed", Usage: "`N` that random numbers begin with; equal seeds give equal results", Value: 1},
		&cli.StringFlag{Name: "output", Usage: "print as `NAME`: text, json", Value: "text"},
		&cli.StringSliceFlag{Name: "report", Usage: "show a sweep (or hedging) as a page with charts: html=`FILE`"},
		&cli.StringFlag{Name: "o", Usage: "print to `FILE` instead of standard output"},
	}
}

// fromFlags are the flags of models that can read a file.
func fromFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "from", Usage: "take times from `FILE`: a load report with samples, an .hgrm, traces, a server's log; - is standard input"},
		&cli.StringFlag{Name: "op", Usage: "of the file, the calls of the operation `NAME`"},
		&cli.StringFlag{Name: "format", Usage: "read as `NAME` instead of recognising the format"},
		&cli.StringSliceFlag{Name: "columns", Usage: "columns of a plain CSV, `ROLE=NAME,...` with the roles due, start, end, latency, status, op"},
		&cli.StringFlag{Name: "unit", Usage: "unit `U` of times that the file gives without one: ns, us, ms, s"},
	}
}

// model is the skeleton of a model's command: what is not a flag is refused, and
// the answer is printed.
func (s *session) model(c *cli.Context, ask func() (*whatif.Answer, error)) error {
	if c.Args().Present() {
		first := c.Args().First()
		return fmt.Errorf("%s takes no file: %q\nhint: tailcheck whatif %s --from %s", c.Command.Name, first, c.Command.Name, first)
	}
	output := c.String("output")
	if output != "text" && output != "json" {
		return fmt.Errorf("--output %q: unknown\nhint: one of text, json", output)
	}
	for _, f := range []string{"from", "op", "o"} {
		if c.IsSet(f) && c.String(f) == "" {
			return fmt.Errorf("--%s is empty\nhint: a variable that is not set? leave the flag out to mean nothing by it", f)
		}
	}
	path := c.String("o")
	pages, err := pagesOf(c, path)
	if err != nil {
		return err
	}
	if from := c.String("from"); path != "" && from != "" {
		if err := overInput(path, []string{from}); err != nil {
			return err
		}
	}
	a, err := interruptible(c.Context, ask)
	if err != nil {
		return err
	}
	if h := hears(c.Context); h != nil {
		h.lines = a.Brief()
		return nil
	}
	if len(pages) > 0 && !a.Sweeps() {
		return fmt.Errorf("--report html: there is nothing to draw but of a sweep\nhint: %s", map[string]string{"scatter": "--sweep n, --sweep k or --sweep delay", "chain": "--sweep hops=2,3,4,5, without --from"}[c.Command.Name])
	}
	for _, page := range pages {
		if err := writeFile(page, a.WriteHTML); err != nil {
			return err
		}
	}
	write := func(w io.Writer) error { return a.WriteText(w, report.Options{}) }
	if output == "json" {
		write = a.WriteJSON
	}
	if path != "" {
		return writeFile(path, write)
	}
	if output == "text" {
		return a.WriteText(s.stdout, s.terminal(report.Options{}))
	}
	return write(s.stdout)
}

// pagesOf are the files that --report names.
func pagesOf(c *cli.Context, path string) (pages []string, err error) {
	for _, s := range c.StringSlice("report") {
		name, page, ok := strings.Cut(s, "=")
		switch {
		case !ok || page == "" || page == "-":
			return nil, fmt.Errorf("--report %q: want html=FILE\nhint: --report html=sweep.html", s)
		case name != "html":
			return nil, fmt.Errorf("--report %q: a sweep is shown as html\nhint: --report html=sweep.html, --output json -o FILE", s)
		case c.Command.Name == "load":
			return nil, fmt.Errorf("--report html: load sweeps nothing\nhint: --output json -o FILE")
		case path != "" && sameFile(page, path):
			return nil, fmt.Errorf("two reports to one file: %s\nhint: give each a file of its own", page)
		}
		if from := c.String("from"); from != "" {
			if err := overInput(page, []string{from}); err != nil {
				return nil, err
			}
		}
		pages = append(pages, page)
	}
	return pages, nil
}

// interruptible returns when the models are done or the user has had enough. They
// look at no context while they draw, and end with the program.
func interruptible(ctx context.Context, ask func() (*whatif.Answer, error)) (a *whatif.Answer, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		a, err = ask()
	}()
	select {
	case <-done:
		return a, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fromOptions says how the file of --from is to be read.
func (s *session) fromOptions(c *cli.Context) (check.Options, error) {
	flags := check.Flags{Format: c.String("format"), Unit: c.String("unit"), Columns: c.StringSlice("columns"),
		Rate: c.String("rate"), Interval: c.String("interval"), Workers: c.Int("workers")}
	opt, err := flags.Options(suite.Formats, suite.Detectors)
	if err != nil {
		return opt, err
	}
	opt.Command, opt.Paths, opt.Stdin = "whatif", []string{c.String("from")}, s.stdin
	if h := hears(c.Context); h != nil {
		opt.Jobs, opt.Memory, opt.Read = h.opt.Jobs, h.opt.Memory, h.opt.Read
	}
	return opt, nil
}

// warnOf prints what could not be read of the file of --from.
func (s *session) warnOf(problems []report.Problem) {
	for _, p := range problems {
		at := p.Path
		if p.Line != nil {
			at = fmt.Sprintf("%s:%d", p.Path, *p.Line)
		}
		fmt.Fprintf(s.stderr, "tailcheck: warning: %s\n", report.Safe(at+": "+p.Message))
	}
}

// measured reads the file of --from; nil: there is none.
func (s *session) measured(c *cli.Context) (*whatif.Measured, error) {
	if !c.IsSet("from") {
		for _, f := range []string{"op", "format", "columns", "unit"} {
			if c.IsSet(f) {
				return nil, fmt.Errorf("--%s says how a file is read, and there is none\nhint: add --from FILE", f)
			}
		}
		return nil, nil
	}
	opt, err := s.fromOptions(c)
	if err != nil {
		return nil, err
	}
	m, err := whatif.Read(c.Context, opt, c.String("op"))
	if err != nil {
		return nil, err
	}
	s.warnOf(m.Problems)
	return m, nil
}
