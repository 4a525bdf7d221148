// Package gunicorn reads access logs of gunicorn.
package gunicorn

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is how gunicorn logs requests.
var Dialect = log.Dialect{
	Name: "gunicorn",
	Doc: `Access logs of gunicorn

gunicorn's access log has no latency unless it is asked for one; its default,
plain combined, is read as nginx's, which says the same. To have one, and the
process that served the request, by which lines are recognised:

    gunicorn --access-logfile - --access-logformat '%(h)s %(l)s %(u)s %(t)s "%(r)s" %(s)s %(b)s "%(f)s" "%(a)s" %(L)s %(p)s' app:app

%(L)s is seconds with six decimals. Whole numbers of %(D)s (microseconds), %(M)s
(milliseconds) and %(T)s (seconds, cut) look alike: without the format their unit
is unknown, and shown both ways. Any format is given as it stands:

    --log-format '%(h)s %(l)s %(u)s %(t)s "%(r)s" %(s)s %(b)s "%(f)s" "%(a)s" %(D)s'

Before version 19, %(D)s and %(L)s held only the fraction of a second. The stamp is
the end of the request. The clock starts when a worker takes the request: what
waits for a worker in the backlog is not yet timed, so that a stall shows in one
line for each worker, and in silence.

uvicorn's access log has neither time nor latency: nothing can be read of it. It
needs a formatter of its own ("%(asctime)s …"), or a log with times from the proxy
in front or a middleware.
`,
	Speaks: func(s string) bool {
		return strings.Contains(s, "%(") && strings.Contains(s, ")s") && !log.IsHAProxyFormat(s)
	},
	Claims: claims,
	Near:   near,
	Learn:  learn,
}

// clock is where gunicorn's clock starts: request_start in the workers'
// handle_request.
const clock = "a worker took the request"

// errUvicorn: a request, but nothing to be known of it.
var errUvicorn = errors.New("uvicorn's access log has neither time nor latency")

// process is the role of %(p)s, "<17>".
const process = log.OwnRole

// units are those of the names for latencies. Source: gunicorn's settings,
// access_log_format.
var units = map[string]time.Duration{"D": time.Microsecond, "L": time.Second, "M": time.Millisecond, "T": time.Second}

// roles are the names that are read.
var roles = map[string]log.Role{
	"t": log.Time, "r": log.Request, "m": log.Method, "U": log.Target, "s": log.StatusCode, "p": process,
	"{x-request-id}i": log.RequestID, "{x-request-id}o": log.RequestID, "{traceparent}i": log.TraceParent,
}

// assumed is the unit of a whole number: %(D)s, %(M)s or %(T)s.
var assumed = log.Scale{Size: time.Microsecond, Other: time.Millisecond}

func layout(name string, u log.Scale, opt ingest.Options) log.Layout {
	return u.Layout(ingest.Shape{Layout: name, Clock: clock, Stamp: ingest.StampEnd}, ingest.Server, opt)
}

func claims(line []byte) log.Claim {
	if aside(line) || isUvicorn(line) {
		return log.Aside
	}
	var c log.CLF
	if len(line) == 0 || line[0] == '{' || line[len(line)-1] != '>' && !bytes.Contains(line, []byte("> ")) || c.Parse(line) != nil {
		return log.Foreign
	}
	var g guess
	if g.read(&c); !g.own {
		return log.Foreign
	}
	return log.Own
}

// aside reports whether a line is what gunicorn says beside its requests:
// "[2026-11-29 21:16:22 +0000] [17] [INFO] Booting worker with pid: 18".
func aside(line []byte) bool {
	if len(line) < 40 || line[0] != '[' || line[5] != '-' || line[26] != ']' || line[28] != '[' {
		return false
	}
	end := bytes.IndexByte(line[28:], ']')
	return end > 1 && log.Whole(line[29:28+end]) && bytes.HasPrefix(line[28+end:], []byte("] ["))
}

