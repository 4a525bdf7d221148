package tomcat

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

var format = Dialect.Format()

const (
	us = time.Microsecond
	ms = time.Millisecond

	front    = `203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET /a/17?q=1 HTTP/1.1" 200 41 `
	good     = front + `5 http-nio-8080-exec-3`
	goodJSON = `{"host":"203.0.113.9","logicalUserName":"-","user":"-","time":"[29/Nov/2026:21:16:22 +0100]","request":"GET /a/17?q=1 HTTP/1.1","statusCode":"200","size":"41","elapsedTime":"5"}`
)

var end = ingest.Time(time.Date(2026, 11, 29, 20, 16, 22, 0, time.UTC).UnixNano())

// Of a file of Tomcat 6, as of any with a lone %D, only the user knows the unit.
func TestCorpus(t *testing.T) {
	const file = "tomcat/rla_89_tomcat6_ms.log"
	logtest.Check(t, format, logtest.Case{File: file, Options: ingest.Options{Unit: ms}, Unit: ms, Stamp: ingest.StampEnd, Unclaimed: true})
	logtest.Check(t, format, logtest.Case{File: file, Stamp: ingest.StampEnd, Unclaimed: true})
	s := logtest.Read(t, format, logtest.Load(t, file), ingest.Options{}).Log.Shapes
	if len(s) != 1 || s[0].Unit != 0 || s[0].Assumed != ms || s[0].Other != us {
		t.Errorf("%+v", s)
	}
	logtest.Split(t, format, []byte(strings.Repeat(good+"\n"+goodJSON+"\nx\n", 9)), ingest.Options{})
	logtest.Lines(t, Dialect)
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name, line string
		latency    time.Duration
		unit       time.Duration // 0: not known
		own        bool
	}{
		{"a thread", good, 5 * ms, 0, true},
		{"combined and a thread", front + `"-" "curl" 5 https-jsse-nio-8443-exec-12`, 5 * ms, 0, true},
		{"an executor's thread, a session", front + `0A1B2C3D4E5F60718293A4B5C6D7E8F9 5 catalina-exec-1`, 5 * ms, 0, true},
		{"seconds and a thread", front + `0.005 http-nio-8080-exec-3`, 5 * ms, time.Second, true},
		{"a number alone", front + `5`, 5 * ms, 0, false},
		{"common", front, ingest.NoLatency, 0, false},
		{"JSON", goodJSON, 5 * ms, 0, true},
		{"JSON of a pattern of its own", `{"time":"[29/Nov/2026:21:16:22 +0100]","method":"GET","path":"/a/17","statusCode":"200","elapsedTimeS":"0.005","threadName":"http-nio-8080-exec-3"}`, 5 * ms, time.Second, true},
		{"Spring Boot, microseconds", `[29/Nov/2026:21:16:22 +0100] 203.0.113.9 GET /a/17 HTTP/1.1 200 (5376 microseconds)`, 5376 * us, us, true},
		{"Spring Boot, milliseconds", `[29/Nov/2026:21:16:22 +0100] 203.0.113.9 GET /a/17 HTTP/1.1 200 (5 ms)`, 5 * ms, ms, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := logtest.Read(t, format, []byte(c.line), ingest.Options{})
			if len(got.Samples) != 1 {
				t.Fatalf("%+v", got)
			}
			s, shape := got.Samples[0], got.Log.Shapes[0]
			at := s.End
			if s.Latency >= 0 {
				at = s.Start.Add(s.Latency)
			}
			if s.Latency != c.latency || s.Op != "GET /a/{id}" || s.Status != 200 || at != end || s.Vantage != ingest.Server || shape.Stamp != ingest.StampEnd {
				t.Errorf("%+v %+v", s, shape)
			}
			if shape.Unit != c.unit || (c.unit == 0 && s.Latency >= 0) != (shape.Assumed == ms && shape.Other == us) {
				t.Errorf("%+v", shape)
			}
			if own := Dialect.Claims([]byte(c.line)) == log.Own; own != c.own {
				t.Errorf("claimed: %v", own)
			}
		})
	}
}

