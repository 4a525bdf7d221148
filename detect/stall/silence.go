package stall

import (
	"math"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Of silences. A server whose requests come independently of each other leaves
// gaps that are exponential; people and batches leave longer ones. So a silence
// must be long both for the local rate and beside the gaps that the log has
// anyhow.
const (
	minSilence  = 100 * time.Millisecond // shorter ones nobody waits for
	minExpected = 12.0                   // requests that ought to have ended in it, and the logarithm of the number of gaps more: chance alone has one in e^12
	minLonely   = 30.0                   // of a silence that nothing but itself speaks for
	minEnds     = 50                     // requests in all, below which nothing is usual
	overUsual   = 4                      // times the gap that all but a few are below
	lookAround  = 20                     // how many times its own length is looked at before and after it
)

// stall is a time in which a server answered nobody, or those who needed one
// thing.
type stall struct {
	from, to ingest.Time
	inputs   []int
	silence  bool          // nothing ended in it
	burst    int64         // requests that ended at once behind it, beyond the usual; 0: none
	held     []detect.Slow // requests that waited for its end
	pauses   []ingest.Pause
	rate     float64 // requests a second that came, or would have; 0: not known
	others   int64   // requests that ended in it nevertheless
	blur     time.Duration
}

func (s *stall) length() time.Duration { return s.to.Sub(s.from) }

// due is how many requests would have met it, at the rate around it.
func (s *stall) due() int64 { return int64(s.rate*s.length().Seconds() + 0.5) }

// gap is a time without a request that ended.
type gap struct{ from, to ingest.Time }

// silences finds the gaps that are too long for what goes on around them.
func (v *view) silences() (all []*stall) {
	if v.ends < minEnds {
		return nil
	}
	var gaps []gap
	var last ingest.Time
	for i := range v.bins {
		b := &v.bins[i]
		if b.Ends == 0 {
			continue
		}
		if last != 0 && b.FirstEnd > last {
			gaps = append(gaps, gap{last, b.FirstEnd})
		}
		last = b.LastEnd
	}
	usual := v.usualGap(gaps)
	for _, g := range gaps {
		if s := v.silence(g, usual, minExpected+math.Log(float64(len(gaps)))); s != nil {
			all = append(all, s)
		}
	}
	return all
}

// usualGap is the length that all but a few gaps do not pass: eight of them, or
// one in 200. What bins are too wide to show is shorter than a bin.
func (v *view) usualGap(gaps []gap) time.Duration {
	lengths := make([]time.Duration, len(gaps))
	for i, g := range gaps {
		lengths[i] = g.to.Sub(g.from)
	}
	slices.Sort(lengths)
	few := max(8, len(lengths)/200)
	if len(lengths) <= few {
		return v.resolution
	}
	return lengths[len(lengths)-1-few]
}

func (v *view) silence(g gap, usual time.Duration, expected float64) *stall {
	long := g.to.Sub(g.from)
	sure := long - v.resolution // it was at least as long
	if sure < minSilence || sure < overUsual*(usual-v.resolution) {
		return nil
	}
	around := max(lookAround*long, time.Second)
	burst := max(v.resolution, long/5, 50*time.Millisecond)
	// A stamp of a whole second stands for all of it; the seconds in which the
	// silence began and ended were not whole ones.
	coarse := v.resolution - time.Millisecond
	before := v.around(g.from.Add(-around-coarse), g.from.Add(-coarse))
	after := v.around(g.to.Add(burst-coarse-1), g.to.Add(burst-coarse-1+around))
	rate := min(before, after)
	if before == 0 || after == 0 {
		rate = max(before, after)
	}
	if rate*sure.Seconds() < expected {
		return nil
	}
	s := &stall{from: g.from, to: g.to, silence: true, rate: rate, inputs: v.indexes(), blur: v.resolution}
	at := v.endsIn(g.to-1, g.to.Add(burst)-1)
	if extra := float64(at) - max(before, after)*burst.Seconds(); extra >= 5 && extra >= 0.3*rate*sure.Seconds() {
		s.burst = int64(extra)
	}
	v.hold(s, burst)
	if s.burst == 0 && len(s.held) == 0 && (rate*sure.Seconds() < minLonely || 4*min(before, after) < max(before, after)) {
		return nil // chance, or a load that ended or began
	}
	s.sharpen()
	return s
}

// around is the rate in a stretch of time, without what of it lies outside the log.
func (v *view) around(from, to ingest.Time) float64 {
	from, to = max(from, v.first), min(to, v.last.Add(time.Millisecond-v.resolution)) // the last second is seldom whole
	if to.Sub(from) < 2*v.resolution {
		return 0
	}
	return v.rate(from, to)
}

// hold finds the requests that waited for the end of a silence: they ended just
// behind it, and had begun when it was not yet half over.
func (v *view) hold(s *stall, burst time.Duration) {
	longest := detect.Slow{}
	for _, x := range v.slow {
		end := endOf(x)
		if end < s.to.Add(-v.resolution) || end > s.to.Add(burst+v.resolution) || 2*x.Latency < s.length()-v.resolution || !v.unusual(x) {
			continue
		}
		s.held = append(s.held, x)
		if x.Latency > longest.Latency {
			longest = x
		}
	}
	if longest.Latency > 0 && longest.Latency <= s.length()+2*v.resolution { // it tells better than the stamps when it was
		s.from, s.to = longest.Start, endOf(longest)
		s.blur = v.resolution
	}
}

// sharpen moves a stall to the middle of where it may have been: stamps of whole
// seconds are cut, not rounded.
func (s *stall) sharpen() {
	if s.blur >= 100*time.Millisecond {
		s.from, s.to = s.from.Add(s.blur/2), s.to.Add(s.blur/2)
	}
}

// unusual reports whether a request took far longer than its operation does.
func (v *view) unusual(x detect.Slow) bool { return x.Latency >= 5*v.usual(x.Op) }
