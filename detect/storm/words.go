package storm

import (
	"strconv"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/internal/words"
)

// How numbers stand in sentences: package words.
var (
	ms, millis, percent, count, span = words.Ms, words.Millis, words.Part[time.Duration], words.Count, words.Between
)

// short writes a number as people say it: 4.2, 39, 12064.
func short(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// evidence builds the list of a finding.
type evidence []detect.Evidence

func (e *evidence) add(what, got, want string) {
	*e = append(*e, detect.Evidence{What: what, Got: got, Want: want})
}
