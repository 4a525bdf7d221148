package openstack

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

var format = Dialect.Format()

const (
	id   = "req-0a1b2c3d-0000-4000-8000-000000000001"
	good = `2026-11-29 21:16:22.008 17 INFO nova.osapi_compute.wsgi.server [` + id + ` u p - - -] 203.0.113.9 "GET /v2/0123456789abcdef0123456789abcdef/servers/detail HTTP/1.1" status: 200 len: 1893 time: 0.2477829`
)

func TestCorpus(t *testing.T) {
	logtest.Check(t, format, logtest.Case{File: "openstack/loghub_nova_api.log", Options: ingest.Options{Zone: time.UTC}, Unit: time.Second, Stamp: ingest.StampEnd})
	logtest.Split(t, format, logtest.Load(t, "openstack/loghub_nova_api.log"), ingest.Options{Zone: time.UTC})
	logtest.Lines(t, Dialect, "openstack/loghub_nova_api.log")
}

func TestLines(t *testing.T) {
	end := time.Date(2026, 11, 29, 21, 16, 22, 8e6, time.UTC)
	for _, c := range []struct {
		line    string
		latency time.Duration
		end     time.Time
		id      string
	}{
		{good, 247782900, end, id},
		{"nova-api.log.1.2026-11-29_13:53:08 " + good, 247782900, end, id},
		{`2026-11-29 21:16:22.008 17 INFO neutron.wsgi [-] 203.0.113.9 "GET /v2/17/servers/detail HTTP/1.1" status: 200  len: 251 time: 2.5`, 2500 * time.Millisecond, end, ""},
		{`203.0.113.9 - - [29/Nov/2026 21:16:22] "GET /v2/17/servers/detail?x=" HTTP/1.1" 200 137 0.001029`, 1029 * time.Microsecond, end.Truncate(time.Second), ""},
	} {
		s := logtest.One(t, format, c.line, ingest.Options{})
		if s.Latency != c.latency || s.Status != 200 || s.Op != "GET /v2/{id}/servers/detail" || s.Start.Add(s.Latency) != ingest.Time(c.end.UnixNano()) || s.Request != c.id || s.Vantage != ingest.Server {
			t.Errorf("%s: %+v", c.line, s)
		}
		if Dialect.Claims([]byte(c.line)) != log.Own {
			t.Errorf("%s: not claimed", c.line)
		}
	}
	for line, want := range map[string]log.Claim{
		`2026-11-29 21:16:22.008 17 INFO nova.compute.manager [-] VM Started`:     log.Aside,
		`203.0.113.9 - - [29/Nov/2026 21:16:22] "GET / HTTP/1.1" 200 -`:           log.Foreign,
		`203.0.113.9 - - [29/Nov/2026:21:16:22 +0000] "GET / HTTP/1.1" 200 1 0.1`: log.Foreign,
		`2026-11-29 21:16:22.008 INFO main - "GET / HTTP/1.1" 200`:                log.Foreign,
		`"GET / HTTP/1.1" status: 200 len: 1 time: 0.1`:                           log.Foreign,
		"": log.Foreign,
	} {
		if got := Dialect.Claims([]byte(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	got := logtest.Read(t, format, []byte(good+"\n"+good[:len(good)-16]+"\n"+good[:30]+"\nx\n"), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 3 || got.Log.Shapes[0].Zone != ingest.ZoneUnknown {
		t.Errorf("%+v", got)
	}
}

func TestDirt(t *testing.T) { logtest.Dirty(t, Dialect, good) }

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, good) }
