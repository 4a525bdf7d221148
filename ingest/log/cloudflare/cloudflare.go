// Package cloudflare reads the http_requests logs of Cloudflare's Logpush.
package cloudflare

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is a log of requests of Cloudflare.
var Dialect = log.Dialect{
	Name: "cloudflare",
	Doc: `Logs of requests of Cloudflare (Logpush)

A JSON object on a line for every request: a Logpush job of the dataset
http_requests, or Logpull. Select EdgeStartTimestamp, EdgeEndTimestamp,
ClientRequestMethod, ClientRequestURI (or ClientRequestPath), EdgeResponseStatus and
RayID, and unixnano or rfc3339 with nanoseconds as the format of the stamps.

Latency is EdgeEndTimestamp - EdgeStartTimestamp: from the request received at the
edge to the last byte of the answer sent. With stamps in whole seconds so is the
latency, cut off. Status 499 (the client left) and 524 (the origin gave no answer in
time) are lower bounds. WebSockets are connections and no requests.
`,
	Claims: func(line []byte) log.Claim {
		if len(line) == 0 || line[0] != '{' || !bytes.Contains(line, []byte(`"Edge`)) {
			return log.Foreign
		}
		var v [members][]byte
		m := log.Members{Keys: log.Keys[int]{Mean: mean}}
		if !m.Read(line, v[:]) || v[start] == nil && v[end] == nil || v[ray] == nil && v[status] == nil && v[uri] == nil {
			return log.Foreign
		}
		return log.Own
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		var l [len(steps)]log.Layout
		for i, step := range steps {
			l[i] = log.NewLayout(ingest.Shape{
				Layout: "http_requests", Unit: time.Nanosecond, UnitFrom: ingest.UnitFromRedundancy, Step: step,
				Clock: "request received at the edge", Stamp: ingest.StampStart,
			}, ingest.Proxy, ingest.Options{}) // a difference of two moments has no other unit
		}
		return func() log.Reader {
			return &reader{layouts: l, members: log.Members{Keys: log.Keys[int]{Mean: mean}}, Builder: log.Builder{Clock: log.Clock{Zone: opt.Zone}}}
		}, nil
	},
}

// steps are the smallest differences between two latencies, by the resolution
// of the stamps: nanoseconds to seconds.
var steps = [...]time.Duration{time.Nanosecond, time.Microsecond, time.Millisecond, time.Second}

// Members that are read.
const (
	_ = iota
	start
	end
	method
	uri
	path
	status
	ray
	protocol
	members
)

func mean(name []byte) int {
	switch string(name) {
	case "EdgeStartTimestamp":
		return start
	case "EdgeEndTimestamp":
		return end
	case "ClientRequestMethod":
		return method
	case "ClientRequestURI":
		return uri
	case "ClientRequestPath":
		return path
	case "EdgeResponseStatus":
		return status
	case "RayID":
		return ray
	case "ClientRequestScheme":
		return protocol
	}
	return 0
}

type reader struct {
	log.Builder
	layouts [len(steps)]log.Layout
	members log.Members
	v       [members][]byte
	roles   log.Fields
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	v := &r.v
	if !r.members.Read(line, v[:]) {
		return log.ErrJSON
	}
	if v[start] == nil && v[end] == nil {
		return log.ErrOther
	}
	from, okStart := r.Clock.Read(v[start])
	to, okEnd := r.Clock.Read(v[end])
	switch {
	case v[start] != nil && !okStart, v[end] != nil && !okEnd:
		return log.ErrStamp
	case okStart && okEnd && to.Time < from.Time:
		return log.ErrLatency
	}
	l, resolution := &r.layouts[0], max(from.Resolution, to.Resolution)
	for i, step := range steps {
		if resolution >= step {
			l = &r.layouts[i]
		}
	}
	clear(r.roles[:])
	r.roles[log.Method], r.roles[log.Target], r.roles[log.StatusCode], r.roles[log.RequestID] = v[method], v[uri], v[status], v[ray]
	if v[uri] == nil {
		r.roles[log.Target] = v[path]
	}
	if len(v[status]) == 1 {
		r.roles[log.StatusCode] = nil // 0: there was no answer
	}
	if err := r.Build(l, &r.roles, e); err != nil {
		return err
	}
	switch {
	case okStart && okEnd:
		e.Stamp, e.Start, e.Latency = from, from.Time, to.Time.Sub(from.Time)
	case okStart:
		e.Stamp = from
	default:
		e.Stamp, e.End = to, to.Time
		e.Stamp.Time = 0 // the shape's stamps are starts
	}
	if string(v[protocol]) == "wss" || string(v[protocol]) == "ws" {
		e.Stream = true
	}
	if e.Status == 0 {
		e.Outcome = ingest.Failed
	}
	return nil
}
