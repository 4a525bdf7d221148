package omission

import (
	"math"
	"strconv"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/words"
)

// How numbers stand in sentences: package words.
var (
	msOf, short, percent, count, span = words.Ms, words.Short, words.Percent, words.Count, words.Between
)

func ms(ns int64) string { return words.Ms(time.Duration(ns)) }

// perSecond writes a rate.
func perSecond(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64) + "/s"
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + "/s"
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
