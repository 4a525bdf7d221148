// Package azure reads the access logs of Azure's Application Gateway and Front Door.
package azure

import (
	"bytes"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is an access log of Azure.
var Dialect = log.Dialect{
	Name: "azure",
	Doc: `Access logs of Azure Application Gateway and Front Door

A JSON object on a line for every request: a diagnostic setting of the resource that
sends the category ApplicationGatewayAccessLog, or FrontDoorAccessLog, to a storage
account.

Latency is timeTaken, and its unit depends on who wrote it: Application Gateway v1
writes milliseconds, v2 seconds, under the same key. They are told apart by keys
that only one of them has (timeStamp, listenerName, serverResponseLatency,
transactionId: v2; ApplicationGatewayRole as the instance, SERVER-STATUS in
requestQuery: v1). Front Door writes seconds. It runs from the first byte of the
request received to the last byte of the answer sent.

A line is stamped at its end, UTC, by Application Gateway to the second. v2 tells the
tries of backends, in lists as nginx, on which it is built: serverRouted,
serverStatus, serverResponseLatency. Status 499 (the client left) and 504 are lower
bounds. transactionId and trackingReference join lines with those of the servers
behind.
`,
	Claims: func(line []byte) log.Claim {
		if len(line) == 0 || line[0] != '{' || !bytes.Contains(line, []byte(`AccessLog"`)) {
			return log.Foreign
		}
		var v [members][]byte
		m := log.Members{Keys: log.Keys[int]{Mean: mean}}
		if !m.Read(line, v[:]) || kindOf(&v) == other {
			return log.Foreign
		}
		return log.Own
	},
	Near: func(line []byte) string {
		if bytes.HasPrefix(line, []byte(`{"records":[`)) || bytes.HasPrefix(line, []byte(`{"records": [`)) {
			return `records of Azure Monitor in an array; make a line of each: jq -c '.records[]'`
		}
		return ""
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		var layouts [kinds]log.Layout
		for k := range layouts {
			layouts[k] = kind(k).layout(opt)
		}
		return func() log.Reader {
			return &reader{layouts: &layouts, members: log.Members{Keys: log.Keys[int]{Mean: mean}}, Builder: log.Builder{Clock: log.Clock{Zone: opt.Zone}}}
		}, nil
	},
}

var errKind = errors.New("a log of Azure, but not of requests")

// kind is who wrote a line.
type kind int

const (
	other   kind = iota
	v1           // Application Gateway v1
	v2           // Application Gateway v2
	gateway      // Application Gateway, nothing says which
	door         // Front Door
	kinds
)

func (k kind) layout(opt ingest.Options) log.Layout {
	s := ingest.Shape{Unit: time.Second, UnitFrom: ingest.UnitFromFormat, Step: time.Millisecond, Clock: "first byte of the request read", Stamp: ingest.StampEnd}
	switch k {
	case v1:
		s.Layout, s.Unit = "Application Gateway v1", time.Millisecond
	case v2:
		s.Layout = "Application Gateway v2"
	case door:
		s.Layout = "Front Door"
	case gateway, other:
		s.Layout, s.Unit, s.UnitFrom, s.Step = "Application Gateway", 0, "", 0
		s.Assumed, s.Other = time.Second, time.Millisecond
	}
	l := log.NewLayout(s, ingest.Proxy, opt)
	l.Upstream = log.Unit{Size: time.Second}
	return l
}

// Members that are read.
const (
	_ = iota
	taken
	method
	uri
	original
	status
	stamp
	timeStamp
	category
	transaction
	tracking
	instance
	query
	listener
	routed
	serverStatus
	serverLatency
	members
)

func mean(name []byte) int {
	switch string(name) {
	case "timeTaken":
		return taken
	case "httpMethod":
		return method
	case "requestUri":
		return uri
	case "originalRequestUriWithArgs":
		return original
	case "httpStatus", "httpStatusCode":
		return status
	case "time":
		return stamp
	case "timeStamp":
		return timeStamp
	case "category":
		return category
	case "transactionId":
		return transaction
	case "trackingReference":
		return tracking
	case "instanceId":
		return instance
	case "requestQuery":
		return query
	case "listenerName":
		return listener
	case "serverRouted":
		return routed
	case "serverStatus":
		return serverStatus
	case "serverResponseLatency":
		return serverLatency
	}
	return 0
}

// kindOf tells who wrote a line, by its category, and by keys that only one
// generation has.
func kindOf(v *[members][]byte) kind {
	switch string(v[category]) {
	case "FrontDoorAccessLog", "FrontdoorAccessLog":
		return door
	case "ApplicationGatewayAccessLog":
	default:
		return other
	}
	switch {
	case v[timeStamp] != nil, v[listener] != nil, v[serverLatency] != nil, v[transaction] != nil:
		return v2
	case bytes.HasPrefix(v[instance], []byte("ApplicationGatewayRole")), bytes.Contains(v[query], []byte("SERVER-STATUS=")):
		return v1
	}
	return gateway
}

type reader struct {
	log.Builder
	layouts *[kinds]log.Layout
	members log.Members
	v       [members][]byte
	roles   log.Fields
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	v := &r.v
	if !r.members.Read(line, v[:]) {
		return log.ErrJSON
	}
	k := kindOf(v)
	if k == other || v[method] == nil && v[uri] == nil && v[original] == nil {
		return errKind
	}
	clear(r.roles[:])
	f := &r.roles
	f[log.Method], f[log.Target], f[log.StatusCode], f[log.Latency] = v[method], first(v[original], v[uri]), v[status], v[taken]
	f[log.Time], f[log.RequestID] = first(v[timeStamp], v[stamp]), first(v[transaction], v[tracking])
	if k == v2 && len(v[routed]) > 0 {
		f[log.UpstreamPeer], f[log.UpstreamStatus], f[log.Upstream] = v[routed], v[serverStatus], v[serverLatency]
	}
	if len(v[status]) == 1 {
		f[log.StatusCode] = nil // 0: there was no answer
	}
	if err := r.Build(&r.layouts[k], f, e); err != nil {
		return err
	}
	if e.Status == 0 {
		e.Outcome = ingest.Failed
	}
	return nil
}

// first returns the first of two values that is there.
func first(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}
