package amplification

import (
	"math"
	"math/bits"
	"time"
)

// grid counts, for thresholds an eighth of an octave apart, how many calls of a
// request took longer: the sums over requests of that number, of its square, and
// of whether it is above 0. Which threshold matters (the p99 of the calls) is
// known only when all are summed up; then the grid tells whether slow calls come
// together, exactly for the threshold next to it. It is sums only.
//
// Each element is what to add for its threshold and all below.
type grid struct {
	over, squares, any [gridSize]int64
}

const gridSize = 62 * 8

// gridOf returns the index of the threshold at or below a duration: its octave,
// and the eighth in it.
func gridOf(d time.Duration) int {
	v := uint64(max(d, 8))
	e := bits.Len64(v) - 1
	return (e-3)*8 + int(v>>(e-3))&7
}

// add adds the calls of a request, sorted by how long they took.
func (g *grid) add(took []time.Duration) {
	for i := len(took) - 1; i >= 0; {
		j := gridOf(took[i])
		n := int64(len(took) - 1 - i)
		for i--; i >= 0 && gridOf(took[i]) == j; i-- {
		}
		m := int64(len(took) - 1 - i)
		if j == 0 {
			break
		}
		// They are over all thresholds below j's end, that is from index j-1 down.
		g.over[j-1] += m - n
		g.squares[j-1] += m*m - n*n
		if n == 0 {
			g.any[j-1]++
		}
	}
}

func (g *grid) merge(o *grid) {
	for i := range g.over {
		g.over[i] += o.over[i]
		g.squares[i] += o.squares[i]
		g.any[i] += o.any[i]
	}
}

// together is how slow calls are spread over requests.
type together struct {
	share      float64 // of calls that are slow
	seen       float64 // share of requests that meet one
	expected   float64 // the same if slow calls were independent: the mean of 1-(1-share)^n
	dispersion float64 // variance of their number in a request, over that if they were independent
	z          float64 // how far seen is from expected, in standard errors
}

// judge looks at the threshold that as nearly as possible one call in a hundred
// is over. Requests is how many there were, widths how many calls they had.
func (g *grid) judge(requests int64, widths []width) (together, bool) {
	var over, squares, any, calls int64
	var n, n2 float64
	for _, w := range widths {
		n += float64(w.calls) * float64(w.requests)
		n2 += float64(w.calls) * float64(w.calls) * float64(w.requests)
		calls += w.calls * w.requests
	}
	var out together
	best := math.Inf(1)
	t := float64(requests)
	for j := gridSize - 1; j >= 0; j-- {
		over, squares, any = over+g.over[j], squares+g.squares[j], any+g.any[j]
		if over == 0 || over == calls {
			continue
		}
		p := float64(over) / float64(calls)
		far := math.Abs(math.Log(p / 0.01))
		if far >= best || p > 0.2 {
			continue
		}
		best = far
		out = together{share: p, seen: float64(any) / t}
		for _, w := range widths {
			out.expected += float64(w.requests) / t * -math.Expm1(float64(w.calls)*math.Log1p(-p))
		}
		mean := float64(over) / t
		variance := float64(squares)/t - mean*mean
		// With n calls a request: p(1-p)E[n] if they are independent, and p²Var(n)
		// because requests differ in n.
		out.dispersion = (variance - p*p*(n2/t-n/t*n/t)) / (p * (1 - p) * n / t)
		if e := out.expected; e > 0 && e < 1 {
			out.z = (out.seen - e) / math.Sqrt(e*(1-e)/t)
		}
	}
	return out, !math.IsInf(best, 1)
}

// width is how many requests made so many calls.
type width struct{ calls, requests int64 }
