package amplification_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
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

func names(found []detect.Finding) string {
	var out []string
	for _, f := range found {
		out = append(out, f.Detector)
	}
	return strings.Join(out, " ")
}

func TestAllFiles(t *testing.T) {
	for _, dir := range []string{corpus + "traces", corpus + "recorded/redis", fixtures + "trace", fixtures + "clean"} {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".txt") && !strings.Contains(path, "js-console") || strings.Contains(path, "src/") || strings.HasPrefix(d.Name(), "hey") || d.Name() == "open.csv" {
				return nil
			}
			t.Run(strings.TrimPrefix(path, dir), func(t *testing.T) {
				found := fold(open(t, path))
				say(t, found)
			})
			return nil
		})
	}
}

var _ = rand.IntN
var _ = reflect.DeepEqual
var _ = names
