package applog

import (
	"bytes"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const ms = time.Millisecond

var format = Dialect.Format()

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// loggers are the ten of one Go program: file, and unit.
var loggers = []struct {
	file string
	unit time.Duration
	from ingest.Fact
}{
	{"slog_json", time.Nanosecond, ingest.UnitFromFormat},
	{"slog_text", ms, ingest.UnitFromValue},
	{"zap_prod", time.Second, ingest.UnitFromFormat},
	{"zap_dev", ms, ingest.UnitFromValue},
	{"zap_iso_strdur", ms, ingest.UnitFromValue},
	{"zerolog", ms, ingest.UnitFromFormat},
	{"zerolog_console", ms, ingest.UnitFromFormat},
	{"logrus_logfmt", ms, ingest.UnitFromValue},
	{"logrus_json", time.Nanosecond, ingest.UnitFromFormat},
	{"stdlog", ms, ingest.UnitFromValue},
}

func TestCorpus(t *testing.T) {
	berlin := ingest.Options{Zone: zone(t, "Europe/Berlin")}
	for _, l := range loggers {
		logtest.Check(t, format, logtest.Case{File: "recorded/l_go_loggers/" + l.file + ".log", Unit: l.unit, Stamp: ingest.StampEnd, Options: berlin})
	}
	logtest.Check(t, format, logtest.Case{File: "recorded/k_jvm/app_serial.log", Unit: ms, Stamp: ingest.StampEnd, Options: ingest.Options{Zone: zone(t, "America/Los_Angeles")}})
	logtest.Check(t, format, logtest.Case{File: "app/anglegrinder_loaded_in_ms.log", Unit: ms})
	logtest.Check(t, format, logtest.Case{File: "app/goaccess_2597_ms_word.log", Unit: ms, Stamp: ingest.StampEnd})
	got := logtest.Read(t, format, logtest.Load(t, "docker/lnav_compose_flask_ansi.log"), ingest.Options{})
	if len(got.Samples) != 0 || len(got.Problems) != 0 || got.Log.Lines != 22 || format.Sniff(logtest.Load(t, "docker/lnav_compose_flask_ansi.log")) {
		t.Errorf("nothing in it is a request: %+v, %v", got.Samples, got.Problems)
	}
}

// The same request has the same latency, to the nanosecond, and the same end in
// all ten loggers. Requests that end at the same time, as those do that the stall
// held, are logged in any order; each is known by its latency, which
// few share.
func TestTenLoggers(t *testing.T) {
	first := map[time.Duration][]*ingest.Sample{}
	for _, l := range loggers {
		got := logtest.Read(t, format, logtest.Load(t, "recorded/l_go_loggers/"+l.file+".log"), ingest.Options{Zone: zone(t, "Europe/Berlin")})
		step := time.Duration(0)
		for _, x := range got.Log.Shapes {
			if step = max(step, x.Resolution); x.UnitFrom != l.from || len(got.Log.Shapes) > 2 {
				t.Fatalf("%s: %+v", l.file, got.Log.Shapes)
			}
		}
		seen := map[time.Duration]int{}
		for i := range got.Samples {
			s := &got.Samples[i]
			n := seen[s.Latency]
			seen[s.Latency]++
			if l.file == "slog_json" {
				first[s.Latency] = append(first[s.Latency], s)
				continue
			}
			if n >= len(first[s.Latency]) {
				t.Fatalf("%s: request %d took %v, which none did by slog", l.file, i, s.Latency)
			}
			f := first[s.Latency][n]
			late := s.Start.Sub(f.Start) // one logger writes after the other
			if late > 100*ms || late < -step || s.Op != f.Op || s.Status != f.Status || s.Trace != f.Trace && l.file != "zap_dev" && l.file != "stdlog" && l.file != "zerolog_console" {
				t.Errorf("%s: request %d: %+v, by slog %+v", l.file, i, s, f)
			}
		}
		if len(seen) != len(first) || len(got.Samples) != 1069 {
			t.Errorf("%s: %d requests", l.file, len(got.Samples))
		}
	}
}

// Nothing in a log of OpenTelemetry's collector is a request: it has eleven
// records, and none of them a latency.
func TestRecords(t *testing.T) {
	data, want := logtest.Load(t, "otlp/lnav_otel_collector.jsonl"), logtest.Expect(t, "otlp/lnav_otel_collector.jsonl")
	n, first, last := 0, "", ""
	for line := range bytes.Lines(data) {
		r := newReader(ingest.Options{})
		line = bytes.TrimSpace(line)
		if !r.records.collect(line, 0) {
			t.Errorf("broken: %s", line)
		}
		for _, record := range r.records.list {
			n++
			var e log.Entry
			if err := r.record(record, &e); err != log.ErrIgnore {
				t.Errorf("%s: %v", record, err)
			}
			m, ok := r.Clock.Read(r.facts.v[stamp])
			at := time.Unix(0, int64(m.Time)).UTC().Format("2006-01-02T15:04:05.000+00:00")
			if first == "" {
				first = at
			}
			if last = at; !ok {
				t.Errorf("no stamp: %s", record)
			}
		}
	}
	if n != want.Records || first != *want.First || last != *want.Last {
		t.Errorf("%d records from %s to %s, want %d from %s to %s", n, first, last, want.Records, *want.First, *want.Last)
	}
	got := logtest.Read(t, format, data, ingest.Options{})
	if len(got.Samples) != 0 || len(got.Problems) != 0 || got.Log.Lines != want.Lines || format.Sniff(data) {
		t.Errorf("%+v, %v", got.Samples, got.Problems)
	}
	if near := format.Near(data); near == "" {
		t.Error("it is near")
	}
}

// A part reads as it would in the whole.
func TestSplit(t *testing.T) {
	for _, l := range loggers {
		logtest.Split(t, format, logtest.Load(t, "recorded/l_go_loggers/"+l.file+".log"), ingest.Options{})
	}
	for _, file := range []string{"recorded/k_jvm/app_serial.log", "app/anglegrinder_loaded_in_ms.log", "otlp/lnav_otel_collector.jsonl", "mixed/nginx_haproxysyslog_json_interleaved.log"} {
		logtest.Split(t, format, logtest.Load(t, file), ingest.Options{})
	}
}
