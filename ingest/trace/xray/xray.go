// Package xray reads AWS X-Ray segment documents.
//
// The shape was read in AWS' "X-Ray segment documents", in the X-Ray SDK for Go,
// and in the receiver of opentelemetry-collector-contrib
// (receiver/awsxrayreceiver, internal/aws/xray), whose mapping to
// OpenTelemetry's names is followed.
package xray

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// Format is X-Ray's JSON.
var Format = ingest.Format{
	Name: "xray",
	Doc: `AWS X-Ray segment documents

Segments with their subsegments as JSON: one document, an array, one a line, what
SDKs send to the daemon (each behind its {"format":"json","version":1}), and the
answer of BatchGetTraces, in which documents are texts.

Produce one with:

    ids=$(aws xray get-trace-summaries --start-time … --end-time … --query 'TraceSummaries[].Id' --output text)
    aws xray batch-get-traces --trace-ids $ids > traces.json

Know that batch-get-traces takes five ids at a time: append the answers to one
file. A segment is the work of a service, and is taken as a server's span; a
subsegment of namespace aws or remote is a call. fault, error and throttle are
errors. Segments in progress have no end. Times are what a float of seconds holds:
about a quarter of a microsecond. Segments that X-Ray inferred for services that
send none stand below the call that they were inferred from, with its times.
`,
	Yields: ingest.KindSpan | ingest.KindProblem,
	Sniff: func(head []byte) bool {
		return trace.Objects(head, func(m trace.Members) bool {
			return m.Has("trace_id", "id", "name", "start_time") && !m.Has("span_id") || m.Has("Id", "Document") || m.Has("Traces", "UnprocessedTraceIds")
		})
	},
	Split: ingest.SplitNever,
	Read:  read,
}

// maxDocument is the longest segment document that is read, in bytes: 16 times
// what X-Ray takes.
const maxDocument = 1 << 20

var (
	errLong    = errors.New("a segment document of more than 1 MiB, which X-Ray would not take")
	errText    = errors.New("a Document is no JSON object")
	errNothing = errors.New("an object that is no segment document")
	// of the answer of BatchGetTraces
	errCutOff      = errors.New("a trace is over the limits of X-Ray (LimitExceeded): segments of it are missing")
	errUnprocessed = errors.New("traces that were asked for are missing (UnprocessedTraceIds): ask for them again")
)

// reader reads one input.
type reader struct {
	*trace.Feed
	json *trace.JSON
	c    trace.Cursor // in a document
	part trace.Cursor // in a part of a segment
	doc  []byte       // members of an object that may be a document
	list []segment    // of a document
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

// maxWrap is how deep documents may lie in arrays.
const maxWrap = 4

// value reads a document, an answer, or an array of these.
func (d *reader) value(first byte, depth int) {
	switch open := d.json.Open(); {
	case open == '[' && depth <= maxWrap:
		for first := range d.json.Elements() {
			d.value(first, depth+1)
		}
	case open == '[':
		d.json.Leave()
	case open == '{':
		d.object(depth)
	}
}

// object reads an object that was just opened: a document, or something around
// documents. {"format":"json","version":1}, which goes before each document to
// the daemon, is neither.
func (d *reader) object(depth int) {
	at := d.json.At()
	doc := append(d.doc[:0], '{')
	isDocument, isWrapper := false, false
	for name := range d.json.Members() {
		switch name {
		case "Traces", "Segments":
			isWrapper = true
			if depth > 2*maxWrap {
				d.json.Skip()
			} else {
				d.value(0, depth+1)
			}
		case "Document":
			isWrapper = true
			raw := d.json.Raw()
			d.part.Reset(raw)
			d.text(d.part.Text(), d.json.At())
		case "LimitExceeded":
			if string(d.json.Raw()) == "true" {
				d.Problem(d.json.At(), errCutOff)
			}
		case "UnprocessedTraceIds":
			isWrapper = true
			if raw := d.json.Raw(); bytes.IndexByte(raw, '"') >= 0 {
				d.Problem(d.json.At(), errUnprocessed)
			}
		default:
			raw := d.json.Raw()
			isDocument = isDocument || name == "start_time" || name == "trace_id"
			isWrapper = isWrapper || name == "format"
			if len(doc)+len(raw) <= maxDocument {
				doc = trace.AppendMember(doc, name, raw)
			} else {
				d.Once(at, errLong)
			}
		}
	}
	d.doc = doc
	switch {
	case d.json.Broken() || d.Halted() || isWrapper:
	case isDocument:
		d.document(append(doc, '}'), at)
	default:
		d.Once(at, errNothing)
	}
}

// text reads a document that is a text in an answer.
func (d *reader) text(doc []byte, at int64) {
	switch {
	case len(doc) > maxDocument:
		d.Once(at, errLong)
	case len(doc) == 0 && d.json.Broken():
	case !json.Valid(doc) || bytes.IndexByte(doc, '{') < 0:
		d.Problem(at, errText)
	default:
		d.document(doc, at)
	}
}
