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

// ChainRow is one chain under one policy. Numbers of calls and times are means
// over requests.
type ChainRow struct {
	Policy    string   `json:"policy"` // what is different; observed: as it was
	Deadline  string   `json:"deadline"`
	Tries     []int    `json:"tries"`        // of each calling hop
	Budget    *float64 `json:"budget_ms"`    // of the entry
	Share     *float64 `json:"retry_budget"` // of each hop's calls
	Leaf      float64  `json:"leaf_calls"`
	LeafErr   float64  `json:"leaf_calls_error"`
	Attempts  float64  `json:"attempts"` // all calls, those of the leaf counted once more
	Distinct  float64  `json:"calls"`    // all calls, each counted once
	Elapsed   float64  `json:"elapsed_ms"`
	ElapsedEr float64  `json:"elapsed_error_ms"`
	Waited    float64  `json:"waited_ms"` // by the user
	Orphaned  float64  `json:"orphaned_ms"`
	Success   float64  `json:"success"` // share of requests with an answer in time
	Observed  bool     `json:"observed"`
}

const (
	maxHops     = 12
	maxTries    = 100
	maxWork     = 1_000_000     // leaf calls of one request
	maxAllWork  = 2_000_000_000 // leaf calls of all that is drawn
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
	a := &Answer{Schema: Schema, Model: "chain", Rows: rows, Swept: swept, RestsOn: RestsOn{Seed: ask.Seed, Interval: confidence}}
	if x.random() {
		a.RestsOn.Draws = x.draws
	} else {
		a.RestsOn.Interval = 1
	}
	a.Question = fmt.Sprintf("%s of %s fail, and each of the %s above tries %s?", x.failing(), "the leaf's calls", counted(len(x.tries), "hop"), x.triesText())
	a.Answer = x.sentence(rows)
	a.RestsOn.Assumptions = x.assumptions()
	a.table = func(p *printer) { chainTable(p, rows, false) }
	return a, nil
}

