package jaeger

import (
	"errors"
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// reader reads one input. Spans name their process by a key of the trace, and
// the processes stand behind the spans; until they are known the spans of the
// trace are held, at about 200 bytes each.
type reader struct {
	*trace.Feed
	json  *trace.JSON
	c     trace.Cursor
	refs  trace.Cursor // in the references of a span
	docs  bool         // documents of the storage, not traces
	dates bool         // startTime is a date, not an offset

	trace     ingest.TraceID // of the trace object, where it comes before the spans
	doc       []byte         // members of a document that is being read
	processes map[string]process
	known     bool // processes were read
	held      []held
	maxHeld   int
	told      map[error]bool // problems that wait or waited
}

// maxHeld is how many spans wait for their processes, so that memory is bounded:
// ten times the largest traces that users report.
const maxHeld = 1 << 20

// process is what recorded a span.
type process struct{ service, instance string }

// held is a span that waits for its process, or a problem between such spans.
type held struct {
	span ingest.Span
	at   int64
	key  string
	err  error
}

// read yields the spans of r.
func read(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		f := trace.NewFeed(in, yield)
		head, r, err := trace.Head(r, in)
		if err != nil {
			f.Fail(err)
			return
		}
		d := &reader{Feed: f, json: trace.NewJSON(r, f), docs: hasDocuments(head), dates: hasDates(head),
			processes: map[string]process{}, told: map[error]bool{}, maxHeld: maxHeld}
		for first := range d.json.Documents() {
			d.value(first, 0)
		}
	}
}

// maxWrap is how deep traces may be wrapped: the hits of a search are at 3.
const maxWrap = 8

// value reads an answer, a trace, a document of the storage, or an array of
// these. first is its first byte, where that is known.
func (d *reader) value(first byte, depth int) {
	if d.docs && first == '{' {
		d.document()
		return
	}
	switch open := d.json.Open(); {
	case open == 0:
	case depth > maxWrap:
		d.json.Leave()
	case open == '{':
		d.object(depth)
	default:
		for first := range d.json.Elements() {
			d.value(first, depth+1)
		}
	}
}

// document reads a span by itself.
func (d *reader) document() {
	raw := d.json.Raw()
	if !d.json.Broken() {
		d.span(raw, d.json.At(), false)
	}
}

// object reads an object that was just opened: an answer, a trace, or a document
// of the storage.
func (d *reader) object(depth int) {
	at := d.json.At()
	isTrace, isSpan := false, false
	d.doc = append(d.doc[:0], '{')
	for name := range d.json.Members() {
		switch name {
		case "data", "hits":
			d.value(0, depth+1)
		case "_source":
			d.document()
		case "spans":
			isTrace = true
			d.spans()
		case "processes":
			isTrace = true
			d.readProcesses()
		case "traceID":
			raw := d.json.Raw()
			d.c.Reset(raw)
			d.trace, _ = trace.ParseTraceID(d.c.Text())
			d.member(name, raw)
		case "spanID":
			isSpan = true
			d.member(name, d.json.Raw())
		case "parentSpanID", "operationName", "references", "startTime", "duration", "tags", "tag", "process", "warnings":
			d.member(name, d.json.Raw())
		default:
			d.json.Skip()
		}
	}
	switch {
	case isTrace:
		d.release()
		d.known = false
		clear(d.processes)
	case isSpan && !d.json.Broken():
		d.span(append(d.doc, '}'), at, false)
	}
	d.trace = ingest.TraceID{}
}

// maxDocument is the largest document of the storage that is read, in bytes.
const maxDocument = 16 << 20

// member puts a member of a document aside until its end is there.
func (d *reader) member(name string, raw []byte) {
	if len(d.doc)+len(raw) > maxDocument {
		return
	}
	d.doc = trace.AppendMember(d.doc, name, raw)
}

// spans reads the spans of a trace.
func (d *reader) spans() {
	switch d.json.Open() {
	case '{':
		d.json.Leave()
	case '[':
		for range d.json.Elements() {
			raw := d.json.Raw()
			d.span(raw, d.json.At(), true)
		}
	}
}

// maxProcesses is how many processes of one trace are told apart: a hundred
// times what is large.
const maxProcesses = 1 << 16

// readProcesses reads {"p1":{"serviceName":…,"tags":[…]}, …}.
func (d *reader) readProcesses() {
	switch d.json.Open() {
	case '[':
		d.json.Leave()
	case '{':
		for key := range d.json.Members() {
			raw := d.json.Raw()
			if len(d.processes) < maxProcesses {
				d.c.Reset(raw)
				d.processes[key] = d.process(&d.c)
			}
		}
	}
	d.known = true
	d.release()
}

// process reads what recorded a span.
func (d *reader) process(c *trace.Cursor) process {
	var name []byte
	d.Names.BeginResource()
	for member := range c.Members() {
		switch string(member) {
		case "serviceName":
			name = c.Text()
		case "tags":
			d.tags(c)
		case "tag":
			d.dottedTags(c)
		default:
			c.Skip()
		}
	}
	d.Names.EndResource()
	p := process{service: d.Names.Intern(name), instance: d.Names.Instance()}
	if len(name) == 0 {
		p.service = d.Names.Service()
	}
	return p
}

var errProcess = errors.New("the process of a span is not described in its trace: its service is not known")

// release hands on the spans that waited for their processes, and forgets both.
func (d *reader) release() {
	for i := range d.held {
		h := &d.held[i]
		if h.err != nil {
			d.Once(h.at, h.err)
			continue
		}
		d.emit(&h.span, h.at, h.key)
	}
	if cap(d.held) > 1<<16 {
		d.held = nil
	}
	d.held = d.held[:0]
}

func (d *reader) emit(s *ingest.Span, at int64, key string) {
	if key != "" {
		p, ok := d.processes[key]
		if !ok {
			d.Once(at, errProcess)
		}
		s.Service, s.Instance = p.service, p.instance
	}
	d.Emit(s, at)
}
