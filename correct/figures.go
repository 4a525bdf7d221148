// Package correct repairs distributions of latencies that a load generator
// measured while it was not sending: it says what a distribution is, which
// repair is valid for it, and what comes out, or why nothing does.
package correct

import (
	"math"

	"github.com/tailcheck/tailcheck/internal/latency"
)

// Infinite is the High of a Range that has no upper end, in nanoseconds.
const Infinite = math.MaxInt64

// Range is what is known about one duration, in nanoseconds: that it lies in
// [Low, High]. A measured value has Low == High; a value known only from below
// has High == Infinite; Unknown says nothing.
type Range struct{ Low, High int64 }

// Unknown is the Range that says nothing.
var Unknown = Range{0, Infinite}

// Exactly is the Range of one value.
func Exactly(v int64) Range { return Range{v, v} }

// IsValue reports whether the range is a single value.
func (r Range) IsValue() bool { return r.Low == r.High }

// Known reports whether the range says anything.
func (r Range) Known() bool { return r != Unknown }

// Figures answers questions about one distribution, exactly or within bounds.
// What is not known at all is Unknown.
type Figures interface {
	Count() int64 // samples; 0: not known or none
	Percentile(p latency.Percentile) Range
	Min() Range
	Mean() Range
	Max() Range
}
