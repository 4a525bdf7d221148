package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

// LoadRow is what requests met under one assumption on the server.
type LoadRow struct {
	Name  string   `json:"name"`
	N     int64    `json:"requests"`
	Slow  int64    `json:"slow"` // that took longer than slow_over_ms
	P50   float64  `json:"p50_ms"`
	P90   float64  `json:"p90_ms"`
	P95   float64  `json:"p95_ms"`
	P99   float64  `json:"p99_ms"`
	P995  float64  `json:"p99.5_ms"`
	Max   float64  `json:"max_ms"`
	Busy  *float64 `json:"utilisation"` // of the servers: rate · mean service time / servers; null: not asked
	Notes string   `json:"assumes"`
}

func (x *load) rows() []LoadRow {
	var raw latency.Summary
	for _, d := range x.times {
		raw.Record(int64(d))
	}
	assumes := "users who send when the last answer has come"
	if x.From != nil && x.From.log {
		assumes = "the log's own load, by the server's clock"
	}
	rows := []LoadRow{x.row("as measured", assumes, &raw, nil)}
	base := correct.FromSummary(&raw)
	fill := correct.Fill(base, int64(x.interval))
	rows = append(rows, x.filled("additive fill", "a stall held every request due meanwhile; each is added", fill))
	if s := correct.Substitute(base, int64(x.interval)); s != nil {
		rows = append(rows, x.filled("substitution", "the same, in the place of fast requests", s))
	}
	busy := func(servers int) *float64 {
		v := round4(x.rate * float64(mean64(x.joined)) / 1e9 / float64(servers))
		return &v
	}
	serial := func(k int) *latency.Summary {
		return simulate.ResponseTimes(simulate.Run(x.open(), simulate.Server{Workers: k, Service: simulate.Given(x.joined...)}, x.Seed))
	}
	rows = append(rows, x.row("one serial server", "one request at a time, in the order of arrival", serial(1), busy(1)))
	if x.Servers > 1 {
		rows = append(rows, x.row(fmt.Sprintf("%d servers", x.Servers), fmt.Sprintf("%d requests at a time, in the order of arrival", x.Servers), serial(x.Servers), busy(x.Servers)))
	}
	paused := simulate.Server{Service: simulate.Given(x.joined...)}
	for _, s := range x.stalls {
		paused.Stalls = append(paused.Stalls, simulate.PauseAtRequest(s.Request, s.Length))
	}
	rows = append(rows,
		x.row("all paused", "nothing begins while a request is stalled, then all at once", simulate.ResponseTimes(simulate.Run(x.open(), paused, x.Seed)), nil),
		x.row("only those slow", "nobody waits for another", simulate.ResponseTimes(simulate.Run(x.open(), simulate.Server{Service: simulate.Given(x.times...)}, x.Seed)), nil))
	return rows
}

func (x *load) row(name, assumes string, s *latency.Summary, busy *float64) LoadRow {
	at := func(percent float64) float64 {
		return inMs(time.Duration(s.Percentile(latency.PercentileOf(percent))))
	}
	return LoadRow{Name: name, Notes: assumes, N: s.Count(), Slow: s.Above(int64(x.slow)), P50: at(50), P90: at(90), P95: at(95), P99: at(99), P995: at(99.5), Max: inMs(time.Duration(s.Max())), Busy: busy}
}

func (x *load) filled(name, assumes string, f *correct.Filled) LoadRow {
	at := func(percent float64) float64 {
		return inMs(time.Duration(f.Percentile(latency.PercentileOf(percent)).Low))
	}
	return LoadRow{Name: name, Notes: assumes, N: f.Count(), Slow: f.Above(int64(x.slow)), P50: at(50), P90: at(90), P95: at(95), P99: at(99), P995: at(99.5), Max: inMs(time.Duration(f.Max().Low))}
}

func mean64(list []time.Duration) time.Duration {
	sum := 0.0
	for _, d := range list {
		sum += float64(d)
	}
	return time.Duration(sum / float64(max(len(list), 1)))
}

func (x *load) sentence(rows []LoadRow) string {
	by := map[string]*LoadRow{}
	for i := range rows {
		by[rows[i].Name] = &rows[i]
	}
	at := func(name string) string { return clockMs(by[name].P99) }
	out := fmt.Sprintf("p99 is %s as measured. Users would have met %s if one server works on one request at a time, %s if everything stood still with what was stalled, and %s if only those requests were slow.",
		at("as measured"), at("one serial server"), at("all paused"), at("only those slow"))
	if b := by["one serial server"].Busy; *b >= 1 {
		out += fmt.Sprintf(" One serial server cannot serve this rate (utilisation %s): its queue grows for as long as the load lasts.", report.Share(*b))
	}
	return out
}

func (x *load) assumptions() []string {
	out := append([]string{}, x.notes...)
	plan := fmt.Sprintf("a plan of %s requests a second", report.Number(x.rate))
	if x.workers > 1 {
		plan += fmt.Sprintf(", of %d workers, each one every %s", x.workers, clock(x.interval))
	}
	out = append(out, plan)
	if len(x.stalls) > 0 && x.From != nil {
		longest := slices.MaxFunc(x.stalls, func(a, b Stalled) int { return cmp.Compare(a.Length, b.Length) })
		out = append(out, fmt.Sprintf("%s, the longest of %s: requests that take two intervals and three medians or more; those that overlap are one", counted(len(x.stalls), "stall"), clock(longest.Length)))
	}
	return append(out,
		"latencies are taken for service times: what requests waited for each other when they were measured is counted again",
		"the file alone cannot tell which row is true: a fill is a lower bound for a serial server, and an upper bound where one request alone was slow")
}

func loadTable(p *printer, rows []LoadRow) {
	var all []float64
	for _, r := range rows {
		all = append(all, r.P50, r.P90, r.P95, r.P99, r.P995, r.Max)
	}
	unit, write := report.Times(all)
	var lines [][]string
	for _, r := range rows {
		lines = append(lines, []string{r.Name, report.Whole(r.N), report.Whole(r.Slow), write(r.P50), write(r.P90), write(r.P95), write(r.P99), write(r.P995), write(r.Max)})
	}
	p.Table([]string{unit, "n", "slow", "p50", "p90", "p95", "p99", "p99.5", "max"}, lines, nil, []int{7, 4})
	for _, r := range rows {
		p.Item(r.Name + ": " + r.Notes)
	}
}
