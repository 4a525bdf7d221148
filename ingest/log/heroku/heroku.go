// Package heroku reads the lines of Heroku's router.
package heroku

import (
	"bytes"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is what Heroku's router logs.
var Dialect = log.Dialect{
	Name: "heroku",
	Doc: `Lines of Heroku's router

A line for every request, as heroku logs --tail --ps router shows them or a log
drain delivers them:

    2026-11-29T21:16:22.500000+00:00 heroku[router]: at=info method=GET path="/" host=x request_id=… fwd="…" dyno=web.1 connect=1ms service=9ms status=200 bytes=6960

Latency is connect + service: from the request routed to the last byte of the answer,
or to the moment at which the router gave up. Its own queue is not in it. A line is
stamped at its end, in microseconds. Errors are named by their code: H12 (the
application gave no answer in 30 s) and H15 (idle connection) are time-outs, H27 and
H28 mean that the client left: their latencies are lower bounds. After H12 the
application still works on the request.

The lines of the application's own dynos (app[web.1]) are passed over: read them as a
log of their own. request_id joins both.
`,
	Claims: func(line []byte) log.Claim {
		text := router(line)
		if text == nil {
			if dyno(line) {
				return log.Aside
			}
			return log.Foreign
		}
		var f [columns][]byte
		if split(text, &f); f[service] == nil || f[connect] == nil || f[method] == nil {
			return log.Foreign
		}
		return log.Own
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		l := log.NewLayout(ingest.Shape{
			Layout: "router", Unit: time.Millisecond, UnitFrom: ingest.UnitFromValue, Step: time.Millisecond,
			Clock: "request routed", Stamp: ingest.StampEnd,
		}, ingest.Proxy, opt)
		return func() log.Reader { return &reader{layout: &l, Builder: log.Builder{Clock: log.Clock{Zone: opt.Zone}}} }, nil
	},
}

var errFields = errors.New("fields of the router are missing")

// router returns what the router says in a line, or nil: behind its own name, or
// from the start where a collector took that off.
func router(line []byte) []byte {
	if says(line) {
		return line
	}
	if len(line) > 0 && line[0] == '{' {
		return nil // an envelope, in which quotes are escaped
	}
	for _, name := range [...]string{"heroku[router]: ", "heroku/router: ", "heroku router - "} {
		if i := bytes.Index(line[:min(len(line), 80)], []byte(name)); i >= 0 {
			if text := line[i+len(name):]; says(text) {
				return text
			}
		}
	}
	return nil
}

// says reports whether a text begins as the router's do: with at=, or, where a
// connection broke, with whose it was (sock=client, sock=backend).
func says(text []byte) bool {
	return bytes.HasPrefix(text, []byte("at=")) || bytes.HasPrefix(text, []byte("sock="))
}

// dyno reports whether a line is of an application's process or of Heroku itself:
// "2026-11-29T21:16:22+00:00 app[web.1]: …".
func dyno(line []byte) bool {
	i := bytes.IndexByte(line[:min(len(line), 40)], ' ')
	if i < 19 || line[4] != '-' || line[10] != 'T' {
		return false
	}
	name, _, ok := bytes.Cut(line[i+1:], []byte("]:"))
	return ok && len(name) < 40 && (bytes.HasPrefix(name, []byte("app[")) || bytes.HasPrefix(name, []byte("heroku[")))
}

// The keys that are read.
const (
	_ = iota
	code
	method
	path
	id
	connect
	service
	status
	columns
)

var keys = map[string]int{"code": code, "method": method, "path": path, "request_id": id, "connect": connect, "service": service, "status": status}

// split cuts key=value and key="value" apart.
func split(text []byte, f *[columns][]byte) {
	clear(f[:])
	for len(text) > 0 {
		i := bytes.IndexAny(text, "= ")
		if i < 0 {
			return
		}
		if text[i] == ' ' {
			text = text[i+1:]
			continue
		}
		key := text[:i]
		text = text[i+1:]
		n := 0
		value := text
		if len(text) > 0 && text[0] == '"' {
			if n = bytes.IndexByte(text[1:], '"'); n < 0 {
				return
			}
			value = text[1 : n+1]
			n += 2
		} else {
			if n = bytes.IndexByte(text, ' '); n < 0 {
				n = len(text)
			}
			value = text[:n]
		}
		if k := keys[string(key)]; k != 0 && f[k] == nil {
			f[k] = value
		}
		text = text[n:]
	}
}

type reader struct {
	log.Builder
	layout *log.Layout
	f      [columns][]byte
	roles  log.Fields
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	text := router(line)
	if text == nil {
		if dyno(line) {
			return log.ErrIgnore
		}
		return log.ErrOther
	}
	f := &r.f
	split(text, f)
	if f[service] == nil || f[method] == nil {
		if f[code] != nil && f[status] == nil {
			return log.ErrIgnore // what befell a dyno: R14, L10
		}
		return errFields
	}
	clear(r.roles[:])
	r.roles[log.Method], r.roles[log.Target], r.roles[log.StatusCode], r.roles[log.RequestID] = f[method], f[path], f[status], f[id]
	if i := bytes.IndexByte(line[:min(len(line), 40)], ' '); i > 18 && line[0]-'0' <= 9 {
		r.roles[log.Time] = line[:i]
	}
	if len(f[status]) == 0 {
		r.roles[log.StatusCode] = nil
	}
	if err := r.Build(r.layout, &r.roles, e); err != nil {
		return err
	}
	return r.times(e)
}

// times adds up the times of a line. An empty one is not known.
func (r *reader) times(e *log.Entry) error {
	f := &r.f
	if len(f[service]) > 0 {
		d, _, explicit, ok := log.Duration(f[service], 0)
		if !ok || !explicit {
			return log.ErrLatency
		}
		e.Latency = d
	}
	if len(f[connect]) > 0 {
		d, _, explicit, ok := log.Duration(f[connect], 0)
		if !ok || !explicit {
			return log.ErrLatency
		}
		e.Connect = d
		e.Latency = max(0, e.Latency) + d
	}
	switch string(f[code]) {
	case "H12", "H15":
		e.Outcome = ingest.TimedOut
	case "H27", "H28":
		e.Outcome = ingest.Canceled
	case "":
	default:
		if e.Outcome == ingest.OK {
			e.Outcome = ingest.Failed
		}
	}
	return nil
}
