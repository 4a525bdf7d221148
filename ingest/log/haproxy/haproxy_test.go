package haproxy

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const (
	ms    = time.Millisecond
	trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	line  = `192.0.2.7:41234 [29/Nov/2026:21:20:31.539] www~ shop/web2 1/2/3/40/50 200 1630 - - ---- 3/1/0/0/0 0/0 {shop.example|` + trace + `} {} "GET /cart/17?x=1 HTTP/1.1"`
)

func with(old, new string) string { return strings.Replace(line, old, new, 1) }

func TestLine(t *testing.T) {
	s := logtest.One(t, format, line, utc)
	if s.Op != "GET /cart/{id}" || s.Latency != 50*ms || s.Queue != 2*ms || s.Status != 200 || s.Tries != 1 || len(s.Attempts) != 0 || s.Vantage != ingest.Proxy || s.Stream {
		t.Errorf("%+v", s)
	}
	if want := time.Date(2026, 11, 29, 21, 20, 31, 539e6, time.UTC).UnixNano(); int64(s.Start) != want {
		t.Errorf("%d, want %d", s.Start, want)
	}
	if s.Trace[0] != 0x4b || s.Trace[15] != 0x36 {
		t.Errorf("%x", s.Trace)
	}
}

// Termination states, phases that were not reached, retries. Section 8.5 of the
// configuration manual says what they mean.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		server, timers, status, state, retries string
		outcome                                ingest.Outcome
		latency, queue                         time.Duration
		tries                                  int32
		attempts                               int
	}{
		{"shop/web2", "0/0/0/-1/403", "504", "sH--", "0", ingest.TimedOut, 403 * ms, 0, 1, 0},
		{"shop/web2", "0/1503/-1/-1/1503", "503", "SC--", "3", ingest.Failed, 1503 * ms, 1503 * ms, 4, 4},
		{"shop/<NOSRV>", "0/1502/-1/-1/1502", "503", "sQ--", "0", ingest.TimedOut, 1502 * ms, 1502 * ms, 0, 0},
		{"shop/web2", "0/1502/-1/-1/1502", "503", "sQ--", "2", ingest.TimedOut, 1502 * ms, 1502 * ms, 2, 0},
		{"shop/web2", "0/6/0/5/11", "200", "----", "+2", ingest.OK, 11 * ms, 6 * ms, 3, 3},
		{"shop/web2", "0/0/0/5/11", "200", "--VN", "0", ingest.OK, 11 * ms, 0, 1, 0},
		{"shop/web2", "0/0/0/5/11", "500", "----", "0", ingest.Failed, 11 * ms, 0, 1, 0},
		{"shop/web2", "0/0/0/5/9", "200", "CD--", "0", ingest.Canceled, 9 * ms, 0, 1, 0},
		{"shop/web2", "0/0/0/-1/9", "-1", "CH--", "0", ingest.Canceled, 9 * ms, 0, 1, 0},
		{"shop/web2", "0/0/0/-1/9", "0", "CH--", "0", ingest.Canceled, 9 * ms, 0, 1, 0},
		{"shop/web2", "0/0/0/7/5007", "200", "sD--", "0", ingest.TimedOut, 5007 * ms, 0, 1, 0},
		{"shop/web2", "0/0/0/7/507", "200", "SD--", "0", ingest.Failed, 507 * ms, 0, 1, 0},
		{"www/<NOSRV>", "5001/-1/-1/-1/5001", "408", "cR--", "0", ingest.TimedOut, 5001 * ms, 0, 0, 0},
		{"www/<NOSRV>", "0/-1/-1/-1/0", "302", "LR--", "0", ingest.OK, 0, 0, 0, 0},
		{"www/<NOSRV>", "0/-1/-1/-1/0", "403", "PR--", "0", ingest.Failed, 0, 0, 0, 0},
		{"www/<STATS>", "0/0/0/0/1", "200", "LR--", "0", ingest.OK, ms, 0, 0, 0},
		{"shop/web2", "0/0/0/1/86400000", "101", "----", "0", ingest.OK, 24 * time.Hour, 0, 1, 0},
	} {
		l := with("shop/web2 1/2/3/40/50 200 1630 - - ---- 3/1/0/0/0", c.server+" "+c.timers+" "+c.status+" 217 - - "+c.state+" 24/22/15/1/"+c.retries)
		s := logtest.One(t, format, l, utc)
		if s.Outcome != c.outcome || s.Latency != c.latency || s.Queue != c.queue || s.Tries != c.tries || len(s.Attempts) != c.attempts || s.Stream != (s.Status == 101) {
			t.Errorf("%+v: %+v", c, s)
		}
	}
	s := logtest.One(t, format, with("3/1/0/0/0", "3/1/0/0/+1"), utc)
	if s.Attempts[0].Peer != "" || s.Attempts[1].Peer != "shop/web2" || s.Attempts[1].Status != 200 || s.Attempts[0].Latency >= 0 {
		t.Errorf("redispatched: %+v", s.Attempts)
	}
	s = logtest.One(t, format, with("3/1/0/0/0", "3/1/0/0/1"), utc)
	if s.Attempts[0].Peer != "shop/web2" || s.Attempts[1].Peer != "shop/web2" {
		t.Errorf("retried: %+v", s.Attempts)
	}
}

