package simulate

import (
	"math"
	"testing"
	"time"
)

// batchMeans returns the mean of values and its standard error from the means
// of 40 batches, longer than queues remember.
func batchMeans(values []float64) (mean, stderr float64) {
	const batches = 40
	size := len(values) / batches
	var means [batches]float64
	for b := range batches {
		for _, v := range values[b*size : (b+1)*size] {
			means[b] += v / float64(size)
		}
		mean += means[b] / batches
	}
	var ss float64
	for _, m := range means {
		ss += (m - mean) * (m - mean)
	}
	return mean, math.Sqrt(ss / (batches - 1) / batches)
}

// Mean waiting in the queue against the closed forms: M/M/1 and M/D/1
// (Pollaczek–Khinchine), M/M/4 (Erlang C), in units of the service time.
func TestMeanWaiting(t *testing.T) {
	erlangC := func(c int, rho float64) float64 {
		a, term, sum := rho*float64(c), 1.0, 0.0
		for k := range c {
			sum += term
			term *= a / float64(k+1)
		}
		last := term / (1 - rho)
		return last / (sum + last) / (float64(c) * (1 - rho))
	}
	const mean = 10 * ms
	n := 200_000
	if testing.Short() {
		n = 40_000
	}
	for _, c := range []struct {
		name    string
		service Distribution
		workers int
		rho     float64
		want    float64
	}{
		{"M/M/1", Exponential(mean), 1, 0.5, 0.5 / (1 - 0.5)},
		{"M/M/1", Exponential(mean), 1, 0.8, 0.8 / (1 - 0.8)},
		{"M/D/1", Constant(mean), 1, 0.5, 0.5 / (2 * (1 - 0.5))},
		{"M/D/1", Constant(mean), 1, 0.8, 0.8 / (2 * (1 - 0.8))},
		{"M/M/4", Exponential(mean), 4, 0.8, erlangC(4, 0.8)},
	} {
		for seed := range uint64(5) {
			load := Load{Loop: Open, Poisson: true, Interval: time.Duration(float64(mean) / c.rho / float64(c.workers)), Requests: n}
			var waits []float64
			rs := Run(load, Server{Workers: c.workers, Service: c.service}, seed)
			// The same seed draws the same service times where nobody queues.
			alone := Run(load, Server{Service: c.service}, seed)
			for i := range rs {
				waits = append(waits, float64(rs[i].End-alone[i].End)/float64(mean))
			}
			got, stderr := batchMeans(waits)
			if math.Abs(got-c.want) > 5*stderr || stderr > 0.1*c.want {
				t.Errorf("%s at %g, seed %d: waits %.4f ± %.4f service times, want %.4f", c.name, c.rho, seed, got, stderr, c.want)
			}
		}
	}
}

// A closed loop keeps a serial server busy and its c requests inside:
// throughput 1/b, and by Little's law a mean of c·b.
func TestClosedLoopObeysLittle(t *testing.T) {
	const mean, workers = 10 * ms, 8
	for seed := range uint64(5) {
		rs := Run(Load{Workers: workers, Requests: 100_000}, Server{Workers: 1, Service: Exponential(mean)}, seed)
		var values []float64
		for _, r := range rs[workers:] {
			values = append(values, float64(r.ServiceTime())/float64(mean))
		}
		got, stderr := batchMeans(values)
		if math.Abs(got-workers) > 5*stderr {
			t.Errorf("seed %d: mean %.3f ± %.3f service times, want %d", seed, got, stderr, workers)
		}
		elapsed := rs[len(rs)-1].End
		if u := ServiceTimes(rs).Mean() * int64(len(rs)) / int64(elapsed); u != workers-1 && u != workers {
			t.Errorf("seed %d: occupancy %d, want %d", seed, u, workers)
		}
	}
}

// Distributions have the means that they state.
func TestDistributionMeans(t *testing.T) {
	for _, d := range []Distribution{
		Constant(5 * ms), Exponential(5 * ms), Lognormal(5*ms, 0.1), Lognormal(5*ms, 0.5),
		Either(0.1, Constant(time.Second), Exponential(50*ms)), Given(millis(1, 5, 3, 1)...), Given(),
	} {
		r := random(1, 2)
		values := make([]float64, 400_000)
		for i := range values {
			values[i] = float64(d.Draw(r, i))
		}
		got, stderr := batchMeans(values)
		if want := float64(d.Mean()); math.Abs(got-want) > 5*stderr+1 {
			t.Errorf("%v: mean %.0f ± %.0f ns, want %.0f", d, got, stderr, want)
		}
	}
}

// Medians are exact by their definition: half of a lognormal is below its
// median, half of an exponential below mean·ln 2.
func TestDistributionMedians(t *testing.T) {
	for _, c := range []struct {
		d      Distribution
		median float64
	}{{Lognormal(5*ms, 1), 5e6}, {Exponential(5 * ms), 5e6 * math.Ln2}} {
		r, below := random(3, 4), 0
		const n = 400_000
		for i := range n {
			if float64(c.d.Draw(r, i)) < c.median {
				below++
			}
		}
		if math.Abs(float64(below)-n/2) > 5*math.Sqrt(n)/2 {
			t.Errorf("%v: %d of %d below the median", c.d, below, n)
		}
	}
}
