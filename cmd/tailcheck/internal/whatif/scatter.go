package whatif

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
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

// ScatterRow is one policy.
type ScatterRow struct {
	Policy    string   `json:"policy"` // all, first, deadline, hedged, tied; observed: as it was
	N         int      `json:"n"`
	K         *int     `json:"k"`        // first
	After     *float64 `json:"after_ms"` // deadline, hedged
	Waits     Waits    `json:"wait"`
	Sent      float64  `json:"sent"` // calls of a request, the mean
	SentErr   float64  `json:"sent_error"`
	Answers   float64  `json:"answers"` // that a request has got, the mean
	AnswerErr float64  `json:"answers_error"`
	Meets     float64  `json:"meets_slow"` // share of requests with a slow call among their first ones: 1-(1-p)^n
	Waited    *float64 `json:"waits_slow"` // share of requests that waited for longer than a call that is not slow; null: not known
	Observed  bool     `json:"observed"`
}

// name writes a row's policy.
func (r *ScatterRow) name() string {
	switch r.Policy {
	case "first":
		return fmt.Sprintf("first %d", *r.K)
	case "deadline", "hedged":
		return r.Policy + " " + clockOr0(*r.After)
	}
	return r.Policy
}

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

func (x *scatter) answer(rows []ScatterRow) *Answer {
	a := &Answer{Schema: Schema, Model: "scatter", Rows: rows, RestsOn: RestsOn{Draws: x.draws, Seed: x.ask.Seed, Interval: confidence}}
	if x.classic {
		a.Leaf = &Leaf{"the classic model: node and attempt decide, nothing is drawn", inMs(x.quantile(.5)), inMs(x.quantile(.95)), inMs(x.quantile(.99)), inMs(x.slow), x.share(), true}
		a.RestsOn.Interval = 1
		a.RestsOn.Assumptions = []string{
			"one request: node i takes 200 ms where (3i + 7·attempt + 17) mod 20 is 0, else 10 ms and that number mod 10",
			"a slow node's second attempt is a fast one, and costs nobody anything",
		}
		return a
	}
	name := x.leaf.String()
	if f := x.ask.From; f != nil {
		a.Source = &f.Source
		name = "as measured"
	}
	a.Leaf = leafOf(name, x.leaf, x.slow)
	a.Leaf.only = x.ask.From == nil && x.ask.Model.Name == "two-point" && x.ask.SlowOver < 0
	a.RestsOn.Assumptions = []string{
		"calls are independent, of each other and of the second call: where slowness is shared, fewer requests meet it, they wait longer, and hedging brings less",
		"a second call finds no queue that the first ones did not; the requests sent tell what it would add",
		"the client has what it takes to send them all at once; its own time is not in it",
	}
	if x.ask.From != nil {
		a.RestsOn.Assumptions = append(a.RestsOn.Assumptions, fmt.Sprintf("times are those of the file: that it holds only %s of them is not in the intervals", report.Whole(x.ask.From.Calls)))
	}
	return a
}

// sentence answers in words: what waiting for all costs, and what brings most.
func (x *scatter) sentence(rows []ScatterRow) string {
	by := map[string]*ScatterRow{}
	for i := range rows {
		by[rows[i].Policy] = &rows[i]
	}
	share := fmt.Sprintf("%s of requests meet a slow leaf (1-(1-p)^n, p = %s).", hundredths(simulate.AnySlow(x.share(), x.n)), report.Share(x.share()))
	var out []string
	if all := by["all"]; all != nil {
		if x.classic {
			out = append(out, fmt.Sprintf("It waits %s for all.", clockMs(all.Waits.P50.Value)))
		} else {
			out = append(out, fmt.Sprintf("Half of the requests wait %s or more for all, and one in a hundred %s, while a call takes %s in the median.",
				clockMs(all.Waits.P50.Value), clockMs(all.Waits.P99.Value), clock(x.quantile(0.5))))
		}
	}
	out = append(out, share)
	if h := by["hedged"]; h != nil && by["all"] != nil {
		all := by["all"]
		extra := (h.Sent - float64(x.n)) / float64(x.n)
		out = append(out, fmt.Sprintf("Hedged after %s p99 is %s instead of %s, for %s more calls.", clockMs(*h.After), clockMs(h.Waits.P99.Value), clockMs(all.Waits.P99.Value), report.Share(extra)))
	}
	return strings.Join(out, " ")
}

func (x *scatter) table(p *printer, rows []ScatterRow) {
	unit, write := timesOf(rows)
	if x.classic {
		t := [][]string{}
		for i := range rows {
			r := &rows[i]
			t = append(t, []string{r.name(), write(r.Waits.P50.Value), mean(r.Sent), mean(r.Answers), hundredths(r.Meets)})
		}
		p.Table([]string{"", "wait " + unit, "sent", "answers", "any slow"}, t, nil, nil)
		return
	}
	header := []string{unit}
	for _, q := range percentiles {
		header = append(header, q.name)
	}
	header = append(header, "sent", "answers", "waits slow")
	t := [][]string{}
	for i := range rows {
		r := &rows[i]
		line := []string{r.name()}
		for _, e := range r.Waits.list() {
			line = append(line, write(e.Value))
		}
		t = append(t, append(line, mean(r.Sent), mean(r.Answers), shareOr(r.Waited)))
	}
	p.Table(header, t, nil, []int{2, 4, 6})
}

func shareOr(v *float64) string {
	if v == nil {
		return "–"
	}
	return report.Share(*v)
}

func timesOf(rows []ScatterRow) (string, func(float64) string) {
	var all []float64
	for i := range rows {
		for _, e := range rows[i].Waits.list() {
			all = append(all, e.Value)
		}
	}
	return report.Times(all)
}

func leaves(n int) string {
	if n == 1 {
		return "1 leaf"
	}
	return report.Whole(int64(n)) + " leaves"
}

// hundredths writes a share in percent with two decimals, as tables of the
// literature do.
func hundredths(share float64) string { return strconv.FormatFloat(100*share, 'f', 2, 64) + " %" }

func itoa(n int) string { return strconv.Itoa(n) }
