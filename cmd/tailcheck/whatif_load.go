package main

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/whatif"
)

func (s *session) whatifLoad() *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "rate", Usage: "requests a second of all users together, `R` like 12.5/s"},
		&cli.StringFlag{Name: "interval", Usage: "planned time `D` between two requests of one worker: workers/rate"},
		&cli.IntFlag{Name: "workers", Usage: "`N` connections that the load was offered on"},
		&cli.IntFlag{Name: "servers", Usage: "a row for a server that works on `K` requests at once"},
		&cli.BoolFlag{Name: "poisson", Usage: "requests come at random at this rate, not evenly"},
		&cli.StringFlag{Name: "service", Usage: "without --from: `D` that a request takes", Value: "50ms"},
		&cli.IntFlag{Name: "requests", Usage: "without --from: `N` of them", Value: 200},
		&cli.StringSliceFlag{Name: "stall", Usage: "without --from: request `N=D` takes D, like 150=2s; may be repeated"},
		&cli.StringFlag{Name: "slow-over", Usage: "count requests as slow that take longer than `D`", DefaultText: "--service, else 1.5 medians"},
	}
	return &cli.Command{
		Name:  "load",
		Usage: "what users would have met who do not wait for each other",
		Description: `A load generator that waits for each answer before it sends the next request does
not meet what users meet. The same measured times have several truths, one for
each way a server may behave while a request is slow; this shows them side by
side, at a rate: as measured, filled, one serial server, some servers, everything
paused, and only those requests slow.

Examples:
  tailcheck whatif load --service 50ms --requests 200 --stall 150=2s --interval 80ms
  tailcheck whatif load --from hey.csv --interval 80ms
  tailcheck whatif load --from hey.csv --rate 100/s --servers 4 --poisson`,
		Flags:        append(append(flags, fromFlags()...), answerFlags()...),
		OnUsageError: usage,
		Action: func(c *cli.Context) error {
			return s.model(c, func() (*whatif.Answer, error) {
				ask, err := s.loadAsk(c)
				if err != nil {
					return nil, err
				}
				return whatif.Load(ask)
			})
		},
	}
}

func (s *session) loadAsk(c *cli.Context) (ask whatif.LoadAsk, err error) {
	ask = whatif.LoadAsk{Requests: c.Int("requests"), Servers: c.Int("servers"), Poisson: c.Bool("poisson"), SlowOver: -1, Seed: c.Uint64("seed")}
	for _, f := range []string{"rate", "interval"} {
		if c.IsSet(f) && c.String(f) == "" {
			return ask, fmt.Errorf("--%s is empty\nhint: a variable that is not set? leave the flag out to mean nothing by it", f)
		}
	}
	for _, f := range []string{"requests", "servers", "workers"} {
		if v := c.Int(f); c.IsSet(f) && v < 1 {
			return ask, fmt.Errorf("--%s %d: want a number above 0", f, v)
		}
	}
	if c.IsSet("from") {
		for _, f := range []string{"service", "requests", "stall"} {
			if c.IsSet(f) {
				return ask, fmt.Errorf("--%s and --from: times come from one of them", f)
			}
		}
	}
	opt, err := s.fromOptions(c)
	if err != nil {
		return ask, err
	}
	ask.Plan = opt.Plan
	if ask.Service, err = duration(c, "service", 0); err != nil {
		return ask, err
	}
	if ask.SlowOver, err = duration(c, "slow-over", -1*time.Nanosecond); err != nil {
		return ask, err
	}
	for _, text := range c.StringSlice("stall") {
		stall, err := whatif.ParseStall(text)
		if err != nil {
			return ask, err
		}
		ask.Stalls = append(ask.Stalls, stall)
	}
	ask.From, err = s.measured(c)
	return ask, err
}
