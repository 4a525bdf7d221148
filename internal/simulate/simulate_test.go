package simulate

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/internal/latency"
)

const ms = time.Millisecond

// figures picks percentiles by nearest rank from the sorted times themselves.
func figures(times []time.Duration, percents ...float64) []time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	out := make([]time.Duration, len(percents))
	for i, p := range percents {
		out[i] = sorted[latency.PercentileOf(p).Rank(int64(len(sorted)))-1]
	}
	return out
}

func responses(rs []Request) []time.Duration {
	out := make([]time.Duration, len(rs))
	for i, r := range rs {
		out[i] = r.ResponseTime()
	}
	return out
}

func millis(n ...int) []time.Duration {
	out := make([]time.Duration, len(n))
	for i, v := range n {
		out[i] = time.Duration(v) * ms
	}
	return out
}

// The lab: 200 requests of 50 ms, the 150th takes 2 s, planned every 80 ms.
func lab(loop Loop, s Server) []Request {
	s.Service = Constant(50 * ms)
	return Run(Load{Loop: loop, Interval: 80 * ms, Requests: 200}, s, 1)
}

// Table of the 200 samples: worked out by hand and measured on loopback, see
// the corpus' recorded/lab. Figures are p50, p90, p95, p99, p99.5, max.
func TestTwoHundredSamples(t *testing.T) {
	one := []Stall{SlowRequest(150, 2000*ms)}
	for _, c := range []struct {
		name string
		loop Loop
		s    Server
		slow int
		want []time.Duration
	}{
		{"closed loop", Closed, Server{Workers: 1, Stalls: one}, 1, millis(50, 50, 50, 50, 50, 2000)},
		{"closed loop, no queue", Closed, Server{Stalls: one}, 1, millis(50, 50, 50, 50, 50, 2000)},
		{"open loop, serial", Open, Server{Workers: 1, Stalls: one}, 51, millis(50, 1400, 1700, 1940, 1970, 2000)},
		{"open loop, paused", Open, Server{Stalls: []Stall{PauseAtRequest(150, 2000*ms)}}, 25, millis(50, 450, 1250, 1890, 1970, 2000)},
		{"open loop, isolated", Open, Server{Stalls: one}, 1, millis(50, 50, 50, 50, 50, 2000)},
		// One connection that keeps its schedule waits where a serial server
		// makes wait: the same numbers (corpus: openloop-1conn).
		{"scheduled, one connection", Scheduled, Server{Stalls: one}, 51, millis(50, 1400, 1700, 1940, 1970, 2000)},
		{"pooled, one connection", Pooled, Server{Stalls: one}, 51, millis(50, 1400, 1700, 1940, 1970, 2000)},
	} {
		rs := lab(c.loop, c.s)
		times := responses(rs)
		slow := 0
		for _, d := range times {
			if d > 50*ms {
				slow++
			}
		}
		got := figures(times, 50, 90, 95, 99, 99.5, 100)
		if len(rs) != 200 || slow != c.slow || !slices.Equal(got, c.want) {
			t.Errorf("%s: %d requests, %d slow, %v; want %d slow, %v", c.name, len(rs), slow, got, c.slow, c.want)
		}
	}
}

// From the send, one late connection looks as well as a closed loop.
func TestServiceTimeHidesTheWait(t *testing.T) {
	rs := lab(Scheduled, Server{Stalls: []Stall{SlowRequest(150, 2000*ms)}})
	s, r := ServiceTimes(rs), ResponseTimes(rs)
	if s.Percentile(latency.P99) != int64(50*ms) || r.Percentile(latency.P99) != int64(1940*ms) {
		t.Errorf("p99 from the send %v, from the due time %v", s.Percentile(latency.P99), r.Percentile(latency.P99))
	}
}

