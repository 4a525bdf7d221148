package stall

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect"
)

type scene struct {
	name string
	make func(w *world)
}

func pick[T any](w *world, of ...T) T { return of[w.r.IntN(len(of))] }

const (
	ms = time.Millisecond
	s_ = time.Second
)

var calm = []scene{
	{"poisson", func(w *world) {
		rate := pick(w, 0.5, 2, 10, 50, 200, 1000, 5000)
		w.length = time.Duration(math.Min(12000/rate, 7*86400) * float64(time.Second))
		w.poisson(0, w.length, rate, nil, w.among(3))
	}},
	{"sessions", func(w *world) { // 20 assets within two seconds
		per := pick(w, 0.01, 0.05, 0.2, 1, 5) // sessions a second
		w.length = time.Duration(math.Min(400/per, 7*86400) * float64(time.Second))
		for at := time.Duration(0); at < w.length; at += w.exp(time.Duration(float64(time.Second) / per)) {
			for i := range 5 + w.r.IntN(30) {
				w.came = append(w.came, arrival{at + time.Duration(i)*w.exp(80*ms), w.r.IntN(3)})
			}
		}
	}},
	{"people", func(w *world) { // on and off with heavy tails: self-similar traffic
		n := pick(w, 1, 3, 10, 50)
		w.length = time.Duration(30000/n) * time.Second
		for range n {
			for at := w.exp(60 * s_); at < w.length; at += min(w.pareto(8*s_, 1.2), w.length/4) {
				for k := int(min(w.pareto(1*s_, 1.2)/s_, 100)) * 5; k > 0; k-- {
					at += w.exp(300 * ms)
					w.came = append(w.came, arrival{at, w.r.IntN(3)})
				}
			}
		}
	}},
	{"day and night", func(w *world) {
		most := pick(w, 0.05, 0.2, 0.5)
		deep := pick(w, 1.0, 3.0, 6.0)
		w.length = time.Duration(pick(w, 2, 3, 7)) * 24 * time.Hour
		w.poisson(0, w.length, most, func(at time.Duration) float64 {
			return most * math.Exp(deep*(math.Cos(2*math.Pi*at.Hours()/24)-1)/2*2)
		}, w.among(3))
	}},
	{"office hours", func(w *world) {
		most := pick(w, 0.05, 0.2, 0.5)
		w.length = time.Duration(pick(w, 2, 3, 5, 7)) * 24 * time.Hour
		w.poisson(0, w.length, most, func(at time.Duration) float64 {
			h := math.Mod(at.Hours(), 24)
			switch {
			case h < 8 || h > 19:
				return 0
			case h < 10:
				return most
			case h < 12:
				return most / 2
			case h < 14:
				return most / 5
			}
			return most / 3
		}, w.among(3))
	}},
	{"cron", func(w *world) {
		every := time.Duration(pick(w, 10, 60, 300)) * s_
		n := pick(w, 20, 100, 600)
		w.length = min(every*time.Duration(6000/n), 24*time.Hour)
		bg := pick(w, 0.01, 0.2, 1, 5)
		w.poisson(0, w.length, bg, nil, w.among(3))
		gap := pick(w, 1*ms, 5*ms, 20*ms)
		for at := every / 3; at < w.length; at += every {
			for i := range n {
				w.came = append(w.came, arrival{at + time.Duration(i)*gap, 1})
			}
		}
	}},
	{"one cron", func(w *world) { // once a day or hour, in traffic that is thin
		w.length = 24 * time.Hour
		rate := pick(w, 0.02, 0.1, 0.5)
		w.poisson(0, w.length, rate, nil, w.among(3))
		every := pick(w, time.Hour, 6*time.Hour, 24*time.Hour)
		n := pick(w, 50, 500, 3000)
		for at := every / 2; at < w.length; at += every {
			for i := range n {
				w.came = append(w.came, arrival{at + time.Duration(i)*w.exp(3*ms), 1})
			}
		}
	}},
	{"closed loop with a slow endpoint", func(w *world) {
		w.closed = pick(w, 1, 2, 8, 50)
		w.length = time.Duration(pick(w, 20, 60, 200)) * s_
		slow := time.Duration(pick(w, 200, 800, 3000)) * ms
		share := pick(w, 0.001, 0.01, 0.1)
		think := time.Duration(pick(w, 0, 1, 10, 100)) * ms
		w.think = func() time.Duration { return w.exp(think + 1) }
		w.opOf = func() int {
			if w.r.Float64() < share {
				return 1
			}
			return 0
		}
		w.service = func(op int) time.Duration {
			if op == 1 {
				return w.lognormal(slow, 0.3)
			}
			return w.lognormal(5*ms, 0.5) + ms
		}
	}},
	{"closed loop, several clients, heavy tail", func(w *world) {
		w.closed = pick(w, 8, 16, 50)
		w.length = time.Duration(pick(w, 20, 60, 200)) * s_
		w.think = func() time.Duration { return w.exp(5 * ms) }
		w.service = func(op int) time.Duration { return min(w.pareto(4*ms, 1.5), 10*s_) }
	}},
	{"thread pool nearly full", func(w *world) {
		w.threads = pick(w, 16, 64)
		w.outside = w.r.IntN(2) == 0
		mean := 20 * ms
		load := pick(w, 0.5, 0.8, 0.95, 0.99)
		rate := load * float64(w.threads) / mean.Seconds()
		w.length = time.Duration(8000 / rate * float64(time.Second))
		w.poisson(0, w.length, rate, nil, w.among(3))
		tail := pick(w, 0.5, 1.0, 1.5)
		w.service = func(int) time.Duration { return w.lognormal(mean, tail) * 10 / time.Duration(10*math.Exp(tail*tail/2)) }
	}},
	{"thread pool over full", func(w *world) {
		w.threads = pick(w, 1, 4, 16)
		w.outside = w.r.IntN(2) == 0
		rate := 50 * float64(w.threads)
		w.length = 60 * s_
		w.poisson(0, w.length, rate*1.6, func(at time.Duration) float64 {
			if at > 20*s_ && at < 30*s_ {
				return rate * 1.6
			}
			return rate * 0.5
		}, w.among(3))
		w.service = func(int) time.Duration { return w.lognormal(18*ms, 0.4) }
	}},
	{"ramps", func(w *world) {
		most := pick(w, 5.0, 50, 500)
		w.length = 120 * s_
		kind := w.r.IntN(4)
		w.poisson(0, w.length, most, func(at time.Duration) float64 {
			x := float64(at) / float64(w.length)
			switch kind {
			case 0:
				return most * x
			case 1:
				return most * (1 - x)
			case 2:
				if x < 0.4 {
					return most / 50
				}
				return most
			}
			if x < 0.6 {
				return most
			}
			return most / 50
		}, w.among(3))
	}},
	{"load in phases", func(w *world) { // a load test that pauses
		rate := pick(w, 20.0, 200)
		for i := range 2 + w.r.IntN(4) {
			from := time.Duration(i) * 40 * s_
			if w.r.IntN(2) == 0 {
				w.poisson(from, from+30*s_, rate, nil, nil)
			} else {
				w.poisson(from, from+30*s_, rate*float64(1+w.r.IntN(4)), nil, nil)
			}
			w.length = from + 30*s_
		}
		w.poisson(0, w.length, 0.2, nil, w.among(3))
	}},
	{"restart", func(w *world) {
		rate := pick(w, 1.0, 20, 300)
		w.length = time.Duration(math.Max(60, 3000/rate)) * s_
		gap := time.Duration(pick(w, 1, 5, 60)) * s_
		at := w.length / 2
		w.poisson(0, at, rate, nil, w.among(3))
		w.poisson(at+gap, w.length+gap, rate, nil, w.among(3))
		w.length += gap
	}},
	{"time-outs", func(w *world) {
		rate := pick(w, 5.0, 100, 1000)
		w.length = time.Duration(math.Min(300, 15000/rate)) * s_
		w.poisson(0, w.length, rate, nil, w.among(3))
		cut := pick(w, 1*s_, 5*s_, 30*s_)
		share := pick(w, 0.001, 0.01, 0.1)
		jitter := pick(w, 0, 2*ms)
		w.service = func(int) time.Duration {
			if w.r.Float64() < share {
				return cut + w.exp(jitter+1)
			}
			return w.lognormal(8*ms, 0.5)
		}
	}},
	{"time-outs of a dependency", func(w *world) { // for a while half of the requests run into it
		rate := pick(w, 5.0, 50, 300)
		w.length = 200 * s_
		w.poisson(0, w.length, rate, nil, w.among(3))
		cut := pick(w, 1*s_, 5*s_, 30*s_)
		share := pick(w, 0.3, 0.6) // of nearly all it would be a stall
		w.service = nil
		w.stands = nil
		i := 0
		w.service = func(int) time.Duration {
			at := w.came[i].at
			i++
			if at > 80*s_ && at < 120*s_ && w.r.Float64() < share {
				return cut + w.exp(ms)
			}
			return w.lognormal(8*ms, 0.5)
		}
	}},
	{"long polls", func(w *world) {
		rate := pick(w, 5.0, 50, 300)
		w.length = time.Duration(math.Min(600, 15000/rate)) * s_
		w.poisson(0, w.length, rate, nil, func() int {
			if w.r.IntN(10) == 0 {
				return 1
			}
			return 0
		})
		w.service = func(op int) time.Duration {
			if op == 1 {
				if w.r.IntN(3) == 0 {
					return w.exp(10 * s_)
				}
				return 25*s_ + w.exp(5*ms)
			}
			return w.lognormal(8*ms, 0.5)
		}
	}},
	{"slow clients", func(w *world) {
		rate := pick(w, 5.0, 50, 500, 5000)
		w.length = time.Duration(math.Min(600, 15000/rate)) * s_
		w.poisson(0, w.length, rate, nil, w.among(3))
		share := pick(w, 0.01, 0.1, 0.4)
		w.service = func(op int) time.Duration {
			if w.r.Float64() < share {
				return w.lognormal(600*ms, 1.5)
			}
			return w.lognormal(8*ms, 0.5)
		}
	}},
	{"a client that loses its network", func(w *world) { // what it has in flight ends when it is back
		rate := pick(w, 20.0, 200, 1000)
		w.length = time.Duration(math.Min(300, 15000/rate)) * s_
		w.poisson(0, w.length, rate, nil, w.among(3))
		// six requests over half a second, all of which end together
		type lost struct{ at, end time.Duration }
		var all []lost
		for range 10 {
			at := time.Duration(w.r.Int64N(int64(w.length)))
			end := at + time.Duration(500+w.r.IntN(3000))*ms
			for range 6 {
				all = append(all, lost{at + time.Duration(w.r.Int64N(int64(end-at)*7/10)), end})
			}
		}
		ends := map[time.Duration]time.Duration{}
		for _, l := range all {
			ends[l.at] = l.end
			w.came = append(w.came, arrival{l.at, 0})
		}
		w.service = nil
		w.withCame = func(at time.Duration, op int) time.Duration {
			if e, ok := ends[at]; ok {
				return e - at + w.exp(3*ms)
			}
			return w.lognormal(8*ms, 0.5)
		}
	}},
	{"page loads of slow clients", func(w *world) { // 6 to 20 assets share a thin line and end nearly together
		rate := pick(w, 20.0, 200)
		w.length = 200 * s_
		w.poisson(0, w.length, rate, nil, w.among(3))
		ends := map[time.Duration]time.Duration{}
		for range 60 {
			at := time.Duration(w.r.Int64N(int64(w.length)))
			long := w.lognormal(1500*ms, 0.5)
			for i := range 6 + w.r.IntN(15) {
				a := at + time.Duration(i)*w.exp(30*ms)
				ends[a] = max(at+long, a) + w.exp(long/8)
				w.came = append(w.came, arrival{a, w.r.IntN(3)})
			}
		}
		w.withCame = func(at time.Duration, op int) time.Duration {
			if e, ok := ends[at]; ok {
				return e - at + 20*ms
			}
			return w.lognormal(8*ms, 0.5)
		}
	}},
	{"checks of health", func(w *world) {
		w.length = 6 * time.Hour
		every := time.Duration(pick(w, 1, 5, 10)) * s_
		for at := time.Duration(0); at < w.length; at += every {
			w.came = append(w.came, arrival{at + w.exp(10*ms), 0})
		}
		w.poisson(0, w.length, 0.05, nil, w.among(3))
	}},
	{"part of a log that was lost", func(w *world) {
		w.length = 600 * s_
		w.poisson(0, 200*s_, 50, nil, w.among(3))
		w.poisson(400*s_, w.length, pick(w, 50.0, 200.0), nil, w.among(3))
	}},
	{"shipped in batches", func(w *world) { // stamped when a buffer was flushed
		w.length = 600 * s_
		rate := pick(w, 5.0, 50)
		w.poisson(0, w.length, rate, nil, w.among(3))
		every := time.Duration(pick(w, 1, 5)) * s_
		for i := range w.came {
			w.came[i].at = (w.came[i].at/every + 1) * every
		}
	}},
}

// worlds is how many of each kind are simulated: hundreds to tune a threshold, a
// few to keep it.
var worlds = flag.Int("worlds", 1, "simulated servers of each kind")

func (w *world) fill() {
	if w.service == nil {
		median := pick(w, 3*ms, 20*ms, 80*ms)
		sigma := pick(w, 0.3, 0.7, 1.0)
		w.service = func(int) time.Duration { return w.lognormal(median, sigma) }
	}
}

// Where no server stands still, no finding is more than of low confidence,
// whoever asks and however the log is written.
func TestCalm(t *testing.T) {
	for _, sc := range calm {
		t.Run(sc.name, func(t *testing.T) {
			low := 0
			for seed := range *worlds {
				w := &world{r: rand.New(rand.NewPCG(uint64(seed), 1))}
				sc.make(w)
				w.fill()
				all := w.run()
				for _, h := range writings {
					for _, f := range judgeStalls(h.log(all, 0)) {
						if f.Confidence > detect.Low {
							t.Errorf("seed %d, %s: %v: %s %+v", seed, h.name, f.Confidence, f.Message, f.Evidence)
						} else {
							low++
						}
					}
				}
			}
			t.Logf("%d of low confidence in %d logs", low, *worlds*len(writings))
		})
	}
}
