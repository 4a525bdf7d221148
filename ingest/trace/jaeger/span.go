package jaeger

import (
	"bytes"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

var (
	errHeld    = errors.New("a trace of over a million spans whose processes stand behind them: services of the first are not known")
	errNotSpan = errors.New("something else stands where a span should, and is passed over")
	errMoved   = errors.New("times of spans were moved by Jaeger (clock skew adjustment), as its warnings say; download them with raw=true")
)

// moved begins the warning that the adjuster puts on a span whose times it has
// changed (internal/uimodel adjuster, clockskew.go).
var moved = []byte("This span's timestamps were adjusted by")

// fields are the parts of a span that are read once all of them are known.
type fields struct {
	name, trace, id, parent, start, duration, process, own, references []byte
}

// span reads one span. One of a trace names its process by a key, and waits for
// it unless the processes came first; a document of the storage holds it.
func (d *reader) span(raw []byte, at int64, inTrace bool) {
	if d.json.Broken() && inTrace {
		return
	}
	d.c.Reset(raw)
	if d.c.Peek() != '{' {
		d.problem(at, errNotSpan, inTrace)
		return
	}
	var s ingest.Span
	var f fields
	d.Names.BeginSpan()
	for member := range d.c.Members() {
		switch string(member) {
		case "traceID":
			f.trace = d.c.Text()
		case "spanID":
			f.id = d.c.Text()
		case "parentSpanID":
			f.parent = d.c.Text()
		case "operationName":
			f.name = d.c.Text()
		case "startTime":
			f.start = d.c.Text()
		case "duration":
			f.duration = d.c.Text()
		case "processID":
			f.process = d.c.Text()
		case "references":
			f.references = d.c.Raw()
		case "process":
			f.own = d.c.Raw()
		case "tags":
			d.tags(&d.c)
		case "tag":
			d.dottedTags(&d.c)
		case "warnings":
			d.warnings(at, inTrace)
		default:
			d.c.Skip()
		}
	}
	d.ids(&s, &f, at, inTrace)
	d.reference(&s, f.references)
	d.times(&s, &f, at, inTrace)
	if s.Trace == (ingest.TraceID{}) {
		d.problem(at, trace.ErrNoTrace, inTrace)
		return
	}
	follows := s.Async
	d.Names.EndSpan(&s, f.name)
	s.Async = s.Async || follows
	key := d.Names.Intern(f.process)
	s.Service, s.Instance = "", ""
	if len(f.own) > 0 {
		d.refs.Reset(f.own)
		p := d.process(&d.refs)
		s.Service, s.Instance, key = p.service, p.instance, ""
	}
	if !inTrace || d.known || key == "" && len(d.held) == 0 {
		d.emit(&s, at, key)
		return
	}
	if len(d.held) >= d.maxHeld {
		d.problem(at, errHeld, inTrace)
		d.release()
	}
	d.held = append(d.held, held{span: s, at: at, key: key})
}

// problem tells a problem at once, or in its place between spans that wait; the
// first of its kind only.
func (d *reader) problem(at int64, err error, inTrace bool) {
	switch {
	case !inTrace || d.known:
		d.Once(at, err)
	case !d.told[err]:
		d.told[err] = true
		d.held = append(d.held, held{at: at, err: err})
	}
}

// tags reads [{"key":…,"type":…,"value":…}, …]. In documents every value is a
// string, whatever its type. The tag error says so by being true and by nothing
// else, which is how the user interface counts errors.
func (d *reader) tags(c *trace.Cursor) {
	for range c.Elements() {
		var key trace.Key
		var value trace.Value
		isError := false
		for member := range c.Members() {
			switch string(member) {
			case "key":
				name := c.Text()
				key, isError = trace.Lookup(name), string(name) == "error"
			case "value":
				value = c.Value()
			default:
				c.Skip()
			}
		}
		if key != 0 && (!isError || string(value.Text) == "true") {
			value.Set(d.Names, key)
		}
	}
}

// dottedTags reads {"http@status_code":"200", …}: the tags that Jaeger keeps as
// fields of the document, with another character for the dots of their names.
func (d *reader) dottedTags(c *trace.Cursor) {
	for name := range c.Members() {
		value := c.Value()
		key := trace.Lookup(bytes.ReplaceAll(name, []byte("@"), []byte(".")))
		if key != 0 && (string(name) != "error" || string(value.Text) == "true") {
			value.Set(d.Names, key)
		}
	}
}

func (d *reader) warnings(at int64, inTrace bool) {
	for range d.c.Elements() {
		if bytes.HasPrefix(d.c.Text(), moved) {
			d.problem(at, errMoved, inTrace)
		}
	}
}

// ids sets the ids of the span. Where it does not say its trace, the trace that
// it is in counts.
func (d *reader) ids(s *ingest.Span, f *fields, at int64, inTrace bool) {
	var known [3]bool
	s.Trace, known[0] = trace.ParseTraceID(f.trace)
	s.ID, known[1] = trace.ParseSpanID(f.id)
	s.Parent, known[2] = trace.ParseSpanID(f.parent)
	if known != [3]bool{true, true, true} {
		d.problem(at, trace.ErrID, inTrace)
	}
	if s.Trace == (ingest.TraceID{}) {
		s.Trace = d.trace
	}
}

// reference sets the parent: the first CHILD_OF into the same trace, else the
// first FOLLOWS_FROM into it, for which nobody waits. What is left over are
// links. (Jaeger's own rule takes the first reference of either type; links that
// are no parents come out as FOLLOWS_FROM since version 2, so CHILD_OF is
// preferred here.) parentSpanID is what spans had before there were references.
func (d *reader) reference(s *ingest.Span, raw []byte) {
	var child, follows ingest.SpanID
	isChild, isFollower := false, false
	hasParent := s.Parent != ingest.SpanID{}
	d.refs.Reset(raw)
	for range d.refs.Elements() {
		var kind, traceID, spanID []byte
		for member := range d.refs.Members() {
			switch string(member) {
			case "refType":
				kind = d.refs.Text()
			case "traceID":
				traceID = d.refs.Text()
			case "spanID":
				spanID = d.refs.Text()
			default:
				d.refs.Skip()
			}
		}
		into, _ := trace.ParseTraceID(traceID)
		id, _ := trace.ParseSpanID(spanID)
		same := len(traceID) == 0 || sameTrace(into, s.Trace)
		switch {
		case len(spanID) == 0:
		case same && !isChild && bytes.EqualFold(kind, []byte("CHILD_OF")):
			child, isChild = id, true
		case same && !isFollower && bytes.EqualFold(kind, []byte("FOLLOWS_FROM")):
			follows, isFollower = id, true
		default:
			s.Linked = true
		}
	}
	switch {
	case isChild:
		s.Parent = child
		s.Linked = s.Linked || isFollower
	case hasParent:
		s.Linked = s.Linked || isFollower
	case isFollower:
		s.Parent, s.Async = follows, true
	}
}

// sameTrace reports whether two ids are of one trace: a part of a system that
// knows 64 bits only leaves the upper half out (jaegertracing/jaeger#3084).
func sameTrace(a, b ingest.TraceID) bool {
	none := [8]byte{}
	return a == b || [8]byte(a[8:]) == [8]byte(b[8:]) && ([8]byte(a[:8]) == none || [8]byte(b[:8]) == none)
}

// times sets start and end. Both are whole microseconds.
func (d *reader) times(s *ingest.Span, f *fields, at int64, inTrace bool) {
	start, ok := trace.ParseTicks(f.start, time.Microsecond)
	if ok && !d.dates && len(f.start) > 0 {
		start = ingest.Relative(time.Duration(start))
	}
	end, ok1 := trace.After(start, f.duration, time.Microsecond)
	if !ok || !ok1 {
		d.problem(at, trace.ErrTime, inTrace)
	}
	s.Start, s.End = start, end
}
