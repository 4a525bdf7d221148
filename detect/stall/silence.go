package stall

import (
	"math"
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
	mostLonely  = 5 * time.Minute        // of a silence that no long request speaks for: longer ones are nights, and parts of logs that are lost
	mostAlike   = 2                      // gaps at least half as long around one that has a burst behind it
	fewGaps     = 8                      // gaps that may all be stalls
	mostBroken  = 0.05                   // of the time around it passes without an answer for as long as 3 of minExpected: as by chance, e^-3, if what comes in clumps is counted by its clumps
	part        = 0.25                   // of the rate around it that must be seen within half its length
	mostBurst   = time.Minute            // nobody waits longer for an answer to what he has waited for
	dueShare    = 0.5                    // of what was due, that ends at once behind it: the rest when the server has caught up
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
	due0     float64 // requests of the operations of a pile-up that came in as long a time; 0: it is none
	others   int64   // requests that ended in it nevertheless
	blur     time.Duration
}

func (s *stall) length() time.Duration { return s.to.Sub(s.from) }

// due is how many requests would have met it, at the rate around it.
func (s *stall) due() int64 { return int64(s.rate*s.length().Seconds() + 0.5) }

// silences finds the gaps that are too long for what goes on around them.
func (v *view) silences() (all []*stall) {
	if v.ends < minEnds {
		return nil
	}
	v.gaps = v.gapsOf()
	usual := v.usualGap()
	expected := minExpected + math.Log(float64(len(v.gaps)))
	for _, g := range v.gaps {
		if s := v.silence(g, usual, expected); s != nil {
			all = append(all, s)
		}
	}
	return all
}

func (v *view) silence(g gap, usual time.Duration, expected float64) *stall {
	long := g.length()
	sure := long - v.resolution // it was at least as long
	if sure < minSilence || sure < overUsual*(usual-v.resolution) {
		return nil
	}
	around := max(lookAround*long, time.Second)
	burst := min(max(v.resolution, long/5, 50*time.Millisecond), mostBurst)
	// A stamp of a whole second stands for all of it; the seconds in which the
	// silence began and ended were not whole ones.
	coarse := v.resolution - time.Millisecond
	before := v.around(g.from.Add(-around-coarse), g.from.Add(-coarse))
	after := v.around(g.to.Add(2*long), g.to.Add(2*long+around)) // when those that waited are worked off
	if rest := g.to.Add(max(burst, long/2) - coarse - 1); after == 0 && v.last.Sub(rest) > max(long/4, v.resolution) {
		after = v.rate(rest, v.last.Add(-coarse)) // nor is the last one
	}
	rate := before
	if after > 0 {
		rate = min(before, after)
	}
	if rate*sure.Seconds() < expected {
		return nil // chance, or a load that began
	}
	if v.broken(g.from.Add(-around), g.from, sure/overUsual)+v.broken(g.to, g.to.Add(around), sure/overUsual) > 2*mostBroken {
		return nil // who asks comes and goes
	}
	// Close to it, too, requests must end: what is slow by itself ends alone, when a
	// load has ended or before one begins.
	half := max(long/2, 2*v.resolution) // the second in which it began was not whole
	if least := part * rate * half.Seconds(); float64(v.endsIn(g.from.Add(-half), g.from)) < least || float64(v.endsIn(g.to-1, g.to.Add(half))) < least {
		return nil
	}
	s := &stall{from: g.from, to: g.to, silence: true, rate: rate, inputs: v.indexes(), blur: v.resolution}
	calm := max(before, after)
	if behind := g.to.Add(burst); after == 0 && v.last.Sub(behind) > burst {
		calm = max(calm, v.rate(behind, v.last)) // what goes on is no burst
	}
	s.burst = v.burst(g, burst, rate*long.Seconds(), calm)
	v.hold(s, burst)
	if len(s.held) == 0 && v.tells() {
		s.burst = 0 // who had waited would have said so
	}
	if after == 0 && s.burst == 0 && (len(s.held) < minHeld || float64(len(s.held)) < dueShare*rate*sure.Seconds()) {
		return nil // a load that ended, and what was slow of it
	}
	if thin, high := v.coarse(g, around, rate); thin && len(s.held) < minHeld {
		return nil
	} else if high {
		s.burst = 0
	}
	if len(s.held) == 0 {
		alike := v.alike(g, around)
		switch {
		case sure > mostLonely || alike > mostAlike || v.broken(g.from.Add(-around), g.from, sure*3/time.Duration(expected))+v.broken(g.to, g.to.Add(around), sure*3/time.Duration(expected)) > 2*mostBroken:
			return nil // who asks comes and goes, or a night
		case s.burst == 0 && (alike > 0 || rate*sure.Seconds() < minLonely || 4*min(before, after) < max(before, after)):
			return nil // chance, or a load that ended or began
		}
	}
	s.sharpen()
	return s
}

// burst returns how many more requests than usual ended at once behind a silence
// in which so many were due; 0: they are none of those that waited for its end.
// More cannot have waited than were due: where more come, it is the load that
// has grown.
func (v *view) burst(g gap, within time.Duration, due, usual float64) int64 {
	extra := func(d time.Duration) (more, chance float64) {
		usual := usual * d.Seconds()
		return float64(v.endsIn(g.to-1, g.to.Add(d)-1)) - usual, math.Sqrt(usual + 1)
	}
	more, chance := extra(within)
	if more < max(5, dueShare*due, 4*chance) {
		return 0
	}
	if all, chance := extra(2 * g.length()); all > 2*due+4*chance {
		return 0
	}
	return int64(more)
}

// around is the rate in a stretch of time, without what of it lies outside the log.
func (v *view) around(from, to ingest.Time) float64 {
	from, to = max(from, v.first), min(to, v.last.Add(time.Millisecond-v.resolution)) // the last second is seldom whole
	if to.Sub(from) < 2*v.resolution {
		return 0
	}
	return v.rate(from, to)
}

// hold finds the requests that waited for the end of a silence: they had begun
// about when it did or in it, and ended just behind it. One of them, at least,
// waited for most of it. One that had begun long before is slow by itself; and
// where most of what was in flight at first went on being so, the end of one is no
// end of a silence for all.
func (v *view) hold(s *stall, burst time.Duration) {
	var held []detect.Slow
	longest := detect.Slow{}
	whole, others := 0, 0
	for _, x := range v.slow {
		ended := endOf(x)
		if ended < s.to.Add(-v.resolution) || x.Start >= s.to.Add(v.resolution) || !v.unusual(x) {
			continue
		}
		fits := x.Start >= s.from.Add(-max(v.resolution, s.length()/4)) && ended <= s.to.Add(max(burst, s.length()/2))
		if fits {
			held = append(held, x)
			if x.Latency > longest.Latency {
				longest = x
			}
		}
		switch {
		case 4*x.Latency < 3*(s.length()-v.resolution) || x.Start > s.from.Add(s.length()/2+v.resolution):
		case fits:
			whole++
		default:
			others++
		}
	}
	if whole <= others || longest.Latency < v.resolution || float64(longest.Latency) < 0.85*float64(s.length()-v.resolution) {
		return
	}
	s.held = held
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
func (v *view) unusual(x detect.Slow) bool { return x.Latency >= 5*(v.usual(x.Op)+v.step) }
