package kong

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// mostTries is how many tries of one line are listed.
const mostTries = 64

// attempts reads the list of tries. Each says when the balancer began with it,
// so that one took until the next began; the last, where it is the only one, the
// upstream's latency.
func (r *reader) attempts(x *fields, e *log.Entry) {
	list := x.tries
	var before int64 // when the try before began, in nanoseconds; 0: not known
	for {
		var try []byte
		if try, list = object(list); try == nil {
			break
		}
		if e.Tries++; len(e.Attempts) == mostTries {
			continue
		}
		a, began := r.attempt(try)
		if n := len(e.Attempts); n > 0 && before > 0 && began >= before {
			e.Attempts[n-1].Latency = time.Duration(began - before)
		}
		before = began
		e.Attempts = append(e.Attempts, a)
	}
	if len(e.Attempts) == 0 {
		return
	}
	last := &e.Attempts[len(e.Attempts)-1]
	if last.Status == 0 {
		if last.Status, _ = log.Status(x.upstream); last.Status == 0 {
			last.Status = e.Status
		}
	}
	if len(e.Attempts) == 1 && e.Tries == 1 && len(x.proxy) > 0 && x.proxy[0] != '-' {
		if d, _, _, ok := log.Duration(x.proxy, r.unit); ok {
			last.Latency = d
		}
	}
}

// attempt reads one try, and when it began.
func (r *reader) attempt(try []byte) (a ingest.Attempt, began int64) {
	a.Latency = ingest.NoLatency
	var ip, port []byte
	o := &r.inner
	for o.Reset(try); o.Next(); {
		switch string(o.Key) {
		case "ip":
			ip = o.Value
		case "port":
			port = o.Value
		case "code":
			a.Status, _ = log.Status(o.Value)
		case "balancer_start":
			if v, _, ok := ingest.ParseDecimal(o.Value, int64(time.Millisecond)); ok && began == 0 {
				began = v
			}
		case "balancer_start_ns":
			if v, _, ok := ingest.ParseDecimal(o.Value, 1); ok && v > 0 {
				began = v
			}
		}
	}
	if len(ip) > 0 {
		r.text = append(append(append(r.text[:0], ip...), ':'), port...)
		a.Peer = r.Peers.Intern(r.text)
	}
	return a, began
}

// object cuts the first object off a list.
func object(list []byte) (first, rest []byte) {
	from := bytes.IndexByte(list, '{')
	if from < 0 {
		return nil, nil
	}
	depth, quoted := 0, false
	for i := from; i < len(list); i++ {
		switch c := list[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return list[from : i+1], list[i+1:]
			}
		}
	}
	return nil, nil
}
