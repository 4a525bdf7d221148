// Package gcp reads logs of requests as Google Cloud's load balancers, Cloud Run
// and App Engine write them to Cloud Logging.
package gcp

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is a log of requests of Google Cloud.
var Dialect = log.Dialect{
	Name: "gcp",
	Doc: `Logs of Google Cloud load balancers

A JSON object (LogEntry) on a line for every request, exported from Cloud Logging
by a sink to Cloud Storage or Pub/Sub, or

    gcloud logging read 'resource.type="http_load_balancer"' --format=json | jq -c '.[]'

Logging is switched on for each backend service. Read is the member httpRequest,
which Cloud Run, App Engine and applications that log in its structure have too,
whatever stands around it.

Latency is httpRequest.latency, a number of seconds with its unit ("0.000864s"):
from the first byte of the request received to the last byte of the answer sent.
The timestamp is the start of the request; an entry that has only a
receiveTimestamp is stamped with that, its end, some seconds late. Where
jsonPayload.statusDetails says that the client left, or that a backend timed out,
the latency is a lower bound. WebSockets are connections and no requests.
`,
	Claims: func(line []byte) log.Claim {
		if len(line) == 0 || line[0] != '{' || !bytes.Contains(line, []byte(`"httpRequest"`)) {
			return log.Foreign
		}
		var v [members][]byte
		m := log.Members{Keys: log.Keys[int]{Mean: mean}}
		if !m.Read(line, v[:]) || v[method] == nil || v[url] == nil {
			return log.Foreign
		}
		return log.Own
	},
	Near: func(line []byte) string {
		if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte(`"httpRequest": {`)) {
			return "entries of Cloud Logging over several lines; make a line of each: jq -c '.[]'"
		}
		return ""
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		s := ingest.Shape{
			Layout: "LogEntry", Unit: time.Second, UnitFrom: ingest.UnitFromValue, Step: time.Microsecond,
			Clock: "first byte of the request read", Stamp: ingest.StampStart,
		}
		start := log.NewLayout(s, ingest.Proxy, opt)
		s.Stamp = ingest.StampEnd
		end := log.NewLayout(s, ingest.Proxy, opt)
		return func() log.Reader {
			return &reader{start: &start, end: &end, members: log.Members{Keys: log.Keys[int]{Mean: mean}}}
		}, nil
	},
}

// Members that are read.
const (
	_ = iota
	latency
	method
	url
	status
	stamp
	received
	trace
	detail
	members
)

func mean(name []byte) int {
	switch string(name) {
	case "latency":
		return latency
	case "requestMethod":
		return method
	case "requestUrl":
		return url
	case "status":
		return status
	case "timestamp":
		return stamp
	case "receiveTimestamp":
		return received
	case "trace":
		return trace
	case "statusDetails":
		return detail
	}
	return 0
}

type reader struct {
	log.Builder
	start, end *log.Layout
	members    log.Members
	v          [members][]byte
	roles      log.Fields
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	v := &r.v
	if !r.members.Read(line, v[:]) {
		return log.ErrJSON
	}
	if v[method] == nil || v[url] == nil {
		return log.ErrIgnore // an audit entry, another service's
	}
	clear(r.roles[:])
	r.roles[log.Method], r.roles[log.Target], r.roles[log.StatusCode] = v[method], v[url], v[status]
	r.roles[log.Latency] = v[latency]
	l := r.start
	if r.roles[log.Time] = v[stamp]; v[stamp] == nil {
		r.roles[log.Time] = v[received]
		l = r.end
	}
	if string(v[status]) == "0" {
		r.roles[log.StatusCode] = nil
	}
	if i := bytes.LastIndexByte(v[trace], '/'); i >= 0 {
		r.roles[log.TraceParent] = v[trace][i+1:]
	}
	if err := r.Build(l, &r.roles, e); err != nil {
		return err
	}
	switch d := v[detail]; {
	case bytes.HasPrefix(d, []byte("client_disconnected")), bytes.HasPrefix(d, []byte("client_timed_out")):
		e.Outcome = ingest.Canceled
	case string(d) == "backend_timeout":
		e.Outcome = ingest.TimedOut
	case bytes.HasPrefix(d, []byte("websocket")):
		e.Stream = true
	case e.Status == 0 && e.Outcome == ingest.OK:
		e.Outcome = ingest.Failed
	}
	return nil
}
