package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/slots"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
	"github.com/tailcheck/tailcheck/internal/redisslot"
)

func (s *session) slots() *cli.Command {
	return &cli.Command{
		Name:      "slots",
		Usage:     "Redis Cluster: what a batch of keys costs, and hash tags that make it cheaper",
		ArgsUsage: "[KEY...]",
		Description: `Prints the slot of each key, the commands that a batch of the keys becomes as it
stands, grouped by slot, pipelined and tagged, and hash tags ("anchors") that
reach every primary. Keys are arguments, a file, or what the largest batch in a
trace file asked for. It is a report, not a gate: the exit code is 0, or 2 when
an input cannot be used.

Examples:
  tailcheck slots --primaries 3 user:1 user:2 user:3
  redis-cli --scan --pattern 'user:*' | tailcheck slots --keys -
  tailcheck slots --from traces.jsonl --primaries 3
  tailcheck slots --cluster nodes.conf --anchors 'routing:v1:%d'`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "keys", Usage: "read keys from `FILE`, one a line; - is standard input"},
			&cli.StringFlag{Name: "from", Usage: "take the keys of the largest batch in the trace `FILE`"},
			&cli.IntFlag{Name: "chunk", Usage: "the application puts `N` keys into one command; 0: all", DefaultText: "all"},
			&cli.StringFlag{Name: "primaries", Usage: "`N` primaries with even ranges, or the ranges of each: 0-5460,5461-10922,10923-16383"},
			&cli.StringFlag{Name: "cluster", Usage: "read who serves which slot from `FILE`: nodes.conf, or what CLUSTER NODES, CLUSTER SLOTS or CLUSTER SHARDS printed"},
			&cli.StringFlag{Name: "anchors", Usage: "look for hash tags by `TEMPLATE`, with %d for the number: routing:v1:%d", DefaultText: "like the keys"},
			&cli.IntFlag{Name: "per", Usage: "hash tags for each primary, `N`", Value: slots.Tags},
			&cli.IntFlag{Name: "cap", Usage: "try at most `N` numbers", Value: redisslot.MaxTries},
			&cli.IntFlag{Name: "top", Usage: "list the first `N` keys and primaries; 0: all", Value: slots.Shown},
			&cli.StringFlag{Name: "output", Usage: "print as `NAME`: text, json", Value: "text"},
		},
		OnUsageError: usage,
		Action:       s.runSlots,
	}
}

func (s *session) runSlots(c *cli.Context) error {
	for _, name := range []string{"keys", "from", "primaries", "cluster", "anchors"} {
		if c.IsSet(name) && c.String(name) == "" {
			return fmt.Errorf("--%s is empty\nhint: a variable that is not set? leave the flag out to mean nothing by it", name)
		}
	}
	for _, name := range []string{"top", "chunk"} {
		if c.Int(name) < 0 {
			return fmt.Errorf("--%s %d: want a number, or 0 for all", name, c.Int(name))
		}
	}
	if err := plainOutput(c); err != nil {
		return err
	}
	opt := slots.Options{Chunk: c.Int("chunk"), Template: c.String("anchors"), Tags: c.Int("per"), Cap: c.Int("cap")}
	for name, n := range map[string]int{"per": opt.Tags, "cap": opt.Cap} {
		if n < 1 {
			return fmt.Errorf("--%s %d: want at least 1", name, n)
		}
	}
	var err error
	if opt.Cluster, opt.Even, err = s.cluster(c); err != nil {
		return err
	}
	keys, from, err := s.keys(c)
	if err != nil {
		return err
	}
	if opt.Template != "" && opt.Cluster == nil {
		return fmt.Errorf("--anchors needs to know the primaries\nhint: --primaries N, or --cluster FILE")
	}
	r, err := slots.New(keys, from, opt)
	if err != nil {
		return err
	}
	if h := hears(c.Context); h != nil {
		h.lines = r.Brief()
		return nil
	}
	if c.String("output") == "json" {
		return report.Encode(s.stdout, r)
	}
	_, err = io.WriteString(s.stdout, r.Text(s.terminal(report.Options{}), c.Int("top")))
	return err
}

// cluster is who serves which slot, as the flags say.
func (s *session) cluster(c *cli.Context) (cluster *redisslot.Cluster, even bool, err error) {
	ranges, path := c.String("primaries"), c.String("cluster")
	switch {
	case ranges != "" && path != "":
		return nil, false, fmt.Errorf("--primaries and --cluster both say who serves which slot\nhint: give one of them")
	case path != "":
		cluster, err = slots.ReadCluster(path, s.stdin)
		return cluster, false, err
	case ranges == "":
		return nil, false, nil
	}
	if n, err := strconv.Atoi(ranges); err == nil {
		cluster, err = redisslot.Even(n)
		if err != nil {
			return nil, false, fmt.Errorf("--primaries: %w", err)
		}
		return cluster, true, nil
	}
	if cluster, err = redisslot.ParseRanges(ranges); err != nil {
		return nil, false, fmt.Errorf("--primaries: %w\nhint: a number, or a range of slots for each primary: 0-5460,5461-10922,10923-16383", err)
	}
	return cluster, false, nil
}

// keys are those of the one source that is given.
func (s *session) keys(c *cli.Context) (keys []string, from *slots.Trace, err error) {
	file, trace, args := c.String("keys"), c.String("from"), c.Args().Slice()
	sources := 0
	for _, given := range []bool{file != "", trace != "", len(args) > 0} {
		if given {
			sources++
		}
	}
	switch {
	case sources > 1:
		return nil, nil, fmt.Errorf("keys are given in more than one way\nhint: as arguments, or --keys FILE, or --from FILE")
	case c.String("cluster") == "-" && (file == "-" || trace == "-" || len(args) == 1 && args[0] == "-"):
		return nil, nil, fmt.Errorf("keys and --cluster are both to be read from standard input\nhint: put one of them into a file")
	case file != "":
		keys, err = slots.ReadKeys(file, s.stdin)
	case trace != "":
		return slots.FromTraces(trace, s.stdin, suite.Formats)
	case len(args) == 1 && args[0] == "-":
		keys, err = slots.ReadKeys("-", s.stdin)
	case len(args) == 0 && c.String("anchors") == "":
		return nil, nil, fmt.Errorf("no key given\nhint: tailcheck slots KEY..., --keys FILE (- is standard input), or --from TRACES")
	default:
		keys = args
	}
	return keys, nil, err
}

// plainOutput refuses an --output that is neither text nor json.
func plainOutput(c *cli.Context) error {
	switch name := c.String("output"); name {
	case "text", "json":
		return nil
	default:
		return fmt.Errorf("--output %q: unknown\nhint: text or json", name)
	}
}
