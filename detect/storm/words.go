package storm

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/tailcheck/tailcheck/detect"
)

// ms writes a duration in milliseconds: with one decimal, and with three where
// that would leave nothing of it.
func ms(d time.Duration) string {
	v := float64(d) / 1e6
	decimals := 1
	if v < 1 && v != 0 {
		decimals = 3
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + " ms"
}

// millis is a duration as a number of milliseconds, to the microsecond.
func millis(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e3 }

// short writes a number as people say it: 4.2, 39, 12064.
func short(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// percent writes a part of a whole.
func percent(part, whole time.Duration) string {
	p := 100 * float64(part) / float64(whole)
	if p >= 10 || p == 0 {
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(p, 'g', 2, 64) + " %"
}

// count writes a number of things: "1 request", "24 requests".
func count(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + one + "s"
}

// span writes a number that is between two.
func span(low, high int64) string {
	if low == high {
		return strconv.FormatInt(low, 10)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// evidence builds the list of a finding.
type evidence []detect.Evidence

func (e *evidence) add(what, got, want string) {
	*e = append(*e, detect.Evidence{What: what, Got: got, Want: want})
}
