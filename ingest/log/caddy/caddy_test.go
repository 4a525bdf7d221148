package caddy

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
	line = `{"level":"info","ts":1795987231.589,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET","host":"shop.example","uri":"/cart/17?x=1","headers":{"User-Agent":["curl/8"],"Traceparent":["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],"X-Request-Id":["r-17"],"Accept":["a","b"]}},"user_id":"","duration":0.050000001,"size":45,"status":200,"resp_headers":{"Status":["500"]}}`
	text = "2026/11/29 21:20:31.589\tINFO\thttp.log.access.log1\thandled request\t" + `{"request": {"method": "GET", "uri": "/cart/17"}, "duration": 0.050000001, "size": 41, "status": 200}`
)

func with(old, new string) string { return strings.Replace(line, old, new, 1) }

func TestCorpus(t *testing.T) {
	own := []string{"recorded/f_caddy/access.json", "caddy/lnav_caddy.log", "caddy/crowdsec_caddy.log", "recorded/f_caddy/access_console.log", "recorded/f_caddy/access_iso_string.json"}
	for _, file := range own[:4] {
		logtest.Check(t, format, logtest.Case{File: file, Options: ingest.Options{Zone: time.UTC}, Unit: time.Second, Stamp: ingest.StampEnd})
	}
	logtest.Check(t, format, logtest.Case{File: own[4], Unit: time.Nanosecond, Stamp: ingest.StampEnd}) // the durations of Go, to the nanosecond
	logtest.Claims(t, format, own...)
	for _, file := range own {
		foreign := 0
		for line := range bytes.Lines(logtest.Load(t, file)) {
			if claims(ingest.Clean(nil, bytes.TrimSpace(line))) == log.Foreign {
				foreign++
			}
		}
		if foreign > 1 { // an empty line
			t.Errorf("%s: %d lines are nobody's", file, foreign)
		}
	}
	zones := logtest.Read(t, format, logtest.Load(t, own[3]), ingest.Options{}).Log.Shapes
	if len(zones) != 1 || zones[0].Zone != ingest.ZoneUnknown || zones[0].Layout != "console" {
		t.Errorf("%+v", zones)
	}
}

func TestVariants(t *testing.T) {
	for name, l := range map[string]string{
		"JSON":                 line,
		"console":              text,
		"console in colour":    strings.Replace(text, "INFO", "\x1b[34mINFO\x1b[0m", 1),
		"docker compose":       "caddy-1  | " + line,
		"console, an epoch":    strings.Replace(text, "2026/11/29 21:20:31.589", "1795987231.589", 1),
		"text with a unit":     with("0.050000001", `"50.000001ms"`),
		"an ISO stamp":         with("1795987231.589", `"2026-11-29T22:20:31.589+0100"`),
		"milliseconds' epoch":  with("1795987231.589", "1795987231589.0"),
		"nanoseconds' epoch":   with("1795987231.589", "1795987231589000000"),
		"the logger's default": with("access.log0", "access"),
		"journald":             `{"MESSAGE":"` + strings.ReplaceAll(line, `"`, `\"`) + `","__REALTIME_TIMESTAMP":"1795987231589000"}`,
	} {
		s := logtest.One(t, format, l, ingest.Options{})
		if s.Op != "GET /cart/{id}" || s.Latency != 50000001 || s.Status != 200 || s.Outcome != ingest.OK || s.Vantage != ingest.Proxy {
			t.Errorf("%s: %+v", name, s)
		}
		if end := time.Date(2026, 11, 29, 21, 20, 31, 589e6, time.UTC).UnixNano(); int64(s.Start.Add(s.Latency)) != end {
			t.Errorf("%s: ends %d ns off", name, int64(s.Start.Add(s.Latency))-end)
		}
	}
	s := logtest.One(t, format, line, ingest.Options{})
	if s.Request != "r-17" || s.Trace[0] != 0x4b || s.Tries != 0 {
		t.Errorf("%+v", s)
	}
}

