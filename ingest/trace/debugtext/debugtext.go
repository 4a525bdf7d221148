// Package debugtext reads what the OpenTelemetry collector's debug exporter, and
// the logging exporter that came before it, print at verbosity detailed.
//
// The text was read in open-telemetry/opentelemetry-collector: otlptext of
// exporter/debugexporter and exporter/loggingexporter, and in outputs of its
// versions from 0.19 on (other names for resource, scope, kinds, status codes and
// the types of values).
package debugtext

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// Format is the collector's detailed text.
var Format = ingest.Format{
	Name: "otel-debug",
	Doc: `Spans printed by the OpenTelemetry collector (debug exporter)

The text that the collector's debug exporter writes to its log with verbosity
detailed, and the logging exporter before it with loglevel debug: blocks of
"ResourceSpans #0", "Span #0", "Trace ID : …". Other lines of the log are passed
over; a prefix of each line (docker compose logs, kubectl logs with timestamps),
quoting and indentation are taken off, and logs in JSON are read.

Produce one with:

    exporters:
      debug:
        verbosity: detailed

and "docker logs collector 2> spans.txt". It is the form in which spans are
pasted into issues; for more than a few, use the collector's file exporter.

Know that the verbosities basic and normal print no times and cannot be read, and
that an exporter configured to leave attributes out leaves little to be said.
`,
	Yields: ingest.KindSpan | ingest.KindProblem,
	Sniff: func(head []byte) bool {
		for _, label := range []string{"Span #", "Trace ID       :", "Parent ID      :", "Start time     :"} {
			if !bytes.Contains(head, []byte(label)) {
				return false
			}
		}
		return true
	},
	Near:  near,
	Split: ingest.SplitNever,
	Read:  read,
}

// near recognises a log of the other verbosities.
func near(head []byte) string {
	for _, mark := range []string{`"resource spans": `, `"#spans": `, `"resource spans":`} {
		if bytes.Contains(head, []byte(mark)) {
			return "the collector's debug exporter printed only how many spans there were; set its verbosity to detailed, or use the file exporter"
		}
	}
	return ""
}

// maxLine is how much of a line is looked at, in bytes; the log of a whole batch
// in JSON is one line.
const maxLine = 64 << 20

// read yields the spans of r.
func read(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		d := newReader(in, yield)
		lines := ingest.NewLines(r)
		for !d.Halted() && lines.Next() {
			line, at := lines.Bytes(), lines.Offset()
			if len(line) > 0 && line[0] == '{' && len(line) <= maxLine && bytes.Contains(line, []byte(`ResourceSpans #`)) {
				d.message(line, at)
				continue
			}
			d.line(line, at)
		}
		d.finish()
		if err := lines.Err(); err != nil {
			d.Fail(err)
		}
	}
}

// message reads a line of a log in JSON, whose message is the whole text.
func (d *reader) message(line []byte, at int64) {
	var entry struct{ Msg, Message string }
	if json.Unmarshal(line, &entry) != nil {
		d.Problem(at, errCut)
		return
	}
	d.finish()
	d.prefix, d.learn = nil, false
	for text := range bytes.SplitSeq([]byte(entry.Msg+entry.Message), []byte("\n")) {
		d.line(text, at)
	}
	d.finish()
}

func newReader(in ingest.Input, yield func(ingest.Record, error) bool) *reader {
	d := &reader{Feed: trace.NewFeed(in, yield), learn: true}
	d.Names.BeginResource()
	return d
}
