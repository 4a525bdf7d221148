package report

import (
	"math"
	"strconv"

	"github.com/tailcheck/tailcheck/correct/sla"
)

// millis writes a time of the contract, in milliseconds, as people read it.
func millis(ms float64) string {
	if !sensible(&ms) {
		return "unknown"
	}
	return sla.FormatTime(int64(math.Round(ms * 1e6)))
}

// sensible reports whether a time is known and can be one: three centuries are
// not.
func sensible(ms *float64) bool { return ms != nil && math.Abs(*ms) < 9e12 }

// known writes a time, or a dash.
func known(ms *float64) string {
	if !sensible(ms) {
		return "–"
	}
	return millis(*ms)
}

// plain writes a number with a few digits that matter.
func plain(f float64) string {
	switch a := math.Abs(f); {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return "unknown"
	case a >= 100:
		return trimZeros(strconv.FormatFloat(f, 'f', 1, 64))
	case a >= 1:
		return trimZeros(strconv.FormatFloat(f, 'f', 2, 64))
	case a >= 1e-9:
		return trimZeros(strconv.FormatFloat(f, 'f', 2-int(math.Floor(math.Log10(a))), 64))
	}
	return "0"
}

// percent writes a share of one with three digits.
func percent(share float64) string {
	if p := 100 * share; p >= 10 && p < 1000 {
		return trimZeros(strconv.FormatFloat(p, 'f', 1, 64)) + " %"
	}
	return plain(100*share) + " %"
}

func trimZeros(s string) string {
	for len(s) > 0 && s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if len(s) > 0 && s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s
}

// count writes a whole number with narrow groups of thousands.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	if n < 10000 && n > -10000 {
		return s
	}
	out := ""
	for len(s) > 3 && s[len(s)-4] != '-' {
		out = "," + s[len(s)-3:] + out
		s = s[:len(s)-3]
	}
	return s + out
}

// counted writes a number of things: "1 problem", "3 problems".
func counted(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}

// scale is the unit and the decimals that all times of one table share.
type scale struct {
	unit     float64 // in milliseconds
	name     string
	decimals int
}

// scaleOf chooses a scale: milliseconds, unless all of the times are far from
// them; three digits for the smallest.
func scaleOf(ms []float64) scale {
	low, high := math.Inf(1), 0.0
	for _, v := range ms {
		if v > 0 && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	s := scale{1, "ms", 1}
	switch {
	case high == 0:
		return s
	case low >= 10_000:
		s = scale{1000, "s", 1}
	case low < 1 && high < 10:
		s = scale{0.001, "µs", 1}
	}
	switch low /= s.unit; {
	case low < 0.1:
		s.decimals = 3
	case low < 10:
		s.decimals = 2
	}
	return s
}

func (s scale) number(ms float64) string {
	return strconv.FormatFloat(ms/s.unit, 'f', s.decimals, 64)
}

// time writes a time with its unit.
func (s scale) time(ms float64) string { return s.number(ms) + " " + s.name }
