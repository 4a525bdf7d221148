package simulate

import (
	"testing"
	"time"
)

func BenchmarkRun(b *testing.B) {
	const n = 1_000_000
	stalls := []Stall{PauseAtRequest(n/2, 2*time.Second), FreezeAt(time.Second, time.Second)}
	for _, c := range []struct {
		name string
		load Load
		s    Server
	}{
		{"open/no queue", Load{Loop: Open, Interval: ms}, Server{Service: Constant(ms), Stalls: stalls}},
		{"open/serial/exponential", Load{Loop: Open, Interval: 2 * ms, Poisson: true}, Server{Workers: 1, Service: Exponential(ms), Stalls: stalls}},
		{"open/64 workers/lognormal", Load{Loop: Open, Interval: ms}, Server{Workers: 64, Service: Lognormal(40*ms, 0.5), Stalls: stalls}},
		{"closed/1/serial", Load{Workers: 1}, Server{Workers: 1, Service: Constant(ms), Stalls: stalls}},
		{"closed/64/exponential", Load{Workers: 64}, Server{Service: Exponential(ms), Stalls: stalls}},
		{"paced/64/serial", Load{Loop: Paced, Workers: 64, Interval: 128 * ms}, Server{Workers: 1, Service: Exponential(ms), Stalls: stalls}},
		{"scheduled/64/serial", Load{Loop: Scheduled, Workers: 64, Interval: 128 * ms}, Server{Workers: 1, Service: Exponential(ms), Stalls: stalls}},
		{"pooled/64/serial", Load{Loop: Pooled, Workers: 64, Interval: 128 * ms}, Server{Workers: 1, Service: Exponential(ms), Stalls: stalls}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.load.Requests = n
			b.ReportAllocs()
			for b.Loop() {
				if len(Run(c.load, c.s, 1)) != n {
					b.Fatal("requests are missing")
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mreq/s")
		})
	}
}

func BenchmarkScenarios(b *testing.B) {
	all := Scenarios(100, 1)
	n := 0
	for b.Loop() {
		for _, s := range all {
			n += len(s.Run()) + len(s.Truth())
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mreq/s")
}
