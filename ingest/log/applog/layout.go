package applog

import (
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// How the unit of a line's latency is known.
const (
	untimed = iota
	byValue
	byFlag
	byName   // and nanoseconds to seconds
	byLogger = byName + 4
	unknown  = byLogger + 4
	modes    = unknown + 1
)

var sizes = [...]time.Duration{time.Nanosecond, time.Microsecond, time.Millisecond, time.Second}

// resolution returns that of stamps whose last zeros a logger leaves out: slog's
// are of nanoseconds, zap's numbers have the precision of a double.
func resolution(k kind, seen time.Duration) time.Duration {
	switch {
	case seen == 0:
		return 0
	case k == slogJSON:
		return time.Nanosecond
	case k == zapJSON && seen < time.Millisecond:
		return time.Microsecond
	case seen < time.Microsecond:
		return time.Nanosecond
	case seen < time.Millisecond:
		return time.Microsecond
	}
	return seen
}

// mode returns how the unit of the latency is known.
func (r *reader) mode(k kind) int {
	f := &r.facts
	switch unit := f.unitOf(k); {
	case f.v[latency] == nil:
		return untimed
	case f.explicit:
		return byValue
	case r.opt.Unit != 0:
		return byFlag
	case f.unit != 0:
		return byName + index(f.unit)
	case unit != 0:
		return byLogger + index(unit)
	}
	return unknown
}

func index(unit time.Duration) int {
	for i, u := range sizes {
		if u == unit {
			return i
		}
	}
	return 0
}

// layout returns the layout of lines of a logger.
func (r *reader) layout(k kind, mode int) *log.Layout {
	if l := r.layouts[k][mode]; l != nil {
		return l
	}
	s := ingest.Shape{Layout: kindNames[k], Stamp: ingest.StampEnd}
	if mode != untimed {
		s.Clock = "a worker took it"
	}
	switch {
	case mode == byValue:
		s.Unit, s.UnitFrom = time.Millisecond, ingest.UnitFromValue
	case mode == byFlag: // NewLayout does the rest
	case mode >= byName && mode < byLogger:
		s.Unit, s.UnitFrom = sizes[mode-byName], ingest.UnitFromKey
	case mode >= byLogger && mode < unknown:
		s.Unit, s.UnitFrom = sizes[mode-byLogger], ingest.UnitFromFormat
	case mode == unknown:
		s.Assumed, s.Other = time.Millisecond, time.Second
	}
	l := log.NewLayout(s, ingest.Server, r.opt)
	r.layouts[k][mode] = &l
	return &l
}
