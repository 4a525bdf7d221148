package traefik

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

var jsonFormat = JSON.Format()

const jsonLine = `{"ClientAddr":"192.0.2.7:4711","DownstreamStatus":200,"Duration":50123456,"OriginDuration":48000001,"OriginStatus":200,"Overhead":2123455,"RequestMethod":"GET","RequestPath":"/cart/17?x=1","RetryAttempts":0,"RouterName":"shop@file","ServiceAddr":"10.0.0.9:8080","StartLocal":"2026-11-29T22:20:31.539123456+01:00","StartUTC":"2026-11-29T21:20:31.539123456Z","entryPointName":"web","level":"info","msg":"","request_X-Request-Id":"r-17","request_Traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","time":"2026-11-29T21:20:31Z"}`

func TestJSONCorpus(t *testing.T) {
	for _, file := range []string{"traefik/crowdsec_json.log", "traefik/matomo_json_504.log"} {
		logtest.Check(t, jsonFormat, logtest.Case{File: file, Unit: time.Nanosecond, Stamp: ingest.StampStart})
	}
	logtest.Claims(t, jsonFormat, "traefik/crowdsec_json.log", "traefik/matomo_json_504.log")
	for _, file := range []string{"traefik/crowdsec_json.log", "traefik/matomo_json_504.log"} {
		for line := range bytes.Lines(logtest.Load(t, file)) {
			if claimsJSON(bytes.TrimSpace(line)) != log.Own {
				t.Errorf("%s", line)
			}
		}
	}
}

func TestJSONLine(t *testing.T) {
	start := time.Date(2026, 11, 29, 21, 20, 31, 539123456, time.UTC)
	s := logtest.One(t, jsonFormat, jsonLine, ingest.Options{})
	if s.Op != "GET /cart/{id}" || s.Latency != 50123456 || s.Status != 200 || int64(s.Start) != start.UnixNano() || s.Tries != 1 || s.Request != "r-17" || s.Trace[0] != 0x4b || s.Vantage != ingest.Proxy {
		t.Errorf("%+v", s)
	}
	if len(s.Attempts) != 1 || s.Attempts[0] != (ingest.Attempt{Peer: "10.0.0.9:8080", Latency: 48000001, Status: 200}) {
		t.Errorf("%+v", s.Attempts)
	}
}

