// Package apache reads access logs of the Apache HTTP Server.
package apache

import (
	"bytes"
	"slices"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Format is an access log of Apache.
var Format = Dialect.Format()

// Dialect is how Apache writes its access log.
var Dialect = log.Dialect{
	Name: "apache",
	Doc: `Access logs of the Apache HTTP Server

A line for every request, in the common or combined format with a latency behind
it. To have one whose unit nobody need guess:

    LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" **%T/%D**" timed

Recognised are the pair %T/%D, whose two readings give the unit away; D= beside a
begin and an end stamp, likewise; a whole number alone at the end of the line. The
last can be %D (microseconds), %{ms}T or Tomcat's %D (milliseconds), or %T: unless
the order of the first lines contradicts all units but one, its unit is not known,
its values are shown as microseconds and as milliseconds, and no objective is
judged on them until --unit or --log-format says what they are:

    --log-format '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %D'

takes any LogFormat as it stands in the configuration, with %{ms}T, %{us}T, %T,
%{begin:…}t and %{end:…}t in strftime's terms, %X, request ids and traceparent.
Jetty's CustomRequestLog has the same language and meanings, and is read so.

JSON and LTSV made by a LogFormat are recognised by %t, which keeps its brackets in
them, and by ltsv.org's reqtime_microsec; a unit in the name of the latency counts
(duration_us, response_time_ms). Others want --log-format, or --format apache.

Apache stamps a line with the start of its request (unless %{end:…}t is logged)
and writes it at the end, so lines are not in the order of their stamps. The clock
starts when the request line has been read: a request that waits for a worker is
not yet timed. %T is cut to whole seconds. Plain combined lines, without a latency,
are claimed by nginx, which writes the same.
`,
	Speaks: func(s string) bool {
		return log.IsLogFormat(s) && !log.IsTomcatFormat(s) && !log.IsVarnishFormat(s)
	},
	Claims: claims,
	Learn:  learn,
}

// clock is where Apache's clock starts: r->request_time is set when the request
// line has been read.
const clock = "request line read by a worker"

// claims tells whose a line is.
func claims(line []byte) log.Claim {
	var f log.Fields
	switch {
	case len(line) == 0:
		return log.Foreign
	case line[0] == '{':
		return claimsNamed("JSON", line)
	case aside(line):
		return log.Aside
	case slices.ContainsFunc(known, func(k log.Known) bool { return k.Pattern.Match(line, &f) }),
		log.Labelled(line) && claimsNamed("LTSV", line) == log.Own:
		return log.Own
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

// aside reports whether a line is one of the error log:
// "[Sun Nov 29 21:16:22.123456 2026] [core:notice] …".
func aside(line []byte) bool {
	if len(line) < 30 || line[0] != '[' || line[4] != ' ' {
		return false
	}
	end := bytes.IndexByte(line[:min(len(line), 40)], ']')
	if end < 0 {
		return false
	}
	var c log.Clock
	_, ok := c.Read(line[1:end])
	return ok
}

// assumed is the unit of a whole number of which nothing tells the unit: Apache's
// own %D, or the milliseconds of %{ms}T.
var assumed = log.Scale{Size: time.Microsecond, Other: time.Millisecond}

// layout returns how lines are to be understood.
func layout(name string, u log.Scale, opt ingest.Options) log.Layout {
	return u.Layout(ingest.Shape{Layout: name, Clock: clock, Stamp: ingest.StampStart}, ingest.Server, opt)
}
