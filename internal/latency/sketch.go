package latency

import "math/bits"

// Sketch is a multiset of durations in nanoseconds that keeps no more than their
// leading bits, in as little room as it can: for where there are very many. What
// it says depends only on the multiset. The zero value is empty.
type Sketch struct {
	bins []uint32 // by rising bucket: its number in the upper 11 bits, a count below; a bucket may have several
	n    int64
	max  int64
}

// SketchError is by how much of itself a value of a Sketch may be too high: five
// leading bits are kept, and a value is the highest of its bucket. The maximum is
// exact.
const SketchError = 1.0 / 16

const (
	sketchBits = 5
	countBits  = 21
	countMask  = 1<<countBits - 1
)

// bucketOf returns the number of a value's bucket. Buckets rise with values.
func bucketOf(v int64) uint32 {
	drop := max(0, bits.Len64(uint64(v))-sketchBits)
	return uint32(drop)<<sketchBits | uint32(uint64(v)>>drop)
}

// highestOf returns the highest value of a bucket.
func highestOf(bucket uint32) int64 {
	drop := bucket >> sketchBits
	return int64(uint64(bucket&(1<<sketchBits-1)+1)<<drop - 1)
}

// Record adds one value. A negative value is counted as 0.
func (s *Sketch) Record(v int64) {
	v = max(v, 0)
	s.max = max(s.max, v)
	s.n++
	s.add(bucketOf(v), 1)
}

func (s *Sketch) add(bucket, count uint32) {
	from, to := 0, len(s.bins)
	for from < to {
		middle := int(uint(from+to) / 2)
		if s.bins[middle]>>countBits < bucket {
			from = middle + 1
		} else {
			to = middle
		}
	}
	if from < len(s.bins) && s.bins[from]>>countBits == bucket {
		fits := min(count, countMask-s.bins[from]&countMask)
		s.bins[from] += fits
		if count -= fits; count == 0 {
			return
		}
	}
	if len(s.bins) == cap(s.bins) {
		s.bins = append(make([]uint32, 0, len(s.bins)+len(s.bins)/4+8), s.bins...)
	}
	s.bins = s.bins[:len(s.bins)+1]
	copy(s.bins[from+1:], s.bins[from:])
	s.bins[from] = bucket<<countBits | count
}

// Merge adds all of o and leaves o as it was.
func (s *Sketch) Merge(o *Sketch) {
	s.n += o.n
	s.max = max(s.max, o.max)
	for _, b := range o.bins {
		s.add(b>>countBits, b&countMask)
	}
}

// Count returns the number of samples.
func (s *Sketch) Count() int64 { return s.n }

// Max returns the largest sample, exactly; 0 for none.
func (s *Sketch) Max() int64 { return s.max }

// Values returns the values in rising order, each the highest of its bucket; the
// last is the exact maximum.
func (s *Sketch) Values() []Value {
	out := make([]Value, 0, len(s.bins))
	for i, b := range s.bins {
		if i > 0 && s.bins[i-1]>>countBits == b>>countBits {
			out[len(out)-1].Count += int64(b & countMask)
			continue
		}
		out = append(out, Value{highestOf(b >> countBits), int64(b & countMask)})
	}
	if len(out) > 0 {
		out[len(out)-1].V = s.max
	}
	return out
}

// Percentile returns the percentile by nearest rank; 0 for no samples.
func (s *Sketch) Percentile(p Percentile) int64 {
	rank := p.Rank(s.n)
	var seen int64
	for _, b := range s.bins {
		if seen += int64(b & countMask); seen >= rank {
			return min(highestOf(b>>countBits), s.max)
		}
	}
	return s.max
}
