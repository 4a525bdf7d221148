package stall

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// report folds what a load tool says of a run that it sent itself: offsets, or
// dates where the run began at a moment.
func report(t *detect.Table, all []served, in int32, workers int, length time.Duration, began ingest.Time) {
	r := &ingest.Run{Pos: ingest.Pos{Input: in}, Tool: "hey", Loop: ingest.Closed, Treated: ingest.Raw, Workers: workers, Requests: int64(len(all)), Counted: true, Elapsed: length, Absolute: began != 0}
	t.Add(r)
	for i, x := range all {
		s := ingest.Sample{Pos: ingest.Pos{Input: in, Offset: int64(i+1) * 20}, Vantage: ingest.Client, Start: ingest.Relative(x.start), Latency: x.end - x.start}
		if began != 0 {
			s.Start = began.Add(x.start)
		}
		t.Sample(&s)
	}
}

// run of a closed loop that keeps a rate unless it waits, and what an open loop at
// the same rate would have met.
func closedRun(seed uint64, workers int, rate float64, length time.Duration, stands []stand) (w *world, all []served, open int64) {
	w = &world{r: rand.New(rand.NewPCG(seed, 3)), length: length, stands: stands, closed: workers}
	every := time.Duration(float64(workers) / rate * float64(time.Second))
	w.service = func(int) time.Duration { return w.lognormal(4*time.Millisecond, 0.4) }
	last := 5 * time.Millisecond
	w.think = func() time.Duration { return max(0, every-last) }
	all = w.run()
	var waits []int64
	for at := time.Duration(0); at < length; at += time.Duration(float64(time.Second) / rate) {
		waits = append(waits, int64(w.works(at, w.service(0), 0)-at))
	}
	slices.Sort(waits)
	return w, all, waits[(len(waits)*99+99)/100-1]
}

// What p99 would have been is what an open loop at the run's rate gets from the
// same server, within 10 %: for one worker and many, one stall and several, by
// number and by dates.
func TestWouldBe(t *testing.T) {
	for _, c := range []struct {
		workers int
		rate    float64
		long    []time.Duration
	}{
		{1, 100, []time.Duration{2 * time.Second}},
		{4, 200, []time.Duration{2 * time.Second}},
		{20, 400, []time.Duration{1500 * time.Millisecond}},
		{4, 200, []time.Duration{2 * time.Second, time.Second, 3 * time.Second}},
		{10, 100, []time.Duration{5 * time.Second, 800 * time.Millisecond}},
		{2, 50, []time.Duration{4 * time.Second, 4 * time.Second, 4 * time.Second, 4 * time.Second}},
	} {
		for seed := range uint64(*worlds) {
			for _, dated := range []ingest.Time{0, epoch} {
				length := time.Minute
				var stands []stand
				for i, d := range c.long {
					at := 5*time.Second + time.Duration(i)*12*time.Second
					stands = append(stands, stand{at, at + d, -1})
				}
				_, all, open := closedRun(seed, c.workers, c.rate, length, stands)
				tab := &detect.Table{}
				report(tab, all, 0, c.workers, length, dated)
				writings[0].into(tab, all, 1)
				tab.Finish()
				found := judgeMissed(tab)
				if len(found) != 1 {
					t.Errorf("%+v, dated %v: %d findings", c, dated != 0, len(found))
					continue
				}
				if n := found[0].Numbers.(MissedNumbers); math.Abs(n.WouldBe*1e6-float64(open)) > 0.1*float64(open) {
					t.Errorf("%+v, dated %v: p99 would be %v ms, an open loop has %v", c, dated != 0, n.WouldBe, time.Duration(open))
				}
			}
		}
	}
}

