// Package jaeger reads what Jaeger's user interface and query API give out as
// JSON, and the documents that it keeps in Elasticsearch and OpenSearch.
//
// The rules were read in jaegertracing/jaeger: internal/uimodel/model.go (the
// JSON), internal/uimodel/converter and internal/storage/v1/elasticsearch
// (documents), the adjusters of the query service; see knowledge of their
// differences at the places that rest on them.
package jaeger

import (
	"bytes"
	"strconv"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// Format is Jaeger's JSON.
var Format = ingest.Format{
	Name: "jaeger",
	Doc: `Traces of Jaeger as JSON

What Jaeger's user interface downloads and its HTTP API answers:
{"data":[{"traceID":…,"spans":[…],"processes":{…}}]}. A bare trace, an array of
traces, several documents one behind the other, and the span documents of the
Elasticsearch or OpenSearch storage (jaeger-span-*, plain, as dumped by
elasticdump, or as a search answers them) are read as well. Answers of the API
v3 ({"result":{"resourceSpans":…}}) are OTLP, and read as such.

Produce one in the user interface with "Trace JSON (unadjusted)", or with:

    curl 'http://localhost:16686/api/traces?service=checkout&limit=200&raw=true' > traces.json

Know that limit cuts the answer off without a mark, and that Jaeger has whole
microseconds. Without raw=true the query service may have moved the times of
spans (clock skew adjustment); such a file is read, and said to be one. The
parent of a span is its first CHILD_OF reference into the same trace; only where
there is none a FOLLOWS_FROM one is, and such a span is taken as asynchronous.
Since version 2 span links come out as FOLLOWS_FROM, so a link can look like a
parent. References into other traces are links. Times far from any date (tests
that begin at 0) are taken as offsets.
`,
	Yields: ingest.KindSpan | ingest.KindProblem,
	Sniff:  sniff,
	Split:  ingest.SplitNever,
	Read:   read,
}

// sniff reports whether head holds a span, or an answer that is empty. The
// spelling of traceID is Jaeger's own.
func sniff(head []byte) bool {
	return trace.Objects(head, func(m trace.Members) bool {
		return m.Has("traceID", "spanID", "operationName") || m.Has("traceID", "spans", "processes") ||
			m.Has("data", "total", "limit", "offset", "errors")
	})
}

// hasDocuments tells an input of spans by themselves from one of traces, by the
// first object in it.
func hasDocuments(head []byte) bool {
	var c trace.Cursor
	if c.Reset(head); c.Peek() != '[' {
		return isDocument(&c)
	}
	for range c.Elements() {
		return isDocument(&c)
	}
	return false
}

func isDocument(c *trace.Cursor) bool {
	for name := range c.Members() {
		switch string(name) {
		case "spanID", "operationName", "references":
			return true
		case "spans", "processes", "data":
			return false
		}
		c.Skip()
	}
	return false
}

// firstDate is the least startTime that is one, in microseconds: March 1973.
const firstDate = 100_000_000_000_000

// hasDates tells times since 1970 from offsets, by those in the head: all are
// small where they are offsets.
func hasDates(head []byte) bool {
	seen := false
	for {
		i := bytes.Index(head, []byte(`"startTime"`))
		if i < 0 {
			return !seen
		}
		head = bytes.TrimLeft(head[i+len(`"startTime"`):], ": \t\r\n\"")
		n := 0
		for n < len(head) && head[n]-'0' <= 9 {
			n++
		}
		if t, err := strconv.ParseInt(string(head[:n]), 10, 64); err == nil && n < len(head) {
			if t >= firstDate {
				return true
			}
			seen = true
		}
	}
}
