package caddy

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// clock is where Caddy's clock starts: net/http has read the headers when
// Server.ServeHTTP takes the time (modules/caddyhttp/server.go).
const clock = "headers of the request read"

// key is what a member means, by its name and how deep it stands.
type key struct {
	meaning meaning
	depth   int // 0: any
}

type meaning uint8

const (
	nothing meaning = iota
	isStamp
	isLevel
	isLogger
	isMethod
	isTarget
	isDuration
	isStatus
	isRequestID
	isParent
	isTraceID
)

var names = map[string]key{
	"ts": {isStamp, 1}, "level": {isLevel, 1}, "logger": {isLogger, 1}, "duration": {isDuration, 1}, "status": {isStatus, 1},
	"method": {isMethod, 2}, "uri": {isTarget, 2}, "X-Request-Id": {isRequestID, 3}, "Traceparent": {isParent, 3}, "traceID": {isTraceID, 1},
}

func named(name []byte) key { return names[string(name)] }

// fields are what a line says.
type fields struct {
	stamp, level, logger, method, target, duration, status, id, trace []byte

	text bool // of the console encoder
}

// plan is what the readers of all parts of an input share.
type plan struct {
	zone *time.Location
	unit time.Duration // of whole numbers

	// By how a duration is written: with a fraction, as a whole number, with its
	// unit; and where there is none. Each for JSON and for the console.
	seconds, whole, stated, untimed [2]ingest.Shape
}

func learn(head [][]byte, opt ingest.Options) (func() log.Reader, error) {
	p := &plan{zone: opt.Zone, unit: time.Second}
	fractions, wholes := count(head)
	for i, layout := range [...]string{"JSON", "console"} {
		s := ingest.Shape{Layout: layout, Stamp: ingest.StampEnd}
		p.untimed[i] = s
		s.Clock = clock
		s.Unit, s.UnitFrom = time.Nanosecond, ingest.UnitFromValue
		p.stated[i] = s
		s.Unit, s.UnitFrom = time.Second, ingest.UnitFromFormat
		if opt.Unit != 0 {
			s.Unit, s.UnitFrom, p.unit = opt.Unit, ingest.UnitFromFlag, opt.Unit
		}
		p.seconds[i] = s
		if opt.Unit == 0 && fractions == 0 && wholes > 0 {
			p.unit = time.Nanosecond
			s.Unit, s.UnitFrom, s.Assumed, s.Other, s.Step = 0, "", time.Nanosecond, time.Millisecond, time.Nanosecond
		}
		p.whole[i] = s
	}
	return func() log.Reader { return newReader(p) }, nil
}

// count tells how many requests of the first lines have a duration with a
// fraction, as seconds have, and how many a whole number.
func count(head [][]byte) (fractions, wholes int) {
	r := newReader(&plan{})
	for _, line := range head {
		var x fields
		object := x.console(line)
		if object == nil || !r.walk(object, &x) || !x.own() || len(x.duration) == 0 {
			continue
		}
		switch {
		case isWhole(x.duration):
			wholes++
		case x.duration[len(x.duration)-1]-'0' <= 9:
			fractions++
		}
	}
	return fractions, wholes
}

