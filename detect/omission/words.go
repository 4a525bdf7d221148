package omission

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// ms writes a duration in milliseconds: with one decimal, and with three where
// that would leave nothing of it.
func ms(ns int64) string {
	v := float64(ns) / 1e6
	decimals := 1
	if math.Abs(v) < 1 && v != 0 {
		decimals = 3
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + " ms"
}

func msOf(d time.Duration) string { return ms(int64(d)) }

// short writes a number as people say it: 0.94, 4.2, 39, 12064.
func short(v float64) string {
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

// perSecond writes a rate.
func perSecond(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64) + "/s"
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + "/s"
}

// percent writes a share.
func percent(share float64) string {
	p := 100 * share
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

// span writes a number that is known between two.
func span(low, high int64) string {
	if low == high {
		return strconv.FormatInt(low, 10)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// fact names where a number is from, whatever the report left empty.
func fact(f ingest.Fact) string {
	if f == "" {
		return "report"
	}
	return string(f)
}

// round keeps as many digits as a reader of the numbers can use.
func round(v float64) float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	return math.Round(v*10) / 10
}

// evidence builds the list of a finding. Its methods return it again.
type evidence []detect.Evidence

func (e *evidence) add(what, got, want string) *evidence {
	*e = append(*e, detect.Evidence{What: what, Got: got, Want: want})
	return e
}

// at says where in the input the last one stands.
func (e *evidence) at(p ingest.Pos) {
	last := &(*e)[len(*e)-1]
	last.At, last.Has = p, true
}