func TestTraps(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		status         int
		outcome        ingest.Outcome
	}{
		{"nothing written", `"status":200`, `"status":0`, 0, ingest.OK},
		{"an error, nothing written", `"duration":0.050000001,"size":45,"status":200`, `"status":0,"level":"error"`, 0, ingest.Failed},
		{"bad gateway", `"status":200`, `"status":502`, 502, ingest.Failed},
		{"the client left", `"status":200`, `"status":499`, 499, ingest.Canceled},
		{"a websocket", `"status":200`, `"status":101`, 101, ingest.OK},
		{"no uri", `"uri":"/cart/17?x=1",`, ``, 200, ingest.OK},
	} {
		s := logtest.One(t, format, with(c.old, c.new), ingest.Options{})
		if s.Status != c.status || s.Outcome != c.outcome || s.Stream != (c.status == 101) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

// Whole numbers only: the unit is not known, and --unit gives it. Beside others,
// they are seconds.
func TestUnit(t *testing.T) {
	whole := with("0.050000001", "50000001")
	got := logtest.Read(t, format, []byte(whole), ingest.Options{})
	if s := got.Log.Shapes[0]; s.Unit != 0 || s.UnitFrom != "" || s.Assumed != time.Nanosecond || s.Other != ms || got.Samples[0].Latency != 50000001 {
		t.Errorf("%+v", s)
	}
	got = logtest.Read(t, format, []byte(with("0.050000001", "50")), ingest.Options{Unit: ms})
	if s := got.Log.Shapes[0]; s.Unit != ms || s.UnitFrom != ingest.UnitFromFlag || got.Samples[0].Latency != 50*ms {
		t.Errorf("%+v", s)
	}
	got = logtest.Read(t, format, []byte(line+"\n"+with("0.050000001", "2")), ingest.Options{})
	if s := got.Log.Shapes; len(s) != 1 || s[0].Unit != time.Second || got.Samples[1].Latency != 2*time.Second {
		t.Errorf("%+v", s)
	}
}

func TestUnread(t *testing.T) {
	for l, want := range map[string]error{
		`{"level":"debug","ts":1795987231.5,"logger":"http.handlers.reverse_proxy","msg":"selected upstream","dial":"a:1"}`:                                    nil,
		`{"level":"error","ts":1795987231.5,"logger":"http.log.error.log0","msg":"dial tcp","request":{"method":"GET","uri":"/"},"duration":0.1,"status":502}`: nil,
		"2026/11/29 21:20:31.589\tINFO\tadmin\tadmin endpoint started\t" + `{"address": "localhost:2019"}`:                                                     nil,
		`{"level":"info","ts":1795987231.5,"logger":"shop","msg":"handled request","duration":0.1,"status":200}`:                                               log.ErrOther,
		`{"level":"info","ts":1795987231.5,"msg":"using config from file"}`:                                                                                    log.ErrOther,
		line[:200]:                          log.ErrJSON,
		text[:len(text)-9]:                  log.ErrJSON,
		text[:40]:                           log.ErrOther,
		with("1795987231.589", `"now"`):     log.ErrStamp,
		with("0.050000001", `"soon"`):       log.ErrLatency,
		with("0.050000001", `-1.5`):         log.ErrLatency,
		with(`"status":200`, `"status":20`): log.ErrStatus,
		"\xff\xfe":                          log.ErrOther,
	} {
		got := logtest.Read(t, format, []byte(l+"\n"+line+"\n"), ingest.Options{})
		problems := 1
		if want == nil {
			problems = 0
		}
		if len(got.Samples) != 1 || len(got.Problems) != problems || want != nil && !strings.HasPrefix(got.Problems[0].Error(), want.Error()) {
			t.Errorf("%s: %d requests, %v, want %v", l, len(got.Samples), got.Problems, want)
		}
	}
	for name, l := range map[string]string{"100 kB": with("x=1", strings.Repeat("x", 100_000)), "NULs": strings.Repeat("\x00", 5000) + line, "invalid UTF-8": with("/17", "/\xff")} {
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
		fmt.Fprintf(&buf, "{\"level\":\"info\",\"ts\":%.6f,\"logger\":\"http.log.access\",\"msg\":\"handled request\",\"request\":{\"method\":\"GET\",\"uri\":\"/api/section%d/%d\",\"headers\":{\"Accept\":[\"*/*\"]}},\"duration\":%.9f,\"size\":41,\"status\":200}\n",
			1795987231+float64(i)/1000, r.IntN(8), r.IntN(100000), r.Float64()/10)
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
	logtest.Fuzz(f, format, line, text, with("0.050000001", "50000001"), with("0.050000001", `"5ms"`))
}
