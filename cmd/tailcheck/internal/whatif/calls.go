package whatif

import (
	"cmp"
	"encoding/binary"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

// opKey names calls of one operation by who makes them.
type opKey struct {
	caller, callerOp string
	service, op      string
	kind             ingest.Kind
}

// String returns what is called, and by whom.
func (k opKey) String() string {
	name := strings.TrimSpace(k.op)
	if name == "" {
		name = "calls without a name"
	}
	if by := strings.TrimSpace(k.caller + " " + k.callerOp); by != "" {
		name += " below " + by
	}
	return name
}

func (k opKey) compare(o opKey) int {
	return cmp.Or(cmp.Compare(k.caller, o.caller), cmp.Compare(k.callerOp, o.callerOp), cmp.Compare(k.service, o.service), cmp.Compare(k.op, o.op), cmp.Compare(k.kind, o.kind))
}

func (k opKey) hash() uint64 {
	h := uint64(14695981039346656037) + uint64(k.kind)
	for _, t := range [...]string{k.caller, k.callerOp, k.service, k.op} {
		for i := range len(t) {
			h = (h ^ uint64(t[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return mixed(h)
}

// mixed spreads the bits of x (the finaliser of SplitMix64); it is never 0.
func mixed(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return (x ^ x>>31) | 1
}

// request is one parent with its calls.
type request struct {
	hash       uint64
	start      ingest.Time
	took, wait time.Duration // of the parent; the time in which at least one call ran
	calls      []call        // by start
}

type call struct {
	start   ingest.Time
	took    time.Duration
	peer    uint32 // hash of its name; 0: not known
	outcome ingest.Outcome
}

// isCall reports whether a span is a call that its parent waits for: no message,
// no connection set-up, no command that shares a round trip, and not the server's
// end of the call that the parent is.
func isCall(t *calltree.Trace, p *ingest.Span, n calltree.Node) bool {
	s := t.Span(n)
	if !t.Timed(n) || t.Duration(n) > longestCall || s.Async || s.Setup || s.Cached || s.Store != nil && s.Store.Pipelined {
		return false
	}
	if s.Kind == ingest.ServerSpan {
		return p != nil && p.Kind != ingest.ClientSpan && t.Crosses(n)
	}
	return p != nil || s.Kind == ingest.ClientSpan
}

// longestCall is what a call can take: what a broken clock makes of it is no
// time to draw from, and sums of a million calls stay in range.
const longestCall = 2 * time.Hour

// isHedge reports whether overlapping calls are one that was sent more than
// once: one has an answer, and the others were cancelled when it came.
func isHedge(calls []call) bool {
	if len(calls) < 2 || len(calls) > 5 || calls[1].start.Sub(calls[0].start) < time.Millisecond {
		return false
	}
	won, lost := 0, 0
	for _, c := range calls {
		switch c.outcome {
		case ingest.OK:
			won++
		case ingest.Canceled:
			lost++
		}
	}
	return won == 1 && won+lost == len(calls)
}

// idempotent says whether a call may be made twice: 1 its method says so, -1 its
// method says no, 0 not known. HTTP: RFC 9110, 9.2.2; of stores, commands that
// add to what is there.
func idempotent(s *ingest.Span) int {
	return methodAllows(methodOf(s))
}

// methodAllows says it of a method.
func methodAllows(m string) int {
	switch m {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "SELECT", "MGET", "HGET", "HGETALL", "EXISTS":
		return 1
	case "POST", "PATCH", "CONNECT", "INSERT", "UPDATE", "INCR", "INCRBY", "DECR", "DECRBY", "LPUSH", "RPUSH", "XADD":
		return -1
	}
	return 0
}

func methodOf(s *ingest.Span) string {
	switch {
	case s.Call != nil && s.Call.Protocol == ingest.HTTP:
		return s.Call.Method
	case s.Store != nil:
		return s.Store.Op
	}
	return ""
}

func peerHash(name string) uint32 {
	if name == "" {
		return 0
	}
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return uint32(mixed(h)>>32) | 1
}

func hashOf(t *calltree.Trace, n calltree.Node, g calltree.Group) uint64 {
	id := func(b []byte) uint64 { return binary.BigEndian.Uint64(b) }
	h := mixed(id(t.ID[:8]))
	h = mixed(h ^ id(t.ID[8:]))
	return mixed(h ^ id(t.Spans[g.Spans[0]].ID[:]) ^ uint64(n))
}

func (f *fanOuts) get(k opKey) *fanOut {
	if o := f.ops[k]; o != nil {
		return o
	}
	if f.most != 0 && k.hash() >= f.most {
		return nil
	}
	if f.ops == nil {
		f.ops = map[opKey]*fanOut{}
	}
	o := &fanOut{key: k}
	f.ops[k] = o
	if len(f.ops) > 2*maxOps {
		f.cut()
	}
	return f.ops[k]
}
