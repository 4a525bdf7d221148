package zipkin

import (
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// reader reads one input.
type reader struct {
	*trace.Feed
	json *trace.JSON
	c    trace.Cursor
	core core
}

var errNotSpan = errors.New("something else stands where a span should, and is passed over")

// Names of the attributes that Zipkin has fields for.
var (
	keyError   = trace.Lookup([]byte("error"))
	keyPeer    = trace.Lookup([]byte("peer.service"))
	keyPeerIP  = trace.Lookup([]byte("peer.ipv4"))
	keyPeerTCP = trace.Lookup([]byte("peer.port"))
)

// endpoint is a side of a call.
type endpoint struct {
	service, ip []byte
	port        trace.Value
}

// fields are the parts of a span that are read once all of them are known.
type fields struct {
	name, trace, id, parent, kind, start, duration []byte
	local, remote                                  endpoint
}

// span reads one span.
func (d *reader) span(b []byte, at int64) {
	d.c.Reset(b)
	d.Names.BeginSpan()
	var f fields
	d.core = core{}
	for member := range d.c.Members() {
		switch string(member) {
		case "traceId":
			f.trace = d.c.Text()
		case "id":
			f.id = d.c.Text()
		case "parentId":
			f.parent = d.c.Text()
		case "kind":
			f.kind = d.c.Text()
		case "name":
			f.name = d.c.Text()
		case "timestamp":
			f.start = d.c.Text()
		case "duration":
			f.duration = d.c.Text()
		case "localEndpoint":
			f.local = d.endpoint()
		case "remoteEndpoint":
			f.remote = d.endpoint()
		case "tags":
			d.tags()
		case "annotations":
			d.annotations()
		case "binaryAnnotations":
			d.binaryAnnotations()
		default:
			d.c.Skip()
		}
	}
	var s ingest.Span
	var known [3]bool
	s.Trace, known[0] = trace.ParseTraceID(f.trace)
	s.ID, known[1] = trace.ParseSpanID(f.id)
	s.Parent, known[2] = trace.ParseSpanID(f.parent)
	if known != [3]bool{true, true, true} {
		d.Once(at, trace.ErrID)
	}
	switch string(f.kind) {
	case "SERVER":
		s.Kind = ingest.ServerSpan
	case "CLIENT":
		s.Kind = ingest.ClientSpan
	case "PRODUCER":
		s.Kind = ingest.Producer
	case "CONSUMER":
		s.Kind = ingest.Consumer
	}
	start, ok := trace.ParseTicks(f.start, time.Microsecond)
	end, ok1 := trace.After(start, f.duration, time.Microsecond)
	s.Start, s.End = start, end
	if !ok || !ok1 || !d.core.apply(&s, &f) {
		d.Once(at, trace.ErrTime)
	}
	d.finish(&s, &f, at)
}

// finish sets what the endpoints say, and emits the span.
func (d *reader) finish(s *ingest.Span, f *fields, at int64) {
	names := d.Names
	if s.Kind != ingest.ServerSpan {
		if len(f.remote.ip) > 0 {
			names.SetString(keyPeerIP, f.remote.ip)
			if f.remote.port.Kind == trace.NumberValue && string(f.remote.port.Text) != "0" {
				f.remote.port.Set(names, keyPeerTCP)
			}
		}
		if len(f.remote.service) > 0 {
			names.SetString(keyPeer, f.remote.service)
		}
	}
	if s.Trace == (ingest.TraceID{}) {
		d.Problem(at, trace.ErrNoTrace)
		return
	}
	names.EndSpan(s, f.name)
	s.Service, s.Instance = names.Intern(f.local.service), names.Intern(f.local.ip)
	d.Emit(s, at)
}

// endpoint reads {"serviceName":…,"ipv4":…,"port":…}.
func (d *reader) endpoint() (e endpoint) {
	for member := range d.c.Members() {
		switch string(member) {
		case "serviceName":
			e.service = d.c.Text()
		case "ipv4":
			e.ip = d.c.Text()
		case "ipv6":
			if ip := d.c.Text(); len(e.ip) == 0 {
				e.ip = ip
			}
		case "port":
			e.port = d.c.Value()
		default:
			d.c.Skip()
		}
	}
	return e
}

// tags reads {"http.method":"GET", …}.
func (d *reader) tags() {
	for name := range d.c.Members() {
		d.tag(trace.Lookup(name), d.c.Value())
	}
}

// tag sets an attribute. That a tag error is there is an error, also where it is
// empty or says "false".
func (d *reader) tag(key trace.Key, v trace.Value) {
	switch {
	case key == keyError && (len(v.Text) == 0 || string(v.Text) == "false"):
		d.Names.SetBool(key, true)
	case key != 0:
		v.Set(d.Names, key)
	}
}
