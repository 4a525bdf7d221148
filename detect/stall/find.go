package stall

import (
	"cmp"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// minPause is the shortest pause of a whole server that is a stall by itself:
// the goal for pauses that the JVM's G1 collector has by default is 200 ms
// (-XX:MaxGCPauseMillis).
const minPause = 200 * time.Millisecond

type stallsKey struct{}

// found is what all detectors of the family start from.
type found struct {
	views  []*view
	stalls []*stall // by time
}

// find returns the stalls of a table's logs.
func find(t *detect.Table) *found {
	return t.Derive(stallsKey{}, func() any {
		f := &found{views: views(t)}
		for _, v := range f.views {
			for _, s := range slices.Concat(v.silences(), v.pileups()) {
				f.add(v, s)
			}
		}
		for _, v := range f.views {
			if len(v.inputs) > 1 {
				continue // those of each are enough
			}
			for _, p := range v.pauses {
				f.pause(v, p)
			}
		}
		slices.SortStableFunc(f.stalls, func(a, b *stall) int {
			return cmp.Or(cmp.Compare(a.from, b.from), slices.Compare(a.inputs, b.inputs))
		})
		return f
	}).(*found)
}

// add takes a stall in, or what it says of one that is known.
func (f *found) add(v *view, s *stall) {
	for _, old := range f.stalls {
		if !old.meets(s.from, s.to, s.blur) {
			continue
		}
		if !slices.ContainsFunc(old.inputs, func(i int) bool { return slices.Contains(s.inputs, i) }) && !old.same(s) {
			continue
		}
		if s.silence && !old.silence && len(s.inputs) < len(old.inputs) { // one of several was silent, and the others went on
			old.inputs, old.others = s.inputs, 0
		}
		if s.silence && !old.silence || old.rate == 0 {
			old.rate = s.rate // of all that came, and not of those that waited
		}
		old.silence = old.silence || s.silence
		old.burst = max(old.burst, s.burst)
		if len(s.held) > len(old.held) {
			old.held, old.others = s.held, s.others
			if len(old.held) >= minHeld { // they tell better when it was than the silence does
				old.from, old.to = s.from, s.to
			}
		}
		if !old.silence || len(s.inputs) <= len(old.inputs) {
			old.inputs = union(old.inputs, s.inputs)
		}
		v.stalls = append(v.stalls, old)
		return
	}
	f.stalls = append(f.stalls, s)
	v.stalls = append(v.stalls, s)
}

// same reports whether two stalls of different logs are one: each covers most of
// the other.
func (s *stall) same(o *stall) bool {
	over := min(s.to, o.to).Sub(max(s.from, o.from))
	return 2*over > max(s.length(), o.length())
}

// meets reports whether a stretch of time overlaps the stall for most of the
// shorter one.
func (s *stall) meets(from, to ingest.Time, blur time.Duration) bool {
	blur = max(blur, s.blur)
	over := min(s.to, to).Sub(max(s.from, from)) + blur
	return 2*over > min(s.length(), to.Sub(from))
}

// pause takes in what a pause explains, or is by itself.
func (f *found) pause(v *view, p ingest.Pause) {
	for _, s := range f.stalls {
		if p.Start != 0 && 2*p.Length > s.length()/2 && s.meets(p.Start, p.Start.Add(p.Length), v.resolution) {
			s.pauses = append(s.pauses, p)
			s.inputs = union(s.inputs, v.indexes())
			v.stalls = append(v.stalls, s)
			return
		}
	}
	if p.All && p.Length >= minPause {
		s := &stall{from: p.Start, to: p.Start.Add(p.Length), inputs: v.indexes(), pauses: []ingest.Pause{p}, blur: v.resolution}
		if p.Start == 0 {
			s.to = ingest.Time(p.Length)
		}
		f.stalls = append(f.stalls, s)
		v.stalls = append(v.stalls, s)
	}
}

func union(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
