package whatif

import (
	"strings"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// isTry reports whether a span is one call of something else, each try counted.
// Of a call whose tries have spans of their own below it, those count and not the
// call (gRPC's Sent. and Attempt., gRFC A72).
func isTry(t *calltree.Trace, n calltree.Node) bool {
	s := t.Span(n)
	if !t.Timed(n) || t.Duration(n) > longestCall || s.Async || s.Setup || s.Cached || s.Store != nil && s.Store.Pipelined {
		return false
	}
	switch s.Kind {
	case ingest.ClientSpan, ingest.KindUnspecified:
		for _, k := range t.Children(n) {
			if isAttempt(t.Span(k)) {
				return false
			}
		}
		return s.Kind == ingest.ClientSpan || s.Call != nil || s.Store != nil || s.Peer != "" || t.Crosses(n)
	case ingest.ServerSpan:
		p := t.Span(t.Parent(n))
		return t.Crosses(n) && p != nil && p.Kind != ingest.ClientSpan && !isAttempt(p)
	}
	return isAttempt(s)
}

func isAttempt(s *ingest.Span) bool {
	return s.Kind == ingest.Internal && (strings.HasPrefix(s.Op, "Attempt.") || s.Op == "attempt")
}

// callerOf returns the service that makes a call.
func callerOf(t *calltree.Trace, n calltree.Node) string {
	if s := t.Span(n); s.Kind != ingest.ServerSpan {
		return s.Service
	}
	if p := t.Span(t.Parent(n)); p != nil {
		return p.Service
	}
	return ""
}
