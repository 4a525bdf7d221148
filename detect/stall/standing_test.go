package stall

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect"
)

// standing are worlds in which the server stands still once.
var standing = []scene{
	{"open", func(w *world) {
		w.base()
		w.outside = true
	}},
	{"open, threads", func(w *world) {
		w.base()
		w.threads = 8
		if w.rate > 200 {
			w.threads = 64
		}
	}},
	{"bursty", func(w *world) { // sessions of requests, several in the stall
		w.base()
		w.came = nil
		for at := time.Duration(0); at < w.length; at += w.exp(time.Duration(3e9 / w.rate)) {
			for i := range 1 + w.r.IntN(5) {
				w.came = append(w.came, arrival{at + time.Duration(i)*w.exp(20*ms), w.r.IntN(3)})
			}
		}
		w.outside = true
	}},
	{"closed, 1", func(w *world) {
		w.base()
		w.came, w.closed = nil, 1
		w.think = func() time.Duration { return time.Duration(1e9 / w.rate) }
	}},
	{"closed, 10", func(w *world) {
		w.base()
		w.came, w.closed = nil, 10
		w.think = func() time.Duration { return w.exp(time.Duration(1e10 / w.rate)) }
	}},
	{"one route", func(w *world) { w.base(); w.outside = true; w.stands[0].op = 1 }},
}

func (w *world) base() {
	w.rate = pick(w, 5.0, 50, 500)
	due := pick(w, 25.0, 60, 200)
	long := time.Duration(due / w.rate * 1e9)
	if long < 300*ms {
		long = 300 * ms
	}
	w.length = 30 * long
	at := 10*long + time.Duration(w.r.Int64N(int64(10*long)))
	w.stands = []stand{{at, at + long, -1}}
	w.poisson(0, w.length, w.rate, nil, w.among(3))
	w.service = func(int) time.Duration { return w.lognormal(5*ms, 0.5) }
}

// A server that stood still is found, by logs with latencies and without, where
// it was and as long. What is of low confidence is not counted as found: a closed
// loop without latencies leaves a silence and nothing else.
func TestStanding(t *testing.T) {
	for _, sc := range standing {
		for _, h := range writings {
			var n, found, low, far, other int
			for seed := range *worlds {
				w := &world{r: rand.New(rand.NewPCG(uint64(seed), 2))}
				sc.make(w)
				all := w.run()
				is := w.stands[0]
				if h.resolution == time.Second && is.to-is.from < 4*time.Second {
					continue // stamps are too coarse for it
				}
				n++
				hit := false
				for _, s := range find(h.log(all, 0)).stalls {
					from, to := s.from.Sub(epoch), s.to.Sub(epoch)
					slack := 2*h.resolution + (is.to-is.from)/5 + 30*time.Millisecond
					switch {
					case from > is.to || to < is.from:
						if s.confidence() > detect.Low {
							other++
						}
					case s.confidence() == detect.Low:
						low++
					case (from-is.from).Abs() > slack || (to-is.to).Abs() > slack:
						far++
					default:
						hit = true
					}
				}
				if hit {
					found++
				}
			}
			t.Logf("%-13s %-10s found %d of %d; %d of low confidence, %d elsewhere, %d where none was", sc.name, h.name, found, n, low, far, other)
			sure := h.step == time.Millisecond && sc.name != "one route" && sc.name != "bursty"
			if other > 0 || sure && found < n-n/10 {
				t.Errorf("%s, %s: found %d of %d, and %d where none was", sc.name, h.name, found, n, other)
			}
		}
	}
}
