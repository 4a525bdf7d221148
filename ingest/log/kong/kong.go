// Package kong reads what Kong's logging plugins write: file-log, http-log,
// tcp-log, udp-log, syslog, loggly, all in one JSON. Kong's own access log is
// nginx's.
package kong

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is a log of Kong's logging plugins.
var Dialect = log.Dialect{
	Name: "kong",
	Doc: `Logs of Kong's plugins (file-log, http-log, tcp-log, syslog)

An object for every request, on one line, recognised by its latencies {request, kong,
proxy}:

    curl -X POST localhost:8001/plugins -d name=file-log -d config.path=/dev/stdout

latencies.request is the whole request in milliseconds, from its first byte read to
the last byte of the answer sent; latencies.proxy is the time in which the upstream
answered, -1 if it was not asked, and latencies.kong what Kong's plugins took. Some
versions put numbers in quotes. started_at is the start, in milliseconds since the
epoch; old versions have none, and no time at all. tries lists the tries
at upstreams: how long those that failed took follows from the start of the next.
Statuses 499 (the client left) and 504 are lower bounds. Entries with
latencies.session are connections, which take part in no percentile of requests.
Kong's proxy_access_log is read as nginx's.
`,
	Claims: claims,
	Learn:  learn,
}

// claims tells whose a line is.
func claims(line []byte) log.Claim {
	if len(line) == 0 || line[0] != '{' || !bytes.Contains(line, []byte(`"latencies"`)) {
		return log.Foreign
	}
	var x fields
	if r := newReader(&plan{}); r.walk(line, &x) && x.own() {
		return log.Own
	}
	return log.Foreign
}

// own reports whether an object is an entry of Kong: it has the latencies of a
// request, or of a session, beside Kong's own.
func (x *fields) own() bool {
	return isNumber(x.request) && (isNumber(x.proxy) || isNumber(x.kong)) && (x.status != nil || x.method != nil) ||
		isNumber(x.session) && isNumber(x.kong)
}

// isNumber reports whether a value is a whole or a decimal number.
func isNumber(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	for _, c := range b {
		if c-'0' > 9 && c != '.' {
			return false
		}
	}
	return len(b) > 0
}
