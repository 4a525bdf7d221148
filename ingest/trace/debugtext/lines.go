package debugtext

import (
	"bytes"
	"errors"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// section is what attributes belong to.
type section uint8

const (
	nowhere section = iota // attributes of events, links and scopes
	ofResource
	ofSpan
)

// reader reads one input line by line.
type reader struct {
	*trace.Feed

	prefix []byte // what stands before every line; digits stand for any digit
	learn  bool   // the prefix is not known yet

	section  section
	resource bool // the resource is being read
	open     bool // a span is
	at       int64
	span     ingest.Span
	f        fields

	key   trace.Key // of the attribute whose value may go on; 0: none
	kind  valueKind
	value []byte
	arena []byte // of the texts of a span or a resource
}

// fields are the parts of a span that are read once all of them are known.
type fields struct {
	name, trace, id, parent, start, end, message []byte
	code                                         int
	whole                                        bool // the status, which comes last, was there
}

var errCut = errors.New("a span that is cut off")

// line reads one line.
func (d *reader) line(line []byte, at int64) {
	if i := bytes.Index(line, []byte("ResourceSpans #")); i >= 0 && isNumber(line[i+len("ResourceSpans #"):]) {
		d.finish()
		d.learn = i > 0
		if i == 0 {
			d.prefix = nil
		}
		d.beginResource()
		return
	}
	if d.learn {
		d.learnPrefix(line)
	}
	line, ok := d.strip(line)
	if !ok {
		return
	}
	text := bytes.TrimSpace(line)
	switch {
	case bytes.HasPrefix(text, []byte("-> ")):
		d.attribute(text[len("-> "):], line)
	case d.heading(text, line, at):
	case d.open && !d.goesOn() && d.field(text, line):
		d.endValue()
	case isLogLine(line):
		d.endValue()
		d.section = nowhere
	default:
		d.goOn(line)
	}
}

// labels begin the lines that stand in the first column.
var labels = [][]byte{
	[]byte("Resource SchemaURL:"), []byte("Resource attributes:"), []byte("Resource labels:"), []byte("ScopeSpans #"),
	[]byte("InstrumentationLibrarySpans #"), []byte("InstrumentationScope "), []byte("Span #"),
}

// learnPrefix takes what stands before the first label as what stands before
// every line.
func (d *reader) learnPrefix(line []byte) {
	for _, label := range labels {
		if i := bytes.Index(line, label); i >= 0 {
			d.prefix = append(d.prefix[:0], line[:i]...)
			for j, c := range d.prefix {
				if c-'0' <= 9 {
					d.prefix[j] = '0'
				}
			}
			d.learn = false
			return
		}
	}
}

// strip takes the prefix off a line, and reports whether the line has it: those
// of other containers stand between.
func (d *reader) strip(line []byte) ([]byte, bool) {
	p := bytes.TrimRight(d.prefix, " \t")
	if len(line) < len(p) {
		return line, len(p) == 0
	}
	for i, c := range p {
		if l := line[i]; l != c && (c != '0' || l-'0' > 9) {
			return line, false
		}
	}
	n := len(p)
	for n < len(d.prefix) && n < len(line) && line[n] == d.prefix[n] {
		n++
	}
	return line[n:], true
}

func isNumber(t []byte) bool {
	t = bytes.TrimSpace(t)
	for _, c := range t {
		if c-'0' > 9 {
			return false
		}
	}
	return len(t) > 0
}

// isLogLine reports whether a line is another entry of the log: it starts with a
// date, or is what the logger appends to the text.
func isLogLine(line []byte) bool {
	if bytes.HasPrefix(line, []byte("\t{")) {
		return true
	}
	return len(line) > 10 && line[0]-'0' <= 9 && line[4] == '-' && line[7] == '-' && line[10] == 'T'
}

// heading reads the lines that begin a part, and reports whether this is one.
func (d *reader) heading(text, line []byte, at int64) bool {
	if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		return false
	}
	rest, isSpan := bytes.CutPrefix(text, []byte("Span #"))
	switch {
	case isSpan && isNumber(rest):
		d.beginSpan(at)
	case bytes.HasPrefix(text, []byte("ScopeSpans #")), bytes.HasPrefix(text, []byte("InstrumentationLibrarySpans #")):
		d.finish()
		d.endResource()
	case string(text) == "Resource attributes:", string(text) == "Resource labels:":
		if !d.resource {
			d.finish()
			d.beginResource()
		}
		d.section = ofResource
	case string(text) == "Attributes:":
		d.endValue()
		d.section = ofSpan
	case string(text) == "Links:":
		d.endValue()
		d.section = nowhere
		d.span.Linked = d.open
	case string(text) == "Events:", bytes.HasPrefix(text, []byte("SpanEvent #")), bytes.HasPrefix(text, []byte("SpanLink #")),
		bytes.HasPrefix(text, []byte("InstrumentationScope")), bytes.HasPrefix(text, []byte("InstrumentationLibrary ")),
		bytes.HasPrefix(text, []byte("Resource SchemaURL:")), bytes.HasPrefix(text, []byte("ScopeSpans SchemaURL:")):
		d.endValue()
		d.section = nowhere
	default:
		return false
	}
	return true
}

// field reads "    Trace ID       : 0102…", and reports whether the line is one
// of a span.
func (d *reader) field(text, line []byte) bool {
	label, value, ok := bytes.Cut(text, []byte(":"))
	if !ok || len(line) == 0 || line[0] != ' ' && line[0] != '\t' {
		return false
	}
	value = bytes.TrimSpace(value)
	switch string(bytes.TrimRight(label, " ")) {
	case "Trace ID":
		d.f.trace = d.keep(value)
	case "Parent ID":
		d.f.parent = d.keep(value)
	case "ID":
		d.f.id = d.keep(value)
	case "Name":
		d.f.name = d.keep(value)
	case "Kind":
		d.span.Kind = kindOf(value)
	case "Start time":
		d.f.start = d.keep(value)
	case "End time":
		d.f.end = d.keep(value)
	case "Status code":
		d.f.code, d.f.whole = statusOf(value), true
	case "Status message":
		d.f.message = d.keep(value)
	case "DroppedAttributesCount", "DroppedEventsCount", "DroppedLinksCount":
		trace.Value{Text: value}.Count(d.Names)
	case "TraceState":
	default:
		return false
	}
	return true
}

// maxKept is how much text of one span is kept, in bytes.
const maxKept = 4 << 20

// keep copies a text of the span.
func (d *reader) keep(t []byte) []byte {
	if len(d.arena)+len(t) > maxKept {
		return nil
	}
	n := len(d.arena)
	d.arena = append(d.arena, t...)
	return d.arena[n:]
}
