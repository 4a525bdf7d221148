package amplification_test

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/amplification"
	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/console"
	"github.com/tailcheck/tailcheck/ingest/trace/jaeger"
	"github.com/tailcheck/tailcheck/ingest/trace/otlp"
	"github.com/tailcheck/tailcheck/ingest/trace/spanscsv"
	"github.com/tailcheck/tailcheck/ingest/trace/stdouttrace"
	"github.com/tailcheck/tailcheck/ingest/trace/xray"
	"github.com/tailcheck/tailcheck/ingest/trace/zipkin"
)

const corpus, fixtures = "../../../shared/corpus/", "../../fixtures/"

var formats = []ingest.Format{otlp.JSON, otlp.Proto, jaeger.Format, zipkin.Format, stdouttrace.Format, console.JS, xray.Format, spanscsv.Format}

// open returns the assembled traces of a file, and its problems.
func open(t testing.TB, path string) []ingest.Record {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skip("the file is not here: ", err)
	}
	file, err := ingest.OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := ingest.Find(file, formats, "")
	if err != nil {
		t.Fatal(err)
	}
	f := found[0]
	r := f.Open()
	defer r.Close()
	var spans []ingest.Span
	var out []ingest.Record
	for rec, err := range f.Format.Read(r, ingest.Input{Section: f.Section()}) {
		if err != nil {
			t.Fatal(err)
		}
		switch rec := rec.(type) {
		case *ingest.Span:
			spans = append(spans, *rec)
		case *ingest.Problem:
			c := *rec
			out = append(out, &c)
		}
	}
	traces, err := detecttest.Assemble(spans)
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range traces {
		out = append(out, tr)
	}
	return out
}

func fold(records []ingest.Record) []detect.Finding {
	return detecttest.Fold(amplification.Detectors, [][]ingest.Record{records})
}

func say(t *testing.T, found []detect.Finding) {
	t.Helper()
	for _, f := range found {
		t.Logf("%s %v of %s, %v: %s %s", f.Detector, f.Confidence, f.Op, f.Impact, f.Message, detecttest.Numbers(f))
		for _, e := range f.Evidence {
			t.Logf("    %s: %s (%s)", e.What, e.Got, e.Want)
		}
		t.Logf("    %s", f.Remedy)
	}
}

func names(found []detect.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Detector+" "+f.Confidence.String())
	}
	return out
}

// What must be found in files whose truth is written down: SOURCES.md and
// recorded/redis/README.md in the corpus, the README of each fixture. Files that
// are not listed are those of TestOthersAreSilent.
var known = map[string][]string{
	corpus + "traces/otlp-json/tail-fanout-69.jsonl":                          {"tail-amplification high"},
	fixtures + "trace/fan-out-69/traces.pb.zst":                               {"tail-amplification high"},
	fixtures + "trace/fan-out-69-sequential/traces.jsonl.zst":                 {"serial-fan-out high"},
	corpus + "traces/otlp-json/go-redis-cluster-mget-storm.spanpruning.jsonl": {"low-visibility high"}, // summaries
	corpus + "traces/otlp-json/proto-example-trace.json":                      {"low-visibility high"}, // one span, an orphan
	corpus + "traces/otlp-json/jaeger-otlp-in.json":                           {"low-visibility high"}, // two spans of one id, orphans
	corpus + "traces/otlp-json/otel-demo-envoy.base64ids.json":                {"low-visibility high"}, // the root is missing
	corpus + "traces/otlp-proto/otel-demo-envoy.pb":                           {"low-visibility high"},
	corpus + "traces/jaeger/es-document.json":                                 {"low-visibility high"}, // one span, an orphan
	corpus + "traces/jaeger/api-v3-GetTrace.json":                             {"low-visibility high"}, // no times
	corpus + "traces/zipkin-v2/single-object.json":                            {"low-visibility high"}, // one span, an orphan
	corpus + "traces/zipkin-v2/smartthings-oauth-authorization.json":          {"low-visibility high"}, // a message received five times under one id, spans without times
}

func TestKnownFiles(t *testing.T) {
	for path, want := range known {
		t.Run(path, func(t *testing.T) {
			found := fold(open(t, path))
			if got := names(found); !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
				say(t, found)
			}
		})
	}
}

