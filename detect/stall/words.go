package stall

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/words"
)

// How numbers stand in sentences: package words.
var msOf, percent = words.Ms, words.Percent

// took writes a duration as people say it: 2.0 s, 450.0 ms.
func took(d time.Duration) string {
	if d >= time.Second {
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s"
	}
	return msOf(d)
}

// dated is from when on a moment is a date and no offset: 2001.
const dated = ingest.Time(1e18)

// at writes a moment, to the digits that are known of it.
func at(t ingest.Time, blur time.Duration) string {
	if t < dated {
		return "+" + strconv.FormatFloat(t.Sub(0).Seconds(), 'f', 3, 64) + " s"
	}
	if blur >= time.Second {
		return time.Unix(0, int64(t)).UTC().Round(time.Second).Format("2006-01-02 15:04:05 UTC")
	}
	return time.Unix(0, int64(t)).UTC().Format("2006-01-02 15:04:05.000 UTC")
}

// clock writes the time of day of a moment.
func clock(t ingest.Time, blur time.Duration) string {
	s := at(t, blur)
	if t >= dated {
		return s[11 : len(s)-4]
	}
	return s
}

func rateOf(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64) + "/s"
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64) + "/s"
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + "/s"
}

// evidence builds the list of a finding. Its methods return it again.
type evidence []detect.Evidence

func (e *evidence) add(what, got, want string) *evidence {
	*e = append(*e, detect.Evidence{What: what, Got: got, Want: want})
	return e
}

// place says where in the input the last one stands.
func (e *evidence) place(p ingest.Pos) {
	last := &(*e)[len(*e)-1]
	last.At, last.Has = p, true
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}
