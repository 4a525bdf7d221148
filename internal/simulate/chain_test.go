package simulate

import (
	"math"
	"runtime"
	"testing"
	"time"
)

func tries(hops, n int) []int {
	out := make([]int, hops-1)
	for i := range out {
		out[i] = n
	}
	return out
}

// The tables of the literature, to the digit: leaf calls, elapsed, orphaned.
func TestChainTables(t *testing.T) {
	for _, c := range []struct {
		hops, tries, budget int
		policy              DeadlinePolicy
		fails               int64
		leaf, elapsed       int64
		orphaned            int64
		ok                  bool
	}{
		{hops: 2, tries: 3, leaf: 3, elapsed: 30}, {hops: 3, tries: 3, leaf: 9, elapsed: 90},
		{hops: 4, tries: 3, leaf: 27, elapsed: 270}, {hops: 5, tries: 3, leaf: 81, elapsed: 810},
		{hops: 2, tries: 3, budget: 45, policy: PassDeadline, leaf: 3, elapsed: 30}, {hops: 3, tries: 3, budget: 45, policy: PassDeadline, leaf: 4, elapsed: 40},
		{hops: 4, tries: 3, budget: 45, policy: PassDeadline, leaf: 4, elapsed: 40}, {hops: 5, tries: 3, budget: 45, policy: PassDeadline, leaf: 4, elapsed: 40},
		{hops: 3, tries: 3, budget: 45, leaf: 9, elapsed: 90}, {hops: 3, tries: 3, budget: 45, policy: EachDeadline, leaf: 6, elapsed: 60, orphaned: 10},
		{hops: 3, tries: 3, budget: 20, policy: PassDeadline, fails: 4, leaf: 2, elapsed: 20},
		{hops: 3, tries: 3, budget: 40, policy: PassDeadline, fails: 4, leaf: 4, elapsed: 40},
		{hops: 3, tries: 3, budget: 50, policy: PassDeadline, fails: 4, leaf: 5, elapsed: 50, ok: true},
		{hops: 3, tries: 3, budget: 60, policy: PassDeadline, fails: 4, leaf: 5, elapsed: 50, ok: true},
		{hops: 3, tries: 3, budget: 100, policy: PassDeadline, fails: 4, leaf: 5, elapsed: 50, ok: true},
		{hops: 4, tries: 3, budget: 100, policy: EachDeadline, leaf: 18, elapsed: 180, orphaned: 80},
		{hops: 4, tries: 3, budget: 100, policy: PassDeadline, leaf: 10, elapsed: 100},
		{hops: 4, tries: 3, budget: 200, policy: EachDeadline, leaf: 27, elapsed: 270, orphaned: 70},
		{hops: 4, tries: 3, budget: 200, policy: PassDeadline, leaf: 20, elapsed: 200},
		{hops: 3, tries: 3, budget: 90, leaf: 9, elapsed: 90}, {hops: 3, tries: 3, budget: 90, policy: EachDeadline, leaf: 9, elapsed: 90},
		{hops: 3, tries: 3, budget: 90, policy: PassDeadline, leaf: 9, elapsed: 90},
		// 2 tries double per hop, 4 tries quadruple
		{hops: 2, tries: 2, leaf: 2, elapsed: 20}, {hops: 3, tries: 2, leaf: 4, elapsed: 40}, {hops: 4, tries: 2, leaf: 8, elapsed: 80},
		{hops: 2, tries: 4, leaf: 4, elapsed: 40}, {hops: 3, tries: 4, leaf: 16, elapsed: 160}, {hops: 4, tries: 4, leaf: 64, elapsed: 640},
	} {
		fails := c.fails
		if fails == 0 {
			fails = -1
		}
		got := (&Chain{Tries: tries(c.hops, c.tries), Budget: time.Duration(c.budget) * ms, Policy: c.policy}).Run(ChainCase{Cost: 10 * ms, Fails: fails}, nil, nil)
		if got.Leaf != c.leaf || got.Elapsed != time.Duration(c.elapsed)*ms || got.Orphaned != time.Duration(c.orphaned)*ms || got.Success != c.ok {
			t.Errorf("%+v: got %+v", c, got)
		}
	}
	for i, want := range [][2]int64{{6, 3}, {21, 12}, {66, 39}, {201, 120}} {
		got := (&Chain{Tries: tries(i+2, 3)}).Run(ChainCase{Cost: 10 * ms, Fails: -1}, nil, nil)
		if got.Attempts() != want[0] || got.Distinct != want[1] {
			t.Errorf("%d hops: %d attempts, %d distinct, want %v", i+2, got.Attempts(), got.Distinct, want)
		}
	}
}

