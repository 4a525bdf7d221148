package rails

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const (
	ms   = time.Millisecond
	uuid = "b9cbd3c2-c300-4b0b-9e7d-b58630354270"
	line = `I, [2026-11-29T21:16:22.500000 #1234]  INFO -- : [` + uuid + `] method=GET path=/a/17 format=html controller=A action=index status=200 duration=250.12 view=1.50 db=2.25`
)

var (
	format, pairsOf = Lograge.Format(), Dialect.Format()
	at              = ingest.Time(time.Date(2026, 11, 29, 21, 16, 22, 500e6, time.UTC).UnixNano())
)

func TestCorpus(t *testing.T) {
	logtest.Check(t, format, logtest.Case{File: "rails/lograge_variants.log", Unit: ms, Stamp: ingest.StampEnd})
	logtest.Claims(t, format, "rails/")
	logtest.Lines(t, Lograge, "rails/")
	logtest.Claims(t, pairsOf)
	logtest.Lines(t, Dialect)
	got := logtest.Read(t, format, logtest.Load(t, "rails/lograge_variants.log"), ingest.Options{})
	for i, op := range []string{"GET /jobs/{id}.json", "POST /comments", "GET /api/v3/time_entries", "GET /"} {
		if s := got.Samples[i]; s.Op != op || s.Status != 200 || (s.Start != 0) != (i > 0) {
			t.Errorf("%+v", s)
		}
	}
}

func TestLograge(t *testing.T) {
	object := `{"method":"GET","path":"/a/17","format":"json","controller":"A","action":"index","status":200,"duration":250.12,"view":1.5,"db":2.25,"@timestamp":"2026-11-29T21:16:22.500Z","request_id":"` + uuid + `"}`
	git := `{"method":"GET","path":"/a/17","controller":"A","action":"index","status":200,"time":"2026-11-29T21:16:22.500Z","params":[{"key":"status","value":"500"}],"queue_duration_s":0.004,"db_duration_s":0.01,"duration_s":0.25012,"correlation_id":"` + uuid + `"}`
	api := `{"time":"2026-11-29T21:16:22.500Z","severity":"INFO","duration_s":0.25012,"db_duration_s":0.01,"view_duration_s":0.2,"status":200,"method":"GET","path":"/a/17","params":[],"correlation_id":"` + uuid + `","queue_duration_s":0.004}`
	old := `{"method":"GET","path":"/a/17","controller":"A","action":"index","status":200,"time":"2026-11-29T21:16:22.500Z","queue_duration":4,"duration":250.12,"view":1.5,"db":2.2,"request_id":"` + uuid + `"}`
	for name, c := range map[string]struct {
		in    string
		unit  time.Duration
		queue time.Duration
	}{
		"text":             {line, ms, 0},
		"parameters first": {strings.Replace(line, "method=GET", `params={"q"=>"a\" status=500 method=PUT", "b"=>{"c"=>"}"}} method=GET`, 1), ms, 0},
		"JSON":             {object, ms, 0},
		"GitLab":           {git, time.Second, 4 * ms},
		"GitLab's API":     {api, time.Second, 4 * ms},
		"GitLab before 13": {old, ms, 4 * ms},
	} {
		got := logtest.Read(t, format, []byte(c.in), ingest.Options{})
		if len(got.Samples) != 1 {
			t.Errorf("%s: %v", name, got.Problems)
			continue
		}
		s := got.Samples[0]
		if s.Latency != 250120*time.Microsecond || s.Queue != c.queue || s.Op != "GET /a/{id}" || s.Status != 200 || s.Request != uuid || s.Start.Add(s.Latency) != at || s.Vantage != ingest.Server {
			t.Errorf("%s: %+v", name, s)
		}
		if got.Log.Shapes[0].Unit != c.unit {
			t.Errorf("%s: %+v", name, got.Log.Shapes[0])
		}
		if Lograge.Claims([]byte(c.in)) != log.Own || Dialect.Claims([]byte(c.in)) == log.Own {
			t.Errorf("%s: claims", name)
		}
	}
	got := logtest.Read(t, format, []byte(strings.Join([]string{
		object, "I, [2026-11-29T21:16:22.500000 #1234]  INFO -- : ",
		"Started GET \"/a\" for 127.0.0.1", `{"severity":"INFO","message":"x"}`, "a=1 b=2",
		line[:strings.Index(line, " status=")+8], object[:60], strings.Replace(line, "250.12", "x", 1), line,
	}, "\n")), ingest.Options{})
	if len(got.Samples) != 2 || len(got.Problems) != 3 {
		t.Errorf("%+v, %v", got.Samples, got.Problems)
	}
}