// A stall is not said of a run that cannot be placed: with the log of another run,
// however alike.
func TestPlacing(t *testing.T) {
	length := time.Minute
	stood := []stand{{20 * time.Second, 22 * time.Second, -1}}
	_, with, _ := closedRun(1, 4, 200, length, stood)
	_, calm, _ := closedRun(2, 4, 200, length, nil)
	later := func(all []served, by time.Duration) []served {
		out := slices.Clone(all)
		for i := range out {
			out[i].came, out[i].start, out[i].end = out[i].came+by, out[i].start+by, out[i].end+by
		}
		return out
	}
	fast := slices.Concat(with[:len(with)/2], calm[len(calm)/2:])
	for name, c := range map[string]struct {
		fold func(*detect.Table)
		want int
	}{
		"its own log": {func(x *detect.Table) { report(x, with, 0, 4, length, 0); writings[0].into(x, with, 1) }, 1},
		"another run's log, as many requests": {func(x *detect.Table) {
			report(x, calm[:min(len(calm), len(with))], 0, 4, length, 0)
			writings[0].into(x, with, 1)
		}, 0},
		"logs of two runs that are alike": {func(x *detect.Table) {
			report(x, with, 0, 4, length, 0)
			writings[0].into(x, with, 1)
			writings[0].into(x, later(with, time.Hour), 2)
		}, 0},
		"one log of two runs": {func(x *detect.Table) {
			report(x, with, 0, 4, length, 0)
			writings[0].into(x, slices.Concat(with, later(calm, 2*time.Minute)), 1)
		}, 0},
		"one log of two runs, by dates": {func(x *detect.Table) {
			report(x, with, 0, 4, length, epoch)
			writings[0].into(x, slices.Concat(with, later(calm, 2*time.Minute)), 1)
		}, 1},
		"dates of the other run": {func(x *detect.Table) {
			report(x, calm, 0, 4, length, epoch.Add(2*time.Minute))
			writings[0].into(x, slices.Concat(with, later(calm, 2*time.Minute)), 1)
		}, 0},
		"three days apart": {func(x *detect.Table) {
			report(x, with, 0, 4, length, epoch.Add(-72*time.Hour))
			writings[0].into(x, with, 1)
		}, 0},
		"a time zone apart": {func(x *detect.Table) {
			report(x, with, 0, 4, length, epoch.Add(-2*time.Hour))
			writings[0].into(x, with, 1)
		}, 1},
		"a log that was rotated away": {func(x *detect.Table) {
			report(x, with, 0, 4, length, 0)
			writings[0].into(x, with[len(with)/3:], 1)
		}, 0},
		"the length of another": {func(x *detect.Table) { report(x, fast, 0, 4, length/2, 0); writings[0].into(x, with, 1) }, 0},
		"one request in 100 more, as a warm-up": {func(x *detect.Table) {
			report(x, with[len(with)/110:], 0, 4, length, 0)
			writings[0].into(x, with, 1)
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			tab := &detect.Table{}
			c.fold(tab)
			tab.Finish()
			if found := judgeMissed(tab); len(found) != c.want {
				t.Errorf("%d findings, want %d: %+v", len(found), c.want, found)
			}
			if name == "three days apart" && len(judgeClocks(tab)) > 0 {
				t.Error("another run is no disagreement of clocks")
			}
		})
	}
}

// A stall in a log without a zone that is as long as one of another log, hours
// away, is a sign of a wrong zone; not where something stops both each hour, and at
// one hour they stood still together.
func TestZones(t *testing.T) {
	stood := func(seed uint64, from time.Duration, hours ...time.Duration) (all []served) {
		for _, h := range hours {
			_, part, _ := closedRun(seed, 1, 100, 20*time.Second, []stand{{10 * time.Second, 12 * time.Second, -1}})
			for _, x := range part {
				by := from + h*time.Hour
				all = append(all, served{x.came + by, x.start + by, x.end + by, x.op})
			}
		}
		return all
	}
	floating := writing{name: "floating", resolution: time.Millisecond, step: time.Millisecond, floating: true}
	for name, c := range map[string]struct {
		a, b []time.Duration
		want int
	}{
		"two hours apart": {[]time.Duration{2}, []time.Duration{0}, 1},
		"each hour":       {[]time.Duration{0, 1, 2}, []time.Duration{2}, 0},
		"at once":         {[]time.Duration{0}, []time.Duration{0}, 0},
	} {
		tab := &detect.Table{}
		floating.into(tab, stood(1, 0, c.a...), 0)
		writings[0].into(tab, stood(1, 0, c.b...), 1)
		tab.Finish()
		if found := judgeClocks(tab); len(found) != c.want {
			t.Errorf("%s: %d findings, want %d: %+v", name, len(found), c.want, found)
		}
	}
}
