// Package zipkin reads Zipkin's JSON, of version 2 and of version 1.
//
// Rows come out as they are. Zipkin may record one call as several rows of one
// id: the client's and the server's half (shared ids), and rows without kind and
// times that add a tag or a name to another. They may be anywhere in a file, and
// in several; only where whole traces are put together are all of them at hand.
// So it is detect/calltree that joins the halves and adds the partial rows, and
// this package that keeps what it needs for that: a partial row has neither kind
// nor times, and all that its tags say.
//
// The rules were read in openzipkin/zipkin-api (zipkin2-api.yaml), the v1 to v2
// converter of openzipkin/zipkin (V1SpanConverter) and its Lens (what counts as
// an error).
package zipkin

import (
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// Format is Zipkin's JSON.
var Format = ingest.Format{
	Name: "zipkin",
	Doc: `Traces of Zipkin as JSON

What Zipkin's user interface downloads and its API answers, version 2 and
version 1: an array of spans (one trace), an array of traces, a single span, or
several of these one behind the other.

Produce one with "Download JSON" on a trace, or with:

    curl 'http://localhost:9411/api/v2/traces?serviceName=checkout&limit=1000' > traces.json

Know that limit cuts the answer off without a mark. A call may be recorded as
several rows of one id: the client's half, the server's (with "shared":true or
without), and rows without kind and times that only add a tag. The rows are
counted as they are in the file; in the tree of calls the halves are one call,
and what a partial row says is its. A span of version 1 that holds both halves
(cs, sr, ss, cr) is one row: the server's, with the times that the client saw.
Any tag error means an error, whatever its value, "false" included. Times are
microseconds; a span without duration has no end.
`,
	Yields: ingest.KindSpan | ingest.KindProblem,
	Sniff:  sniff,
	Split:  ingest.SplitNever,
	Read:   read,
}

// sniff reports whether head holds a span. The names are those of a span of
// either version; OTLP has spanId, X-Ray trace_id, and the lines of a log no
// name beside an id.
func sniff(head []byte) bool {
	return trace.Objects(head, func(m trace.Members) bool {
		if !m.Has("traceId", "id") || m.Has("spanId") {
			return false
		}
		return m.Has("localEndpoint") || m.Has("annotations") || m.Has("binaryAnnotations") ||
			m.Has("name") && (m.Has("timestamp") || m.Has("duration") || m.Has("kind") || m.Has("tags"))
	})
}

// read yields the spans of r.
func read(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		f := trace.NewFeed(in, yield)
		d := &reader{Feed: f, json: trace.NewJSON(r, f)}
		for first := range d.json.Documents() {
			d.value(first, 0)
		}
	}
}

// value reads a span, an array of spans, or an array of those. first is its first
// byte, where that is known.
func (d *reader) value(first byte, depth int) {
	if first == '{' {
		raw := d.json.Raw()
		if !d.json.Broken() {
			d.span(raw, d.json.At())
		}
		return
	}
	switch open := d.json.Open(); {
	case open == '[' && depth <= maxWrap:
		for first := range d.json.Elements() {
			d.value(first, depth+1)
		}
	case open == '[':
		d.json.Leave()
	case open == '{':
		at := d.json.At()
		if b := d.json.Object(); b != nil {
			d.span(b, at)
		}
	case !d.json.Broken():
		d.Once(d.json.At(), errNotSpan)
	}
}

// maxWrap is how deep spans may lie in arrays: [[spans]] is 1.
const maxWrap = 4
