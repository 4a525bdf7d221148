package uwsgi

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

var format = Dialect.Format()

const good = `[pid: 17|app: 0|req: 3/9] 203.0.113.9 () {38 vars in 696 bytes} [Sun Nov 29 21:16:22 2026] GET /a/17?x=1 => generated 47 bytes in 129 msecs (HTTP/1.1 200) 9 headers in 378 bytes (1 switches on core 3)`

func TestCorpus(t *testing.T) {
	logtest.Check(t, format, logtest.Case{File: "uwsgi/lnav_uwsgi.log", Options: ingest.Options{Zone: time.UTC}, Stamp: ingest.StampStart, Unit: time.Millisecond, Also: time.Microsecond})
	logtest.Split(t, format, logtest.Load(t, "uwsgi/lnav_uwsgi.log"), ingest.Options{Zone: time.UTC})
	logtest.Lines(t, Dialect, "uwsgi/lnav_uwsgi.log")
}

func TestLines(t *testing.T) {
	start := ingest.Time(time.Date(2026, 11, 29, 21, 16, 22, 0, time.UTC).UnixNano())
	for _, c := range []struct {
		line    string
		latency time.Duration
		status  int
	}{
		{good, 129 * time.Millisecond, 200},
		{`[pid: 17|app: 0|req: 3/9] 203.0.113.9 (me) {38 vars in 696 bytes} [Sun Nov 29 21:16:22 2026] GET /a/17 => generated 47 bytes in 68 micros (HTTP/2.0 404) 9 headers in 378 bytes (1 switches on core 3)`, 68 * time.Microsecond, 404},
		{`[pid: 17|app: -1|req: -1/9] 203.0.113.9 () {38 vars in 696 bytes} [Sun Nov 29 21:16:22 2026] GET /a/17 => generated 47 bytes in 5 msecs via sendfile() (HTTP/1.1 200) 9 headers in 378 bytes (0 switches on core 0)`, 5 * time.Millisecond, 200},
		{`{address space usage: 1 bytes/1MB} {rss usage: 1 bytes/1MB} ` + good, 129 * time.Millisecond, 200},
	} {
		s := logtest.One(t, format, c.line, ingest.Options{})
		if s.Latency != c.latency || s.Status != c.status || s.Op != "GET /a/{id}" || s.Start != start || s.Vantage != ingest.Server {
			t.Errorf("%s: %+v", c.line, s)
		}
		if Dialect.Claims([]byte(c.line)) != log.Own {
			t.Errorf("%s: not claimed", c.line)
		}
	}
	got := logtest.Read(t, format, []byte(good+"\n*** Starting uWSGI 2.0.21 (64bit) ***\nspawned uWSGI worker 1 (pid: 17, cores: 1)\nnonsense\n"+good[:150]+"\n"), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 2 || got.Log.Shapes[0].Zone != ingest.ZoneUnknown || got.Log.Shapes[0].UnitFrom != ingest.UnitFromValue || got.Log.Shapes[0].Step != time.Millisecond {
		t.Errorf("%+v", got)
	}
}

func TestLogFormat(t *testing.T) {
	opt := ingest.Options{LogFormat: `%(addr) - %(user) [%(ltime)] "%(method) %(uri) %(proto)" %(status) %(size) %(msecs)ms %(micros)us`}
	s := logtest.One(t, format, `203.0.113.9 - me [29/Nov/2026:21:16:22 +0100] "GET /a/17 HTTP/1.1" 200 41 5ms 5376us`, opt)
	if s.Latency != 5376*time.Microsecond || s.Op != "GET /a/{id}" {
		t.Errorf("%+v", s)
	}
	if !format.Speaks(opt.LogFormat) || format.Speaks(`%(h)s %(D)s`) || format.Speaks(`%h %D`) {
		t.Error("the wrong language")
	}
	for _, bad := range []string{"%(uri", "%(addr)"} {
		if _, err := Dialect.Learn(nil, ingest.Options{LogFormat: bad}); err == nil {
			t.Errorf("%q is no format", bad)
		}
	}
}

// Without --tz the stamps are read as UTC, and that is said; in the doubled hour
// as the first.
func TestZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	line := `[pid: 17|app: 0|req: 3/9] 203.0.113.9 () {38 vars in 696 bytes} [Sun Oct 25 02:30:00 2026] GET / => generated 47 bytes in 5 msecs (HTTP/1.1 200) 9 headers in 378 bytes (1 switches on core 3)`
	got := logtest.Read(t, format, []byte(line), ingest.Options{Zone: berlin})
	if want := ingest.Time(time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC).UnixNano()); got.Samples[0].Start != want || got.Log.Twice != 1 || got.Log.Shapes[0].Zone != ingest.ZoneGiven {
		t.Errorf("%+v", got)
	}
}

func TestDirt(t *testing.T) { logtest.Dirty(t, Dialect, good) }

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, good) }
