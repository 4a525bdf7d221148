// Package envoy reads access logs of Envoy and of what is built on it: Istio,
// Envoy Gateway, Contour, Emissary.
package envoy

import (
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is an access log of Envoy.
var Dialect = log.Dialect{
	Name: "envoy",
	Doc: `Access logs of Envoy, Istio and Envoy Gateway

A line for every request, in Envoy's default text, in Istio's longer one (all its
generations), or as JSON: Istio's, Envoy Gateway's, Mixer's (with "latency":
"471.475µs"), and other objects whose members are named so that response flags, or
two of Envoy's own facts (route_name, upstream_cluster, response_code_details, …),
are among them. To have the number of tries as well:

    accessLogFile: /dev/stdout
    accessLogEncoding: JSON
    accessLogFormat: '{"start_time":"%START_TIME%","method":"%REQ(:METHOD)%","path":"%REQ(:PATH)%","response_code":"%RESPONSE_CODE%","response_flags":"%RESPONSE_FLAGS%","duration":"%DURATION%","upstream_request_attempt_count":"%UPSTREAM_REQUEST_ATTEMPT_COUNT%","request_id":"%REQ(X-REQUEST-ID)%"}'

Any other text is given as it stands in the configuration: --log-format '…'.

Lines are stamped with the start of the request, in UTC. %DURATION% is milliseconds
from there to the last byte of the answer sent, cut to whole ones; %COMMON_DURATION%
in its own unit. x-envoy-upstream-service-time is not the time of the last try: it
runs from the whole request read to the headers of the answer, with all tries and
the waits between them, and is taken for a try only where there was one. Only the
last upstream host is logged, so the tries of a request are a number. The flags UT,
SI, DT and UMSDR mean that it timed out and DC that the client left: its latency is
a lower bound. Without a method and a status a line is a TCP connection, which takes
part in no percentile of requests.
`,
	Speaks: log.IsEnvoyFormat,
	Claims: claims,
	Learn:  learn,
}

// claims tells whose a line is.
func claims(line []byte) log.Claim {
	if len(line) < 8 {
		return log.Foreign
	}
	var x fields
	switch c := line[0]; {
	case c == '{':
		if r := newReader(&plan{}); r.walk(line, &x) && x.own() {
			return log.Own
		}
	case c == '[', c == 'A':
		if x.scan(line) == nil {
			return log.Own
		}
	case c-'0' <= 9:
		if object := mixer(line, &x); object != nil {
			if r := newReader(&plan{}); r.walk(object, &x) && x.own() {
				return log.Own
			}
		}
	}
	return log.Foreign
}
