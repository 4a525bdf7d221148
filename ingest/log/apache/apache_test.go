package apache

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const (
	us = time.Microsecond
	ms = time.Millisecond

	goodJSON = `{"time":"[29/Nov/2026:21:16:22 +0100]","remote":"203.0.113.9","method":"GET","path":"/a/17","query":"?q=1","status":200,"bytes":41,"duration_us":5376}`

	front = `203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET /a/17?q=1 HTTP/1.1" 200 41 `
)

func one(t *testing.T, line string, opt ingest.Options) (*ingest.Sample, ingest.Shape) {
	t.Helper()
	got := logtest.Read(t, Format, []byte(line+"\n"), opt)
	if len(got.Samples) != 1 || len(got.Log.Shapes) != 1 {
		t.Fatalf("%s: %d requests, %v", line, len(got.Samples), got.Problems)
	}
	return &got.Samples[0], got.Log.Shapes[0]
}

func TestLines(t *testing.T) {
	at := ingest.Time(time.Date(2026, 11, 29, 20, 16, 22, 0, time.UTC).UnixNano())
	for _, c := range []struct {
		name, line string
		latency    time.Duration
		unit       time.Duration
		outcome    ingest.Outcome
	}{
		{"common and a number", front + "5376", 5376 * us, 0, ingest.OK},
		{"combined and a number", front + `"-" "curl \"7\"" 5376`, 5376 * us, 0, ingest.OK},
		{"a pair", front + `"-" "curl" 2/2005376`, 2005376 * us, us, ingest.OK},
		{"a pair of seconds and milliseconds", front + `"-" "curl" 2/2005`, 2005 * ms, ms, ingest.OK},
		{"a pair the other way round", front + `"-" "curl" 2005376/2`, 2005376 * us, us, ingest.OK},
		{"a pair that tells nothing", front + `"-" "curl" 0/17`, 17 * us, 0, ingest.OK},
		{"stars, %X and %k", front + `"-" "curl" **0/5376** + 0`, 5376 * us, us, ingest.OK},
		{"the connection broke", front + `"-" "curl" **0/5376** X 0`, 5376 * us, us, ingest.Canceled},
		{"a key", front + `"-" "curl" D=5376`, 5376 * us, 0, ingest.OK},
		{"a key with its unit", front + `"-" "curl" duration_ms=5376`, 5376 * ms, ms, ingest.OK},
		{"keys of both", front + `"-" "curl" T=0 D=5376`, 5376 * us, 0, ingest.OK},
		{"host and port in front", `shop.example:443 ` + front + `"-" "curl" 5376`, 5376 * us, 0, ingest.OK},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, shape := one(t, c.line, ingest.Options{})
			if s.Latency != c.latency || s.Outcome != c.outcome || s.Op != "GET /a/{id}" || s.Start != at || s.Vantage != ingest.Server {
				t.Errorf("%+v", s)
			}
			if shape.Unit != c.unit || (c.unit == 0) != (shape.Assumed == us && shape.Other == ms) || shape.Stamp != ingest.StampStart {
				t.Errorf("%+v", shape)
			}
			if Dialect.Claims([]byte(c.line)) != log.Own {
				t.Error("not claimed")
			}
		})
	}
}

func TestStamps(t *testing.T) {
	start := time.Date(2026, 11, 29, 20, 16, 22, 0, time.UTC)
	for _, c := range []struct {
		format, line string
		start        time.Time
		latency      time.Duration
		stamp        ingest.Stamp
	}{
		{`%t %D \"%r\" %s`, `[29/Nov/2026:21:16:22 +0100] 5376 "GET / HTTP/1.1" 200`, start, 5376 * us, ingest.StampStart},
		{`%h %l %u [%{%Y-%m-%d %H:%M:%S}t.%{usec_frac}t %{%z}t] \"%r\" %>s %O %D %{UNIQUE_ID}e`, `203.0.113.9 - - [2026-11-29 21:16:22.123456 +0100] "GET / HTTP/1.1" 200 41 5376 YXJjaGU`, start.Add(123456 * us), 5376 * us, ingest.StampStart},
		{`%{sec}t %{us}T %s %U`, `1795983382 5376 200 /`, start, 5376 * us, ingest.StampStart},
		{`%{msec}t %{s}T %s %U`, `1795983382034 2 200 /`, start.Add(34 * ms), 2 * time.Second, ingest.StampStart},
		{`%t %{usec}t %D %s %U`, `[29/Nov/2026:21:16:22 +0100] 1795983382034567 5376 200 /`, start.Add(34567 * us), 5376 * us, ingest.StampStart},
		{`%{end:%d/%b/%Y:%T}t.%{end:msec_frac}t %D %s %U`, `29/Nov/2026:20:16:24.000 2000000 200 /`, start, 2 * time.Second, ingest.StampEnd},
		{`%{begin:%Y-%m-%dT%H:%M:%S}t.%{begin:msec_frac}t %{end:%Y-%m-%dT%H:%M:%S}t.%{end:msec_frac}t %s %U`, `2026-11-29T20:16:22.034 2026-11-29T20:16:22.040 200 /`, start.Add(34 * ms), 6 * ms, ingest.StampStart},
		{`%{%Y-%m-%dT%H:%M:%S%z}t|%D|%s|%U`, `2026-11-29T21:16:22+0100|5376|200|/`, start, 5376 * us, ingest.StampStart},
	} {
		s, shape := one(t, c.line, ingest.Options{LogFormat: c.format})
		if s.Start != ingest.Time(c.start.UnixNano()) || s.Latency != c.latency || shape.Stamp != c.stamp || s.End != 0 {
			t.Errorf("%s: %v %+v %+v", c.format, time.Unix(0, int64(s.Start)).UTC(), s, shape)
		}
	}
}

