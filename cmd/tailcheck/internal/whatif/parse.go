package whatif

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bounds of what may be asked, so that every answer comes in seconds.
const (
	maxN        = 1_000_000
	maxDraws    = 20_000_000
	maxAllDraws = 100_000_000 // of all rows of a sweep
	maxTime     = 24 * time.Hour
	maxSwept    = 64      // rows of a sweep
	maxClassicN = 100_000 // the classic model looks at every node
)

// Time reads a time that is above 0, or at least 0 where zero is allowed.
func Time(flag, s string, zero bool) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	if err != nil || d < 0 || d > maxTime || d == 0 && !zero {
		want := "a time above 0"
		if zero {
			want = "a time of 0 or more"
		}
		return 0, fmt.Errorf("--%s %q: want %s, up to a day\nhint: --%s 20ms", flag, s, want, flag)
	}
	return d, nil
}

// Portion reads a share: "5%" or "0.05", above 0 and below 1.
func Portion(flag, s string) (float64, error) {
	text, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0) || !(v < 1) {
		return 0, fmt.Errorf("--%s %q: want a share between 0 and 100 %%\nhint: --%s 5%%", flag, s, flag)
	}
	return v, nil
}

// Whole checks a number that must be from 1 to most.
func Whole(flag string, n, most int) error {
	if n < 1 || n > most {
		return fmt.Errorf("--%s %d: want a number from 1 to %d", flag, n, most)
	}
	return nil
}

// Positive checks a number of a model that must be above 0 and not above most.
func Positive(flag string, v, most float64) error {
	if !(v > 0) || v > most || math.IsNaN(v) {
		return fmt.Errorf("--%s %v: want a number above 0, up to %v", flag, v, most)
	}
	return nil
}

// sweep is what "--sweep OVER[=VALUE,...]" asks for.
type sweep struct {
	over   string
	whole  []int           // n, k
	delays []time.Duration // delay
}

// parseSweep reads a sweep. Without values those of a default are left to the
// caller.
func parseSweep(s string) (*sweep, error) {
	if s == "" {
		return nil, nil
	}
	over, list, given := strings.Cut(s, "=")
	x := &sweep{over: strings.TrimSpace(over)}
	switch x.over {
	case "n", "k", "delay":
	default:
		return nil, fmt.Errorf("--sweep %q: want n, k or delay, with values or without\nhint: --sweep n=1,5,20,100", s)
	}
	if !given {
		return x, nil
	}
	for _, v := range strings.Split(list, ",") {
		if x.over == "delay" {
			d, err := Time("sweep delay", v, true)
			if err != nil {
				return nil, fmt.Errorf("--sweep %q: %q is no delay\nhint: --sweep delay=5ms,20ms,50ms", s, v)
			}
			x.delays = append(x.delays, d)
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil || n < 1 || n > maxN {
			return nil, fmt.Errorf("--sweep %q: %q is no number from 1 to %d\nhint: --sweep %s=1,5,20,100", s, v, maxN, x.over)
		}
		x.whole = append(x.whole, n)
	}
	if len(x.whole)+len(x.delays) > maxSwept {
		return nil, fmt.Errorf("--sweep: %d values, up to %d can be swept", len(x.whole)+len(x.delays), maxSwept)
	}
	return x, nil
}
