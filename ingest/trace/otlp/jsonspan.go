package otlp

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// decoder decodes OTLP JSON in a single pass over the bytes of a document.
type decoder struct {
	scanner
	sink
	loose  bool // the document is text out of a log: what is no OTLP is no problem
	behind int  // where the last span that was yielded ends
}

// more steps to the next member or element; it stops when the caller has heard
// enough.
func (d *decoder) more(bracket byte) bool { return !d.halt && d.next(bracket) }

// spans reads an array of spans.
func (d *decoder) spans() {
	if !d.open('[') {
		d.odd("spans")
		return
	}
	for ok := d.first(']'); ok; ok = d.more(']') {
		d.readSpan()
	}
}

// odd skips a value that is not of the kind that it should be. null stands for
// nothing.
func (d *decoder) odd(name string) {
	d.space()
	if !d.null() {
		d.trouble(d.i, fmt.Errorf("%s is not what OTLP has there, and is skipped", name))
		d.skip()
	}
}

// readSpan reads one span.
func (d *decoder) readSpan() {
	if !d.open('{') {
		d.odd("a span")
		return
	}
	d.within = d.i - 1
	d.spanFields(d.within)
	d.within = -1
}

// spanParts are what is collected of a span until all of it is there.
type spanParts struct {
	name       []byte
	start, end uint64
	badTime    bool
	badID      bool
}

// spanFields reads the members of a span that starts at byte at.
func (d *decoder) spanFields(at int) {
	d.text = d.text[:0]
	d.span = ingest.Span{}
	d.names.BeginSpan()
	var p spanParts
	ok := false
	if d.plainHead(&p) {
		ok = d.more('}')
	} else {
		ok = d.first('}')
	}
	for known := true; ok; ok = d.more('}') {
		switch string(d.key()) {
		case "traceId", "trace_id":
			d.span.Trace, known = trace.ParseTraceID(d.str())
			p.badID = p.badID || !known
		case "spanId", "span_id":
			d.span.ID, known = trace.ParseSpanID(d.str())
			p.badID = p.badID || !known
		case "parentSpanId", "parent_span_id":
			d.span.Parent, known = trace.ParseSpanID(d.str())
			p.badID = p.badID || !known
		case "name":
			p.name = d.str()
		case "kind":
			d.readKind()
		case "startTimeUnixNano", "start_time_unix_nano":
			p.start = d.nanos(&p.badTime)
		case "endTimeUnixNano", "end_time_unix_nano":
			p.end = d.nanos(&p.badTime)
		case "attributes":
			d.attributes()
		case "status":
			d.status()
		case "flags":
			n, _ := natural(d.scalar())
			d.flags(uint32(n))
		case "links":
			d.links()
		case "droppedAttributesCount", "dropped_attributes_count", "droppedEventsCount", "dropped_events_count", "droppedLinksCount", "dropped_links_count":
			if n, ok := natural(d.scalar()); ok {
				d.names.Dropped(uint32(min(n, 1<<32-1)))
			}
		default:
			d.skip()
		}
		if d.bad {
			return
		}
	}
	if d.bad || d.halt {
		return
	}
	if p.badID {
		d.trouble(at, errID)
	}
	d.times(at, p.start, p.end, p.badTime)
	d.finish(at, p.name)
	d.behind = d.i
}

var errID = fmt.Errorf("an id of the span is neither hexadecimal nor base64; another one stands for it")

// nanos reads a time. Grafana writes it as a number that went through a float.
func (d *decoder) nanos(bad *bool) uint64 {
	t := d.scalar()
	if n, ok := natural(t); ok || len(t) == 0 {
		return n
	}
	if n, err := strconv.ParseUint(string(t), 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(string(t), 64); err == nil && f >= 0 && f < 1<<63 {
		return uint64(f)
	}
	*bad = true
	return 0
}

// kinds are the names of the span kinds by their number.
var kinds = [...]string{"UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"}

func (d *decoder) readKind() {
	at := d.i
	t := d.scalar()
	if n, ok := natural(t); ok || len(t) == 0 {
		d.kind(at, int64(min(n, 1<<32)))
		return
	}
	short := bytes.TrimPrefix(t, []byte("SPAN_KIND_"))
	for i, k := range kinds {
		if string(short) == k {
			d.span.Kind = ingest.Kind(i)
			return
		}
	}
	d.trouble(at, fmt.Errorf("span kind %.60q is not known; the span is kept without one", t))
}

// status reads {"code":2,"message":"…"}.
func (d *decoder) status() {
	if !d.open('{') {
		d.odd("status")
		return
	}
	code, message := 0, []byte(nil)
	for ok := d.first('}'); ok; ok = d.next('}') {
		switch string(d.key()) {
		case "code":
			switch t := d.scalar(); string(t) {
			case "2", "STATUS_CODE_ERROR", "ERROR":
				code = 2
			case "1", "STATUS_CODE_OK", "OK":
				code = 1
			default:
				code = 0
			}
		case "message":
			message = d.str()
		default:
			d.skip()
		}
	}
	d.names.Status(code, message)
}

func (d *decoder) links() {
	if !d.open('[') {
		d.odd("links")
		return
	}
	for ok := d.first(']'); ok; ok = d.next(']') {
		d.span.Linked = true
		d.skip()
	}
}
