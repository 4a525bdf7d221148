package log_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/apache"
	"github.com/tailcheck/tailcheck/ingest/log/applog"
	"github.com/tailcheck/tailcheck/ingest/log/aws"
	"github.com/tailcheck/tailcheck/ingest/log/azure"
	"github.com/tailcheck/tailcheck/ingest/log/caddy"
	"github.com/tailcheck/tailcheck/ingest/log/cloudflare"
	"github.com/tailcheck/tailcheck/ingest/log/envoy"
	"github.com/tailcheck/tailcheck/ingest/log/gcp"
	"github.com/tailcheck/tailcheck/ingest/log/gotrace"
	"github.com/tailcheck/tailcheck/ingest/log/gunicorn"
	"github.com/tailcheck/tailcheck/ingest/log/haproxy"
	"github.com/tailcheck/tailcheck/ingest/log/heroku"
	"github.com/tailcheck/tailcheck/ingest/log/jvm"
	"github.com/tailcheck/tailcheck/ingest/log/kong"
	"github.com/tailcheck/tailcheck/ingest/log/lambda"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
	"github.com/tailcheck/tailcheck/ingest/log/nginx"
	"github.com/tailcheck/tailcheck/ingest/log/openstack"
	"github.com/tailcheck/tailcheck/ingest/log/pgbouncer"
	"github.com/tailcheck/tailcheck/ingest/log/postgres"
	"github.com/tailcheck/tailcheck/ingest/log/rails"
	"github.com/tailcheck/tailcheck/ingest/log/squid"
	"github.com/tailcheck/tailcheck/ingest/log/tomcat"
	"github.com/tailcheck/tailcheck/ingest/log/traefik"
	"github.com/tailcheck/tailcheck/ingest/log/uwsgi"
)

