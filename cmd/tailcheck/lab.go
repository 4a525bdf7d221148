package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/lab"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

func (s *session) lab() *cli.Command {
	return &cli.Command{
		Name:  "lab",
		Usage: "make the stall that load tests miss, live on loopback",
		Description: `Starts a server on loopback that takes 50 ms and holds the 150th request for
2 s, sends it 200 requests in a closed loop and again in an open loop (one
every 80 ms), corrects the closed loop's report, and judges one objective on all
three. It takes half a minute and installs nothing.

Examples:
  tailcheck lab
  tailcheck lab --server isolated
  tailcheck lab --fast --keep lab-files`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "server", Usage: "what the held request does to the others: serial, pause, isolated", Value: "serial"},
			&cli.BoolFlag{Name: "fast", Usage: "divide all times by ten: 3 s, and noisier"},
			&cli.StringFlag{Name: "keep", Usage: "leave the raw files, the report and load-test-rules.md in `DIR`"},
		},
		OnUsageError: usage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("lab takes no file: %q\nhint: tailcheck check %s", c.Args().First(), c.Args().First())
			}
			server, err := lab.ParseServer(c.String("server"))
			if err != nil {
				return fmt.Errorf("--server: %w", err)
			}
			l := lab.Lab{Server: server}
			if c.Bool("fast") {
				l.Scale = lab.FastScale
			}
			return s.runLab(c.Context, l, c.String("keep"))
		},
	}
}

