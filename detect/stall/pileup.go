package stall

import (
	"math"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Of requests that end at once.
const (
	minHeld   = 5 // that waited for the same moment
	minWait   = 100 * time.Millisecond
	minSpread = 0.4 // of the longest wait: over so much of it they came
	// manyDeviations is how many standard deviations more they must be than end in
	// as short a time by chance.
	manyDeviations = 6.0
)

// pileups finds requests that came at different times and ended at the same one:
// they waited for the same thing. Others may have been answered meanwhile. It
// finds them among the slowest that are kept of each log.
func (v *view) pileups() (all []*stall) {
	var slow []detect.Slow
	for _, x := range v.slow {
		if x.Latency >= minWait && v.unusual(x) {
			slow = append(slow, x)
		}
	}
	for from := 0; from < len(slow); {
		held := v.together(slow[from:])
		s := v.pileup(held)
		if s == nil {
			from++
			continue
		}
		from += len(held)
		for from < len(slow) && endOf(slow[from]).Sub(endOf(slow[from-1])) <= v.moment(s.length())/2 && endOf(slow[from]) <= s.to.Add(s.length()/5) {
			s.held = append(s.held, slow[from]) // what it held is answered one after the other
			from++
		}
		s.sharpen()
		all = append(all, s)
	}
	return all
}

// moment is how far apart ends of requests may be that waited for one thing.
func (v *view) moment(longest time.Duration) time.Duration {
	return max(v.resolution, 20*time.Millisecond, longest/100)
}

// together returns those of the first requests that end at once.
func (v *view) together(slow []detect.Slow) []detect.Slow {
	longest := time.Duration(0)
	for i, x := range slow {
		longest = max(longest, x.Latency)
		if endOf(x).Sub(endOf(slow[0])) > v.moment(longest) {
			return slow[:i]
		}
	}
	return slow
}

// pileup tells whether requests that end at once waited for that moment: more of
// them than end in so short a time by chance, and they had begun at many times.
func (v *view) pileup(held []detect.Slow) *stall {
	longest := time.Duration(0)
	for _, x := range held {
		longest = max(longest, x.Latency)
	}
	if len(held) < minHeld || 2*longest < 3*v.resolution {
		return nil
	}
	var starts []ingest.Time
	s := &stall{inputs: v.indexes(), blur: v.resolution}
	for _, x := range held {
		starts = append(starts, x.Start)
		if x.Latency == longest && s.from == 0 {
			s.from, s.to = x.Start, endOf(x)
		}
	}
	slices.Sort(starts)
	spread := starts[len(starts)-1].Sub(starts[0])
	if float64(spread) < minSpread*float64(longest) || len(slices.Compact(starts)) < 3 {
		return nil
	}
	around := v.around(s.from.Add(-lookAround*longest), s.from)
	if around == 0 {
		around = v.around(s.to.Add(longest), s.to.Add(lookAround*longest))
	}
	usual := around * v.moment(longest).Seconds()
	if float64(len(held)) < usual+manyDeviations*math.Sqrt(usual+1) {
		return nil // a queue that is worked off ends one after the other, too
	}
	s.held = slices.Clone(held)
	s.rate = float64(len(held)) / spread.Seconds()
	s.others = v.endsIn(s.from.Add(v.resolution), s.to.Add(-max(v.resolution, longest/5)))
	return s
}
