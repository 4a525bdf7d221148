package omission

import (
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// findWave looks whether the slow requests at the top are the first ones of the
// workers: connections that are set up, handshakes, caches that are empty, code
// that is not compiled yet. They are about as many as the workers, all at the
// start, and apart from the rest.
func (f *facts) findWave() {
	a := f.axis
	if a == nil || a.wave <= 0 || len(a.pairs) < 4*a.wave || a.wave > detect.MaxSlowest {
		return
	}
	var first, rest time.Duration
	for i := range a.pairs {
		l := a.pairs[i].Latency
		if i < a.wave {
			first = max(first, l)
		} else {
			rest = max(rest, l)
		}
	}
	if rest > first/2 {
		return // not apart, or not the slowest
	}
	var n int64
	for _, p := range a.pairs[:a.wave] {
		if p.Latency > first/2 {
			n++
		}
	}
	if 2*n < int64(a.wave) {
		return // some of them: that is no wave
	}
	t := &f.tail
	t.wave, t.waveMax, t.max = n, int64(first), int64(rest)
}

// inWave reports whether a request is one of the first.
func (f *facts) inWave(start ingest.Time) bool {
	a := f.axis
	return start != 0 && start <= a.pairs[a.wave-1].Start
}
