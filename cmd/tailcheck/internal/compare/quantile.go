package compare

import "math"

// family is the probability with which all intervals of a comparison hold
// together.
const family = 0.95

// each returns the probability with which a single interval misses when m of
// them hold together with the probability family (Bonferroni's inequality: no
// assumption about how they hang together).
func each(m int) float64 { return (1 - family) / float64(max(m, 1)) }

// ranks returns between which order statistics of n independent samples the
// quantile q of what they were drawn from lies, missed with a probability of at
// most alpha/2 on either side (David and Nagaraja, Order Statistics, 3rd edition,
// section 7.1). It assumes nothing about the distribution: how many samples lie
// at or below the quantile is binomial. They are fractional where n is. ok is
// false where n samples are too few: the quantile may lie outside all of them.
func ranks(q, n, alpha float64) (low, high float64, ok bool) {
	if !(n >= 1) || least(q, alpha) > n {
		return 0, 0, false
	}
	top := math.Floor(n)
	// low: the highest rank with P(at or below q < low) <= alpha/2
	a, b := 1.0, math.Floor(n*q)+1 // at a it holds, by least
	for b-a > 1 {
		if mid := math.Floor((a + b) / 2); binomial(mid-1, n, q) <= alpha/2 {
			a = mid
		} else {
			b = mid
		}
	}
	low = a
	// high: the lowest rank with P(at or below q >= high) <= alpha/2
	a, b = math.Floor(n*q), top // at b it holds
	for b-a > 1 {
		if mid := math.Floor((a + b) / 2); 1-binomial(mid-1, n, q) <= alpha/2 {
			b = mid
		} else {
			a = mid
		}
	}
	return low, b, true
}

// least is the smallest number of independent samples from which a two-sided
// interval of the quantile q has two ends: all of them lie below it with the
// probability q^n, all above it with (1-q)^n, and neither may exceed alpha/2.
func least(q, alpha float64) float64 {
	far := max(q, 1-q)
	if !(far > 0 && far < 1) {
		return math.Inf(1)
	}
	return math.Ceil(math.Log(alpha/2) / math.Log(far))
}

// binomial is P(X <= k) of n trials of probability p. n need not be whole.
func binomial(k, n, p float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	}
	if v := n * p * (1 - p); v > 1e8 { // the continued fraction would be long, and the normal law is as good
		return normal((k + 0.5 - n*p) / math.Sqrt(v))
	}
	return beta(1-p, n-k, k+1)
}

// normal is the distribution function of the standard normal law.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// deviations is how many standard deviations a normal variable exceeds with the
// probability alpha/2.
func deviations(alpha float64) float64 { return math.Sqrt2 * math.Erfinv(1-alpha) }

// student is the same for a variance that was estimated with df degrees of freedom.
func student(alpha, df float64) float64 {
	a, b := 0.0, 1.0
	tail := func(t float64) float64 { return beta(df/(df+t*t), df/2, 0.5) } // both tails
	for tail(b) > alpha && b < 1e9 {
		b *= 2
	}
	for range 60 {
		if mid := (a + b) / 2; tail(mid) > alpha {
			a = mid
		} else {
			b = mid
		}
	}
	return b
}

// beta is the regularised incomplete beta function I_x(a, b), by its continued
// fraction (Abramowitz and Stegun 26.5.8), evaluated after Lentz.
func beta(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2): // it converges fast below that only
		return 1 - beta(1-x, b, a)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(a*math.Log(x)+b*math.Log1p(-x)+lab-la-lb) / a
	const tiny = 1e-300
	c, d := 1.0, 1-(a+b)*x/(a+1)
	if math.Abs(d) < tiny {
		d = tiny
	}
	d = 1 / d
	f := d
	step := func(n float64) float64 {
		if d = 1 + n*d; math.Abs(d) < tiny {
			d = tiny
		}
		if c = 1 + n/c; math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		return c * d
	}
	for i := 1.0; i < 200_000; i++ {
		f *= step(i * (b - i) * x / ((a + 2*i - 1) * (a + 2*i)))
		delta := step(-(a + i) * (a + b + i) * x / ((a + 2*i) * (a + 2*i + 1)))
		if f *= delta; math.Abs(delta-1) < 1e-15 {
			break
		}
	}
	return min(front*f, 1)
}
