package sla

import (
	"math/big"
	"math/bits"

	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// value is what is known about a metric of all requests, those without a full
// latency included.
type value struct {
	correct.Range
	censored bool // High is infinite because of requests without a full latency
	printed  bool // the report prints the metric, or it was computed from samples
}

// value returns a metric of a distribution with the lost requests put back.
func (c Case) value(f correct.Figures, o Objective) value {
	open := c.Lost > 0 || c.Bounded > 0
	lost := max(c.Lost, 0)
	switch o.Metric {
	case Max:
		r := f.Max()
		x := value{Range: r, printed: r.Known()}
		if open {
			if lost > 0 {
				x.Low = max(x.Low, c.CensoredAt)
			}
			x.High, x.censored = correct.Infinite, true
		}
		return x
	case Mean:
		r := f.Mean()
		x := value{Range: r, printed: r.Known()}
		if open {
			x.Low = c.mean(r.Low, c.count(f), lost)
			x.High, x.censored = correct.Infinite, true
		}
		return x
	}
	x := c.quantile(f, o.Percentile)
	x.printed = x.IsValue()
	if p, ok := f.(interface {
		IsPrinted(latency.Percentile) bool
	}); ok {
		x.printed = p.IsPrinted(o.Percentile)
	}
	return x
}

// count returns the number of requests that left the latencies in f; 0: not known.
func (c Case) count(f correct.Figures) int64 {
	if n := f.Count(); n > 0 {
		return n
	}
	if c.Counted {
		return max(0, c.Requests-c.Lost)
	}
	return 0
}

// mean returns the least mean of n latencies of a mean and lost ones put back
// at where they are known to be, rounded down.
func (c Case) mean(mean, n, lost int64) int64 {
	if lost == 0 {
		return mean
	}
	if n == 0 {
		return min(mean, c.CensoredAt)
	}
	sum := new(big.Int).Mul(big.NewInt(mean), big.NewInt(n))
	sum.Add(sum, new(big.Int).Mul(big.NewInt(lost), big.NewInt(c.CensoredAt)))
	return sum.Div(sum, new(big.Int).Add(big.NewInt(n), big.NewInt(lost))).Int64()
}

// quantile returns percentile p of all requests. With n latencies and m lost
// requests put back at L or more, the request of rank r of all n+m has a latency
// of at least min(x[r], max(L, x[r-m])) and at most x[r], where x are the sorted
// latencies and x[r] is without limit for r > n. Latencies that are lower bounds
// themselves only move the upper end.
func (c Case) quantile(f correct.Figures, p latency.Percentile) value {
	m, b := max(c.Lost, 0), max(c.Bounded, 0)
	if m == 0 && b == 0 {
		return value{Range: f.Percentile(p)}
	}
	n := c.count(f)
	if n == 0 || n > 1<<62-m {
		low := f.Percentile(p).Low
		if m > 0 {
			low = min(low, c.CensoredAt)
		}
		return value{Range: correct.Range{Low: low, High: correct.Infinite}, censored: true}
	}
	r := p.Rank(n + m)
	at, same := c.rank(f, p, n, m, r)
	x := value{Range: at}
	if m > 0 && !same {
		least := c.CensoredAt
		if r > m {
			least = max(least, f.Percentile(below(r-m, n)).Low)
		}
		x.Low = min(at.Low, least)
	}
	if b > 0 && (c.CensoredAt <= 0 || x.High >= c.CensoredAt) {
		x.High = correct.Infinite
		if b <= n-r {
			x.High = f.Percentile(above(r+b, n)).High
		}
	}
	x.censored = x.High == correct.Infinite && (r > n || b > 0)
	return x
}

// tolerated is how much of a tail lost requests may be before a percentile that
// the tool printed is no longer taken for that of all requests: 1/tolerated.
// Tools differ by one rank in what they call a percentile anyway (omission
// rules), which in a tail of a hundred requests is as much.
const tolerated = 10

// rank returns what is known of the r-th of n sorted latencies, r being the rank
// of p with m lost ones put back. A summary knows only the percentiles that were
// printed: p itself (same is true) is used where the lost requests move its rank
// by no more than one, or are a small part of the tail.
func (c Case) rank(f correct.Figures, p latency.Percentile, n, m, r int64) (x correct.Range, same bool) {
	if r > n {
		return correct.Range{Low: correct.Infinite, High: correct.Infinite}, false
	}
	x = correct.Range{Low: f.Percentile(below(r, n)).Low, High: f.Percentile(above(r, n)).High}
	if at := f.Percentile(p); !x.IsValue() && at.IsValue() && (r-p.Rank(n) <= 1 || m <= (n+m-r)/tolerated) {
		return at, true
	}
	return x, false
}

// below and above return percentiles of n samples whose nearest rank is r; from
// a hundred million samples on, at most or at least r.
func below(r, n int64) latency.Percentile {
	p, _ := share(r, n)
	return p
}

func above(r, n int64) latency.Percentile {
	p, rest := share(r, n)
	if rest > 0 && n > int64(latency.P100) {
		p++
	}
	return p
}

// share returns r of n as a percentile, rounded down, and the remainder.
func share(r, n int64) (latency.Percentile, uint64) {
	r = min(max(r, 0), n)
	hi, lo := bits.Mul64(uint64(r), uint64(latency.P100))
	q, rest := bits.Div64(hi, lo, uint64(n))
	return latency.Percentile(q), rest
}
