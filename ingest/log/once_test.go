package log_test

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
	"github.com/tailcheck/tailcheck/ingest/log/uwsgi"
)

// In the hour that a zone has twice, the stamp of a wrapper tells which of the
// two a line without an offset is of: it is known when the line was written.
// Berlin put its clocks back at 01:00 UTC on 25 October 2026.
func TestTwiceAndWrapped(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	line := `[pid: 17|app: 0|req: 3/9] 203.0.113.9 () {38 vars in 696 bytes} [Sun Oct 25 02:30:00 2026] GET / => generated 47 bytes in 2000 msecs (HTTP/1.1 200) 9 headers in 378 bytes (1 switches on core 3)`
	first := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC)
	for wrapper, want := range map[string]struct {
		start time.Time
		twice int64
	}{
		"":                                   {first, 1},
		"2026-10-25T00:30:02.500Z stdout F ": {first.Add(500 * time.Millisecond), 0},
		"2026-10-25T01:30:02.500Z stdout F ": {first.Add(time.Hour + 500*time.Millisecond), 0},
		"2026-10-25T02:30:02.500+01:00 stdout F ": {first.Add(time.Hour + 500*time.Millisecond), 0},
		"2026-10-25T01:31:10Z stdout F ":          {first.Add(time.Hour), 0}, // a minute late, and no finer
		"2026-10-27T00:00:00Z stdout F ":          {first, 1},                // of another time altogether
	} {
		got := logtest.Read(t, uwsgi.Dialect.Format(), []byte(wrapper+line), ingest.Options{Zone: berlin})
		if len(got.Samples) != 1 || got.Samples[0].Start != ingest.Time(want.start.UnixNano()) || got.Log.Twice != want.twice {
			t.Errorf("%q: %v %+v", wrapper, time.Unix(0, int64(got.Samples[0].Start)).UTC(), got)
		}
	}
}
