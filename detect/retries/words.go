package retries

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// ms writes a duration in milliseconds: with one decimal, and with three where
// that would leave nothing of it.
func ms(d time.Duration) string {
	v := float64(d) / 1e6
	decimals := 1
	if math.Abs(v) < 1 && v != 0 {
		decimals = 3
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + " ms"
}

// millis is a duration as the numbers of a finding have it, to the microsecond.
func millis(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e3 }

// round2 keeps two decimals.
func round2(v float64) float64 { return math.Round(v*100) / 100 }

// decimal writes a number with at most two decimals.
func decimal(v float64) string { return strconv.FormatFloat(round2(v), 'f', -1, 64) }

// factor writes by how much something grows: 1.05, 2.0.
func factor(v float64) string {
	if v >= 1.95 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// percent writes a part of a whole; 0 of nothing.
func percent(part, whole int64) string {
	if whole == 0 {
		return "0 %"
	}
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

// list joins words: "a", "a and b", "a, b and c"; more than five are cut short.
func list(words []string) string {
	switch n := len(words); {
	case n == 0:
		return ""
	case n == 1:
		return words[0]
	case n > 5:
		return strings.Join(words[:4], ", ") + " and " + strconv.Itoa(n-4) + " more"
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

// evidence builds the list of a finding.
type evidence []detect.Evidence

func (e *evidence) add(what, got, want string) {
	*e = append(*e, detect.Evidence{What: what, Got: got, Want: want})
}

// at says where in the input the last one stands.
func (e *evidence) at(p ingest.Pos) {
	l := &(*e)[len(*e)-1]
	l.At, l.Has = p, true
}
