package kong

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

var format = Dialect.Format()

const (
	ms   = time.Millisecond
	line = `{"request":{"method":"GET","uri":"/cart/17?x=1","url":"https://shop.example:8443/cart/17?x=1","id":"abc","size":93,"querystring":{"x":"1"},"headers":{"host":"shop.example","x-request-id":"r-17","traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}},"upstream_status":"200","response":{"status":200,"size":934,"headers":{"status":"500 no","via":"1.1 kong/3.8"}},"latencies":{"request":50,"kong":2,"proxy":47,"receive":1},"tries":[{"balancer_latency":0,"port":8080,"balancer_start":1795987231540,"ip":"10.0.0.9"}],"route":{"id":"r","methods":["GET"]},"service":{"host":"up","port":80,"protocol":"http"},"client_ip":"192.0.2.7","started_at":1795987231539}`
)

func with(old, new string) string { return strings.Replace(line, old, new, 1) }

func TestCorpus(t *testing.T) {
	const file = "kong/kong_351_file_log.json"
	logtest.Check(t, format, logtest.Case{File: file, Unit: ms})
	logtest.Claims(t, format, file)
	data := logtest.Load(t, file)
	if claims(bytes.TrimSpace(data)) != log.Own {
		t.Error("not claimed")
	}
	s := logtest.Read(t, format, data, ingest.Options{}).Samples[0]
	if s.Op != "GET /get" || s.Start != 0 || s.Tries != 0 {
		t.Errorf("%+v", s)
	}
}

func TestLine(t *testing.T) {
	got := logtest.Read(t, format, []byte(line), ingest.Options{})
	s := got.Samples[0]
	if s.Op != "GET /cart/{id}" || s.Latency != 50*ms || s.Status != 200 || s.Outcome != ingest.OK || s.Request != "r-17" || s.Trace[0] != 0x4b || s.Vantage != ingest.Proxy || s.Stream {
		t.Errorf("%+v", s)
	}
	if want := time.Date(2026, 11, 29, 21, 20, 31, 539e6, time.UTC).UnixNano(); int64(s.Start) != want {
		t.Errorf("%d, want %d", s.Start, want)
	}
	if len(s.Attempts) != 1 || s.Attempts[0] != (ingest.Attempt{Peer: "10.0.0.9:8080", Latency: 47 * ms, Status: 200}) {
		t.Errorf("%+v", s.Attempts)
	}
	if x := got.Log.Shapes[0]; x.Zone != ingest.ZoneUTC || x.Stamp != ingest.StampStart || x.UnitFrom != ingest.UnitFromFormat {
		t.Errorf("%+v", x)
	}
}

// Tries that failed: how long each took follows from the start of the next.
func TestTries(t *testing.T) {
	l := with(`{"balancer_latency":0,"port":8080,"balancer_start":1795987231540,"ip":"10.0.0.9"}`,
		`{"balancer_latency":0,"port":8080,"balancer_start":1795987231540,"ip":"10.0.0.9","state":"failed","code":502},{"port":8081,"balancer_start":1795987231570,"balancer_start_ns":1795987231570500000,"ip":"10.0.0.9","state":"failed","code":504},{"port":80,"balancer_start_ns":1795987231580500000,"ip":"10.0.0.8"}`)
	s := logtest.One(t, format, l, ingest.Options{})
	want := []ingest.Attempt{{Peer: "10.0.0.9:8080", Latency: 30500 * time.Microsecond, Status: 502}, {Peer: "10.0.0.9:8081", Latency: 10 * ms, Status: 504}, {Peer: "10.0.0.8:80", Latency: -1, Status: 200}}
	if s.Tries != 3 || s.Retries() != 2 || len(s.Attempts) != 3 || s.Attempts[0] != want[0] || s.Attempts[1] != want[1] || s.Attempts[2] != want[2] {
		t.Errorf("%+v", s)
	}
	s = logtest.One(t, format, with(`"tries":[`, `"tries":[`+strings.Repeat(`{"ip":"}\"{"},`, 500)), ingest.Options{})
	if s.Tries != 501 || len(s.Attempts) != mostTries {
		t.Errorf("%d %d", s.Tries, len(s.Attempts))
	}
}

