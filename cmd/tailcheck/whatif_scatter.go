package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/whatif"
)

func (s *session) whatifScatter() *cli.Command {
	flags := []cli.Flag{
		&cli.IntFlag{Name: "n", Usage: "`N` leaves that a request asks at once", DefaultText: "100, or as many as the traces of --from show"},
		&cli.StringSliceFlag{Name: "policy", Usage: "only these: " + strings.Join(whatif.Policies, ", ") + "; may be repeated", DefaultText: "all of them"},
		&cli.IntFlag{Name: "k", Usage: "policy first: `K` answers are enough", DefaultText: "95 %"},
		&cli.StringFlag{Name: "deadline", Usage: "policy deadline: answer after `D` with what has come", DefaultText: "p95 of a call"},
		&cli.StringFlag{Name: "after", Usage: "policy hedged: send a call once more that has taken longer than `D`", DefaultText: "p95 of a call"},
		&cli.StringFlag{Name: "sweep", Usage: "one row for each value of `X`: n, k or delay, like n=1,5,20,100 or delay=5ms,20ms; without values some are chosen"},
		&cli.StringFlag{Name: "model", Usage: "times of a call: " + strings.Join(whatif.Models, ", "), Value: "two-point"},
		&cli.StringFlag{Name: "slow", Usage: "two-point: `SHARE` of calls that are slow", Value: "1%"},
		&cli.StringFlag{Name: "fast", Usage: "two-point: `D` that the others take", Value: "10ms"},
		&cli.StringFlag{Name: "slow-time", Usage: "two-point: `D` that a slow one takes", Value: "200ms"},
		&cli.StringFlag{Name: "median", Usage: "lognormal: `D`", Value: "10ms"},
		&cli.Float64Flag{Name: "sigma", Usage: "lognormal: `S`, 0.1 varies by a tenth, at 1 the p99 is ten medians", Value: 0.8},
		&cli.StringFlag{Name: "lowest", Usage: "pareto: `D`", Value: "5ms"},
		&cli.Float64Flag{Name: "alpha", Usage: "pareto: `A`, the lower the longer the tail", Value: 1.7},
		&cli.StringFlag{Name: "mean", Usage: "exponential: `D`", Value: "10ms"},
		&cli.StringFlag{Name: "slow-over", Usage: "a call is slow that takes longer than `D`", DefaultText: "by the model, else p99 of a call"},
		&cli.Int64Flag{Name: "draws", Usage: "`N` requests to draw for each row", DefaultText: "1000000, of a sweep 200000"},
	}
	return &cli.Command{
		Name:  "scatter",
		Usage: "a request asks many leaves at once",
		Description: `A request that waits for n answers is as slow as the slowest. Shows what it waits
under each policy, how many calls it sends, and how many answers it returns:

  all        wait for all
  first      wait for the first k
  deadline   wait until a deadline and answer with what has come
  hedged     send a call once more when it is late, take the answer that comes first
  tied       send every call to two replicas, the one that begins first withdraws the other

Times of a call come from a model, or from a file. The classic model is
deterministic: its tables can be checked by hand.

Examples:
  tailcheck whatif scatter --n 100 --slow 1% --fast 10ms --slow-time 200ms
  tailcheck whatif scatter --model classic --sweep n=1,5,20,100
  tailcheck whatif scatter --from traces.jsonl --sweep delay
  tailcheck whatif scatter --from hey.csv --n 20 --policy all --policy hedged`,
		Flags:        append(append(flags, fromFlags()...), answerFlags()...),
		OnUsageError: usage,
		Action: func(c *cli.Context) error {
			return s.model(c, func() (*whatif.Answer, error) {
				ask, err := scatterAsk(c)
				if err != nil {
					return nil, err
				}
				if ask.From, err = s.measured(c); err != nil {
					return nil, err
				}
				return whatif.Scatter(ask)
			})
		},
	}
}

func scatterAsk(c *cli.Context) (ask whatif.ScatterAsk, err error) {
	ask = whatif.ScatterAsk{K: c.Int("k"), N: c.Int("n"), Policies: c.StringSlice("policy"), Sweep: c.String("sweep"), Draws: c.Int64("draws"), Seed: c.Uint64("seed")}
	for _, f := range []string{"n", "k", "draws"} {
		if v := c.Int64(f); c.IsSet(f) && v < 1 {
			return ask, fmt.Errorf("--%s %d: want a number above 0", f, v)
		}
	}
	optional := func(flag string, to *time.Duration, zero bool) {
		*to = -1
		if err == nil && c.IsSet(flag) {
			*to, err = whatif.Time(flag, c.String(flag), zero)
		}
	}
	optional("deadline", &ask.Deadline, false)
	optional("after", &ask.After, true)
	optional("slow-over", &ask.SlowOver, false)
	if err == nil {
		ask.Model, err = modelOf(c)
	}
	return ask, err
}

// modelOf reads the model of the time of a call. Flags of another model than the
// one that is asked for are slips.
func modelOf(c *cli.Context) (m whatif.Model, err error) {
	m.Name = c.String("model")
	of := map[string][]string{"two-point": {"slow", "fast", "slow-time"}, "lognormal": {"median", "sigma"}, "pareto": {"lowest", "alpha"}, "exponential": {"mean"}, "classic": nil}
	if _, ok := of[m.Name]; !ok {
		return m, fmt.Errorf("--model %q: unknown\nhint: one of %s", m.Name, strings.Join(whatif.Models, ", "))
	}
	if c.IsSet("from") && c.IsSet("model") {
		return m, fmt.Errorf("--model and --from: times come from one of them")
	}
	for _, name := range whatif.Models {
		for _, f := range of[name] {
			if c.IsSet(f) && name != m.Name {
				return m, fmt.Errorf("--%s is of the model %s\nhint: add --model %s", f, name, name)
			}
			if c.IsSet(f) && c.IsSet("from") {
				return m, fmt.Errorf("--%s and --from: times come from one of them", f)
			}
		}
	}
	read := func(flag string, to *time.Duration) {
		if err == nil {
			*to, err = whatif.Time(flag, c.String(flag), false)
		}
	}
	switch m.Name {
	case "two-point":
		read("fast", &m.Fast)
		read("slow-time", &m.Long)
		if err == nil {
			m.Slow, err = whatif.Portion("slow", c.String("slow"))
		}
	case "lognormal":
		read("median", &m.Scale)
		m.Shape = c.Float64("sigma")
		if err == nil {
			err = whatif.Positive("sigma", m.Shape, 5)
		}
	case "pareto":
		read("lowest", &m.Scale)
		m.Shape = c.Float64("alpha")
		if err == nil && !(m.Shape >= 0.5 && m.Shape <= 1000) {
			err = fmt.Errorf("--alpha %v: want a number from 0.5 to 1000", m.Shape)
		}
	case "exponential":
		read("mean", &m.Scale)
	}
	return m, err
}