// Other ways in which the same request is written.
func TestVariants(t *testing.T) {
	want := logtest.One(t, format, with(`{shop.example|`+trace+`} {} `, ""), utc)
	for name, l := range map[string]string{
		"a host in syslog":    "Nov 29 21:20:31 lb1 haproxy[9834]: " + line,
		"a priority, no host": "<142>Nov 29 21:20:31 haproxy[9834]: " + line,
		"a tag only":          "haproxy[9834]: " + line,
		"kubectl's prefix":    "[pod/lb-7d4b9c/haproxy] " + line,
		"RFC 5424":            "<142>1 2026-11-29T21:20:31.590Z lb1 haproxy 9834 - - " + line,
		"rsyslog's ISO stamp": "2026-11-29T21:20:31.590123+00:00 lb1 haproxy[9834]: " + line,
		"no captured headers": with(`{shop.example|`+trace+`} {} `, ""),
		"an agent":            with("shop.example|"+trace, "Mozilla/5.0 (X11; Linux x86_64) a#22b"),
		"logasap":             with("40/50 200 1630", "40/+50 200 +1630"),
		"a cookie":            with("- - ----", "SID=a b SID=c ----"),
		"httpslog":            line + ` 0/0000000000000000/0/0/0 shop.example/TLSv1.3/TLS_AES_256_GCM_SHA384`,
		"IPv6":                with("192.0.2.7:", "2001:db8::7:"),
		"a UNIX socket":       with("192.0.2.7:41234", "unix:1"),
		"HTTP/2":              with("/cart/17?x=1 HTTP/1.1", "https://shop.example/cart/17?x=1 HTTP/2.0"),
		"a request cut":       line[:len(line)-len(" HTTP/1.1")-1],
		"clf":                 `192.0.2.7 - - [29/Nov/2026:21:20:31 +0000] "GET /cart/17?x=1 HTTP/1.1" 200 1630 "" "" 41234 539 "www~" "shop" "web2" 1 2 3 40 50 ---- 3 1 0 0 0 0 0 "" "" "shop.example" ""`,
		"json":                `{"time_local":"29/Nov/2026:21:20:31.539","backend":"shop","server":"web2","method":"GET","uri":"/cart/17?x=1","status":200,"TR":1,"Tw":2,"Tc":3,"Tr":40,"Ta":50,"Tt":4711,"termination_state":"----","retries":"0"}`,
		"json, long names":    `{"haproxy_time_request":1,"time_queue_ms":"2","time_connect":3,"time_response":40,"time_active":50,"term_state":"--VN","retries":0,"srv_queue":0,"timestamp":"2026-11-29T21:20:31.539Z","http_request":"GET /cart/17?x=1 HTTP/1.1","server_name":"web2","backend_name":"shop","status_code":"200"}`,
		"json, phases only":   `{"TR":1,"Tw":2,"Tc":3,"Tr":44,"ts":"--","tr":"29/Nov/2026:21:20:31.539","HM":"GET","HU":"/cart/17","ST":200,"s":"web2","b":"shop","rc":0}`,
	} {
		if claims([]byte(l)) != log.Own && !strings.Contains(name, "syslog") && !strings.Contains(name, "kubectl") && !strings.Contains(name, "RFC") && !strings.Contains(name, "priority") && !strings.Contains(name, "ISO") {
			t.Errorf("%s: not claimed", name)
		}
		s := logtest.One(t, format, l, utc)
		if s.Op != want.Op || s.Latency != want.Latency || s.Queue != want.Queue || s.Status != want.Status || s.Tries != want.Tries || s.Outcome != want.Outcome {
			t.Errorf("%s: %+v", name, s)
		}
		if d := want.Start.Sub(s.Start); d != 0 && !(name == "clf" && d == 539*ms) {
			t.Errorf("%s: %v off", name, d)
		}
	}
}