// %T and %F tell the unit of %D; both do so in JSON too.
func TestUnit(t *testing.T) {
	pattern := ingest.Options{LogFormat: `%h %t "%r" %s %D %T %F %I`}
	line := func(rest string) string {
		return `203.0.113.9 [29/Nov/2026:21:16:22 +0100] "GET /a/17 HTTP/1.1" 200 ` + rest + " http-nio-8080-exec-3\n"
	}
	for _, c := range []struct {
		in   string
		opt  ingest.Options
		unit time.Duration
	}{
		{line("2005 2.005 2004") + line("5 0.005 5"), pattern, ms},
		{line("2005376 2.005 2004") + line("5376 0.005 5"), pattern, us},
		{line("2005 2 0") + line("5 0 0"), pattern, ms},
		{line("5 0 0"), pattern, 0},
		{line("0 0 0"), pattern, 0},
		{strings.Replace(goodJSON, `"elapsedTime":"5"`, `"elapsedTime":"5","firstByteTime":"4"`, 1), ingest.Options{}, 0}, // 5 s would do as well
		{strings.Replace(goodJSON, `"elapsedTime":"5"`, `"elapsedTime":"5376","elapsedTimeS":"0.005"`, 1), ingest.Options{}, us},
		{goodJSON, ingest.Options{Unit: us}, us},
		{good, ingest.Options{LogFormat: `%h %l %u %t "%r" %s %b %{us}T %I`}, us},
		{good, ingest.Options{LogFormat: `%h %l %u %t &quot;%r&quot; %s %b %{ns}T %I`}, time.Nanosecond},
	} {
		got := logtest.Read(t, format, []byte(c.in), c.opt)
		if len(got.Problems) > 0 || len(got.Log.Shapes) != 1 || got.Log.Shapes[0].Unit != c.unit {
			t.Errorf("%s: %+v", c.in, got)
		}
	}
}

func TestPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, line string
		stamp         ingest.Stamp
		at            time.Time // as stamped
		latency       time.Duration
	}{
		{"common", front[:len(front)-1], ingest.StampEnd, time.Unix(0, int64(end)), ingest.NoLatency},
		{`%h %t "%r" %s %{ms}T`, `203.0.113.9 [29/Nov/2026:21:16:22 +0100] "GET /a/17 HTTP/1.1" 200 5`, ingest.StampEnd, time.Unix(0, int64(end)), 5 * ms},
		{`%{yyyy-MM-dd'T'HH:mm:ss.SSSXXX}t %m %U %s %{us}T`, `2026-11-29T21:16:22.250+01:00 GET /a/17 200 5376`, ingest.StampEnd, time.Unix(0, int64(end)).Add(250 * ms), 5376 * us},
		{`%{begin:yyyy-MM-dd HH:mm:ss.SSS}t %m %U %s %{us}T`, `2026-11-29 20:16:22.250 GET /a/17 200 5376`, ingest.StampStart, time.Unix(0, int64(end)).Add(250 * ms), 5376 * us},
		{`%{msec}t %m %U %s %T`, `1795983382250 GET /a/17 200 0.005`, ingest.StampEnd, time.Unix(0, int64(end)).Add(250 * ms), 5 * ms},
	} {
		got := logtest.Read(t, format, []byte(c.line), ingest.Options{LogFormat: c.pattern})
		if len(got.Samples) != 1 {
			t.Errorf("%s: %v", c.pattern, got.Problems)
			continue
		}
		s, at := got.Samples[0], ingest.Time(c.at.UnixNano())
		stamp := s.Start
		switch {
		case s.Latency < 0:
			stamp = s.End
		case c.stamp == ingest.StampEnd:
			stamp = s.Start.Add(s.Latency)
		}
		if stamp != at || s.Latency != c.latency || got.Log.Shapes[0].Stamp != c.stamp {
			t.Errorf("%s: %+v %+v", c.pattern, s, got.Log.Shapes)
		}
	}
	if !format.Speaks(`%h %t "%r" %s %D %{id}s`) || format.Speaks(`%h %l %u %t "%r" %>s %O %D`) || format.Speaks("$status") {
		t.Error("the wrong language")
	}
	for _, bad := range []string{"%", "%{x", "%h"} {
		if _, err := Dialect.Learn(nil, ingest.Options{LogFormat: bad}); err == nil {
			t.Errorf("%q is no pattern", bad)
		}
	}
}

func TestForeign(t *testing.T) {
	for line, want := range map[string]log.Claim{
		front + `"-" "curl"`: log.Foreign, front + "5": log.Foreign, front + `0.005`: log.Foreign, "": log.Foreign, "x": log.Foreign,
		`{"statusCode":200,"request":"GET /","elapsedTime":5,"time":"2026-11-29T21:16:22Z"}`:                                   log.Foreign,
		`29-Nov-2026 21:16:22.123 INFO [main] org.apache.catalina.startup.Catalina.start Server startup in [812] milliseconds`: log.Aside,
	} {
		if got := Dialect.Claims([]byte(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	broken := logtest.One(t, format, `203.0.113.9 [29/Nov/2026:21:16:22 +0100] "GET / HTTP/1.1" 200 5 X`, ingest.Options{LogFormat: `%h %t "%r" %s %D %X`})
	if broken.Outcome != ingest.Canceled {
		t.Errorf("%+v", broken)
	}
	got := logtest.Read(t, format, []byte(good+"\n"+front+`5 6 http-nio-8080-exec-3`+"\n"+goodJSON[:100]+"\n"), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestDirt(t *testing.T) {
	logtest.Dirty(t, Dialect, good)
	logtest.Dirty(t, Dialect, goodJSON)
}

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, good) }
func BenchmarkJSON(b *testing.B) { logtest.Bench(b, format, goodJSON) }
