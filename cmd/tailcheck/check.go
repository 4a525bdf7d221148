package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

func (s *session) check() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "judge reports: the main job and the CI gate",
		ArgsUsage: "FILE...",
		Description: `Recognises each file, runs every detector that applies, and judges the
objectives raw and corrected. "-" is standard input; .gz, .zst and .bz2 are
opened; a directory means its files; reports inside a longer log are found.

Examples:
  tailcheck check --sla 'p99<500ms' hey.csv
  tailcheck check --sla 'p99<500ms' --sla 'errors<1%' --rate 200/s --workers 10 hey.txt
  hey -n 2000 -c 20 http://localhost:8080/ | tailcheck check --sla 'p99<50ms' -

Exit codes: 0 every objective passes, raw and corrected; 1 one fails, or a
finding does (--fail-on); 2 the command line or an input could not be used;
3 something could not be judged.`,
		Flags:        append(readFlags(), gateFlags()...),
		OnUsageError: usage,
		Action:       func(c *cli.Context) error { return s.judge(c, "check") },
	}
}

func (s *session) correct() *cli.Command {
	return &cli.Command{
		Name:      "correct",
		Usage:     "show percentiles before and after correction",
		ArgsUsage: "FILE...",
		Description: `Corrects the latencies of load-test reports for coordinated omission where
that is valid, says how sure it is, and says why where it is not. It is a
report, not a gate: the exit code is 0, or 2 when an input cannot be used.

Examples:
  tailcheck correct --interval 80ms hey.csv
  tailcheck correct --rate 2000/s --workers 100 --sla 'p99<10ms' wrk2.txt
  tailcheck correct --interval 80ms --hgrm corrected.hgrm hey.csv`,
		Flags:        append(readFlags(), &cli.StringFlag{Name: "hgrm", Usage: "write the corrected percentile distribution to `FILE`, in HdrHistogram's layout, milliseconds"}),
		OnUsageError: usage,
		Action:       func(c *cli.Context) error { return s.judge(c, "correct") },
	}
}

// readFlags are the flags of commands that read reports.
func readFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "sla", Usage: "objective `EXPR`, may be repeated: 'p99<500ms', 'p99.9<=1s', 'max<2s', 'mean<20ms', 'errors<1%', 'rate>=100/s'; of one operation: 'GET /cart: p99<300ms'"},
		&cli.StringFlag{Name: "rate", Usage: "planned requests a second of all workers together, `R` like 12.5/s"},
		&cli.IntFlag{Name: "workers", Usage: "`N` connections that the load was offered on"},
		&cli.StringFlag{Name: "interval", Usage: "planned time `D` between two requests of one worker: workers/rate"},
		&cli.StringFlag{Name: "format", Usage: "read as `NAME` instead of recognising the format"},
		&cli.StringFlag{Name: "output", Usage: "print as `NAME`: " + strings.Join(rendererNames(), ", "), Value: "text"},
		&cli.StringFlag{Name: "o", Usage: "print to `FILE` instead of standard output"},
		&cli.StringSliceFlag{Name: "report", Usage: "write another report, `NAME=FILE`, may be repeated"},
		&cli.StringSliceFlag{Name: "columns", Usage: "columns of a plain CSV, `ROLE=NAME,...` with the roles due, start, end, latency, status, op"},
		&cli.StringFlag{Name: "log-format", Usage: "how lines of a log are written, `FORMAT` as it stands in the configuration of nginx, Apache, HAProxy or Envoy"},
		&cli.StringFlag{Name: "tz", Usage: "`ZONE` of time stamps that have none: Europe/Berlin, UTC, +02:00"},
		&cli.StringFlag{Name: "unit", Usage: "unit `U` of times that the file gives without one: ns, us, ms, s"},
		&cli.StringSliceFlag{Name: "only", Usage: "run only the detectors `NAME,...`"},
		&cli.StringSliceFlag{Name: "skip", Usage: "do not run the detectors `NAME,...`"},
		&cli.StringFlag{Name: "service", Usage: "only traces in which the service `NAME` has a part"},
		&cli.StringFlag{Name: "op", Usage: "only traces in which there is an operation `NAME` (of --service, where that is given); of logs only its requests"},
		&cli.StringFlag{Name: "since", Usage: "only traces and requests of logs that begin at or after `TIME`, like 2026-01-02T15:04:05Z"},
		&cli.StringFlag{Name: "until", Usage: "only traces and requests of logs that begin before `TIME`"},
		&cli.StringFlag{Name: "trace", Usage: "only the trace `ID`"},
		&cli.IntFlag{Name: "top", Usage: "show the first `N` findings; 0: all that are readable", DefaultText: "all"},
		&cli.StringFlag{Name: "memory", Usage: "spans at rest may take `SIZE` before they go to temporary files", DefaultText: "a quarter of the machine's"},
		&cli.BoolFlag{Name: "strict", Usage: "any part that cannot be read makes the input unusable"},
		configFlag(),
		&cli.IntFlag{Name: "jobs", Usage: "read with `N` cores; 0: all", DefaultText: "all"},
	}
}

func gateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "fail-on", Usage: "findings of this severity or above fail: error, warning, note, never", Value: "error"},
		&cli.BoolFlag{Name: "what-if", Usage: "run the commands that remedies name, and show what they say: of the 5 findings that cost most; each reads its input again"},
		&cli.StringFlag{Name: "inconclusive", Usage: "what an objective that cannot be judged gives: fail (exit code 3) or pass", Value: "fail"},
	}
}

// judge runs the pipeline for check and correct.
func (s *session) judge(c *cli.Context, command string) error {
	if !c.Args().Present() {
		return fmt.Errorf("no file given\nhint: tailcheck %s FILE..., or - for standard input", command)
	}
	if readTwice(c.Args().Slice()) {
		return fmt.Errorf("standard input can be read once only\nhint: tailcheck %s FILE -", command)
	}
	for _, name := range []string{"trace", "service", "op", "since", "until", "interval", "rate", "memory", "unit", "format", "log-format", "tz"} {
		if c.IsSet(name) && c.String(name) == "" {
			return fmt.Errorf("--%s is empty\nhint: a variable that is not set? leave the flag out to mean nothing by it", name)
		}
	}
	reports, err := parseReports(c.String("output"), c.String("o"), c.StringSlice("report"))
	if err != nil {
		return err
	}
	file, err := s.config(c)
	if err != nil {
		return err
	}
	sources := slices.Clone(c.Args().Slice()) // nothing is written over them
	if file != nil {
		sources = append(sources, file.Path)
	}
	if file != nil && command == "check" {
		more, err := reportsOf(file, reports)
		if err != nil {
			return err
		}
		reports = append(more, reports...)
	}
	flags := check.Flags{SLA: c.StringSlice("sla"), Rate: c.String("rate"), Interval: c.String("interval"), Unit: c.String("unit"), Workers: c.Int("workers"),
		Format: c.String("format"), FailOn: c.String("fail-on"), Inconclusive: c.String("inconclusive"),
		Only: c.StringSlice("only"), Skip: c.StringSlice("skip"), Columns: c.StringSlice("columns"), Strict: c.Bool("strict"), Jobs: c.Int("jobs"),
		Since: c.String("since"), Until: c.String("until"), Service: c.String("service"), Op: c.String("op"), Trace: c.String("trace"), Memory: c.String("memory"),
		LogFormat: c.String("log-format"), Zone: c.String("tz")}
	if n := c.Int("top"); n < 0 {
		return fmt.Errorf("--top %d: want a number of findings, or 0 for all", n)
	}
	opt, err := flags.Options(suite.Formats, suite.Detectors)
	if err != nil {
		return err
	}
	opt.Command, opt.Paths, opt.Stdin = command, c.Args().Slice(), s.stdin
	configure(c, file, &opt)
	opt.Charts = slices.ContainsFunc(reports, func(r fileReport) bool { return r.renderer.Charts })
	if err := reachable(reports, c.String("hgrm"), sources); err != nil {
		return err
	}
	read, done := s.watch(opt.Paths)
	opt.Read = read
	out, err := check.Run(c.Context, opt)
	done()
	if err != nil {
		return err
	}
	if c.Bool("what-if") {
		if err := s.askFindings(c.Context, out, &opt); err != nil {
			return err
		}
	}
	s.warn(out)
	err = s.writeReports(reports, out.Result, report.Options{Top: c.Int("top")})
	if path := c.String("hgrm"); path != "" {
		err = errors.Join(err, writeFile(path, out.WriteHgrm))
	}
	if err != nil {
		return err
	}
	return code(out, command)
}

// code is the exit code of an outcome; nil: 0.
func code(out *check.Outcome, command string) error {
	switch {
	case out.Unusable:
		return exit(exitUnusable)
	case command == "correct" || out.Verdict == report.VerdictPass:
		return nil
	case out.Verdict == report.VerdictFail:
		return exit(exitFail)
	}
	return exit(exitInconclusive)
}

// warn prints what could not be read to standard error, where a gate's log
// shows it whatever the output is.
func (s *session) warn(out *check.Outcome) {
	kind := "warning"
	if out.Unusable {
		kind = "error"
	}
	for _, p := range out.Problems {
		at := p.Path
		if p.Line != nil {
			at = fmt.Sprintf("%s:%d", p.Path, *p.Line)
		}
		fmt.Fprintf(s.stderr, "tailcheck: %s: %s\n", kind, report.Safe(at+": "+p.Message))
	}
}

// terminal says what standard output can show.
func (s *session) terminal(o report.Options) report.Options {
	f, ok := s.stdout.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return o
	}
	o.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	o.Plain = !showsUTF8(runtime.GOOS, os.Getenv)
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		o.Width = width
	}
	return o
}

// showsUTF8 reports whether a terminal shows more than ASCII: the first variable
// of the locale that is set says so. Windows has none of them.
func showsUTF8(system string, env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := env(name); v != "" {
			v = strings.ToUpper(v)
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return system == "windows" || system == "darwin"
}
