package log_test

import (
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/apache"
	"github.com/tailcheck/tailcheck/ingest/log/gunicorn"
	"github.com/tailcheck/tailcheck/ingest/log/nginx"
	"github.com/tailcheck/tailcheck/ingest/log/openstack"
	"github.com/tailcheck/tailcheck/ingest/log/tomcat"
	"github.com/tailcheck/tailcheck/ingest/log/traefik"
	"github.com/tailcheck/tailcheck/ingest/log/uwsgi"
	"github.com/tailcheck/tailcheck/ingest/log/varnish"
)

// family are the dialects in the common log format and near it.
var family = []log.Dialect{nginx.Dialect, apache.Dialect, tomcat.Dialect, varnish.Dialect, traefik.CLF, gunicorn.Dialect, uwsgi.Dialect, openstack.Dialect}

// owner names who claims a line; two are an error.
func owner(t *testing.T, line string) (name string) {
	t.Helper()
	for _, d := range family {
		if d.Claims([]byte(line)) == log.Own {
			if name != "" {
				t.Errorf("%s: claimed by %s and %s", line, name, d.Name)
			}
			name = d.Name
		}
	}
	return name
}

// Each line has one owner at most, whatever stands in its tail.
func TestFamily(t *testing.T) {
	front := `203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET /a/17?q=1 HTTP/1.1" 200 41 `
	for line, want := range map[string]string{
		front[:len(front)-1]:                                "nginx", // common
		front + `"-" "curl"`:                                "nginx", // combined
		front + `"-" "curl" 0.005`:                          "nginx",
		front + `"-" "curl" 5376`:                           "apache",
		front + `"-" "curl" **0/5376** + 0`:                 "apache",
		front + `"-" "curl" 0.005376`:                       "", // gunicorn's, Varnish's, or a script's
		front + `"-" "curl" 0.005376 <17>`:                  "gunicorn",
		front + `"-" "curl" 5376 <17>`:                      "gunicorn",
		front + `"-" "curl" 5376 hit`:                       "varnish",
		front + `"-" "curl" 0.005376 miss`:                  "varnish",
		front + `5 http-nio-8080-exec-1`:                    "tomcat",
		front + `0.005 http-nio-8080-exec-1`:                "tomcat",
		front + `"-" "curl" 1 "r" "http://10.0.0.1:80" 5ms`: "traefik-clf",
		front + `"-" "curl" 5ms`:                            "",
		`203.0.113.9 - - [29/Nov/2026 21:16:22] "GET /a/17 HTTP/1.1" 200 137 0.001029`:                                        "openstack",
		strings.Replace(front, "203", "[pid: 1] 203", 1) + `"-" "curl" 5376 6 <17> hit`:                                       "",
		"time:[29/Nov/2026:21:16:22 +0100]\treq:GET / HTTP/1.1\tstatus:200\treqtime:0.005":                                    "nginx",
		"time:[29/Nov/2026:21:16:22 +0100]\treq:GET / HTTP/1.1\tstatus:200\treqtime_microsec:5376":                            "apache",
		`{"time":"[29/Nov/2026:21:16:22 +0100]","request":"GET / HTTP/1.1","status":"200","request_time":"0.005"}`:            "nginx",
		`{"time":"[29/Nov/2026:21:16:22 +0100]","request":"GET / HTTP/1.1","status":"200","duration":"5376"}`:                 "apache",
		`{"time":"[29/Nov/2026:21:16:22 +0100]","request_uri":"/","status":200,"request_time":5,"remote_addr":"203.0.113.9"}`: "nginx",
		`{"time":"[29/Nov/2026:21:16:22 +0100]","request":"GET / HTTP/1.1","statusCode":"200","elapsedTime":"5","user":"-"}`:  "tomcat",
		`{"time":"2026-11-29T21:16:22Z","method":"GET","path":"/","status":200,"duration":5}`:                                 "",
	} {
		if got := owner(t, line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// A format string tells whose it is, where it has anything of its own.
func TestLanguages(t *testing.T) {
	for s, want := range map[string]string{
		`$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent $request_time`: "nginx",
		`%h %l %u %t \"%r\" %>s %b`: "apache",
		`LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" %D" timed`: "apache",
		`%h %l %u %t "%r" %s %b %D`:                                                                          "apache",
		`%h %l %u %t "%r" %s %b %D %I`:                                                                       "tomcat",
		`%h %t "%r" %s %{us}T %F %{id}s`:                                                                     "tomcat",
		`%{Varnish:default_format}x %D %{Varnish:handling}x`:                                                 "varnish",
		`%(h)s %(l)s %(u)s %(t)s "%(r)s" %(s)s %(b)s %(L)s`:                                                  "gunicorn",
		`%(addr) - %(user) [%(ltime)] "%(method) %(uri) %(proto)" %(status) %(size) %(micros)`:               "uwsgi",
		`[%START_TIME%] "%REQ(:METHOD)% %PROTOCOL%" %RESPONSE_CODE% %DURATION%`:                              "",
		`%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %{+Q}r`: "",
	} {
		got := ""
		for _, d := range family {
			if d.Speaks != nil && d.Speaks(s) {
				got += d.Name
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", s, got, want)
		}
	}
}

// FuzzFamily looks for lines that two claim.
func FuzzFamily(f *testing.F) {
	front := `203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET /a/17?q=1 HTTP/1.1" 200 41 `
	for _, tail := range []string{"", `"-" "c"`, `"-" "c" 0.005 0.004`, `5376`, `**0/5376** X 1`, `5376 hit 0.004000`, `5 http-nio-80-exec-1`, `1 "r" "http://x" 5ms`, `0.005376 <17>`, `D=5 id="x"`} {
		f.Add([]byte(front + tail))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) == 0 || strings.ContainsAny(string(line), "\n") {
			return
		}
		owner(t, string(line))
		for _, d := range family {
			if d.Near != nil {
				d.Near(line)
			}
			newReader, err := d.Learn([][]byte{line}, ingest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var e log.Entry
			e.Reset(ingest.Pos{})
			_ = newReader().Read(line, &e)
		}
	})
}