// isUvicorn reports a line of uvicorn's access log:
// INFO:     203.0.113.9:49152 - "GET / HTTP/1.1" 200 OK.
func isUvicorn(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("INFO:     "))
	if !ok {
		return false
	}
	_, rest, ok = bytes.Cut(rest, []byte(` - "`))
	if !ok {
		return false
	}
	i := bytes.LastIndexByte(rest, '"')
	return i > 0 && i+5 <= len(rest) && log.Whole(rest[i+2:i+5])
}

// near explains lines that could be gunicorn's.
func near(line []byte) string {
	if isUvicorn(line) {
		return "uvicorn's access log has neither time nor latency; log through gunicorn, a middleware or the proxy in front"
	}
	var c log.CLF
	if c.Parse(line) == nil && len(c.Tail) > 0 && log.Micros(c.Tail[len(c.Tail)-1].Text) {
		return "the lines end in seconds with six decimals; if they are gunicorn's %(L)s, --format gunicorn reads them"
	}
	return ""
}

// guess is what the fields behind the status of a line seem to be.
type guess struct {
	roles   []log.Role
	at      int  // of the latency; -1: there is none
	seconds bool // it has six decimals
	own     bool
	plain   bool // nothing that is not understood
}

// read guesses the roles of a line's tail.
func (g *guess) read(c *log.CLF) {
	g.roles = append(g.roles[:0], make([]log.Role, len(c.Tail))...)
	g.at, g.seconds, g.plain = -1, false, c.Plain()
	at := -1
	for i := range c.Tail {
		t := &c.Tail[i]
		n := len(t.Text)
		switch {
		case i == 0 && t.IsBytes(), t.Close == '"', n == 1 && t.Text[0] == '-':
		case n > 2 && t.Text[0] == '<' && t.Text[n-1] == '>' && log.Whole(t.Text[1:n-1]):
			g.roles[i], at = process, i
		case g.at < 0 && len(t.Key) == 0 && (log.Whole(t.Text) || log.Micros(t.Text)):
			g.roles[i], g.at, g.seconds = log.Latency, i, !log.Whole(t.Text)
		default:
			g.plain = false
		}
	}
	g.own = g.plain && at >= 0
}

// given compiles the format that the user gives.
func given(opt ingest.Options) (log.Known, error) {
	scale, finest := log.Scale{From: ingest.UnitFromFormat}, ""
	for _, name := range [...]string{"D", "L", "M", "T"} { // finest first; L has six decimals
		if finest == "" && strings.Contains(opt.LogFormat, "%("+name+")s") {
			scale.Size, finest = units[name], name
		}
	}
	parts, err := log.ParsePlaceholders(opt.LogFormat, "s", func(name string) log.Role {
		if name == finest {
			return log.Latency
		}
		if strings.HasPrefix(name, "{") {
			name = strings.ToLower(name) // of a header
		}
		return roles[name]
	})
	if err != nil {
		return log.Known{}, err
	}
	stamps(parts)
	p, err := log.Compile(parts)
	if err != nil {
		return log.Known{}, fmt.Errorf("--log-format: %w", err)
	}
	l := layout(opt.LogFormat, scale, opt)
	if finest == "L" && l.Shape.Step != 0 {
		l.Shape.Step = time.Microsecond
	}
	return log.Known{Pattern: p, Layout: l}, nil
}

// stamps moves the brackets of %(t)s out of the field, and says how many blanks
// an unquoted %(r)s has.
func stamps(parts []log.Part) {
	for i := range parts {
		switch parts[i].Role {
		case log.Request:
			parts[i].Blanks = 2
		case log.Time:
			if i > 0 && parts[i-1].Literal != "" && i+1 < len(parts) && parts[i+1].Literal != "" {
				parts[i-1].Literal += "["
				parts[i+1].Literal = "]" + parts[i+1].Literal
			}
		}
	}
}
