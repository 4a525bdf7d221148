package nginx

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

const (
	seconds     = time.Second
	millisecond = time.Millisecond
)

// variables are those that are read; all others are passed over. Sources:
// ngx_http_log_module, ngx_http_core_module, ngx_http_upstream_module; those of
// ingress-nginx ($req_id) and Kong.
var variables = map[string]log.Role{
	"time_local": log.Time, "time_iso8601": log.Time, "msec": log.Epoch,
	"request": log.Request, "request_method": log.Method, "request_uri": log.Target, "uri": log.Target, "document_uri": log.Target,
	"status": log.StatusCode, "request_time": log.Latency,
	"upstream_response_time": log.Upstream, "upstream_status": log.UpstreamStatus, "upstream_addr": log.UpstreamPeer,
	"upstream_connect_time": log.UpstreamOther, "upstream_header_time": log.UpstreamOther2,
	"request_id": log.RequestID, "req_id": log.RequestID, "kong_request_id": log.RequestID, "http_x_request_id": log.RequestID,
	"http_traceparent": log.TraceParent, "opentelemetry_trace_id": log.TraceParent, "otel_trace_id": log.TraceParent,
}

// parse returns the parts of a format string, which may stand in its whole
// directive: log_format NAME [escape=…] 'piece' 'piece';
func parse(s string) (parts []log.Part, err error) {
	if s, err = unwrap(strings.TrimSpace(s)); err != nil {
		return nil, err
	}
	for s != "" {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			return append(parts, log.Part{Literal: s}), nil
		}
		if i > 0 {
			parts = append(parts, log.Part{Literal: s[:i]})
		}
		s = s[i+1:]
		braces := strings.HasPrefix(s, "{")
		s = strings.TrimPrefix(s, "{")
		n := 0
		for n < len(s) && (s[n] == '_' || s[n]-'0' <= 9 || s[n]|0x20-'a' < 26) {
			n++
		}
		name := s[:n]
		s = s[n:]
		if braces {
			if !strings.HasPrefix(s, "}") {
				return nil, fmt.Errorf("--log-format: ${%s is not closed", name)
			}
			s = s[1:]
		}
		if name == "" {
			return nil, errors.New("--log-format: a $ without the name of a variable")
		}
		parts = append(parts, log.Part{Role: variables[name], List: strings.HasPrefix(name, "upstream_")})
	}
	return parts, nil
}

// unwrap returns the format in a directive log_format, or s.
func unwrap(s string) (out string, err error) {
	directive := strings.HasPrefix(s, "log_format")
	if !directive && !strings.HasPrefix(s, "'") {
		return log.Unquote(s), nil
	}
	s = strings.TrimSuffix(s, ";")
	for n := 0; s != ""; n++ {
		quoted := s[0] == '\'' || s[0] == '"'
		var word string
		if word, s, err = log.CutWord(s); err != nil {
			return "", err
		}
		if quoted || !directive || n > 1 && !strings.HasPrefix(word, "escape=") {
			out += word
		}
	}
	return out, nil
}

// compile makes a pattern of the parts of a format.
func compile(name string, parts []log.Part, opt ingest.Options) (log.Known, error) {
	p, err := log.Compile(parts)
	if err != nil {
		return log.Known{}, fmt.Errorf("--log-format: %w", err)
	}
	return log.Known{Pattern: p, Layout: layout(name, p.Has(log.Latency), p.Has(log.Upstream), opt)}, nil
}

// proxyManager are the two formats of Nginx Proxy Manager, which has the request in
// pieces and no times.
var proxyManager = []log.Known{
	known(`[$time_local] $upstream_cache_status $upstream_status $status - $request_method $scheme $host "$request_uri" [Client $remote_addr] [Length $body_bytes_sent] [Gzip $gzip_ratio] [Sent-to $server] "$http_user_agent" "$http_referer"`),
	known(`[$time_local] $status - $request_method $scheme $host "$request_uri" [Client $remote_addr] [Length $body_bytes_sent] [Gzip $gzip_ratio] "$http_user_agent" "$http_referer"`),
}

func known(format string) log.Known {
	parts, err := parse(format)
	if err != nil {
		panic(err)
	}
	c, err := compile(format, parts, ingest.Options{})
	if err != nil {
		panic(err)
	}
	return c
}
