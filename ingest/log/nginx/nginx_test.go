package nginx

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const ms = time.Millisecond

// The numbers are what a count by hand of the recorded lists gives, whatever
// the layout: 58 of the 528 are 200 : 200, an internal redirect and no retry.
func TestRetries(t *testing.T) {
	for _, file := range []string{"rt.log", "json.log", "upstreaminfo.log", "netdata.log"} {
		got := logtest.Read(t, Format, logtest.Load(t, "recorded/c_nginx_retries/"+file), ingest.Options{})
		requests, upstream, several, retried, tries, censored := 0, 0, 0, 0, 0, 0
		for i := range got.Samples {
			s := &got.Samples[i]
			requests++
			n := s.UpstreamTries()
			tries += n
			if n > 0 {
				upstream++
			}
			if n > 1 {
				several++
			}
			if s.Retries() > 0 {
				retried++
			}
			if s.Outcome == ingest.TimedOut || s.Outcome == ingest.Canceled {
				censored++
			}
		}
		want := [...]int{804, 702, 528, 470, 1523, 103} // 101 of 504, 2 of 499
		if got := [...]int{requests, upstream, several, retried, tries, censored}; got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}

// stamp returns the time stamp of an end-stamped line.
func stamp(s *ingest.Sample) time.Time {
	end := s.End
	if end == 0 {
		end = s.Start.Add(s.Latency)
	}
	return time.Unix(0, int64(end)).UTC()
}

const front = `203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET /a/17?q=1 HTTP/1.1" 200 41 `

func TestLines(t *testing.T) {
	at := ingest.Time(time.Date(2026, 11, 29, 20, 16, 22, 0, time.UTC).UnixNano())
	try := func(d time.Duration, status int, peer string) ingest.Attempt {
		return ingest.Attempt{Latency: d, Status: status, Peer: peer}
	}
	redirected := func(a ingest.Attempt) ingest.Attempt { a.Redirected = true; return a }
	id := "c75c99e2e1006adc7e55c1cd3c5cd6a4"
	for _, c := range []struct {
		name, line string
		latency    time.Duration
		tries      []ingest.Attempt
		request    string
	}{
		{"combined", front + `"-" "curl/7"`, ingest.NoLatency, nil, ""},
		{"request time", front + `"-" "curl/7" 1.500`, 1500 * ms, nil, ""},
		{"two times", front + `"-" "curl/7" 1.500 1.400`, 1500 * ms, []ingest.Attempt{try(1400*ms, 0, "")}, ""},
		{"quoted times", front + `"-" "curl/7" "1.500" "0.001" "1.300" "1.400"`, 1500 * ms, []ingest.Attempt{try(1400*ms, 0, "")}, ""},
		{"list only", front + `"-" "curl/7" 0.300, 0.200`, 500 * ms, []ingest.Attempt{try(300*ms, 0, ""), try(200*ms, 0, "")}, ""},
		{"no upstream", front + `"-" "curl/7" 0.010 -`, 10 * ms, nil, ""},
		{"peer and status", front + `"-" "curl/7" 0.010 0.009 "10.0.0.1:80" 200`, 10 * ms, []ingest.Attempt{try(9*ms, 200, "10.0.0.1:80")}, ""},
		{"keys", front + `"-" "Mozilla" rt=0.013 urt="0.005, 0.000, 0.007" ua="h:1, h:2, h:3" us="503, 502, 200"`, 13 * ms,
			[]ingest.Attempt{try(5*ms, 503, "h:1"), try(0, 502, "h:2"), try(7*ms, 200, "h:3")}, ""},
		{"redirect", front + `"-" "Mozilla" rt=0.007 urt="0.002 : 0.001, 0.003" us="200 : 502, 200"`, 7 * ms,
			[]ingest.Attempt{try(2*ms, 200, ""), redirected(try(1*ms, 502, "")), try(3*ms, 200, "")}, ""},
		{"the longest list counts", front + `"-" "Mozilla" rt=0.007 urt="0.002" us="502, -"`, 7 * ms,
			[]ingest.Attempt{try(2*ms, 502, ""), try(ingest.NoLatency, 0, "")}, ""},
		{"unquoted keys", front + `"-" "Mozilla" rt=0.007 urt=0.002, 0.003 cs=MISS`, 7 * ms, []ingest.Attempt{try(2*ms, 0, ""), try(3*ms, 0, "")}, ""},
		{"ingress", front + `"-" "curl/7" 201 0.006 [shop-web-8080] [] [2001:db8::2]:9200, unix:/run/x 0, 9 0.001, 0.004 502, 200 ` + id, 6 * ms,
			[]ingest.Attempt{try(1*ms, 502, "[2001:db8::2]:9200"), try(4*ms, 200, "unix:/run/x")}, id},
		{"ingress before 0.25", `203.0.113.9 - [203.0.113.9] - - [29/Nov/2026:21:16:22 +0100] "GET /a/17?q=1 HTTP/1.1" 200 41 "-" "curl/7" 201 0.006 [shop-web-8080] 10.0.0.1:80 9 0.004 200 ` + id, 6 * ms,
			[]ingest.Attempt{try(4*ms, 200, "10.0.0.1:80")}, id},
		{"ingress with host behind", front + `"-" "curl/7" 201 0.006 [shop-web-8080] 10.0.0.1:80 9 0.004 200 ` + id + ` shop.example []`, 6 * ms,
			[]ingest.Attempt{try(4*ms, 200, "10.0.0.1:80")}, id},
		{"ingress without upstream", front + `"-" "curl/7" 201 0.006 [] [] - - - - ` + id, 6 * ms, nil, id},
		{"kong", front + `"-" "curl/7" kong_request_id: "` + id + `"`, ingest.NoLatency, nil, id},
		{"kong with times", front + `"-" "curl/7" "0.004" "0.003" kong_request_id: "` + id + `"`, 4 * ms, []ingest.Attempt{try(3*ms, 0, "")}, id},
		{"ingress with the host in front", `shop.example ` + front + `"-" "curl/7" 201 0.006 [shop-web-8080] [] 10.0.0.1:80, 10.0.0.2:80 0, 9 0.001, 0.004 502, 200 ` + id, 6 * ms,
			[]ingest.Attempt{try(1*ms, 502, "10.0.0.1:80"), try(4*ms, 200, "10.0.0.2:80")}, id},
		{"ingress with the host in brackets in front", `[shop.example] ` + front + `"-" "curl/7" 201 0.006 [shop-web-8080] [] 10.0.0.1:80 9 0.004 200 ` + id, 6 * ms,
			[]ingest.Attempt{try(4*ms, 200, "10.0.0.1:80")}, id},
		{"times before the headers", front + `201 0.006 0.001, 0.004 "-" "curl/7"`, 6 * ms, []ingest.Attempt{try(1*ms, 0, ""), try(4*ms, 0, "")}, ""},
		{"forwarded for, times, pipe", front + `"-" "curl/7" "198.51.100.7, 10.0.0.9" 0.006 0.004 .`, 6 * ms, []ingest.Attempt{try(4*ms, 0, "")}, ""},
		{"redirects and retries", front + `"-" "curl/7" rt=0.009 uct="0.000 : -, 0.000, 0.001" uht="0.005 : 0.000, 0.004, 0.003" urt="0.005 : 0.000, 0.004, 0.003" us="200 : 502, 503, 200"`, 9 * ms,
			[]ingest.Attempt{try(5*ms, 200, ""), redirected(try(0, 502, "")), try(4*ms, 503, ""), try(3*ms, 200, "")}, ""},
		{"the upstream's clock is ahead", front + `"-" "curl/7" rt=1.997 urt="1.998" us="200"`, 1997 * ms, []ingest.Attempt{try(1998*ms, 200, "")}, ""},
		{"a gRPC trace in the tail", front + `"-" "grpc-go" rt=0.006 urt="0.004" traceparent="00-` + id + `-b7ad6b7169203331-01"`, 6 * ms, []ingest.Attempt{try(4*ms, 0, "")}, ""},
		{"JSON of which the upstream is empty", `{"time_iso8601":"2026-11-29T21:16:22+01:00","request":"GET /a/17 HTTP/1.1","status":200,"request_time":0.010,"upstream_response_time":"","upstream_status":""}`, 10 * ms, nil, ""},
		{"JSON with milliseconds since the epoch", `{"time_iso8601":"2026-11-29T21:16:22+01:00","msec":"1795983382.000","request":"GET /a/17 HTTP/1.1","status":200,"request_time":"0.010"}`, 10 * ms, nil, ""},
		{"host in front", `shop.example:443 ` + front + `"-" "curl/7" 0.010`, 10 * ms, nil, ""},
		{"stamp in front", `[29/Nov/2026:21:16:22 +0100] 203.0.113.9 - - "GET /a/17 HTTP/1.1" 200 41 "-" "curl/7" 0.010`, 10 * ms, nil, ""},
		{"user with blanks", `203.0.113.9 - John Doe [29/Nov/2026:21:16:22 +0100] "GET /a/17 HTTP/1.1" 200 41 "-" "curl/7" 0.010`, 10 * ms, nil, ""},
		{"JSON of strings", `{"time_local":"29/Nov/2026:21:16:22 +0100","request":"GET /a/17 HTTP/1.1","status":"200","request_time":"0.010","upstream_response_time":"0.001, 0.004","upstream_status":"502, 200"}`, 10 * ms,
			[]ingest.Attempt{try(1*ms, 502, ""), try(4*ms, 200, "")}, ""},
		{"JSON with members in objects", `{ "@timestamp": "29/Nov/2026:21:16:22 +0100", "@fields": { "request_uri": "\/a\/17?x=\"", "request_method":"GET", "status": 200, "request_time": 0.01 } }`, 10 * ms, nil, ""},
		{"JSON with a unit in the key", `{"time_local":"29/Nov/2026:21:16:22 +0100","request":"GET /a/17 HTTP/1.1","status":"200","request_time_ms":"10.5"}`, 10500 * time.Microsecond, nil, ""},
		{"LTSV", "time:[29/Nov/2026:21:16:22 +0100]\treq:GET /a/17 HTTP/1.1\tstatus:200\treqtime:0.010\tapptime:0.001, 0.004", 10 * ms, []ingest.Attempt{try(1*ms, 0, ""), try(4*ms, 0, "")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := logtest.One(t, Format, c.line, ingest.Options{})
			if s.Latency != c.latency || s.Request != c.request || s.Op != "GET /a/{id}" || s.Status != 200 || s.Vantage != ingest.Proxy {
				t.Errorf("%+v", s)
			}
			if len(s.Attempts) != len(c.tries) || len(c.tries) > 0 && !reflect.DeepEqual(s.Attempts, c.tries) {
				t.Errorf("tries %+v, want %+v", s.Attempts, c.tries)
			}
			if got := ingest.Time(stamp(s).UnixNano()); got != at {
				t.Errorf("stamp %v, want %v", got, at)
			}
			if Dialect.Claims([]byte(c.line)) != log.Own {
				t.Error("not claimed")
			}
		})
	}
}

func TestOutcomes(t *testing.T) {
	for status, want := range map[string]ingest.Outcome{"200": ingest.OK, "304": ingest.OK, "404": ingest.Failed, "499": ingest.Canceled, "502": ingest.Failed, "504": ingest.TimedOut, "444": ingest.Failed} {
		if s := logtest.One(t, Format, strings.Replace(front, " 200 ", " "+status+" ", 1)+`"-" "-" 0.100`, ingest.Options{}); s.Outcome != want || s.Latency != 100*ms {
			t.Errorf("%s: %v, %v", status, s.Outcome, s.Latency)
		}
	}
	for _, request := range []string{"", "-", `\x16\x03\x01\x02`, "GET", `\x22`} {
		line := strings.Replace(front, "GET /a/17?q=1 HTTP/1.1", request, 1)
		if s := logtest.One(t, Format, strings.Replace(line, " 200 ", " 400 ", 1)+`"-" "-" 0.100`, ingest.Options{}); s.Op != log.NoRequest || s.Outcome != ingest.Failed {
			t.Errorf("%q: %+v", request, s)
		}
	}
	if s := logtest.One(t, Format, strings.Replace(front, " 200 ", " 101 ", 1)+`"-" "-" 100.000`, ingest.Options{}); !s.Stream {
		t.Error("a websocket is no request")
	}
}

// What others write in the same frame is not claimed, though it can be read.
func TestForeign(t *testing.T) {
	for _, line := range []string{
		front + `"-" "curl/7" 5376`,
		front + `1736`,
		front + `"-" "curl/7" **0/5376** + 0`,
		front + `"-" "Nikto" 240 "test@docker" "http://172.17.0.3:80" 0ms`,
		front + `"-" "curl/7" 0.005376`,
		`www.example.com 203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] (0 s) "GET / HTTP/1.1" 301 368 "-" "Mozilla"`,
		`{"time_local":"29/Nov/2026:21:20:31.532","frontend":"fe","method":"GET","uri":"/","status":200,"TR":0,"Ta":6}`,
		`{"level":"info","ts":1.5,"msg":"handled request","request":{"method":"GET","uri":"/"},"duration":0.004,"status":200}`,
		"time:29/Nov/2026:21:16:22 +0100\treq:GET / HTTP/1.1\tstatus:200\treqtime_microsec:5376",
		"Unmatched! The rat the cat",
		"",
	} {
		if got := Dialect.Claims([]byte(line)); got != log.Foreign {
			t.Errorf("%s: %v", line, got)
		}
	}
	for _, line := range []string{"2026/11/29 21:19:12 [notice] 9346#9346: exit", "/docker-entrypoint.sh: Configuration complete; ready for start up"} {
		if got := Dialect.Claims([]byte(line)); got != log.Aside {
			t.Errorf("%s: %v", line, got)
		}
	}
	unclaimed := logtest.Load(t, "nginx/netdata_full_unmatched.log")
	if near := Format.Near(unclaimed); !strings.Contains(near, "--log-format") {
		t.Errorf("near: %q", near)
	}
	if near := Format.Near([]byte(front + "\nx\nx\nx\n")); near != "1 of the first 4 lines are its requests; --format nginx reads them" {
		t.Errorf("near: %q", near)
	}
	if head := logtest.Load(t, "recorded/c_nginx_retries/error.log"); Format.Sniff(head[:ingest.HeadSize]) {
		t.Error("an error log is no access log")
	}
}

func TestLogFormat(t *testing.T) {
	line := `2026-11-29T21:16:22+01:00|GET|/a/17?x=1|200|0.013|0.005, 0.007|shop.example/x`
	for _, f := range []string{
		`$time_iso8601|$request_method|$request_uri|$status|$request_time|$upstream_response_time|$host$uri`,
		`log_format piped escape=json '$time_iso8601|$request_method|' '${request_uri}|$status|'
			"$request_time|$upstream_response_time|$host$uri";`,
	} {
		s := logtest.One(t, Format, line, ingest.Options{LogFormat: f})
		if s.Op != "GET /a/{id}" || s.Latency != 13*ms || len(s.Attempts) != 2 || s.Retries() != 1 {
			t.Errorf("%+v", s)
		}
	}
	tabs := logtest.One(t, Format, "29/Nov/2026:21:16:22 +0100\t/a/17\t0.013", ingest.Options{LogFormat: `'$time_local\t$uri\t$request_time'`})
	if tabs.Op != "ANY /a/{id}" || tabs.Latency != 13*ms {
		t.Errorf("%+v", tabs)
	}
	got := logtest.Read(t, Format, []byte(front+"\n"), ingest.Options{LogFormat: `$request_time $status`})
	if len(got.Samples) != 0 || len(got.Problems) != 1 || !errors.Is(got.Problems[0], log.ErrFormat) {
		t.Errorf("%v, %v", got.Samples, got.Problems)
	}
	for _, bad := range []string{`${request_time`, `$ x`, `$remote_addr`, `'$status`} {
		for _, err := range Format.Read(strings.NewReader(front), ingest.Input{Options: ingest.Options{LogFormat: bad}}) {
			if err == nil {
				t.Errorf("%q is no format", bad)
			}
		}
	}
	if !Format.Speaks(`$status`) || Format.Speaks(`%h %l`) {
		t.Error("the wrong language")
	}
}

// Without keys the order of two times is told by which is the longer.
func TestSwapped(t *testing.T) {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "%s\"-\" \"-\" 0.%03d 0.%03d\n", front, i, i+2)
	}
	fmt.Fprintf(&b, "%s\"-\" \"-\" 0.100 1.500\n", front)
	got := logtest.Read(t, Format, []byte(b.String()), ingest.Options{})
	if s := got.Samples[20]; s.Latency != 1500*ms || s.Attempts[0].Latency != 100*ms {
		t.Errorf("%+v", s)
	}
	if got.Log.Shapes[0].Layout != `$_ [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $upstream_response_time $request_time` {
		t.Error(got.Log.Shapes[0].Layout)
	}
}

