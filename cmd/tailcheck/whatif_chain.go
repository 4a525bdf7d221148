package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/whatif"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

func (s *session) whatifChain() *cli.Command {
	flags := []cli.Flag{
		&cli.IntFlag{Name: "hops", Usage: "`N` services, the entry and the leaf included", DefaultText: "3"},
		&cli.StringFlag{Name: "tries", Usage: "`N` tries of each calling hop, or one number for each: 3,1,3", Value: "3"},
		&cli.StringFlag{Name: "cost", Usage: "`D` that one call of the leaf takes", Value: "10ms"},
		&cli.StringFlag{Name: "fails", Usage: "`N` leaf calls fail before one succeeds, or all", Value: "all"},
		&cli.StringFlag{Name: "failing", Usage: "`SHARE` of leaf calls that fail, at random, instead of --fails"},
		&cli.StringFlag{Name: "budget", Usage: "`D` after which the entry's caller is gone; with --from, the deadline to pass on", DefaultText: "none; of --from, as seen"},
		&cli.StringSliceFlag{Name: "policy", Usage: "deadlines below the entry: " + strings.Join(whatif.ChainPolicies, ", ") + "; may be repeated", DefaultText: "none, with --budget none, each and pass"},
		&cli.StringFlag{Name: "pause", Usage: "pause of `D` before the second try", DefaultText: "none"},
		&cli.Float64Flag{Name: "factor", Usage: "each further pause is `F` times as long", Value: 2},
		&cli.BoolFlag{Name: "jitter", Usage: "pauses are drawn from 0 to that"},
		&cli.StringFlag{Name: "retry-budget", Usage: "each hop may add `SHARE` to its calls by trying again", DefaultText: "no limit"},
		&cli.IntFlag{Name: "steps", Usage: "one try of the last hop makes `N` calls of the leaf, one after the other", Value: 1},
		&cli.StringFlag{Name: "sweep", Usage: "rows for each value of `X`: hops=2,3,4,5, tries=2,3,4 or budget=20ms,50ms"},
		&cli.Int64Flag{Name: "draws", Usage: "`N` requests to draw for each row where calls fail at random", DefaultText: "100000"},
	}
	return &cli.Command{
		Name:  "chain",
		Usage: "services that call each other, and try failed calls again",
		Description: `A call passes through services, each of which tries again what fails. Shows how
many calls of the leaf one request becomes, how long it takes, and what is done
for nobody, when deadlines are

  none    not known to anybody
  each    a budget of every hop's own, as long as the entry's
  pass    passed on with every call
  entry   the entry's alone: it gives up, and what it called goes on

With --from, hops, tries, cost and failures are measured in traces; what was
observed stands beside what the model makes of it, and beside the ways out.

Examples:
  tailcheck whatif chain --sweep hops=2,3,4,5
  tailcheck whatif chain --hops 3 --budget 45ms
  tailcheck whatif chain --hops 4 --failing 10% --retry-budget 20%
  tailcheck whatif chain --from traces.jsonl`,
		Flags:        append(append(flags, fromFlags()...), answerFlags()...),
		OnUsageError: usage,
		Action: func(c *cli.Context) error {
			return s.model(c, func() (*whatif.Answer, error) {
				if !c.IsSet("from") {
					ask, err := chainAsk(c)
					if err != nil {
						return nil, err
					}
					return whatif.Chain(ask)
				}
				return s.chainFrom(c)
			})
		},
	}
}

func (s *session) chainFrom(c *cli.Context) (*whatif.Answer, error) {
	for _, f := range []string{"hops", "tries", "cost", "fails", "failing", "policy", "pause", "factor", "jitter", "retry-budget", "steps", "sweep", "draws"} {
		if c.IsSet(f) {
			return nil, fmt.Errorf("--%s and --from: with a file it is measured", f)
		}
	}
	budget, err := duration(c, "budget", 0)
	if err != nil {
		return nil, err
	}
	opt, err := s.fromOptions(c)
	if err != nil {
		return nil, err
	}
	a, problems, err := whatif.ChainFrom(c.Context, opt, c.String("op"), budget, c.Uint64("seed"))
	if err != nil {
		return nil, err
	}
	s.warnOf(problems)
	return a, nil
}

// duration reads a time above 0, or what stands for a flag that is not given.
func duration(c *cli.Context, flag string, none time.Duration) (time.Duration, error) {
	if c.String(flag) == "" && !c.IsSet(flag) {
		return none, nil
	}
	return whatif.Time(flag, c.String(flag), false)
}

func chainAsk(c *cli.Context) (ask whatif.ChainAsk, err error) {
	ask = whatif.ChainAsk{Hops: c.Int("hops"), Policies: c.StringSlice("policy"), Steps: c.Int("steps"), Sweep: c.String("sweep"), Draws: c.Int64("draws"), Seed: c.Uint64("seed"), Fails: -1}
	for _, f := range []string{"hops", "draws"} {
		if v := c.Int64(f); c.IsSet(f) && v < 1 {
			return ask, fmt.Errorf("--%s %d: want a number above 0", f, v)
		}
	}
	for _, t := range strings.Split(c.String("tries"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(t))
		if err != nil {
			return ask, fmt.Errorf("--tries %q: want a number, or one for each calling hop\nhint: --tries 3", c.String("tries"))
		}
		ask.Tries = append(ask.Tries, n)
	}
	if ask.Cost, err = duration(c, "cost", 0); err != nil {
		return ask, err
	}
	if ask.Budget, err = duration(c, "budget", 0); err != nil {
		return ask, err
	}
	if f := c.String("fails"); f != "all" {
		if ask.Fails, err = strconv.ParseInt(f, 10, 64); err != nil || ask.Fails < 0 {
			return ask, fmt.Errorf("--fails %q: want a number of calls, or all", f)
		}
	}
	if c.IsSet("failing") {
		if c.IsSet("fails") {
			return ask, fmt.Errorf("--fails and --failing: calls fail by one of them")
		}
		if all := strings.TrimSpace(c.String("failing")); all == "100%" || all == "1" {
			return ask, fmt.Errorf("--failing %s: then all of them fail\nhint: --fails all", all)
		}
		if ask.Failing, err = whatif.Portion("failing", c.String("failing")); err != nil {
			return ask, err
		}
	}
	if ask.Pause.First, err = duration(c, "pause", 0); err != nil {
		return ask, err
	}
	ask.Pause = simulate.Backoff{First: ask.Pause.First, Factor: c.Float64("factor"), Jitter: c.Bool("jitter")}
	if !(ask.Pause.Factor >= 1 && ask.Pause.Factor <= 100) {
		return ask, fmt.Errorf("--factor %v: want a number from 1 to 100", ask.Pause.Factor)
	}
	if c.IsSet("retry-budget") {
		ask.Share, err = whatif.Portion("retry-budget", c.String("retry-budget"))
	}
	return ask, err
}
