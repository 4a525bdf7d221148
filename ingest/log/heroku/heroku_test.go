package heroku

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const (
	ms   = time.Millisecond
	text = `at=info method=GET path="/a/17?q=1 2" host=shop.example request_id=29005dee-b9fb-4a6e-bad2-9a3e87c4778b fwd="203.0.113.9" dyno=web.1 connect=1ms service=249ms status=200 bytes=6960 protocol=https`
	line = `2026-11-29T21:16:22.500000+00:00 heroku[router]: ` + text
)

var (
	format = Dialect.Format()
	at     = ingest.Time(time.Date(2026, 11, 29, 21, 16, 22, 500e6, time.UTC).UnixNano())
)

func TestCorpus(t *testing.T) {
	logtest.Check(t, format, logtest.Case{File: "heroku/router_v2hero.log", Unit: ms, Stamp: ingest.StampEnd})
	logtest.Check(t, format, logtest.Case{File: "heroku/h12_rails_interleaved.log", Unit: ms, Stamp: ingest.StampEnd})
	logtest.Claims(t, format, "heroku/")
	logtest.Lines(t, Dialect, "heroku/")
	if s := logtest.Read(t, format, logtest.Load(t, "heroku/h12_rails_interleaved.log"), ingest.Options{}).Samples[0]; s.Outcome != ingest.TimedOut || s.Latency != 30007*ms {
		t.Errorf("a time-out of 30 s: %+v", s)
	}
}

func TestLines(t *testing.T) {
	for name, in := range map[string]string{
		"logs":  line,
		"drain": `<158>1 2026-11-29T21:16:22.500000+00:00 host heroku router - ` + text,
	} {
		s := logtest.One(t, format, in, ingest.Options{})
		if s.Latency != 250*ms || s.Connect != ms || s.Start.Add(s.Latency) != at || s.Op != "GET /a/{id}" || s.Request != "29005dee-b9fb-4a6e-bad2-9a3e87c4778b" || s.Vantage != ingest.Proxy {
			t.Errorf("%s: %+v", name, s)
		}
		if !format.Sniff([]byte(in + "\n")) {
			t.Errorf("%s: not claimed", name)
		}
	}
	for code, c := range map[string]struct {
		outcome ingest.Outcome
		latency time.Duration
		times   string
	}{
		"H12": {ingest.TimedOut, 30001 * ms, "connect=1ms service=30000ms status=503"},
		"H15": {ingest.TimedOut, 55001 * ms, "connect=1ms service=55000ms status=503"},
		"H27": {ingest.Canceled, 11 * ms, "connect=1ms service=10ms status=499"},
		"H10": {ingest.Failed, ingest.NoLatency, "connect= service= status=503"},
		"H18": {ingest.Failed, 11 * ms, "connect=1ms service=10ms status=503"},
	} {
		in := strings.Replace(strings.Replace(line, "at=info", "at=error code="+code+` desc="x y"`, 1), "connect=1ms service=249ms status=200", c.times, 1)
		if s := logtest.One(t, format, in, ingest.Options{}); s.Outcome != c.outcome || s.Latency != c.latency {
			t.Errorf("%s: %+v", code, s)
		}
	}
	got := logtest.Read(t, format, []byte(strings.Join([]string{
		"2026-11-29T21:16:22+00:00 app[web.1]: Completed 200 OK in 12ms",
		"2026-11-29T21:16:22+00:00 heroku[web.1]: State changed from up to down",
		"something else",
		strings.Replace(line, "249ms", "249", 1),
		line[:90],
		line,
	}, "\n")), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 3 {
		t.Errorf("%+v, %v", got.Samples, got.Problems)
	}
	if Dialect.Claims([]byte(`2026-11-29T21:16:22+00:00 app[web.1]: x`)) != log.Aside || Dialect.Claims([]byte(`at=info msg=x`)) != log.Foreign {
		t.Error("claims")
	}
}

func TestDirt(t *testing.T) { logtest.Dirty(t, Dialect, line) }

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, line) }

func TestSplit(t *testing.T) {
	logtest.Split(t, format, logtest.Load(t, "heroku/router_v2hero.log"), ingest.Options{})
}
