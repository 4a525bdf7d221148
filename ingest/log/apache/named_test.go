package apache

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

// JSON and LTSV by the names that people give fields. Only what no other server
// writes is claimed: %t keeps its brackets, and nginx has no whole numbers.
func TestNamed(t *testing.T) {
	start := ingest.Time(time.Date(2026, 11, 29, 20, 16, 22, 0, time.UTC).UnixNano())
	for _, c := range []struct {
		line    string
		latency time.Duration
		unit    time.Duration // 0: not known
		own     bool
	}{
		{goodJSON, 5376 * us, us, true},
		{`{"time":"[29/Nov/2026:21:16:22 +0100]","request":"GET /a/17?q=1 HTTP/1.1","status":"200","D":"5376"}`, 5376 * us, 0, true},
		{`{"time":"[29/Nov/2026:21:16:22 +0100]","method":"GET","request":"/a/17","status":"200","response_time_ms":"5"}`, 5 * ms, ms, true},
		{`{"@timestamp":"2026-11-29T21:16:22+0100","method":"GET","url":"/a/17","status":200,"duration_us":5376}`, 5376 * us, us, false},
		{`{"time":"[29/Nov/2026:21:16:22 +0100]","request":"GET /a/17 HTTP/1.1","status":"200","T":0,"duration_us":5376}`, 5376 * us, us, true},
		{`{"time":"[29/Nov/2026:21:16:22 +0100]","request":"GET /a/17 HTTP/1.1","status":"200","duration":0,"duration_us":5376}`, 5376 * us, us, true},
		{`{"time":"[29/Nov/2026:21:16:22 +0100]","request":"GET /a/17 HTTP/1.1","status":"200","size":41}`, ingest.NoLatency, 0, true},
		{"time:[29/Nov/2026:21:16:22 +0100]\treq:GET /a/17 HTTP/1.1\tstatus:200\tsize:41\treqtime_microsec:5376\tcache:-", 5376 * us, us, true},
		{"time:29/Nov/2026:21:16:22 +0100\tmethod:GET\turi:/a/17\tstatus:200\treqtime_microsec:5376", 5376 * us, us, true},
		{"time:[29/Nov/2026:21:16:22 +0100]\treq:GET /a/17 HTTP/1.1\tstatus:200\ttaken:5", 5 * us, 0, false},
	} {
		s, shape := one(t, c.line, ingest.Options{})
		if s.Latency != c.latency || s.Op != "GET /a/{id}" || s.Status != 200 || s.Start != start || s.Vantage != ingest.Server || shape.Stamp != ingest.StampStart || shape.Unit != c.unit {
			t.Errorf("%s: %+v %+v", c.line, s, shape)
		}
		if c.unit == 0 && s.Latency >= 0 && (shape.Assumed != us || shape.Other != ms) {
			t.Errorf("%s: %+v", c.line, shape)
		}
		if own := Dialect.Claims([]byte(c.line)) == log.Own; own != c.own {
			t.Errorf("%s: claimed: %v", c.line, own)
		}
	}
	got := logtest.Read(t, Format, []byte(goodJSON+`
{"time":"[29/Nov/2026:21:16:22 +0100]","request":"GET / HTTP/1.1","status":"200","duration":0.005}
{"time":"[29/Nov/2026:21:16:22 +0100]","msg":"hello"}
`+goodJSON[:70]+"\nlabel:x\tother:y\n"), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 4 {
		t.Errorf("%+v", got)
	}
	for _, line := range []string{
		`{"time":"[29/Nov/2026:21:16:22 +0100]","request":"GET / HTTP/1.1","statusCode":"200","logicalUserName":"-","elapsedTime":"5"}`, // Tomcat
		`{"time_local":"[29/Nov/2026:21:16:22 +0100]","request":"GET / HTTP/1.1","status":"200","request_time":"0.005"}`,                // nginx
		`{"time":"[29/Nov/2026:21:16:22 +0100]","msg":"hello"}`,
	} {
		if Dialect.Claims([]byte(line)) != log.Foreign {
			t.Errorf("%s: claimed", line)
		}
	}
}
