package retries

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// chain is the command that works out what the requests that lead to a call would
// become under other deadlines and retries.
func (h hop) chain() string {
	words := []string{"whatif", "chain", "--from", "FILE"}
	if h != (hop{}) {
		words = append(words, "--op", strings.TrimSpace(h.caller+" "+h.op))
	}
	return detect.Command(words...)
}

// lateCall is a call that was made for a caller that had gone: of several the one
// that comes first in the inputs.
type lateCall struct {
	hop hop
	pos ingest.Pos
	has bool
}

func (l *lateCall) keep(o lateCall) {
	if o.has && (!l.has || o.pos.Compare(l.pos) < 0) {
		*l = o
	}
}

// chain is the command for the chain that leads to the call; of the whole file,
// where only further steps of the same service came late.
func (l lateCall) chain() string {
	return l.hop.chain()
}

// mostTries is how many tries of a hop whatif takes.
const mostTries = 100

// chainOf is the command that works out what a retry budget would make of the
// tries in a proxy's log. It takes calls to fail one by one: so often that they
// come to as many tries for a request as the log has.
func chainOf(t *detect.Traffic, most int64) string {
	words := []string{"whatif", "chain", "--hops", "2", "--tries", strconv.FormatInt(min(max(most, 2), mostTries), 10)}
	if share := failing(float64(t.Tries)/float64(max(t.Tries-t.Repeats, 1)), int(min(max(most, 2), mostTries))); share < 0.9995 {
		words = append(words, "--failing", strconv.FormatFloat(max(math.Round(1000*share)/10, 0.1), 'f', -1, 64)+"%")
	}
	if cost := t.Wasted / time.Duration(max(t.Repeats, 1)); cost > 0 {
		words = append(words, "--cost", plainTime(cost))
	}
	return detect.Command(append(words, "--retry-budget", "20%")...)
}

// failing is the share of calls that fail, where up to so many tries come to a
// mean: the f of 1 + f + f² + … = mean, by bisection.
func failing(mean float64, tries int) float64 {
	low, high := 0.0, 1.0
	for range 40 {
		f := (low + high) / 2
		sum, term := 0.0, 1.0
		for range tries {
			sum += term
			term *= f
		}
		if sum < mean {
			low = f
		} else {
			high = f
		}
	}
	return high
}

// plainTime writes a time with two digits, in letters that need no quoting.
func plainTime(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 100 {
		unit *= 10
	}
	return strings.ReplaceAll(((d + unit/2) / unit * unit).String(), "µ", "u")
}
