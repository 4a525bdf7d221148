package latency

import (
	"math"
	"math/bits"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// ExactValues is the number of distinct values up to which a Summary is exact.
const ExactValues = 4096

// Highest is the highest value that a Summary tells apart, in nanoseconds: 30
// days. Higher values are counted at it; Max stays exact.
const Highest = int64(30 * 24 * 3600 * 1e9)

// Error is the relative error of values of a Summary that is not exact: HDR
// with three significant digits. Values are then the highest of their bucket,
// so they err upwards.
const Error = 1.0 / 1024

// Summary is a multiset of durations in nanoseconds. It is exact while it has
// at most ExactValues distinct values; then it becomes an HdrHistogram of three
// significant digits. What it says depends only on the multiset, never on the
// order in which values came or summaries were merged. The zero value is empty.
//
// A light summary (see Light) is for where there are many: it takes no more
// memory than it has distinct values, and beyond its own limit rounds them.
type Summary struct {
	table  []Value // open addressing, of distinct values; V is -1 where a place is free
	used   int
	hdr    *hdrhistogram.Histogram // non-nil once there were too many distinct values
	limit  int32                   // of a light summary: distinct values up to which it is exact; 0: it is none
	bits   uint8                   // of a light summary: leading bits that a rounded value keeps
	coarse bool                    // of a light summary: values are rounded

	n        int64
	min, max int64
	sum      [2]uint64 // 128 bits: high, low
}

// Value is one value, or one histogram bucket by its highest value, and how
// many samples have it.
type Value struct{ V, Count int64 }

// Record adds one value. A negative value is counted as 0.
func (s *Summary) Record(v int64) { s.RecordN(v, 1) }

// RecordN adds n samples of one value. n <= 0 adds nothing.
func (s *Summary) RecordN(v, n int64) {
	if n <= 0 {
		return
	}
	v = max(v, 0)
	if s.n == 0 || v < s.min {
		s.min = v
	}
	if s.n == 0 || v > s.max {
		s.max = v
	}
	s.n += n
	hi, lo := bits.Mul64(uint64(v), uint64(n))
	var carry uint64
	s.sum[1], carry = bits.Add64(s.sum[1], lo, 0)
	s.sum[0], _ = bits.Add64(s.sum[0], hi, carry)
	if s.hdr != nil {
		_ = s.hdr.RecordValues(min(v, Highest), n)
		return
	}
	s.add(v, n)
}

// Light returns an empty light summary: exact up to limit distinct values, then
// each value is the highest of those that share its leading bits, up to
// 2^(1-bits) of itself too high. The maximum stays exact.
func Light(limit int, bits int) Summary { return Summary{limit: int32(limit), bits: uint8(bits)} }

func (s *Summary) light(v, n int64) {
	if s.coarse {
		v = roundUp(v, s.bits)
	}
	if 8*s.used >= 7*len(s.table) {
		s.growLight()
	}
	table := s.table
	i := int(uint64(uint32(uint64(v)*0x9E3779B97F4A7C15>>32)) * uint64(len(table)) >> 32)
	for table[i].V != v {
		if table[i].V < 0 {
			if !s.coarse && s.used >= int(s.limit) {
				s.coarsen()
				s.light(v, n)
				return
			}
			table[i].V = v
			s.used++
			break
		}
		if i++; i == len(table) {
			i = 0
		}
	}
	table[i].Count += n
}

func freeTable(size int) []Value {
	table := make([]Value, size)
	for i := range table {
		table[i].V = -1
	}
	return table
}

// growLight makes a table of any size half as large again: many are kept.
func (s *Summary) growLight() {
	s.resize(max(8, len(s.table)+len(s.table)/2))
}

func (s *Summary) resize(size int) {
	old := s.table
	s.table, s.used = freeTable(size), 0
	coarse, limit := s.coarse, s.limit
	s.coarse, s.limit = false, math.MaxInt32 // as they are
	for _, x := range old {
		if x.V >= 0 {
			s.light(x.V, x.Count)
		}
	}
	s.coarse, s.limit = coarse, limit
}

// coarsen rounds all values.
func (s *Summary) coarsen() {
	old := s.table
	s.table, s.used, s.coarse = nil, 0, true
	for _, x := range old {
		if x.V >= 0 {
			s.light(x.V, x.Count)
		}
	}
}

// roundUp returns the highest value with the leading bits of v.
func roundUp(v int64, keep uint8) int64 {
	drop := bits.Len64(uint64(v)) - int(keep)
	if drop <= 0 {
		return v
	}
	return v | (1<<drop - 1)
}

func (s *Summary) add(v, n int64) {
	if s.limit > 0 {
		s.light(v, n)
		return
	}
	if 2*s.used >= len(s.table) {
		if s.used >= ExactValues {
			if i, ok := s.find(v); ok {
				s.table[i].Count += n
				return
			}
			s.toHDR()
			_ = s.hdr.RecordValues(min(v, Highest), n)
			return
		}
		s.grow()
	}
	i, ok := s.find(v)
	if !ok {
		s.table[i].V = v
		s.used++
	}
	s.table[i].Count += n
}

// find returns the slot of v, or the free one that it would go into.
func (s *Summary) find(v int64) (int, bool) {
	mask := len(s.table) - 1
	for i := int(uint64(v)*0x9E3779B97F4A7C15>>32) & mask; ; i = (i + 1) & mask {
		switch s.table[i].V {
		case v:
			return i, true
		case -1:
			return i, false
		}
	}
}

func (s *Summary) grow() {
	old := s.table
	s.table = freeTable(max(16, 2*len(old)))
	for _, x := range old {
		if x.V >= 0 {
			i, _ := s.find(x.V)
			s.table[i] = x
		}
	}
}

func (s *Summary) toHDR() {
	s.hdr = hdrhistogram.New(1, Highest, 3)
	for _, x := range s.table {
		if x.V >= 0 {
			_ = s.hdr.RecordValues(min(x.V, Highest), x.Count)
		}
	}
	s.table, s.used = nil, 0
}

// Merge adds all of o to s and leaves o as it was.
func (s *Summary) Merge(o *Summary) {
	if o == nil || o.n == 0 {
		return
	}
	if s.n == 0 || o.min < s.min {
		s.min = o.min
	}
	s.max = max(s.max, o.max)
	s.n += o.n
	var carry uint64
	s.sum[1], carry = bits.Add64(s.sum[1], o.sum[1], 0)
	s.sum[0], _ = bits.Add64(s.sum[0], o.sum[0], carry)
	if o.coarse && s.limit > 0 && !s.coarse {
		s.coarsen()
	}
	if o.hdr != nil {
		if s.limit > 0 {
			for _, v := range o.Values() {
				s.light(v.V, v.Count)
			}
			return
		}
		if s.hdr == nil {
			s.toHDR()
		}
		s.hdr.Merge(o.hdr)
		return
	}
	if s.limit > 0 && len(s.table) < len(o.table) {
		s.resize(len(o.table)) // a table's order is that of hashes: in a smaller one all would want the same places
	}
	for _, x := range o.table {
		if x.V < 0 {
			continue
		}
		if s.hdr != nil {
			_ = s.hdr.RecordValues(min(x.V, Highest), x.Count)
		} else {
			s.add(x.V, x.Count)
		}
	}
}

// Count returns the number of samples.
func (s *Summary) Count() int64 {
	if s == nil {
		return 0
	}
	return s.n
}

// Min returns the smallest sample, exactly; 0 for none.
func (s *Summary) Min() int64 { return s.min }

// Max returns the largest sample, exactly; 0 for none.
func (s *Summary) Max() int64 { return s.max }

// Mean returns the mean, from the exact sum, rounded down; 0 for no samples.
func (s *Summary) Mean() int64 {
	if s.n == 0 {
		return 0
	}
	q, _ := bits.Div64(s.sum[0]%uint64(s.n), s.sum[1], uint64(s.n))
	return int64(q)
}

// Exact reports whether every value is exact; else values are the highest of
// what they were rounded to, up to Error of themselves too high.
func (s *Summary) Exact() bool { return s.hdr == nil && !s.coarse }

// Error returns by how much of itself a value may be too high; 0: all are exact.
func (s *Summary) Error() float64 {
	switch {
	case s.coarse:
		return 1 / float64(int64(1)<<(s.bits-1))
	case s.hdr != nil:
		return Error
	}
	return 0
}

// Values returns the values in rising order. The last is the exact maximum.
func (s *Summary) Values() []Value {
	if s == nil || s.n == 0 {
		return nil
	}
	var out []Value
	if s.hdr == nil {
		out = make([]Value, 0, s.used)
		for _, x := range s.table {
			if x.V >= 0 {
				out = append(out, x)
			}
		}
		slices.SortFunc(out, func(a, b Value) int {
			if a.V < b.V {
				return -1
			}
			return 1
		})
		out[len(out)-1].V = s.max // rounded, it may be higher
		return out
	}
	for _, bar := range s.hdr.Distribution() {
		if bar.Count > 0 {
			out = append(out, Value{min(bar.To, s.max), bar.Count})
		}
	}
	if len(out) > 0 {
		out[len(out)-1].V = s.max
	}
	return out
}

// At returns the value of the sample with a rank (1 is the smallest); 0 for no
// samples. Ranks outside 1…Count are held to it.
func (s *Summary) At(rank int64) int64 {
	if s.Count() == 0 {
		return 0
	}
	rank = min(max(rank, 1), s.n)
	if rank == s.n {
		return s.max
	}
	var seen int64
	for _, v := range s.Values() {
		if seen += v.Count; seen >= rank {
			return v.V
		}
	}
	return s.max
}

// Percentile returns the percentile by nearest rank; 0 for no samples.
func (s *Summary) Percentile(p Percentile) int64 { return s.At(p.Rank(s.Count())) }

// Above returns how many samples are above x (exact only as Exact says).
func (s *Summary) Above(x int64) int64 {
	var n int64
	for _, v := range s.Values() {
		if v.V > x {
			n += v.Count
		}
	}
	return n
}
