package haproxy

import (
	"bytes"
	"math"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Where HAProxy's clocks start.
const (
	clockRequest    = "first byte of the request read"
	clockAccept     = "connection accepted, or the answer before it sent"
	clockConnection = "connection accepted"
)

// plan is what the readers of all parts of an input share.
type plan struct {
	unit  time.Duration
	given *log.Pattern // --log-format: nothing else is read; nil: not given
	zone  *time.Location

	// By what a line's latency is.
	http, asap, tcp, clf            ingest.Shape
	jsonActive, jsonTotal, jsonNone ingest.Shape
	custom, customTotal, customNone ingest.Shape
}

// shape returns how lines of a layout are written whose latencies start at clock.
func (p *plan) shape(layout, clock string, opt ingest.Options) ingest.Shape {
	s := ingest.Shape{Layout: layout, Stamp: ingest.StampStart, Clock: clock}
	if clock == "" {
		return s
	}
	s.Unit, s.UnitFrom, s.Step = p.unit, ingest.UnitFromFormat, p.unit
	if opt.Unit != 0 {
		s.UnitFrom = ingest.UnitFromFlag
	}
	return s
}

func learn(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
	p := &plan{unit: time.Millisecond, zone: opt.Zone}
	if opt.Unit != 0 {
		p.unit = opt.Unit
	}
	p.http = p.shape("httplog", clockRequest, opt)
	p.asap = p.shape("httplog, logasap: up to the headers of the answer", clockRequest, opt)
	p.tcp = p.shape("tcplog", clockConnection, opt)
	p.clf = p.shape("httplog clf", clockRequest, opt)
	p.jsonActive, p.jsonTotal, p.jsonNone = p.shape("JSON", clockRequest, opt), p.shape("JSON", clockAccept, opt), p.shape("JSON", "", opt)
	if opt.LogFormat != "" {
		parts, err := parse(opt.LogFormat)
		if err != nil {
			return nil, err
		}
		if p.given, err = log.Compile(parts); err != nil {
			return nil, err
		}
		p.custom, p.customTotal, p.customNone = p.shape(opt.LogFormat, clockRequest, opt), p.shape(opt.LogFormat, clockAccept, opt), p.shape(opt.LogFormat, "", opt)
	}
	return func() log.Reader { return newReader(p) }, nil
}

// reader reads the lines of one part.
type reader struct {
	*plan
	log.Builder
	fields  log.Fields
	line    fields
	object  log.Object
	keys    log.Keys[key]
	servers log.Names
	text    []byte

	second [20]byte // of the last stamp of httplog
	whole  log.Moment
}

func newReader(p *plan) *reader {
	r := &reader{plan: p, Builder: log.Builder{Clock: log.Clock{Zone: p.zone}}}
	r.keys.Mean = named
	return r
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	x := &r.line
	switch {
	case r.given != nil:
		return r.custom(line, e)
	case line[0] == '{':
		if !r.walk(line, x) {
			return log.ErrJSON
		}
		if !x.own {
			return log.ErrOther
		}
		return r.fill(x, r.jsonShape(x), e)
	}
	err := x.scan(line)
	switch {
	case err == nil && x.tcp:
		return r.fill(x, &r.tcp, e)
	case err == nil && x.asap:
		return r.fill(x, &r.asap, e)
	case err == nil:
		return r.fill(x, &r.http, e)
	case aside(line):
		return log.ErrIgnore
	case err == log.ErrOther && isCLF(line, &r.fields):
		if err := x.take(&r.fields); err != nil {
			return err
		}
		return r.fill(x, &r.clf, e)
	}
	return err
}

// custom reads a line in the log-format that was given.
func (r *reader) custom(line []byte, e *log.Entry) error {
	clear(r.fields[:])
	if !r.given.Match(line, &r.fields) {
		if aside(line) {
			return log.ErrIgnore
		}
		return log.ErrFormat
	}
	x := &r.line
	if err := x.take(&r.fields); err != nil {
		return err
	}
	return r.fill(x, which(x, &r.plan.custom, &r.customTotal, &r.customNone), e)
}

func (r *reader) jsonShape(x *fields) *ingest.Shape {
	return which(x, &r.jsonActive, &r.jsonTotal, &r.jsonNone)
}

// which returns the shape that fits the latency that a line gives.
func which(x *fields, active, total, none *ingest.Shape) *ingest.Shape {
	if x.active == unset && x.receive >= 0 && x.wait >= 0 && x.connect >= 0 && x.response >= 0 && x.total == unset {
		x.active = x.receive + x.wait + x.connect + x.response // up to the headers of the answer
	}
	switch {
	case x.active >= 0:
		return active
	case x.total >= 0:
		return total
	}
	return none
}

// fill makes an entry of what a line says.
func (r *reader) fill(x *fields, s *ingest.Shape, e *log.Entry) error {
	e.Shape, e.Vantage = s, ingest.Proxy
	if x.stamp != nil {
		var ok bool
		if e.Stamp, ok = r.moment(x.stamp); !ok {
			return log.ErrStamp
		}
		if e.Stamp.Resolution <= time.Millisecond {
			e.Start = e.Stamp.Time // better than a collector's stamp of the end, less the latency
		}
	}
	took := x.active
	if took == unset {
		took = x.total
	}
	var ok bool
	if e.Latency, ok = r.time(took); !ok {
		return log.ErrLatency
	}
	if x.wait > 0 {
		if e.Queue, ok = r.time(x.wait); !ok {
			return log.ErrLatency
		}
	}
	e.Status = x.status
	e.Outcome = x.outcome()
	switch {
	case x.tcp:
		e.Op, e.Stream = r.connection(x.backend), true
	case x.target != nil:
		method := x.method
		if method == nil {
			method = []byte("ANY")
		}
		e.Op = r.Routes.Op(method, x.target)
	default:
		e.Op = r.Routes.Request(x.request)
	}
	e.Stream = e.Stream || e.Status == 101 || e.Op == "CONNECT"
	r.tries(x, e)
	if x.id != nil {
		e.Request = r.ID(x.id)
	}
	if x.trace != nil {
		e.Trace = log.TraceID(x.trace)
	}
	return nil
}

// moment reads a stamp. Those of httplog share their second with the one before.
func (r *reader) moment(b []byte) (log.Moment, bool) {
	if len(b) != stampLen || !isStamp(b) {
		return r.Clock.Read(b)
	}
	fraction := ingest.Time(0)
	for _, c := range b[21:] {
		if c-'0' > 9 {
			return log.Moment{}, false
		}
		fraction = fraction*10 + ingest.Time(c-'0')
	}
	if string(b[:20]) != string(r.second[:]) || r.whole.Time == 0 {
		var ok bool
		if r.whole, ok = r.Clock.Read(b[:20]); !ok {
			return log.Moment{}, false
		}
		copy(r.second[:], b)
		r.whole.Resolution = time.Millisecond
	}
	m := r.whole
	m.Time += fraction * ingest.Time(time.Millisecond)
	return m, true
}

// time returns a timer's length; unset has none.
func (r *reader) time(v int64) (time.Duration, bool) {
	if v < 0 {
		return ingest.NoLatency, true
	}
	if v > math.MaxInt64/4/int64(r.unit) {
		return 0, false
	}
	return time.Duration(v) * r.unit, true
}

// connection is the operation of a connection that was forwarded.
func (r *reader) connection(backend []byte) string {
	r.text = append(append(r.text[:0], "TCP "...), backend...)
	return r.servers.Intern(r.text)
}

// take takes what a pattern found.
func (x *fields) take(f *log.Fields) error {
	x.reset()
	x.stamp, x.request, x.method, x.target = f[log.Time], f[log.Request], f[log.Method], f[log.Target]
	if v := f[log.Epoch]; v != nil {
		x.stamp = v
	}
	x.backend, x.server, x.id = f[roleBackend], f[roleServer], f[log.RequestID]
	if v := f[log.StatusCode]; v != nil {
		x.status, _ = log.Status(v)
	}
	if v := f[roleState]; isState(v) {
		x.state, x.tcp = v, len(v) == 2 && f[log.Request] == nil && f[log.Target] == nil
	}
	for _, t := range [...]struct {
		v    []byte
		into *int64
	}{{f[roleReceive], &x.receive}, {f[roleWait], &x.wait}, {f[roleConnect], &x.connect}, {f[roleResponse], &x.response},
		{f[log.Latency], &x.active}, {f[roleTotal], &x.total}} {
		if t.v == nil {
			continue
		}
		v, plus, end := number(t.v, 0)
		if end == 0 || end != len(t.v) {
			return log.ErrLatency
		}
		*t.into = v
		x.asap = x.asap || plus
	}
	if v := bytes.TrimSpace(f[roleRetries]); len(v) > 0 {
		n, plus, end := number(v, 0)
		if end != len(v) {
			return errNumber
		}
		x.retries, x.redispatched = n, plus
	}
	return nil
}
