package omission

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// table of samples given as (start, latency) in milliseconds.
func sampled(ms ...[2]int64) *detect.Table {
	t := &detect.Table{}
	t.Add(&ingest.Run{Loop: ingest.Closed, Treated: ingest.Raw})
	for i, x := range ms {
		t.Add(&ingest.Sample{
			Pos: ingest.Pos{Offset: int64(i + 1)}, Vantage: ingest.Client,
			Start: ingest.Relative(time.Duration(x[0]) * time.Millisecond), Latency: time.Duration(x[1]) * time.Millisecond,
		})
	}
	t.Finish()
	return t
}

// slowGaps finds the gaps by sorting all events, and counts who was in flight by
// asking everybody.
func slowGaps(pairs []detect.Pair, least time.Duration) []gap {
	type event struct {
		at    ingest.Time
		start bool
	}
	var events []event
	for _, p := range pairs {
		events = append(events, event{p.Start, true}, event{p.End(), false})
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	var out []gap
	for i := 1; i < len(events); i++ {
		g := gap{from: events[i-1].at, to: events[i].at}
		for _, p := range pairs {
			if p.Start <= g.from && p.End() >= g.to {
				g.inFlight++
			}
		}
		if g.length() >= least && g.inFlight > 0 {
			out = append(out, g)
		}
	}
	return out
}

func TestGapsAgainstSortedEvents(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		var in [][2]int64
		workers := 1 + r.IntN(5)
		for range workers {
			at := r.Int64N(20)
			for range 5 + r.IntN(60) {
				l := 1 + r.Int64N(20)
				if r.IntN(15) == 0 {
					l = 100 + r.Int64N(3000)
				}
				in = append(in, [2]int64{at, l})
				at += l + r.Int64N(30)*int64(r.IntN(2))
			}
		}
		input := sampled(in...).Input(0)
		a := newAxis(input, 0)
		n := float64(len(in))
		least := time.Duration(min(silence(int64(n))/n, 1)*float64(input.Last.Sub(input.First))) + 2*a.resolution
		want := slowGaps(input.Pairs, max(least, 4))
		if len(a.gaps) != len(want) {
			t.Fatalf("seed %d: %d gaps %v, want %d %v", seed, len(a.gaps), a.gaps, len(want), want)
		}
		for i, g := range a.gaps {
			if g.from != want[i].from || g.to != want[i].to || g.inFlight != want[i].inFlight {
				t.Fatalf("seed %d: gap %v, want %v", seed, g, want[i])
			}
		}
		if a.overlap > int64(workers) || workers == 1 && !a.serial {
			t.Errorf("seed %d: overlap %d of %d workers, serial %v", seed, a.overlap, workers, a.serial)
		}
	}
}

func TestAxisOfOneWorker(t *testing.T) {
	var in [][2]int64
	at := int64(0)
	for i := range 200 {
		l := int64(50)
		if i == 149 {
			l = 2000
		}
		in = append(in, [2]int64{at, l})
		at += l
	}
	a := newAxis(sampled(in...).Input(0), 0)
	if !a.serial || a.overlap != 1 || a.resolution != 50*time.Millisecond {
		t.Errorf("serial %v, overlap %d, resolution %v", a.serial, a.overlap, a.resolution)
	}
	// knowledge: (2000, 80) leaves out 24; the gap of the stall is 2000.
	if got := a.skipped(80 * time.Millisecond); got != 24 {
		t.Errorf("skipped %d", got)
	}
}

func TestCoveredAndPassed(t *testing.T) {
	var in [][2]int64
	for i := range int64(200) {
		in = append(in, [2]int64{10 * i, 5}, [2]int64{10*i + 3, 5})
	}
	in = append(in, [2]int64{2000, 1000}, [2]int64{2001, 999}) // nothing from 2001 to 3000
	for i := range int64(200) {
		in = append(in, [2]int64{3001 + 10*i, 5}, [2]int64{3004 + 10*i, 5})
	}
	in = append(in, [2]int64{3500, 1000}) // others go on
	input := sampled(in...).Input(0)
	a := newAxis(input, 0)
	slow := func(start int64) detect.Slow {
		return detect.Slow{Start: ingest.Relative(time.Duration(start) * time.Millisecond), Latency: time.Second}
	}
	if got := a.covered(slow(2000)); got < 0.99 || got > 1 {
		t.Errorf("stalled request covered %v", got)
	}
	if got := a.covered(slow(3500)); got != 0 {
		t.Errorf("request on its own covered %v", got)
	}
	if got := a.passed(slow(2000)); got != 0 {
		t.Errorf("%v passed the stalled request", got)
	}
	// 180 of them by hand: one every 5 ms, of the first 900 ms, but for the last.
	if got := a.passed(slow(3500)); got < 176 || got > 181 {
		t.Errorf("%v passed the other, want about 180", got)
	}
}

// Whole seconds: events stand still between the ticks of a coarse clock.
func TestCoarseClockIsNoStall(t *testing.T) {
	var in [][2]int64
	for s := range int64(20) {
		for i := range int64(50) {
			in = append(in, [2]int64{1000 * s, 10 + 17*i})
		}
		in = append(in, [2]int64{1000 * s, 1100})
	}
	if a := newAxis(sampled(in...).Input(0), 0); len(a.gaps) > 0 || a.resolution != time.Second {
		t.Errorf("resolution %v, gaps %v", a.resolution, a.gaps)
	}
}

func TestOrdinaryGap(t *testing.T) {
	// knowledge, check 8: a lognormal with sigma 2 has gaps of 1.6, 18 and 128
	// at 200, 12 000 and a million samples; 30 is strong at 12 000, not at 10^6.
	for _, c := range []struct {
		n    int64
		want float64
	}{{200, leastGap}, {12000, beyond * 17.6}, {1000000, beyond * 128}} {
		if got := ordinaryGap(c.n, 99_000_000, 1, 1); got < 0.98*c.want || got > 1.02*c.want {
			t.Errorf("n = %d: %v, want %v", c.n, got, c.want)
		}
	}
	// The body of a lognormal with sigma 1 (p99 is 10.2 medians) explains more
	// than one with sigma 0.1.
	wide, tight := ordinaryGap(1000, 99_000_000, 10.2, 1), ordinaryGap(1000, 99_000_000, 1.26, 1)
	if wide <= tight {
		t.Errorf("wide body %v, tight body %v", wide, tight)
	}
}