func TestTraps(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		status         int
		outcome        ingest.Outcome
		latency        time.Duration
	}{
		{"numbers in quotes", `{"request":50,"kong":2,"proxy":47,"receive":1}`, `{"request":"50","kong":"2","proxy":"47"}`, 200, ingest.OK, 50 * ms},
		{"no upstream asked", `"proxy":47`, `"proxy":-1`, 200, ingest.OK, 50 * ms},
		{"the client left", `"status":200`, `"status":499`, 499, ingest.Canceled, 50 * ms},
		{"timed out", `"status":200`, `"status":504`, 504, ingest.TimedOut, 50 * ms},
		{"a websocket", `"status":200`, `"status":101`, 101, ingest.OK, 50 * ms},
		{"no tries", `[{"balancer_latency":0,"port":8080,"balancer_start":1795987231540,"ip":"10.0.0.9"}]`, `[]`, 200, ingest.OK, 50 * ms},
		{"tries an object", `[{"balancer_latency":0,"port":8080,"balancer_start":1795987231540,"ip":"10.0.0.9"}]`, `{}`, 200, ingest.OK, 50 * ms},
		{"latency -1", `"request":50`, `"request":-1`, 200, ingest.OK, ingest.NoLatency},
	} {
		s := logtest.One(t, format, with(c.old, c.new), ingest.Options{})
		if s.Status != c.status || s.Outcome != c.outcome || s.Latency != c.latency || s.Stream != (c.status == 101) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	s := logtest.One(t, format, `{"latencies":{"kong":1,"session":60000},"session":{"tls":{},"received":1,"sent":2,"status":200},"started_at":1795987231539,"tries":[]}`, ingest.Options{})
	if !s.Stream || s.Latency != time.Minute || s.Op != "TCP" || s.Outcome != ingest.OK {
		t.Errorf("%+v", s)
	}
	if s := logtest.One(t, format, line, ingest.Options{Unit: time.Second}); s.Latency != 50*time.Second {
		t.Errorf("%+v", s)
	}
}

func TestUnread(t *testing.T) {
	for l, want := range map[string]error{
		`{"latencies":{"kong":1},"response":{"status":200}}`:      log.ErrOther,
		`{"a":{"request":5,"other":2},"response":{"status":200}}`: log.ErrOther,
		line[:300]: log.ErrJSON,
		with(`"request":50`, `"request":"5.0.1"`): log.ErrLatency,
		with(`"status":200`, `"status":"x"`):      log.ErrStatus,
		with(`:1795987231539}`, `:"x"}`):          log.ErrStamp,
		"[" + line + "]":                          log.ErrOther,
		"\xff\xfe":                                log.ErrOther,
	} {
		got := logtest.Read(t, format, []byte(l+"\n"+line+"\n"), ingest.Options{})
		if len(got.Samples) != 1 || len(got.Problems) != 1 || !strings.HasPrefix(got.Problems[0].Error(), want.Error()) {
			t.Errorf("%s: %d requests, %v, want %v", l, len(got.Samples), got.Problems, want)
		}
	}
	for name, l := range map[string]string{"100 kB": with("x=1", strings.Repeat("x", 100_000)), "NULs": strings.Repeat("\x00", 5000) + line, "invalid UTF-8": with("/17", "/\xff"), "cut list": with(`"tries":[{`, `"tries":["{",{`)} {
		if got := logtest.Read(t, format, []byte(l), ingest.Options{}); len(got.Samples) != 1 {
			t.Errorf("%s: %v", name, got.Problems)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	const n = 100_000
	var buf bytes.Buffer
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		fmt.Fprintf(&buf, "{\"request\":{\"method\":\"GET\",\"uri\":\"/api/section%d/%d\"},\"response\":{\"status\":200},\"latencies\":{\"request\":%d,\"kong\":1,\"proxy\":5},\"tries\":[{\"port\":80,\"balancer_start\":%d,\"ip\":\"10.0.9.%d\"}],\"started_at\":%d}\n",
			r.IntN(8), r.IntN(100000), r.IntN(90), 1795987231000+i, r.IntN(4), 1795987231000+i)
	}
	data := buf.Bytes()
	in := ingest.Input{Head: data[:ingest.HeadSize]}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		got := 0
		for rec, err := range format.Read(bytes.NewReader(data), in) {
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

func FuzzRead(f *testing.F) {
	logtest.Fuzz(f, format, line, with(`"tries":[`, `"tries":[{"ip":"}\"{","balancer_start_ns":1.8e+18},`),
		`{"latencies":{"kong":1,"session":60000},"session":{"status":200},"started_at":1795987231539,"tries":[]}`)
}