func (s *session) runLab(ctx context.Context, l lab.Lab, keep string) error {
	dir := keep
	if keep == "" {
		tmp, err := os.MkdirTemp("", "tailcheck-lab-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	} else if err := os.MkdirAll(keep, 0o755); err != nil {
		return fmt.Errorf("--keep: %w", err)
	}
	l.Progress = s.progress("closed loop, one connection")
	closed, err := l.Closed(ctx)
	if err != nil {
		return err
	}
	l.Progress = s.progress(fmt.Sprintf("open loop, one every %v", l.Interval()))
	open, err := l.Open(ctx)
	if err != nil {
		return err
	}
	closedPath, openPath := filepath.Join(dir, lab.ClosedFile), filepath.Join(dir, lab.OpenFile)
	if err := writeFile(closedPath, func(w io.Writer) error { return lab.WriteHeyCSV(w, closed) }); err != nil {
		return err
	}
	if err := writeFile(openPath, func(w io.Writer) error { return lab.WriteCSV(w, open) }); err != nil {
		return err
	}
	objective := fmt.Sprintf("p99<%v", l.Limit())
	judged := func(path, interval string) (*check.Outcome, error) {
		opt, err := check.Flags{SLA: []string{objective}, Interval: interval}.Options(suite.Formats, suite.Detectors)
		if err != nil {
			return nil, err
		}
		opt.Command, opt.Paths = "check", []string{path}
		return check.Run(ctx, opt)
	}
	before, err := judged(closedPath, l.Interval().String())
	if err != nil {
		return err
	}
	after, err := judged(openPath, "")
	if err != nil {
		return err
	}
	out := labReport{l, objective, before.Result, after.Result}
	if keep != "" {
		if err := s.keepLab(keep, l, closed, open, out); err != nil {
			return err
		}
	}
	return out.write(s.stdout)
}

// keepLab leaves what the lab has shown: the report and the rules.
func (s *session) keepLab(dir string, l lab.Lab, closed, open []lab.Row, out labReport) error {
	var filled *lab.Figures
	if d := out.closed.Distributions[0]; d.Corrected != nil && d.Corrected.Count != nil {
		f := l.Figures(l.Filled(closed))
		filled = &f
	}
	for name, write := range map[string]func(io.Writer) error{
		lab.RulesFile: func(w io.Writer) error { return l.WriteRules(w, closed, open, filled) },
		"report.txt": func(w io.Writer) error {
			if err := out.write(w); err != nil {
				return err
			}
			fmt.Fprintln(w)
			return report.Text.Render(w, out.closed, report.Options{})
		},
		"closed.json": func(w io.Writer) error { return report.JSON.Render(w, out.closed, report.Options{}) },
		"open.json":   func(w io.Writer) error { return report.JSON.Render(w, out.open, report.Options{}) },
	} {
		if err := writeFile(filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.stderr, "tailcheck: kept in %s: %s, %s, report.txt, closed.json, open.json, %s\n", dir, lab.ClosedFile, lab.OpenFile, lab.RulesFile)
	return nil
}

// progress shows a bar on standard error while a loop runs, if that is a terminal.
func (s *session) progress(what string) func(done, total int) {
	f, ok := s.stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("CI") != "" {
		return nil
	}
	var bar *progressbar.ProgressBar
	return func(done, total int) {
		if bar == nil {
			bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(what),
				progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
		}
		_ = bar.Set(done)
	}
}

// labReport is what the lab has to say: one server, one objective, three
// distributions.
type labReport struct {
	lab          lab.Lab
	objective    string
	closed, open *report.Result
}

func (r labReport) write(w io.Writer) error {
	c, o := r.closed.Objectives[0], r.open.Objectives[0]
	openVerdict := o.Verdict
	if o.Corrected != nil {
		openVerdict = o.Corrected.Verdict
	}
	filledVerdict := "not corrected"
	if c.Corrected != nil {
		filledVerdict = c.Corrected.Verdict
	}
	rawVerdict := "not known"
	if c.Raw != nil {
		rawVerdict = c.Raw.Verdict
	}
	var b strings.Builder
	fmt.Fprintf(&b, "One server, one stall, one objective: %s\n\n", r.objective)
	fmt.Fprintf(&b, "The server takes %v a request, holds the %dth for %v,\nand %s.\n", r.lab.Service(), lab.Held, r.lab.Stall(), r.lab.Server.Behaviour())
	fmt.Fprintf(&b, "%d requests, in a closed loop on one connection, and in an open loop,\none every %v.\n\n", lab.Requests, r.lab.Interval())
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\tn\tp50\tp90\tp99\tmax\t%s\t\n", r.objective)
	line := func(name string, f *report.Figures, verdict string) {
		if f == nil {
			fmt.Fprintf(t, "%s\t\t\t\t\t\t%s\t\n", name, verdict)
			return
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t\n", name, *f.Count, msText(f.P50), msText(f.P90), msText(f.P99), msText(f.Max), strings.ToUpper(verdict))
	}
	line("closed loop, raw", r.closed.Distributions[0].Measured, rawVerdict)
	line(fmt.Sprintf("closed loop, filled at %v", r.lab.Interval()), r.closed.Distributions[0].Corrected, filledVerdict)
	line("open loop, from the due time", r.open.Distributions[0].Corrected, openVerdict)
	if err := t.Flush(); err != nil {
		return err
	}
	b.WriteString("\n" + r.conclusion(rawVerdict, filledVerdict, openVerdict) + "\n")
	if c.FlipInterval != nil {
		fmt.Fprintf(&b, "Flip point: the closed loop's verdict changes at any plan of one request every %.1f ms or faster.\n", *c.FlipInterval)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// conclusion says what the three verdicts mean, as they came out.
func (r labReport) conclusion(raw, filled, open string) string {
	var s string
	switch {
	case raw == open && filled != open:
		s = "The closed loop's raw verdict is that of the open loop here, and the fill is wrong: nobody\nhad to wait for the held request. A closed loop's file cannot tell this server from one\nthat stops for all: a fill says what would be true if it did. Measure in an open loop."
	case filled == open && raw != open:
		s = "The closed loop sent nothing while the server stood still, so its p99 does not show the\nstall: that is coordinated omission. The fill puts the missing requests back and comes to\nthe open loop's verdict."
	case raw == filled && filled == open:
		s = "All three verdicts agree in this run."
	default:
		s = fmt.Sprintf("The verdicts of this run: raw %s, filled %s, open loop %s. With --fast, or on a busy\nmachine, noise can do this: run it again without --fast.", raw, filled, open)
	}
	if raw == "pass" && open == "fail" {
		s += "\nVERDICT FLIP: pass in the closed loop, fail in the open loop."
	}
	return s
}

func msText(v *float64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("%.1f ms", *v)
}
