package log

import (
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Order finds the unit of latencies by the order of a log's lines. A line is
// written when its request ends; where lines are stamped with the start of
// theirs, start plus latency must therefore rise from line to line, in the right
// unit and in no other: too small a unit lets a line with an old stamp end
// before those above it, too large a one lets the lines below it.
//
// It rests on lines being stamped with the start, which only stamps that run
// back can show: without them it says nothing. Nor does it where lines were
// buffered by several processes, for then no unit fits.
type Order struct {
	starts []ingest.Time
	values []int64
}

const (
	orderSlack = 2 * time.Second // resolution of the stamps, and of who writes first
	orderProof = 3               // lines that must contradict
)

// Add adds a line.
func (o *Order) Add(start ingest.Time, value int64) {
	o.starts, o.values = append(o.starts, start), append(o.values, value)
}

// Unit returns the only unit that fits. ok is false if none or several do.
func (o *Order) Unit(units ...time.Duration) (unit time.Duration, ok bool) {
	back, last := 0, ingest.Time(0)
	for _, s := range o.starts {
		if last > s.Add(orderSlack) {
			back++
		}
		last = max(last, s)
	}
	if back < orderProof {
		return 0, false
	}
	for _, u := range units {
		switch contradicted := o.contradicted(u); {
		case contradicted == 0 && unit == 0:
			unit = u
		case contradicted < orderProof:
			return 0, false
		}
	}
	return unit, unit != 0
}

// contradicted counts the lines that end before one above them.
func (o *Order) contradicted(unit time.Duration) (n int) {
	last := ingest.Time(0)
	for i, s := range o.starts {
		d := time.Duration(maxLatency)
		if v := o.values[i]; v < maxLatency/int64(unit) {
			d = time.Duration(v) * unit
		}
		end := s.Add(d)
		if last > end.Add(orderSlack) {
			n++
		}
		last = max(last, end)
	}
	return n
}
