package compare

import "math"

// span is a number with an interval around it.
type span struct{ at, low, high float64 }

// ratio compares two independent positive numbers: how much larger head is than
// base, as a share of base, with an interval. It joins the two intervals on the
// scale of logarithms as variances add up (MOVER: Zou and Donner, Statistics in
// Medicine 27, 2008), which keeps them as lopsided as they are: tails are longer
// upwards.
//
// A careful comparison takes the far ends of both intervals instead: what was not
// seen of one run then cannot lie outside, whatever it is.
func ratio(base, head span, careful bool) (s span, ok bool) {
	if !(base.low > 0 && head.low > 0) {
		return s, false
	}
	d := math.Log(head.at) - math.Log(base.at)
	s.at = math.Expm1(d)
	if careful {
		s.low, s.high = head.low/base.high-1, head.high/base.low-1
		return s, true
	}
	s.low = math.Expm1(d - math.Hypot(math.Log(head.at/head.low), math.Log(base.high/base.at)))
	s.high = math.Expm1(d + math.Hypot(math.Log(head.high/head.at), math.Log(base.at/base.low)))
	return s, true
}

// shares compares two shares of counts: head's less base's, with an interval by
// Newcombe's method 10 (Statistics in Medicine 17, 1998): Wilson's score interval
// of each, joined as in ratio. Inflate is how many times fewer independent
// requests the runs are worth.
func shares(baseCount, base, headCount, head int64, alpha float64) span {
	b, h := wilson(baseCount, base, alpha), wilson(headCount, head, alpha)
	d := h.at - b.at
	return span{d, d - math.Hypot(h.at-h.low, b.high-b.at), d + math.Hypot(h.high-h.at, b.at-b.low)}
}

func wilson(count, of int64, alpha float64) span {
	z, n := deviations(alpha), float64(of)
	p := float64(count) / n
	mid := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return span{p, max(0, mid-half), min(1, mid+half)}
}
