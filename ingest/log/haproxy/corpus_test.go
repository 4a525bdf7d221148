package haproxy

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

var format = Dialect.Format()

var utc = ingest.Options{Zone: time.UTC}

func TestCorpus(t *testing.T) {
	for _, c := range []logtest.Case{
		{File: "recorded/d_haproxy_queue/httplog.log"},
		{File: "recorded/d_haproxy_queue/json.log"},
		{File: "haproxy/lnav_haproxy.log"},
		{File: "haproxy/crowdsec_haproxy.log"},
	} {
		c.Options, c.Unit, c.Stamp = utc, time.Millisecond, ingest.StampStart
		logtest.Check(t, format, c)
	}
	logtest.Claims(t, format, "recorded/d_haproxy_queue/", "haproxy/")
}

// figures are those of a run that only HAProxy's log has.
type figures struct {
	requests, queued, retried, redispatched, unanswered int
	longest                                             time.Duration
}

func run(r *logtest.Reading) (f figures) {
	for i := range r.Samples {
		s := &r.Samples[i]
		f.requests++
		if s.Queue > 0 {
			f.queued++
		}
		f.longest = max(f.longest, s.Queue)
		if s.Retries() > 0 {
			f.retried++
			if n := len(s.Attempts); s.Attempts[0].Peer != s.Attempts[n-1].Peer {
				f.redispatched++
			}
		}
		if s.Outcome != ingest.OK && s.Latency >= 0 {
			f.unanswered++
		}
	}
	return f
}

// The recorded run: what the corpus' other reader counted of its queue, its
// retries, and the requests without a response time, all 525 of which failed.
func TestRun(t *testing.T) {
	got := run(logtest.Read(t, format, logtest.Load(t, "recorded/d_haproxy_queue/httplog.log"), utc))
	if want := (figures{2004, 806, 413, 163, 525, 1520 * time.Millisecond}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Files in which lines of several log-formats alternate. Only those of httplog
// are counted in what is expected; the others are requests, and one connection,
// all the same.
func TestMixed(t *testing.T) {
	for _, c := range []struct {
		file    string
		httplog figures
		json    int
		streams int
	}{
		{"recorded/d_haproxy_queue/stdout_all_mixed.log", figures{2004, 806, 413, 163, 525, 1520 * time.Millisecond}, 500, 1},
		{"recorded/d_haproxy_queue/syslog_rfc3164_pri.log", figures{715, 193, 139, 62, 165, 1507 * time.Millisecond}, 185, 0},
	} {
		data, want := logtest.Load(t, c.file), logtest.Expect(t, c.file)
		if !format.Sniff(data[:ingest.HeadSize]) {
			t.Errorf("%s: not claimed", c.file)
		}
		all := logtest.Read(t, format, data, utc)
		if n := len(all.Samples); n != c.httplog.requests+c.json+c.streams || len(all.Problems) > 0 {
			t.Errorf("%s: %d records, problems %v", c.file, n, all.Problems)
		}
		var text []string
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, "] fe_web ") {
				text = append(text, line)
			}
		}
		got := logtest.Read(t, format, []byte(strings.Join(text, "")), utc)
		if f := run(got); f != c.httplog {
			t.Errorf("%s: %+v, want %+v", c.file, f, c.httplog)
		}
		v := got.Durations()
		for _, p := range []struct {
			got  time.Duration
			want float64
		}{{logtest.NearestRank(v, 50), *want.P50}, {logtest.NearestRank(v, 99), *want.P99}, {v[len(v)-1], *want.Max}} {
			if float64(p.got.Milliseconds()) != p.want {
				t.Errorf("%s: %v, want %v ms", c.file, p.got, p.want)
			}
		}
	}
}

// A connection of 24.956 s is no request.
func TestTCP(t *testing.T) {
	got := logtest.Read(t, format, logtest.Load(t, "recorded/d_haproxy_queue/tcplog.log"), utc)
	if len(got.Samples) != 1 || !got.Samples[0].Stream || got.Samples[0].Latency != 24956*time.Millisecond || got.Samples[0].Op != "TCP be_tcp" {
		t.Errorf("%+v", got.Samples)
	}
}

// Without --tz it is said that nobody knows the zone.
func TestZone(t *testing.T) {
	data := logtest.Load(t, "recorded/d_haproxy_queue/httplog.log")
	for _, s := range logtest.Read(t, format, data, ingest.Options{}).Log.Shapes {
		if s.Zone != ingest.ZoneUnknown {
			t.Errorf("%+v", s)
		}
	}
	zone := time.FixedZone("", 3600)
	s := logtest.Read(t, format, data, ingest.Options{Zone: zone}).Samples[0]
	if want := time.Date(2026, 11, 29, 21, 20, 31, 539e6, zone); s.Start != ingest.Time(want.UnixNano()) {
		t.Errorf("%v, want %v", s.Start, want.UnixNano())
	}
}

// Of single lines: own by kind of file. In the mixed file, those of its httplog.
func TestClaimsLines(t *testing.T) {
	for file, want := range map[string]int{
		"recorded/d_haproxy_queue/httplog.log":          2004,
		"recorded/d_haproxy_queue/json.log":             500,
		"recorded/d_haproxy_queue/stdout_all_mixed.log": 2505,
		"recorded/d_haproxy_queue/load.txt":             0,
		"recorded/d_haproxy_queue/hey_tcp.txt":          0,
		"haproxy/crowdsec_haproxy.log":                  2,
	} {
		own := 0
		for line := range bytes.Lines(logtest.Load(t, file)) {
			if claims(bytes.TrimSpace(line)) == log.Own {
				own++
			}
		}
		if own != want {
			t.Errorf("%s: %d lines, want %d", file, own, want)
		}
	}
}
