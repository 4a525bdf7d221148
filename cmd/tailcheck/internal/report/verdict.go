package report

import "github.com/tailcheck/tailcheck/correct/sla"

// The three verdicts of a Result.
const (
	VerdictPass         = sla.Pass
	VerdictFail         = sla.Fail
	VerdictInconclusive = sla.Inconclusive
)
