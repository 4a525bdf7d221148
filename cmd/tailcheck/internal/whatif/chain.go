package whatif

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

// ChainAsk is the question of `whatif chain`.
type ChainAsk struct {
	Hops     int   // services, entry and leaf included
	Tries    []int // of each calling hop, or one for all
	Cost     time.Duration
	Budget   time.Duration // 0: none
	Fails    int64         // leaf calls that fail before one succeeds; below 0: all
	Failing  float64       // above 0: share of leaf calls that fail, at random
	Policies []string      // none, each, pass, entry; none given: those that have a meaning
	Pause    simulate.Backoff
	Share    float64 // retry budget; 0: none
	Steps    int
	Sweep    string
	Draws    int64
	Seed     uint64
}

// ChainPolicies are the names of deadline policies.
var ChainPolicies = []string{"none", "each", "pass", "entry"}

const (
	maxHops     = 12
	maxTries    = 100
	maxWork     = 1_000_000   // leaf calls of one request
	maxAllWork  = 500_000_000 // leaf calls of all that is drawn
	chainDraws  = 100_000
	minShareRun = 1000 // requests over which a retry budget is looked at
)

// Chain answers what a request becomes on its way through services that try
// again.
func Chain(ask ChainAsk) (*Answer, error) {
	x := &chainAsk{ChainAsk: ask}
	if err := x.prepare(); err != nil {
		return nil, err
	}
	rows, swept, err := x.rows()
	if err != nil {
		return nil, err
	}
	a := &Answer{Schema: Schema, Model: "chain", Rows: rows, Swept: swept, sweptAt: x.sweptAt, RestsOn: RestsOn{Seed: ask.Seed, Interval: confidence}}
	if x.random() {
		a.RestsOn.Draws = x.draws
	} else {
		a.RestsOn.Interval = 1
	}
	a.Question = fmt.Sprintf("%s of the leaf's calls fail, and %s?", x.failing(), x.triesText())
	a.Answer = x.sentence(rows)
	if first, second, ok := strings.Cut(a.Answer, ". With "); ok {
		a.brief = []string{first + ".", "With " + second}
	}
	a.RestsOn.Assumptions = x.assumptions()
	a.table = func(p *printer) { chainTable(p, rows, false) }
	return a, nil
}

type chainAsk struct {
	ChainAsk
	tries   []int
	draws   int64
	sweptAt []string
}

func (x *chainAsk) prepare() error {
	if x.Hops == 0 {
		x.Hops = 3
		if len(x.Tries) > 1 {
			x.Hops = len(x.Tries) + 1
		}
	}
	if x.Hops < 2 || x.Hops > maxHops {
		return fmt.Errorf("--hops %d: want 2 to %d services, the entry and the leaf included", x.Hops, maxHops)
	}
	if len(x.Tries) == 0 {
		x.Tries = []int{3}
	}
	for _, t := range x.Tries {
		if err := Whole("tries", t, maxTries); err != nil {
			return err
		}
	}
	if len(x.Tries) > 1 && len(x.Tries) != x.Hops-1 {
		return fmt.Errorf("--tries: %d numbers, and %d services have %d calling hops", len(x.Tries), x.Hops, x.Hops-1)
	}
	if err := Whole("steps", x.Steps, 1000); err != nil {
		return err
	}
	x.tries = x.triesOf(x.Hops)
	x.draws = x.Draws
	if x.draws == 0 {
		x.draws = chainDraws
	}
	if x.draws < 100 || x.draws > maxDraws {
		return fmt.Errorf("--draws %d: want a number from 100 to %d", x.draws, maxDraws)
	}
	for _, p := range x.Policies {
		i := slices.Index(ChainPolicies, p)
		if i < 0 {
			return fmt.Errorf("--policy %q: unknown\nhint: one of %s", p, strings.Join(ChainPolicies, ", "))
		}
		if i > 0 && x.Budget == 0 && !strings.HasPrefix(x.Sweep, "budget") {
			return fmt.Errorf("--policy %s: there is no deadline\nhint: add --budget 45ms", p)
		}
	}
	return x.bounded(x.tries)
}

func (x *chainAsk) triesOf(hops int) []int {
	if len(x.Tries) > 1 {
		return x.Tries
	}
	out := make([]int, hops-1)
	for i := range out {
		out[i] = x.Tries[0]
	}
	return out
}

// bounded refuses what would not end.
func (x *chainAsk) bounded(tries []int) error {
	c := simulate.Chain{Tries: tries}
	work := c.Work(x.steps(tries))
	if work > maxWork {
		return fmt.Errorf("%s calls of the leaf for one request: more than %s are not simulated\nhint: fewer --hops or --tries", report.Whole(work), report.Whole(maxWork))
	}
	switch {
	case x.Failing > 0:
		x.draws = min(x.draws, max(100, maxAllWork/work)) // said with the answer
	case x.random():
		x.draws = min(x.draws, max(minShareRun, maxAllWork/work))
	}
	return nil
}

// steps is a request whose last calling hop calls the leaf so often.
func (x *chainAsk) steps(tries []int) simulate.ChainCase {
	k := simulate.ChainCase{Steps: make([]int, len(tries))}
	k.Steps[len(tries)-1] = x.Steps
	return k
}

