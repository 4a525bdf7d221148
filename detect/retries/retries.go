// Package retries reads traces for work that is done more than once or for
// nobody: failed calls that several layers try again, calls that go on after
// the caller has given up, deadlines that are not passed on, and second calls
// sent before the first had a chance.
//
// Traces carry almost no marks of any of this. All four detectors therefore
// read the shape of the tree (who called whom, when, and with which outcome);
// attributes only raise confidence, and what shape cannot tell stays unsaid.
package retries

import "github.com/tailcheck/tailcheck/detect"

// Detectors are the detectors of this family.
var Detectors = []detect.Detector{
	RetryMultiplication,
	OrphanedWork,
	DeadlineNotPropagated,
	HedgeOverload,
}
