package whatif

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

// swept answers for many values of one thing.
func (x *scatter) swept(sw *sweep) (*Answer, error) {
	x.values(sw)
	if n := int64(len(sw.whole) + len(sw.delays)); n*x.draws > maxAllDraws {
		return nil, fmt.Errorf("--draws %d for each of %d rows: up to %d are drawn in all", x.draws, n, maxAllDraws)
	}
	switch {
	case sw.over == "n" && len(x.ask.Policies) > 1:
		return nil, fmt.Errorf("--sweep n: takes one --policy\nhint: one sweep for each")
	case sw.over != "n" && len(x.ask.Policies) > 0:
		return nil, fmt.Errorf("--sweep %s has a policy of its own, and takes no --policy", sw.over)
	}
	var rows []ScatterRow
	kind := simulate.All
	switch sw.over {
	case "n":
		kinds, err := x.kinds()
		if err != nil {
			return nil, err
		}
		if len(x.ask.Policies) > 0 {
			kind = kinds[0]
		}
		for _, n := range sw.whole {
			if x.classic && n > maxClassicN {
				return nil, fmt.Errorf("--sweep n=%d: the classic model has up to %d nodes", n, maxClassicN)
			}
			p := x.policy(kind)
			if kind == simulate.FirstK {
				p.K = max(1, int(math.Ceil(0.95*float64(n))))
				if x.ask.K > 0 {
					p.K = min(x.ask.K, n)
				}
			}
			rows = append(rows, x.row(n, p))
		}
	case "k":
		for _, k := range sw.whole {
			if k > x.n {
				return nil, fmt.Errorf("--sweep k=%d: a request to %d leaves has 1 to %d answers", k, x.n, x.n)
			}
			rows = append(rows, x.row(x.n, simulate.Policy{Kind: simulate.FirstK, K: k}))
		}
	case "delay":
		for _, d := range sw.delays {
			rows = append(rows, x.row(x.n, simulate.Policy{Kind: simulate.Hedged, After: d}))
		}
	}
	a := x.answer(rows)
	a.Swept = &Sweep{sw.over}
	switch sw.over {
	case "n":
		a.Question = fmt.Sprintf("a request asks more leaves at once, and waits %s?", map[simulate.PolicyKind]string{
			simulate.All: "for all", simulate.FirstK: "for the first 95 %", simulate.Deadline: "until a deadline", simulate.Hedged: "for all, hedged", simulate.Tied: "for all, tied"}[kind])
		a.Answer = fmt.Sprintf("From %d to %d leaves its median goes from %s to %s.", rows[0].N, rows[len(rows)-1].N, clockMs(rows[0].Waits.P50.Value), clockMs(rows[len(rows)-1].Waits.P50.Value))
		a.Knee = x.kneeOfN(kind)
	case "k":
		a.Question = fmt.Sprintf("a request asks %d leaves, and the first answers are enough?", x.n)
		a.Answer, a.Knee = x.kneeOfK(rows)
	case "delay":
		a.Question = fmt.Sprintf("a request asks %d leaves, and calls that are late are sent once more?", x.n)
		a.Answer, a.Knee = x.kneeOfDelay(rows)
	}
	a.table = func(p *printer) { x.sweepTable(p, sw, rows) }
	return a, nil
}

// values are chosen where none were given.
func (x *scatter) values(sw *sweep) {
	if len(sw.whole)+len(sw.delays) > 0 {
		return
	}
	switch sw.over {
	case "n":
		sw.whole = []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	case "k":
		for _, share := range []float64{0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 1} {
			sw.whole = append(sw.whole, max(1, int(math.Ceil(share*float64(x.n)))))
		}
		sw.whole = slices.Compact(sw.whole)
	case "delay":
		for _, q := range []float64{0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999} {
			sw.delays = append(sw.delays, x.quantile(q))
		}
		slices.Sort(sw.delays)
		sw.delays = slices.Compact(sw.delays)
	}
}

// kneeOfN is the number of leaves from which on half of the requests meet a slow
// one: the lowest n with 1-(1-p)^n of a half or more.
func (x *scatter) kneeOfN(kind simulate.PolicyKind) *Knee {
	p := x.share()
	if p <= 0 || p >= 1 || kind != simulate.All {
		return nil
	}
	n := math.Ceil(math.Log(0.5)/math.Log1p(-p) - 1e-9)
	return &Knee{At: &n, Text: fmt.Sprintf("from n = %.0f on half of the requests meet a slow leaf (%s of calls are): what is rare of a call is usual of a request.", n, report.Share(p))}
}

