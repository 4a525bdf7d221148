package retries

import (
	"math"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/words"
)

// How numbers stand in sentences: package words.
var (
	ms, millis, percent, count = words.Ms, words.Millis, words.Part[int64], words.Count
)

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