// What says nothing of a request is passed over; what should have been one is a
// problem.
func TestUnread(t *testing.T) {
	for l, want := range map[string]error{
		"Proxy www started.": nil,
		"Proxy shop stopped (cumulated conns: FE: 0, BE: 250).":                                                         nil,
		`Server shop/web2 is DOWN, reason: Layer4 timeout, check duration: 2001ms. 1 active and 0 backup servers left.`: nil,
		"backend shop has no server available!":                                                                         nil,
		"[WARNING]  (31) : Server shop/web2 is UP, reason: Layer7 check passed.":                                        nil,
		"[NOTICE] 332/212031 (9834) : New worker #1 (9836) forked":                                                      nil,
		"Connect from 192.0.2.7:4711 to 192.0.2.1:80 (www/HTTP)":                                                        nil,
		"192.0.2.7:50033 [28/Feb/2026:02:43:10.123] www/1: SSL handshake failure":                                       nil,
		"192.0.2.7:50033 [28/Feb/2026:02:43:10.123] www/1: Connection closed":                                           nil,
		"Server starting":                           log.ErrOther,
		line[:60]:                                   log.ErrOther,
		line[:strings.Index(line, " 3/1")]:          errCut,
		line[:strings.Index(line, " 0/0")]:          errCut,
		line[:strings.Index(line, " {}")-8]:         log.ErrNoRequest,
		line[:strings.Index(line, "/17")+1]:         log.ErrNoRequest,
		with("200 1630", "2x0 1630"):                log.ErrStatus,
		with("----", "zz--"):                        errCut,
		with("29/Nov", "29/Foo"):                    log.ErrStamp,
		with("1/2/3/40/50", "1/2/3/x/50"):           log.ErrOther,
		with("1/2/3/40/50", "1/2/3/40"):             log.ErrOther,
		with("/50 200", "/999999999999999 200"):     log.ErrLatency,
		with(`"GET`, `custom "GET`):                 errUnknown,
		`{"Ta":1,"status":200,"uri":"/"}`:           log.ErrOther,
		`{"Ta":1,"termination_state":"----"`:        log.ErrJSON,
		"\xff\xfe\x00 " + strings.Repeat("x", 1000): log.ErrOther,
	} {
		got := logtest.Read(t, format, []byte(l+"\n"+line+"\n"), utc)
		switch {
		case len(got.Samples) != 1:
			t.Errorf("%s: %d requests", l, len(got.Samples))
		case want == nil && len(got.Problems) != 0, want != nil && len(got.Problems) != 1:
			t.Errorf("%s: %v", l, got.Problems)
		case want != nil && !is(got.Problems[0], want):
			t.Errorf("%s: %v, want %v", l, got.Problems[0], want)
		}
	}
	for name, l := range map[string]string{
		"100 kB of request": with("x=1", strings.Repeat("x", 100_000)),
		"NULs":              strings.Repeat("\x00", 5000) + line,
		"invalid UTF-8":     with("/17", "/\xff\xfe"),
		"100 kB of headers": with("shop.example", strings.Repeat("x|", 50_000)),
		"a large rc":        with("3/1/0/0/0", "3/1/0/0/999999999999999"),
	} {
		got := logtest.Read(t, format, []byte(l+"\n"), utc)
		if len(got.Samples) != 1 {
			t.Errorf("%s: %v", name, got.Problems)
		}
	}
}

func is(err, want error) bool { return strings.HasPrefix(err.Error(), want.Error()) }

func TestNear(t *testing.T) {
	if near([]byte(with(`"GET`, `custom "GET`))) == "" || near([]byte(line)) != "" || near([]byte("x")) != "" {
		t.Error("not told")
	}
}

