// Package otlp reads OpenTelemetry traces: OTLP as JSON in every spelling that
// exporters, backends and hand-made dumps give it, and as protobuf.
//
// Both decoders are single-pass and decode only what detectors read; pdata, the
// collector's own library, is what they are compared with in the tests. It is
// no fallback at run time: whatever pdata reads the decoders read (the fuzz
// targets hold that), and its JSON decoder recurses without bound.
package otlp

import "github.com/tailcheck/tailcheck/ingest"

// JSON reads OTLP/JSON.
var JSON = ingest.Format{
	Name: "otlp-json",
	Doc: `OpenTelemetry traces as JSON

Made by the collector's file exporter (format: json, the default), by any SDK's OTLP/HTTP exporter with JSON bodies written to a file, by Tempo's
and Jaeger's APIs (/api/traces/ID, /api/v2/traces/ID, /api/v3/traces/ID), by Grafana's "Export trace", and by Java's logging-otlp exporter:

    exporters:
      file:
        path: traces.json

Read are one document a line, documents one behind the other over any number of lines, arrays of them, and the length-and-zstd frames that the file
exporter writes with compression: zstd (they are no .zst file; one written with its nativeCompression gate is). A document is an export request
(resourceSpans, or batches), the same inside trace or result, or one ResourceSpans by itself; scopes may have the name of old versions
(instrumentationLibrarySpans). Names may be camelCase or snake_case; ids hexadecimal, base64, or base64 of hexadecimal; numbers quoted or not;
kinds and status codes numbers or names. In a log, lines that hold no document are passed over.

A kind that is not known is a problem, and the span is kept without one. A span without a trace id is left out, and counted. An answer that Tempo
marks PARTIAL is said to be. Documents of metrics or logs are not read. A document may be 256 MiB long; arrays of documents have no limit.
The spans of a frame that was compressed all have the place of the frame.`,
	Yields:   ingest.KindSpan | ingest.KindProblem,
	Sniff:    sniffJSON,
	Near:     nearJSON,
	Split:    ingest.SplitLines,
	SplitFor: splitJSON,
	Read:     readJSON,
}

// Proto reads OTLP as protobuf.
var Proto = ingest.Format{
	Name: "otlp-proto",
	Doc: `OpenTelemetry traces as protobuf

Made by the collector's file exporter with format: proto, and by saving the body of an OTLP request:

    exporters:
      file:
        path: traces.pb
        format: proto

Read are one bare ExportTraceServiceRequest, messages behind their length (4 bytes, big-endian), and the same with each message a zstd frame
(compression: zstd). Fields may come in any order. Messages that hold metrics or logs are not read.

A frame may be 256 MiB long, and so may one ResourceSpans of a bare message.`,
	Yields:   ingest.KindSpan | ingest.KindProblem,
	Sniff:    sniffProto,
	Near:     nearProto,
	Split:    ingest.SplitNever,
	SplitFor: splitProto,
	Read:     readProto,
}
