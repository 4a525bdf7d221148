package whatif

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/internal/latency"
	"github.com/tailcheck/tailcheck/internal/simulate"
)

// LoadAsk is the question of `whatif load`.
type LoadAsk struct {
	From     *Measured     // nil: Service, Requests and Stalls
	Service  time.Duration // of a request that is not slow
	Requests int
	Stalls   []Stalled
	Plan     check.Plan
	Servers  int // requests worked on at once in a row of its own; 0: no such row
	Poisson  bool
	SlowOver time.Duration // a request is slow that takes longer; below 0: chosen
	Seed     uint64
}

// Stalled is a request that takes longer, by its number from 1.
type Stalled struct {
	Request int
	Length  time.Duration
}

// ParseStall reads "150=2s".
func ParseStall(s string) (Stalled, error) {
	n, d, ok := strings.Cut(s, "=")
	number, err := strconv.Atoi(strings.TrimSpace(n))
	length, bad := time.ParseDuration(strings.TrimSpace(d))
	if !ok || err != nil || number < 1 || bad != nil || length <= 0 || length > maxTime {
		return Stalled{}, fmt.Errorf("--stall %q: want the number of a request and what it takes\nhint: --stall 150=2s", s)
	}
	return Stalled{number, length}, nil
}

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

const maxRequests = 1 << 20 // of one run

// Load answers what users would have met who do not wait for each other.
func Load(ask LoadAsk) (*Answer, error) {
	x := &load{LoadAsk: ask}
	if err := x.prepare(); err != nil {
		return nil, err
	}
	rows := x.rows()
	a := &Answer{Schema: Schema, Model: "load", Rows: rows, RestsOn: RestsOn{Seed: ask.Seed, Interval: 1}}
	a.Question = fmt.Sprintf("these requests had come %s, whether the ones before were answered or not?", x.pace())
	a.Answer = x.sentence(rows)
	var s latency.Summary
	for _, d := range x.times {
		s.Record(int64(d))
	}
	m := simulate.NewMeasured(s.Values())
	a.Leaf = leafOf(x.what, m, x.slow)
	if f := ask.From; f != nil {
		a.Source = &f.Source
	}
	a.RestsOn.Assumptions = x.assumptions()
	a.table = func(p *printer) { loadTable(p, rows) }
	return a, nil
}

type load struct {
	LoadAsk
	what     string
	times    []time.Duration // service times in the order of the requests, as measured
	joined   []time.Duration // the same; of slow requests that overlap only the first is slow
	stalls   []Stalled       // in joined
	ordered  bool            // the order is that of the file
	rate     float64         // a second
	workers  int
	interval time.Duration // of one worker
	slow     time.Duration
	notes    []string
}

func (x *load) prepare() error {
	if err := x.plan(); err != nil {
		return err
	}
	if x.Servers < 0 || x.Servers > maxN {
		return fmt.Errorf("--servers %d: want a number of requests that are worked on at once", x.Servers)
	}
	if x.From == nil {
		if err := x.byParameters(); err != nil {
			return err
		}
	} else {
		x.fromFile()
	}
	if x.SlowOver >= 0 {
		x.slow = x.SlowOver
	}
	return nil
}

// plan is the rate that users keep.
func (x *load) plan() error {
	p := x.Plan
	if x.From != nil && x.From.run != nil { // flags are in it already
		p = check.Plan{Rate: x.From.run.Rate, Workers: x.From.run.Workers, Interval: x.From.run.Interval}
	}
	x.workers = max(p.Workers, 1)
	switch {
	case p.Rate > 0:
		x.rate = p.Rate
	case p.Interval > 0:
		x.rate = float64(x.workers) / p.Interval.Seconds()
	default:
		return fmt.Errorf("no rate is known\nhint: --rate 12.5/s, or --interval 80ms between two requests of one worker")
	}
	x.interval = p.Interval
	if x.interval == 0 {
		x.interval = time.Duration(math.Round(float64(x.workers) / x.rate * 1e9))
	}
	if x.interval <= 0 || x.interval > maxTime {
		return fmt.Errorf("%g requests a second on %s: that is no plan", x.rate, counted(x.workers, "worker"))
	}
	return nil
}