type chainAsk struct {
	ChainAsk
	tries []int
	draws int64
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
	work := c.Work() * int64(x.Steps)
	if work > maxWork {
		return fmt.Errorf("%s calls of the leaf for one request: more than %s are not simulated\nhint: fewer --hops or --tries", report.Whole(work), report.Whole(maxWork))
	}
	if x.random() && work*x.draws > maxAllWork {
		x.draws = max(100, maxAllWork/work) // said with the answer
	}
	return nil
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
	if len(x.Tries) == 1 {
		switch n := x.Tries[0]; n {
		case 1:
			return "once"
		case 2:
			return "twice"
		default:
			return fmt.Sprintf("%d times", n)
		}
	}
	return product(x.tries) + " times"
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
	var rows []ChainRow
	add := func(tries []int, budget time.Duration) error {
		if err := x.bounded(tries); err != nil {
			return err
		}
		for _, p := range x.policies(budget) {
			rows = append(rows, x.row(tries, budget, simulate.DeadlinePolicy(slices.Index(ChainPolicies, p))))
		}
		return nil
	}
	if x.Sweep == "" {
		return rows, nil, func() error { err := add(x.tries, x.Budget); return err }()
	}
	over, list, given := strings.Cut(x.Sweep, "=")
	values := strings.Split(list, ",")
	if !given || len(values) > maxSwept {
		return nil, nil, fmt.Errorf("--sweep %q: want hops, tries or budget with up to %d values\nhint: --sweep hops=2,3,4,5", x.Sweep, maxSwept)
	}
	for _, v := range values {
		v = strings.TrimSpace(v)
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
	return rows, &Sweep{over}, nil
}

func (x *chainAsk) row(tries []int, budget time.Duration, policy simulate.DeadlinePolicy) ChainRow {
	c := &simulate.Chain{Tries: tries, Budget: budget, Policy: policy, Pause: x.Pause, Share: x.Share}
	k := simulate.ChainCase{Cost: x.Cost, Fails: x.Fails, Steps: x.Steps}
	var m *simulate.ChainMeans
	switch {
	case x.Failing > 0:
		m = c.Draw(x.draws, k, x.Failing, x.Seed)
	case x.random():
		cases := make([]simulate.ChainCase, min(x.draws, max(minShareRun, maxAllWork/100/(c.Work()*int64(x.Steps)))))
		for i := range cases {
			cases[i] = k
		}
		m = c.Each(cases, x.Seed)
	default:
		m = c.Each([]simulate.ChainCase{k}, x.Seed)
	}
	return chainRow(policy.String(), c, m)
}

func chainRow(name string, c *simulate.Chain, m *simulate.ChainMeans) ChainRow {
	r := ChainRow{Policy: name, Deadline: c.Policy.String(), Tries: c.Tries,
		Leaf: round4(m.Leaf.Mean()), LeafErr: round4(m.Leaf.Error()), Attempts: round4(m.Attempts.Mean()), Distinct: round4(m.Distinct.Mean()),
		Elapsed: round4(m.Elapsed.Mean()), ElapsedEr: round4(m.Elapsed.Error()), Waited: round4(m.Waited.Mean()), Orphaned: round4(m.Orphaned.Mean()), Success: round4(m.Success.Mean())}
	if c.Policy != simulate.NoDeadline && c.Budget > 0 {
		v := inMs(c.Budget)
		r.Budget = &v
	}
	if c.Share > 0 {
		r.Share = &c.Share
	}
	return r
}

func (x *chainAsk) sentence(rows []ChainRow) string {
	first, last := &rows[0], &rows[len(rows)-1]
	out := fmt.Sprintf("%s makes %s calls of the leaf in %s", "One request", mean(first.Leaf), clockMs(first.Elapsed))
	if first.Budget != nil {
		out += fmt.Sprintf(" with a deadline of %s (%s)", clockMs(*first.Budget), first.Policy)
	}
	out += "."
	if last != first && last.Policy == "pass" && first.Policy != "pass" && x.Sweep == "" {
		out += fmt.Sprintf(" With the deadline passed on it makes %s in %s.", mean(last.Leaf), clockMs(last.Elapsed))
	}
	if x.Sweep != "" && last != first {
		out += fmt.Sprintf(" In the last row it makes %s in %s.", mean(last.Leaf), clockMs(last.Elapsed))
	}
	return out
}

func (x *chainAsk) assumptions() []string {
	out := []string{
		"calls follow each other, only the leaf takes time (" + clock(x.Cost) + " a call), and a failing call takes as long as one that succeeds",
	}
	if x.Budget > 0 || strings.HasPrefix(x.Sweep, "budget") {
		out = append(out,
			"none: nobody has a deadline; each: every hop has the whole budget anew; pass: what is left goes with the call; no call begins that cannot end in time",
			"orphaned: calls of the leaf that begin at the entry's deadline or after it")
	}
	if x.Pause.First > 0 {
		text := fmt.Sprintf("a pause of %s before the second try, %g times longer each further one", clock(x.Pause.First), max(x.Pause.Factor, 1))
		if x.Pause.Jitter {
			text += ", drawn from 0 to that"
		}
		out = append(out, text)
	}
	if x.Share > 0 {
		out = append(out, fmt.Sprintf("each hop may add %s to its calls by trying again, over all requests", report.Share(x.Share)))
	}
	if x.Failing > 0 {
		out = append(out, "calls fail independently: in an outage they fail together, and all tries with them")
	}
	return append(out, "retries do not make the leaf slower: one that is overloaded fails more the more it is tried")
}

// chainTable draws rows. Of measured ones the budget is said beside, and leaf
// calls are not counted twice.
func chainTable(p *printer, rows []ChainRow, measured bool) {
	deadlines, waits, answers := false, false, false
	var times []float64
	for i := range rows {
		r := &rows[i]
		deadlines = deadlines || r.Budget != nil
		waits = waits || r.Waited != r.Elapsed
		answers = answers || r.Success > 0
		times = append(times, r.Elapsed, r.Waited, r.Orphaned)
		if r.Budget != nil && !measured {
			times = append(times, *r.Budget)
		}
	}
	unit, write := report.Times(times)
	type column struct {
		name string
		show bool
		cell func(*ChainRow) string
	}
	columns := []column{
		{unit, true, func(r *ChainRow) string { return r.Policy }},
		{"tries", true, func(r *ChainRow) string { return strings.ReplaceAll(product(r.Tries), " ", "") }},
		{"budget", deadlines && !measured, func(r *ChainRow) string {
			if r.Budget == nil {
				return ""
			}
			return write(*r.Budget)
		}},
		{"leaf", true, func(r *ChainRow) string { return mean(r.Leaf) }},
		{"attempts", !measured, func(r *ChainRow) string { return mean(r.Attempts) }},
		{"calls", true, func(r *ChainRow) string { return mean(r.Distinct) }},
		{"elapsed", true, func(r *ChainRow) string { return write(r.Elapsed) }},
		{"user", waits, func(r *ChainRow) string { return write(r.Waited) }},
		{"orphaned", deadlines, func(r *ChainRow) string { return write(r.Orphaned) }},
		{"success", deadlines || answers, func(r *ChainRow) string { return report.Share(r.Success) }},
	}
	var header []string
	lines := make([][]string, len(rows))
	for _, c := range columns {
		if !c.show {
			continue
		}
		header = append(header, c.name)
		for i := range rows {
			lines[i] = append(lines[i], c.cell(&rows[i]))
		}
	}
	p.Table(header, lines, []int{1}, nil)
	legend := "leaf: calls of the leaf; calls: of any hop, each counted once"
	if !measured {
		legend += "; attempts: those of the leaf counted once more, as some tables do"
	}
	if waits {
		legend += "; elapsed: until the last work has ended; user: until the user has an answer or leaves"
	}
	p.Text(legend + ".")
}

// clockOr0 writes a time that may be none.
func clockOr0(ms float64) string {
	if ms == 0 {
		return "0 ms"
	}
	return clockMs(ms)
}