// All other files: fan-outs of eight, storms, N+1, retries, hedges, deadlines,
// pipelines, healthy runs, production traces, critical-path cases. None of them
// has anything for these detectors.
func TestOthersAreSilent(t *testing.T) {
	for _, dir := range []string{corpus + "traces", corpus + "recorded/redis", fixtures + "trace", fixtures + "clean"} {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || known[path] != nil || !isTrace(path) {
				return nil
			}
			t.Run(path, func(t *testing.T) {
				if found := fold(open(t, path)); len(found) != 0 {
					t.Errorf("found %q", names(found))
					say(t, found)
				}
			})
			return nil
		})
	}
}

// isTrace tells files of traces from what stands beside them.
func isTrace(path string) bool {
	dir, name := filepath.Split(path)
	switch {
	case strings.HasSuffix(name, ".md"), filepath.Base(dir) == "src":
		return false
	case filepath.Base(dir) == "clean":
		return strings.HasPrefix(name, "traces")
	}
	return true
}

// SOURCES.md: 90 traces of 69 calls; and counted by a script of its own (sorted
// durations, nearest rank): calls p50 3.468 and p99 67.057 ms, roots p50 64.281
// ms, 0.98857 of the calls take no longer, 44.4 % of the requests meet one beyond
// p99 where 50.0 % would if independent, and the slowest exceed the medians of
// their siblings by 3721.87 ms in all.
func TestTailFanOut69(t *testing.T) {
	records := open(t, corpus+"traces/otlp-json/tail-fanout-69.jsonl")
	found := fold(records)
	if len(found) != 1 {
		t.Fatalf("%d findings", len(found))
	}
	f := found[0]
	near := func(what string, got, want, by float64) {
		if got < want-by || got > want+by {
			t.Errorf("%s %v, want %v", what, got, want)
		}
	}
	n := f.Numbers.(amplification.TailNumbers)
	if n.FanOut != 69 || f.Op != "feed-api GET /feed" || len(f.Exemplars) != 5 || !slices.Equal(f.Inputs, []int{0}) {
		t.Errorf("%+v %s %v %v", n, f.Op, f.Exemplars, f.Inputs)
	}
	near("leaf p50", n.LeafP50, 3.468, 0.004)
	near("leaf p99", n.LeafP99, 67.057, 0.07)
	near("root p50", n.RootP50, 64.281, 0.001)
	near("leaf quantile", n.LeafQuantile, 0.98857, 0.0002)
	near("expected quantile", n.Expected, 0.99000, 0.0001)
	near("impact", f.Impact.Seconds(), 3.72187, 0.01) // of it a little was outside of the root
	sameHoweverSplit(t, records)
}

// The README of the fixture: 40 requests of 69 calls, 745.9 ms in the median.
func TestSequential69(t *testing.T) {
	records := open(t, fixtures+"trace/fan-out-69-sequential/traces.jsonl.zst")
	found := fold(records)
	if len(found) != 1 {
		t.Fatalf("%d findings", len(found))
	}
	n := found[0].Numbers.(amplification.SerialNumbers)
	if n.Calls != 40*69 || n.Parents != 40 || n.Sum < 40*700 || n.Sum > 40*800 {
		t.Errorf("%+v", n)
	}
	sameHoweverSplit(t, records)
}

// sameHoweverSplit is the law of merging, on a file.
func sameHoweverSplit(t *testing.T, records []ingest.Record) {
	t.Helper()
	want := fold(records)
	r := rand.New(rand.NewPCG(1, uint64(len(records))))
	for range 5 {
		r.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		parts := make([][]ingest.Record, 1+r.IntN(6))
		for _, rec := range records {
			p := r.IntN(len(parts))
			parts[p] = append(parts[p], rec)
		}
		if got := detecttest.Fold(amplification.Detectors, parts); !reflect.DeepEqual(got, want) {
			t.Fatalf("in %d parts: other findings", len(parts))
		}
	}
}

// An answer of Tempo that is marked as partial.
func TestPartialAnswer(t *testing.T) {
	problem := &ingest.Problem{Pos: ingest.Pos{Input: 2}, Err: fmt.Errorf("%w, spans are missing", ingest.ErrPartial)}
	found := fold([]ingest.Record{problem, &ingest.Problem{Err: io.ErrUnexpectedEOF}})
	if len(found) != 1 || !slices.Equal(found[0].Inputs, []int{2}) || !strings.Contains(found[0].Message, "1 answer marked as partial") {
		t.Errorf("%+v", found)
	}
}