// samples are a line of each dialect whose entries are lines, and what it says.
var samples = []struct {
	dialect log.Dialect
	line    string
	op      string
	latency time.Duration
	status  int
	outcome ingest.Outcome
}{
	{nginx.Dialect, line, "GET /a/{id}", 250 * time.Millisecond, 200, ingest.OK},
	{nginx.Dialect, `{"time_iso8601":"2026-11-29T21:16:22+01:00","request_method":"GET","request_uri":"/a/12","status":502,"request_time":0.301,"upstream_response_time":null}`, "GET /a/{id}", 301 * time.Millisecond, 502, ingest.Failed},
	{apache.Dialect, `203.0.113.9 - - [29/Nov/2026:21:16:20 +0000] "GET /a/12 HTTP/1.1" 200 41 "-" "curl/7" **1/1250123**`, "GET /a/{id}", 1250123 * time.Microsecond, 200, ingest.OK},
	{haproxy.Dialect, `203.0.113.9:33317 [06/Feb/2026:12:14:14.655] http-in~ static/<NOSRV> 0/5000/-1/-1/5000 503 212 - - sQ-- 1/1/1/1/0 10/2 "GET /a/12 HTTP/1.1"`, "GET /a/{id}", 5 * time.Second, 503, ingest.TimedOut},
	{envoy.Dialect, `[2026-11-29T21:16:22.310Z] "GET /a/12 HTTP/1.1" 504 UT 0 24 15001 - "-" "curl" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "x" "10.0.2.1:80"`, "GET /a/{id}", 15001 * time.Millisecond, 504, ingest.TimedOut},
	{traefik.CLF, `203.0.113.9 - - [29/Nov/2026:21:16:22 +0000] "GET /a/12 HTTP/1.1" 499 21 "-" "-" 7 "api@docker" "http://10.1.0.2:80" 30001ms`, "GET /a/{id}", 30001 * time.Millisecond, 499, ingest.Canceled},
	{traefik.JSON, `{"DownstreamStatus":502,"Duration":30012345678,"RequestMethod":"GET","RequestPath":"/a/12","RetryAttempts":2,"RouterName":"r","StartUTC":"2026-11-29T21:16:22.123456789Z","level":"info","msg":"","time":"2026-11-29T22:16:52+01:00"}`, "GET /a/{id}", 30012345678, 502, ingest.Failed},
	{caddy.Dialect, `{"level":"info","ts":1795983382.1234567,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"203.0.113.9","proto":"HTTP/2.0","method":"GET","host":"x","uri":"/a/12?b=c","headers":{}},"duration":0.002,"size":12,"status":200}`, "GET /a/{id}", 2 * time.Millisecond, 200, ingest.OK},
	{kong.Dialect, `{"latencies":{"request":515,"kong":58,"proxy":457},"service":{"host":"x"},"request":{"uri":"/a/12","method":"GET"},"tries":[{"port":80,"ip":"127.0.0.1"}],"response":{"status":200},"started_at":1433209822425}`, "GET /a/{id}", 515 * time.Millisecond, 200, ingest.OK},
	{squid.Dialect, `1795986982.603  30010 203.0.113.9 TCP_MISS_ABORTED/000 0 GET http://shop.example/a/12 - HIER_DIRECT/192.0.2.4 -`, "GET /a/{id}", 30010 * time.Millisecond, 0, ingest.Canceled},
	{aws.ALB, `http 2026-11-29T22:23:00.186641Z app/lb/50dc6c495c0c9188 203.0.113.9:2817 10.0.0.1:80 0.000 -1 -1 504 - 34 366 "GET http://shop.example:80/a/12 HTTP/1.1" "curl/7" - - arn:aws:x "Root=1-58337262-36d228ad5d99923122bbe354" "-" "-" 0 2026-11-29T22:22:59.186641Z "forward" "-" "-" "10.0.0.1:80" "-" "-" "-"`, "GET /a/{id}", time.Second, 504, ingest.TimedOut},
	{aws.ELB, `2026-11-29T23:39:43.945958Z lb 203.0.113.9:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 "GET http://shop.example:80/a/12 HTTP/1.1" "curl/7" - -`, "GET /a/{id}", 1178 * time.Microsecond, 200, ingest.OK},
	{gcp.Dialect, `{"httpRequest":{"latency":"1.5s","requestMethod":"GET","requestUrl":"https://shop.example/a/12?b","status":502},"jsonPayload":{"statusDetails":"backend_timeout"},"resource":{"type":"http_load_balancer"},"timestamp":"2026-11-29T21:16:22.123456Z"}`, "GET /a/{id}", 1500 * time.Millisecond, 502, ingest.TimedOut},
	{azure.Dialect, `{"resourceId":"/X/APPLICATIONGATEWAYS/Z","operationName":"ApplicationGatewayAccess","category":"ApplicationGatewayAccessLog","timeStamp":"2026-11-29T21:16:22+00:00","properties":{"httpMethod":"GET","requestUri":"/a/12","httpStatus":504,"timeTaken":20.005,"serverRouted":"10.0.0.1:80","serverStatus":"504","serverResponseLatency":"20.001"}}`, "GET /a/{id}", 20005 * time.Millisecond, 504, ingest.TimedOut},
	{cloudflare.Dialect, `{"ClientRequestMethod":"GET","ClientRequestURI":"/a/12","EdgeEndTimestamp":1795983383123456789,"EdgeResponseStatus":524,"EdgeStartTimestamp":1795983382123456789,"RayID":"3a6050bcbe121a87"}`, "GET /a/{id}", time.Second, 524, ingest.TimedOut},
	{heroku.Dialect, `2026-11-29T21:16:22.123456+00:00 heroku[router]: at=error code=H12 desc="Request timeout" method=GET path="/a/12" host=x fwd="203.0.113.9" dyno=web.1 connect=0ms service=30000ms status=503 bytes=0 protocol=https`, "GET /a/{id}", 30 * time.Second, 503, ingest.TimedOut},
	{heroku.Dialect, `2026-11-29T21:16:22.123456+00:00 heroku[router]: sock=client at=warning code=H27 desc="Client Request Interrupted" method=GET path="/a/12" host=x fwd="203.0.113.9" dyno=web.1 connect=1ms service=7ms status=499 bytes=0`, "GET /a/{id}", 8 * time.Millisecond, 499, ingest.Canceled},
	{tomcat.Dialect, `203.0.113.9 - - [29/Nov/2026:21:16:22 +0000] "GET /a/12 HTTP/1.1" 200 41 http-nio-8080-exec-7 1503`, "GET /a/{id}", 1503 * time.Millisecond, 200, ingest.OK},
	{uwsgi.Dialect, `[pid: 1234|app: 0|req: 7/77] 203.0.113.9 () {34 vars in 400 bytes} [Sun Nov 29 21:16:22 2026] GET /a/12 => generated 41 bytes in 129 msecs (HTTP/1.1 500) 2 headers in 79 bytes (1 switches on core 0)`, "GET /a/{id}", 129 * time.Millisecond, 500, ingest.Failed},
	{gunicorn.Dialect, `203.0.113.9 - - [29/Nov/2026:21:16:22 +0000] "GET /a/12 HTTP/1.1" 200 41 "-" "curl/7" 0.250123 <77>`, "GET /a/{id}", 250123 * time.Microsecond, 200, ingest.OK},
	{openstack.Dialect, `2026-11-29 21:16:22.123 2931 INFO nova.osapi_compute.wsgi.server [req-38101a0b-2096-447d-96ea-a692162415ae x y - - -] 10.11.10.1 "GET /a/12 HTTP/1.1" status: 200 len: 1893 time: 0.25`, "GET /a/{id}", 250 * time.Millisecond, 200, ingest.OK},
	{rails.Lograge, `method=GET path=/a/12 format=html controller=FooController action=show status=500 error='x' duration=58.33 view=0.00 db=0.00`, "GET /a/{id}", 58330 * time.Microsecond, 500, ingest.Failed},
	{lambda.Dialect, "REPORT RequestId: 8f507cfc-1d2e-4697-b07a-ac58fc914c95\tDuration: 3008.15 ms\tBilled Duration: 3000 ms\tMemory Size: 128 MB\tMax Memory Used: 128 MB\t", "invoke", 3008150 * time.Microsecond, 0, ingest.TimedOut},
	{pgbouncer.Dialect, `2026-11-29 21:16:22.123 UTC [1] LOG stats: 12 xacts/s, 34 queries/s, 0 client parses/s, in 100 B/s, out 200 B/s, xact 12345 us, query 6789 us, wait 8672 us`, "pool wait (average)", ingest.NoLatency, 0, ingest.OK},
	{postgres.Dialect, `2026-11-29 21:16:22.123 CET [1234] LOG:  duration: 2005.401 ms  statement: SELECT * FROM orders WHERE id = 7`, "SELECT orders", 2005401 * time.Microsecond, 0, ingest.OK},
	{jvm.Dialect, `[2026-11-29T21:16:22.123+0000][1.234s][info][gc] GC(4) Pause Full (System.gc()) 389M->326M(2048M) 496.191ms`, "Pause Full (System.gc())", 496191 * time.Microsecond, 0, ingest.OK},
	{gotrace.Dialect, `gc 9 @77.204s 0%: 0.38+44+5.8 ms clock, 3.0+0/1+46 ms cpu, 4->4->1 MB, 5 MB goal, 0 MB stacks, 0 MB globals, 8 P`, "GC", 6180 * time.Microsecond, 0, ingest.OK},
	{applog.Dialect, `::1 - - [29/Nov/2026:21:16:22 +0000] "GET /a/12 HTTP/1.1" 504 13 "-" "curl" - 12.345 ms`, "GET /a/{id}", 12345 * time.Microsecond, 504, ingest.TimedOut},
	{applog.Dialect, `{"time":"2026-11-29T21:16:22.5Z","level":"INFO","msg":"x","method":"GET","path":"/a/12","status":503,"duration":9220000}`, "GET /a/{id}", 9220 * time.Microsecond, 503, ingest.Failed},
}