// kneeOfK is the most answers that half of the requests have before a slow one.
func (x *scatter) kneeOfK(rows []ScatterRow) (string, *Knee) {
	last := rows[len(rows)-1]
	var knee *ScatterRow
	for i := range rows {
		if r := &rows[i]; r.Waits.P99.Value <= inMs(x.slow) && (knee == nil || *r.K > *knee.K) {
			knee = r
		}
	}
	if knee == nil || knee.K == last.K {
		return fmt.Sprintf("The first %d come within %s in the median.", *last.K, clockMs(last.Waits.P50.Value)), nil
	}
	at := float64(*knee.K)
	text := fmt.Sprintf("k = %d of %d: up to there 99 of 100 requests wait for no slow leaf (p99 %s); the answers beyond it are what costs %s in the median.",
		*knee.K, x.n, clockMs(knee.Waits.P99.Value), clockMs(last.Waits.P50.Value))
	if x.classic {
		text = fmt.Sprintf("k = %d of %d: up to there the request waits for no slow leaf (%s); the answers beyond it make it %s.", *knee.K, x.n, clockMs(knee.Waits.P99.Value), clockMs(last.Waits.P50.Value))
	}
	return fmt.Sprintf("Without the last %d of %d answers the median is %s instead of %s.", x.n-*knee.K, x.n, clockMs(knee.Waits.P50.Value), clockMs(last.Waits.P50.Value)),
		&Knee{At: &at, Text: text}
}

// fewExtra is the share of further calls up to which hedging costs little: a
// delay at the p95 of a call sends 5 % (Dean and Barroso, "The Tail at Scale",
// CACM 2013).
const fewExtra = 0.05

// kneeOfDelay is the lowest delay at which the fast answers have come back, so
// that only calls that are slow are sent again.
func (x *scatter) kneeOfDelay(rows []ScatterRow) (string, *Knee) {
	extra := func(r *ScatterRow) float64 { return r.Sent/float64(x.n) - 1 }
	allowed := max(fewExtra, x.share())
	var knee, early *ScatterRow
	for i := range rows {
		r := &rows[i]
		if early == nil || *r.After < *early.After {
			early = r
		}
		if extra(r) <= allowed+1e-6+3*r.SentErr/float64(x.n) && (knee == nil || *r.After < *knee.After) {
			knee = r
		}
	}
	if knee == nil {
		return "At all of these delays fast answers are still on their way: every request pays for hedges that it does not need.", nil
	}
	text := fmt.Sprintf("after %s the fast answers have come back: p99 %s for %s more calls.", clockMs(*knee.After), clockMs(knee.Waits.P99.Value), report.Share(extra(knee)))
	if early != knee {
		text += fmt.Sprintf(" Hedging after %s would cost everybody: %s more calls for a p99 of %s.", clockMs(*early.After), report.Share(extra(early)), clockMs(early.Waits.P99.Value))
	}
	return fmt.Sprintf("Hedge after %s: p99 %s, %s calls for %d leaves.", clockMs(*knee.After), clockMs(knee.Waits.P99.Value), mean(knee.Sent), x.n),
		&Knee{Delay: knee.After, Text: text}
}

// sweepTable draws a sweep with a bar for each row: the median, and on top of it
// the p99.
func (x *scatter) sweepTable(p *printer, sw *sweep, rows []ScatterRow) {
	unit, write := timesOf(rows)
	longest := 0.0
	for i := range rows {
		longest = max(longest, rows[i].Waits.P99.Value)
	}
	lines := [][]string{}
	for i := range rows {
		r := &rows[i]
		line := []string{r.at(sw.over), write(r.Waits.P50.Value)}
		if !x.classic {
			line = append(line, write(r.Waits.P99.Value))
		}
		line = append(line, mean(r.Sent), mean(r.Answers), hundredths(r.Meets))
		plot := ""
		if longest > 0 {
			plot = bar(r.Waits.P50.Value/longest, r.Waits.P99.Value/longest, 20)
		}
		lines = append(lines, append(line, plot))
	}
	header := []string{sw.over, "p50 " + unit, "p99 " + unit, "sent", "answers", "any slow", "p50 █ to p99 ▒"}
	if x.classic {
		header = []string{sw.over, "wait " + unit, "sent", "answers", "any slow", "wait"}
	}
	p.Table(header, lines, []int{len(header) - 1}, []int{len(header) - 3, len(header) - 1, len(header) - 2})
}

// at is the value of a sweep that a row stands for.
func (r *ScatterRow) at(over string) string {
	switch over {
	case "n":
		return itoa(r.N)
	case "k":
		return itoa(*r.K)
	}
	return clock(time.Duration(math.Round(*r.After * 1e6)))
}
