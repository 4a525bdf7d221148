package stall

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// gap is a time without a request that ended.
type gap struct{ from, to ingest.Time }

func (g gap) length() time.Duration { return g.to.Sub(g.from) }

func (v *view) gapsOf() (gaps []gap) {
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
	return gaps
}

// usualGap is the length that all but a few gaps do not pass: fewGaps of them, or
// one in 200. What bins are too wide to show is shorter than a bin.
func (v *view) usualGap() time.Duration {
	lengths := make([]time.Duration, len(v.gaps))
	for i, g := range v.gaps {
		lengths[i] = g.length()
	}
	slices.Sort(lengths)
	v.rare = v.resolution
	if len(lengths) > fewGaps {
		v.rare = lengths[len(lengths)-1-fewGaps]
	}
	few := max(fewGaps, len(lengths)/200)
	if len(lengths) <= few {
		return v.resolution
	}
	return lengths[len(lengths)-1-few]
}

// broken is the part of the time in a stretch in which one would have to wait
// longer than so long for the next request to end. The few longest gaps of the
// log do not count: they are what is to be judged.
func (v *view) broken(from, to ingest.Time, wait time.Duration) float64 {
	from, to = max(from, v.first), min(to, v.last)
	if to <= from {
		return 0
	}
	i, _ := slices.BinarySearchFunc(v.gaps, from, func(g gap, t ingest.Time) int { return cmp.Compare(g.to, t) })
	total := time.Duration(0)
	for ; i < len(v.gaps) && v.gaps[i].from < to; i++ {
		if g := v.gaps[i]; g.length() <= v.rare {
			total += max(0, min(g.to, to).Sub(max(g.from, from))-max(v.resolution, wait))
		}
	}
	return float64(total) / float64(to.Sub(from))
}

// steps counts what ended in each step of the stamps in a stretch, those in which
// anything did, in rising order. None: the stamps are fine.
func (v *view) steps(from, to ingest.Time) (counts []int64) {
	if v.resolution < 100*time.Millisecond || v.width > v.resolution {
		return nil
	}
	i, _ := slices.BinarySearchFunc(v.bins, int64(from)/int64(v.width), func(b detect.Bin, n int64) int { return cmp.Compare(b.Number, n) })
	last := int64(math.MinInt64)
	for ; i < len(v.bins) && v.bins[i].FirstEnd < to; i++ {
		b := &v.bins[i]
		if b.Ends == 0 {
			continue
		}
		if step := int64(b.LastEnd) / int64(v.resolution); step != last {
			counts, last = append(counts, 0), step
		}
		counts[len(counts)-1] += b.Ends
	}
	slices.Sort(counts)
	return counts
}

// coarse reports whether stamps of whole seconds hide what broken sees. Thin:
// single seconds in which hardly any request ends are usual around a silence. High:
// so are those in which as many do as behind it, where only one second was silent.
// The few longest gaps do not count, nor the highest bursts.
func (v *view) coarse(g gap, around time.Duration, rate float64) (thin, high bool) {
	from, to := max(g.from.Add(-around), v.first), min(g.to.Add(around), v.last)
	counts := v.steps(from, to)
	if len(counts) < 3 {
		return false, false
	}
	all := int64(to.Sub(from) / v.resolution)
	for _, o := range v.gaps {
		if o.length() > v.rare && o.to > from && o.from < to {
			all -= int64(o.length() / v.resolution)
		}
	}
	few, _ := slices.BinarySearch(counts, int64(math.Ceil(part*rate*v.resolution.Seconds())))
	thick := int64(len(counts) - few)
	behind := v.endsIn(g.to-1, g.to.Add(v.resolution)-1)
	return float64(all-thick-2) > mostBroken*float64(all), // both ends are no whole steps
		g.length() <= 2*v.resolution && float64(behind) < 1.2*float64(counts[len(counts)-3])
}

// alike counts the other gaps around one that are at least half as long.
func (v *view) alike(g gap, around time.Duration) (n int) {
	from, to := g.from.Add(-around), g.to.Add(around)
	i, _ := slices.BinarySearchFunc(v.gaps, from, func(g gap, t ingest.Time) int { return cmp.Compare(g.to, t) })
	for ; i < len(v.gaps) && v.gaps[i].from < to; i++ {
		if o := v.gaps[i]; o != g && 2*o.length() >= g.length() && o.length() > v.resolution {
			n++
		}
	}
	return n
}
