// Package spanscsv reads tables of spans: a row for each, columns by their
// names.
//
// The columns are those of the data sets for root-cause analysis (Nezha,
// RCAEval, OpenRCA), of the otel_traces table of the collector's ClickHouse
// exporter, of ClickHouse's own system.opentelemetry_span_log, of SigNoz
// (signoz_index_v3) and Honeycomb; the names were read in their schemas.
package spanscsv

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// Format is a table of spans.
var Format = ingest.Format{
	Name: "spans-csv",
	Doc: `Tables of spans (CSV, TSV, rows as JSON)

A header with the names of the columns and a row for each span, separated by
commas, semicolons, tabs or bars; or a JSON object for each row (ClickHouse's
JSONEachRow). Names are compared without regard to case, dots and underlines.
There must be a trace id, a span id, a parent, and a start; read are also an end
or a duration, service or pod, operation, kind, status, maps of attributes, and
columns that are named like an attribute of OpenTelemetry.

Produce one from ClickHouse with:

    clickhouse-client -q "SELECT * FROM otel_traces WHERE Timestamp > now() - 600 FORMAT CSVWithNames" > spans.csv

Data sets are read as they are published: Nezha (TraceID, SpanID, ParentID,
PodName, OperationName, StartTimeUnixNano, EndTimeUnixNano) and RCAEval. Where
only pods are named the service is the pod's name without its hash.

Know that the unit of a time is taken from its name (_ms, Nano, Millis), a
start without one from its size, and a duration without one from the table that
it is known to be of; elsewhere it has to be said with --unit (OpenRCA: start
and duration differ between its systems). Where there is an end the duration is
not read. --columns start=, end=, latency= (the duration), status= and op= name
columns that have other names. A root has no parent, or root, null, None, 0 or -1.
`,
	Yields:   ingest.KindSpan | ingest.KindProblem,
	Sniff:    func(head []byte) bool { _, ok := recognise(head, ingest.Options{}); return ok },
	Near:     near,
	Split:    ingest.SplitLines,
	SplitFor: split,
	Read:     read,
}

// recognise returns the layout of the table that an input is.
func recognise(head []byte, options ingest.Options) (*layout, bool) {
	line := bytes.TrimLeft(head, " \t\r\n")
	if len(line) > 0 && (line[0] == '{' || line[0] == '[') {
		return recogniseJSON(line, options)
	}
	line, _, whole := bytes.Cut(line, []byte("\n"))
	if !whole && len(head) >= ingest.HeadSize {
		return nil, false // no header is that long
	}
	line = bytes.TrimRight(line, "\r")
	for _, comma := range []byte(",\t;|") {
		if l := newLayout(splitHeader(line, comma), options); l.complete() {
			l.comma = comma
			l.quoted = comma != '\t' && bytes.IndexByte(head, '"') >= 0
			l.units(head, options)
			return l, true
		}
	}
	return nil, false
}

// recogniseJSON looks at the first row for the columns.
func recogniseJSON(head []byte, options ingest.Options) (*layout, bool) {
	var c trace.Cursor
	var l *layout
	row := func() {
		var names []string
		for name := range c.Members() {
			names = append(names, string(name))
			c.Skip()
		}
		l = newLayout(names, options)
	}
	if c.Reset(head); c.Peek() == '[' {
		for range c.Elements() {
			row()
			break
		}
	} else {
		row()
	}
	switch {
	case l == nil, !l.complete(), l.column[name] < 0:
		return nil, false
	case l.has("traceID") && l.has("spanID") && l.has("operationName"): // the spans of Jaeger's storage
		return nil, false
	case l.has("startTimeUnixNano"): // OTLP's, without the resource that they need
		return nil, false
	}
	l.json = true
	l.units(head, options)
	return l, true
}

// split says where a table may be cut: a text in quotes may hold line feeds,
// rows as JSON may be written over several lines.
func split(head []byte) ingest.Split {
	if l, ok := recognise(head, ingest.Options{}); ok && !l.json && !l.quoted {
		return ingest.SplitLines
	}
	return ingest.SplitNever
}

func near(head []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	for _, comma := range []byte(",\t;|") {
		l := newLayout(splitHeader(bytes.TrimRight(line, "\r"), comma), ingest.Options{})
		if l.column[traceID] >= 0 && l.column[spanID] >= 0 {
			return "the header has a trace id and a span id, but no column of " + l.lacks()
		}
	}
	return ""
}

var errHeader = errors.New("no header with a trace id, a span id, a parent and a start")

// read yields the spans of r.
func read(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		f := trace.NewFeed(in, yield)
		head, r, err := trace.Head(r, in)
		if err != nil {
			f.Fail(err)
			return
		}
		l, ok := recognise(head, in.Options)
		if !ok {
			f.Fail(errHeader)
			return
		}
		if l.mistake != "" {
			f.Fail(fmt.Errorf("no column for %s in the header", l.mistake))
			return
		}
		if l.unknown != "" {
			f.Fail(fmt.Errorf("the unit of the column `%s` is not stated: give --unit", l.unknown))
			return
		}
		d := &reader{Feed: f, layout: l}
		if l.json {
			d.readJSON(r)
		} else {
			d.readLines(r, in.Part == 0)
		}
	}
}
