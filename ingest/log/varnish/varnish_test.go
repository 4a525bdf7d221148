package varnish

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

var format = Dialect.Format()

const (
	us    = time.Microsecond
	front = `203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET http://shop.example/a/17?q=1 HTTP/1.1" 200 41 "-" "curl/7" `
	good  = front + `5376 miss 0.004912`
)

func TestLines(t *testing.T) {
	start := ingest.Time(time.Date(2026, 11, 29, 20, 16, 22, 0, time.UTC).UnixNano())
	for _, c := range []struct {
		line    string
		opt     ingest.Options
		latency time.Duration
		unit    time.Duration // 0: not known
		own     bool
	}{
		{good, ingest.Options{}, 5376 * us, 0, true},
		{good, ingest.Options{Unit: us}, 5376 * us, us, true},
		{good, ingest.Options{LogFormat: `%h %l %u %t "%r" %s %b "%{Referer}i" "%{User-agent}i" %D %{Varnish:handling}x %{Varnish:time_firstbyte}x`}, 5376 * us, us, true},
		{good, ingest.Options{LogFormat: `%{Varnish:default_format}x %D %{Varnish:handling}x %{Varnish:time_firstbyte}x`}, 5376 * us, us, true},
		{front + `0.000123 hit`, ingest.Options{}, ingest.NoLatency, 0, true},
		{front + `hit`, ingest.Options{}, ingest.NoLatency, 0, false},
		{front[:len(front)-1], ingest.Options{}, ingest.NoLatency, 0, false},
		{front + "hit 0.000123", ingest.Options{LogFormat: `%{Varnish:default_format}x %{Varnish:handling}x %{Varnish:time_firstbyte}x`}, 123 * us, time.Second, true},
		{`{"@timestamp":"2026-11-29T21:16:22+0100","method":"GET","url":"/a/17","cache":"hit","duration_usec":5376,"status":200}`,
			ingest.Options{LogFormat: `{"@timestamp":"%{%Y-%m-%dT%H:%M:%S%z}t","method":"%m","url":"%U","cache":"%{Varnish:handling}x","duration_usec":%D,"status":%s}`}, 5376 * us, us, false},
	} {
		got := logtest.Read(t, format, []byte(c.line), c.opt)
		if len(got.Samples) != 1 {
			t.Errorf("%s: %v", c.line, got.Problems)
			continue
		}
		s, shape := got.Samples[0], got.Log.Shapes[0]
		if s.Latency != c.latency || s.Op != "GET /a/{id}" || s.Status != 200 || s.Start != start || s.Vantage != ingest.Proxy || shape.Unit != c.unit || shape.Stamp != ingest.StampStart {
			t.Errorf("%s: %+v %+v", c.line, s, shape)
		}
		if c.unit == 0 && s.Latency >= 0 && (shape.Assumed != us || shape.Other != time.Second) {
			t.Errorf("%s: %+v", c.line, shape)
		}
		if own := Dialect.Claims([]byte(c.line)) == log.Own; own != c.own {
			t.Errorf("%s: claimed: %v", c.line, own)
		}
	}
	logtest.Split(t, format, []byte(strings.Repeat(good+"\nx\n"+front+"1 2\n", 9)), ingest.Options{})
	logtest.Lines(t, Dialect)
}

// What no fewer than the time to the first byte can be is %T.
func TestSeconds(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%s%d miss %d.%06d\n", front, i%3, i%3, 2000+i)
	}
	got := logtest.Read(t, format, []byte(b.String()), ingest.Options{})
	if s := got.Log.Shapes; len(s) != 1 || s[0].Unit != time.Second || s[0].UnitFrom != ingest.UnitFromRedundancy {
		t.Errorf("%+v", s)
	}
}

func TestForeign(t *testing.T) {
	for _, line := range []string{front + "5376", front + "0.004912", front + "0.004 hit", front + `"hit" 5 6`, front + `5376 cached`, "hit", ""} {
		if Dialect.Claims([]byte(line)) != log.Foreign {
			t.Errorf("%s: claimed", line)
		}
	}
	got := logtest.Read(t, format, []byte(good+"\n"+front+"1 2 hit\n"+good[:60]), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 2 {
		t.Errorf("%+v", got)
	}
	if !format.Speaks(`%h %{Varnish:handling}x`) || format.Speaks(`%h %D`) {
		t.Error("the wrong language")
	}
	for _, bad := range []string{"%", "%{x", "%h"} {
		if _, err := Dialect.Learn(nil, ingest.Options{LogFormat: bad}); err == nil {
			t.Errorf("%q is no format", bad)
		}
	}
}

func TestDirt(t *testing.T) { logtest.Dirty(t, Dialect, good) }

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, good) }
