// Package caddy reads access logs of Caddy 2: JSON, and the text of its console
// encoder.
package caddy

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is an access log of Caddy.
var Dialect = log.Dialect{
	Name: "caddy",
	Doc: `Access logs of Caddy

An object for every request, or a line of the console encoder with tabs and the
object's rest behind them; recognised by the logger http.log.access:

    example.com {
        log {
            output file /var/log/caddy/access.log
        }
    }

duration is seconds with a fraction, or text with its unit (duration_format string).
Where every duration of the first lines is a whole number, the encoder was told to
write nanoseconds or milliseconds, which the line does not say: the unit is not
known then, values are read as nanoseconds, and --unit tells.

Lines are stamped with the end of the request: ts is seconds since the epoch, with a
fraction, or text in time_format. The console encoder's stamp has no zone; it is UTC
unless time_local is set (give --tz then). The clock starts when the headers of the
request have been read, and stops when the answer was written. A request that waits
between tries of its upstreams (lb_try_duration) is one long request: Caddy logs no
tries. Status 0 means that no handler wrote anything; it is a failure only in a line
of level error. Other lines of Caddy are passed over.
`,
	Claims: claims,
	Learn:  learn,
}

// claims tells whose a line is.
func claims(line []byte) log.Claim {
	var x fields
	r := newReader(&plan{})
	object := x.console(line)
	if object == nil {
		return log.Foreign
	}
	if !r.walk(object, &x) {
		return log.Foreign
	}
	switch {
	case x.own():
		return log.Own
	case x.aside():
		return log.Aside
	}
	return log.Foreign
}

// own reports whether a line is a request.
func (x *fields) own() bool {
	return isAccess(x.logger) && (x.duration != nil || x.status != nil)
}

// isAccess reports whether a logger is that of requests: "http.log.access", or
// one that was given a name, "http.log.access.log0".
func isAccess(logger []byte) bool {
	const name = "http.log.access"
	return bytes.HasPrefix(logger, []byte(name)) && (len(logger) == len(name) || logger[len(name)] == '.')
}

// aside reports whether a line is another one of Caddy's. An error of a handler
// (http.log.error) has a line of its own beside that of its request.
func (x *fields) aside() bool {
	for _, name := range []string{"http.", "tls.", "admin.", "layer4", "pki.", "events."} {
		if bytes.HasPrefix(x.logger, []byte(name)) {
			return true
		}
	}
	switch string(x.logger) {
	case "http", "tls", "admin", "pki", "events":
		return true
	}
	return false
}