func TestJSONTraps(t *testing.T) {
	start := time.Date(2026, 11, 29, 21, 20, 31, 539123456, time.UTC)
	for _, c := range []struct {
		name, old, new  string
		status          int
		outcome         ingest.Outcome
		tries, attempts int
		start           time.Time
		stream          bool
	}{
		{"a status in quotes", `"DownstreamStatus":200`, `"DownstreamStatus":"504"`, 504, ingest.TimedOut, 1, 1, start, false},
		{"the client left", `"DownstreamStatus":200`, `"DownstreamStatus":499`, 499, ingest.Canceled, 1, 1, start, false},
		{"no answer", `"DownstreamStatus":200`, `"DownstreamStatus":0`, 0, ingest.Failed, 1, 1, start, false},
		{"a websocket", `"DownstreamStatus":200`, `"DownstreamStatus":101`, 101, ingest.OK, 1, 1, start, true},
		{"retried", `"RetryAttempts":0`, `"RetryAttempts":2`, 200, ingest.OK, 3, 0, start, false},
		{"no service", `"OriginDuration":48000001,"OriginStatus":200,"Overhead":2123455,`, `"Overhead":1,`, 200, ingest.OK, 1, 0, start, false},
		{"the start dropped", `"StartUTC":"2026-11-29T21:20:31.539123456Z",`, ``, 200, ingest.OK, 1, 1, start, false},
		{"both dropped", `"StartLocal":"2026-11-29T22:20:31.539123456+01:00","StartUTC":"2026-11-29T21:20:31.539123456Z",`, ``, 200, ingest.OK, 1, 1, time.Date(2026, 11, 29, 21, 20, 31, 0, time.UTC).Add(-50123456), false},
		{"blanks", `"Duration":50123456,`, `"Duration": 50123456, `, 200, ingest.OK, 1, 1, start, false},
	} {
		if !strings.Contains(jsonLine, c.old) {
			t.Fatal(c.name)
		}
		l := strings.Replace(jsonLine, c.old, c.new, 1)
		s := logtest.One(t, jsonFormat, l, ingest.Options{})
		if s.Status != c.status || s.Outcome != c.outcome || int(s.Tries) != c.tries || len(s.Attempts) != c.attempts || int64(s.Start) != c.start.UnixNano() || s.Latency != 50123456 || s.Stream != c.stream {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	// Nothing was asked of a service.
	l := `{"DownstreamStatus":404,"Duration":50,"RequestMethod":"GET","RequestPath":"/x","RetryAttempts":0,"entryPointName":"web","StartUTC":"2026-11-29T21:20:31Z"}`
	if s := logtest.One(t, jsonFormat, l, ingest.Options{}); s.Tries != 0 || len(s.Attempts) != 0 {
		t.Errorf("%+v", s)
	}
	// --unit beats the format.
	if s := logtest.One(t, jsonFormat, jsonLine, ingest.Options{Unit: time.Microsecond}); s.Latency != 50123456*time.Microsecond {
		t.Errorf("%+v", s)
	}
}

func TestJSONUnread(t *testing.T) {
	for l, want := range map[string]error{
		`{"level":"info","msg":"Configuration loaded","time":"2026-11-29T21:20:31Z"}`: log.ErrOther,
		jsonLine[:200]: log.ErrJSON,
		strings.Replace(jsonLine, "50123456", `"soon"`, 1):                                log.ErrLatency,
		strings.Replace(jsonLine, "50123456", `-5`, 1):                                    log.ErrLatency,
		strings.Replace(jsonLine, "2026-11-29T21:20:31.539123456Z", "x", 1):               log.ErrStamp,
		strings.Replace(jsonLine, `"DownstreamStatus":200`, `"DownstreamStatus":2000`, 1): log.ErrStatus,
		strings.Replace(jsonLine, `"RetryAttempts":0`, `"RetryAttempts":"a"`, 1):          errRetries,
		"plain text \xff": log.ErrOther,
	} {
		got := logtest.Read(t, jsonFormat, []byte(l+"\n"+jsonLine+"\n"), ingest.Options{})
		if len(got.Samples) != 1 || len(got.Problems) != 1 || !strings.HasPrefix(got.Problems[0].Error(), want.Error()) {
			t.Errorf("%s: %d requests, %v, want %v", l, len(got.Samples), got.Problems, want)
		}
	}
	for name, l := range map[string]string{
		"100 kB": strings.Replace(jsonLine, "x=1", strings.Repeat("x", 100_000), 1), "NULs": strings.Repeat("\x00", 5000) + jsonLine, "invalid UTF-8": strings.Replace(jsonLine, "/17", "/\xff", 1),
	} {
		if got := logtest.Read(t, jsonFormat, []byte(l), ingest.Options{}); len(got.Samples) != 1 {
			t.Errorf("%s: %v", name, got.Problems)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	const n = 100_000
	var buf bytes.Buffer
	r, at := rand.New(rand.NewPCG(1, 2)), time.Date(2026, 11, 29, 21, 0, 0, 0, time.UTC)
	for i := range n {
		fmt.Fprintf(&buf, "{\"DownstreamStatus\":200,\"Duration\":%d,\"OriginDuration\":%d,\"RequestMethod\":\"GET\",\"RequestPath\":\"/api/section%d/%d\",\"RetryAttempts\":0,\"ServiceAddr\":\"10.0.9.%d:80\",\"StartUTC\":\"%s\"}\n",
			r.IntN(90_000_000), r.IntN(90_000_000), r.IntN(8), r.IntN(100000), r.IntN(4), at.Add(time.Duration(i)*time.Millisecond).Format(time.RFC3339Nano))
	}
	data := buf.Bytes()
	in := ingest.Input{Head: data[:ingest.HeadSize]}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		got := 0
		for rec, err := range jsonFormat.Read(bytes.NewReader(data), in) {
			if err != nil {
				b.Fatal(err)
			}
			if _, ok := rec.(*ingest.Sample); ok {
				got++
			}
		}
		if got != n {
			b.Fatal(got)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

func FuzzJSON(f *testing.F) {
	logtest.Fuzz(f, jsonFormat, jsonLine, strings.Replace(jsonLine, `"DownstreamStatus":200`, `"DownstreamStatus":"504"`, 1))
}
