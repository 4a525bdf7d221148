package retries_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/detect/retries"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/console"
	"github.com/tailcheck/tailcheck/ingest/trace/jaeger"
	"github.com/tailcheck/tailcheck/ingest/trace/otlp"
	"github.com/tailcheck/tailcheck/ingest/trace/spanscsv"
	"github.com/tailcheck/tailcheck/ingest/trace/stdouttrace"
	"github.com/tailcheck/tailcheck/ingest/trace/xray"
	"github.com/tailcheck/tailcheck/ingest/trace/zipkin"
)

const (
	corpus   = "../../../shared/corpus/"
	fixtures = "../../fixtures/"
)

var formats = []ingest.Format{otlp.JSON, otlp.Proto, jaeger.Format, zipkin.Format, stdouttrace.Format, console.JS, spanscsv.Format, xray.Format}

// tracesOf reads a file as the pipeline does and assembles its traces. Where the
// file is not there the test is skipped.
func tracesOf(t testing.TB, path string) []ingest.Record {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skip("not here: ", path)
	}
	file, err := ingest.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := ingest.Find(file, formats, "")
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var spans []ingest.Span
	for _, f := range found {
		r := f.Open()
		for rec, err := range f.Format.Read(r, ingest.Input{Section: f.Section()}) {
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if s, ok := rec.(*ingest.Span); ok {
				spans = append(spans, *s)
			}
		}
		r.Close()
	}
	traces, err := detecttest.Assemble(spans)
	if err != nil {
		t.Fatal(err)
	}
	return records(traces)
}

func records(traces []*calltree.Trace) (out []ingest.Record) {
	for _, t := range traces {
		out = append(out, t)
	}
	return out
}

// said is what was found: a detector's name, and its numbers as JSON.
func said(found []detect.Finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s %v %s [%s] %d\n", f.Detector, f.Confidence, f.Op, detecttest.Numbers(f), len(f.Exemplars))
	}
	return b.String()
}

func find(t testing.TB, path string) []detect.Finding {
	t.Helper()
	return detecttest.Fold(retries.Detectors, [][]ingest.Record{tracesOf(t, path)})
}

// one returns the finding of a detector, which must be the only one.
func one[T any](t *testing.T, found []detect.Finding, detector string) (detect.Finding, T) {
	t.Helper()
	var out []detect.Finding
	for _, f := range found {
		if f.Detector == detector {
			out = append(out, f)
		}
	}
	if len(out) != 1 {
		t.Fatalf("%d findings of %s:\n%s", len(out), detector, said(found))
	}
	n, ok := out[0].Numbers.(T)
	if !ok {
		t.Fatalf("numbers are a %T", out[0].Numbers)
	}
	return out[0], n
}

// The retries of the corpus. Hops, product and calls: corpus/traces/SOURCES.md
// (3, 9 and 27 calls in each of two traces; three calls of four attempts, and a
// fourth call that is not tried again: (3·4+1)/4 calls on average).
func TestCorpusRetries(t *testing.T) {
	for _, test := range []struct {
		file, hops string
		product    int64
		most       int64
		mean       float64
	}{
		{"otlp-json/grpc-retry-3x3x3.jsonl", "[3 3 3]", 27, 27, 27},
		{"otlp-proto/grpc-retry-3x3x3.fileexporter.bin", "[3 3 3]", 27, 27, 27},
		{"otlp-json/grpc-go-native-retrypolicy.jsonl", "[4]", 4, 4, 3.25},
		{"otlp-proto/grpc-native-retrypolicy.nativezstd.zst", "[4]", 4, 4, 3.25},
	} {
		t.Run(test.file, func(t *testing.T) {
			found := find(t, corpus+"traces/"+test.file)
			f, n := one[retries.RetryNumbers](t, found, "retry-multiplication")
			if fmt.Sprint(n.Hops) != test.hops || n.Product != test.product || n.LeafCallsMax != test.most || n.LeafCalls != test.mean {
				t.Errorf("%+v", n)
			}
			if f.Confidence != detect.High || len(found) != 1 {
				t.Errorf("%s", said(found))
			}
		})
	}
}