// A part reads as it would in the whole, wherever the input is cut.
func TestSplit(t *testing.T) {
	for _, file := range []string{"nginx/alp_combined_access.log", "nginx/crowdsec_npm_mixed.log", "kubernetes/crowdsec_ingress_cri.log", "nginx/netdata_full_unmatched.log",
		"kubernetes/beats_ingress_nginx_lists.log", "docker/crowdsec_ingress_dockerjson.log", "mixed/nginx_haproxysyslog_json_interleaved.log", "recorded/c_nginx_retries/rt.log"} {
		logtest.Split(t, Format, logtest.Load(t, file), ingest.Options{})
	}
}

// Two formats in turn: what is not nginx's is counted, and nothing else is lost.
func TestMixed(t *testing.T) {
	got := logtest.Read(t, Format, logtest.Load(t, "mixed/nginx_haproxysyslog_json_interleaved.log"), ingest.Options{})
	if len(got.Samples) != 600 || len(got.Problems) != 300 {
		t.Errorf("%d requests, %d unread", len(got.Samples), len(got.Problems))
	}
}

// A time with another unit than seconds behind it is not nginx's: Express's morgan
// has milliseconds with three decimals at the end of such lines.
func TestOtherUnits(t *testing.T) {
	const combined = `203.0.113.9 - - [29/Nov/2026:21:16:22 +0000] "GET /a HTTP/1.1" 200 41 "-" "curl/7" `
	for tail, want := range map[string]log.Claim{
		"- 12.345 ms": log.Foreign, "12.345 ms": log.Foreign, `"12.345 ms"`: log.Foreign, "12.345 msec": log.Foreign, "12.345 µs": log.Foreign, "rt=12.345 ms": log.Foreign,
		"12.345": log.Own, "0.250 s": log.Own, "12.345 sec": log.Own, `"ms"`: log.Own, "0.250 0.249 .": log.Own,
	} {
		if got := Dialect.Claims([]byte(combined + tail)); got != want {
			t.Errorf("%s: %v", tail, got)
		}
		got := logtest.Read(t, Format, []byte(strings.Repeat(combined+tail+"\n", 3)), ingest.Options{})
		for i := range got.Samples { // --format nginx
			if s := &got.Samples[i]; want == log.Foreign && s.Latency != ingest.NoLatency {
				t.Errorf("%s: %+v", tail, s)
			}
		}
	}
}