func TestLogFormat(t *testing.T) {
	line := `{"time":"2026-11-29T21:16:22+0100","method":"GET","path":"/a/17","status":404,"us":5376,"id":"Yx@","tp":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`
	for _, f := range []string{
		`LogFormat "{\"time\":\"%{%Y-%m-%dT%H:%M:%S%z}t\",\"method\":\"%m\",\"path\":\"%U\",\"status\":%>s,\"us\":%D,\"id\":\"%{X-Request-Id}i\",\"tp\":\"%{traceparent}i\"}" json`,
		`CustomLog "|/usr/bin/x" "{\"time\":\"%{%Y-%m-%dT%H:%M:%S%z}t\",\"method\":\"%m\",\"path\":\"%U\",\"status\":%>s,\"us\":%D,\"id\":\"%{X-Request-Id}i\",\"tp\":\"%{traceparent}i\"}" env=!x`,
		`{"time":"%{%Y-%m-%dT%H:%M:%S%z}t","method":"%m","path":"%U","status":%!200,304>s,"us":%D,"id":"%L","tp":"%400,501{traceparent}i"}`,
	} {
		s, _ := one(t, line, ingest.Options{LogFormat: f})
		if s.Op != "GET /a/{id}" || s.Status != 404 || s.Outcome != ingest.Failed || s.Latency != 5376*us || s.Request != "Yx@" || s.Trace == (ingest.TraceID{}) {
			t.Errorf("%+v", s)
		}
	}
	// The last status is that of the answer; %D is finer than %T.
	s, _ := one(t, `302 200 0 5376 /`, ingest.Options{LogFormat: `%s %>s %T %D %U`})
	if s.Status != 200 || s.Latency != 5376*us {
		t.Errorf("%+v", s)
	}
	s, _ = one(t, `99% 200 200 302 5376 0 /`, ingest.Options{LogFormat: `99%% %p %>s %s %D %T %U`})
	if s.Status != 200 || s.Latency != 5376*us {
		t.Errorf("%+v", s)
	}
	got := logtest.Read(t, Format, []byte(front+"\n"), ingest.Options{LogFormat: `%s %D`})
	if len(got.Samples) != 0 || len(got.Problems) != 1 || !errors.Is(got.Problems[0], log.ErrFormat) {
		t.Errorf("%v, %v", got.Samples, got.Problems)
	}
	for _, bad := range []string{`%`, `%{x`, `%h`, `LogFormat "%s`, `CustomLog "x`} {
		for _, err := range Format.Read(strings.NewReader(front), ingest.Input{Options: ingest.Options{LogFormat: bad}}) {
			if err == nil {
				t.Errorf("%q is no format", bad)
			}
		}
	}
	if !Format.Speaks(`%h %D`) || Format.Speaks(`$status`) || Format.Speaks(`[%START_TIME%] "%REQ(:METHOD)%"`) {
		t.Error("the wrong language")
	}
}

// The order of lines gives the unit away, where stamps run back: a server with
// start stamps writes a line at its end. 3 requests of 5 s among many of 10 ms.
func TestOrder(t *testing.T) {
	for _, u := range []time.Duration{us, ms, time.Second} {
		var b strings.Builder
		start := time.Date(2026, 11, 29, 21, 0, 0, 0, time.UTC)
		line := func(at time.Time, took time.Duration) {
			fmt.Fprintf(&b, "203.0.113.9 - - [%s] \"GET / HTTP/1.1\" 200 41 \"-\" \"-\" %d\n", at.Format("02/Jan/2006:15:04:05 -0700"), took/u)
		}
		for i := range 300 {
			now := start.Add(time.Duration(i) * 100 * ms)
			if i%90 == 80 {
				line(now.Add(-5*time.Second), 5*time.Second)
			} else {
				line(now, 10*ms)
			}
		}
		got := logtest.Read(t, Format, []byte(b.String()), ingest.Options{})
		if s := got.Log.Shapes[0]; s.Unit != u || s.UnitFrom != ingest.UnitFromRedundancy {
			t.Errorf("%v: %+v", u, s)
		}
	}
}

func TestForeign(t *testing.T) {
	for _, line := range []string{
		front + `"-" "curl"`,
		front + `"-" "curl" 0.006`,
		front + `"-" "curl" rt=0.006 us="200"`,
		front + `"-" "Nikto" 240 "test@docker" "http://172.17.0.3:80" 0ms`,
		front + `"-" "curl" 201 0.006 [shop-web-8080] [] - - - - c75c99e2e1006adc7e55c1cd3c5cd6a4`,
		`198.51.100.1:82 203.0.113.1 - - [22/Mar/2009:09:30:31 +0100] "GET /example.net HTTP/2" 301 4715 4113 174 465 https TLSv1.2 ECDHE-RSA-AES256-SHA dark beer 230`,
		`{"duration_us":5376}`, "", "-",
	} {
		if got := Dialect.Claims([]byte(line)); got != log.Foreign {
			t.Errorf("%s: %v", line, got)
		}
	}
	if Dialect.Claims([]byte("[Sun Nov 29 21:16:22.123456 2026] [core:notice] [pid 1] AH00094: x")) != log.Aside {
		t.Error("a line of the error log")
	}
}

// Given as Apache's, plain combined lines are stamped with their start.
func TestCombined(t *testing.T) {
	s, shape := one(t, front+`"-" "curl"`, ingest.Options{})
	if s.Start == 0 || s.End != 0 || s.Latency != ingest.NoLatency || shape.Unit != 0 || shape.Assumed != 0 || shape.Clock != "" {
		t.Errorf("%+v %+v", s, shape)
	}
}
