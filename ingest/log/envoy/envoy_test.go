package envoy

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
	id    = "4bf92f35-77b3-4da6-a3ce-929d0e0e4736"
	plain = `[2026-11-29T21:20:31.539Z] "GET /cart/17?x=1 HTTP/2" 200 - 12 345 50 48 "192.0.2.7" "curl/8.5.0" "` + id + `" "shop.example" "10.0.0.9:8080"`
)

var none0 ingest.Options

func with(old, new string) string { return strings.Replace(plain, old, new, 1) }

// The ways in which one request is written. Istio's are those of its docs,
// generation by generation.
func TestVariants(t *testing.T) {
	start := time.Date(2026, 11, 29, 21, 20, 31, 539e6, time.UTC).UnixNano()
	for name, l := range map[string]string{
		"default":                 plain,
		"Emissary":                "ACCESS " + plain,
		"no service time":         with("50 48", "50 -"),
		"quotes in agent":         with("curl/8.5.0", `a "b" c`),
		"quote in path":           with("?x=1", `?x="1`),
		"Istio 1.0":               with("- 12", `- "-" 12`),
		"Istio 1.4":               with("- 12", `- "-" "-" 12`) + ` outbound|80||shop.example 10.0.0.1:1 10.0.0.2:2 10.0.0.3:3 -`,
		"Istio 1.9":               with("- 12", `- via_upstream - "-" 12`) + ` outbound|80||shop.example 10.0.0.1:1 10.0.0.2:2 10.0.0.3:3 outbound_.80_._.shop default`,
		"details in words":        with("- 12", `- upstream_reset{connection failure, TLS error 5 6 7} - "delayed connect error: 111" 12`) + ` c a b c - -`,
		"JSON":                    `{"start_time":"2026-11-29T21:20:31.539Z","method":"GET","path":"/cart/17?x=1","response_code":200,"response_flags":"-","duration":50,"upstream_service_time":"48","request_id":"` + id + `"}`,
		"JSON, strings, no flags": `{"timestamp":"2026-11-29T21:20:31.539Z","request_method":"GET","uri":"/cart/17","status":"200","duration_ms":"50","route_name":"default","upstream_cluster":"c","x-request-id":"` + id + `"}`,
		"JSON, an epoch":          `{"time":"1795987231.539000","method":"GET","path":"/cart/17","response_code":200,"response_flags":"-","total_duration":50,"request_id":"` + id + `","tags":["a",{"b":1}]}`,
		"JSON, two paths":         `{"path":"/rewritten","x-envoy-original-path":"/cart/17","start_time":"2026-11-29T21:20:31.539Z","method":"GET","response_code":200,"response_flags":"-","duration":50,"request_id":"` + id + `"}`,
		"JSON, microseconds":      `{"duration_us":50000,"path":"/cart/17","start_time":"2026-11-29T21:20:31.539Z","method":"GET","response_code":200,"response_flags":null,"route_name":null,"upstream_cluster":null,"request_id":"` + id + `"}`,
		"Mixer":                   "2026-11-29T21:20:31.539000Z\tinfo\taccesslog.instance.istio-system\t" + `{"connection_security_policy": "none", "latency": "50ms", "method": "GET", "protocol": "http", "requestId": "` + id + `", "responseCode": 200, "responseFlags": "-", "responseTimestamp": "2026-11-29T21:20:31.589Z", "url": "/cart/17"}`,
		"Mixer's JSON":            `{"level":"info","time":"2026-11-29T21:20:31.539000Z","instance":"accesslog.logentry.istio-system","latency":"50ms","method":"GET","requestId":"` + id + `","responseCode":200,"url":"/cart/17"}`,
	} {
		if claims([]byte(l)) != log.Own {
			t.Errorf("%s: not claimed", name)
		}
		s := logtest.One(t, format, l, none0)
		if s.Op != "GET /cart/{id}" || s.Latency != 50*ms || s.Status != 200 || s.Request != id || int64(s.Start) != start || s.Outcome != ingest.OK || s.Stream || s.Vantage != ingest.Proxy {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// Mixer's microseconds, with the Greek letter and with the sign.
func TestMicroseconds(t *testing.T) {
	for _, u := range []string{"us", "µs", "μs"} {
		l := `{"level":"info","time":"2020-05-31T00:39:06.709744Z","instance":"newlog.instance.istio-system","destination":"policy","latency":"471.475` + u + `","responseCode":200,"responseSize":63}`
		got := logtest.Read(t, format, []byte(l), none0)
		if s := got.Samples[0]; s.Latency != 471475 || s.Op != "" || s.Stream {
			t.Errorf("%+v", s)
		}
		if s := got.Log.Shapes[0]; s.UnitFrom != ingest.UnitFromValue || s.Layout != "Mixer's JSON" {
			t.Errorf("%+v", s)
		}
	}
}

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		status, flags string
		want          ingest.Outcome
	}{
		{"200", "-", ingest.OK}, {"404", "-", ingest.Failed}, {"504", "UT", ingest.TimedOut}, {"504", "URX,UT", ingest.TimedOut}, {"504", "-", ingest.TimedOut},
		{"0", "DC", ingest.Canceled}, {"200", "DC", ingest.Canceled}, {"503", "UH", ingest.Failed}, {"503", "UF,URX", ingest.Failed}, {"503", "UO", ingest.Failed},
		{"200", "UC", ingest.Failed}, {"200", "DI", ingest.OK}, {"408", "SI", ingest.TimedOut}, {"200", "UMSDR", ingest.TimedOut}, {"200", "RFCF", ingest.OK}, {"503", "DF", ingest.Failed}, {"0", "DR", ingest.Canceled},
		{"0", "-", ingest.Failed}, {"504", "UpstreamRequestTimeout", ingest.TimedOut}, {"0", "DownstreamConnectionTermination", ingest.Canceled}, {"504", "UF", ingest.TimedOut},
	} {
		s := logtest.One(t, format, with("200 -", c.status+" "+c.flags), none0)
		if s.Outcome != c.want || s.Latency != 50*ms || s.Stream {
			t.Errorf("%+v: %+v", c, s)
		}
	}
}

func TestStreams(t *testing.T) {
	for l, want := range map[string]string{
		`[2026-11-29T21:20:31.539Z] "- - -" 0 - 2279 3059 600000 - "-" "-" "-" "-" "10.0.0.9:3306"`:                                            "TCP",
		`[2026-11-29T21:20:31.539Z] "- - -" 0 UF,URX - - "-" 2279 3059 600000 - "-" "-" "-" "-" "10.0.0.9:3306" c - 10.0.0.2:2 10.0.0.3:3 - -`: "TCP",
		`{"start_time":"2026-11-29T21:20:31.539Z","method":null,"protocol":null,"response_code":0,"response_flags":"-","duration":600000}`:     "TCP",
		with("200", "101"):                       "GET /cart/{id}",
		with("GET /cart/17?x=1", "CONNECT db:1"): "CONNECT",
	} {
		if s := logtest.One(t, format, l, none0); !s.Stream || s.Op != want {
			t.Errorf("%s: %+v", l, s)
		}
	}
	s := logtest.One(t, format, with(`"GET /cart/17?x=1 HTTP/2" 200 -`, `"- - HTTP/1.1" 400 DPE`), none0)
	if s.Stream || s.Op != log.NoRequest || s.Outcome != ingest.Failed {
		t.Errorf("%+v", s)
	}
}

// The service time is a try's only if there was one.
func TestTries(t *testing.T) {
	for _, c := range []struct {
		name, count     string
		tries, attempts int
	}{
		{"upstream_request_attempt_count", "3", 3, 0}, {"upstream_request_attempt_count", "1", 1, 1}, {"x-envoy-attempt-count", `"2"`, 2, 0},
		{"attempt_count", "0", 0, 0}, {"attempts", "null", 0, 0}, {"attempts", `"-"`, 0, 0}, {"attempts", "99999999999999999", 1<<31 - 1, 0}, {"x", "1", 0, 0},
	} {
		l := `{"start_time":"2026-11-29T21:20:31.539Z","method":"GET","path":"/","response_code":200,"response_flags":"-","duration":50,"upstream_service_time":48,"upstream_host":"10.0.0.9:80","` + c.name + `":` + c.count + `}`
		s := logtest.One(t, format, l, none0)
		if int(s.Tries) != c.tries || len(s.Attempts) != c.attempts {
			t.Errorf("%+v: %+v", c, s)
		}
		if c.attempts == 1 && (s.Attempts[0].Latency != 48*ms || s.Attempts[0].Peer != "10.0.0.9:80") {
			t.Errorf("%+v", s.Attempts)
		}
	}
}

func TestUnread(t *testing.T) {
	for l, want := range map[string]error{
		with("[2026-11-29T21:20:31.539Z]", "[yesterday at noon]"):              log.ErrStamp,
		plain[:strings.Index(plain, " 50 ")+2]:                                 log.ErrOther,
		plain[:strings.Index(plain, "200")]:                                    log.ErrOther,
		plain[:30]:                                                             log.ErrOther,
		"[2026-11-29 21:20:31.539][1][info][main] starting main dispatch loop": log.ErrOther,
		`{"level":"info","msg":"x","duration":5}`:                              log.ErrOther,
		`{"response_flags":"-","duration":50`:                                  log.ErrJSON,
		`{"response_flags":"-","duration":"x"}`:                                log.ErrLatency,
		`{"response_flags":"-","response_code":"abc"}`:                         log.ErrStatus,
		"2026-11-29T21:20:31.539000Z\tinfo\tmcp\t{\"latency\":\"5ms\"}":        log.ErrOther,
		"\xff\xfe " + strings.Repeat("[", 5000):                                log.ErrOther,
	} {
		got := logtest.Read(t, format, []byte(l+"\n"+plain+"\n"), none0)
		if len(got.Samples) != 1 || len(got.Problems) != 1 || !strings.HasPrefix(got.Problems[0].Error(), want.Error()) {
			t.Errorf("%s: %d requests, %v", l, len(got.Samples), got.Problems)
		}
	}
	for name, l := range map[string]string{
		"100 kB of path": with("x=1", strings.Repeat("x", 100_000)), "NULs": strings.Repeat("\x00", 5000) + plain, "invalid UTF-8": with("/17", "/\xff"),
		"cut in the agent": plain[:strings.Index(plain, "8.5.0")],
	} {
		if got := logtest.Read(t, format, []byte(l), none0); len(got.Samples) != 1 || got.Samples[0].Latency != 50*ms {
			t.Errorf("%s: %v", name, got.Problems)
		}
	}
}

// Start stamps are UTC, even where they do not say so; --tz says otherwise.
func TestZone(t *testing.T) {
	l := with("2026-11-29T21:20:31.539Z", "2026-11-29 21:20:31.539")
	got := logtest.Read(t, format, []byte(l), none0)
	if z := got.Log.Shapes[0].Zone; z != ingest.ZoneUTC {
		t.Error(z)
	}
	got = logtest.Read(t, format, []byte(l), ingest.Options{Zone: time.FixedZone("", -3600)})
	if z := got.Log.Shapes[0].Zone; z != ingest.ZoneGiven || int64(got.Samples[0].Start) != time.Date(2026, 11, 29, 22, 20, 31, 539e6, time.UTC).UnixNano() {
		t.Error(z, got.Samples)
	}
}

func TestLogFormat(t *testing.T) {
	for f, l := range map[string]string{
		`[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS% %BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%"\n`: plain,
		`%START_TIME(%s.%3f)% %REQ(:METHOD)% %REQ(:PATH):200% %RESPONSE_CODE% flags=%RESPONSE_FLAGS% tries=%UPSTREAM_REQUEST_ATTEMPT_COUNT% took=%COMMON_DURATION(DS_RX_BEG:DS_TX_END:us)% id=%REQ(X-REQUEST-ID)%`:                                                                                                 "1795987231.539 GET /cart/17 200 flags=- tries=3 took=50000 id=" + id,
		`%START_TIME% %REQ(:METHOD)% %REQ(:PATH)% %RESPONSE_CODE% 100%% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% %REQ(X-REQUEST-ID)%`:                                                                                                                                                                                 "2026-11-29T21:20:31.539Z GET /cart/17 200 100% 50 " + id,
	} {
		if !Dialect.Speaks(f) {
			t.Errorf("not spoken: %s", f)
		}
		s := logtest.One(t, format, l, ingest.Options{LogFormat: f})
		if s.Op != "GET /cart/{id}" || s.Latency != 50*ms || s.Status != 200 || s.Request != id || strings.Contains(f, "ATTEMPT") && s.Tries != 3 {
			t.Errorf("%s: %+v", f, s)
		}
	}
	for _, f := range []string{`%h %l %u %t "%r" %>s %b %D`, `%ci:%cp [%tr] %ST %[src]`, `$status`, `%D%T`, `%DURATION`, `%REQ(:PATH`, ``, `50%`} {
		if Dialect.Speaks(f) {
			t.Errorf("spoken: %s", f)
		}
	}
	for _, f := range []string{`%REQ(:PATH`, `%h`, `'`, `%COMMON_DURATION(DS_RX_BEG:DS_TX_END:days)%`} {
		for _, err := range format.Read(strings.NewReader(plain), ingest.Input{Options: ingest.Options{LogFormat: f}}) {
			if err == nil {
				t.Errorf("taken: %s", f)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	logtest.Fuzz(f, format, plain, with("- 12", `UF,URX upstream_reset{a b} - "x" 12`)+` c a b c - -`,
		`{"start_time":"2026-11-29T21:20:31.539Z","method":"GET","path":"/","response_code":200,"response_flags":"-","duration":50,"attempts":1,"upstream_service_time":"48"}`,
		"2026-11-29T21:20:31.539000Z\tinfo\taccesslog.instance.istio-system\t"+`{"latency": "50.1µs", "method": "GET", "responseCode": 200, "responseFlags": "-", "url": "/"}`)
}
