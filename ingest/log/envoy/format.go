package envoy

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// Roles of Envoy's own.
const (
	roleProtocol = log.OwnRole + iota // %PROTOCOL%
	roleFlags                         // %RESPONSE_FLAGS%
	roleService                       // %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%
	roleTries                         // %UPSTREAM_REQUEST_ATTEMPT_COUNT%
)

// operators are those that are read, without their arguments. Source: "Command
// operators" of Envoy's access log docs.
var operators = map[string]log.Role{
	"START_TIME": log.Time, "START_TIME_LOCAL": log.Time, "PROTOCOL": roleProtocol, "RESPONSE_CODE": log.StatusCode,
	"RESPONSE_FLAGS": roleFlags, "RESPONSE_FLAGS_LONG": roleFlags, "DURATION": log.Latency, "COMMON_DURATION": log.Latency,
	"UPSTREAM_REQUEST_ATTEMPT_COUNT": roleTries, "UPSTREAM_HOST": log.UpstreamPeer, "TRACE_ID": log.TraceParent, "PATH": log.Target,
}

// headers are headers that are read, of the request or the answer.
var headers = map[string]log.Role{
	":METHOD": log.Method, ":PATH": log.Target, "X-ENVOY-ORIGINAL-PATH": log.Target, "X-ENVOY-UPSTREAM-SERVICE-TIME": roleService,
	"X-ENVOY-ATTEMPT-COUNT": roleTries, "X-REQUEST-ID": log.RequestID, "TRACEPARENT": log.TraceParent, "X-B3-TRACEID": log.TraceParent,
}

// parse takes a format apart, and returns the unit of its duration too, where
// that is stated.
func parse(s string) (parts []log.Part, unit time.Duration, err error) {
	if s = strings.Trim(strings.TrimSpace(s), "'"); s == "" {
		return nil, 0, errors.New("--log-format: nothing in it")
	}
	s = strings.TrimSuffix(strings.ReplaceAll(s, `\n`, "\n"), "\n")
	for s != "" {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			parts = append(parts, log.Part{Literal: s[:i]})
			s = s[i:]
			continue
		}
		if strings.HasPrefix(s, "%%") {
			parts = append(parts, log.Part{Literal: "%"})
			s = s[2:]
			continue
		}
		t, err := log.NextEnvoy(s)
		if err != nil {
			return nil, 0, err
		}
		role, u, err := means(t)
		if err != nil {
			return nil, 0, err
		}
		if role == log.Latency && unit == 0 {
			unit = u
		}
		parts = append(parts, log.Part{Role: role})
		s = s[t.Width:]
	}
	return parts, unit, nil
}

// means returns what an operator logs, and the unit where that is a duration
// that states it.
func means(t log.FormatToken) (role log.Role, unit time.Duration, err error) {
	switch t.Name {
	case "REQ", "RESP", "REQ_WITHOUT_QUERY":
		for _, name := range strings.Split(t.Arg, "?") { // the second where the first is not there
			if role := headers[strings.ToUpper(name)]; role != log.Skip {
				return role, 0, nil
			}
		}
		return log.Skip, 0, nil
	case "COMMON_DURATION":
		of := strings.Split(t.Arg, ":")
		if len(of) < 2 || of[0] != "DS_RX_BEG" || of[1] != "DS_TX_END" {
			return log.Skip, 0, nil // of a part of the request
		}
		unit = time.Millisecond
		if len(of) > 2 {
			if unit = map[string]time.Duration{"ms": time.Millisecond, "us": time.Microsecond, "ns": time.Nanosecond}[of[2]]; unit == 0 {
				return log.Skip, 0, fmt.Errorf("--log-format: %%COMMON_DURATION%% has no unit %s", of[2])
			}
		}
		return log.Latency, unit, nil
	}
	return operators[t.Name], 0, nil
}

// take takes what a pattern found.
func (x *fields) take(f *log.Fields) {
	*x = fields{
		stamp: f[log.Time], method: f[log.Method], path: f[log.Target], protocol: f[roleProtocol], status: f[log.StatusCode],
		flags: f[roleFlags], duration: f[log.Latency], service: f[roleService], tries: f[roleTries], id: f[log.RequestID],
		trace: f[log.TraceParent], host: f[log.UpstreamPeer], knowsMethod: f[log.Method] != nil,
	}
}
