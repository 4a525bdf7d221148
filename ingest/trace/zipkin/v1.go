package zipkin

import (
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// core are the annotations of version 1 that say what a span is: when a client
// sent and received, a server received and sent, a message was sent and
// received. The endpoint of each is the side that recorded it.
type core struct {
	cs, sr, ss, cr, ms, mr ingest.Time
	bad                    bool // one of the times cannot be read
	client, server, local  endpoint
	address                endpoint // of the side that was called: binary annotation sa (server) or ma (broker)
}

// annotations reads [{"timestamp":…,"value":"cs","endpoint":{…}}, …]. Those of
// version 2 have no endpoint, and mean nothing here.
func (d *reader) annotations() {
	for range d.c.Elements() {
		var stamp, value []byte
		var e endpoint
		for member := range d.c.Members() {
			switch string(member) {
			case "timestamp":
				stamp = d.c.Text()
			case "value":
				value = d.c.Text()
			case "endpoint":
				e = d.endpoint()
			default:
				d.c.Skip()
			}
		}
		d.core.annotate(string(value), stamp, e)
	}
}

func (c *core) annotate(value string, stamp []byte, e endpoint) {
	var at *ingest.Time
	side := &c.client
	switch value {
	case "cs":
		at = &c.cs
	case "cr":
		at = &c.cr
	case "sr":
		at, side = &c.sr, &c.server
	case "ss":
		at, side = &c.ss, &c.server
	case "ms":
		at = &c.ms
	case "mr":
		at, side = &c.mr, &c.server
	default:
		if len(e.service) > 0 && len(c.local.service) == 0 {
			c.local = e
		}
		return
	}
	t, ok := trace.ParseTicks(stamp, time.Microsecond)
	if !ok {
		c.bad = true
	}
	if *at == 0 {
		*at = t
	}
	if len(side.service) == 0 {
		*side = e
	}
}

// binaryAnnotations reads [{"key":…,"value":…,"endpoint":{…}}, …]. A key may
// occur more than once: the first counts.
func (d *reader) binaryAnnotations() {
	for range d.c.Elements() {
		var key trace.Key
		var name []byte
		var value trace.Value
		var e endpoint
		for member := range d.c.Members() {
			switch string(member) {
			case "key":
				name = d.c.Text()
				key = trace.Lookup(name)
			case "value":
				value = d.c.Value()
			case "endpoint":
				e = d.endpoint()
			default:
				d.c.Skip()
			}
		}
		switch {
		case value.Kind == trace.BoolValue && (string(name) == "sa" || string(name) == "ma"):
			d.core.address = e
			continue
		case value.Kind == trace.BoolValue && string(name) == "ca": // who called
			continue
		}
		if len(e.service) > 0 && len(d.core.local.service) == 0 {
			d.core.local = e
		}
		d.tag(key, value)
	}
}

// apply completes a span with what its core annotations say, where fields of
// version 2 do not. It reports whether every time could be read.
//
// A span that holds both halves is the server's: its service is where the work
// was done, and the calls below it are made there. Its times are the client's,
// as the span's own timestamp and duration are in that case.
func (c *core) apply(s *ingest.Span, f *fields) bool {
	if s.Kind == ingest.KindUnspecified {
		switch {
		case c.sr != 0 || c.ss != 0:
			s.Kind = ingest.ServerSpan
		case c.cs != 0 || c.cr != 0:
			s.Kind = ingest.ClientSpan
		case c.mr != 0:
			s.Kind = ingest.Consumer
		case c.ms != 0:
			s.Kind = ingest.Producer
		}
	}
	from, to := c.cs, c.cr
	if from == 0 || to == 0 && c.ss != 0 {
		from, to = c.sr, c.ss
	}
	if from == 0 {
		from = max(c.ms, c.mr)
		to = 0
	}
	if s.Start == 0 {
		s.Start = from
		if s.End == 0 && len(f.duration) > 0 {
			s.End, _ = trace.After(s.Start, f.duration, time.Microsecond)
		}
	}
	if s.End == 0 && len(f.duration) == 0 && s.Start == from {
		s.End = to
	}
	if len(f.local.service) == 0 && len(f.local.ip) == 0 {
		switch s.Kind {
		case ingest.ServerSpan, ingest.Consumer:
			f.local = c.server
		case ingest.ClientSpan, ingest.Producer:
			f.local = c.client
		}
		if len(f.local.service) == 0 {
			f.local = c.local
		}
	}
	if len(f.remote.service) == 0 && len(f.remote.ip) == 0 && s.Kind != ingest.ServerSpan {
		f.remote = c.address
	}
	return !c.bad
}
