package console

import (
	"bytes"
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// Python is what ConsoleSpanExporter of OpenTelemetry Python prints.
var Python = ingest.Format{
	Name: "python-console",
	Doc: `Spans printed by OpenTelemetry Python (ConsoleSpanExporter)

A JSON object for each span, over many lines or, with a formatter of
to_json(indent=None), on one. Other lines of the program's output may stand
between them and are passed over.

Produce one with:

    OTEL_TRACES_EXPORTER=console opentelemetry-instrument python app.py > spans.txt

Know that times have microseconds, that spans come when they end, so children
stand before their parents, and that one process prints only its own spans: give
the files of all processes of a system together. Some versions write parent_id
without the 0x that other ids have; both are read.
`,
	Yields: ingest.KindSpan | ingest.KindProblem,
	Sniff: func(head []byte) bool {
		return trace.Objects(head, func(m trace.Members) bool { return m.Has("name", "context", "kind", "parent_id", "start_time") })
	},
	Split: ingest.SplitNever,
	Read:  readPython,
}

func readPython(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		f := trace.NewFeed(in, yield)
		d := &python{Feed: f, json: trace.NewJSON(r, f)}
		d.json.Loose = true
		for range d.json.Documents() {
			d.span()
		}
	}
}

type python struct {
	*trace.Feed
	json *trace.JSON
	c    trace.Cursor
}

// span reads the next value, if it is a span.
func (d *python) span() {
	raw := d.json.Raw()
	if d.json.Broken() {
		return
	}
	at := d.json.At()
	d.c.Reset(raw)
	var resource []byte
	isSpan := false
	for member := range d.c.Members() {
		switch string(member) {
		case "context":
			isSpan = d.c.Peek() == '{'
			d.c.Skip()
		case "resource":
			resource = d.c.Raw()
		default:
			d.c.Skip()
		}
	}
	if !isSpan {
		return
	}
	d.resource(resource)

	d.c.Reset(raw)
	d.Names.BeginSpan()
	var s ingest.Span
	var name, traceID, spanID, parent, start, end, code, message []byte
	for member := range d.c.Members() {
		switch string(member) {
		case "name":
			name = d.c.Text()
		case "context":
			for inner := range d.c.Members() {
				switch string(inner) {
				case "trace_id":
					traceID = d.c.Text()
				case "span_id":
					spanID = d.c.Text()
				default:
					d.c.Skip()
				}
			}
		case "kind":
			s.Kind = kindByName(bytes.TrimPrefix(d.c.Text(), []byte("SpanKind.")))
		case "parent_id":
			parent = d.c.Text()
		case "start_time":
			start = d.c.Text()
		case "end_time":
			end = d.c.Text()
		case "status":
			for inner := range d.c.Members() {
				switch string(inner) {
				case "status_code", "canonical_code":
					code = d.c.Text()
				case "description":
					message = d.c.Text()
				default:
					d.c.Skip()
				}
			}
		case "attributes":
			d.c.SetAttributes(d.Names)
		case "links":
			for range d.c.Elements() {
				s.Linked = true
				d.c.Skip()
			}
		default:
			d.c.Skip()
		}
	}
	ids(d.Feed, &s, at, traceID, spanID, parent)
	var ok, ok1 bool
	s.Start, ok = trace.ParseStamp(start)
	s.End, ok1 = trace.ParseStamp(end)
	if !ok || !ok1 {
		d.Problem(at, trace.ErrTime)
	}
	d.Names.Status(pythonStatus(code), message)
	d.Finish(&s, at, name)
}

// resource reads {"attributes":{…},"schema_url":""}, or the attributes by
// themselves, as versions before 1.12 wrote them.
func (d *python) resource(raw []byte) {
	d.Names.BeginResource()
	d.c.Reset(raw)
	for member := range d.c.Members() {
		if string(member) == "attributes" && d.c.Peek() == '{' {
			d.c.SetAttributes(d.Names)
		} else if key := trace.Lookup(member); key != 0 {
			d.c.Value().Set(d.Names, key)
		} else {
			d.c.Skip()
		}
	}
	d.Names.EndResource()
}

// pythonStatus reads a status: UNSET, OK, ERROR, or, before 1.0, the name of a
// gRPC code.
func pythonStatus(code []byte) int {
	switch string(code) {
	case "", "UNSET":
		return 0
	case "OK":
		return 1
	}
	return 2
}

func kindByName(name []byte) ingest.Kind {
	switch string(name) {
	case "INTERNAL":
		return ingest.Internal
	case "SERVER":
		return ingest.ServerSpan
	case "CLIENT":
		return ingest.ClientSpan
	case "PRODUCER":
		return ingest.Producer
	case "CONSUMER":
		return ingest.Consumer
	}
	return ingest.KindUnspecified
}

func ids(f *trace.Feed, s *ingest.Span, at int64, traceID, spanID, parent []byte) {
	var known [3]bool
	s.Trace, known[0] = trace.ParseTraceID(traceID)
	s.ID, known[1] = trace.ParseSpanID(spanID)
	s.Parent, known[2] = trace.ParseSpanID(parent)
	if known != [3]bool{true, true, true} {
		f.Once(at, trace.ErrID)
	}
}
