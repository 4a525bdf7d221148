package rails

import (
	"bytes"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Lograge is a log of lograge or GitLab.
var Lograge = log.Dialect{
	Name: "lograge",
	Doc: `Rails logs by lograge, and GitLab's

A line for every request, as key=value or as JSON: the gem lograge, with

    config.lograge.enabled = true
    config.lograge.formatter = Lograge::Formatters::Json.new   # or none
    config.lograge.custom_options = ->(event) { {time: Time.now.iso8601(3), request_id: event.payload[:headers]['action_dispatch.request_id']} }

GitLab's production_json.log and api_json.log are written so too.

Latency is duration, in milliseconds, or duration_s, in seconds (GitLab): from the
request handed to a controller by a worker to the answer made. The wait for a worker
is not in it; GitLab gives it as queue_duration (ms) or queue_duration_s, and it is
read as the time in the queue. Lograge writes no stamp of its own: it is taken from
Ruby's logger in front ("I, [2026-11-29T21:16:22.123456 #1234]  INFO -- :", without
a zone: give --tz), from a member time, or from what collected the line. It is the end.
`,
	Claims: func(line []byte) log.Claim {
		var r lograge
		if len(line) == 0 || !r.walk(line) || !r.own() {
			return log.Foreign
		}
		return log.Own
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		s := ingest.Shape{
			Layout: "lograge", Unit: time.Millisecond, UnitFrom: ingest.UnitFromFormat, Step: 10 * time.Microsecond,
			Clock: "a worker took it", Stamp: ingest.StampEnd,
		}
		var layouts [3]log.Layout
		layouts[0] = log.NewLayout(s, ingest.Server, opt)
		s.Layout = "lograge, JSON"
		layouts[1] = log.NewLayout(s, ingest.Server, opt)
		s.Layout, s.Unit, s.UnitFrom, s.Step = "GitLab, JSON", time.Second, ingest.UnitFromKey, time.Microsecond
		layouts[2] = log.NewLayout(s, ingest.Server, opt)
		return func() log.Reader {
			return &lograge{layouts: &layouts, Builder: log.Builder{Clock: log.Clock{Zone: opt.Zone}}}
		}, nil
	},
}

var errLograge = errors.New("members of a request are missing")

// Members that are read.
const (
	_ = iota
	method
	path
	status
	duration
	seconds
	view // or db: who measures views and queries is Rails
	controller
	action
	form
	stamp
	id
	queue
	queueSeconds
	gitlab // a member that only GitLab has
	members
)

func mean(name []byte) int {
	switch string(name) {
	case "method":
		return method
	case "path":
		return path
	case "status":
		return status
	case "duration":
		return duration
	case "duration_s":
		return seconds
	case "view", "db":
		return view
	case "controller":
		return controller
	case "action":
		return action
	case "format":
		return form
	case "time", "timestamp", "@timestamp":
		return stamp
	case "request_id", "requestId", "uuid", "correlation_id":
		return id
	case "queue_duration":
		return queue
	case "queue_duration_s":
		return queueSeconds
	case "db_duration_s", "view_duration_s", "gitaly_calls":
		return gitlab
	}
	return 0
}

type lograge struct {
	log.Builder
	layouts *[3]log.Layout // text, JSON in milliseconds, in seconds
	json    bool
	prefix  prefix
	members log.Members
	v       [members][]byte
	roles   log.Fields
}

// walk takes the members of a line, and reports whether it has a frame of lograge.
func (r *lograge) walk(line []byte) bool {
	r.prefix.cut(line)
	text := r.prefix.text
	if len(text) == 0 {
		r.json = false
		clear(r.v[:])
		return false
	}
	if r.json = text[0] == '{'; r.json {
		r.members.Keys.Mean = mean
		return r.members.Read(text, r.v[:])
	}
	return pairs(text, &r.v)
}

// own reports whether a line is a request: with method, path, status, a duration,
// and what only Rails has.
func (r *lograge) own() bool {
	v := &r.v
	if v[method] == nil || v[path] == nil || len(v[status]) != 3 || v[duration] == nil && v[seconds] == nil {
		return false
	}
	return v[view] != nil || v[controller] != nil && v[action] != nil && v[form] != nil || v[gitlab] != nil
}

func (r *lograge) Read(line []byte, e *log.Entry) error {
	if !r.walk(line) || !r.own() {
		switch v := &r.v; {
		case r.json && line[len(line)-1] != '}':
			return log.ErrJSON
		case v[method] != nil && v[path] != nil:
			return errLograge
		}
		return log.ErrIgnore // what the application says beside its requests
	}
	v := &r.v
	l := &r.layouts[0]
	clear(r.roles[:])
	f := &r.roles
	f[log.Method], f[log.Target], f[log.StatusCode], f[log.Latency], f[log.RequestID] = v[method], v[path], v[status], v[duration], v[id]
	if r.json {
		l = &r.layouts[1]
	}
	if v[seconds] != nil {
		l, f[log.Latency] = &r.layouts[2], v[seconds]
	}
	if v[id] == nil && isID(r.prefix.id) {
		f[log.RequestID] = r.prefix.id
	}
	if f[log.Time] = r.prefix.stamp; f[log.Time] == nil {
		if _, ok := r.Clock.Read(v[stamp]); ok { // an application's own member may hold anything
			f[log.Time] = v[stamp]
		}
	}
	if err := r.Build(l, f, e); err != nil {
		return err
	}
	if e.Latency < 0 {
		return log.ErrLatency
	}
	if v[queueSeconds] != nil {
		e.Queue = wait(v[queueSeconds], time.Second)
	} else {
		e.Queue = wait(v[queue], time.Millisecond)
	}
	return nil
}

// wait reads a time in the queue; what is none is not known.
func wait(b []byte, unit time.Duration) time.Duration {
	d, _, _, ok := log.Duration(b, unit)
	if !ok {
		return 0
	}
	return d
}

// pairs cuts key=value apart, and reports whether the text begins with one.
// Parameters in braces, which users fill, are passed over.
func pairs(text []byte, v *[members][]byte) bool {
	clear(v[:])
	first := true
	for len(text) > 0 {
		n := 0
		for n < len(text) && (text[n]|0x20-'a' < 26 || text[n]-'0' <= 9 || text[n] == '_' || text[n] == '@' || text[n] == '.') {
			n++
		}
		if n == 0 || n == len(text) || text[n] != '=' {
			if first {
				return false
			}
			i := bytes.IndexByte(text, ' ')
			if i < 0 {
				return true
			}
			text = text[i+1:]
			continue
		}
		first = false
		m := mean(text[:n])
		text = text[n+1:]
		n = value(text, m)
		if m != 0 && v[m] == nil {
			v[m] = bytes.Trim(text[:n], `"`)
		}
		text = text[n:]
	}
	return !first
}

// value returns the length of a value: up to a blank, to the brace that closes
// it, or to the end of a stamp with blanks in it.
func value(b []byte, m int) int {
	switch {
	case len(b) > 0 && (b[0] == '{' || b[0] == '['):
		return braces(b)
	case len(b) > 0 && b[0] == '"':
		if i := bytes.IndexByte(b[1:], '"'); i >= 0 {
			return i + 2
		}
	case m == stamp && len(b) >= len("2026-11-29 21:16:22 +0000") && b[4] == '-' && b[10] == ' ' && b[13] == ':':
		if b[19] == ' ' && (b[20] == '+' || b[20] == '-') {
			return len("2026-11-29 21:16:22 +0000")
		}
		return 19
	}
	if i := bytes.IndexByte(b, ' '); i >= 0 {
		return i
	}
	return len(b)
}

// braces returns the length of what an opening brace encloses, all of b where it
// is not closed.
func braces(b []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(b)
}
