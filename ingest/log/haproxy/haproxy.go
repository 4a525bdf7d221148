// Package haproxy reads logs of HAProxy: option httplog, httpslog and tcplog,
// their CLF variants, JSON made by a log-format, and any other log-format that
// is given.
package haproxy

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is a log of HAProxy.
var Dialect = log.Dialect{
	Name: "haproxy",
	Doc: `Logs of HAProxy

A line for every request, as "option httplog" or "option httpslog" writes it, raw or
behind a syslog header; "option httplog clf"; a log-format that makes JSON:

    defaults
        option httplog
        log stdout format raw local0

    log-format '{"time_local":"%tr","backend":"%b","server":"%s","method":"%HM","uri":"%HU","status":%ST,"TR":%TR,"Tw":%Tw,"Tc":%Tc,"Tr":%Tr,"Ta":%Ta,"termination_state":"%tsc","retries":"%rc"}'

JSON is recognised by a termination state beside a timer, under the names of the
variables (TR, Tw, Ta) or those of the manual and of collectors (time_queue,
time_active). Any other log-format is given as it stands in the configuration:
--log-format '…'.

Times are milliseconds. The latency is Ta, from the first byte of the request to the
last byte of the answer; up to HAProxy 1.6 it is Tt, at the same place of the line,
in which the client's pauses on a kept connection count too. Tw is the wait in the
queues of backend and server; it also holds the waits between tries to connect, and
the time in Lua, SPOE and resolvers. Phases that were never reached are -1: those
requests have failed and stay in, with what they took until then. Termination states
tell how a request ended: with s it timed out and with C the client left, so that
its latency is a lower bound. Retries count as tries where a server was tried; behind
a + the last went to another server. With "option logasap" a latency is marked with
+, and ends with the headers of the answer.

Lines are stamped with the start of their request, in the local time of HAProxy and
without a zone: give --tz where that is not UTC. They are written at the end, so they
are not in the order of their stamps. Lines of "option tcplog" are connections, which
take part in no percentile of requests. Notices, and connections that failed before a
request, are passed over.
`,
	Speaks: log.IsHAProxyFormat,
	Claims: claims,
	Near:   near,
	Learn:  learn,
}

// near says what is missing of lines in the frame of httplog with fields of
// their own.
func near(line []byte) string {
	var x fields
	if x.scan(line) != errUnknown {
		return ""
	}
	return "the lines have fields that HAProxy's own formats have not; give --log-format"
}

// claims tells whose a line is.
func claims(line []byte) log.Claim {
	if len(line) == 0 {
		return log.Foreign
	}
	var x fields
	switch {
	case line[0] == '{':
		if r := newReader(&plan{}); r.walk(line, &x) && x.own {
			return log.Own
		}
	case x.scan(line) == nil:
		return log.Own
	case aside(line):
		return log.Aside
	default:
		var f log.Fields
		if isCLF(line, &f) {
			return log.Own
		}
	}
	return log.Foreign
}

// notices are how lines begin that HAProxy writes beside its requests.
var notices = [][]byte{
	[]byte("Proxy "), []byte("Server "), []byte("Backup Server "), []byte("backend "), []byte("Stopping "), []byte("Pausing "), []byte("Health check for "),
	[]byte("[NOTICE] "), []byte("[WARNING] "), []byte("[ALERT] "), []byte("Connect from "),
}

// endings are texts in such a line, by the words that it begins with.
var endings = [][]byte{
	[]byte(" started."), []byte(" stopped"), []byte(" is UP"), []byte(" is DOWN"), []byte(" is going DOWN"), []byte(" has no server available"),
	[]byte(" in 0 ms."), []byte("succeeded"), []byte("failed"), []byte(" maintenance"), []byte("drain"), []byte("READY"), []byte(" : "), []byte("/HTTP)"), []byte("/TCP)"),
}

// aside reports whether a line is what HAProxy says beside its requests: a
// notice, or why a connection never became a request ("client:port [stamp]
// frontend/listener: SSL handshake failure").
func aside(line []byte) bool {
	for _, n := range notices {
		if bytes.HasPrefix(line, n) {
			for _, e := range endings {
				if bytes.Contains(line, e) {
					return true
				}
			}
			return false
		}
	}
	open := bytes.IndexByte(line[:min(len(line), 64)], '[')
	if open < 4 || len(line) < open+stampLen+8 || line[open+stampLen+1] != ']' || !isStamp(line[open+1:open+1+stampLen]) {
		return false
	}
	rest := line[open+stampLen+3:]
	end := bytes.IndexByte(rest, ' ')
	return end > 1 && rest[end-1] == ':' && bytes.IndexByte(rest[:end], '/') > 0
}