func started(prefix string, n int) string {
	return fmt.Sprintf("%sStarted GET \"/a/%d\" for 127.0.0.1 at 2026-11-29 22:16:22 +0100\n", prefix, n)
}

func TestPairs(t *testing.T) {
	done := func(prefix string, took int) string {
		return fmt.Sprintf("%sCompleted 200 OK in %dms (Views: 5.0ms | ActiveRecord: 1.1ms | Allocations: 12)\n", prefix, took)
	}
	ruby := func(pid int) string { return fmt.Sprintf("I, [2026-11-29T21:16:22.500000 #%d]  INFO -- : ", pid) }
	tag := func(n int) string { return fmt.Sprintf("[b9cbd3c2-c300-4b0b-9e7d-%012d] ", n) }
	const joined, apart = "GET /a/{id}", notJoined
	whole := at.Add(-500 * ms)
	for name, c := range map[string]struct {
		in    string
		ops   []string
		start ingest.Time // of the first
	}{
		"tags":              {started(tag(1), 1) + started(tag(2), 2) + tag(1) + "Processing by A#b as HTML\n" + done(tag(2), 20) + done(tag(1), 30), []string{joined, joined}, whole},
		"tags and stamps":   {started(ruby(1)+tag(1), 1) + started(ruby(1)+tag(2), 2) + done(ruby(1)+tag(1), 20) + done(ruby(1)+tag(2), 30), []string{joined, joined}, at.Add(-20 * ms)},
		"processes":         {started(ruby(1), 1) + started(ruby(2), 2) + done(ruby(2), 20) + done(ruby(1), 30), []string{joined, joined}, at.Add(-20 * ms)},
		"threads":           {started(ruby(1), 1) + started(ruby(1), 2) + done(ruby(1), 20) + done(ruby(1), 30) + started(ruby(1), 3) + done(ruby(1), 40), []string{apart, joined, joined}, at.Add(-20 * ms)},
		"no route":          {started(ruby(1), 1) + "F, [2026-11-29T21:16:22.400000 #1] FATAL -- : ActionController::RoutingError (No route matches)\n" + started(ruby(1), 2) + done(ruby(1), 20), []string{joined}, at.Add(-20 * ms)},
		"nothing tells":     {started("", 1) + started("", 2) + done("", 20) + done("", 30), []string{apart, apart}, 0},
		"the start is lost": {done(tag(1), 20), []string{apart}, 0},
		"Rails 2":           {"Completed in 20ms (View: 27, DB: 21) | 200 OK [http://shop.example/a/17]\n", []string{"ANY /a/{id}"}, 0},
	} {
		got := logtest.Read(t, pairsOf, []byte(c.in), ingest.Options{})
		if len(got.Samples) != len(c.ops) || len(got.Problems) != 0 {
			t.Errorf("%s: %+v, %v", name, got.Samples, got.Problems)
			continue
		}
		for i, s := range got.Samples {
			if s.Op != c.ops[i] || s.Latency != time.Duration(20+10*i)*ms || s.Status != 200 {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if s := got.Samples[0]; s.Start != c.start {
			t.Errorf("%s: start %v, want %v", name, s.Start, c.start)
		}
		if !pairsOf.Sniff([]byte(c.in)) {
			t.Errorf("%s: not claimed", name)
		}
	}
	got := logtest.Read(t, pairsOf, []byte("Completed 200 OK\nCompleted 200 OK in\nx\nCompleted the task in 5 minutes\n"), ingest.Options{})
	if len(got.Samples) != 0 || len(got.Problems) != 3 {
		t.Errorf("%+v, %v", got.Samples, got.Problems)
	}
}

// Requests that never complete do not fill the memory.
func TestOpen(t *testing.T) {
	newReader, err := Dialect.Learn(nil, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := newReader().(*reader)
	var e log.Entry
	for i := range 3 * maxOpen {
		if err := r.Read([]byte(started(fmt.Sprintf("[b9cbd3c2-c300-4b0b-9e7d-%012d] ", i), i)), &e); err != log.ErrIgnore || len(r.open) > maxOpen {
			t.Fatal(err, len(r.open))
		}
	}
}

func TestDirt(t *testing.T) {
	logtest.Dirty(t, Lograge, line)
	logtest.Dirty(t, Dialect, "["+uuid+"] Completed 200 OK in 12ms (Views: 5.0ms)")
}

func BenchmarkLograge(b *testing.B) { logtest.Bench(b, format, line) }

func TestSplit(t *testing.T) {
	logtest.Split(t, format, logtest.Load(t, "rails/lograge_variants.log"), ingest.Options{})
}
