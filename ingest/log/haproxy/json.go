package haproxy

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// key is what the name of a member of a line of JSON means.
type key uint8

const (
	keyNone key = iota
	keyStamp
	keyRequest
	keyMethod
	keyTarget
	keyStatus
	keyReceive
	keyWait
	keyConnect
	keyResponse
	keyActive
	keyTotal
	keyRetries
	keyState
	keyServer
	keyBackend
	keyID
	keyTrace
	keyOther // HAProxy's, and not read
)

// exact are the names of HAProxy's own variables, whose case matters.
var exact = map[string]key{
	"TR": keyReceive, "Tw": keyWait, "Tc": keyConnect, "Tr": keyResponse, "Ta": keyActive, "Tt": keyTotal, "Tq": keyOther, "Td": keyOther, "Ti": keyOther, "Th": keyOther, "Tu": keyOther,
	"ts": keyState, "tsc": keyState, "rc": keyRetries, "ST": keyStatus, "HM": keyMethod, "HU": keyTarget, "HP": keyTarget, "r": keyRequest,
	"tr": keyStamp, "t": keyStamp, "trg": keyStamp, "trl": keyStamp, "s": keyServer, "b": keyBackend, "sq": keyOther, "bq": keyOther,
}

// names are those of the manual's table of fields and of collectors' modules
// (Filebeat's, Vector's), without a prefix haproxy and without a unit.
var names = map[string]key{
	"time_request": keyReceive, "time_receive": keyReceive, "time_client_request": keyReceive, "time_receive_request": keyReceive,
	"time_queue": keyWait, "time_wait": keyWait, "time_queued": keyWait, "time_waiting": keyWait, "total_waiting_time": keyWait, "queue_time": keyWait, "wait_time": keyWait,
	"time_connect": keyConnect, "time_backend_connect": keyConnect, "time_server_connect": keyConnect, "connect_time": keyConnect, "connection_wait_time": keyConnect, "upstream_connect_time": keyConnect,
	"time_response": keyResponse, "time_backend_response": keyResponse, "time_server_response": keyResponse, "response_time": keyResponse, "server_response_time": keyResponse, "upstream_response_time": keyResponse,
	"time_active": keyActive, "active_time": keyActive, "time_active_total": keyActive, "duration": keyActive, "request_duration": keyActive,
	"time_total": keyTotal, "total_time": keyTotal, "time_duration": keyTotal, "time_session": keyTotal, "session_duration": keyTotal, "session_time": keyTotal,
	"termination_state": keyState, "term_state": keyState, "termination_status": keyState, "session_state": keyState, "terminationstate": keyState,
	"retries": keyRetries, "retry_count": keyRetries, "retries_count": keyRetries,
	"srv_queue": keyOther, "server_queue": keyOther, "backend_queue": keyOther,
	"time_local": keyStamp, "timestamp": keyStamp, "@timestamp": keyStamp, "time": keyStamp, "date": keyStamp, "date_time": keyStamp, "datetime": keyStamp, "request_date": keyStamp, "accept_date": keyStamp, "start_time": keyStamp,
	"http_request": keyRequest, "request": keyRequest, "request_line": keyRequest,
	"method": keyMethod, "http_method": keyMethod, "request_method": keyMethod,
	"uri": keyTarget, "http_uri": keyTarget, "request_uri": keyTarget, "http_path": keyTarget, "path": keyTarget, "url": keyTarget, "request_path": keyTarget,
	"status": keyStatus, "status_code": keyStatus, "http_status": keyStatus, "http_status_code": keyStatus, "response_code": keyStatus,
	"server": keyServer, "server_name": keyServer, "srv": keyServer, "backend_server": keyServer,
	"backend": keyBackend, "backend_name": keyBackend,
	"request_id": keyID, "unique_id": keyID, "unique-id": keyID, "x_request_id": keyID, "x-request-id": keyID,
	"traceparent": keyTrace, "trace_id": keyTrace, "traceid": keyTrace,
}

func named(name []byte) key {
	if k, ok := exact[string(name)]; ok {
		return k
	}
	low := bytes.ToLower(name)
	for _, prefix := range []string{"haproxy_", "haproxy."} {
		low = bytes.TrimPrefix(low, []byte(prefix))
	}
	if k, ok := names[string(low)]; ok {
		return k
	}
	base, _, ok := log.KeyUnit(low)
	if k := names[string(base)]; ok && k >= keyReceive && k <= keyTotal {
		return k
	}
	return keyNone
}

// walk takes note of the members of a JSON object, and reports whether it is
// whole. It is HAProxy's if it has a termination state, and a timer or a count
// beside it that only HAProxy names so.
func (r *reader) walk(line []byte, x *fields) bool {
	x.reset()
	r.text = r.text[:0]
	o := &r.object
	o.Reset(line)
	timers, http := 0, false
	for i := 0; o.Next(); i++ {
		k := r.keys.At(i, o.Key)
		if k == keyNone {
			continue
		}
		v := o.Value
		if o.Quoted && bytes.IndexByte(v, '\\') >= 0 {
			from := len(r.text)
			r.text = log.Unescape(r.text, v)
			v = r.text[from:]
		}
		if len(v) == 0 || !o.Quoted && string(v) == "null" {
			continue
		}
		switch k {
		case keyStamp:
			if v[0] == '[' {
				v = bytes.Trim(v, "[]")
			}
			if x.stamp == nil && len(v) > 8 {
				x.stamp = v
			}
		case keyRequest:
			x.request, http = v, true
		case keyMethod:
			x.method = v
		case keyTarget:
			if x.target == nil {
				x.target, http = v, true
			}
		case keyStatus:
			x.status, _ = log.Status(v)
			http = true
		case keyState:
			if isState(v) {
				x.state = v
			}
		case keyServer:
			x.server = v
		case keyBackend:
			x.backend = v
		case keyID:
			x.id = v
		case keyTrace:
			x.trace = v
		case keyOther:
			timers++
		default:
			timers++
			x.number(k, v)
		}
	}
	x.tcp = len(x.state) == 2 && !http
	x.own = x.state != nil && timers > 0
	return o.Whole()
}

// number takes note of a timer, or of the retries. What is no number is none.
func (x *fields) number(k key, v []byte) {
	n, plus, end := number(v, 0)
	if end != len(v) || end == 0 {
		return
	}
	switch k {
	case keyReceive:
		x.receive = n
	case keyWait:
		x.wait = n
	case keyConnect:
		x.connect = n
	case keyResponse:
		x.response = n
	case keyActive:
		x.active, x.asap = n, plus
	case keyTotal:
		x.total = n
	case keyRetries:
		x.retries, x.redispatched = n, plus
	}
}
