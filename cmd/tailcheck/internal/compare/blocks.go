package compare

import (
	"math"

	"github.com/tailcheck/tailcheck/correct"
)

// Requests of one run hang together: behind a slow one others wait, and a run of
// 10,000 with one stall has met one stall, however many were in it. How much is
// measured in blocks of requests that were sent one after the other (batch means,
// the oldest method for output of simulations: Law, Simulation Modeling and
// Analysis, section 9.5.3): were they independent, the share of slow ones would
// differ from block to block as the binomial law says. By how much more its
// variance is, by so much fewer independent requests the run is worth.
const (
	mostBlocks  = 32 // long blocks hold what hangs together; Schmeiser (1982) finds 10 to 30 enough
	leastBlocks = 8
	inBlock     = 10 // requests at least
)

// blocks returns how many blocks n requests are cut into at first; 0: too few.
func blocks(n int) int {
	if k := min(n/inBlock, mostBlocks); k >= leastBlocks {
		return k
	}
	return 0
}

// counting says what one request counts for: itself, or, where the run is
// filled, itself and those that it kept from being sent.
type counting struct{ interval int64 } // of the fill; 0: none

// weigh returns how many requests a latency stands for, and how many of them are
// slower than x.
func (c counting) weigh(v, x int64) (all, above float64) {
	if c.interval <= 0 {
		if v > x {
			return 1, 1
		}
		return 1, 0
	}
	n := correct.Stands(v, c.interval)
	if v <= x {
		return float64(n), 0
	}
	return float64(n), float64(min(n, (v-x-1)/c.interval+1))
}

// beyond is how much of what hangs together may reach over the ends of a block. At
// a fifth two runs of 2,000 requests behind a queue four fifths full are called
// different in 5.6 % of 2,000 seeds, at a tenth in 3.5 %.
const beyond = 0.1

// inflation is by how much the variance of the share of requests slower than x
// exceeds that of independent requests, and at least 1. Latencies are in the
// order in which requests were sent. That it is an estimate itself, of a few
// blocks, is paid for with Student's law in the place of the normal one.
//
// Requests that hang together over f/2 of their neighbours on either side make it
// about f; what reaches over the ends of blocks is not seen in them, a share of
// f/2 of the block's length. It is put back. Where it is much, fewer and longer
// blocks are tried; where it is much in the longest, the run is too short to hold
// what hangs together several times: infinite.
func inflation(latencies []int64, c counting, x int64, alpha float64) float64 {
	for k := blocks(len(latencies)); k >= leastBlocks; k /= 2 {
		f, missed := inBlocks(latencies, c, x, k)
		if missed > beyond {
			continue
		}
		t := student(alpha, float64(k-1)) / deviations(alpha)
		return max(1, f/(1-missed)*t*t)
	}
	if blocks(len(latencies)) == 0 {
		return 1
	}
	return math.Inf(1)
}

// inBlocks is the inflation that k blocks show, and what share of it they miss.
func inBlocks(latencies []int64, c counting, x int64, k int) (f, missed float64) {
	all, above := make([]float64, k), make([]float64, k)
	var n, slow float64
	for i, v := range latencies {
		w, a := c.weigh(v, x)
		b := int(int64(i) * int64(k) / int64(len(latencies)))
		all[b] += w
		above[b] += a
		n += w
		slow += a
	}
	share := slow / n
	if share <= 0 || share >= 1 {
		return 1, 0
	}
	var sum float64
	for b := range all {
		r := above[b] - share*all[b]
		sum += r * r
	}
	f = sum * float64(k) / float64(k-1) / (n * share * (1 - share))
	return f, f / (2 * n / float64(k))
}

// clumping is the same where times are not known, for what a fill makes of each
// slow request alone: those that it adds are not independent of it.
func clumping(d *correct.Sampled, c counting, x int64) float64 {
	if c.interval <= 0 || d == nil {
		return 1
	}
	var n, slow float64
	for _, v := range d.Values() {
		w, a := c.weigh(v.V, x)
		n += w * float64(v.Count)
		slow += a * float64(v.Count)
	}
	share := slow / n
	if share <= 0 || share >= 1 {
		return 1
	}
	var sum float64
	for _, v := range d.Values() {
		w, a := c.weigh(v.V, x)
		r := a - share*w
		sum += r * r * float64(v.Count)
	}
	return max(1, sum/(n*share*(1-share)))
}
