package retries

import (
	"cmp"
	"strings"

	"github.com/tailcheck/tailcheck/ingest"
)

// operation names what a request is, by its root. Both empty: the root is
// missing.
type operation struct{ service, op string }

// hop names a call as its caller makes it. Traces are grouped by it, so that
// what is remembered follows the calls that there are, not how often they were
// made.
type hop struct {
	caller string // service that calls; empty: not known
	op     string
	target string // route, procedure or statement where op does not say it (an instrumentation that calls all spans "HTTP POST"); empty: nothing more is known
	kind   ingest.Kind
}

// hopOf names the call that a span is. Of a server's span whose client is not
// recorded, the caller is the service of the parent; nil: missing.
func hopOf(s, parent *ingest.Span) hop {
	h := hop{caller: s.Service, op: s.Op, kind: s.Kind}
	if s.Kind == ingest.ServerSpan {
		h.caller = ""
		if parent != nil {
			h.caller = parent.Service
		}
	}
	h.target = targetOf(s)
	return h
}

// spanHop names what a span is by its own service, whichever end of a call it is.
func spanHop(s *ingest.Span) hop {
	return hop{caller: s.Service, op: s.Op, target: targetOf(s), kind: s.Kind}
}

// targetOf returns what a call asks for, as far as its name may leave it open.
func targetOf(s *ingest.Span) string {
	switch {
	case s.Call != nil && s.Call.Protocol == ingest.HTTP:
		return s.Call.Target
	case s.Call != nil:
		return s.Call.Method
	case s.Store != nil && s.Store.Template != "":
		return s.Store.Template
	case s.Store != nil:
		return s.Store.Op
	}
	return ""
}

// maxTargetShown is how much of a target is printed, in bytes.
const maxTargetShown = 60

// call returns the name of what is called.
func (h hop) call() string {
	op := strings.TrimPrefix(h.op, "Attempt.") // gRFC A72: the span is one attempt, the name is the call's
	switch {
	case h.target == "" || strings.Contains(op, h.target):
		return orUnnamed(op)
	case len(h.target) > maxTargetShown:
		return strings.TrimSpace(op + " " + strings.ToValidUTF8(h.target[:maxTargetShown], "") + "…")
	}
	return strings.TrimSpace(op + " " + h.target)
}

// String returns the caller and what it calls.
func (h hop) String() string { return strings.TrimSpace(h.caller + " " + h.call()) }

// who returns the caller, or words for it.
func (h hop) who() string {
	if h.caller == "" {
		return "the caller"
	}
	return h.caller
}

func (o operation) String() string {
	if o == (operation{}) {
		return "requests whose root is missing"
	}
	return strings.TrimSpace(o.service + " " + orUnnamed(o.op))
}

func orUnnamed(op string) string {
	if op == "" {
		return "unnamed"
	}
	return op
}

func (h hop) hash() uint64 {
	return hashText(h.target, hashText(h.op, hashText(h.caller, uint64(h.kind)+1)))
}

func (h hop) compare(o hop) int {
	return cmp.Or(cmp.Compare(h.caller, o.caller), cmp.Compare(h.op, o.op), cmp.Compare(h.target, o.target), cmp.Compare(h.kind, o.kind))
}

func (o operation) hash() uint64 { return hashText(o.op, hashText(o.service, 1)) }

func (o operation) compare(p operation) int {
	return cmp.Or(cmp.Compare(o.service, p.service), cmp.Compare(o.op, p.op))
}

// hashText mixes a text into a hash that is the same on every machine (FNV-1a,
// with the length, and with the bits spread by a multiplication).
func hashText(t string, h uint64) uint64 {
	h ^= 14695981039346656037
	for i := 0; i < len(t); i++ {
		h = (h ^ uint64(t[i])) * 1099511628211
	}
	h = (h ^ uint64(len(t))) * 0x9E3779B97F4A7C15
	return h ^ h>>32
}