// Spans and traces: SOURCES.md. The ancestor that gave up is gateway's client
// span, not the direct parent.
func TestCorpusOrphanedWork(t *testing.T) {
	for _, test := range []struct {
		file, op      string
		spans, traces int64
		gaveUp        int64
	}{
		{"http-abandoned-work.jsonl", "gateway HTTP POST /orders", 18, 3, 3},
		{"grpc-missing-deadline.jsonl", "search-api acme.ranker.v1.Ranker/Rank", 6, 3, 8},
		{"grpc-missing-deadline.nativezstd.jsonl.zst", "search-api acme.ranker.v1.Ranker/Rank", 6, 3, 8},
	} {
		t.Run(test.file, func(t *testing.T) {
			found := find(t, corpus+"traces/otlp-json/"+test.file)
			f, n := one[retries.OrphanedNumbers](t, found, "orphaned-work")
			if n.Spans != test.spans || n.Traces != test.traces || f.Op != test.op || f.Confidence != detect.High || int64(len(f.Exemplars)) != test.traces {
				t.Errorf("%s", said(found))
			}
			d, m := one[retries.DeadlineNumbers](t, found, "deadline-not-propagated")
			// Both client timeouts are 100 ms; each of the spans that started late and
			// is a client is a call.
			if m.DeadlineMs < 100 || m.DeadlineMs > 102 || m.GaveUp != test.gaveUp || m.WentOn != test.traces || m.Calls != test.spans/2 || d.Confidence != detect.Medium {
				t.Errorf("%s", said(found))
			}
			if len(found) != 2 {
				t.Errorf("%s", said(found))
			}
		})
	}
}

// 60 requests, 120 attempts, so twice the load (SOURCES.md). Delay and duration
// of the answered calls by a script over the file: median delay 5.432 ms, median
// of the calls whose status is not error 12.994 ms.
func TestCorpusHedging(t *testing.T) {
	found := find(t, corpus+"traces/otlp-json/grpc-hedging-abuse.jsonl")
	f, n := one[retries.HedgeNumbers](t, found, "hedge-overload")
	if n.HedgeShare != 1 || n.LoadFactor != 2 || f.Confidence != detect.High || len(found) != 1 {
		t.Errorf("%s", said(found))
	}
	if !near(*n.DelayMs, 5.432, 0.005) || !near(*n.LeafP50Ms, 12.994, 0.005) {
		t.Errorf("delay %v, p50 %v", *n.DelayMs, *n.LeafP50Ms)
	}
}

func near(got, want, share float64) bool { return got > want*(1-share) && got < want*(1+share) }

// Every other file of the corpus, and every other fixture, is innocent of all
// four: redirects and pauses of a login, Kafka and RabbitMQ, MGET storms with
// their handshakes and commands that are recorded twice, fan-outs, N+1s, agents
// that try another tool.
func TestInnocentFiles(t *testing.T) {
	guilty := map[string]bool{}
	for _, f := range []string{
		"grpc-retry-3x3x3.jsonl", "grpc-retry-3x3x3.fileexporter.bin", "grpc-go-native-retrypolicy.jsonl", "grpc-native-retrypolicy.nativezstd.zst",
		"http-abandoned-work.jsonl", "grpc-missing-deadline.jsonl", "grpc-missing-deadline.nativezstd.jsonl.zst", "grpc-hedging-abuse.jsonl",
		"abandoned", "grpc-retry", "hedging-abuse", "retries-3x3x3",
	} {
		guilty[f] = true
	}
	seen := 0
	for _, pattern := range []string{
		corpus + "traces/*/*.*", corpus + "traces/jaeger/crisp/*.json", corpus + "recorded/redis/*.traces.*", corpus + "recorded/redis/*.jaeger-*.json",
		fixtures + "trace/*/*.jsonl", fixtures + "trace/*/*.zst", fixtures + "trace/*/*.pb", fixtures + "clean/traces.jsonl",
	} {
		files, _ := filepath.Glob(pattern)
		for _, path := range files {
			if guilty[filepath.Base(path)] || guilty[filepath.Base(filepath.Dir(path))] {
				continue
			}
			seen++
			if found := find(t, path); len(found) > 0 {
				t.Errorf("%s:\n%s", path, said(found))
			}
		}
	}
	if seen == 0 {
		t.Skip("neither corpus nor fixtures are here")
	}
}

