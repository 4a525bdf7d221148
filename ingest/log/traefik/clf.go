// Package traefik reads access logs of Traefik.
package traefik

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// CLF is how Traefik writes its access log unless it is told to write JSON.
var CLF = log.Dialect{
	Name: "traefik-clf",
	Doc: `Access log of Traefik in the common log format

What accessLog: {} writes, a line for every request:

    203.0.113.9 - - [29/Nov/2026:21:16:22 +0000] "GET / HTTP/1.1" 200 41 "-" "curl/7"
    240 "router@docker" "http://10.0.0.1:80" 42ms

(one line): behind the combined format the number of the request, the router (of
the first versions: the frontend), the URL of the server and the duration, which
is cut to whole milliseconds: a p50 of 0 ms means below one. Versions of 2016 print
fractions and seconds. accessLog.format: json has nanoseconds, the time of the
upstream and the number of retries, none of which this format tells.

The stamp is the start of the request. The clock starts when its headers have been
read, and stops when the last byte of the answer has been handed on. A "-" for the
status is a request that no server answered.
`,
	Claims: claimsCLF,
	Learn:  learnCLF,
}

// lines is the format. Source: Traefik, middlewares/accesslog, CommonLogFormatter.
var lines = func() *log.Pattern {
	p, err := log.Compile([]log.Part{
		{}, {Literal: " ["}, {Role: log.Time}, {Literal: `] "`}, {Role: log.Request}, {Literal: `" `}, {Role: log.StatusCode}, {Literal: " "}, {Role: sent},
		{Literal: " "}, {Role: referer}, {Literal: ` "`}, {}, {Literal: `" `}, {Role: number}, {Literal: ` "`}, {Role: router}, {Literal: `" "`}, {Role: server}, {Literal: `" `}, {Role: log.Latency},
	})
	if err != nil {
		panic(err)
	}
	return p
}()

// Fields of Traefik's own.
const (
	sent = log.OwnRole + iota // bytes
	referer
	number // of the request
	router
	server
)

// isLine reports whether a line is one of Traefik's, with a duration that names
// its unit at its end.
func isLine(line []byte, f *log.Fields) bool {
	if len(line) < 60 || line[len(line)-1] != 's' || !lines.Match(line, f) {
		return false
	}
	if !log.Whole(f[number]) || !log.Whole(f[sent]) && string(f[sent]) != "-" {
		return false
	}
	if r := f[referer]; string(r) != "-" && (len(r) < 2 || r[0] != '"' || r[len(r)-1] != '"') {
		return false
	}
	s := f[server]
	return len(s) == 0 || string(s) == "-" || bytes.Contains(s, []byte("://")) || s[0] == '/'
}

func claimsCLF(line []byte) log.Claim {
	var f log.Fields
	if !isLine(line, &f) {
		return log.Foreign
	}
	if _, _, explicit, ok := log.Duration(f[log.Latency], 0); !ok || !explicit {
		return log.Foreign
	}
	return log.Own
}

func learnCLF(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
	shape := ingest.Shape{Layout: "Traefik CLF", Clock: "request headers read", Stamp: ingest.StampStart}
	whole := log.Scale{Size: time.Millisecond, From: ingest.UnitFromValue}.Layout(shape, ingest.Proxy, opt)
	exact := log.Scale{Size: time.Nanosecond, From: ingest.UnitFromValue}.Layout(shape, ingest.Proxy, opt)
	return func() log.Reader {
		return &clf{whole: whole, exact: exact, Builder: log.Builder{Clock: log.Clock{Zone: opt.Zone}}}
	}, nil
}

// clf reads the lines of one part.
type clf struct {
	whole, exact log.Layout // milliseconds without a fraction, and others
	log.Builder
	fields log.Fields
}

func (r *clf) Read(line []byte, e *log.Entry) error {
	f := &r.fields
	if !isLine(line, f) {
		return log.ErrOther
	}
	l := &r.whole
	if v := f[log.Latency]; len(v) < 3 || v[len(v)-2] != 'm' || bytes.IndexByte(v, '.') >= 0 {
		l = &r.exact
	}
	return r.Build(l, f, e)
}
