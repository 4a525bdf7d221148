package amplification

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/internal/words"
)

// How numbers stand in sentences: package words.
var (
	ms, inMs, percent, short, count = words.Ms, words.Millis, words.Percent, words.Short, words.Count
)

// operation writes an operation: "feed-api GET /feed".
func operation(o calltree.Operation) string {
	switch {
	case o.Service == "":
		return nameOr(o.Op, "(no name)")
	case o.Op == "":
		return o.Service
	}
	return o.Service + " " + o.Op
}

// calls names the operation of calls; the service only where it is not that of
// the parent.
func (k hopKey) calls() string {
	if k.leaf.Service == k.parent.Service {
		return clip(nameOr(k.leaf.Op, "(no name)"))
	}
	return clip(operation(k.leaf))
}

// clip shortens a name in a sentence: operations may be whole statements.
func clip(name string) string {
	const most = 80 // characters
	n := 0
	for i := range name {
		if n++; n > most {
			return name[:i] + "…"
		}
	}
	return name
}

func nameOr(name, none string) string {
	if name == "" {
		return none
	}
	return name
}

// ordinal writes a quantile as a percentile: "98.9th".
func ordinal(quantile float64) string {
	text := strconv.FormatFloat(math.Floor(quantile*1000+0.5)/10, 'f', -1, 64)
	if quantile < 1 && text == "100" {
		text = "99.9"
	}
	end := "th"
	if n := len(text); n < 2 || text[n-2] != '1' {
		switch text[n-1] {
		case '1':
			end = "st"
		case '2':
			end = "nd"
		case '3':
			end = "rd"
		}
	}
	return text + end
}

// quantile writes a quantile with as many digits as tell it from 1.
func quantile(q float64) string {
	if q > 0.999 && q < 1 {
		return strconv.FormatFloat(q, 'f', 4, 64)
	}
	return strconv.FormatFloat(q, 'f', 3, 64)
}

// atLeast is put before a number that is a lower bound where traces are not
// complete.
func atLeast(incomplete bool) string {
	if incomplete {
		return "at least "
	}
	return ""
}

// ratio is a/b; 0 where b is 0.
func ratio[T int64 | time.Duration](a, b T) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// evidence is the list of a finding.
type evidence []detect.Evidence

func (e *evidence) add(what, got, want string) {
	*e = append(*e, detect.Evidence{What: what, Got: got, Want: want})
}

func (e *evidence) addf(what, want, got string, args ...any) {
	e.add(what, fmt.Sprintf(got, args...), want)
}

// round4 rounds a quantile to four digits, and never up to 1.
func round4(q float64) float64 {
	r := math.Round(q*1e4) / 1e4
	if q < 1 && r == 1 {
		return q
	}
	return r
}
