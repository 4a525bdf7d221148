package haproxy

import (
	"math"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// outcome is how a request ended, by the cause in its termination state, and by
// its status where it ended normally. C: the client left. s, c: a time-out of the
// server's or the client's side.
func (x *fields) outcome() ingest.Outcome {
	cause := byte('-')
	if len(x.state) > 0 {
		cause = x.state[0]
	}
	switch cause {
	case 'C':
		return ingest.Canceled
	case 's', 'c':
		return ingest.TimedOut
	case '-', 'L': // L: answered by HAProxy itself
		if x.status == 0 {
			return ingest.OK // the log does not tell it
		}
		return log.Outcome(x.status)
	}
	return ingest.Failed
}

// mostTries is how many tries of one request are listed.
const mostTries = 64

// tries counts the tries at servers. The last retry ended in a try too, unless
// the request was still waiting for the queue. Tries without a redispatch were
// all at the server that the line names, with one only the last is known to be.
func (r *reader) tries(x *fields, e *log.Entry) {
	n := max(0, x.retries)
	tried := len(x.server) > 0 && x.server[0] != '<' && x.server[0] != '-'
	if tried && len(x.state) > 1 {
		phase := x.state[1]
		tried = phase != 'R' && phase != 'Q' && phase != 'T'
	}
	if tried {
		n++
	}
	e.Tries = int32(min(n, math.MaxInt32))
	if x.retries <= 0 || !tried || n > mostTries {
		return
	}
	r.text = append(append(append(r.text[:0], x.backend...), '/'), x.server...)
	peer := r.servers.Intern(r.text)
	for i := range n {
		a := ingest.Attempt{Latency: ingest.NoLatency}
		if i == n-1 {
			a.Status = x.status
		}
		if i == n-1 || !x.redispatched {
			a.Peer = peer
		}
		e.Attempts = append(e.Attempts, a)
	}
}
