package storm_test

import (
	"os"
	"testing"

	"github.com/tailcheck/tailcheck/detect/calltree"
	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/console"
	"github.com/tailcheck/tailcheck/ingest/trace/jaeger"
	"github.com/tailcheck/tailcheck/ingest/trace/otlp"
	"github.com/tailcheck/tailcheck/ingest/trace/spanscsv"
	"github.com/tailcheck/tailcheck/ingest/trace/stdouttrace"
	"github.com/tailcheck/tailcheck/ingest/trace/zipkin"
)

var formats = []ingest.Format{otlp.JSON, otlp.Proto, jaeger.Format, zipkin.Format, stdouttrace.Format, console.JS, spanscsv.Format}

// read adds the spans of a file to spans, read as the pipeline reads them, as
// those of an input. Where the file is not there the test is skipped.
func read(t testing.TB, spans *calltree.Spans, path string, input int) {
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
	for _, f := range found {
		r := f.Open()
		in := ingest.Input{Section: f.Section(), Command: f.Command, CommandFrom: f.CommandFrom}
		in.Index = int32(input)
		for rec, err := range f.Format.Read(r, in) {
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if s, ok := rec.(*ingest.Span); ok {
				spans.Add(s)
			}
		}
		r.Close()
	}
}
