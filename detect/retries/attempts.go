package retries

import (
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
)

const (
	// slack is how much two calls one after the other may overlap: instrumentation
	// ends a span a little late, and clocks tick. Of long calls it is slackShare.
	slack      = time.Millisecond
	slackShare = 100 // one part in 100, as calltree has it for siblings

	// maxPause is the longest pause between two tries that is taken for a
	// backoff: clients stop at 20 s (AWS SDKs) to 30 s. What comes later is a new
	// request of somebody.
	maxPause = time.Minute

	// manyTries is up to how many tries are believed without a pause between them
	// or an attribute that numbers them: policies stop at 3 to 5, seldom at 10. What
	// fails more often in a row, at once, is more likely a list that is worked off.
	manyTries = 10
)

// isCall reports whether a span is a call of something else, or one attempt at
// it, which may be made again: client spans; the INTERNAL spans that grpc-go
// (gRFC A72) and X-Ray SDKs write for each attempt; server spans whose client
// is not recorded; spans without a kind that say whom they call.
func isCall(t *calltree.Trace, n calltree.Node) bool {
	s := &t.Spans[n]
	if s.Async || s.Setup || s.Cached || !t.Timed(n) {
		return false
	}
	switch s.Kind {
	case ingest.ClientSpan:
		return true
	case ingest.Internal:
		return s.Resend >= 0 || isAttempt(s.Op)
	case ingest.ServerSpan:
		return t.Crosses(n)
	case ingest.KindUnspecified:
		return s.Call != nil || s.Store != nil || s.Peer != "" || t.Crosses(n)
	}
	return false
}

// isAttempt knows the names of spans that are one attempt: gRFC A72's
// "Attempt.service.method", X-Ray's "attempt".
func isAttempt(op string) bool { return strings.HasPrefix(op, "Attempt.") || op == "attempt" }

// otherEnd reports whether a span is the server's end of the call that its
// parent is.
func otherEnd(t *calltree.Trace, parent, n calltree.Node) bool {
	p := t.Span(parent)
	return p != nil && p.Kind == ingest.ClientSpan && t.Spans[n].Kind == ingest.ServerSpan
}

// again reports whether a call ended in a way that callers answer by trying
// again. An answer that will be the same the next time (a challenge to
// authenticate, not found, an invalid argument) is none, though the span is an
// error; a call that the caller cancelled is.
//
// HTTP: 408, 425, 429 and 5xx (RFC 9110 and RFC 6585: the client may repeat the
// request); 499 is Canceled. gRPC: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED,
// RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE, DATA_LOSS; the others are
// final answers ("statuscodes" of the gRPC documentation).
func again(s *ingest.Span) bool {
	if s.Outcome == ingest.OK {
		return false
	}
	if s.Outcome != ingest.Failed {
		return true
	}
	switch {
	case s.Status >= 400:
		return s.Status >= 500 || s.Status == 408 || s.Status == 425 || s.Status == 429
	case s.Status > 0 && s.Status < 100:
		switch s.Status {
		case 1, 2, 4, 8, 10, 13, 14, 15:
			return true
		}
		return false
	}
	return true
}

// request is what tells calls of one operation apart: two with the same
// request may be tries of one thing.
type request struct {
	target, method, store, namespace string
	peer                             string // with digits folded: replicas of one service are one peer
	args                             uint64
}

// requestsOf splits calls of one operation by what they ask for.
type requestsOf struct {
	keys  []request
	nodes [][]calltree.Node
	index map[request]int
	peers map[string]string
}

// split returns the calls among nodes, which are siblings in the order of their
// starts, by request. The slices are valid until the next split.
func (r *requestsOf) split(t *calltree.Trace, nodes []calltree.Node) [][]calltree.Node {
	const few = 8 // that are compared one by one
	r.keys = r.keys[:0]
	if len(r.index) > 0 {
		clear(r.index)
	}
	for _, n := range nodes {
		if !isCall(t, n) {
			continue
		}
		k := r.of(&t.Spans[n])
		i := -1
		if len(r.keys) <= few {
			for j := range r.keys {
				if r.keys[j] == k {
					i = j
					break
				}
			}
		} else if j, ok := r.index[k]; ok {
			i = j
		}
		if i < 0 {
			i = len(r.keys)
			r.keys = append(r.keys, k)
			if i == len(r.nodes) {
				r.nodes = append(r.nodes, nil)
			}
			r.nodes[i] = r.nodes[i][:0]
			if len(r.keys) > few {
				if r.index == nil {
					r.index = map[request]int{}
				}
				if len(r.keys) == few+1 {
					for j := range r.keys {
						r.index[r.keys[j]] = j
					}
				}
				r.index[k] = i
			}
		}
		r.nodes[i] = append(r.nodes[i], n)
	}
	return r.nodes[:len(r.keys)]
}

