// Package stdouttrace reads what the stdouttrace exporter of OpenTelemetry Go
// prints.
//
// The shapes were read in open-telemetry/opentelemetry-go:
// exporters/stdout/stdouttrace and sdk/trace/tracetest (SpanStub) of v1, and the
// stdout exporter of v0.5 to v0.20.
package stdouttrace

import (
	"bytes"
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// Format is stdouttrace's JSON.
var Format = ingest.Format{
	Name: "stdouttrace",
	Doc: `Spans printed by OpenTelemetry Go (stdouttrace)

What go.opentelemetry.io/otel/exporters/stdout/stdouttrace writes: a JSON object
for each span, on one line or, with WithPrettyPrint, over many; objects follow
each other without commas. Arrays of them, as versions before 1.0 wrote, are
read too. Other lines of the program's output may stand between them and are
passed over.

Produce one with:

    exporter, err := stdouttrace.New(stdouttrace.WithWriter(file))
    provider := trace.NewTracerProvider(trace.WithBatcher(exporter))

Know that spans come when they end, so children stand before their parents, and
that one process prints only its own spans: give the files of all processes of a
system together.
`,
	Yields: ingest.KindSpan | ingest.KindProblem,
	Sniff: func(head []byte) bool {
		return trace.Objects(head, func(m trace.Members) bool { return m.Has("Name", "SpanContext", "StartTime") })
	},
	Split: ingest.SplitNever,
	Read:  read,
}

// read yields the spans of r.
func read(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		f := trace.NewFeed(in, yield)
		d := &reader{Feed: f, json: trace.NewJSON(r, f)}
		d.json.Loose = true
		for first := range d.json.Documents() {
			if first == '{' {
				d.span()
				continue
			}
			d.json.Open()
			for range d.json.Elements() {
				d.span()
			}
		}
	}
}

// reader reads one input.
type reader struct {
	*trace.Feed
	json *trace.JSON
	c    trace.Cursor
}

// fields are the parts of a span that are read once all of them are known.
type fields struct {
	name, trace, id, parent, remote, kind, start, end []byte
	resource                                          []byte
	code, message                                     []byte
	isSpan, linked                                    bool
}

// span reads the next value, if it is a span. Lines of a structured log are
// objects too, and none.
func (d *reader) span() {
	raw := d.json.Raw()
	if d.json.Broken() {
		return
	}
	at := d.json.At()
	f := d.fields(raw)
	if !f.isSpan {
		return
	}
	var s ingest.Span
	var known [3]bool
	s.Trace, known[0] = trace.ParseTraceID(f.trace)
	s.ID, known[1] = trace.ParseSpanID(f.id)
	s.Parent, known[2] = trace.ParseSpanID(f.parent)
	if known != [3]bool{true, true, true} {
		d.Once(at, trace.ErrID)
	}
	if s.Parent != (ingest.SpanID{}) {
		switch string(f.remote) {
		case "true":
			s.Remote = 1
		case "false":
			s.Remote = -1
		}
	}
	s.Kind = kind(f.kind)
	s.Linked = f.linked
	start, ok := trace.ParseStamp(f.start)
	end, ok1 := trace.ParseStamp(f.end)
	if !ok || !ok1 {
		d.Problem(at, trace.ErrTime)
	}
	s.Start, s.End = start, end
	code := 0
	switch string(f.code) {
	case "Error", "2":
		code = 2
	case "Ok", "1":
		code = 1
	}
	d.Names.Status(code, f.message)
	d.Finish(&s, at, f.name)
}

// kind reads a kind: a number as in OTLP, or in old versions its name.
func kind(t []byte) ingest.Kind {
	switch string(bytes.ToLower(t)) {
	case "1", "internal":
		return ingest.Internal
	case "2", "server":
		return ingest.ServerSpan
	case "3", "client":
		return ingest.ClientSpan
	case "4", "producer":
		return ingest.Producer
	case "5", "consumer":
		return ingest.Consumer
	}
	return ingest.KindUnspecified
}
