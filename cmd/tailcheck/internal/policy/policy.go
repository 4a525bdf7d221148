// Package policy reads the retry and timeout settings that people already have
// (gRPC service config, Envoy, Istio), chains them, and works out what no single
// file says: the calls and the time that one request can become.
package policy

import (
	"fmt"
	"math"
	"time"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
)

// Forever is a time without an end: no timeout is set.
const Forever = time.Duration(math.MaxInt64)

// Place is where in a file something stands.
type Place = yamltext.Place

// Error is something that cannot be used, and where it stands.
type Error = yamltext.Error

// Policy is what one caller's settings say about one kind of call.
type Policy struct {
	Place
	System string   // "grpc", "envoy", "istio", "chain" (given by hand)
	Names  []string // that it may be asked for by: method, route, cluster, host; the first is shown
	Hosts  []string // Istio: the hosts that a DestinationRule may speak of; Envoy: clusters

	Tries    int // the first included; at least 1
	Stated   int // tries that the file says, where the system allows fewer; else 0
	Timeout  time.Duration
	PerTry   time.Duration // one try may take this long; Forever: as long as the call
	Default  bool          // the timeout is the system's own, nothing in the file says it
	Backoff  Backoff
	Hedge    bool          // further tries are sent while earlier ones still run
	Delay    time.Duration // between hedged tries; 0: all at once
	RetryOn  []string      // conditions or status codes, lower case
	Methods  []string      // HTTP methods that the route takes, upper case; nil: any
	Budget   string        // what limits retries over all requests; empty: nothing known
	PassesOn bool          // the callee is told the deadline, and ends its work by then; only a chain file can say so
	Notes    []Note
}

// Note is what a setting means that is easily read otherwise.
type Note struct {
	Place
	Text string
}

func (p *Policy) note(at Place, format string, args ...any) {
	p.Notes = append(p.Notes, Note{at, fmt.Sprintf(format, args...)})
}

// Backoff is the pause before a retry.
type Backoff struct {
	Base, Max  time.Duration
	Multiplier float64 // 0: 2
	Low, High  float64 // jitter: a pause is between Low and High times the nominal one
}

// pauses returns the longest time that all pauses of so many tries take, or the
// shortest.
func (b Backoff) pauses(tries int, longest bool) time.Duration {
	factor := b.Low
	if longest {
		factor = b.High
	}
	m := b.Multiplier
	if m == 0 {
		m = 2
	}
	var sum time.Duration
	next := float64(b.Base)
	for range min(tries-1, maxTries) {
		sum = add(sum, duration(factor*min(next, float64(b.Max))))
		next = min(next*m, float64(b.Max)) // grows no further, so no overflow
	}
	return sum
}

// maxTries is the most tries of a hop that are reckoned with; a setting above it
// is an error.
const maxTries = 10_000

func duration(v float64) time.Duration {
	if !(v < float64(Forever)) {
		return Forever
	}
	return time.Duration(max(v, 0))
}

// add adds times; what is without an end stays so.
func add(a, b time.Duration) time.Duration {
	if a > Forever-b {
		return Forever
	}
	return a + b
}

// times multiplies a time.
func times(n int64, d time.Duration) time.Duration {
	if n > 0 && int64(d) > int64(Forever)/n {
		return Forever
	}
	return time.Duration(n) * d
}
