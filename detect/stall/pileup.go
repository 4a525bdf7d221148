package stall

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Of requests that end at once.
const (
	minPiled  = 10 // that waited for the same moment: a browser sends six at a time, all of which end when its network is back
	minHeld   = 5  // of those that wait for the end of a silence
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

// dueOf is how many requests of the operations of some come in so long a time,
// about when they came.
func (v *view) dueOf(held []detect.Slow, long time.Duration) float64 {
	ops := map[string]bool{}
	for _, x := range held {
		ops[x.Op] = true
	}
	from, to := held[0].Start, endOf(held[0])
	for _, x := range held {
		from, to = min(from, x.Start), max(to, endOf(x))
	}
	due := 0.0
	for _, in := range v.inputs {
		if in.Window == 0 {
			continue
		}
		first, last := int64(from)/int64(in.Window)-1, int64(to)/int64(in.Window)+1
		n := int64(0)
		for _, row := range in.Rows() {
			if !ops[row.Op] {
				continue
			}
			for _, w := range row.Windows() {
				if w.Number >= first && w.Number <= last {
					n += w.Requests - 0
				}
			}
		}
		due += float64(n) * float64(long) / float64(time.Duration(last-first+1)*in.Window)
	}
	return due
}

// slowIn counts the requests that took so long and ended in a stretch of time.
func (v *view) slowIn(from, to ingest.Time, least time.Duration) (n int) {
	i, _ := slices.BinarySearchFunc(v.slow, from, func(s detect.Slow, t ingest.Time) int { return cmp.Compare(endOf(s), t) })
	for ; i < len(v.slow) && endOf(v.slow[i]) <= to; i++ {
		if v.slow[i].Latency >= least {
			n++
		}
	}
	return n
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
	width := v.moment(longest) + v.resolution
	if len(held) < minPiled || longest < 5*width {
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
	// How many of those that were as slow end in as short a time, before and after?
	first := endOf(held[0])
	density := func(from, to ingest.Time) float64 {
		return float64(v.slowIn(from, to, longest/5)) / float64(to.Sub(from))
	}
	usual := float64(width) * max(
		(density(first.Add(-longest), first.Add(longest))*float64(2*longest)-float64(len(held)))/float64(2*longest-width),
		density(first.Add(-10*width), first-1),
		density(s.to.Add(longest/5+1), s.to.Add(longest/5+10*width)))
	if float64(len(held)) < 4*usual+manyDeviations*math.Sqrt(usual+1) {
		return nil // a queue that is worked off ends one after the other, and so does what is slow by itself
	}
	s.held = slices.Clone(held)
	s.rate = float64(len(held)) / spread.Seconds()
	s.due0 = v.dueOf(held, s.length())
	s.others = v.endsIn(s.from.Add(v.resolution), s.to.Add(-max(v.resolution, longest/5)))
	return s
}
