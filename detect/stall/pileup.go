package stall

import (
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
		to := from + 1
		longest := slow[from].Latency
		for to < len(slow) {
			next := max(longest, slow[to].Latency)
			if endOf(slow[to]).Sub(endOf(slow[to-1])) > max(v.resolution, 20*time.Millisecond, next/50) || endOf(slow[to]).Sub(endOf(slow[from])) > max(v.resolution, next/5) {
				break
			}
			longest = next
			to++
		}
		if s := v.pileup(slow[from:to], longest); s != nil {
			all = append(all, s)
		}
		from = to
	}
	return all
}

func (v *view) pileup(held []detect.Slow, longest time.Duration) *stall {
	if len(held) < minHeld || longest < 2*v.resolution {
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
	s.held = slices.Clone(held)
	s.rate = float64(len(held)) / spread.Seconds()
	s.others = v.endsIn(s.from.Add(v.resolution), s.to.Add(-max(v.resolution, longest/5)))
	return s
}