func TestOpenLoopShapes(t *testing.T) {
	everySecond := func(n int, stall Stall, service time.Duration) []time.Duration {
		s := Server{Service: Constant(service), Stalls: []Stall{stall}}
		return responses(Run(Load{Loop: Open, Interval: ms, Length: time.Duration(n) * time.Second}, s, 1))
	}
	// 60 s at 1000/s, b = 10, one stall of 1 s: p_q = b + S - (1-q)·D/n.
	one := everySecond(60, PauseAt(20*time.Second, time.Second), 10*ms)
	if got, want := figures(one, 95, 99, 99.9, 99.99), millis(10, 410, 950, 1004); !slices.Equal(got, want) {
		t.Errorf("one stall of 1 s: %v, want %v", got, want)
	}
	var six []Stall
	for i := range 6 {
		six = append(six, PauseAt(time.Duration(5+10*i)*time.Second, 200*ms))
	}
	rs := Run(Load{Loop: Open, Interval: ms, Length: time.Minute}, Server{Service: Constant(10 * ms), Stalls: six}, 1)
	if got, want := figures(responses(rs), 95, 99, 99.5, 99.9), millis(10, 110, 160, 200); !slices.Equal(got, want) {
		t.Errorf("six stalls of 200 ms: %v, want %v", got, want)
	}
	frozen := everySecond(200, FreezeAt(100*time.Second, 100*time.Second), ms)
	if got, want := figures(frozen, 50, 75, 90, 99), millis(1, 50001, 80001, 98001); !slices.Equal(got, want) {
		t.Errorf("100 s normal, 100 s frozen: %v, want %v", got, want)
	}
}

func TestOneFIFOServer(t *testing.T) {
	s := Server{Workers: 1, Service: Given(millis(1, 5, 3, 1)...)}
	got := responses(Run(Load{Loop: Open, Interval: ms, Requests: 4}, s, 1))
	if want := millis(1, 5, 7, 7); !slices.Equal(got, want) {
		t.Errorf("latencies %v, want %v", got, want)
	}
}

// A freeze stops what is in service, a pause does not. By hand: one request
// every 10 ms takes 25 ms; from 35 to 135 ms nothing goes on.
func TestPauseAndFreeze(t *testing.T) {
	for _, c := range []struct {
		stall Stall
		want  []time.Duration
	}{
		{PauseAt(35*ms, 100*ms), millis(25, 35, 45, 55, 160, 160)},
		{FreezeAt(35*ms, 100*ms), millis(25, 35, 145, 155, 160, 160)},
	} {
		s := Server{Service: Constant(25 * ms), Stalls: []Stall{c.stall}}
		var ends []time.Duration
		for _, r := range Run(Load{Loop: Open, Interval: 10 * ms, Requests: 6}, s, 1) {
			ends = append(ends, r.End)
		}
		if !slices.Equal(ends, c.want) {
			t.Errorf("%v: ends %v, want %v", c.stall, ends, c.want)
		}
	}
}

func TestStallsOverlap(t *testing.T) {
	s := Server{Service: Constant(10 * ms), Stalls: []Stall{
		FreezeAt(15*ms, 20*ms), FreezeAt(25*ms, 20*ms), PauseAt(40*ms, 20*ms), SlowAt(90*ms, 30*ms),
	}}
	var ends []time.Duration
	for _, r := range Run(Load{Loop: Open, Interval: 10 * ms, Requests: 11}, s, 1) {
		ends = append(ends, r.End)
	}
	// Frozen 15…45, shut until 60: due 10 is in service for 5 ms before.
	if want := millis(10, 50, 70, 70, 70, 70, 70, 80, 90, 120, 110); !slices.Equal(ends, want) {
		t.Errorf("ends %v, want %v", ends, want)
	}
}

// A ticker holds one tick: after 2 s the tick that waited is used at once, 24
// are lost, and sending goes on with the clock. The fill of 2000 at 80 adds 24.
func TestPacedLosesTicks(t *testing.T) {
	rs := lab(Paced, Server{Stalls: []Stall{SlowRequest(150, 2000*ms)}})
	for _, c := range []struct {
		n   int
		due time.Duration
		at  time.Duration
	}{
		{1, 80, 80}, {150, 12000, 12000}, {151, 12080, 14000}, {152, 14080, 14080}, {153, 14160, 14160}, {200, 17920, 17920},
	} {
		if r := rs[c.n-1]; r.Due != c.due*ms || r.Start != c.at*ms {
			t.Errorf("request %d: due %v, sent %v; want %v, %v", c.n, r.Due, r.Start, c.due*ms, c.at*ms)
		}
	}
	if lost := int(rs[199].Due/(80*ms)) - 200; lost != 24 {
		t.Errorf("%d ticks lost, want 24", lost)
	}
}

