package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// Exit codes, as the contract names them.
const (
	exitPass         = 0
	exitFail         = 1
	exitUnusable     = 2
	exitInconclusive = 3
)

// exit is how a command says its exit code without an error of its own.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// session is what commands write to and read from.
type session struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// grace is how long a command may go on after a signal: it removes its temporary
// files, unless it waits for an input that says nothing.
const grace = 2 * time.Second

// run runs one command line and returns its exit code. It is the whole program
// but for os.Exit.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// SIGTERM too: to the first process of a container it is nothing unless heard.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	s := &session{stdin, stdout, stderr}
	app := s.app()
	ended := make(chan error, 1)
	go func() { ended <- app.RunContext(ctx, reorder(app, args)) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(grace):
			err = ctx.Err()
		}
	}
	var code exit
	switch {
	case err == nil:
		return exitPass
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "tailcheck: interrupted")
		return 130
	}
	complain(stderr, err)
	return exitUnusable
}

// complain prints an error and what to do about it; of several joined ones each.
func complain(w io.Writer, err error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			complain(w, e)
		}
		return
	}
	// What was given may stand in it as it is: it gets no line, and no colour, of
	// its own.
	text, hint, _ := strings.Cut(err.Error(), "\nhint: ")
	fmt.Fprintf(w, "tailcheck: error: %s\n", report.Safe(text))
	if hint != "" {
		fmt.Fprintf(w, "tailcheck: hint: %s\n", report.Safe(hint))
	}
}

func (s *session) app() *cli.App {
	return &cli.App{
		Name:  "tailcheck",
		Usage: "tells the truth about slow requests",
		Description: `tailcheck reads finished load-test reports, trace exports and server logs. It
says whether the percentiles of a report can be believed (coordinated omission),
corrects them where that is valid, refuses where it is not, and judges service
level objectives before and after; it finds what multiplies in traces, stalls,
queues and retries in logs, and stalls that a load report never saw.

  tailcheck check --sla 'p99<500ms' report.txt     the CI gate: exit codes 0, 1, 2, 3
  tailcheck check hey.txt access.log gc.log        report and logs laid side by side
  tailcheck check traces.jsonl                     fan-out, storms, retries, orphaned work
  tailcheck correct --interval 80ms hey.csv        before and after
  tailcheck lab                                    see it happen, on loopback`,
		Reader:                    s.stdin,
		Writer:                    s.stdout,
		ErrWriter:                 s.stderr,
		HideVersion:               true,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true,                         // an operation may hold commas
		ExitErrHandler:            func(*cli.Context, error) {}, // only main exits
		OnUsageError:              usage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return s.unknownCommand(c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
		Commands: []*cli.Command{
			s.check(), s.correct(), s.compare(), s.whatif(), s.lab(), s.slots(), s.retries(), s.init(), s.rules(), s.formats(), s.version(), s.completion(),
		},
	}
}
