package otlp

import (
	"encoding/binary"
	"fmt"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// Field numbers (opentelemetry-proto: trace/v1, common/v1, resource/v1).
const (
	dataResourceSpans = 1 // TracesData, ExportTraceServiceRequest

	rsResource   = 1
	rsScopeSpans = 2
	rsOldSpans   = 1000 // instrumentation_library_spans, until OTLP 0.15

	scopeSpansSpans = 2

	resourceAttributes = 1

	spanTraceID           = 1
	spanID                = 2
	spanParentID          = 4
	spanName              = 5
	spanKind              = 6
	spanStart             = 7
	spanEnd               = 8
	spanAttributes        = 9
	spanDroppedAttributes = 10
	spanDroppedEvents     = 12
	spanLinks             = 13
	spanDroppedLinks      = 14
	spanStatus            = 15
	spanFlags             = 16

	statusMessage = 2
	statusCode    = 3

	keyValueKey   = 1
	keyValueValue = 2

	anyString = 1
	anyBool   = 2
	anyInt    = 3
	anyDouble = 4
	anyArray  = 5
	anyMap    = 6
	anyBytes  = 7
)

var errMessage = fmt.Errorf("the protobuf message is %w here; what came before was read", ingest.ErrCut)

// protoDecoder decodes OTLP protobuf lazily: a message is walked by the lengths
// of its fields, in whatever order they come (pdata writes them in descending
// order), and only what is wanted is looked into.
type protoDecoder struct {
	*sink
	broke bool // a problem with this message was reported
}

// request decodes an ExportTraceServiceRequest.
func (d *protoDecoder) request(b []byte) {
	d.broke = false
	for f := (fields{b: b}); !d.halt; {
		data, at, ok := f.part(dataResourceSpans, 0)
		if !ok {
			d.broken(&f, 0)
			return
		}
		d.resourceSpans(data, at)
	}
}

// broken reports a message that could not be walked to its end, once for the
// message and all those around it.
func (d *protoDecoder) broken(f *fields, at int) {
	if f.bad && !d.broke {
		d.broke = true
		d.trouble(at+f.i, errMessage)
	}
}

// resourceSpans decodes the ResourceSpans at byte at of the document.
func (d *protoDecoder) resourceSpans(b []byte, at int) {
	d.names.BeginResource()
	old := rsOldSpans
	x := field{}
	for f := (fields{b: b}); f.next(&x); {
		switch {
		case x.wire != wireBytes:
		case x.num == rsResource:
			r := fields{b: x.data}
			for y := (field{}); r.next(&y); {
				if y.num == resourceAttributes && y.wire == wireBytes {
					d.attribute(y.data)
				}
			}
			d.broken(&r, at-r.i) // spans may stand before it
		case x.num == rsScopeSpans:
			old = rsScopeSpans // the old ones are for old readers
		}
	}
	d.names.EndResource()
	for f := (fields{b: b}); !d.halt; {
		data, place, ok := f.part(rsScopeSpans, old)
		if !ok {
			d.broken(&f, at)
			return
		}
		d.scopeSpans(data, at+place)
	}
}

func (d *protoDecoder) scopeSpans(b []byte, at int) {
	f := fields{b: b}
	for x := (field{}); !d.halt && f.next(&x); {
		if x.num == scopeSpansSpans && x.wire == wireBytes {
			d.readSpan(x.data, at+x.at)
		}
	}
	d.broken(&f, at)
}

// tags of the fields of a span that have a one-byte tag.
const (
	tagTraceID    = spanTraceID<<3 | wireBytes
	tagSpanID     = spanID<<3 | wireBytes
	tagParentID   = spanParentID<<3 | wireBytes
	tagName       = spanName<<3 | wireBytes
	tagKind       = spanKind<<3 | wireVarint
	tagStart      = spanStart<<3 | wire64
	tagEnd        = spanEnd<<3 | wire64
	tagAttributes = spanAttributes<<3 | wireBytes
	tagStatus     = spanStatus<<3 | wireBytes
	tagLinks      = spanLinks<<3 | wireBytes
)

// small returns where the data of a field lies whose tag at i and length are a
// byte each, or an end below the start.
func small(b []byte, i int) (start, end int) {
	if i+1 < len(b) {
		if n := int(b[i+1]); n < 0x80 && n <= len(b)-i-2 {
			return i + 2, i + 2 + n
		}
	}
	return 0, -1
}

func (d *protoDecoder) readSpan(b []byte, at int) {
	s := &d.span
	*s = ingest.Span{}
	d.names.BeginSpan()
	var name, message []byte
	var start, end uint64
	var kind int64
	code := 0
	known := true
	for i := 0; i < len(b); {
		if b[i]&0x87 == wireBytes { // nearly all fields: short, and of a low number
			if from, to := small(b, i); to >= from {
				data, wanted := b[from:to], true
				switch b[i] {
				case tagAttributes:
					d.attribute(data)
				case tagTraceID:
					known = idOf(s.Trace[:], data) && known
				case tagSpanID:
					known = idOf(s.ID[:], data) && known
				case tagParentID:
					known = idOf(s.Parent[:], data) && known
				case tagName:
					name = data
				default:
					wanted = false
				}
				if wanted {
					i = to
					continue
				}
			}
		}
		if c := b[i]; (c == tagStart || c == tagEnd) && len(b)-i >= 9 {
			n := binary.LittleEndian.Uint64(b[i+1:])
			if i += 9; c == tagStart {
				start = n
			} else {
				end = n
			}
			continue
		}
		f, x := fields{b: b, i: i}, field{}
		if !f.next(&x) && f.bad {
			d.trouble(at+f.i, errMessage)
			return
		}
		i = f.i
		switch x.num<<3 | x.wire {
		case tagTraceID:
			known = idOf(s.Trace[:], x.data) && known
		case tagSpanID:
			known = idOf(s.ID[:], x.data) && known
		case tagParentID:
			known = idOf(s.Parent[:], x.data) && known
		case tagName:
			name = x.data
		case tagKind:
			kind = int64(int32(x.n))
		case tagStart:
			start = x.n
		case tagEnd:
			end = x.n
		case tagAttributes:
			d.attribute(x.data)
		case spanDroppedAttributes<<3 | wireVarint, spanDroppedEvents<<3 | wireVarint, spanDroppedLinks<<3 | wireVarint:
			d.names.Dropped(uint32(x.n))
		case tagLinks:
			s.Linked = true
		case tagStatus:
			code, message = statusOf(x.data, code, message)
		case spanFlags<<3 | wire32:
			d.flags(uint32(x.n))
		}
	}
	d.names.Status(code, message)
	d.kind(at, kind)
	if !known {
		d.trouble(at, errID)
	}
	d.times(at, start, end, false)
	d.finish(at, name)
}

// statusOf decodes a Status on top of what is known of it.
func statusOf(b []byte, code int, message []byte) (int, []byte) {
	f := fields{b: b}
	for x := (field{}); f.next(&x); {
		switch x.num<<3 | x.wire {
		case statusMessage<<3 | wireBytes:
			message = x.data
		case statusCode<<3 | wireVarint:
			code = int(int32(x.n))
		}
	}
	return code, message
}

// idOf copies an id. One of another length than OTLP's is padded on the left,
// or made from its hash if it is longer.
func idOf(id, b []byte) bool {
	switch {
	case len(b) == len(id):
		copy(id, b)
		return true
	case len(b) == 0:
		clear(id)
		return true
	case len(b) < len(id):
		clear(id)
		copy(id[len(id)-len(b):], b)
		return true
	}
	h, _ := trace.ParseTraceID(b)
	copy(id, h[:])
	return false
}
