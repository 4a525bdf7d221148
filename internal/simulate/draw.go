package simulate

import (
	"math"
	"math/rand/v2"
)

// gamma draws from the gamma distribution of a whole shape, scale 1: the time of
// the shape-th arrival of a Poisson process. Marsaglia and Tsang (2000); small
// shapes are sums of exponentials.
func gamma(r *rand.Rand, shape int) float64 {
	if shape <= 4 {
		sum := 0.0
		for range shape {
			sum += r.ExpFloat64()
		}
		return sum
	}
	d := float64(shape) - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := 1 - r.Float64()
		if u < 1-0.0331*x*x*x*x || math.Log(u) < x*x/2+d*(1-v+math.Log(v)) {
			return d * v
		}
	}
}

// smallest draws the k-th smallest of n independent uniform numbers (Devroye,
// Non-Uniform Random Variate Generation, 1986, V.3): beta(k, n-k+1), from two
// gammas. The largest has a form of its own, u^(1/n).
func smallest(r *rand.Rand, k, n int) float64 {
	if k >= n {
		return math.Exp(-r.ExpFloat64() / float64(n))
	}
	low := gamma(r, k)
	return low / (low + gamma(r, n+1-k))
}

// binomial draws how many of n independent trials succeed, each with chance p:
// trial by trial where few are left, by the gaps between successes where they are
// rare, and else by cutting the trials at the middle one in order of luck
// (Devroye 1986, X.4.3), which halves n each time.
func binomial(r *rand.Rand, n int, p float64) int {
	count := 0
	for {
		switch {
		case p <= 0 || n <= 0:
			return count
		case p >= 1:
			return count + n
		case p > 0.5:
			return count + n - binomial(r, n, 1-p)
		case float64(n)*p < 16:
			// Gaps between successes are geometric.
			lost := -1 / math.Log1p(-p)
			for at := 0.0; ; {
				if at += math.Floor(r.ExpFloat64()*lost) + 1; at > float64(n) {
					return count
				}
				count++
			}
		}
		i := (n + 1) / 2
		y := smallest(r, i, n)
		if y <= p {
			count += i
			n, p = n-i, (p-y)/(1-y)
		} else {
			n, p = i-1, p/y
		}
	}
}
