// Package uwsgi reads the request log of uWSGI.
package uwsgi

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is how uWSGI logs requests.
var Dialect = log.Dialect{
	Name: "uwsgi",
	Doc: `Request log of uWSGI

The lines that uWSGI writes unless disable-logging is set:

    [pid: 88185|app: 0|req: 1/1] 127.0.0.1 () {38 vars in 696 bytes} [Sun Mar 13
    22:49:12 2016] POST /update => generated 47 bytes in 129 msecs (HTTP/1.1 200)
    9 headers in 378 bytes (1 switches on core 3)

(one line). Each names its unit: msecs, cut to whole milliseconds, or micros with
log-micros = true, which is worth having. The other form is a log-format, given as
it stands in the configuration:

    --log-format '%(addr) - %(user) [%(ltime)] "%(method) %(uri) %(proto)" %(status) %(size) %(micros)'

The stamp is the start of the request, in local time without an offset: say which
with --tz. In the hour that a zone has twice, when summer time ends, it is read as
the first of the two, and counted. The clock starts when a worker takes the
request: what waits for a free worker in the listen queue is not yet timed, so
that a stall shows in one line for each worker, and in silence. The first request
of a worker includes loading the application unless lazy-apps is off.
`,
	Speaks: speaks,
	Claims: claims,
	Learn:  learn,
}

// clock is where uWSGI's clock starts: wsgi_req->start_of_request.
const clock = "a worker took the request"

// word is the role of the unit of a latency, and what follows it: "msecs",
// "micros via sendfile()".
const word = log.OwnRole

// lines is how requests are logged. Source: uWSGI, core/logging.c, log_request.
var lines = func() *log.Pattern {
	p, err := log.Compile([]log.Part{
		{Literal: "[pid: "}, {}, {Literal: "|app: "}, {}, {Literal: "|req: "}, {}, {Literal: "] "}, {}, {Literal: ") {"}, {}, {Literal: "} ["},
		{Role: log.Time}, {Literal: "] "}, {Role: log.Method}, {Literal: " "}, {Role: log.Target}, {Literal: " => generated "}, {}, {Literal: " bytes in "},
		{Role: log.Latency}, {Literal: " "}, {Role: word}, {Literal: " ("}, {}, {Literal: " "}, {Role: log.StatusCode}, {Literal: ") "}, {}, {Literal: " headers in "}, {List: true},
	})
	if err != nil {
		panic(err)
	}
	return p
}()

// placeholders are those of log-format that are read. Source: uWSGI's
// documentation, "Formatting uWSGI requests logs".
var placeholders = map[string]log.Role{
	"uri": log.Target, "method": log.Method, "status": log.StatusCode, "micros": log.Latency, "msecs": log.Latency, "secs": log.Latency,
	"time": log.Time, "ctime": log.Time, "ltime": log.Time, "tmsecs": log.Epoch, "tmicros": log.Epoch,
	"var.HTTP_X_REQUEST_ID": log.RequestID, "uuid": log.RequestID, "var.HTTP_TRACEPARENT": log.TraceParent,
}

// units are those of the placeholders for latencies, finest first.
var units = [...]struct {
	name string
	unit time.Duration
}{{"%(micros)", time.Microsecond}, {"%(msecs)", time.Millisecond}, {"%(secs)", time.Second}}

func speaks(s string) bool {
	return strings.Contains(s, "%(") && !strings.Contains(s, ")s") && !log.IsHAProxyFormat(s)
}

// trim takes the report on memory off that stands in front of a line with
// memory-report = true.
func trim(line []byte) []byte {
	if bytes.HasPrefix(line, []byte("{address space usage: ")) {
		if i := bytes.Index(line, []byte("} [pid: ")); i > 0 {
			return line[i+2:]
		}
	}
	return line
}

func claims(line []byte) log.Claim {
	line = trim(line)
	var f log.Fields
	switch {
	case bytes.HasPrefix(line, []byte("[pid: ")) && lines.Match(line, &f):
		return log.Own
	case aside(line):
		return log.Aside
	}
	return log.Foreign
}

// aside reports whether a line is what uWSGI says beside its requests.
func aside(line []byte) bool {
	for _, begin := range [...]string{"*** Starting uWSGI", "*** uWSGI is running", "*** Operational MODE", "spawned uWSGI ", "WSGI app ", "uwsgi socket ", "mapped ", "your server socket listen backlog", "Respawned uWSGI worker", "[uWSGI] "} {
		if bytes.HasPrefix(line, []byte(begin)) {
			return true
		}
	}
	return false
}

// errUnit: neither msecs nor micros.
var errUnit = errors.New("a latency in an unknown unit")

type plan struct {
	log.Plan
	msecs, micros log.Layout
}

func learn(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
	p := &plan{}
	shape := ingest.Shape{Layout: "uWSGI", Clock: clock, Stamp: ingest.StampStart}
	of := func(unit time.Duration) log.Layout {
		l := log.Scale{Size: unit, From: ingest.UnitFromValue}.Layout(shape, ingest.Server, opt)
		l.Latency.Size = unit // the unit stands behind the number
		return l
	}
	p.msecs, p.micros = of(time.Millisecond), of(time.Microsecond)
	if opt.LogFormat != "" {
		k, err := given(opt)
		if err != nil {
			return nil, err
		}
		p.Plan = log.Plan{Known: []log.Known{k}, Given: true}
	}
	return func() log.Reader { return &reader{plan: p, Lines: log.NewLines(p.Plan, opt)} }, nil
}

// given compiles the format that the user gives.
func given(opt ingest.Options) (log.Known, error) {
	scale := log.Scale{From: ingest.UnitFromFormat}
	finest := ""
	for _, u := range units {
		if scale.Size == 0 && strings.Contains(opt.LogFormat, u.name) {
			scale.Size, finest = u.unit, u.name
		}
	}
	parts, err := log.ParsePlaceholders(opt.LogFormat, "", func(name string) log.Role {
		role := placeholders[name]
		if role == log.Latency && "%("+name+")" != finest {
			return log.Skip
		}
		return role
	})
	if err != nil {
		return log.Known{}, err
	}
	p, err := log.Compile(parts)
	if err != nil {
		return log.Known{}, fmt.Errorf("--log-format: %w", err)
	}
	shape := ingest.Shape{Layout: opt.LogFormat, Clock: clock, Stamp: ingest.StampStart}
	return log.Known{Pattern: p, Layout: scale.Layout(shape, ingest.Server, opt)}, nil
}

// reader reads the lines of one part.
type reader struct {
	*plan
	log.Lines
	fields log.Fields
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	if r.Given {
		_, err := r.Lines.Known(line, e)
		return err
	}
	if !lines.Match(trim(line), &r.fields) {
		if aside(line) {
			return log.ErrIgnore
		}
		return log.ErrOther
	}
	switch w := r.fields[word]; {
	case bytes.HasPrefix(w, []byte("msecs")):
		return r.Build(&r.msecs, &r.fields, e)
	case bytes.HasPrefix(w, []byte("micros")):
		return r.Build(&r.micros, &r.fields, e)
	}
	return errUnit
}
