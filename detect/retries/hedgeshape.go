package retries

import (
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// atOnce returns how many of the first of calls were under way without a pause.
func atOnce(t *calltree.Trace, calls []calltree.Node) int {
	var end ingest.Time
	for i, n := range calls {
		s := &t.Spans[n]
		if i > 0 && s.Start >= end {
			return i
		}
		end = max(end, s.End)
	}
	return len(calls)
}

// overlap reports whether any of siblings began before another had ended.
func overlap(t *calltree.Trace, nodes []calltree.Node) bool {
	var end ingest.Time
	for i, n := range nodes {
		s := &t.Spans[n]
		if i > 0 && s.Start < end {
			return true
		}
		end = max(end, s.End)
	}
	return false
}

// together reports whether all calls were under way at once, each begun before
// the first of them to end had ended.
func together(t *calltree.Trace, calls []calltree.Node) bool {
	end := t.Spans[calls[0]].End
	for _, n := range calls {
		end = min(end, t.Spans[n].End)
	}
	last := &t.Spans[calls[len(calls)-1]]
	return last.Start < end && t.Spans[calls[0]].ID != last.ID
}

// lost reports whether all calls but the winner ended because it had won.
func lost(t *calltree.Trace, calls []calltree.Node, winner calltree.Node) bool {
	end := t.Spans[winner].End
	for _, n := range calls {
		if n == winner {
			continue
		}
		s := &t.Spans[n]
		after := s.End.Sub(end)
		switch {
		case after < -slack:
			return false
		case s.Outcome == ingest.Canceled && after <= lateLoser:
		case s.Status == 0 && after <= slack: // an error that says nothing, and no answer
		default:
			return false
		}
	}
	return true
}

// unsafeMethod returns the method of a call that must not be made twice; "":
// none that is known. POST is not among them: searches and GraphQL use it.
func unsafeMethod(s *ingest.Span) string {
	switch {
	case s.Call != nil && s.Call.Protocol == ingest.HTTP && s.Call.Method == "PATCH":
		return s.Call.Method
	case s.Store != nil:
		switch s.Store.Op {
		case "INSERT", "UPDATE", "INCR", "INCRBY", "DECR", "DECRBY", "LPUSH", "RPUSH", "XADD":
			return s.Store.Op
		}
	}
	return ""
}
