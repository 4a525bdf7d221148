// Package tomcat reads access logs of Apache Tomcat, also embedded in Spring Boot.
package tomcat

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is how Tomcat's AccessLogValve and JsonAccessLogValve write.
var Dialect = log.Dialect{
	Name: "tomcat",
	Doc: `Access logs of Tomcat and Spring Boot

What AccessLogValve or JsonAccessLogValve write. To have a latency whose unit is
plain, and the thread that served the request (server.xml, or Spring Boot's
server.tomcat.accesslog.pattern):

    pattern="%h %l %u %t &quot;%r&quot; %s %b %{us}T %I"

(%{us}T since Tomcat 9.0.74 and 10.1.8). %D is the trap of this server:
milliseconds up to Tomcat 9, microseconds since 10, hence Spring Boot 2 and 3. A
number of %D, and elapsedTime in JSON, therefore has an unknown unit: it is shown
as milliseconds and as microseconds, and nothing is judged on it, until --unit says
which; or the lines do, by %T beside it, or %F, which is always milliseconds and a
part of it.

Claimed are JSON with the valve's own names (statusCode, logicalUserName,
elapsedTime), lines with the name of a Tomcat thread, and Spring Boot's
"%t %a %r %s (%D microseconds)". Others look like Apache's: --format tomcat reads
them, and --log-format takes any pattern of the valve.

%t is the end of the request, unlike Apache's, unless %{begin:…}t is logged. The
clock starts when a worker thread takes the request from the connector: what waits
for a thread, or in the accept queue, is not yet timed, so that a stall shows in
one line for each thread, and in silence.
`,
	Speaks: log.IsTomcatFormat,
	Claims: claims,
	Learn:  learn,
}

// clock is where Tomcat's clock starts: coyote.Request.getStartTimeNanos, set by
// the thread that parses the request line.
const clock = "a worker thread read the request line"

// assumed is the unit of %D as long as nothing tells which of the two it is.
var assumed = log.Scale{Size: time.Millisecond, Other: time.Microsecond}

func layout(name string, u log.Scale, opt ingest.Options) log.Layout {
	return u.Layout(ingest.Shape{Layout: name, Clock: clock, Stamp: ingest.StampEnd}, ingest.Server, opt)
}

func claims(line []byte) log.Claim {
	if len(line) == 0 {
		return log.Foreign
	}
	if line[0] == '{' {
		m := log.NewWalk(meaning)
		var o object
		if o.walk(line, &m); o.own {
			return log.Own
		}
		return log.Foreign
	}
	var f log.Fields
	for i := range spring {
		if spring[i].Pattern.Match(line, &f) && log.Whole(f[log.Latency]) {
			return log.Own
		}
	}
	if aside(line) {
		return log.Aside
	}
	var c log.CLF
	if c.Parse(line) != nil {
		return log.Foreign
	}
	var g guess
	if g.read(&c); g.thread < 0 {
		return log.Foreign
	}
	return log.Own
}

// aside reports whether a line is of Tomcat's own log (catalina.out):
// "29-Nov-2026 21:16:22.123 INFO [main] org.apache.catalina.…".
func aside(line []byte) bool {
	return len(line) > 30 && line[2] == '-' && line[6] == '-' && line[11] == ' ' && line[14] == ':' && line[20] == '.' && bytes.Contains(line[:min(len(line), 200)], []byte(" org.apache.c"))
}

// spring are the patterns that Spring Boot's documentation gives, which say
// their unit in words.
var spring = [...]log.Known{
	word(`%t %a %r %s (%{us}T microseconds)`),
	word(`%t %a %r %s (%{ms}T ms)`),
}

func word(pattern string) log.Known {
	f, err := log.ParseLogFormat(ends(pattern), nil)
	if err != nil {
		panic(err)
	}
	k, err := f.Compile(ingest.Shape{Layout: pattern, Clock: clock}, ingest.Server, ingest.Options{})
	if err != nil {
		panic(err)
	}
	k.Layout.Shape.UnitFrom = ingest.UnitFromValue
	return k
}
