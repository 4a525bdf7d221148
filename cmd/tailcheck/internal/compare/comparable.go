package compare

import (
	"fmt"
	"math"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/correct"
	"github.com/tailcheck/tailcheck/ingest"
)

// unknown is how a loop or a vantage reads that the input does not tell.
const unknown = "unknown"

// What latencies are of.
const (
	measured  = "measured"
	corrected = "corrected"
)

// apart says why two distributions were not measured in the same way, so that
// none of their times are compared, or "".
func apart(b, h *check.Side) string {
	switch {
	case b.Kind != h.Kind:
		return fmt.Sprintf("base is a %s and head a %s: they time other things", kind(b), kind(h))
	case b.Run.Loop != h.Run.Loop:
		return fmt.Sprintf("base was offered in a loop that is %s, head in one that is %s: slow requests count differently", loop(b.Run.Loop), loop(h.Run.Loop))
	case b.Raw == nil && h.Raw != nil:
		return "base is corrected by its tool, head is not"
	case b.Raw != nil && h.Raw == nil:
		return "head is corrected by its tool, base is not"
	case b.Vantage != h.Vantage && b.Vantage != unknown && h.Vantage != unknown:
		return fmt.Sprintf("base was timed by the %s, head by the %s", b.Vantage, h.Vantage)
	case differs(float64(b.Run.Workers), float64(h.Run.Workers)):
		return fmt.Sprintf("base was offered on %d connections, head on %d: the load is another", b.Run.Workers, h.Run.Workers)
	case differs(b.Run.Rate, h.Run.Rate):
		return fmt.Sprintf("base was offered at %.4g/s, head at %.4g/s: the load is another", b.Run.Rate, h.Run.Rate)
	case b.NoUnit || h.NoUnit:
		return "a file does not state the unit of its times (--unit says it)"
	case b.Doubt != "":
		return "base: " + b.Doubt
	case h.Doubt != "":
		return "head: " + h.Doubt
	}
	return ""
}

func kind(s *check.Side) string {
	if s.Kind == "load" {
		return "load report"
	}
	return "log"
}

func loop(l ingest.Loop) string {
	if s := l.String(); s != unknown {
		return s
	}
	return "not known"
}

// differs reports whether two numbers, where both are known, are more than 1 %
// apart.
func differs(a, b float64) bool {
	return a > 0 && b > 0 && math.Abs(a-b) > 0.01*max(a, b)
}

// alike says why the corrected figures are not comparable, or "": by the same
// method at the same interval they are.
func alike(b, h *check.Side) string {
	switch {
	case b.Repair.Figures == nil && h.Repair.Figures == nil:
		return "neither side can be corrected: " + b.Repair.Refused
	case b.Repair.Figures == nil:
		return "base cannot be corrected: " + b.Repair.Refused
	case h.Repair.Figures == nil:
		return "head cannot be corrected: " + h.Repair.Refused
	case b.Repair.Method != h.Repair.Method || b.Repair.Method == correct.ByTool && b.Method != h.Method:
		return fmt.Sprintf("base is corrected in another way (%s) than head (%s)", b.Method, h.Method)
	case b.Repair.Interval != h.Repair.Interval && differs(float64(b.Repair.Interval), float64(h.Repair.Interval)):
		return fmt.Sprintf("base is corrected at another interval (%s) than head (%s)", b.Method, h.Method)
	}
	return ""
}

// decisive says on which figures two distributions are compared, or why on none.
func decisive(b, h *check.Side) (of, why string) {
	if why = apart(b, h); why != "" {
		return "", why
	}
	unlike := alike(b, h)
	switch {
	case unlike == "":
		return corrected, ""
	case b.Raw == nil:
		return "", unlike
	case b.Suspect:
		return "", fmt.Sprintf("base may have omitted requests (%s), and %s", b.Why, unlike)
	case h.Suspect:
		return "", fmt.Sprintf("head may have omitted requests (%s), and %s", h.Why, unlike)
	case b.Unstated || h.Unstated:
		return "", "nothing says whether the figures are raw or corrected already"
	}
	return measured, ""
}
