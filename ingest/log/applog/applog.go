// Package applog reads what applications log of their requests by common
// loggers: JSON lines, logfmt, and text.
package applog

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is the log of an application.
var Dialect = log.Dialect{
	Name: "applog",
	Doc: `Logs of applications: JSON lines, logfmt, text

What applications log of their requests: by slog, zap, zerolog, logrus, pino and
pino-http, bunyan, morgan, echo, gin, Serilog, structlog and others, as JSON lines, as
key=value (logfmt), as a console shows them, or as text with words like "took 12 ms";
and log records in OTLP's JSON, of which a line holds several.

A line is a request if it has a latency, by the name of a member or a word in front
of it; or a method, a path and a status. Everything else that the application says
is passed over. Names that are understood: duration, elapsed, latency, took,
response_time, request_time, time_taken and their kin, with a unit behind
(duration_ms, elapsedMillis, latency_ns) or none; method, path, url, uri, route,
status, status_code, request_id, trace_id, traceparent, queue_time_ms. In text: "took
12 ms", "in 12ms", "elapsed: 12ms", or, beside a method and a path, the only number
with a unit of time. A latency without method and path is an operation named by its
message, without what varies in it; it needs a stamp, a level or a message beside it.

The unit is taken from the value ("9.2ms"), from the name (duration_ms), or from the
logger: slog and logrus write a time.Duration in JSON as nanoseconds, zap as seconds,
zerolog as milliseconds, pino-http's responseTime and Serilog's Elapsed are
milliseconds. Of other numbers the unit is not known: give --unit, or better log a
name that states it. Nor is it where slog's or logrus' whole numbers would be requests
of less than a microsecond: then they are of something else than a time.Duration.

Lines are stamped at their end. The clock of such a log starts when a worker takes the
request: what requests wait for one is not in it, so a stall shows as silence and a
burst rather than as slow lines.
`,
	General: true,
	Claims:  claims,
	Near: func(line []byte) string {
		if claims(line) == log.Aside {
			return "the first lines are an application's, and none tells of a request with its latency; --format applog reads those that follow"
		}
		return ""
	},
	Learn: func(head [][]byte, opt ingest.Options) (func() log.Reader, error) {
		doubt := doubtful(head)
		return func() log.Reader {
			r := newReader(opt)
			r.doubt = doubt
			return r
		}, nil
	},
}

// claims tells whether a line is a request, or something else that a logger of
// applications wrote.
func claims(line []byte) log.Claim {
	if len(line) == 0 || generated(line) {
		return log.Foreign
	}
	r := newReader(ingest.Options{})
	var e log.Entry
	e.Reset(ingest.Pos{})
	switch err := r.Read(line, &e); {
	case err == nil:
		return log.Own
	case err == log.ErrIgnore && r.spoke:
		return log.Aside
	}
	return log.Foreign
}

// reader reads lines of any logger.
type reader struct {
	log.Builder
	opt                     ingest.Options
	layouts                 [kinds][modes]*log.Layout
	object                  log.Object
	keys                    log.Keys[meaning] // of JSON
	pairKeys, attributeKeys log.Keys[meaning]
	facts                   facts
	roles                   log.Fields
	text                    []byte // of members, without escapes
	stamp                   []byte
	names                   log.Names
	op                      []byte
	records                 records
	spoke                   bool // the last line is a logger's, request or not
	doubt                   bool // whole numbers are no nanoseconds, although the logger would write a time.Duration so
}

func newReader(opt ingest.Options) *reader {
	return &reader{opt: opt, Builder: log.Builder{Clock: log.Clock{Zone: opt.Zone}},
		keys: log.Keys[meaning]{Mean: mean}, pairKeys: log.Keys[meaning]{Mean: mean}, attributeKeys: log.Keys[meaning]{Mean: mean}}
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	r.spoke = false
	if line[0] == '{' {
		if isRecords(line) {
			return r.otlp(line, e)
		}
		return r.json(line, e)
	}
	r.facts = facts{}
	r.text = r.text[:0]
	k := r.words(line)
	return r.entry(k, e)
}

// json reads a line of JSON. Where it is no request by its members, its message
// may be one by its words.
func (r *reader) json(line []byte, e *log.Entry) error {
	r.facts = facts{}
	r.text = r.text[:0]
	if !r.walk(line) {
		return log.ErrJSON
	}
	f := &r.facts
	if f.v[message] == nil {
		f.v[message] = f.v[around]
	}
	r.spoke = f.v[level] != nil || f.v[message] != nil && f.v[stamp] != nil
	return r.orMessage(f.kind(), e)
}

// orMessage makes a request of the facts, or of the words of their message.
func (r *reader) orMessage(k kind, e *log.Entry) error {
	f := &r.facts
	if f.v[latency] == nil && len(f.v[message]) > 0 {
		text, before := f.v[message], *f
		if text[0] == '{' {
			*f = facts{}
			if r.walk(text) {
				k = f.kind()
				f.fill(&before.v)
				return r.entry(k, e)
			}
			*f = before
		} else if text[0] != ' ' {
			r.words(text)
			f.inMessage = f.v[latency] != nil && len(f.wordsFrom) > 0
			f.fill(&before.v)
		}
	}
	return r.entry(k, e)
}