func (x *load) byParameters() error {
	if err := Whole("requests", x.Requests, maxRequests); err != nil {
		return err
	}
	x.what = fmt.Sprintf("%s a request", clock(x.Service))
	x.times, x.ordered, x.slow = make([]time.Duration, x.Requests), true, x.Service
	for i := range x.times {
		x.times[i] = x.Service
	}
	for _, s := range x.Stalls {
		if s.Request > x.Requests {
			return fmt.Errorf("--stall %d=%v: there are %d requests", s.Request, s.Length, x.Requests)
		}
		x.times[s.Request-1] = s.Length
		x.what += fmt.Sprintf(", number %d %s", s.Request, clock(s.Length))
	}
	x.joined, x.stalls = x.times, x.Stalls
	return nil
}

// slowFactor: from so many medians on a request of a file is slow, and from so
// many that it may be a stall.
const (
	slowFactor  = 1.5
	stallFactor = 3
)

// fromFile takes the service times of a file, in its order if that is known.
func (x *load) fromFile() {
	f := x.From
	x.what = "as measured"
	median := f.Leaf.Quantile(0.5)
	x.slow = time.Duration(slowFactor * float64(median))
	stall := max(2*x.interval, stallFactor*median)
	if in := f.input; in != nil && len(in.Pairs) > 0 && int64(len(in.Pairs)) == f.Calls && len(in.Pairs) <= maxRequests {
		x.ordered = true
		x.times, x.joined = make([]time.Duration, len(in.Pairs)), make([]time.Duration, len(in.Pairs))
		var end int64
		for i, p := range in.Pairs {
			x.times[i], x.joined[i] = p.Latency, p.Latency
			if p.Latency < stall {
				continue
			}
			if n := len(x.stalls); n > 0 && int64(p.Start) < end { // the same stall
				x.joined[i] = median
				s := &x.stalls[n-1]
				if e := int64(p.End()); e > end {
					s.Length += time.Duration(e - end)
					x.joined[s.Request-1] = s.Length
					end = e
				}
				continue
			}
			x.stalls = append(x.stalls, Stalled{i + 1, p.Latency})
			end = int64(p.End())
		}
		return
	}
	// In no order: each time as often as it was seen, the order drawn.
	n := int(min(f.Calls, maxRequests))
	x.times = make([]time.Duration, n)
	for i := range x.times {
		x.times[i] = f.Leaf.Quantile((float64(i) + 0.5) / float64(n))
	}
	r := rand.New(rand.NewPCG(mixed(x.Seed), mixed(x.Seed+1)))
	r.Shuffle(n, func(i, j int) { x.times[i], x.times[j] = x.times[j], x.times[i] })
	for i, d := range x.times {
		if d >= stall {
			x.stalls = append(x.stalls, Stalled{i + 1, d})
		}
	}
	x.joined = x.times
	x.notes = append(x.notes, fmt.Sprintf("the file does not say when its requests were sent: their order is drawn, seed %d", x.Seed))
}

func (x *load) rows() []LoadRow {
	var raw latency.Summary
	for _, d := range x.times {
		raw.Record(int64(d))
	}
	rows := []LoadRow{x.row("as measured", "users who send when the last answer has come", &raw, nil)}
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

// open is the load as users offer it.
func (x *load) open() simulate.Load {
	l := simulate.Load{Loop: simulate.Open, Interval: x.interval, Workers: x.workers, Requests: x.planned(), Poisson: x.Poisson}
	if x.workers == 1 || l.Rate() < 0.999*x.rate || l.Rate() > 1.001*x.rate { // the rate is that of all workers
		l.Workers, l.Interval = 1, max(1, time.Duration(math.Round(1e9/x.rate)))
	}
	return l
}

// planned is how many requests users would have sent: those that were measured,
// or as many as the plan had in the time that the run took, if that is more.
func (x *load) planned() int {
	n := len(x.times)
	if x.From != nil && x.From.run != nil && x.ordered {
		if plan := math.Round(x.rate * x.From.run.Elapsed.Seconds()); plan > float64(n) && plan < 2*float64(n) {
			return min(int(plan), maxRequests)
		}
	}
	return n
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

func (x *load) pace() string {
	if x.Poisson {
		return fmt.Sprintf("at random, %s/s", report.Number(x.rate))
	}
	return "every " + clock(x.open().Interval/time.Duration(max(1, x.open().Workers)))
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
