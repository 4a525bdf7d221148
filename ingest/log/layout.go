package log

import "github.com/tailcheck/tailcheck/ingest"

// NewLayout returns the layout of lines of a shape whose latencies have one
// unit, the shape's. What the user says of the unit comes first: then the step
// that the server cuts at is not known either. A shape without a unit has no
// latencies, or such as name their own.
func NewLayout(s ingest.Shape, v ingest.Vantage, opt ingest.Options) Layout {
	if opt.Unit != 0 && s.Clock != "" && s.UnitFrom != ingest.UnitFromValue {
		s.Unit, s.UnitFrom, s.Step, s.Assumed, s.Other = opt.Unit, ingest.UnitFromFlag, 0, 0, 0
	}
	u := Unit{Size: s.Unit}
	if s.UnitFrom == ingest.UnitFromValue {
		u = Unit{}
	}
	if s.Unit == 0 {
		u.Size = s.Assumed
	}
	return Layout{Shape: s, Latency: u, Upstream: u, Vantage: v}
}