// If only the leaf fails, the chain of 27 tries makes (1-f^27)/(1-f) leaf calls:
// 1.01, 1.11, 2.00 and 27.
func TestChainExpectedCalls(t *testing.T) {
	for f, want := range map[float64]float64{0.01: 1.01, 0.1: 1.11, 0.5: 2.00, 1: 27} {
		exact := 27.0
		if f < 1 {
			exact = (1 - math.Pow(f, 27)) / (1 - f)
		}
		if math.Round(100*exact)/100 != want {
			t.Errorf("f=%g: closed form %.4f, want %.2f", f, exact, want)
		}
		for seed := range uint64(10) {
			got := (&Chain{Tries: tries(4, 3)}).Draw(20_000, ChainCase{Cost: 10 * ms}, f, seed)
			if d := math.Abs(got.Leaf.Mean() - exact); d > 4*got.Leaf.Error()+1e-9 {
				t.Errorf("f=%g, seed %d: %.4f ± %.4f, want %.4f", f, seed, got.Leaf.Mean(), got.Leaf.Error(), exact)
			}
		}
	}
}

func TestChainExtensions(t *testing.T) {
	down := ChainCase{Cost: 10 * ms, Fails: -1}
	// Pauses of 10 and 20 ms at one hop of three tries.
	if got := (&Chain{Tries: []int{3}, Pause: Backoff{First: 10 * ms, Factor: 2}}).Run(down, nil, nil); got.Elapsed != 60*ms {
		t.Errorf("with pauses: %v, want 60ms", got.Elapsed)
	}
	// Full jitter halves them in the mean.
	m := (&Chain{Tries: []int{3}, Pause: Backoff{First: 10 * ms, Factor: 2, Jitter: true}}).Draw(50_000, down, 1, 1)
	if d := math.Abs(m.Elapsed.Mean() - 45); d > 4*m.Elapsed.Error() {
		t.Errorf("with jitter: %.3f, want 45", m.Elapsed.Mean())
	}
	// A budget of 20 %: in the long run each hop adds a fifth to what it is
	// called, 1.2 · 1.2 · 1.2 = 1.728 instead of 27.
	m = (&Chain{Tries: tries(4, 3), Share: 0.2}).Draw(1024*64, down, 1, 1)
	if math.Abs(m.Leaf.Mean()-1.728) > 0.02 {
		t.Errorf("with a budget: %.4f leaf calls, want 1.728", m.Leaf.Mean())
	}
	// An entry that gives up at 60 ms while ten calls of 15 ms go on: six of them
	// begin after that, at 60, 75, … 135.
	work := ChainCase{Cost: 15 * ms, Steps: []int{1, 10}}
	got := (&Chain{Tries: []int{1, 1}, Budget: 60 * ms, Policy: EntryDeadline, Cut: true}).Run(work, nil, nil)
	if got.Leaf != 10 || got.Elapsed != 150*ms || got.Waited != 60*ms || got.Orphaned != 90*ms || got.Success {
		t.Errorf("abandoned: %+v", got)
	}
	got = (&Chain{Tries: []int{1, 1}, Budget: 65 * ms, Policy: PassDeadline, Cut: true}).Run(work, nil, nil)
	if got.Leaf != 5 || got.Elapsed != 65*ms || got.Orphaned != 0 || got.Success {
		t.Errorf("passed on: %+v", got)
	}
}

func TestChainSameOnAnyNumberOfCores(t *testing.T) {
	c := Chain{Tries: tries(4, 3), Share: 0.2, Pause: Backoff{First: ms, Factor: 2, Jitter: true}}
	with := func(cores int) ChainMeans {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		return *c.Draw(20_000, ChainCase{Cost: ms}, 0.3, 7)
	}
	if with(1) != with(5) {
		t.Error("the result depends on the number of cores")
	}
}

func BenchmarkChain(b *testing.B) {
	c := Chain{Tries: tries(4, 3), Share: 0.2}
	for b.Loop() {
		c.Draw(100_000, ChainCase{Cost: ms}, 0.5, 1)
	}
}
