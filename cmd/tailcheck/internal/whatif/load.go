package whatif

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
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
	if x.From != nil && x.From.run != nil && !x.From.log { // flags are in it already
		p = check.Plan{Rate: x.From.run.Rate, Workers: x.From.run.Workers, Interval: x.From.run.Interval}
	}
	x.workers = max(p.Workers, 1)
	switch {
	case p.Rate > 0:
		x.rate = p.Rate
	case p.Interval > 0:
		x.rate = float64(x.workers) / p.Interval.Seconds()
	default:
		if x.From != nil && x.From.log {
			return fmt.Errorf("no rate is known: a log does not say at what rate users would have come\nhint: --rate 12.5/s")
		}
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
	if f.log {
		x.notes = append(x.notes, fmt.Sprintf("of a log the latencies are taken and not the times at which they came: their order is drawn, seed %d. What was slow together is spread over the run, and rows in which requests wait for others are too long; what users of the log's own load met is in the log", x.Seed))
		return
	}
	x.notes = append(x.notes, fmt.Sprintf("the file does not say when its requests were sent: their order is drawn, seed %d", x.Seed))
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

func (x *load) pace() string {
	if x.Poisson {
		return fmt.Sprintf("at random, %s/s", report.Number(x.rate))
	}
	return "every " + clock(x.open().Interval/time.Duration(max(1, x.open().Workers)))
}