func (x *chainAsk) random() bool { return x.Failing > 0 || x.Share > 0 || x.Pause.Jitter }

func (x *chainAsk) failing() string {
	switch {
	case x.Failing > 0:
		return report.Share(x.Failing)
	case x.Fails < 0:
		return "all"
	}
	return "the first " + strconv.FormatInt(x.Fails, 10)
}

func (x *chainAsk) triesText() string {
	if len(x.Tries) > 1 {
		return fmt.Sprintf("the %d hops above try %s times", len(x.tries), product(x.tries))
	}
	times := "as often as said"
	if !strings.HasPrefix(x.Sweep, "tries") {
		switch n := x.Tries[0]; n {
		case 1:
			times = "once"
		case 2:
			times = "twice"
		default:
			times = fmt.Sprintf("%d times", n)
		}
	}
	if strings.HasPrefix(x.Sweep, "hops") || len(x.tries) == 1 {
		return "each hop above tries " + times
	}
	return fmt.Sprintf("each of the %d hops above tries %s", len(x.tries), times)
}

func product(tries []int) string {
	var parts []string
	for _, t := range tries {
		parts = append(parts, strconv.Itoa(t))
	}
	return strings.Join(parts, " x ")
}

// policies are those that are asked for, or else have a meaning.
func (x *chainAsk) policies(budget time.Duration) []string {
	switch {
	case len(x.Policies) > 0:
		return x.Policies
	case budget == 0:
		return ChainPolicies[:1]
	}
	return ChainPolicies[:3]
}

func (x *chainAsk) rows() ([]ChainRow, *Sweep, error) {
	if x.Sweep == "" {
		return x.run([]chainPoint{{x.tries, x.Budget}}), nil, nil
	}
	var points []chainPoint
	add := func(tries []int, budget time.Duration) error {
		points = append(points, chainPoint{tries, budget})
		return x.bounded(tries)
	}
	over, list, given := strings.Cut(x.Sweep, "=")
	values := strings.Split(list, ",")
	if !given || len(values) > maxSwept {
		return nil, nil, fmt.Errorf("--sweep %q: want hops, tries or budget with up to %d values\nhint: --sweep hops=2,3,4,5", x.Sweep, maxSwept)
	}
	for i, v := range values {
		v = strings.TrimSpace(v)
		values[i] = v
		var err error
		switch over {
		case "hops", "tries":
			n, bad := strconv.Atoi(v)
			if bad != nil || len(x.Tries) > 1 {
				return nil, nil, fmt.Errorf("--sweep %q: want numbers, and one --tries for all hops\nhint: --sweep hops=2,3,4,5", x.Sweep)
			}
			if over == "hops" {
				if n < 2 || n > maxHops {
					return nil, nil, fmt.Errorf("--sweep hops=%d: want 2 to %d", n, maxHops)
				}
				err = add(x.triesOf(n), x.Budget)
				break
			}
			if err := Whole("sweep tries", n, maxTries); err != nil {
				return nil, nil, err
			}
			tries := slices.Clone(x.tries)
			for i := range tries {
				tries[i] = n
			}
			err = add(tries, x.Budget)
		case "budget":
			d, bad := Time("sweep budget", v, false)
			if bad != nil {
				return nil, nil, fmt.Errorf("--sweep %q: %q is no time\nhint: --sweep budget=20ms,50ms,100ms", x.Sweep, v)
			}
			err = add(x.tries, d)
		default:
			return nil, nil, fmt.Errorf("--sweep %q: want hops, tries or budget\nhint: --sweep hops=2,3,4,5", x.Sweep)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	x.sweptAt = values
	return x.run(points), &Sweep{over}, nil
}

// chainPoint is one point of a sweep.
type chainPoint struct {
	tries  []int
	budget time.Duration
}

func (x *chainAsk) run(points []chainPoint) []ChainRow {
	var rows []ChainRow
	for _, at := range points {
		for _, p := range x.policies(at.budget) {
			policy := simulate.DeadlinePolicy(slices.Index(ChainPolicies, p))
			rows = append(rows, x.row(at.tries, at.budget, policy, 0))
			if x.Share > 0 {
				rows = append(rows, x.row(at.tries, at.budget, policy, x.Share))
			}
		}
	}
	return rows
}

func (x *chainAsk) row(tries []int, budget time.Duration, policy simulate.DeadlinePolicy, share float64) ChainRow {
	c := &simulate.Chain{Tries: tries, Budget: budget, Policy: policy, Pause: x.Pause, Share: share}
	k := x.steps(tries)
	k.Cost, k.Fails = x.Cost, x.Fails
	var m *simulate.ChainMeans
	switch {
	case x.Failing > 0:
		m = c.Draw(x.draws, k, x.Failing, x.Seed)
	case x.random():
		cases := make([]simulate.ChainCase, x.draws)
		for i := range cases {
			cases[i] = k
		}
		m = c.Each(cases, x.Seed)
	default:
		m = c.Each([]simulate.ChainCase{k}, x.Seed)
	}
	return chainRow(policy.String(), c, m)
}
