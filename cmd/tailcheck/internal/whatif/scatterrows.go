package whatif

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

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

// brief is how requests wait, and what the policies that were run would bring.
func (x *scatter) brief(rows []ScatterRow) []string {
	was := &rows[0]
	how := "Without a change"
	if was.Observed {
		how = "As recorded"
	}
	waits := func(r *ScatterRow) string {
		return fmt.Sprintf("p50 %s and p99 %s", clockMs(r.Waits.P50.Value), clockMs(r.Waits.P99.Value))
	}
	var ways []string
	for i := range rows {
		switch r := &rows[i]; r.Policy {
		case "hedged":
			ways = append(ways, fmt.Sprintf("hedged after %s: %s, for %s more calls", clockOr0(*r.After), waits(r), report.Share(max(0, r.Sent/float64(x.n)-1))))
		case "first":
			ways = append(ways, fmt.Sprintf("answered with the first %d: %s", *r.K, waits(r)))
		}
	}
	first := fmt.Sprintf("%s requests wait for %s calls: %s (a call: p50 %s, p99 %s).", how, report.Whole(int64(was.N)), waits(was), clock(x.quantile(0.5)), clock(x.quantile(0.99)))
	if len(ways) == 0 || was.Policy != "all" && !was.Observed {
		return []string{first}
	}
	return []string{first, "If calls are independent: " + strings.Join(ways, "; ") + "."}
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