func TestTCPLine(t *testing.T) {
	l := `192.0.2.7:41234 [29/Nov/2026:21:20:31.539] db mysql/db1 1/2/60000 7484 cD 30/1/0/0/0 0/0`
	s := logtest.One(t, format, l, utc)
	if !s.Stream || s.Latency != time.Minute || s.Queue != ms || s.Op != "TCP mysql" || s.Outcome != ingest.TimedOut || claims([]byte(l)) != log.Own {
		t.Errorf("%+v", s)
	}
}

func TestUnit(t *testing.T) {
	got := logtest.Read(t, format, []byte(line), ingest.Options{Unit: time.Microsecond})
	if s := got.Log.Shapes[0]; got.Samples[0].Latency != 50*time.Microsecond || s.Unit != time.Microsecond || s.UnitFrom != ingest.UnitFromFlag {
		t.Errorf("%+v %+v", got.Samples, got.Log)
	}
}

func TestLogFormat(t *testing.T) {
	want := logtest.One(t, format, line, utc)
	for f, l := range map[string]string{
		`%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r`:                  line,
		`log-format "%ci:%cp\ [%tr]\ %ft\ %b/%s\ %Tw/%Tc/%Tr/%Ta/%TR %ST %tsc %rc %hr %hs %{+Q}r %[ssl_fc_sni]"`:                      `192.0.2.7:41234 [29/Nov/2026:21:20:31.539] www~ shop/web2 2/3/40/50/1 200 ---- 0 "GET /cart/17?x=1 HTTP/1.1" shop.example`,
		`'{"at":"%trg","m":"%HM","p":"%HPO","st":%ST,"all":%Ta,"queued":%Tw,"end":"%tsc","n":%rc,"ua":"%[capture.req.hdr(0),json]"}'`: `{"at":"29/Nov/2026:21:20:31 +0000","m":"GET","p":"/cart/17","st":200,"all":50,"queued":2,"end":"----","n":0,"ua":"a \"b\" c"}`,
		`%{+Q}o %Ts %r %ST %Ta %Tw %tsc %rc %{-Q}s`: `1795987231 "GET /cart/17?x=1 HTTP/1.1" 200 50 2 ---- 0 web2`,
	} {
		if !Dialect.Speaks(f) {
			t.Errorf("not spoken: %s", f)
		}
		opt := utc
		opt.LogFormat = f
		s := logtest.One(t, format, l, opt)
		if s.Op != want.Op || s.Latency != want.Latency || s.Queue != want.Queue || s.Status != want.Status || want.Start.Sub(s.Start) >= time.Second {
			t.Errorf("%s: %+v", f, s)
		}
	}
	for _, f := range []string{
		`%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %D`, `%t "%r" %s %b %Ts`, `%t %r %s %b %T`, `%a %{ms}T %U`, `%v %h (%T s)`,
		`[%START_TIME%] "%REQ(:METHOD)%" %RESPONSE_CODE% %DURATION%`, `%BYTES_SENT% %UPSTREAM_HOST%`, `$remote_addr [$time_local]`, `100%`, `%[open`, ``,
	} {
		if Dialect.Speaks(f) {
			t.Errorf("spoken: %s", f)
		}
	}
	for _, f := range []string{`%[open`, `%ci %zz`, `'%ci`, `%ci %cp`, `log-format `} {
		in := ingest.Input{Options: ingest.Options{LogFormat: f}}
		for _, err := range format.Read(strings.NewReader(line), in) {
			if err == nil {
				t.Errorf("taken: %s", f)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	logtest.Fuzz(f, format, line, "<142>Nov 29 21:20:31 haproxy[9834]: "+with("0/0 {", "+2 1/2 {"),
		`192.0.2.7:41234 [29/Nov/2026:21:20:31.539] db mysql/db1 1/2/60000 7484 cD 30/1/0/0/0 0/0`,
		`192.0.2.7 - - [29/Nov/2026:21:20:31 +0000] "GET / HTTP/1.1" 200 1630 "" "" 41234 539 "www~" "shop" "web2" 1 2 3 40 50 ---- 3 1 0 0 0 0 0 "" "" "shop.example" ""`,
		`{"time_local":"29/Nov/2026:21:20:31.539","backend":"shop","server":"web2","method":"GET","uri":"/","status":200,"TR":1,"Tw":2,"Tc":3,"Tr":40,"Ta":50,"termination_state":"----","retries":"+1"}`)
}
