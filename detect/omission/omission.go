// Package omission reads load reports as a sceptic does: it tells whether the
// generator stopped sending while it waited (coordinated omission), whether the
// tool has corrected that already, and what else makes percentiles look better
// or worse than what users met.
//
// All checks are functions of one set of facts about each distribution (facts,
// worked out once for a table), and are asked in the order in which a report is
// read: a check that explains it silences the later ones.
package omission

import "github.com/tailcheck/tailcheck/detect"

// Detectors are the detectors of load reports, in the order of the checks.
var Detectors = []detect.Detector{
	NoData,
	HiddenTime,
	InconsistentReport,
	AlreadyCorrected,
	CorrectionNotStated,
	CensoredTail,
	SaturatedRun,
	RateNotReached,
	CoordinatedOmission,
	IsolatedSlowness,
	ColdStart,
	ConnectTail,
	SmallSample,
	ConcurrencyInversion,
	LoopModelChanged,
}

// each asks a question of every distribution.
func each(t *detect.Table, ask func(*facts) *detect.Finding) []detect.Finding {
	var out []detect.Finding
	for _, l := range loads(t) {
		for _, f := range l.parts {
			if found := ask(f); found != nil {
				found.Inputs, found.Op = []int{f.in.Index}, f.op
				out = append(out, *found)
			}
		}
	}
	return out
}
