package console

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// JS is what ConsoleSpanExporter of OpenTelemetry JavaScript prints.
var JS = ingest.Format{
	Name: "js-console",
	Doc: `Spans printed by OpenTelemetry JavaScript (ConsoleSpanExporter)

What the console exporter prints with console.dir: objects as Node.js shows them
("traceId: 'fa59…',"), which are no JSON. Colours, and other lines of the
program's output between spans, are passed over.

Produce one with:

    OTEL_TRACES_EXPORTER=console node --require @opentelemetry/auto-instrumentations-node/register app.js > spans.txt

Know that a start has milliseconds only, while durations are finer, so what
happened within one millisecond cannot be put in order; that versions before
1.24 print no resource, so services have no name; and that one process prints
only its own spans: give the files of all processes of a system together. Lists
are cut off by the printer. For anything but a look, use the OTLP exporter.
`,
	Yields: ingest.KindSpan | ingest.KindProblem,
	Sniff:  sniffJS,
	Split:  ingest.SplitNever,
	Read:   readJS,
}

// sniffJS reports whether head holds a span: the members that all versions
// print, in the first column of an object.
func sniffJS(head []byte) bool {
	for _, member := range []string{"traceId", "id", "kind", "timestamp", "duration"} {
		if !bytes.Contains(head, []byte("\n  "+member+": ")) && !bytes.Contains(head, []byte("\n  \x1b[0m"+member+": ")) {
			return false
		}
	}
	return true
}

// maxBlock is the longest span that is read, in bytes.
const maxBlock = 16 << 20

var (
	errBlock = errors.New("a span that is cut off, or longer than 16 MiB")
	// traceMember tells a span from other objects that a program prints.
	traceMember = []byte("traceId: ")
)

// readJS yields the spans of r. One starts at a line that is an opening brace and
// ends at one that is a closing brace: what is printed in it is indented, and
// texts have their line feeds escaped.
func readJS(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		d := &js{Feed: trace.NewFeed(in, yield)}
		lines := ingest.NewLines(r)
		var block []byte
		at, open := int64(0), false
		broken := func() {
			if open && bytes.Contains(block, traceMember) {
				d.Problem(at, errBlock)
			}
		}
		for !d.Halted() && lines.Next() {
			line := lines.Bytes()
			switch {
			case len(line) > 0 && line[0] == '{' && len(bytes.TrimSpace(line)) == 1:
				broken()
				block, at, open = append(block[:0], '{'), lines.Offset(), true
			case !open:
			case len(line) > 0 && line[0] == '}':
				d.span(append(block, '}'), at)
				open = false
			default:
				block = append(append(block, '\n'), line...)
				if len(block) > maxBlock {
					broken()
					open = false
				}
			}
		}
		broken()
		if err := lines.Err(); err != nil {
			d.Fail(err)
		}
	}
}

type js struct {
	*trace.Feed
	c inspected
}

// span reads one object, if it is a span. The resource of a span stands before
// its attributes, in every version that prints one.
func (d *js) span(block []byte, at int64) {
	if !bytes.Contains(block, traceMember) {
		return
	}
	d.c.reset(block)
	d.Names.BeginResource()
	d.Names.EndResource()
	d.Names.BeginSpan()
	var s ingest.Span
	var name, traceID, spanID, parent, start, duration, code, message []byte
	for member := range d.c.members() {
		switch string(member) {
		case "resource":
			d.resource()
		case "traceId":
			traceID = d.c.value().Text
		case "id":
			spanID = d.c.value().Text
		case "parentId": // before 2.0
			parent = d.c.value().Text
		case "parentSpanContext":
			for inner := range d.c.members() {
				if string(inner) == "spanId" {
					parent = d.c.value().Text
				} else {
					d.c.skip()
				}
			}
		case "name":
			name = d.c.value().Text
		case "kind":
			s.Kind = jsKind(d.c.value().Text)
		case "timestamp":
			start = d.c.value().Text
		case "duration":
			duration = d.c.value().Text
		case "attributes":
			d.attributes()
		case "status":
			for inner := range d.c.members() {
				switch string(inner) {
				case "code":
					code = d.c.value().Text
				case "message":
					message = d.c.value().Text
				default:
					d.c.skip()
				}
			}
		case "links":
			for range d.c.elements() {
				s.Linked = true
				d.c.skip()
			}
		default:
			d.c.skip()
		}
	}
	if len(traceID) == 0 || len(spanID) == 0 || len(start) == 0 {
		return // some other object of the program
	}
	ids(d.Feed, &s, at, traceID, spanID, parent)
	var ok, ok1 bool
	s.Start, ok = trace.ParseTicks(start, time.Microsecond)
	s.End, ok1 = trace.After(s.Start, duration, time.Microsecond)
	if !ok || !ok1 {
		d.Problem(at, trace.ErrTime)
	}
	status := 0 // UNSET, OK, ERROR
	if len(code) == 1 && code[0] >= '0' && code[0] <= '2' {
		status = int(code[0] - '0')
	}
	d.Names.Status(status, message)
	d.Finish(&s, at, name)
}

// resource reads { attributes: {…} }.
func (d *js) resource() {
	d.Names.BeginResource()
	for member := range d.c.members() {
		if string(member) == "attributes" {
			d.attributes()
		} else {
			d.c.skip()
		}
	}
	d.Names.EndResource()
	d.Names.BeginSpan()
}

func (d *js) attributes() {
	for name := range d.c.members() {
		if key := trace.Lookup(name); key != 0 {
			d.c.value().Set(d.Names, key)
		} else {
			d.c.skip()
		}
	}
}

// jsKind reads a kind. JavaScript numbers them from 0, one less than OTLP.
func jsKind(t []byte) ingest.Kind {
	if len(t) == 1 && t[0] >= '0' && t[0] <= '4' {
		return ingest.Kind(t[0]-'0') + ingest.Internal
	}
	return ingest.KindUnspecified
}