func (r *requestsOf) of(s *ingest.Span) request {
	k := request{target: targetOf(s), peer: r.class(s.Peer), args: s.Args}
	if s.Call != nil {
		k.method = s.Call.Method
	}
	if s.Store != nil {
		k.store, k.namespace = s.Store.Op, s.Store.Namespace
	}
	return k
}

// maxClasses bounds how many peers are remembered with their class.
const maxClasses = 1 << 12

// class returns a peer with its digits folded, so that a try that goes to
// another replica (another address, port or ordinal) is a try of the same.
func (r *requestsOf) class(peer string) string {
	if !strings.ContainsAny(peer, "0123456789") {
		return peer
	}
	if c, ok := r.peers[peer]; ok {
		return c
	}
	var b strings.Builder
	for i := 0; i < len(peer); i++ {
		if c := peer[i]; c < '0' || c > '9' {
			b.WriteByte(c)
		} else if i == 0 || peer[i-1] < '0' || peer[i-1] > '9' {
			b.WriteByte('#')
		}
	}
	if r.peers == nil || len(r.peers) >= maxClasses {
		r.peers = map[string]string{}
	}
	r.peers[peer] = b.String()
	return r.peers[peer]
}

// areTries reports whether calls with one request are tries of one call: at
// least two, one after the other with short pauses, each but the last one
// ended so that it is tried again.
func areTries(t *calltree.Trace, calls []calltree.Node) bool {
	if len(calls) < 2 {
		return false
	}
	tries, numbered := stands(&t.Spans[calls[0]]), false
	busy := time.Duration(0) // in tries but the last
	for i, n := range calls[1:] {
		before := calls[i]
		s, b := &t.Spans[n], &t.Spans[before]
		if !again(b) || s.ID == b.ID || redirected(b, s) || s.Store != nil && s.Store.Pipelined {
			return false
		}
		skew := t.Skew(n, before) // 0 unless they are servers' spans
		allowed := max(slack, t.Duration(before)/slackShare) + skew
		if pause := s.Start.Sub(b.End); -pause > allowed || pause > maxPause+skew {
			return false
		}
		tries = plus(tries, stands(s))
		numbered = numbered || s.Resend > 0
		if b.Rare != nil && b.Rare.Total > 0 {
			busy = plus(busy, b.Rare.Total)
		} else {
			busy = plus(busy, t.Duration(before))
		}
	}
	if tries <= manyTries || numbered {
		return true
	}
	all := t.Spans[calls[len(calls)-1]].Start.Sub(t.Spans[calls[0]].Start)
	return (all-busy)/time.Duration(tries-1) >= slack
}

// redirected reports whether a node of a Redis Cluster may have sent the caller
// to another one: MOVED and ASK are errors that name the node to ask, and
// instrumentations record them as a failed call.
func redirected(failed, next *ingest.Span) bool {
	return failed.Store != nil && next.Store != nil && (failed.Store.System == "redis" || failed.Store.System == "valkey") &&
		failed.Peer != next.Peer && failed.Outcome == ingest.Failed
}

// callee returns the server's span of a call; the call itself where the other
// side is not recorded.
func callee(t *calltree.Trace, n calltree.Node) calltree.Node {
	for _, k := range t.Children(n) {
		if t.Crosses(k) && t.Timed(k) && !t.Spans[k].Async {
			return k
		}
	}
	return n
}

// cost is the time that was spent on a call by whoever was called, as far as it
// is recorded; of a pruned summary what it states for all that it stands for.
func cost(t *calltree.Trace, n calltree.Node) time.Duration {
	if r := t.Spans[n].Rare; r != nil && r.Total > 0 {
		return r.Total
	}
	return t.Duration(callee(t, n))
}
