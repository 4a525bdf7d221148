// Package words writes numbers into sentences, in one way everywhere.
package words

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Ms writes a duration in milliseconds: with one decimal, and with three where
// that would leave nothing of it.
func Ms(d time.Duration) string {
	v := float64(d) / 1e6
	decimals := 1
	if math.Abs(v) < 1 && v != 0 {
		decimals = 3
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + " ms"
}

// Millis is a duration as a number of milliseconds, to the microsecond.
func Millis(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e3 }

// Short writes a number as people say it: 0.94, 4.2, 39, 12064; "?" for what is
// no number.
func Short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return "?"
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 1:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// Percent writes a share: 44 %, 1.2 %, 0.05 %; 0 % for what is no number.
func Percent(share float64) string {
	p := 100 * share
	if p >= 10 || p == 0 || math.IsNaN(p) {
		if math.IsNaN(p) {
			p = 0
		}
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(p, 'g', 2, 64) + " %"
}

// Part writes a part of a whole as Percent does; 0 % of nothing.
func Part[T int64 | time.Duration](part, whole T) string {
	if whole == 0 {
		return "0 %"
	}
	return Percent(float64(part) / float64(whole))
}

// Count writes a number of things: "1 request", "24 requests".
func Count(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + one + "s"
}

// Between writes a number that is between two: "12", "12 to 22".
func Between(low, high int64) string {
	if low == high {
		return strconv.FormatInt(low, 10)
	}
	return fmt.Sprintf("%d to %d", low, high)
}
