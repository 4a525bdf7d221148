package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/policy"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

func (s *session) retries() *cli.Command {
	return &cli.Command{
		Name:      "retries",
		Usage:     "what retry and timeout settings multiply to",
		ArgsUsage: "FILE...",
		Description: `Reads retry and timeout settings (gRPC service config, Envoy routes and clusters,
Istio VirtualService and DestinationRule), chains them in the order given, entry
first, and prints what no single file says: the calls and the time that one
request can become, timeouts that are longer than their caller's, hedging at
several levels, retries of what is not idempotent. It is a report, not a gate:
the exit code is 0, or 2 when a file cannot be used.

Examples:
  tailcheck retries gateway/envoy.yaml cart/service_config.json prices/istio.yaml
  tailcheck retries --deadline 1s --cost 20ms mesh.yaml
  tailcheck retries --chain chain.yaml`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "chain", Usage: "read from `FILE` which hops there are and which policy of which file each has"},
			&cli.StringFlag{Name: "deadline", Usage: "whoever calls the entry waits for `D`", DefaultText: "as long as the entry itself"},
			&cli.StringFlag{Name: "cost", Usage: "the last service works for `D` on one call", DefaultText: "it never answers"},
			&cli.StringFlag{Name: "output", Usage: "print as `NAME`: text, json", Value: "text"},
		},
		OnUsageError: usage,
		Action:       s.runRetries,
	}
}

func (s *session) runRetries(c *cli.Context) error {
	if err := plainOutput(c); err != nil {
		return err
	}
	paths := c.Args().Slice()
	chainFile := c.String("chain")
	switch {
	case c.IsSet("chain") && chainFile == "":
		return fmt.Errorf("--chain is empty\nhint: a variable that is not set? leave the flag out to mean nothing by it")
	case chainFile != "" && len(paths) > 0:
		return fmt.Errorf("files and --chain both say which hops there are\nhint: name the files in the chain file")
	case chainFile == "" && len(paths) == 0:
		return fmt.Errorf("no file given\nhint: tailcheck retries FILE..., entry first, or --chain FILE")
	}
	chain, files, errs := s.readChain(chainFile, paths)
	if len(errs) > 0 {
		for _, err := range errs {
			fmt.Fprintf(s.stderr, "tailcheck: error: %s\n", report.Safe(err.Error()))
		}
		if i := slices.IndexFunc(paths, measured); i >= 0 {
			fmt.Fprintf(s.stderr, "tailcheck: hint: retries reads settings; of traces and logs: tailcheck check %s\n", report.Safe(paths[i]))
		}
		return exit(exitUnusable)
	}
	for name, put := range map[string]*time.Duration{"deadline": &chain.Deadline, "cost": &chain.Cost} {
		if !c.IsSet(name) {
			continue
		}
		d, err := time.ParseDuration(c.String(name))
		if err != nil || d <= 0 {
			return fmt.Errorf("--%s %q: want a time above 0\nhint: --%s 500ms", name, c.String(name), name)
		}
		*put = d
	}
	out := policy.NewReport(chain, files)
	if c.String("output") == "json" {
		return report.Encode(s.stdout, out)
	}
	_, err := io.WriteString(s.stdout, out.Text(s.terminal(report.Options{})))
	return err
}

// measured reports whether a file is called as traces, logs and reports are, and
// settings are not.
func measured(path string) bool {
	return slices.Contains([]string{".jsonl", ".ndjson", ".log", ".csv", ".txt", ".pb", ".gz", ".zst"}, filepath.Ext(path))
}

// readChain reads all files, to name everything that is wrong with any of them.
func (s *session) readChain(chainFile string, paths []string) (*policy.Chain, []*policy.File, []error) {
	if chainFile != "" {
		chain, files, err := policy.ReadChain(chainFile, s.openFile)
		return chain, files, flat(err)
	}
	var files []*policy.File
	var errs []error
	for _, path := range paths {
		f, err := policy.Read(path, s.openFile)
		errs = append(errs, flat(err)...)
		files = append(files, f)
	}
	if len(errs) > 0 {
		return nil, nil, errs
	}
	policy.Join(files)
	chain, err := policy.FromFiles(files)
	return chain, files, flat(err)
}

func (s *session) openFile(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(s.stdin), nil
	}
	return os.Open(path)
}

// flat returns the errors of a joined one.
func flat(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = slices.Concat(out, flat(e))
	}
	return out
}
