package ingest

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"time"
)

// ParseDecimal reads a plain decimal number ("12", "-0.0512", "1_000" is not
// one) and returns it times scale, exactly, rounded half up where the number
// has more digits than scale can hold; unit is the value of one unit of its
// last digit (scale for a whole number, at least 1). Exponents ("9.29E-4") are
// read by way of a float. ok is false for anything else, for infinities and
// NaN, and for what does not fit.
func ParseDecimal(b []byte, scale int64) (value, unit int64, ok bool) {
	i, neg := 0, false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		neg = b[i] == '-'
		i++
	}
	var whole, frac uint64
	digits, fracDigits := 0, 0
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if whole > (math.MaxInt64-9)/10 {
			return 0, 0, false
		}
		whole = whole*10 + uint64(b[i]-'0')
		digits++
	}
	div := uint64(1)
	if i < len(b) && b[i] == '.' {
		for i++; i < len(b) && b[i]-'0' <= 9; i++ {
			if fracDigits < 18 {
				frac = frac*10 + uint64(b[i]-'0')
				div *= 10
				fracDigits++
			}
			digits++
		}
	}
	if digits == 0 {
		return 0, 0, false
	}
	if i < len(b) {
		if b[i] != 'e' && b[i] != 'E' {
			return 0, 0, false
		}
		f, err := strconv.ParseFloat(string(b), 64)
		f *= float64(scale)
		if err != nil || math.Abs(f) >= 1<<62 {
			return 0, 0, false
		}
		return int64(math.Round(f)), 1, true
	}
	hi, lo := bits.Mul64(whole, uint64(scale))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, 0, false
	}
	fh, fl := bits.Mul64(frac, uint64(scale))
	q, rem := bits.Div64(fh, fl, div) // frac < div, so the quotient is below scale
	if rem >= div-rem && rem != 0 {
		q++
	}
	v := lo + q
	if v > math.MaxInt64 {
		return 0, 0, false
	}
	value = int64(v)
	if neg {
		value = -value
	}
	return value, max(1, scale/int64(div)), true
}

// units are the suffixes that load tools print behind a duration.
var units = map[string]time.Duration{
	"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond, "usec": time.Microsecond,
	"ms": time.Millisecond, "msec": time.Millisecond, "s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "h": time.Hour,
}

// ParseUnit reads a number with its unit ("635.91us", "1.43s", "19.54m",
// "0.0512 secs") and returns it with the value of one unit of its last digit.
// A number without a unit is not one.
func ParseUnit(b []byte) (value, unit time.Duration, ok bool) {
	b = bytes.TrimSpace(b)
	i := 0
	for i < len(b) && (b[i]-'0' <= 9 || b[i] == '.' || b[i] == '-' || b[i] == '+') {
		i++
	}
	scale, known := units[string(bytes.TrimSpace(b[i:]))]
	if !known {
		return 0, 0, false
	}
	v, u, ok := ParseDecimal(b[:i], int64(scale))
	return time.Duration(v), time.Duration(u), ok
}

// UnitByName returns the duration of a unit's name ("ms", "us", "s"), or false.
func UnitByName(name string) (time.Duration, bool) {
	u, ok := units[name]
	return u, ok
}
