package envoy

import (
	"math"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Where Envoy's clocks start.
const (
	clockRequest = "first byte of the request read"
	clockService = "request read, up to the headers of the answer"
)

// fields are what a line says, wherever it says it. nil, "-" and null are the same.
type fields struct {
	stamp, method, path, protocol, status, flags, duration, service, tries, id, trace, host []byte

	text        string        // which text it is
	unit        time.Duration // that the name of the duration states; 0: none
	knowsMethod bool          // there is a field for the method
	rank        uint8         // of the stamp's name
	marks       int           // members that only Envoy names so
	isMixer     bool          // an entry of Istio's Mixer
}

// plan is what the readers of all parts of an input share.
type plan struct {
	unit    time.Duration // of a duration without one
	given   *log.Pattern  // --log-format: nothing else is read; nil: not given
	stated  time.Duration // the unit that it states; 0: none
	zone    *time.Location
	options ingest.Options
	shapes  map[shape]*ingest.Shape
}

// shape is what tells shapes apart.
type shape struct {
	layout  string
	clock   string
	unit    time.Duration // that the name of the field states; 0: none
	inValue bool          // the value does
}

func learn(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
	p := &plan{unit: time.Millisecond, zone: opt.Zone, options: opt, shapes: map[shape]*ingest.Shape{}}
	layouts := []string{"Envoy's default text", "Istio's text", "JSON", "Mixer's JSON"}
	if opt.Unit != 0 {
		p.unit = opt.Unit
	}
	if opt.LogFormat != "" {
		parts, unit, err := parse(opt.LogFormat)
		if err != nil {
			return nil, err
		}
		if p.given, err = log.Compile(parts); err != nil {
			return nil, err
		}
		p.stated = unit
		layouts = []string{opt.LogFormat}
	}
	for _, l := range layouts {
		p.add(shape{layout: l})
		p.add(shape{layout: l, clock: clockService})
		p.add(shape{layout: l, clock: clockRequest, inValue: true})
		for _, u := range [...]time.Duration{0, time.Nanosecond, time.Microsecond, time.Millisecond, time.Second} {
			p.add(shape{layout: l, clock: clockRequest, unit: u})
		}
	}
	return func() log.Reader { return newReader(p) }, nil
}

// add works out how lines of a shape are to be understood. Mixer writes the
// durations of Go, which name their unit and are exact to a nanosecond.
func (p *plan) add(k shape) {
	s := &ingest.Shape{Layout: k.layout, Stamp: ingest.StampStart, Clock: k.clock}
	switch {
	case k.clock == "":
	case k.inValue:
		s.Unit, s.UnitFrom = time.Nanosecond, ingest.UnitFromValue
	case p.options.Unit != 0:
		s.Unit, s.UnitFrom = p.options.Unit, ingest.UnitFromFlag
	case k.unit != 0:
		s.Unit, s.UnitFrom = k.unit, ingest.UnitFromKey
		if p.given != nil {
			s.UnitFrom = ingest.UnitFromFormat
		}
	default:
		s.Unit, s.UnitFrom = p.unit, ingest.UnitFromFormat
	}
	if !k.inValue {
		s.Step = s.Unit
	}
	p.shapes[k] = s
}

// reader reads the lines of one part.
type reader struct {
	*plan
	log.Builder
	fields log.Fields
	line   fields
	object log.Object
	keys   log.Keys[key]
	text   []byte

	last  shape // of the last line
	shape *ingest.Shape
}

func newReader(p *plan) *reader {
	r := &reader{plan: p}
	r.keys.Mean = named
	// %START_TIME% is UTC whatever its format.
	if r.Clock.Zone = p.zone; p.zone == nil {
		r.Clock.Zone = time.UTC
	}
	return r
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	x := &r.line
	if r.given != nil {
		clear(r.fields[:])
		if !r.given.Match(line, &r.fields) {
			return log.ErrFormat
		}
		x.take(&r.fields)
		x.text, x.unit = r.options.LogFormat, r.stated
		return r.fill(x, e)
	}
	object := line
	*x = fields{}
	if line[0] != '{' {
		if object = mixer(line, x); object == nil {
			if err := x.scan(line); err != nil {
				return err
			}
			return r.fill(x, e)
		}
	}
	if !r.walk(object, x) {
		return log.ErrJSON
	}
	if !x.own() {
		return log.ErrOther
	}
	if x.text = "JSON"; x.isMixer {
		x.text = "Mixer's JSON"
	}
	return r.fill(x, e)
}

// fill makes an entry of what a line says.
func (r *reader) fill(x *fields, e *log.Entry) error {
	e.Vantage = ingest.Proxy
	if !absent(x.stamp) {
		var ok bool
		if e.Stamp, ok = r.Clock.Read(x.stamp); !ok {
			return log.ErrStamp
		}
		if e.Stamp.Zone == ingest.ZoneGiven && r.zone == nil {
			e.Stamp.Zone = ingest.ZoneUTC
		}
		if e.Stamp.Resolution <= time.Millisecond {
			// Better than a collector's stamp of the end: Envoy writes lines when its
			// buffer is full, or after a second.
			e.Start = e.Stamp.Time
		}
	}
	if !absent(x.status) && string(x.status) != "0" {
		var ok bool
		if e.Status, ok = log.Status(x.status); !ok {
			return log.ErrStatus
		}
	}
	k, err := r.latency(x, e)
	if err != nil {
		return err
	}
	if r.shape == nil || r.last != k {
		r.last, r.shape = k, r.shapes[k]
	}
	e.Shape = r.shape
	r.operation(x, e)
	e.Outcome = outcome(x.flags, e.Status, e.Stream && e.Status == 0 || absent(x.status))
	r.tries(x, e)
	if x.id != nil {
		e.Request = r.ID(x.id)
	}
	if len(x.trace) >= 32 {
		e.Trace = log.TraceID(x.trace)
	}
	return nil
}

// latency reads the duration, or the service time where there is no other.
func (r *reader) latency(x *fields, e *log.Entry) (k shape, err error) {
	k.layout = x.text
	unit := r.unit
	if x.unit != 0 && r.options.Unit == 0 {
		unit = x.unit
	}
	v := x.duration
	switch {
	case !absent(v):
		k.clock, k.unit = clockRequest, x.unit
	case !absent(x.service):
		v, unit = x.service, r.unit
		k.clock = clockService
	default:
		return k, nil
	}
	d, _, explicit, ok := log.Duration(v, unit)
	if !ok {
		return k, log.ErrLatency
	}
	if explicit {
		k.unit, k.inValue = 0, k.clock == clockRequest
	}
	e.Latency = d
	return k, nil
}

// operation names what was asked for. A line without a method, a protocol and a
// status is that of a connection.
func (r *reader) operation(x *fields, e *log.Entry) {
	none := absent(x.method)
	switch {
	case none && absent(x.protocol) && e.Status == 0, none && string(x.protocol) == "tcp":
		e.Op, e.Stream = "TCP", true
		return
	case !x.knowsMethod && absent(x.path):
		return // the log does not tell
	case none && absent(x.path):
		e.Op = log.NoRequest
	case absent(x.path):
		e.Op = r.Routes.Op(x.method, []byte("*"))
	case none:
		e.Op = r.Routes.Op([]byte("ANY"), x.path)
	default:
		e.Op = r.Routes.Op(x.method, x.path)
	}
	e.Stream = e.Status == 101 || e.Op == "CONNECT"
}

// tries reads the number of tries. Where it was one, the service time is its
// time: all but the last bytes of the answer.
func (r *reader) tries(x *fields, e *log.Entry) {
	if !whole(x.tries) {
		return
	}
	n := int64(0)
	for _, c := range x.tries {
		n = n*10 + int64(c-'0')
	}
	e.Tries = int32(min(n, math.MaxInt32))
	if n != 1 || !whole(x.service) {
		return
	}
	if d, _, _, ok := log.Duration(x.service, r.unit); ok {
		a := ingest.Attempt{Latency: d, Status: e.Status}
		if !absent(x.host) {
			a.Peer = r.Peers.Intern(x.host)
		}
		e.Attempts = append(e.Attempts, a)
	}
}
