// Package openstack reads the API logs of OpenStack, and of other services on
// eventlet's WSGI server.
package openstack

import (
	"bytes"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is how OpenStack's APIs log requests.
var Dialect = log.Dialect{
	Name: "openstack",
	Doc: `OpenStack API logs (eventlet's WSGI server)

The request lines of nova-api, neutron-server, glance-api and their kin, which
oslo.log writes at level INFO:

    2026-11-29 21:16:22.008 25746 INFO nova.osapi_compute.wsgi.server [req-… - - -]
    203.0.113.9 "GET /v2/servers/detail HTTP/1.1" status: 200 len: 1893 time: 0.2477829

(one line), with or without the name of a file in front; and those that eventlet's
server writes by itself:

    203.0.113.9 - - [29/Nov/2026 21:16:22] "GET /v2/servers HTTP/1.1" 200 1893 0.247783

Other lines of the services are passed over. Times are seconds. The stamp is the
end of the request, in local time without an offset: say which with --tz. The
clock starts when a green thread takes the request up: what waits for one is not
yet timed. The id in "req-…" is kept to join requests with other logs.
`,
	Claims: claims,
	Learn:  learn,
}

// clock is where eventlet's clock starts: in handle_one_response.
const clock = "a green thread took the request"

// errTime: the line ends in no number of seconds.
var errTime = errors.New("a request without its time")

// request is a line taken apart; nil: the line has no such field.
type request struct{ stamp, id, request, status, time []byte }

// cut takes a request's line apart. is is false for lines that are none; err
// says what one lacks.
func (q *request) cut(line []byte) (is bool, err error) {
	i := bytes.Index(line, []byte(`" status: `))
	if i < 0 {
		return q.bare(line)
	}
	quote := bytes.LastIndexByte(line[:i], '"')
	if quote < 0 {
		return false, nil
	}
	q.request = line[quote+1 : i]
	at := level(line[:quote])
	if at < 0 {
		return false, nil
	}
	q.stamp = line[at : at+len(layout)]
	q.id = nil
	if j := bytes.Index(line[at:quote], []byte("[req-")); j >= 0 {
		id := line[at+j+1 : quote]
		if n := bytes.IndexAny(id, " ]"); n > 0 {
			q.id = id[:n]
		}
	}
	// neutron has two blanks behind the status
	status, rest, ok := bytes.Cut(line[i+len(`" status: `):], []byte(" len: "))
	_, seconds, timed := bytes.Cut(rest, []byte(" time: "))
	if !ok || !timed {
		return true, errTime
	}
	q.status, q.time = bytes.TrimRight(status, " "), seconds
	return true, nil
}

const layout = "2026-11-29 21:16:22.008"

// level returns where the stamp in front of a level begins, or -1: at the start
// of the line, or behind the name of a file.
func level(b []byte) int {
	for at, words := 0, 0; words < 2; words++ {
		if len(b)-at > len(layout) && b[at+4] == '-' && b[at+10] == ' ' && b[at+19] == '.' && b[at+len(layout)] == ' ' {
			return at
		}
		i := bytes.IndexByte(b[at:], ' ')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return -1
}

// bare takes a line of eventlet's own format apart. Its date has a blank before
// the time of day, and its seconds six decimals.
func (q *request) bare(line []byte) (is bool, err error) {
	open := bytes.Index(line, []byte(" - - ["))
	if open < 0 || len(line) < open+30 {
		return false, nil
	}
	rest := line[open+len(" - - ["):]
	if rest[2] != '/' || rest[6] != '/' || rest[11] != ' ' || !bytes.HasPrefix(rest[20:], []byte(`] "`)) {
		return false, nil
	}
	q.stamp, q.id, rest = rest[:20], nil, rest[len(`29/Nov/2026 21:16:22] "`):]
	quote := bytes.LastIndexByte(rest, '"')
	if quote < 0 {
		return false, nil
	}
	q.request = rest[:quote]
	words := bytes.Fields(rest[quote+1:])
	if len(words) != 3 || !log.Micros(words[2]) {
		return false, nil // Python's http.server and Werkzeug have no time
	}
	q.status, q.time = words[0], words[2]
	return true, nil
}

func claims(line []byte) log.Claim {
	var q request
	if is, err := q.cut(line); is && err == nil {
		return log.Own
	}
	if aside(line) {
		return log.Aside
	}
	return log.Foreign
}

// aside reports whether a line is another of oslo.log's: stamp, process, level.
func aside(line []byte) bool {
	at := level(line)
	if at < 0 {
		return false
	}
	rest := line[at+len(layout)+1:]
	digits := 0
	for digits < len(rest) && rest[digits]-'0' <= 9 {
		digits++
	}
	if digits == 0 || digits == len(rest) || rest[digits] != ' ' {
		return false
	}
	for _, level := range [...]string{"INFO ", "WARNING ", "ERROR ", "DEBUG ", "CRITICAL ", "TRACE ", "AUDIT "} {
		if bytes.HasPrefix(rest[digits+1:], []byte(level)) {
			return true
		}
	}
	return false
}

func learn(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
	l := log.Scale{Size: time.Second, From: ingest.UnitFromFormat}.Layout(
		ingest.Shape{Layout: "eventlet.wsgi", Clock: clock, Stamp: ingest.StampEnd}, ingest.Server, opt)
	if l.Shape.Step == time.Second {
		l.Shape.Step = 0 // repr of a float: as many decimals as it takes
	}
	return func() log.Reader {
		return &reader{layout: l, Builder: log.Builder{Clock: log.Clock{Zone: opt.Zone}}}
	}, nil
}

// reader reads the lines of one part.
type reader struct {
	layout log.Layout
	log.Builder
	request request
	fields  log.Fields
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	q, f := &r.request, &r.fields
	switch is, err := q.cut(line); {
	case err != nil:
		return err
	case !is && aside(line):
		return log.ErrIgnore
	case !is:
		return log.ErrOther
	}
	f[log.Time], f[log.Request], f[log.StatusCode], f[log.Latency], f[log.RequestID] = q.stamp, q.request, q.status, q.time, q.id
	return r.Build(&r.layout, f, e)
}