// Two connections with a plan of their own: one slow request makes every
// second request late. From one pool, the other connection takes them over.
func TestScheduledAndPooled(t *testing.T) {
	s := Server{Service: Constant(10 * ms), Stalls: []Stall{SlowRequest(1, 100*ms)}}
	load := Load{Loop: Scheduled, Workers: 2, Interval: 40 * ms, Requests: 6}
	own := Run(load, s, 1)
	load.Loop = Pooled
	pool := Run(load, s, 1)
	text := func(rs []Request) (out string) {
		for _, r := range rs {
			out += fmt.Sprint(r.Worker, ":", r.Due.Milliseconds(), "-", r.Start.Milliseconds(), " ")
		}
		return out
	}
	if got, want := text(own), "1:0-0 2:20-20 2:60-60 1:40-100 2:100-100 1:80-110 "; got != want {
		t.Errorf("scheduled: %s, want %s", got, want)
	}
	if got, want := text(pool), "1:0-0 2:20-20 2:40-40 2:60-60 2:80-80 2:100-100 "; got != want {
		t.Errorf("pooled: %s, want %s", got, want)
	}
}

func TestLimits(t *testing.T) {
	s := Server{Service: Constant(10 * ms)}
	for _, c := range []struct {
		load Load
		want int
	}{
		{Load{}, 0},
		{Load{Loop: Open, Interval: ms}, 0},
		{Load{Requests: 7, Workers: 3}, 7},
		{Load{Requests: 2, Workers: 3}, 2},
		{Load{Length: 95 * ms, Workers: 3}, 30},
		{Load{Length: 95 * ms, Requests: 5}, 5},
		{Load{Loop: Paced, Interval: 20 * ms, Workers: 2, Length: 100 * ms}, 8}, // ticks at 20, 40, 60, 80
		{Load{Loop: Scheduled, Interval: 30 * ms, Workers: 3, Length: 100 * ms}, 10},
		{Load{Loop: Pooled, Interval: 30 * ms, Workers: 3, Length: 100 * ms}, 10},
		{Load{Loop: Open, Interval: 30 * ms, Workers: 3, Length: 100 * ms}, 10},
		{Load{Loop: Open, Requests: 10, Workers: 3}, 10},
		{Load{Loop: Paced, Requests: 10, Workers: 3}, 10},
	} {
		if got := len(Run(c.load, s, 1)); got != c.want {
			t.Errorf("%+v: %d requests, want %d", c.load, got, c.want)
		}
	}
	if got := len(Run(Load{Requests: 5}, Server{}, 1)); got != 5 {
		t.Errorf("server without service time: %d requests", got)
	}
}

func TestSameSeedSameRun(t *testing.T) {
	load := Load{Loop: Open, Interval: 10 * ms, Poisson: true, Requests: 1000}
	s := Server{Workers: 1, Service: Lognormal(5*ms, 0.5), Stalls: []Stall{PauseAt(time.Second, 300*ms)}}
	a, b, c := Run(load, s, 1), Run(load, s, 1), Run(load, s, 2)
	if !slices.Equal(a, b) {
		t.Error("one seed, two runs")
	}
	if slices.Equal(a, c) {
		t.Error("two seeds, one run")
	}
	// Another loop meets the same service times: with no queue they are seen.
	free := Server{Service: Exponential(5 * ms)}
	load.Poisson = false
	closed := Run(Load{Requests: 1000, Workers: 1}, free, 7)
	for i, r := range Run(load, free, 7) {
		if r.ServiceTime() != closed[i].ServiceTime() {
			t.Fatalf("request %d: %v in an open loop, %v in a closed one", i, r.ServiceTime(), closed[i].ServiceTime())
		}
	}
}

func TestStrings(t *testing.T) {
	load := Load{Loop: Paced, Workers: 4, Interval: 80 * ms}
	if got, want := load.String(), "paced, 4 workers, 50/s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s := Server{Workers: 1, Service: Either(0.1, Constant(time.Second), Constant(50*ms)), Stalls: []Stall{SlowRequest(150, 2*time.Second), FreezeAt(time.Second, ms)}}
	if got, want := s.String(), "1 at a time, constant 50ms, 10% constant 1s, slow request of 2s at request 150, freeze of 1ms at 1s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
