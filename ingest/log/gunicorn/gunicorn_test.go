package gunicorn

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

var format = Dialect.Format()

const (
	us, ms  = time.Microsecond, time.Millisecond
	front   = `203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET /a/17?q=1 HTTP/1.1" 200 41 "-" "curl/7" `
	good    = front + `0.005376 <17>`
	begin   = `%(h)s %(l)s %(u)s %(t)s "%(r)s" %(s)s %(b)s "%(f)s" "%(a)s" `
	uvicorn = `INFO:     203.0.113.9:49152 - "GET /a/17 HTTP/1.1" 200 OK`
)

func TestLines(t *testing.T) {
	end := ingest.Time(time.Date(2026, 11, 29, 20, 16, 22, 0, time.UTC).UnixNano())
	for _, c := range []struct {
		line    string
		opt     ingest.Options
		latency time.Duration
		unit    time.Duration // 0: not known
		own     bool
	}{
		{good, ingest.Options{}, 5376 * us, time.Second, true},
		{front + `<17> 0.005376`, ingest.Options{}, 5376 * us, time.Second, true},
		{front + `5376 <17>`, ingest.Options{}, 5376 * us, 0, true},
		{front + `5376 <17>`, ingest.Options{Unit: us}, 5376 * us, us, true},
		{front + `<17>`, ingest.Options{}, ingest.NoLatency, 0, true},
		{front + `0.005376`, ingest.Options{}, 5376 * us, time.Second, false},
		{front + `5376`, ingest.Options{}, 5376 * us, 0, false},
		{front + `5376`, ingest.Options{LogFormat: begin + `%(D)s`}, 5376 * us, us, false},
		{front + `5`, ingest.Options{LogFormat: begin + `%(M)s`}, 5 * ms, ms, false},
		{front + `0.005376`, ingest.Options{LogFormat: begin + `%(L)s`}, 5376 * us, time.Second, false},
		{front + `1`, ingest.Options{LogFormat: begin + `%(T)s`}, time.Second, time.Second, false},
		{front + `0 5376 0.005376`, ingest.Options{LogFormat: begin + `%(T)s %(D)s %(L)s`}, 5376 * us, us, false},
		{`203.0.113.9 [29/Nov/2026:21:16:22 +0100] GET /a/17 HTTP/1.1 200 5376us`, ingest.Options{LogFormat: `%(h)s %(t)s %(r)s %(s)s %(D)sus`}, 5376 * us, us, false},
		{front[:len(front)-1], ingest.Options{}, ingest.NoLatency, 0, false},
	} {
		got := logtest.Read(t, format, []byte(c.line), c.opt)
		if len(got.Samples) != 1 {
			t.Errorf("%s: %v", c.line, got.Problems)
			continue
		}
		s, shape := got.Samples[0], got.Log.Shapes[0]
		at := s.End
		if s.Latency >= 0 {
			at = s.Start.Add(s.Latency)
		}
		if s.Latency != c.latency || s.Op != "GET /a/{id}" || s.Status != 200 || at != end || s.Vantage != ingest.Server || shape.Unit != c.unit || shape.Stamp != ingest.StampEnd {
			t.Errorf("%s: %+v %+v", c.line, s, shape)
		}
		if c.unit == 0 && s.Latency >= 0 && (shape.Assumed != us || shape.Other != ms) {
			t.Errorf("%s: %+v", c.line, shape)
		}
		if own := Dialect.Claims([]byte(c.line)) == log.Own; own != c.own {
			t.Errorf("%s: claimed: %v", c.line, own)
		}
	}
	logtest.Split(t, format, []byte(strings.Repeat(good+"\nx\n"+uvicorn+"\n"+front+"7\n", 9)), ingest.Options{})
	logtest.Lines(t, Dialect)
}

// Of uvicorn's lines nothing can be read; it is said why.
func TestUvicorn(t *testing.T) {
	if Dialect.Claims([]byte(uvicorn)) != log.Aside || format.Sniff([]byte(uvicorn+"\n")) {
		t.Error("claimed")
	}
	if near := format.Near([]byte("\x1b[32mINFO\x1b[0m:     " + uvicorn[10:] + "\n")); !strings.Contains(near, "uvicorn") {
		t.Errorf("near: %q", near)
	}
	got := logtest.Read(t, format, []byte(good+"\n"+uvicorn+"\n[2026-11-29 21:16:22 +0000] [17] [INFO] Booting worker with pid: 18\n"), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 1 || !errors.Is(got.Problems[0], errUvicorn) {
		t.Errorf("%+v", got)
	}
	if near := format.Near([]byte(front + "0.005376\n")); !strings.Contains(near, "--format gunicorn") {
		t.Errorf("near: %q", near)
	}
}

func TestForeign(t *testing.T) {
	for _, line := range []string{front + "0.004 <17>", front + "<x>", front + `"<17>"`, "<142>Nov 29 21:20:31 x[1]: y", "INFO: x", uvicorn[:30], ""} {
		if Dialect.Claims([]byte(line)) == log.Own {
			t.Errorf("%s: claimed", line)
		}
	}
	got := logtest.Read(t, format, []byte(good+"\n"+front+"1 2 3\n"+good[:60]), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 2 {
		t.Errorf("%+v", got)
	}
	if !format.Speaks(begin) || format.Speaks(`%h %D`) || format.Speaks("%(uri) %(msecs)") {
		t.Error("the wrong language")
	}
	for _, bad := range []string{"%(", "%(h)s"} {
		if _, err := Dialect.Learn(nil, ingest.Options{LogFormat: bad}); err == nil {
			t.Errorf("%q is no format", bad)
		}
	}
}

func TestDirt(t *testing.T) { logtest.Dirty(t, Dialect, good) }

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, good) }
