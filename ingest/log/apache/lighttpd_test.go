package apache

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

func TestLighttpd(t *testing.T) {
	end := ingest.Time(time.Date(2026, 11, 29, 20, 16, 22, 0, time.UTC).UnixNano())
	for _, c := range []struct {
		format, tail string
		latency      time.Duration
		unit         time.Duration
	}{
		{"", ``, ingest.NoLatency, 0},
		{lighttpdDefault + ` %D`, ` 5376`, 5376 * us, us},
		{`"` + `%h %V %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %T"`, ` 2`, 2 * time.Second, time.Second},
		{lighttpdDefault + ` %T`, ` -1`, ingest.NoLatency, time.Second},
	} {
		got := logtest.Read(t, Lighttpd.Format(), []byte(front+`"-" "curl/7"`+c.tail), ingest.Options{LogFormat: c.format})
		if len(got.Samples) != 1 {
			t.Errorf("%s: %v", c.format, got.Problems)
			continue
		}
		s, shape := got.Samples[0], got.Log.Shapes[0]
		at := s.End
		if s.Latency >= 0 {
			at = s.Start.Add(s.Latency)
		}
		if s.Latency != c.latency || at != end || s.Op != "GET /a/{id}" || shape.Unit != c.unit || shape.Stamp != ingest.StampEnd {
			t.Errorf("%s: %+v %+v", c.format, s, shape)
		}
	}
	if Lighttpd.Claims([]byte(front+`"-" "curl/7" 5376`)) != log.Foreign {
		t.Error("claimed")
	}
	if _, err := Lighttpd.Learn(nil, ingest.Options{LogFormat: "%"}); err == nil {
		t.Error("no format")
	}
	logtest.Dirty(t, Lighttpd, front+`"-" "curl/7"`)
}
