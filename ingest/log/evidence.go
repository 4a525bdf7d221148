package log

import (
	"strconv"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Evidence is what the first lines of one format tell of the unit of their
// whole numbers.
type Evidence struct {
	Stated time.Duration // by the name of the field; 0: by none

	lines int
	// By unit: lines that it fits although another does not, and lines that it
	// contradicts.
	fits, contradicted [len(evident)]int
	order              Order
}

// evident are the units that the servers of the family log times in.
var evident = [...]time.Duration{time.Microsecond, time.Millisecond, time.Second}

// Started takes note of a line stamped with its start: the order of such lines
// tells the unit, see Order.
func (v *Evidence) Started(start Moment, value []byte) {
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil && start.Time != 0 {
		v.order.Add(start.Time, n)
	}
}

// Line takes note of a line, without anything beside its value.
func (v *Evidence) Line() { v.lines++ }

// Pair takes note of another number on the line: of the same time, in whole
// seconds.
func (v *Evidence) Pair(value, seconds []byte) {
	n, err := strconv.ParseInt(string(seconds), 10, 64)
	if err == nil {
		v.fit(value, func(d, _ time.Duration) bool { return int64(d/time.Second) == n })
	}
}

// Between takes note of start and end on the line. Both stamps are cut; the
// latency is taken a moment after them.
func (v *Evidence) Between(value []byte, start, end Moment) {
	slack := start.Resolution + end.Resolution + 2*time.Millisecond
	took := end.Time.Sub(start.Time)
	v.fit(value, func(d, _ time.Duration) bool { return d > took-slack && d < took+slack })
}

// About takes note of another reading of the same time, which is cut or rounded
// to steps.
func (v *Evidence) About(value []byte, took, step time.Duration) {
	v.fit(value, func(d, unit time.Duration) bool { return d > took-step-unit && d < took+step+unit })
}

// AtLeast takes note of a time that is a part of the latency: to the first byte.
// The latency may be cut.
func (v *Evidence) AtLeast(value []byte, least time.Duration) {
	v.fit(value, func(d, unit time.Duration) bool { return d+unit > least })
}

// fit counts which units fit a line.
func (v *Evidence) fit(value []byte, fits func(d, unit time.Duration) bool) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return
	}
	var is [len(evident)]bool
	fitting := 0
	for i, u := range evident {
		if n < maxLatency/int64(u) && fits(time.Duration(n)*u, u) {
			is[i] = true
			fitting++
		}
	}
	for i := range evident {
		switch {
		case !is[i]:
			v.contradicted[i]++
		case fitting < len(evident):
			v.fits[i]++
		}
	}
}

// Scale returns the unit, or the one assumed. One that a few lines in a hundred
// contradict still fits: clocks are set, lines are damaged.
func (v *Evidence) Scale(assumed Scale) Scale {
	if v.Stated != 0 {
		return Scale{Size: v.Stated, From: ingest.UnitFromKey}
	}
	best, n := 0, 0
	for i := range evident {
		if v.contradicted[i]*20 <= v.lines {
			best = i
			n++
		}
	}
	if n == 1 && v.fits[best] > 0 {
		return Scale{Size: evident[best], From: ingest.UnitFromRedundancy}
	}
	if u, ok := v.order.Unit(evident[:]...); ok {
		return Scale{Size: u, From: ingest.UnitFromRedundancy}
	}
	return assumed
}
