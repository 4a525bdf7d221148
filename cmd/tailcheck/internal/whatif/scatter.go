package whatif

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/internal/simulate"
)

// ScatterAsk is the question of `whatif scatter`.
type ScatterAsk struct {
	N        int           // leaves; 0: as many as the file shows, else 100
	K        int           // answers that are enough; 0: 95 %
	Deadline time.Duration // below 0: the slowest that is not slow
	After    time.Duration // of the hedge; below 0: the p95 of a call
	SlowOver time.Duration // below 0: by the model, or the p99 of a call
	Policies []string      // all, first, deadline, hedged, tied; none: all of them
	Sweep    string
	Model    Model
	From     *Measured // nil: the model
	Draws    int64     // 0: a million, of a sweep 200 000
	Seed     uint64
}

// Policies are the names of policies.
var Policies = []string{"all", "first", "deadline", "hedged", "tied"}

// Scatter answers what a request to many leaves waits under each policy.
func Scatter(ask ScatterAsk) (*Answer, error) {
	x := &scatter{ask: ask}
	if err := x.prepare(); err != nil {
		return nil, err
	}
	sw, err := parseSweep(ask.Sweep)
	if err != nil {
		return nil, err
	}
	if sw != nil {
		return x.swept(sw)
	}
	rows := x.observed()
	kinds, err := x.kinds()
	if err != nil {
		return nil, err
	}
	for _, kind := range kinds {
		rows = append(rows, x.row(x.n, x.policy(kind)))
	}
	a := x.answer(rows)
	a.Question = fmt.Sprintf("a request asks %s at once?", leaves(x.n))
	a.Answer = x.sentence(rows)
	a.brief = x.brief(rows)
	a.table = func(p *printer) { x.table(p, rows) }
	return a, nil
}

type scatter struct {
	ask     ScatterAsk
	n       int
	leaf    simulate.Leaf // nil: classic
	slow    time.Duration
	classic bool
	draws   int64
}

func (x *scatter) prepare() error {
	ask := x.ask
	x.n, x.classic, x.draws = ask.N, ask.From == nil && ask.Model.Name == "classic", ask.Draws
	if x.n == 0 {
		x.n = 100
		if ask.From != nil && ask.From.Width > 1 {
			x.n = ask.From.Width
		}
	}
	most := maxN
	if x.classic {
		most = maxClassicN
	}
	if err := Whole("n", x.n, most); err != nil {
		return err
	}
	if ask.K < 0 || ask.K > x.n && !strings.HasPrefix(ask.Sweep, "n") {
		return fmt.Errorf("--k %d: a request to %d leaves has 1 to %d answers", ask.K, x.n, x.n)
	}
	if x.draws == 0 {
		x.draws = 1_000_000
		if ask.Sweep != "" {
			x.draws = 200_000
		}
	}
	if x.draws < 100 || x.draws > maxDraws {
		return fmt.Errorf("--draws %d: want a number from 100 to %d", x.draws, maxDraws)
	}
	switch {
	case x.classic:
		x.slow = simulate.ClassicSlow - time.Microsecond
		x.draws = 0
	case ask.From != nil:
		x.leaf, x.slow = ask.From.Leaf, ask.From.Leaf.Quantile(slowFrom)
	default:
		var err error
		if x.leaf, x.slow, err = ask.Model.leaf(); err != nil {
			return err
		}
	}
	if ask.SlowOver >= 0 {
		x.slow = ask.SlowOver
	}
	return nil
}

// share is how many of the calls are slow.
func (x *scatter) share() float64 {
	if x.classic {
		return simulate.ClassicShare
	}
	return 1 - x.leaf.Share(x.slow)
}

// quantile is the quantile of a call.
func (x *scatter) quantile(q float64) time.Duration {
	if x.classic {
		took := make([]time.Duration, 20)
		for i := range took {
			took[i] = simulate.Classic(i, 0)
		}
		slices.Sort(took)
		return took[max(int(math.Ceil(q*20))-1, 0)]
	}
	return x.leaf.Quantile(q)
}

func (x *scatter) kinds() ([]simulate.PolicyKind, error) {
	if len(x.ask.Policies) == 0 {
		return []simulate.PolicyKind{simulate.All, simulate.FirstK, simulate.Deadline, simulate.Hedged, simulate.Tied}, nil
	}
	var out []simulate.PolicyKind
	for _, name := range x.ask.Policies {
		i := slices.Index(Policies, name)
		if i < 0 {
			return nil, fmt.Errorf("--policy %q: unknown\nhint: one of %s", name, strings.Join(Policies, ", "))
		}
		out = append(out, simulate.PolicyKind(i))
	}
	return out, nil
}

// policy fills in what was not asked for.
func (x *scatter) policy(kind simulate.PolicyKind) simulate.Policy {
	p := simulate.Policy{Kind: kind}
	switch kind {
	case simulate.FirstK:
		if p.K = x.ask.K; p.K == 0 {
			p.K = max(1, int(math.Ceil(0.95*float64(x.n))))
		}
	case simulate.Deadline:
		if p.After = x.ask.Deadline; p.After < 0 {
			p.After = x.fast()
		}
	case simulate.Hedged:
		if p.After = x.ask.After; p.After < 0 {
			p.After = x.fast()
		}
	}
	return p
}

// fast is the default of delays and deadlines: the p95 of a call, or where more
// calls are slow than that, what the slowest of the others takes.
func (x *scatter) fast() time.Duration {
	return x.quantile(min(0.95, 1-x.share()))
}

func (x *scatter) row(n int, p simulate.Policy) ScatterRow {
	r := ScatterRow{Policy: Policies[p.Kind], N: n, Meets: round6(simulate.AnySlow(x.share(), n))}
	switch p.Kind {
	case simulate.FirstK:
		r.K = &p.K
	case simulate.Deadline, simulate.Hedged:
		v := inMs(p.After)
		r.After = &v
	}
	waited := 0.0
	if x.classic {
		wait, sent, answers, _ := simulate.ClassicScatter(n, p)
		e := exactly(wait)
		r.Waits, r.Sent, r.Answers = Waits{e, e, e, e}, float64(sent), float64(answers)
		if wait > x.slow {
			waited = 1
		}
	} else {
		got := simulate.Scatter{N: n, Leaf: x.leaf, Policy: p, Slow: x.slow}.Run(x.draws, x.ask.Seed)
		r.Waits = waitsOf(&got.Waits)
		r.Sent, r.SentErr, r.Answers, r.AnswerErr = round4(got.Sent.Mean()), round4(got.Sent.Error()), round4(got.Answers.Mean()), round4(got.Answers.Error())
		waited = float64(got.Slow) / float64(x.draws)
	}
	waited = round4(waited)
	r.Waited = &waited
	return r
}

// observed is what requests of the file waited, where it shows that.
func (x *scatter) observed() []ScatterRow {
	f := x.ask.From
	if f == nil || f.Waits == nil || f.Waits.Count() == 0 {
		return nil
	}
	n := float64(f.Calls) / float64(f.Waits.Count())
	return []ScatterRow{{Policy: "observed", N: f.Width, Waits: waitsOf(f.Waits), Sent: round4(n), Answers: round4(n), Meets: round4(f.met(x.slow)), Waited: f.waited(x.slow), Observed: true}}
}
