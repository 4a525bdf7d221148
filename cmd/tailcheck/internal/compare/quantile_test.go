package compare

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Tables of the binomial, the normal and Student's law, as every textbook has them.
func TestLaws(t *testing.T) {
	near(t, "P(X <= 1) of 10 at 1/2", binomial(1, 10, 0.5), 11.0/1024, 1e-12)
	near(t, "P(X <= 4) of 10 at 1/2", binomial(4, 10, 0.5), 386.0/1024, 1e-12)
	near(t, "P(X <= 0) of 5 at 0.3", binomial(0, 5, 0.3), math.Pow(0.7, 5), 1e-12)
	near(t, "P(X <= 999999) of a million at 0.999999", binomial(999_999, 1e6, 0.999999), 1-math.Pow(0.999999, 1e6), 1e-9)
	near(t, "two-sided 5 % of the normal law", deviations(0.05), 1.959964, 1e-6)
	near(t, "two-sided 1 % of the normal law", deviations(0.01), 2.575829, 1e-6)
	near(t, "two-sided 5 % of Student's law, 7", student(0.05, 7), 2.364624, 1e-5)
	near(t, "two-sided 5 % of Student's law, 31", student(0.05, 31), 2.039513, 1e-5)
	near(t, "two-sided 1 % of Student's law, 31", student(0.01, 31), 2.744042, 1e-5)
	sum, p := 0.0, math.Pow(0.99, 400)
	for k := range 10 { // P(X <= 9) of 400 at 0.01, term by term
		sum += p
		p *= float64(400-k) / float64(k+1) * 0.01 / 0.99
	}
	near(t, "P(X <= 9) of 400 at 0.01", binomial(9, 400, 0.01), sum, 1e-12)
}

// Ranks of a median's interval from tables (Conover, Practical Nonparametric
// Statistics, table A3; Hahn and Meeker, Statistical Intervals, section 5.2).
func TestRanks(t *testing.T) {
	for _, c := range []struct{ q, n, alpha, low, high float64 }{
		{0.5, 10, 0.05, 2, 9},
		{0.5, 20, 0.05, 6, 15},
		{0.5, 100, 0.05, 40, 61},
		{0.9, 100, 0.05, 84, 96},
	} {
		low, high, ok := ranks(c.q, c.n, c.alpha)
		if !ok || low != c.low || high != c.high {
			t.Errorf("q %v of %v: %v to %v, %v; want %v to %v", c.q, c.n, low, high, ok, c.low, c.high)
		}
	}
}

// Each rank is the last that holds: one further and a side misses too often.
func TestRanksAreTight(t *testing.T) {
	for _, q := range []float64{0.1, 0.5, 0.9, 0.99, 0.999} {
		for _, n := range []float64{40, 367, 1000, 4382, 100_000, 5_000_000} {
			low, high, ok := ranks(q, n, 0.05)
			if ok != (n >= least(q, 0.05)) {
				t.Errorf("q %v of %v: %v", q, n, ok)
			}
			if !ok {
				continue
			}
			if binomial(low-1, n, q) > 0.025 || binomial(low, n, q) <= 0.025 {
				t.Errorf("q %v of %v: low %v", q, n, low)
			}
			if 1-binomial(high-1, n, q) > 0.025+1e-12 || 1-binomial(high-2, n, q) <= 0.025 || high > n {
				t.Errorf("q %v of %v: high %v", q, n, high)
			}
		}
	}
}

// All n samples lie below the quantile q with the probability q^n. That it is
// below 2.5 % takes 368 for p99: 0.99^367 = 0.02501. (Both sides together: with
// 299 samples the interval from the least to the largest misses p99 with 4.95 %,
// all of it above; an interval with equal sides takes more.)
func TestLeast(t *testing.T) {
	for q, want := range map[float64]float64{0.5: 6, 0.9: 36, 0.99: 368, 0.999: 3688} {
		if got := least(q, 0.05); got != want {
			t.Errorf("%v: %v, want %v", q, got, want)
		}
		if n := least(q, 0.05); math.Pow(q, n) > 0.025 || math.Pow(q, n-1) <= 0.025 {
			t.Errorf("%v: %v", q, n)
		}
	}
	near(t, "0.99^299", math.Pow(0.99, 299), 0.0495, 0.0001)
}

// Newcombe, Statistics in Medicine 17 (1998): of proportions 81 of 263 and 1 of
// 29 (pages 857-872, table I), of differences 56/70 less 48/80 (pages 873-890,
// table II, method 10).
func TestShares(t *testing.T) {
	w := wilson(81, 263, 0.05)
	near(t, "81 of 263, low", w.low, 0.2553, 5e-5)
	near(t, "81 of 263, high", w.high, 0.3662, 5e-5)
	w = wilson(1, 29, 0.05)
	near(t, "1 of 29, low", w.low, 0.0061, 5e-5)
	near(t, "1 of 29, high", w.high, 0.1718, 5e-5)
	d := shares(48, 80, 56, 70, 0.05)
	near(t, "56/70 less 48/80", d.at, 0.2, 1e-12)
	near(t, "low", d.low, 0.0524, 5e-5)
	near(t, "high", d.high, 0.3339, 5e-5)
}

// By hand: 100 ± 3 and 110 ± 4 of equal relative halves.
func TestRatio(t *testing.T) {
	a, b := span{100, 97, 103}, span{110, 106, 114}
	r, ok := ratio(a, b, false)
	up := math.Hypot(math.Log(114.0/110), math.Log(100.0/97))
	down := math.Hypot(math.Log(110.0/106), math.Log(103.0/100))
	near(t, "at", r.at, 0.1, 1e-12)
	near(t, "low", r.low, 1.1*math.Exp(-down)-1, 1e-12)
	near(t, "high", r.high, 1.1*math.Exp(up)-1, 1e-12)
	far, _ := ratio(a, b, true)
	near(t, "careful low", far.low, 106.0/103-1, 1e-12)
	near(t, "careful high", far.high, 114.0/97-1, 1e-12)
	if !ok || far.low > r.low || far.high < r.high {
		t.Error("the careful interval does not hold the other")
	}
	if _, ok := ratio(span{5, 0, 9}, b, false); ok {
		t.Error("an interval that reaches down to zero has no ratio")
	}
}
