package simulate

import (
	"fmt"
	"time"
)

// Scenario is a run whose truth is known: a load, the server that it met, and
// what the same plan would have met if it had been kept.
type Scenario struct {
	Name   string // number and parameters in words, unique in its list
	Kind   Kind
	Load   Load // Interval is the plan, also of a closed loop, which does not know it
	Server Server
	Seed   uint64
}

// Kind says who waits for a stall.
type Kind uint8

// Kinds of scenarios.
const (
	Calm     Kind = iota // no stall
	Isolated             // slow requests alone, nobody waits for them: a fill invents loss
	Queued               // slow requests hold those behind them in the queue of one or some workers
	Paused               // nothing begins while a request is slow
	Frozen               // everything stops, by the clock
	kinds
)

func (k Kind) String() string {
	return [...]string{"calm", "isolated", "queued", "paused", "frozen"}[k]
}

// Run returns what the load generator measured: see [Request.ServiceTime] for
// the times that it records.
func (s Scenario) Run() []Request { return Run(s.Load, s.Server, s.Seed) }

// Truth returns what users would have met who do not wait for each other, at
// the planned rate and for as long or as often as the plan says:
// [Request.ResponseTime] of these is what a correction tries to come near.
func (s Scenario) Truth() []Request { return Run(s.Load.Open(), s.Server, s.Seed) }

// What scenarios are made of. Service times are multiples of one unit, stalls
// of the same unit: shapes are the same at any speed.
var (
	scenarioLoops   = []Loop{Closed, Paced, Closed, Scheduled, Paced, Pooled, Open}
	scenarioWorkers = []int{1, 1, 2, 4, 16, 64}
	scenarioUnits   = []time.Duration{time.Millisecond, 5 * time.Millisecond, 50 * time.Millisecond}
	scenarioService = []func(time.Duration) Distribution{
		Constant,
		Exponential,
		func(d time.Duration) Distribution { return Lognormal(d, 0.1) },
		func(d time.Duration) Distribution { return Lognormal(d, 0.5) },
		func(d time.Duration) Distribution { return Either(0.05, Constant(10*d), Lognormal(d, 0.1)) },
	}
	scenarioKinds    = []Kind{Queued, Paused, Isolated, Frozen, Queued, Paused, Frozen, Calm}
	scenarioQueues   = []int{1, 1, 4} // server workers of Queued and Calm
	scenarioStalls   = []int{1, 1, 3, 6}
	scenarioLengths  = []time.Duration{10, 40, 200, 1000} // units
	scenarioLoads    = []float64{0.2, 0.4, 0.6, 0.8}      // of what server and workers can do
	scenarioRequests = []int{200, 1000, 5000, 20000}
)

const (
	// scenarioStalled is the largest share of a run that is stall: the plan
	// must leave time to recover.
	scenarioStalled = 0.2
	// scenarioMost bounds the requests of one scenario.
	scenarioMost = 60000
)

// Scenarios returns n scenarios over every loop, kind of server, service time,
// number and length of stalls, rate and number of workers. Each of these takes
// all its values equally often, in combinations drawn by the seed. A shorter
// list is the beginning of a longer one.
func Scenarios(n int, seed uint64) []Scenario {
	out := make([]Scenario, 0, max(n, 0))
	for i := range n {
		out = append(out, scenario(i, seed))
	}
	return out
}

// drawer picks levels of factors: in every block of as many scenarios as a
// factor has levels, each level is picked once, in an order of its own.
type drawer struct {
	seed   uint64
	i      int
	factor uint64
}

func draw[T any](d *drawer, levels []T) T {
	d.factor++
	block := uint64(d.i / len(levels))
	order := random(d.seed^mixed(d.factor<<32|block), streamScenario).Perm(len(levels))
	return levels[order[d.i%len(levels)]]
}

func scenario(i int, seed uint64) Scenario {
	d := &drawer{seed: seed, i: i}
	kind := draw(d, scenarioKinds)
	load := Load{Loop: draw(d, scenarioLoops), Workers: draw(d, scenarioWorkers)}
	unit := draw(d, scenarioUnits)
	service := draw(d, scenarioService)(unit)
	queue, count := draw(d, scenarioQueues), draw(d, scenarioStalls)
	length := draw(d, scenarioLengths) * unit
	use := draw(d, scenarioLoads)
	requests := draw(d, scenarioRequests)

	server := Server{Service: service}
	atOnce := load.Workers
	switch kind {
	case Calm, Queued:
		server.Workers = queue
		atOnce = min(atOnce, queue)
	}
	if kind == Calm {
		count = 0
	}
	// interval = workers / rate, and rate = use · atOnce / mean.
	load.Interval = nanoseconds(float64(service.Mean()) * float64(load.Workers) / (use * float64(atOnce)))
	for ; ; length /= 2 {
		stalled := time.Duration(count) * length
		need := int(stalled.Seconds() * load.Rate() / scenarioStalled)
		if need <= scenarioMost {
			requests = max(requests, need)
			break
		}
	}
	load.Requests = requests
	if kind == Frozen { // by the clock: so is the run
		load.Length = load.defaults().due(requests)
		load.Requests = 0
	}
	server.Stalls = stalls(d, kind, load, requests, count, length)
	name := fmt.Sprintf("%03d %s, %s, %s", i, load, kind, service)
	if server.Workers > 0 {
		name += fmt.Sprintf(", %d at a time", server.Workers)
	}
	if count > 0 {
		name += fmt.Sprintf(", %d x %v", count, length)
	}
	name += fmt.Sprintf(", %d requests", requests)
	return Scenario{name, kind, load, server, mixed(seed ^ mixed(uint64(i)))}
}

// stalls spreads stalls over the run, each somewhere in the middle of its part.
func stalls(d *drawer, kind Kind, load Load, requests, count int, length time.Duration) []Stall {
	var out []Stall
	rng := random(d.seed^mixed(uint64(d.i)), streamScenario+1)
	for j := range count {
		share := (float64(j) + 0.2 + 0.5*rng.Float64()) / float64(count)
		n := 1 + int(share*float64(requests))
		switch kind {
		case Isolated, Queued:
			out = append(out, SlowRequest(n, length))
		case Paused:
			out = append(out, PauseAtRequest(n, length))
		case Frozen:
			out = append(out, FreezeAt(nanoseconds(share*float64(load.Length)), length))
		}
	}
	return out
}
