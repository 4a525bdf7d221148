package aws

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const ms = time.Millisecond

const (
	albLine = `h2 2026-11-29T21:16:22.500000Z app/shop/490d68edf04676fe 203.0.113.9:44740 10.0.0.1:80 0.001 0.040 0.002 200 200 34 366 ` +
		`"GET https://shop.example:443/a/17?q=1 HTTP/2.0" "curl/7" ECDHE TLSv1.2 arn:aws:x "Root=1-58337262-36d228ad5d99923122bbe354" ` +
		`"shop.example" "arn:aws:acm:x" 1 2026-11-29T21:16:22.400000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_1234`
	elbLine  = `2026-11-29T21:16:22.500000Z shop-elb 203.0.113.9:44740 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 "GET http://shop.example:80/a/17 HTTP/1.1" "curl/7" - -`
	edgeLine = "2026-11-29\t21:16:22\tFRA2\t182\t203.0.113.9\tGET\td1.cloudfront.net\t/a/17\t200\t-\tcurl%2520\t-\t-\tMiss\tid-1==\tshop.example\thttps\t217\t0.250\t-\tTLSv1.3\tx\tMiss\tHTTP/2.0\t-\t-"
)

var at = ingest.Time(time.Date(2026, 11, 29, 21, 16, 22, 0, time.UTC).UnixNano())

func replace(old, new string) string { return strings.Replace(albLine, old, new, 1) }

func TestALB(t *testing.T) {
	given := func(status, rpt string) string {
		return replace("0.001 0.040 0.002 200 200", rpt+" -1 -1 "+status+" -")
	}
	for name, c := range map[string]struct {
		line    string
		latency time.Duration
		outcome ingest.Outcome
		status  int
	}{
		"whole":                            {albLine, 43 * ms, ingest.OK, 200},
		"no fields behind the trace id":    {albLine[:strings.Index(albLine, ` "shop.example"`)], 43 * ms, ingest.OK, 200},
		"more fields behind":               {albLine + ` "new" 17 -`, 43 * ms, ingest.OK, 200},
		"a quote in the user agent":        {replace(`curl/7`, `a"b \" c`), 43 * ms, ingest.OK, 200},
		"not dispatched":                   {given("302", "-1"), ingest.NoLatency, ingest.OK, 302},
		"no answer":                        {given("502", "0.001"), ingest.NoLatency, ingest.Failed, 502},
		"the target was too slow":          {given("504", "0.001"), 100 * ms, ingest.TimedOut, 504}, // from request_creation_time
		"the client left":                  {given("460", "-1"), 100 * ms, ingest.Canceled, 460},
		"the client left, no creation":     {given("460", "-1")[:strings.Index(given("460", "-1"), ` "shop.example"`)], ingest.NoLatency, ingest.Canceled, 460},
		"the client left, creation absurd": {strings.Replace(given("460", "0.003"), "2026-11-29T21:16:22.400000Z", "2018-07-02T22:22:48.364000Z", 1), 3 * ms, ingest.Canceled, 460},
		"no status":                        {given("-", "-1"), ingest.NoLatency, ingest.Failed, 0},
	} {
		s := logtest.One(t, alb, c.line, ingest.Options{})
		if s.Latency != c.latency || s.Outcome != c.outcome || s.Status != c.status || s.Op != "GET /a/{id}" || s.Vantage != ingest.Proxy || s.Request != "1-58337262-36d228ad5d99923122bbe354" {
			t.Errorf("%s: %+v", name, s)
		}
		if hex.EncodeToString(s.Trace[:]) != "5833726236d228ad5d99923122bbe354" {
			t.Errorf("%s: trace %x", name, s.Trace)
		}
		end := s.End
		if end == 0 {
			end = s.Start.Add(s.Latency)
		}
		if end != at.Add(500*ms) {
			t.Errorf("%s: ends at %v", name, end)
		}
		if len(s.Attempts) != 0 {
			t.Errorf("%s: one target is no list of tries: %v", name, s.Attempts)
		}
		if ALB.Claims([]byte(c.line)) != log.Own {
			t.Errorf("%s: not claimed", name)
		}
	}
	s := logtest.One(t, alb, replace(`"10.0.0.1:80" "200"`, `"10.0.0.1:80 10.0.0.2:80" "503 200"`), ingest.Options{})
	if s.Retries() != 1 || s.Attempts[0] != (ingest.Attempt{Peer: "10.0.0.1:80", Status: 503, Latency: -1}) || s.Attempts[1].Peer != "10.0.0.2:80" {
		t.Errorf("%+v", s)
	}
	if s := logtest.One(t, alb, "ws"+albLine[2:], ingest.Options{}); !s.Stream {
		t.Error("a websocket is no request")
	}
	for in, want := range map[string]error{
		albLine[:120]:                                            errShort,
		replace("0.040", "0.04x"):                                log.ErrLatency,
		replace("0.040", "-3"):                                   log.ErrLatency,
		replace(" 200 200 ", " 2x0 200 "):                        log.ErrStatus,
		replace("2026-11", "2026-13"):                            log.ErrStamp,
		"tls 2.0 2026-11-29T21:16:22 net/shop/1 2 203.0.113.9:1": log.ErrOther,
	} {
		got := logtest.Read(t, alb, []byte(in), ingest.Options{})
		if len(got.Samples) != 0 || len(got.Problems) != 1 || !errors.Is(got.Problems[0], want) {
			t.Errorf("%s: %v, %v", in, got.Samples, got.Problems)
		}
	}
}