// fill adds what was known before.
func (f *facts) fill(before *[fields][]byte) {
	for i, v := range before {
		if f.v[i] == nil || i == int(stamp) && v != nil || i == int(message) {
			f.v[i] = v
		}
	}
}

// walk takes note of the members of an object, and reports whether it is whole.
func (r *reader) walk(line []byte) bool {
	o := &r.object
	o.Reset(line)
	for i := 0; o.Next(); i++ {
		m := r.keys.At(i, o.Key)
		value := o.Value
		if m.role != skip && o.Quoted && bytes.IndexByte(value, '\\') >= 0 {
			from := len(r.text)
			r.text = log.Unescape(r.text, value)
			value = r.text[from:]
		}
		if m.role == latency && o.Depth == 2 && string(o.Key) == "duration" && string(o.Parent()) == "event" {
			m.unit = time.Nanosecond // event.duration of the Elastic Common Schema
		}
		r.facts.put(m, o.Key, value, o.Quoted, o.Depth)
	}
	return o.Whole()
}

// entry makes a request of the facts.
func (r *reader) entry(k kind, e *log.Entry) error {
	f := &r.facts
	http, code := f.isHTTP(), f.code()
	if f.v[latency] == nil && (!http || code == nil) {
		return log.ErrIgnore
	}
	if !http && f.v[level] == nil && f.v[stamp] == nil && f.v[message] == nil && !f.took {
		return log.ErrIgnore // a report, a table, a comment: no line of a log
	}
	clear(r.roles[:])
	to := &r.roles
	to[log.StatusCode], to[log.RequestID] = code, f.v[request]
	if http {
		to[log.Method], to[log.Target] = f.v[method], f.v[target]
		if f.v[route] != nil && f.v[route][0] == '/' {
			to[log.Target] = f.v[route]
		}
	}
	if t := f.v[trace]; len(t) >= 32 {
		to[log.TraceParent] = t
		if i := bytes.LastIndexByte(t, '/'); i >= 0 { // projects/x/traces/…
			to[log.TraceParent] = t[i+1:]
		}
	}
	to[log.Latency] = f.v[latency]
	mode := r.mode(k)
	if r.doubt && (k == slogJSON || k == logrusJSON) && mode >= byLogger {
		mode = unknown
	}
	l := r.layout(k, mode)
	if err := r.Build(l, to, e); err != nil {
		if err == log.ErrLatency && !http {
			return log.ErrIgnore // a word of the application's own
		}
		return err
	}
	if f.v[stamp] != nil {
		e.Stamp, _ = r.Clock.Read(f.v[stamp])
		e.Stamp.Resolution = resolution(k, e.Stamp.Resolution)
	}
	if f.v[queue] != nil {
		if d, _, _, ok := log.Duration(f.v[queue], f.wait); ok {
			e.Queue = d
		}
	}
	switch {
	case !http:
		e.Op = r.named()
	case f.v[route] != nil && isPattern(to[log.Target]):
		r.op = append(append(append(r.op[:0], f.v[method]...), ' '), to[log.Target]...)
		e.Op = r.names.Intern(r.op)
	}
	f.ended(code, e)
	return nil
}

// ended says how a request ended where no status does: by gRPC's code, by what
// pino-http says when the client has left, by the level.
func (f *facts) ended(status []byte, e *log.Entry) {
	switch c := string(f.v[grpcCode]); {
	case string(f.v[message]) == "request aborted", c == "Canceled", c == "CANCELLED":
		e.Outcome = ingest.Canceled
	case c == "DeadlineExceeded", c == "DEADLINE_EXCEEDED":
		e.Outcome = ingest.TimedOut
	case status == nil && (f.failed() || len(c) > 2):
		e.Outcome = ingest.Failed
	}
}

// isPattern reports a route as a router knows it: /users/{id}, /users/:id, /users/<id>.
// It is a name as it stands.
func isPattern(b []byte) bool {
	if len(b) > 128 || bytes.IndexByte(b, '?') >= 0 {
		return false
	}
	return bytes.IndexByte(b, '{') > 0 || bytes.Contains(b, []byte("/:")) || bytes.IndexByte(b, '<') > 0
}

// failed reports the levels of failures: error, fatal, critical, panic; 50 and
// more of pino and bunyan.
func (f *facts) failed() bool {
	v := f.v[level]
	if len(v) == 2 && f.numeric {
		return v[0] >= '5'
	}
	if len(v) < 3 {
		return false
	}
	switch v[0] | 0x20 {
	case 'e', 'f', 'c':
		return true
	}
	return bytes.EqualFold(v, []byte("panic")) || bytes.EqualFold(v, []byte("dpanic")) || string(v) == "PNC"
}

// generated reports whether a line is a result of a load generator, which looks
// like a request of a server: vegeta's encode --to json, and the kpi files of
// Taurus and Molotov.
func generated(line []byte) bool {
	if line[0] != '{' {
		return false
	}
	has := func(key string) bool { return bytes.Contains(line, []byte(key)) }
	return has(`"attack":`) && has(`"seq":`) || has(`"responseCode":`) && has(`"elapsed":`) && has(`"label":`)
}
