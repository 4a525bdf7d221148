package cloudflare

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const line = `{"ClientRequestMethod":"GET","ClientRequestURI":"/a/17?q=\"1","EdgeEndTimestamp":1795986982750000000,"EdgeResponseStatus":200,"EdgeStartTimestamp":1795986982500000000,"RayID":"87a1b2c3d4e5f001"}`

var (
	format = Dialect.Format()
	at     = ingest.Time(time.Date(2026, 11, 29, 21, 16, 22, 500e6, time.UTC).UnixNano())
)

func TestCorpus(t *testing.T) {
	logtest.Check(t, format, logtest.Case{File: "cloudflare/lnav_cloudflare.log", Unit: 1, Stamp: ingest.StampStart})
	logtest.Claims(t, format, "cloudflare/")
	logtest.Lines(t, Dialect, "cloudflare/")
}

func TestLines(t *testing.T) {
	s := logtest.One(t, format, line, ingest.Options{Unit: time.Second})
	if s.Latency != 250*time.Millisecond || s.Start != at || s.Op != "GET /a/{id}" || s.Request != "87a1b2c3d4e5f001" || s.Status != 200 {
		t.Errorf("%+v", s)
	}
	stamps := func(start, end string) string {
		return strings.Replace(strings.Replace(line, "1795986982500000000", start, 1), "1795986982750000000", end, 1)
	}
	got := logtest.Read(t, format, []byte(stamps(`"2026-11-29T21:16:22Z"`, `"2026-11-29T21:16:24Z"`)), ingest.Options{})
	if s := got.Samples[0]; s.Latency != 2*time.Second || got.Log.Shapes[0].Step != time.Second {
		t.Errorf("%+v, %+v", s, got.Log.Shapes)
	}
	s = logtest.One(t, format, stamps("1795986982500000000", "null"), ingest.Options{})
	if s.Latency != ingest.NoLatency || s.Start != at {
		t.Errorf("%+v", s)
	}
	s = logtest.One(t, format, stamps("null", "1795986982500000000"), ingest.Options{})
	if s.Latency != ingest.NoLatency || s.End != at || s.Start != 0 {
		t.Errorf("%+v", s)
	}
	for status, want := range map[string]ingest.Outcome{"499": ingest.Canceled, "524": ingest.TimedOut, "502": ingest.Failed, "0": ingest.Failed} {
		if s := logtest.One(t, format, strings.Replace(line, ":200,", ":"+status+",", 1), ingest.Options{}); s.Outcome != want {
			t.Errorf("%s: %v", status, s.Outcome)
		}
	}
	for _, bad := range []string{stamps("1795986982750000000", "1795986982500000000"), stamps("17", "1795986982500000000"), line[:40], `{"RayID":"x"}`} {
		if got := logtest.Read(t, format, []byte(bad), ingest.Options{}); len(got.Samples) != 0 || len(got.Problems) != 1 {
			t.Errorf("%s: %+v, %v", bad, got.Samples, got.Problems)
		}
	}
	if Dialect.Claims([]byte(line)) != log.Own {
		t.Error("not claimed")
	}
}

func TestDirt(t *testing.T) { logtest.Dirty(t, Dialect, line) }

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, line) }

func TestSplit(t *testing.T) {
	logtest.Split(t, format, logtest.Load(t, "cloudflare/lnav_cloudflare.log"), ingest.Options{})
}
