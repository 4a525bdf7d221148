package whatif

import (
	"fmt"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

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
	if x.Share > 0 && len(rows) == 2 {
		return out + fmt.Sprintf(" With a retry budget of %s it makes %s in %s.", report.Share(x.Share), mean(last.Leaf), clockMs(last.Elapsed))
	}
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
	deadlines, waits, answers, shares := false, false, false, false
	var times []float64
	for i := range rows {
		r := &rows[i]
		deadlines = deadlines || r.Budget != nil
		waits = waits || r.Waited != r.Elapsed
		shares = shares || r.Share != nil
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
		{"retries", shares && !measured, func(r *ChainRow) string {
			if r.Share == nil {
				return "all"
			}
			return "up to " + report.Share(*r.Share)
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
