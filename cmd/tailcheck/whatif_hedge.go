package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/whatif"
)

func (s *session) whatifHedge() *cli.Command {
	flags := []cli.Flag{
		&cli.StringSliceFlag{Name: "after", Usage: "look at the delay `D` as well; may be repeated"},
		&cli.IntFlag{Name: "n", Usage: "requests of `N` calls, drawn from the file", DefaultText: "as recorded; of a load report 1"},
		&cli.StringFlag{Name: "cap", Usage: "`SHARE` of second calls that is allowed", Value: "5%"},
		&cli.BoolFlag{Name: "idempotent", Usage: "the calls may be made twice, whatever their method says"},
		&cli.Int64Flag{Name: "draws", Usage: "`N` requests to draw for each row", DefaultText: "200000"},
	}
	return &cli.Command{
		Name:  "hedge",
		Usage: "second calls, replayed on what was measured",
		Description: `Recorded requests are made again, and calls that are late are sent a second time.
The second call takes what a call of another peer took at about that time, so that
slowness that all replicas share stays shared; and in the worst case what calls
took in the slowest time of the file. Shows p50, p99 and p99.9 of requests and the
further calls for a range of delays, recommends one and prints settings to start
from.

It refuses, with the reason, where calls are slow because of overload, where they
must not be made twice, and where they are hedged already.

Examples:
  tailcheck whatif hedge --from traces.jsonl
  tailcheck whatif hedge --from traces.jsonl --op shard.Query --after 20ms
  tailcheck whatif hedge --from hey.csv --n 10`,
		Flags:        append(append(flags, fromFlags()...), answerFlags()...),
		OnUsageError: usage,
		Action: func(c *cli.Context) error {
			return s.model(c, func() (*whatif.Answer, error) {
				if !c.IsSet("from") {
					return nil, fmt.Errorf("no file given: hedging is replayed on what was measured\nhint: tailcheck whatif hedge --from traces.jsonl, or tailcheck whatif scatter for a model")
				}
				ask := whatif.HedgeAsk{N: c.Int("n"), Idempotent: c.Bool("idempotent"), Draws: c.Int64("draws"), Seed: c.Uint64("seed")}
				for _, f := range []string{"n", "draws"} {
					if v := c.Int64(f); c.IsSet(f) && v < 1 {
						return nil, fmt.Errorf("--%s %d: want a number above 0", f, v)
					}
				}
				for _, text := range c.StringSlice("after") {
					d, err := whatif.Time("after", text, true)
					if err != nil {
						return nil, err
					}
					ask.Delays = append(ask.Delays, d)
				}
				if len(ask.Delays) > 50 {
					return nil, fmt.Errorf("--after: %d delays, up to 50 can be looked at", len(ask.Delays))
				}
				var err error
				if ask.Cap, err = whatif.Portion("cap", c.String("cap")); err != nil {
					return nil, err
				}
				if ask.From, err = s.measured(c); err != nil {
					return nil, err
				}
				return whatif.Hedge(ask)
			})
		},
	}
}
