package squid

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const line = `1795986982.500    250 203.0.113.9 TCP_MISS/200 4110 GET http://shop.example/a/17?q=1 - HIER_DIRECT/192.0.2.1 text/html`

var format = Dialect.Format()

func TestLines(t *testing.T) {
	end := ingest.Time(time.Date(2026, 11, 29, 21, 16, 22, 500e6, time.UTC).UnixNano())
	for old, c := range map[string]struct {
		new, op string
		outcome ingest.Outcome
		stream  bool
	}{
		"":                               {"", "GET /a/{id}", ingest.OK, false},
		"TCP_MISS/200":                   {"TCP_MISS_ABORTED/200", "GET /a/{id}", ingest.Canceled, false},
		"TCP_MISS/2":                     {"TCP_MISS_TIMEDOUT/5", "GET /a/{id}", ingest.TimedOut, false},
		"MISS/200":                       {"MISS/504", "GET /a/{id}", ingest.TimedOut, false},
		"_MISS/200":                      {"_DENIED/403", "GET /a/{id}", ingest.Failed, false},
		"TCP_MISS/20":                    {"NONE/00", "GET /a/{id}", ingest.Failed, false},
		"GET http://shop.example/a/17?q": {"CONNECT shop.example:443", "CONNECT", ingest.OK, true},
	} {
		s := logtest.One(t, format, strings.Replace(line, old, c.new, 1), ingest.Options{})
		if s.Latency != 250*time.Millisecond || s.Start.Add(s.Latency) != end || s.Op != c.op || s.Outcome != c.outcome || s.Stream != c.stream {
			t.Errorf("%s: %+v", c.new, s)
		}
	}
	icp := `1795986982.500      0 203.0.113.9 UDP_MISS/000 64 ICP_QUERY http://shop.example/ - HIER_NONE/- -`
	back := strings.Replace(line, "   250", "   -20", 1)
	got := logtest.Read(t, format, []byte(icp+"\n"+back+"\nx\n"+line), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 2 {
		t.Errorf("%+v, %v", got.Samples, got.Problems)
	}
	if Dialect.Claims([]byte(line)) != log.Own || Dialect.Claims([]byte(icp)) != log.Aside || Dialect.Claims([]byte("x")) != log.Foreign {
		t.Error("claims")
	}
}

func TestForeign(t *testing.T) {
	logtest.Claims(t, format)
	logtest.Lines(t, Dialect)
}

func TestDirt(t *testing.T) { logtest.Dirty(t, Dialect, line) }

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, line) }
