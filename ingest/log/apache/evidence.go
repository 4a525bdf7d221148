package apache

import (
	"strconv"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// evidence is what the first lines of one format tell of the unit of its whole
// numbers.
type evidence struct {
	lines int
	// By unit: lines that it fits although another does not, and lines that it
	// contradicts.
	fits, contradicted [len(units)]int
	order              log.Order
	stated             time.Duration // by the key; 0: by none
}

// units are those that Apache, and Tomcat in the same place, log times in.
var units = [...]time.Duration{time.Microsecond, time.Millisecond, time.Second}

// add looks at a line.
func (v *evidence) add(c *log.CLF, g *guess, times *log.Clock) {
	if g.at < 0 {
		return
	}
	v.lines++
	v.stated = g.unit
	value, err := strconv.ParseInt(string(c.Tail[g.at].Text), 10, 64)
	if err != nil {
		return
	}
	start, ok := times.Read(c.Stamp)
	if !ok {
		return
	}
	v.order.Add(start.Time, value)
	fit := func(fits func(time.Duration) bool) {
		var is [len(units)]bool
		n := 0
		for i, u := range units {
			if value < int64(1<<60)/int64(u) && fits(time.Duration(value)*u) {
				is[i] = true
				n++
			}
		}
		for i := range units {
			switch {
			case !is[i]:
				v.contradicted[i]++
			case n < len(units):
				v.fits[i]++
			}
		}
	}
	if g.pair >= 0 {
		seconds, err := strconv.ParseInt(string(c.Tail[g.pair].Text), 10, 64)
		if err != nil {
			return
		}
		fit(func(d time.Duration) bool { return int64(d/time.Second) == seconds })
		return
	}
	if c.End != nil {
		end, ok := times.Read(c.End)
		if !ok {
			return
		}
		// Both stamps are cut; the latency is taken a moment after them.
		slack := start.Resolution + end.Resolution + 2*time.Millisecond
		took := end.Time.Sub(start.Time)
		fit(func(d time.Duration) bool { return d > took-slack && d < took+slack })
	}
}

// unit returns the unit, or the one assumed. One that a few lines in a hundred
// contradict still fits: clocks are set, lines are damaged.
func (v *evidence) unit() unit {
	if v.stated != 0 {
		return unit{size: v.stated, from: ingest.UnitFromKey}
	}
	best, n := 0, 0
	for i := range units {
		if v.contradicted[i]*20 <= v.lines {
			best = i
			n++
		}
	}
	if n == 1 && v.fits[best] > 0 {
		return unit{size: units[best], from: ingest.UnitFromRedundancy}
	}
	if u, ok := v.order.Unit(units[:]...); ok {
		return unit{size: u, from: ingest.UnitFromRedundancy}
	}
	return assumed
}

// shown is the directive that logs a latency in the unit; "%?" where it is not known.
func (u unit) shown() string {
	if u.from == "" {
		return "%?"
	}
	return map[time.Duration]string{time.Microsecond: "%D", time.Millisecond: "%{ms}T", time.Second: "%T"}[u.size]
}
