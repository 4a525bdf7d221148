package omission

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// axis is what the moments of sending and answering say, where a report has
// them: whether the load stood still, and who was waiting then.
type axis struct {
	pairs      []detect.Pair   // by start
	resolution time.Duration   // of the times; moments closer than this may be one
	serial     bool            // never two requests in flight at once
	overlap    int64           // most requests seen in flight at once: at least so many workers
	wave       int             // how many of the first pairs are the first requests of the workers
	gaps       []gap           // times in which nothing happened although somebody waited, by time
	upTo       []time.Duration // upTo[i]: length of gaps[:i]
}

// gap is a time in which requests were in flight and nothing was sent or answered.
type gap struct {
	from, to ingest.Time
	inFlight int64
	first    int64 // of those in flight, first requests of their workers
	ended    int64 // of those in flight, how many were answered no longer after it than it lasted
}

func (g gap) length() time.Duration { return g.to.Sub(g.from) }

// leastEvents is how many requests the mean rate must have promised inside a
// gap, at least, before the gap says anything.
const leastEvents = 10

// silence returns how many requests the mean rate must have promised inside a
// gap for it to be no accident. Where many workers answer independently, times
// between events are exponential at worst, and the longest of n is about ln n
// mean ones; 7 more make it one run in a thousand (e^-7).
func silence(n int64) float64 { return max(leastEvents, math.Log(float64(n))+7) }

// newAxis reads the time axis, or returns nil where there is none to be used:
// no times, or only of a part of the samples. workers is 0 where not known.
func newAxis(in *detect.Input, workers int) *axis {
	n := int64(len(in.Pairs))
	if n < 2 || n*10 < in.Samples*9 {
		return nil
	}
	first, last := in.Pairs[0].Start, in.Last
	if last <= first || last.Sub(first) <= 0 {
		return nil
	}
	a := &axis{pairs: in.Pairs, resolution: resolution(in.Pairs)}
	a.serial = a.isSerial()
	// A run that is too short for any gap to say something has bins of its
	// whole length: only the overlap comes out.
	whole := last.Sub(first)
	least := time.Duration(min(silence(n)/float64(n), 1)*float64(whole)) + 2*a.resolution
	if !a.search(first, last, max(least, 4), workers) {
		return nil
	}
	a.upTo = make([]time.Duration, 1, len(a.gaps)+1)
	for i, g := range a.gaps {
		a.upTo = append(a.upTo, a.upTo[i]+g.length())
	}
	return a
}

// resolution is the largest step of which all starts, or all ends, are
// multiples: some tools write whole seconds.
func resolution(pairs []detect.Pair) time.Duration {
	var s, e int64
	s0, e0 := pairs[0].Start, pairs[0].End()
	var perS, perE float64 // 1/s, 1/e
	for i := range pairs {
		if d := int64(pairs[i].Start - s0); !divides(s, perS, d) {
			s = gcd(s, d)
			perS = 1 / float64(s)
		}
		if d := int64(pairs[i].End() - e0); !divides(e, perE, d) {
			e = gcd(e, d)
			perE = 1 / float64(e)
		}
		if s == 1 && e == 1 {
			break
		}
	}
	return min(time.Duration(max(s, e, 0)), time.Minute)
}