func TestELB(t *testing.T) {
	s := logtest.One(t, elb, elbLine, ingest.Options{})
	if s.Latency != 1178*time.Microsecond || s.Start != at.Add(500*ms) || s.Op != "GET /a/{id}" || s.Status != 200 || s.Stream {
		t.Errorf("%+v", s)
	}
	s = logtest.One(t, elb, strings.Replace(elbLine, "0.000073 0.001048 0.000057 200 200", "0.000073 -1 -1 504 0", 1), ingest.Options{})
	if s.Latency != 73*time.Microsecond || s.Outcome != ingest.TimedOut {
		t.Errorf("%+v", s)
	}
	s = logtest.One(t, elb, strings.Replace(elbLine, "10.0.0.1:80 0.000073 0.001048 0.000057 200 200", "- -1 -1 -1 503 0", 1), ingest.Options{})
	if s.Latency != ingest.NoLatency || s.Outcome != ingest.Failed || s.Start != at.Add(500*ms) {
		t.Errorf("%+v", s)
	}
	s = logtest.One(t, elb, `2026-11-29T21:16:22.500000Z shop-elb 203.0.113.9:44740 10.0.0.1:443 0.001069 0.000028 0.000041 - - 82 305 "- - - " "-" ECDHE TLSv1.2`, ingest.Options{})
	if !s.Stream || s.Op != "TCP" || s.Status != 0 || s.Outcome != ingest.OK {
		t.Errorf("%+v", s)
	}
}

func TestCloudFront(t *testing.T) {
	s := logtest.One(t, cloudFront, edgeLine, ingest.Options{})
	if s.Latency != 250*ms || s.Start != at.Add(-250*ms) || s.Op != "GET /a/{id}" || s.Request != "id-1==" {
		t.Errorf("%+v", s)
	}
	if s := logtest.One(t, cloudFront, strings.Replace(edgeLine, "\t200\t", "\t000\t", 1), ingest.Options{}); s.Outcome != ingest.Canceled || s.Latency != 250*ms {
		t.Errorf("%+v", s)
	}
	if s := logtest.One(t, cloudFront, strings.Replace(edgeLine, "\thttps\t", "\twss\t", 1), ingest.Options{}); !s.Stream {
		t.Error("a websocket is no request")
	}
	// A header in an order of its own, and with a stamp that is a number.
	chosen := "#Fields: timestamp(ms) time-taken cs-uri-stem sc-status cs-method x-edge-location\n1795986982500\t0.5\t/a/17\t504\tGET\tFRA2\n"
	got := logtest.Read(t, cloudFront, []byte(chosen), ingest.Options{})
	if len(got.Samples) != 1 || got.Samples[0].Latency != 500*ms || got.Samples[0].Start != at || got.Samples[0].Outcome != ingest.TimedOut {
		t.Errorf("%+v, %v", got.Samples, got.Problems)
	}
	if !cloudFront.Sniff([]byte(chosen)) {
		t.Error("a header tells whose the lines below are")
	}
	got = logtest.Read(t, cloudFront, []byte(chosen+"#Fields: date time\n"+edgeLine+"\nx\n"+edgeLine[:60]+"\n"), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 4 || !errors.Is(got.Problems[0], errHeader) || !errors.Is(got.Problems[2], log.ErrOther) {
		t.Errorf("%+v, %v", got.Samples, got.Problems)
	}
}

func TestDirt(t *testing.T) {
	logtest.Dirty(t, ALB, albLine)
	logtest.Dirty(t, ELB, elbLine)
	logtest.Dirty(t, CloudFront, edgeLine)
}

// Seconds are what AWS writes; who knows better says so.
func TestUnit(t *testing.T) {
	got := logtest.Read(t, alb, []byte(albLine), ingest.Options{Unit: ms})
	if s := got.Log.Shapes[0]; got.Samples[0].Latency != 43*time.Microsecond || s.Unit != ms || s.UnitFrom != ingest.UnitFromFlag {
		t.Errorf("%+v, %+v", got.Samples, s)
	}
}

func BenchmarkALB(b *testing.B) { logtest.Bench(b, alb, albLine) }
