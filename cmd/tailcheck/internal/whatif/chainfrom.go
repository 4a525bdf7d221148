package whatif

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

// ChainFrom answers what the chain of recorded requests would become under other
// policies, beside what was observed. Op names the last call of the chain;
// empty: the one that was tried most. Budget is the entry's deadline to pass on;
// 0: the one that was seen.
func ChainFrom(ctx context.Context, opt check.Options, op string, budget time.Duration, seed uint64) (*Answer, []report.Problem, error) {
	g, tallies, err := gather(ctx, opt, func() detect.Tally { return &hopTally{} })
	if err != nil {
		return nil, nil, err
	}
	in := g.Inputs[0]
	if g.Yields[0]&(ingest.KindSpan|ingest.KindTrace) == 0 {
		return nil, nil, fmt.Errorf("%s: a chain of calls is read from traces, and this is %s\nhint: tailcheck whatif load --from %s", in.Path, in.Format, in.Path)
	}
	h := tallies[0].(*hopTally)
	h.trim()
	c, err := measureChain(h.requests, op)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	a := c.answer(budget, seed)
	a.Source = &Source{Path: in.Path, Format: in.Format, Op: c.path[len(c.path)-1].String(), Calls: c.calls, Requests: int64(len(c.requests)), Notes: c.notes}
	return a, g.Problems, nil
}

// answer runs the chain as it was, and as it would be.
func (c *chainSeen) answer(budget time.Duration, seed uint64) *Answer {
	var rows []ChainRow
	observed := &simulate.ChainMeans{}
	for _, x := range c.requests {
		observed.Add(x.seen)
	}
	base := simulate.Chain{Tries: c.tries, Overhead: c.own, Pause: simulate.Backoff{First: c.pause}, Cut: true}
	var seen string
	late, gaveUp := 0, 0
	for _, x := range c.requests {
		if x.gaveUp {
			gaveUp++
		}
		if x.late {
			late++
		}
	}
	asItWas := base
	asItWas.Budget = c.deadline
	switch {
	case gaveUp == 0:
		seen = "no deadline was seen"
	case late > 0:
		asItWas.Policy, seen = simulate.EntryDeadline, fmt.Sprintf("the entry gives up after %s, and what it called goes on", clock(c.deadline))
	default:
		asItWas.Policy, seen = simulate.PassDeadline, fmt.Sprintf("the entry gives up after %s, and what it called stops", clock(c.deadline))
	}
	o := chainRow("observed", &asItWas, observed)
	o.Observed = true
	rows = append(rows, o)
	predicted := c.run(&asItWas, seed, late > 0 && late < gaveUp)
	rows = append(rows, chainRow("predicted", &asItWas, predicted))

	passed := base
	passed.Policy, passed.Budget = simulate.PassDeadline, budget
	from := "--budget"
	if budget == 0 {
		passed.Budget, from = c.deadline, "as seen"
	}
	if passed.Budget == 0 {
		passed.Budget, from = c.guess()
	}
	rows = append(rows, chainRow("deadline passed on", &passed, c.run(&passed, seed, false)))
	last := -1
	for k, t := range c.tries {
		if t > 1 {
			last = k
		}
	}
	if last >= 0 {
		one := asItWas
		one.Tries = make([]int, len(c.tries))
		for k := range one.Tries {
			one.Tries[k] = 1
		}
		one.Tries[last] = c.tries[last]
		rows = append(rows, chainRow("retries at one hop", &one, c.run(&one, seed, false)))
		limited := asItWas
		limited.Share = 0.2
		rows = append(rows, chainRow("20 % retry budget", &limited, c.run(&limited, seed, false)))
	}
	a := &Answer{Schema: Schema, Model: "chain", Rows: rows, RestsOn: RestsOn{Draws: int64(len(c.requests)), Seed: seed, Interval: confidence}}
	a.Question = fmt.Sprintf("requests through %s had other deadlines and retries?", c.names())
	a.Answer = c.sentence(rows)
	a.brief = c.brief(rows)
	a.RestsOn.Assumptions = []string{
		fmt.Sprintf("measured: tries %s, a call of the leaf %s, %s of them failing, %s before a further try; %s", product(c.tries), clock(c.cost), report.Share(c.failing), clock(c.pause), seen),
		fmt.Sprintf("deadline passed on: %s, %s", clock(passed.Budget), from),
		"each recorded request again: its own cost at the leaf, and its own failures before the first success; where none succeeded, none would have",
		fmt.Sprintf("standard errors over requests: observed %s leaf calls and %s, predicted %s and %s", mean(rows[0].LeafErr), clockMs(rows[0].ElapsedEr), mean(rows[1].LeafErr), clockMs(rows[1].ElapsedEr)),
		"fewer calls do not make the leaf faster, or well: an overloaded one would gain more than this says",
	}
	if last >= 0 {
		a.RestsOn.Assumptions = append(a.RestsOn.Assumptions,
			fmt.Sprintf("retries at one hop: those of %s, the last that tries again", c.path[last]),
			"retry budget: each hop may add 20 % to its calls, over these requests in the order in which they began")
	}
	a.table = func(p *printer) { chainTable(p, rows, true) }
	return a
}

