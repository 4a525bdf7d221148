package kong

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Where Kong's clocks start. latencies.request is nginx's $request_time
// (kong/pdk/log.lua).
const (
	clockRequest = "first byte of the request read"
	clockSession = "connection accepted"
)

// meaning is what a member means.
type meaning uint8

const (
	nothing meaning = iota
	isRequest
	isKong
	isProxy
	isSession
	isMethod
	isURI
	isURL
	isStatus
	isUpstreamStatus
	isStarted
	isTries
	isID
	isParent
	isTrace
)

// key is what a member means, by its name and how deep it stands: "request" is
// an object, and the number of that name is in latencies.
type key struct {
	meaning meaning
	depth   int
}

var names = map[string]key{
	"request": {isRequest, 2}, "kong": {isKong, 2}, "proxy": {isProxy, 2}, "session": {isSession, 2},
	"method": {isMethod, 2}, "uri": {isURI, 2}, "url": {isURL, 2}, "request_uri": {isURL, 2}, "status": {isStatus, 2},
	"upstream_status": {isUpstreamStatus, 1}, "started_at": {isStarted, 1}, "tries": {isTries, 1},
	"x-request-id": {isID, 3}, "x-kong-request-id": {isID, 3}, "kong-request-id": {isID, 3},
	"traceparent": {isParent, 3}, "w3c": {isTrace, 2},
}

func named(name []byte) key { return names[string(name)] }

// fields are what a line says.
type fields struct {
	request, kong, proxy, session                      []byte
	method, uri, url, status, upstream, started, tries []byte
	id, trace                                          []byte
}

// plan is what the readers of all parts of an input share.
type plan struct {
	unit             time.Duration
	zone             *time.Location
	request, session ingest.Shape
}

func learn(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
	p := &plan{unit: time.Millisecond, zone: opt.Zone}
	s := ingest.Shape{Layout: "JSON", Stamp: ingest.StampStart, Unit: p.unit, UnitFrom: ingest.UnitFromFormat, Step: p.unit, Clock: clockRequest}
	if opt.Unit != 0 {
		p.unit, s.Unit, s.UnitFrom, s.Step = opt.Unit, opt.Unit, ingest.UnitFromFlag, opt.Unit
	}
	p.request = s
	s.Clock = clockSession
	p.session = s
	return func() log.Reader { return newReader(p) }, nil
}

// reader reads the lines of one part.
type reader struct {
	*plan
	log.Builder
	line   fields
	object log.Object
	inner  log.Object // of a try
	keys   log.Keys[key]
	text   []byte
}

func newReader(p *plan) *reader {
	r := &reader{plan: p, Builder: log.Builder{Clock: log.Clock{Zone: p.zone}}}
	r.keys.Mean = named
	return r
}

// walk takes note of the members of an object, and reports whether it is whole.
func (r *reader) walk(line []byte, x *fields) bool {
	*x = fields{}
	r.text = r.text[:0]
	o := &r.object
	o.Reset(line)
	for i := 0; o.Next(); i++ {
		k := r.keys.At(i, o.Key)
		if k.meaning == nothing || k.depth != o.Depth {
			continue
		}
		v := o.Value
		if o.Quoted && bytes.IndexByte(v, '\\') >= 0 {
			from := len(r.text)
			r.text = log.Unescape(r.text, v)
			v = r.text[from:]
		}
		if len(v) > 0 && (o.Quoted || string(v) != "null") {
			x.put(k.meaning, v)
		}
	}
	return o.Whole()
}

func (x *fields) put(m meaning, v []byte) {
	switch m {
	case isRequest:
		x.request = v
	case isKong:
		x.kong = v
	case isProxy:
		x.proxy = v
	case isSession:
		x.session = v
	case isMethod:
		x.method = v
	case isURI:
		x.uri = v
	case isURL:
		x.url = v
	case isStatus:
		x.status = v
	case isUpstreamStatus:
		x.upstream = v
	case isStarted:
		x.started = v
	case isTries:
		x.tries = v
	case isID:
		x.id = v
	case isParent, isTrace:
		x.trace = v
	}
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	x := &r.line
	switch {
	case line[0] != '{':
		return log.ErrOther
	case !r.walk(line, x):
		return log.ErrJSON
	case !x.own():
		return log.ErrOther
	}
	e.Vantage, e.Shape = ingest.Proxy, &r.plan.request
	if x.started != nil {
		var ok bool
		if e.Stamp, ok = r.Clock.Read(x.started); !ok {
			return log.ErrStamp
		}
		e.Start = e.Stamp.Time
	}
	took := x.request
	if !isNumber(took) {
		took, e.Shape, e.Stream, e.Op = x.session, &r.plan.session, true, "TCP"
	}
	if took[0] != '-' {
		var ok bool
		if e.Latency, _, _, ok = log.Duration(took, r.unit); !ok {
			return log.ErrLatency
		}
	}
	if x.status != nil {
		var ok bool
		if string(x.status) != "0" {
			if e.Status, ok = log.Status(x.status); !ok {
				return log.ErrStatus
			}
		}
		if !e.Stream {
			e.Outcome = log.Outcome(e.Status)
		}
	}
	if !e.Stream {
		r.operation(x, e)
	}
	r.attempts(x, e)
	e.Request = r.ID(x.id)
	if len(x.trace) >= 32 {
		e.Trace = log.TraceID(x.trace)
	}
	return nil
}

// operation names what was asked for: by the path, or by the whole URL, which
// old versions call request_uri.
func (r *reader) operation(x *fields, e *log.Entry) {
	target, method := x.uri, x.method
	if target == nil {
		target = x.url
	}
	if method == nil {
		method = []byte("ANY")
	}
	if target != nil {
		e.Op = r.Routes.Op(method, target)
	}
	e.Stream = e.Status == 101 || e.Op == "CONNECT"
}