// wrappers put something around a line, as runtimes, collectors and terminals do.
var wrappers = map[string]func(line string) string{
	"nothing":       func(l string) string { return l },
	"CR":            func(l string) string { return l + "\r" },
	"blanks behind": func(l string) string { return l + "  " },
	"BOM":           func(l string) string { return "\xef\xbb\xbf" + l },
	"NULs":          func(l string) string { return "\x00\x00\x00" + l },
	"colours":       func(l string) string { return "\x1b[32m" + l + "\x1b[0m" },
	"CRI":           func(l string) string { return "2026-11-29T21:16:22.000000001Z stdout F " + l },
	"CRI, zone":     func(l string) string { return "2026-11-29T21:16:22.000000001+01:00 stderr F " + l },
	"docker": func(l string) string {
		return `{"log":` + quoted(l+"\n") + `,"stream":"stdout","time":"2026-11-29T21:16:22.5Z"}`
	},
	"docker compose": func(l string) string { return "web-1  | " + l },
	"compose, time":  func(l string) string { return "web-1  | 2026-11-29T21:16:22.000000001Z " + l },
	"kubectl":        func(l string) string { return "[pod/shop-7d4b9c/web] " + l },
	"syslog":         func(l string) string { return "<142>Nov 29 21:16:22 lb-1 app[33]: " + l },
	"journalctl":     func(l string) string { return "2026-11-29T21:16:22+0100 lb-1 app[33]: " + l },
	"RFC 5424":       func(l string) string { return "<142>1 2026-11-29T21:16:22.123456Z lb-1 app 3 - - " + l },
	"journald, JSON": func(l string) string {
		return `{"__REALTIME_TIMESTAMP":"1795983382123456","_PID":"1","MESSAGE":` + quoted(l) + `}`
	},
	"fluentd": func(l string) string {
		return `{"@timestamp":"2026-11-29T21:16:22.123Z","stream":"stdout","log":` + quoted(l) + `}`
	},
	"filebeat": func(l string) string {
		return `{"@timestamp":"2026-11-29T21:16:22.123Z","message":` + quoted(l) + `,"log":{"offset":1},"input":{"type":"log"}}`
	},
	"Cloud Logging": func(l string) string {
		return `{"textPayload":` + quoted(l) + `,"insertId":"x","timestamp":"2026-11-29T21:16:22.123456Z","severity":"INFO"}`
	},
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// Whatever stands around the lines of a log, one format claims it, and they say
// the same as without.
func TestWrappedLines(t *testing.T) {
	seen := map[string]bool{}
	var dialects []log.Dialect
	for i := range samples {
		if d := samples[i].dialect; !seen[d.Name] {
			seen[d.Name] = true
			dialects = append(dialects, d)
		}
	}
	formats := log.Formats(dialects...)
	for i := range samples {
		s := &samples[i]
		for name, wrap := range wrappers {
			data := []byte(wrap(s.line) + "\n" + wrap(s.line) + "\n")
			var f *ingest.Format
			for j := range formats {
				x := &formats[j]
				switch {
				case !x.Sniff(data):
				case f == nil || x.General < f.General:
					f = x
				case x.General == f.General:
					t.Errorf("%s around %s: %s claims it, too", name, s.dialect.Name, x.Name)
				}
			}
			if f == nil || f.Name != s.dialect.Name {
				t.Errorf("%s around %s: %v claims it", name, s.dialect.Name, f)
				continue
			}
			got := logtest.Read(t, *f, data, ingest.Options{Zone: time.UTC})
			var said []string
			for k := range got.Samples {
				x := &got.Samples[k]
				said = append(said, fmt.Sprint(x.Op, x.Latency, x.Status, x.Outcome))
			}
			for k := range got.Pauses {
				said = append(said, fmt.Sprint(got.Pauses[k].Op, got.Pauses[k].Length, 0, ingest.OK))
			}
			want := fmt.Sprint(s.op, s.latency, s.status, s.outcome)
			if len(said) != 2 || said[0] != want || said[1] != want || len(got.Problems) > 0 {
				t.Errorf("%s around %s: %q, want %q; %v", name, s.dialect.Name, said, want, got.Problems)
			}
		}
	}
}
