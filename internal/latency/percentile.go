// Package latency holds the mergeable summary of durations that every count of
// tailcheck rests on. It knows no record, only integers: nanoseconds and counts.
package latency

import (
	"math"
	"math/bits"
	"strconv"
)

// Percentile is a percentile in millionths of a percent: 99.9 % is 99_900_000.
// Ranks of it are exact, without floating point.
type Percentile int64

// Percentiles that tailcheck always prints.
const (
	P50   Percentile = 50_000_000
	P75   Percentile = 75_000_000
	P90   Percentile = 90_000_000
	P95   Percentile = 95_000_000
	P99   Percentile = 99_000_000
	P999  Percentile = 99_900_000
	P9999 Percentile = 99_990_000
	P100  Percentile = 100_000_000
)

// PercentileOf returns the Percentile of a number of percent, rounded to a
// millionth of a percent and held to 0…100; NaN is 0.
func PercentileOf(percent float64) Percentile {
	if math.IsNaN(percent) {
		return 0
	}
	return Percentile(math.Round(min(max(percent, 0), 100) * 1e6))
}

// Percent returns p in percent.
func (p Percentile) Percent() float64 { return float64(p) / 1e6 }

// String returns "p99.9".
func (p Percentile) String() string {
	return "p" + strconv.FormatFloat(p.Percent(), 'f', -1, 64)
}

// Rank returns the nearest rank of p over n samples: ceil(p·n/100), at least 1
// and at most n. It is 0 only for n = 0.
func (p Percentile) Rank(n int64) int64 {
	if n <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(p), uint64(n))
	q, rem := bits.Div64(hi, lo, uint64(P100))
	if rem > 0 {
		q++
	}
	return min(max(int64(q), 1), n)
}