func isWhole(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

// console takes the stamp, the level and the logger of a line of the console
// encoder and returns the object behind them; a line of JSON is an object
// itself. nil: it is neither.
func (x *fields) console(line []byte) []byte {
	if len(line) > 0 && line[0] == '{' {
		return line
	}
	rest := line
	var words [4][]byte // stamp, level, logger, message
	for i := range words {
		n := bytes.IndexByte(rest, '\t')
		if n < 0 || n > 256 {
			return nil
		}
		words[i], rest = rest[:n], rest[n+1:]
	}
	if len(rest) == 0 || rest[0] != '{' {
		return nil
	}
	x.stamp, x.level, x.logger, x.text = words[0], words[1], words[2], true
	return rest
}

// reader reads the lines of one part.
type reader struct {
	*plan
	log.Builder
	line   fields
	object log.Object
	keys   log.Keys[key]
	text   []byte
}

func newReader(p *plan) *reader {
	r := &reader{plan: p, Builder: log.Builder{Clock: log.Clock{Zone: p.zone}}}
	r.keys.Mean = named
	return r
}

// walk takes note of the members of an object, and reports whether it is whole.
func (r *reader) walk(object []byte, x *fields) bool {
	r.text = r.text[:0]
	o := &r.object
	o.Reset(object)
	for i := 0; o.Next(); i++ {
		k := r.keys.At(i, o.Key)
		if k.meaning == nothing || k.depth != o.Depth {
			continue
		}
		v := o.Value
		if len(v) > 0 && v[0] == '[' { // a header: ["value"]
			if v = bytes.Trim(v, `[]" `); bytes.IndexByte(v, '"') >= 0 {
				continue // several
			}
		}
		if o.Quoted && bytes.IndexByte(v, '\\') >= 0 {
			from := len(r.text)
			r.text = log.Unescape(r.text, v)
			v = r.text[from:]
		}
		if len(v) > 0 {
			x.put(k.meaning, v)
		}
	}
	return o.Whole()
}

func (x *fields) put(m meaning, v []byte) {
	switch m {
	case isStamp:
		if !x.text {
			x.stamp = v
		}
	case isLevel:
		if !x.text {
			x.level = v
		}
	case isLogger:
		if !x.text {
			x.logger = v
		}
	case isMethod:
		x.method = v
	case isTarget:
		x.target = v
	case isDuration:
		x.duration = v
	case isStatus:
		x.status = v
	case isRequestID:
		x.id = v
	case isParent, isTraceID:
		x.trace = v
	}
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	x := &r.line
	*x = fields{}
	object := x.console(line)
	switch {
	case object == nil:
		return log.ErrOther
	case !r.walk(object, x):
		return log.ErrJSON
	case x.own():
		return r.fill(x, e)
	case x.aside():
		return log.ErrIgnore
	}
	return log.ErrOther
}

// fill makes an entry of what a line says.
func (r *reader) fill(x *fields, e *log.Entry) error {
	e.Vantage = ingest.Proxy
	if x.stamp != nil {
		var ok bool
		if e.Stamp, ok = r.Clock.Read(x.stamp); !ok {
			return log.ErrStamp
		}
	}
	if err := r.latency(x, e); err != nil {
		return err
	}
	if x.status != nil {
		var ok bool
		if string(x.status) != "0" {
			if e.Status, ok = log.Status(x.status); !ok {
				return log.ErrStatus
			}
			e.Outcome = log.Outcome(e.Status)
		} else if bytes.EqualFold(x.level, []byte("error")) {
			e.Outcome = ingest.Failed
		}
	}
	switch {
	case x.target == nil: // filtered out
	case x.method == nil:
		e.Op = r.Routes.Op([]byte("ANY"), x.target)
	default:
		e.Op = r.Routes.Op(x.method, x.target)
	}
	e.Stream = e.Status == 101 || e.Op == "CONNECT"
	e.Request = r.ID(x.id)
	if len(x.trace) >= 32 {
		e.Trace = log.TraceID(x.trace)
	}
	return nil
}

// latency reads the duration.
func (r *reader) latency(x *fields, e *log.Entry) error {
	i := 0
	if x.text {
		i = 1
	}
	e.Shape = &r.untimed[i]
	if x.duration == nil {
		return nil
	}
	unit, s := r.seconds[i].Unit, &r.seconds[i]
	if isWhole(x.duration) {
		unit, s = r.plan.unit, &r.whole[i]
	}
	d, _, explicit, ok := log.Duration(x.duration, unit)
	if !ok {
		return log.ErrLatency
	}
	if explicit {
		s = &r.stated[i]
	}
	e.Latency, e.Shape = d, s
	return nil
}