// row returns a row of the table in a fixture's README, which was counted by
// fixtures/record/trace/count.
func row(t *testing.T, fixture, name string) []float64 {
	t.Helper()
	text, err := os.ReadFile(fixtures + "trace/" + fixture + "/README.md")
	if err != nil {
		t.Skip("not here: ", err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) < 2 || strings.TrimSpace(cells[0]) != name {
			continue
		}
		var out []float64
		for _, c := range cells[1:] {
			v, err := strconv.ParseFloat(strings.TrimSpace(c), 64)
			if err != nil {
				v = -1
			}
			out = append(out, v)
		}
		return out
	}
	t.Fatalf("%s/README.md has no row %q", fixture, name)
	return nil
}

func TestFixtureRetries(t *testing.T) {
	for column, file := range []string{"traces.jsonl", "traces.pb"} {
		_, n := one[retries.RetryNumbers](t, find(t, fixtures+"trace/retries-3x3x3/"+file), "retry-multiplication")
		roots := row(t, "retries-3x3x3", "requests")[column]
		calls := row(t, "retries-3x3x3", "Append: calls")[column]
		if fmt.Sprint(n.Hops) != "[3 3 3]" || n.Product != 27 || float64(n.LeafCallsMax) != row(t, "retries-3x3x3", "Append: in one request, most")[column] || !near(n.LeafCalls, calls/roots, 0.001) {
			t.Errorf("%s: %+v", file, n)
		}
		if !near(n.WastedMs, row(t, "retries-3x3x3", "time of the leaf in failed calls")[column], 0.001) {
			t.Errorf("%s: wasted %v", file, n.WastedMs)
		}
	}
	same := map[string]string{}
	for column, file := range []string{"native.jsonl", "native.sdk.pb", "otelgrpc.jsonl"} {
		found := find(t, fixtures+"trace/grpc-retry/"+file)
		f, n := one[retries.RetryNumbers](t, found, "retry-multiplication")
		if fmt.Sprint(n.Hops) != "[4]" || n.Product != 4 || n.LeafCallsMax != 4 || n.LeafCalls != 2.5 || len(found) != 1 {
			t.Errorf("%s: %s", file, said(found))
		}
		if !near(n.WastedMs, row(t, "grpc-retry", "time of the leaf in failed calls")[column], 0.002) {
			t.Errorf("%s: wasted %v", file, n.WastedMs)
		}
		if want := map[bool]detect.Confidence{true: detect.High, false: detect.Medium}[column < 2]; f.Confidence != want {
			t.Errorf("%s: confidence %v, want %v", file, f.Confidence, want)
		}
		same[file] = said(found)
	}
	if same["native.jsonl"] != same["native.sdk.pb"] {
		t.Errorf("two forms of the same spans, two reports:\n%s\n%s", same["native.jsonl"], same["native.sdk.pb"])
	}
}

func TestFixtureAbandoned(t *testing.T) {
	for column, file := range []string{"http.jsonl", "grpc.jsonl"} {
		found := find(t, fixtures+"trace/abandoned/"+file)
		_, n := one[retries.OrphanedNumbers](t, found, "orphaned-work")
		_, m := one[retries.DeadlineNumbers](t, found, "deadline-not-propagated")
		if want := row(t, "abandoned", "of these more than 5 ms after")[column]; float64(n.Spans) != want || n.Traces != 4 || float64(m.Calls) != want/2 || m.WentOn != 4 || len(found) != 2 {
			t.Errorf("%s: %s", file, said(found))
		}
		if !near(m.OverrunMs, row(t, "abandoned", "last span ends after the root by, max")[column], 0.03) {
			t.Errorf("%s: overrun %v", file, m.OverrunMs)
		}
	}
}

func TestFixtureHedging(t *testing.T) {
	_, n := one[retries.HedgeNumbers](t, find(t, fixtures+"trace/hedging-abuse/traces.jsonl.zst"), "hedge-overload")
	if n.HedgeShare != row(t, "hedging-abuse", "hedged, share")[0] || n.LoadFactor != row(t, "hedging-abuse", "attempts per call")[0] {
		t.Errorf("%+v", n)
	}
	// The README's figures have one decimal.
	if delay, p50 := row(t, "hedging-abuse", "delay, p50")[0], row(t, "hedging-abuse", "answered attempt, p50")[0]; !near(*n.DelayMs, delay, 0.025) || !near(*n.LeafP50Ms, p50, 0.015) {
		t.Errorf("delay %v, p50 %v", *n.DelayMs, *n.LeafP50Ms)
	}
}
