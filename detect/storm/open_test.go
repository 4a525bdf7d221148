package storm_test

import (
	"os"
	"testing"

	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/console"
	"github.com/tailcheck/tailcheck/ingest/trace/jaeger"
	"github.com/tailcheck/tailcheck/ingest/trace/otlp"
	"github.com/tailcheck/tailcheck/ingest/trace/spanscsv"
	"github.com/tailcheck/tailcheck/ingest/trace/stdouttrace"
	"github.com/tailcheck/tailcheck/ingest/trace/zipkin"
)

var formats = []ingest.Format{otlp.JSON, otlp.Proto, jaeger.Format, zipkin.Format, stdouttrace.Format, console.JS, spanscsv.Format}

// read returns the spans of a file, read as the pipeline reads them, as those of
// an input. Where the file is not there the test is skipped.
func read(t testing.TB, path string, input int) []ingest.Span {
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
		in := ingest.Input{Section: f.Section(), Command: f.Command, CommandFrom: f.CommandFrom}
		in.Index = int32(input)
		for rec, err := range f.Format.Read(r, in) {
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if s, ok := rec.(*ingest.Span); ok {
				spans = append(spans, *s)
			}
		}
		r.Close()
	}
	return spans
}

// traces assembles spans.
func traces(t testing.TB, spans []ingest.Span) []ingest.Record {
	t.Helper()
	list, err := detecttest.Assemble(spans)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]ingest.Record, len(list))
	for i, tr := range list {
		out[i] = tr
	}
	return out
}