// guess is a deadline where none was seen: twice what the slowest request took
// that succeeded, or half of the longest.
func (c *chainSeen) guess() (time.Duration, string) {
	slowest, longest := time.Duration(0), time.Duration(0)
	for _, x := range c.requests {
		longest = max(longest, x.seen.Waited)
		if x.seen.Success {
			slowest = max(slowest, x.seen.Waited)
		}
	}
	if slowest > 0 {
		return 2 * slowest, "twice the slowest request that succeeded; --budget takes another"
	}
	return max(longest/2, 1), "half of the longest request; --budget takes another"
}

// run makes each request once more. Mixed: some of those that were given up
// passed their deadline on, and others did not, each as it was.
func (c *chainSeen) run(chain *simulate.Chain, seed uint64, mixed bool) *simulate.ChainMeans {
	if !mixed {
		cases := make([]simulate.ChainCase, len(c.requests))
		for i, x := range c.requests {
			cases[i] = x.ChainCase
		}
		return chain.Each(cases, seed)
	}
	pass := *chain
	pass.Policy = simulate.PassDeadline
	var on, stopped []simulate.ChainCase
	for _, x := range c.requests {
		if x.gaveUp && !x.late {
			stopped = append(stopped, x.ChainCase)
		} else {
			on = append(on, x.ChainCase)
		}
	}
	m := chain.Each(on, seed)
	m.Merge(pass.Each(stopped, seed))
	return m
}

func (c *chainSeen) names() string {
	var names []string
	for _, k := range c.path {
		name := k.caller
		if name == "" {
			name = k.op
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ") + " to " + c.path[len(c.path)-1].op
}

// misfit is by how much the model may differ from what was observed, as a share
// and in milliseconds: it makes the same requests, so that chance is no excuse.
const (
	misfit   = 0.1
	misfitMs = 0.5
)

func (c *chainSeen) sentence(rows []ChainRow) string {
	said := func(r *ChainRow) string {
		out := fmt.Sprintf("leaf calls %s, elapsed %s", mean(r.Leaf), clockMs(r.Elapsed))
		if rows[0].Orphaned > 0 {
			out += fmt.Sprintf(", %s of it for nobody", clockOr0(r.Orphaned))
		}
		return out
	}
	out := fmt.Sprintf("Observed, the mean of a request: %s.\nThe model, run as it was: %s.", said(&rows[0]), said(&rows[1]))
	for i := 2; i < len(rows); i++ {
		out += fmt.Sprintf("\nWith %s: %s.", map[string]string{"deadline passed on": "the deadline passed on", "retries at one hop": "retries at one hop only", "20 % retry budget": "a 20 % retry budget"}[rows[i].Policy], said(&rows[i]))
	}
	if doubt := c.doubt(rows); doubt != "" {
		out += "\n" + doubt
	}
	return out
}

// doubt says why the alternatives say little; empty: nothing speaks against them.
func (c *chainSeen) doubt(rows []ChainRow) string {
	o, p := &rows[0], &rows[1]
	tried := slices.ContainsFunc(c.tries, func(t int) bool { return t > 1 })
	far := func(a, b, allowed float64) bool { return math.Abs(a-b) > allowed }
	switch {
	case far(p.Leaf, o.Leaf, misfit*o.Leaf), far(p.Elapsed, o.Elapsed, misfit*o.Elapsed+misfitMs), far(p.Success, o.Success, misfit):
		return "The model does not come to what was observed: these requests are no chain, or their calls overlap. What it says of the alternatives is a direction at the most."
	case !tried && c.deadline == 0:
		return "No call was tried again, and nobody gave up: there is nothing here that other retries or deadlines would change."
	}
	return ""
}

// brief is what was observed, and what the alternatives would make of it.
func (c *chainSeen) brief(rows []ChainRow) []string {
	said := func(r *ChainRow) string {
		out := fmt.Sprintf("%s calls of the leaf in %s", mean(r.Leaf), clockMs(r.Elapsed))
		if rows[0].Orphaned > 0 {
			out += fmt.Sprintf(", %s of it for nobody", clockOr0(r.Orphaned))
		}
		return out
	}
	var ways []string
	for i := 2; i < len(rows); i++ {
		ways = append(ways, fmt.Sprintf("with %s: %s", map[string]string{"deadline passed on": "the deadline passed on", "retries at one hop": "retries at one hop only", "20 % retry budget": "a 20 % retry budget"}[rows[i].Policy], said(&rows[i])))
	}
	first := fmt.Sprintf("As recorded a request makes %s, in the mean.", said(&rows[0]))
	if doubt := c.doubt(rows); doubt != "" {
		return []string{first, doubt}
	}
	second := strings.Join(ways, "; ") + "."
	return []string{first, strings.ToUpper(second[:1]) + second[1:]}
}
