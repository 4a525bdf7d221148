package azure

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const (
	second = `{"timeStamp":"2026-11-29T21:16:22+00:00","listenerName":"http","category":"ApplicationGatewayAccessLog","properties":{"instanceId":"appgw_2","httpMethod":"GET",` +
		`"originalRequestUriWithArgs":"\/a\/17?q=1","requestUri":"\/b","httpStatus":200,"timeTaken":0.25,"transactionId":"592d1649f75a8d480a3c4dc6a975309d",` +
		`"serverRouted":"10.0.0.1:443, 10.0.0.2:443","serverStatus":"502, 200","serverResponseLatency":"0.028, 0.200"}}`
	first1 = `{"time":"2026-11-29T21:16:22Z","category":"ApplicationGatewayAccessLog","properties":{"instanceId":"ApplicationGatewayRole_IN_0","httpMethod":"GET","requestUri":"/a/17","httpStatus":200,"timeTaken":250}}`
	door1  = `{"time":"2026-11-29T21:16:22.0000000Z","category":"FrontDoorAccessLog","properties":{"trackingReference":"0abc","httpMethod":"GET","requestUri":"https://shop.example:443/a/17?x=1","httpStatusCode":"200","timeTaken":"0.250","timeToFirstByte":"0.249"}}`
)

var (
	format = Dialect.Format()
	at     = ingest.Time(time.Date(2026, 11, 29, 21, 16, 22, 0, time.UTC).UnixNano())
)

func TestCorpus(t *testing.T) {
	logtest.Check(t, format, logtest.Case{File: "azure/appgw_v1_milliseconds.json", Unit: time.Millisecond, Stamp: ingest.StampEnd})
	logtest.Check(t, format, logtest.Case{File: "azure/appgw_v2_seconds.json", Unit: time.Second, Stamp: ingest.StampEnd})
	logtest.Claims(t, format, "azure/")
	logtest.Lines(t, Dialect, "azure/")
}

// The same key, another unit.
func TestUnits(t *testing.T) {
	for in, unit := range map[string]time.Duration{
		second: time.Second, first1: time.Millisecond, door1: time.Second,
		strings.Replace(first1, "ApplicationGatewayRole_IN_0", "x", 1): 0,
	} {
		got := logtest.Read(t, format, []byte(in), ingest.Options{})
		if len(got.Samples) != 1 || got.Log.Shapes[0].Unit != unit {
			t.Fatalf("%s: %+v, %v", in, got.Log.Shapes, got.Problems)
		}
		s := got.Samples[0]
		if unit != 0 && (s.Latency != 250*time.Millisecond || s.Start.Add(s.Latency) != at) || s.Op != "GET /a/{id}" || s.Status != 200 {
			t.Errorf("%s: %+v", in, s)
		}
		if Dialect.Claims([]byte(in)) != log.Own {
			t.Errorf("%s: not claimed", in)
		}
	}
	if s := logtest.One(t, format, second, ingest.Options{Unit: time.Millisecond}); s.Latency != 250*time.Microsecond || s.Attempts[1].Latency != 200*time.Millisecond {
		t.Errorf("%+v", s)
	}
}

func TestLines(t *testing.T) {
	s := logtest.One(t, format, second, ingest.Options{})
	if s.Retries() != 1 || s.Attempts[0] != (ingest.Attempt{Peer: "10.0.0.1:443", Status: 502, Latency: 28 * time.Millisecond}) || s.Request != "592d1649f75a8d480a3c4dc6a975309d" {
		t.Errorf("%+v", s)
	}
	if s := logtest.One(t, format, strings.Replace(second, `"httpStatus":200`, `"httpStatus":499`, 1), ingest.Options{}); s.Outcome != ingest.Canceled {
		t.Errorf("%+v", s)
	}
	if s := logtest.One(t, format, strings.Replace(door1, `"httpStatusCode":"200"`, `"httpStatusCode":"0"`, 1), ingest.Options{}); s.Outcome != ingest.Failed || s.Request != "0abc" {
		t.Errorf("%+v", s)
	}
	for _, bad := range []string{second[:80], strings.Replace(second, "0.25,", `"x",`, 1), `{"category":"ApplicationGatewayAccessLog"}`, `{"category":"AuditLog"}`} {
		if got := logtest.Read(t, format, []byte(bad), ingest.Options{}); len(got.Samples) != 0 || len(got.Problems) != 1 {
			t.Errorf("%s: %+v, %v", bad, got.Samples, got.Problems)
		}
	}
	if near := format.Near([]byte(`{"records":[{"time":"x"}]}`)); !strings.Contains(near, "jq") {
		t.Error(near)
	}
}

func TestDirt(t *testing.T) { logtest.Dirty(t, Dialect, first1) }

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, second) }
