package gcp

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const line = `{"httpRequest":{"latency":"0.250s","remoteIp":"203.0.113.9:4711","requestMethod":"GET","requestUrl":"https://shop.example/a/17?q=\"1","status":200},` +
	`"insertId":"x","jsonPayload":{"statusDetails":"response_sent_by_backend"},"receiveTimestamp":"2026-11-29T21:16:25.5Z","timestamp":"2026-11-29T21:16:22.500000Z",` +
	`"trace":"projects/shop/traces/0af7651916cd43dd8448eb211c80319c"}`

var (
	format = Dialect.Format()
	at     = ingest.Time(time.Date(2026, 11, 29, 21, 16, 22, 500e6, time.UTC).UnixNano())
)

func TestCorpus(t *testing.T) {
	logtest.Check(t, format, logtest.Case{File: "gcp/wazuh_9000_lb.json", Unit: time.Second, Stamp: ingest.StampEnd})
	logtest.Claims(t, format, "gcp/")
	logtest.Lines(t, Dialect, "gcp/")
	if s := logtest.Read(t, format, logtest.Load(t, "gcp/wazuh_9000_lb.json"), ingest.Options{}).Samples[0]; s.Op != "GET /favicon.ico" || s.Outcome != ingest.Failed || s.Latency != 864*time.Microsecond {
		t.Errorf("%+v", s)
	}
}

func TestLines(t *testing.T) {
	for detail, c := range map[string]struct {
		outcome ingest.Outcome
		stream  bool
	}{
		"response_sent_by_backend":                   {ingest.OK, false},
		"client_disconnected_before_any_response":    {ingest.Canceled, false},
		"client_disconnected_after_partial_response": {ingest.Canceled, false},
		"backend_timeout":                            {ingest.TimedOut, false},
		"websocket_closed":                           {ingest.OK, true},
	} {
		s := logtest.One(t, format, strings.Replace(line, "response_sent_by_backend", detail, 1), ingest.Options{})
		if s.Outcome != c.outcome || s.Stream != c.stream || s.Latency != 250*time.Millisecond || s.Start != at || s.Op != "GET /a/{id}" || s.Trace[0] != 0x0a {
			t.Errorf("%s: %+v", detail, s)
		}
	}
	s := logtest.One(t, format, strings.Replace(line, `"latency":"0.250s",`, "", 1), ingest.Options{})
	if s.Latency != ingest.NoLatency || s.Start != at {
		t.Errorf("%+v", s)
	}
	s = logtest.One(t, format, strings.Replace(line, `"timestamp"`, `"x"`, 1), ingest.Options{})
	if s.Start.Add(s.Latency) != at.Add(3*time.Second) {
		t.Errorf("%+v", s)
	}
	got := logtest.Read(t, format, []byte(strings.Join([]string{strings.Replace(line, "0.250s", "0.250", 1), line[:60], `{"a":1}`, line}, "\n")), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 2 {
		t.Errorf("%+v, %v", got.Samples, got.Problems)
	}
	if Dialect.Claims([]byte(line)) != log.Own || Dialect.Claims([]byte(`{"httpRequest":1}`)) != log.Foreign {
		t.Error("claims")
	}
}

func TestNear(t *testing.T) {
	if near := format.Near([]byte("[\n  {\n    \"httpRequest\": {\n      \"latency\": \"0.1s\"\n")); !strings.Contains(near, "jq") {
		t.Errorf("near: %q", near)
	}
}

func TestDirt(t *testing.T) { logtest.Dirty(t, Dialect, line) }

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, line) }
