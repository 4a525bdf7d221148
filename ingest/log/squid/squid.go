// Package squid reads access logs of Squid.
package squid

import (
	"bytes"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is an access log of Squid in its native format.
var Dialect = log.Dialect{
	Name: "squid",
	Doc: `Access logs of Squid

A line for every request, in Squid's native format, which it writes by default:

    access_log daemon:/var/log/squid/access.log squid

Logs in other formats (logformat common, combined) have no latency; they are read
as those of other servers in the common format.

Latency is in milliseconds: from the request received to the last byte of the answer
sent, so slow clients are in it. A line is stamped at its end, in milliseconds since
the epoch. Where the result has _ABORTED the client left, where it has _TIMEDOUT
nobody waited any longer: lower bounds. CONNECT tunnels are connections and no
requests. Queries of other caches (ICP) are passed over.
`,
	Claims: func(line []byte) log.Claim {
		var f [columns][]byte
		if !cut(line, &f) {
			return log.Foreign
		}
		if bytes.HasPrefix(f[result], []byte("UDP_")) {
			return log.Aside
		}
		return log.Own
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		l := log.NewLayout(ingest.Shape{
			Layout: "squid", Unit: time.Millisecond, UnitFrom: ingest.UnitFromFormat, Step: time.Millisecond,
			Clock: "request received", Stamp: ingest.StampEnd,
		}, ingest.Proxy, opt)
		return func() log.Reader { return &reader{layout: &l} }, nil
	},
}

var errLine = errors.New("not the fields of Squid's native format")

// The fields of a line that are read, by their place.
const (
	stamp = iota
	elapsed
	client
	result // TCP_MISS/200
	size
	method
	target
	columns
)

// cut cuts a line into its fields, which one or more blanks separate, and reports
// whether it is one of Squid's native format.
func cut(line []byte, f *[columns][]byte) bool {
	for i := range f {
		line = bytes.TrimLeft(line, " ")
		n := bytes.IndexByte(line, ' ')
		if n < 1 {
			return false
		}
		f[i], line = line[:n], line[n:]
	}
	s := f[stamp]
	if len(s) < 13 || s[len(s)-4] != '.' || !number(s[:len(s)-4]) || !number(f[elapsed]) || !number(f[size]) {
		return false
	}
	i := bytes.IndexByte(f[result], '/')
	if i < 3 || len(f[result])-i != 4 || !number(f[result][i+1:]) {
		return false
	}
	for _, c := range f[result][:i] {
		if c-'A' >= 26 && c != '_' {
			return false
		}
	}
	return true
}

// number reports digits. Squid writes a negative time where its clock was set back.
func number(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte("-"))
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

type reader struct {
	log.Builder
	layout *log.Layout
	f      [columns][]byte
	roles  log.Fields
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	f := &r.f
	if !cut(line, f) {
		return errLine
	}
	code, status, _ := bytes.Cut(f[result], []byte("/"))
	if bytes.HasPrefix(code, []byte("UDP_")) {
		return log.ErrIgnore
	}
	clear(r.roles[:])
	r.roles[log.Epoch], r.roles[log.Latency], r.roles[log.StatusCode] = f[stamp], f[elapsed], status
	r.roles[log.Method], r.roles[log.Target] = f[method], f[target]
	if err := r.Build(r.layout, &r.roles, e); err != nil {
		return err
	}
	switch {
	case e.Stamp.Time == 0:
		return log.ErrStamp
	case bytes.HasSuffix(code, []byte("_ABORTED")):
		e.Outcome = ingest.Canceled
	case bytes.HasSuffix(code, []byte("_TIMEDOUT")):
		e.Outcome = ingest.TimedOut
	case e.Status == 0 && e.Outcome == ingest.OK:
		e.Outcome = ingest.Failed
	}
	return nil
}