// divides reports whether a divides b, by a product with 1/a, which is an order
// of magnitude faster than a division. It may miss that it does.
func divides(a int64, per float64, b int64) bool {
	return int64(float64(b)*per+0.5)*a == b && a != 0
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

func (a *axis) isSerial() bool {
	end := a.pairs[0].End()
	for i := range a.pairs[1:] {
		p := &a.pairs[i+1]
		if p.Start.Add(a.resolution) < end {
			return false
		}
		end = max(end, p.End())
	}
	return true
}

// search finds the gaps of at least least. It marks in which of many short bins
// anything happened; a run of empty ones is a candidate, and its exact edges
// come from a second look at the pairs. That is linear in the number of pairs,
// which sorting the ends would not be. The number of bins is below that of the
// pairs, because least is at least ten mean distances. It returns false where the
// times make no sense.
func (a *axis) search(first, last ingest.Time, least time.Duration, workers int) bool {
	shift := bits.Len64(uint64(least)/4) - 1 // a power of two, so that finding a bin is cheap
	width := time.Duration(1) << shift
	bins := int(last.Sub(first)>>shift) + 1
	bin := func(t ingest.Time) int { return min(max(int(t.Sub(first)>>shift), 0), bins-1) }
	flow := make([]int32, bins) // starts less ends
	busy := make([]uint64, bins/64+1)
	for i := range a.pairs {
		p := &a.pairs[i]
		from, end := p.Start.Sub(first), p.Start.Sub(first)+p.Latency
		s, e := uint(from>>shift), uint(end>>shift)
		if s >= uint(bins) || e >= uint(bins) {
			return false // a sample that ends before the first begins, or past what a time can hold
		}
		flow[s]++
		flow[max(end-a.resolution, 0)>>shift]-- // rounded times overlap by themselves
		busy[s>>6] |= 1 << (s & 63)
		busy[e>>6] |= 1 << (e & 63)
	}
	a.overlap = 1
	edges := make([]uint64, len(busy)) // bins beside a candidate
	var empty []int                    // first bin of each candidate, and the first behind it
	var inFlight int64
	for i, f := range flow {
		if inFlight += int64(f); !a.serial {
			a.overlap = max(a.overlap, inFlight)
		}
		if busy[i>>6]&(1<<(i&63)) != 0 {
			continue
		}
		if n := len(empty); n > 0 && empty[n-1] == i {
			empty[n-1] = i + 1
		} else {
			empty = append(empty, i, i+1)
		}
	}
	a.wave = int(a.overlap)
	if workers > 0 {
		a.wave = workers
	}
	for i := 0; i < len(empty); i += 2 {
		// The bins beside the empty ones may add almost one width each.
		from, to := empty[i], empty[i+1]
		if time.Duration(to-from+2)*width <= least || from == 0 || to >= bins {
			continue
		}
		a.gaps = append(a.gaps, gap{from: first.Add(time.Duration(from) * width), to: first.Add(time.Duration(to) * width)})
		edges[(from-1)>>6] |= 1 << ((from - 1) & 63)
		edges[to>>6] |= 1 << (to & 63)
	}
	if len(a.gaps) > 0 {
		a.refine(least, func(t ingest.Time) bool { b := bin(t); return edges[b>>6]&(1<<(b&63)) != 0 })
	}
	return true
}

// nearGaps is how many of the last gaps that a request spans may be the stall
// that it waited for: behind a long one often comes a short one, when the server
// goes on and nobody is done yet.
const nearGaps = 8

// refine replaces the edges of the candidates by the events beside them, counts
// who was in flight, and keeps those that are long enough. near reports whether
// a moment may be beside a candidate.
func (a *axis) refine(least time.Duration, near func(ingest.Time) bool) {
	rough := slices.Clone(a.gaps)
	for i := range a.gaps {
		a.gaps[i].from, a.gaps[i].to = math.MinInt64, math.MaxInt64
	}
	event := func(t ingest.Time) {
		// The first candidate that ends behind t: t is before it, and behind the one before.
		i := search(rough, func(g gap) bool { return g.to > t })
		if i < len(rough) {
			a.gaps[i].from = max(a.gaps[i].from, t)
		}
		if i > 0 {
			a.gaps[i-1].to = min(a.gaps[i-1].to, t)
		}
	}
	for i := range a.pairs {
		if p := &a.pairs[i]; near(p.Start) {
			event(p.Start)
		}
		if e := a.pairs[i].End(); near(e) {
			event(e)
		}
	}
	// Who was in flight: +1 from the first gap that a request spans, -1 behind
	// the last, so that long requests over many gaps cost no more than others.
	change := make([][2]int64, len(a.gaps)+1)
	from := 0
	for i := range a.pairs {
		p := &a.pairs[i]
		for from < len(a.gaps) && a.gaps[from].from < p.Start {
			from++ // they come by start
		}
		if from == len(a.gaps) {
			break
		}
		if p.End() < a.gaps[from].to {
			continue
		}
		to := search(a.gaps, func(g gap) bool { return g.to > p.End() })
		change[from][0]++
		change[to][0]--
		for j := to - 1; j >= max(from, to-nearGaps); j-- {
			if g := &a.gaps[j]; p.End().Sub(g.to) <= g.length() {
				g.ended++
			}
		}
		if i < a.wave {
			change[from][1]++
			change[to][1]--
		}
	}
	var all, wave int64
	for i := range a.gaps {
		all += change[i][0]
		wave += change[i][1]
		a.gaps[i].inFlight, a.gaps[i].first = all, wave
	}
	a.gaps = slices.DeleteFunc(a.gaps, func(g gap) bool { return g.inFlight == 0 || g.length() < least })
}

// search returns the index of the first element for which after is true; those
// come last.
func search[E any](s []E, after func(E) bool) int {
	return sort.Search(len(s), func(i int) bool { return after(s[i]) })
}

// covered returns which part of a request's time lies in gaps.
func (a *axis) covered(s detect.Slow) float64 {
	if s.Latency <= 0 {
		return 0
	}
	end := s.Start.Add(s.Latency)
	from := search(a.gaps, func(g gap) bool { return g.to > s.Start })
	to := search(a.gaps, func(g gap) bool { return g.from >= end })
	if from >= to {
		return 0
	}
	sum := a.upTo[to] - a.upTo[from]
	sum -= max(0, s.Start.Sub(a.gaps[from].from)) + max(0, a.gaps[to-1].to.Sub(end))
	return float64(sum) / float64(s.Latency)
}

// passed returns about how many requests were sent and answered while s was
// waiting, before the last tenth of it: those that its end let go are no sign.
// Sending alone is none, because an open loop sends into a stall as well.
func (a *axis) passed(s detect.Slow) float64 {
	until := s.Start.Add(s.Latency - s.Latency/10)
	from := search(a.pairs, func(p detect.Pair) bool { return p.Start > s.Start })
	to := search(a.pairs, func(p detect.Pair) bool { return p.Start >= until })
	// A look at some of them bounds the work.
	const looks = 256
	step := max(1, (to-from)/looks)
	n, looked := 0, 0
	for i := from; i < to; i += step {
		looked++
		if a.pairs[i].End() <= until {
			n++
		}
	}
	if looked == 0 {
		return 0
	}
	return float64(n) * float64(to-from) / float64(looked)
}
