// Package nginx reads access logs of nginx and of what is built on it:
// ingress-nginx, OpenResty, Kong, Nginx Proxy Manager.
package nginx

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Format is an access log of nginx.
var Format = Dialect.Format()

// Dialect is how nginx writes its access log.
var Dialect = log.Dialect{
	Name: "nginx",
	Doc: `Access logs of nginx, ingress-nginx and Kong

A line for every request, in any log_format built on "combined", or as JSON or
LTSV. Read are the request, its status, $request_time, the lists that nginx
writes of upstream tries ($upstream_response_time, _status, _addr, _connect_time,
_header_time), $msec, request ids and traceparent. To have all of it:

    log_format timed '$remote_addr - $remote_user [$time_local] "$request" '
        '$status $body_bytes_sent "$http_referer" "$http_user_agent" rt=$request_time '
        'uct="$upstream_connect_time" uht="$upstream_header_time" '
        'urt="$upstream_response_time" ua="$upstream_addr" us="$upstream_status" '
        'id=$request_id msec=$msec';

Fields are recognised by their keys, by the three decimals of nginx's seconds and
by ingress-nginx's order; a format that is misread, or not recognised, is given as
it stands in the configuration: --log-format '…'.

nginx stamps a line at its end. $request_time runs from the first byte of the
request read to the last byte of the answer sent: slow clients and uploads count,
the time in the accept queue does not. Statuses 499 (the client left) and 504 are
lower bounds. Tries are separated by ", ", internal redirects by " : "; the first
try behind a redirect is not a retry.

Lines in plain "combined" format, which Apache writes too, are read as nginx's:
without a latency they tell the same either way, except that Apache's stamp is the
start. Where two times have no keys, the first is taken for $request_time unless
the first lines contradict it.
`,
	Speaks: func(s string) bool {
		return bytes.Contains([]byte(s), []byte("$")) && !bytes.Contains([]byte(s), []byte("%"))
	},
	Claims: claims,
	Near:   near,
	Learn:  learn,
}

// What nginx's clocks start at.
const (
	clockRequest  = "first byte of the request read"
	clockUpstream = "connection to the upstream"
)

// claims tells whose a line is.
func claims(line []byte) log.Claim {
	if len(line) == 0 {
		return log.Foreign
	}
	if aside(line) {
		return log.Aside
	}
	switch {
	case line[0] == '{':
		return claimsNamed("JSON", line)
	case log.Labelled(line) && claimsNamed("LTSV", line) == log.Own:
		return log.Own
	}
	var f log.Fields
	for _, p := range proxyManager {
		if p.Pattern.Match(line, &f) {
			return log.Own
		}
	}
	var c log.CLF
	if c.Parse(line) != nil {
		return log.Foreign
	}
	var g guess
	if g.read(&c); !g.own {
		return log.Foreign
	}
	return log.Own
}

// near says what is missing of lines in nginx's frame with fields of their own.
func near(line []byte) string {
	var c log.CLF
	if c.Parse(line) != nil || len(c.Tail) < 2 {
		return ""
	}
	return "the lines have fields that nothing explains; if nginx wrote them, give --log-format"
}

// aside reports whether a line is what nginx or its container says beside its
// requests: "2026/11/29 21:19:12 [notice] …", "/docker-entrypoint.sh: …".
func aside(line []byte) bool {
	if bytes.HasPrefix(line, []byte("/docker-entrypoint")) {
		return true
	}
	if len(line) < 22 || line[4] != '/' || line[7] != '/' || line[20] != '[' {
		return false
	}
	var c log.Clock
	_, ok := c.Read(line[:19])
	return ok
}

// layout returns how lines are to be understood that give request times,
// times of upstream tries, both or neither.
func layout(name string, request, upstream bool, opt ingest.Options) log.Layout {
	l := log.Layout{
		Shape:    ingest.Shape{Layout: name, Stamp: ingest.StampEnd},
		Latency:  log.Unit{Millis: true},
		Upstream: log.Unit{Millis: true},
		Vantage:  ingest.Proxy,
	}
	if !request && !upstream {
		return l
	}
	l.Shape.Unit, l.Shape.UnitFrom, l.Shape.Step = seconds, ingest.UnitFromFormat, millisecond
	l.Shape.Clock = clockRequest
	if !request {
		l.Shape.Clock = clockUpstream
	}
	if opt.Unit != 0 {
		l.Latency, l.Upstream = log.Unit{Size: opt.Unit}, log.Unit{Size: opt.Unit}
		l.Shape.Unit, l.Shape.UnitFrom, l.Shape.Step = opt.Unit, ingest.UnitFromFlag, 0
	}
	return l
}
