package correct

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// search returns the smallest x at which the percentile may be (least) or must
// be (not least) at or below x. "The percentile is at or below x" is
// Σ (e - (1-p)·t) <= 0 over the samples, a sum of one-sample terms.
func (b *Bounded) search(p latency.Percentile, top int64, least bool) int64 {
	lo, hi := int64(-1), top
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if b.sign(p, mid, least) <= 0 {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// sign returns the sign of sum, without big numbers where no term needs them.
func (b *Bounded) sign(p latency.Percentile, x int64, least bool) int {
	var high int64 // 128 bits are enough: counts add up to less than 2^63
	var low uint64
	for _, g := range b.brackets {
		t := extreme(g.Low, g.High, x, b.interval, int64(p), least)
		v := int64(t.low)
		if t.high != v>>63 {
			return b.sum(p, x, least).Sign()
		}
		h, l := bits.Mul64(uint64(v), uint64(g.Count))
		if v < 0 {
			h -= uint64(g.Count) // Mul64 took v for v+2^64
		}
		var carry uint64
		low, carry = bits.Add64(low, l, 0)
		sum, _ := bits.Add64(uint64(high), h, carry)
		high = int64(sum)
	}
	switch {
	case high < 0:
		return -1
	case high == 0 && low == 0:
		return 0
	}
	return 1
}

func (b *Bounded) sum(p latency.Percentile, x int64, least bool) *big.Int {
	var sum, term, count, low big.Int
	for _, g := range b.brackets {
		t := extreme(g.Low, g.High, x, b.interval, int64(p), least)
		term.SetInt64(t.high)
		term.Add(term.Lsh(&term, 64), low.SetUint64(t.low))
		term.Mul(&term, count.SetInt64(g.Count))
		sum.Add(&sum, &term)
	}
	return &sum
}

// wide is a number of 128 bits. A sample of a month stands for 10^12 others at
// the shortest interval, and a term counts them in millionths of a percent.
type wide struct {
	high int64
	low  uint64
}

func (w wide) less(u wide) bool { return w.high < u.high || w.high == u.high && w.low < u.low }

// term is e - (1-p)·t of a sample v, in units of a millionth of a percent: e of
// the samples that it stands for are above x, t is how many they are.
func term(v, x, interval, p int64) wide {
	eh, el := bits.Mul64(uint64(over(v, x, interval)), uint64(latency.P100))
	th, tl := bits.Mul64(uint64(Stands(v, interval)), uint64(int64(latency.P100)-p))
	low, borrow := bits.Sub64(el, tl, 0)
	high, _ := bits.Sub64(eh, th, borrow)
	return wide{int64(high), low}
}

// extreme returns the least or largest term of a sample in [a, b]. Below x the
// term falls with v. Above x it is a staircase that rises by p every interval,
// so its least value is in the first interval above x and its largest in the
// last one below b, at or beside a step: a multiple of the interval, or b.
func extreme(a, b, x, interval, p int64, least bool) wide {
	best, first := wide{}, true
	try := func(v int64) {
		if v < a || v > b {
			return
		}
		if t := term(v, x, interval, p); first || least && t.less(best) || !least && best.less(t) {
			best, first = t, false
		}
	}
	try(a)
	try(x)
	if b <= x || !least {
		try(b)
	}
	s := max(a, x+1)
	if s > b {
		return best
	}
	try(s)
	if s <= math.MaxInt64-interval {
		try((s + interval - 1) / interval * interval)
	}
	if last := b/interval*interval - 1; !least && last >= s {
		try(last)
	}
	return best
}
