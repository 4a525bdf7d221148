package omission

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/internal/latency"
)

// tail is what the slowest requests look like beside the others. The first
// requests of the workers are left out where they are a wave of their own, and
// requests that timed out and left no latency are put back at the limit.
type tail struct {
	n    int64
	max  int64
	slow []detect.Slow // above half of max, slowest first, as far as the table keeps them; nil: not known
	at   ingest.Pos    // of the slowest; else of the maximum's place in the report
	has  bool          // at is known

	p99      int64              // -1: not known
	base     int64              // the highest known percentile that is still below half of max
	baseAt   latency.Percentile // which one; 0: none
	baseMost bool               // base is the most that it can be, not the value
	gap      float64            // max/base; 0: not known
	ordinary float64            // gap up to which n alone explains it

	stalls             int64   // of everything, that the slow requests would be: one for each round of workers
	expected           float64 // requests that arrivals at the mean rate would have put above max/2 in them; 0: not known
	seenLow, seenHigh  int64   // requests seen there
	omegaLow, omegaTop float64 // share of the expected that was not seen: at least, at most

	wave    int64 // requests of the first wave that are left out; 0: there is none
	waveMax int64 // the slowest of them
}

func (f *facts) findTail() {
	t := &f.tail
	t.n, t.max, t.p99 = f.spread.n, f.spread.max, -1
	if !f.usable() {
		return
	}
	if v, ok := f.spread.at(latency.P99); ok {
		t.p99 = v
	}
	var sampled []detect.Slow
	if f.spread.source == samples {
		sampled = f.in.Slowest
		f.findWave()
		if t.wave > 0 {
			sampled = slices.DeleteFunc(slices.Clone(sampled), func(s detect.Slow) bool { return f.inWave(s.Start) })
		}
	}
	put := f.failed.putBack
	if put > 0 {
		t.n += put
		t.max = max(t.max, f.failed.limit)
	}
	half := t.max / 2
	for i := range sampled {
		if int64(sampled[i].Latency) <= half {
			break
		}
		t.slow = sampled[:i+1]
	}
	switch {
	case len(t.slow) > 0:
		t.at, t.has = t.slow[0].Pos, true
	case f.agg != nil:
		t.at, t.has = f.agg.Pos, true
	}
	t.seenLow, t.seenHigh = f.spread.above(half)
	if t.wave > 0 {
		for _, p := range f.axis.pairs[:f.axis.wave] {
			if int64(p.Latency) > half {
				t.seenLow, t.seenHigh = max(0, t.seenLow-1), max(0, t.seenHigh-1)
			}
		}
	}
	if put > 0 && f.failed.limit > half {
		t.seenLow, t.seenHigh = t.seenLow+put, t.seenHigh+put
	}
	f.findGap(half)
	t.stalls = f.stalls()
	if t.expected = f.rate * seconds(half) * float64(t.stalls); t.expected > 0 {
		t.omegaLow = 1 - float64(t.seenHigh)/t.expected
		t.omegaTop = 1 - float64(t.seenLow)/t.expected
	}
}

// fewStalls is the number of stalls up to which the slow requests of several
// workers are counted as rounds of them.
const fewStalls = 5

// stalls returns how many stalls of everything the slow requests would be: one,
// unless the number of workers is known, so that each round of them is one, and
// p99 hides them all. More slow requests than that are more likely slow by
// themselves, and what they would be as stalls is not asked.
func (f *facts) stalls() int64 {
	t := &f.tail
	if !f.counted && !f.one() || t.seenHigh*100 > t.n {
		return 1
	}
	rounds := int64(math.Round(float64(t.seenLow) / f.workers))
	if rounds < 1 || rounds > fewStalls && !f.one() {
		return 1
	}
	return rounds
}

// below returns the highest known percentile, up to p99, whose value is at most
// x and which is not the largest sample itself.
func (f *facts) below(x int64) (v int64, p latency.Percentile) {
	ladder := []latency.Percentile{latency.P99, latency.P95, latency.P90, latency.P75, latency.P50}
	if f.spread.values == nil {
		for _, q := range slices.Backward(f.spread.quantiles) {
			if q.p <= latency.P99 && q.p >= latency.P50 && q.value <= x && q.p.Rank(f.spread.n) < f.spread.n {
				return q.value, q.p
			}
		}
		return 0, 0
	}
	for _, p := range ladder {
		if v, ok := f.spread.at(p); ok && v <= x && p.Rank(f.spread.n) < f.spread.n {
			return v, p
		}
	}
	return 0, 0
}

func (f *facts) findGap(half int64) {
	t := &f.tail
	if t.base, t.baseAt = f.below(half); t.baseAt == 0 {
		t.base, t.baseAt = f.spread.barBelow(half)
		t.baseMost = true
	}
	if t.baseAt == 0 {
		return
	}
	t.gap = float64(t.max) / float64(max(t.base, f.resolution(), 1))
	median, _ := f.spread.at(latency.P50)
	t.ordinary = ordinaryGap(t.n, t.baseAt, float64(t.base), float64(median))
}

// baseWords says where the tail begins: "p99 is 50.8 ms".
func (t *tail) baseWords() string {
	if t.baseMost {
		return fmt.Sprintf("%v is at most %s", t.baseAt, ms(t.base))
	}
	return fmt.Sprintf("%v is %s", t.baseAt, ms(t.base))
}

// gapWords says how far the maximum is above it: "39".
func (t *tail) gapWords() string {
	if t.baseMost {
		return "at least " + short(t.gap)
	}
	return short(t.gap)
}

// resolution is the step of the values, as far as it is known.
func (f *facts) resolution() int64 {
	if f.axis != nil {
		return int64(min(f.axis.resolution, time.Millisecond))
	}
	var unit int64
	for _, q := range f.spread.quantiles {
		unit = max(unit, q.high-q.low)
	}
	return unit
}

// Gaps that n alone explains.
const (
	leastGap = 5   // no gap below it is worth a word
	heavy    = 2   // sigma of the lognormal that counts as heavy and healthy: p99 is 105 times the median
	beyond   = 1.5 // times what that one's maximum is expected to be
	unlikely = 0.01
)

// ordinaryGap returns how far the slowest of n requests may be above percentile
// p without meaning anything: one and a half times what is expected of a
// lognormal with sigma 2 (30 is strong for n = 12 000 and ordinary for 10^6),
// or what one run in a hundred shows where the tail goes on as the body (from
// the median to p) began.
func ordinaryGap(n int64, p latency.Percentile, value, median float64) float64 {
	over := 1 - p.Percent()/100
	z := normal(over)
	gap := beyond * math.Exp(heavy*(normal(1/float64(n))-z))
	if median > 0 && value > median && z > 0 {
		sigma := math.Log(value/median) / z
		gap = max(gap, math.Exp(sigma*(normal(unlikely/float64(n))-z)))
	}
	return max(gap, leastGap)
}

// normal returns the quantile of the standard normal distribution that a share
// of over lies above.
func normal(over float64) float64 { return math.Sqrt2 * math.Erfcinv(2*min(max(over, 1e-300), 1)) }

// index is the tail index that the gap implies, were the tail a power law.
func (t *tail) index() float64 {
	over := 1 - t.baseAt.Percent()/100
	if t.gap <= 1 || over <= 0 {
		return 0
	}
	return math.Log(float64(t.n)*over) / math.Log(t.gap)
}
