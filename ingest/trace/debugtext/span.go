package debugtext

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// beginResource begins a resource; its attributes follow.
func (d *reader) beginResource() {
	d.endValue()
	d.Names.BeginResource()
	d.arena = d.arena[:0]
	d.resource, d.section = true, ofResource
}

func (d *reader) endResource() {
	d.endValue()
	if d.resource {
		d.Names.EndResource()
		d.resource = false
	}
	d.section = nowhere
}

func (d *reader) beginSpan(at int64) {
	d.finish()
	d.endResource()
	d.Names.BeginSpan()
	d.arena = d.arena[:0]
	d.open, d.at, d.span, d.f = true, at, ingest.Span{}, fields{}
}

// finish ends the span that was begun, if there is one.
func (d *reader) finish() {
	d.endValue()
	if !d.open {
		return
	}
	d.open = false
	if !d.f.whole {
		d.Problem(d.at, errCut)
		return
	}
	s := &d.span
	var known [3]bool
	s.Trace, known[0] = trace.ParseTraceID(d.f.trace)
	s.ID, known[1] = trace.ParseSpanID(d.f.id)
	s.Parent, known[2] = trace.ParseSpanID(d.f.parent)
	if known != [3]bool{true, true, true} {
		d.Once(d.at, trace.ErrID)
	}
	var ok, ok1 bool
	s.Start, ok = trace.ParseStamp(d.f.start)
	s.End, ok1 = trace.ParseStamp(d.f.end)
	if !ok || !ok1 {
		d.Problem(d.at, trace.ErrTime)
	}
	d.Names.Status(d.f.code, d.f.message)
	d.Finish(s, d.at, d.f.name)
}

// kindOf reads "Client" and, in old versions, "SPAN_KIND_CLIENT".
func kindOf(t []byte) ingest.Kind {
	switch string(bytes.TrimPrefix(bytes.ToUpper(t), []byte("SPAN_KIND_"))) {
	case "INTERNAL":
		return ingest.Internal
	case "SERVER":
		return ingest.ServerSpan
	case "CLIENT":
		return ingest.ClientSpan
	case "PRODUCER":
		return ingest.Producer
	case "CONSUMER":
		return ingest.Consumer
	}
	return ingest.KindUnspecified
}

// statusOf reads "Error" and, in old versions, "STATUS_CODE_ERROR".
func statusOf(t []byte) int {
	switch string(bytes.TrimPrefix(bytes.ToUpper(t), []byte("STATUS_CODE_"))) {
	case "ERROR":
		return 2
	case "OK":
		return 1
	}
	return 0
}

// valueKind is how a value is written.
type valueKind uint8

const (
	text valueKind = iota
	number
	truth
	list
	other
)

// types are what stands before the bracket of a value, in both generations.
var types = map[string]valueKind{
	"Str": text, "STRING": text, "Int": number, "INT": number, "Double": number, "DOUBLE": number, "Bool": truth, "BOOL": truth,
	"Slice": list, "SLICE": list, "ARRAY": list, "Map": other, "MAP": other, "Bytes": other, "BYTES": other, "Empty": other, "EMPTY": other, "NULL": other,
}

// attribute reads "key: Str(value)". The value may go on over further lines: it
// ends where a line of another kind begins.
func (d *reader) attribute(t, line []byte) {
	d.endValue()
	if d.section == nowhere || d.section == ofSpan && !d.open || d.section == ofResource && !d.resource {
		return
	}
	for at := 0; ; {
		i := bytes.Index(t[at:], []byte(": "))
		if i < 0 {
			return
		}
		at += i + 2
		name, _, ok := bytes.Cut(t[at:], []byte("("))
		kind, known := types[string(name)]
		if !ok || !known {
			continue
		}
		if d.key = trace.Lookup(t[:at-2]); d.key != 0 {
			d.kind = kind
			_, value, _ := bytes.Cut(line, t[:at]) // with the blanks that end the line
			d.value = append(d.value[:0], value[len(name)+1:]...)
		}
		return
	}
}

// goesOn reports whether the value that is being read is not at its end for
// certain.
func (d *reader) goesOn() bool {
	return d.key != 0 && !bytes.HasSuffix(bytes.TrimRight(d.value, " \t\r"), []byte(")"))
}

// goOn adds a line to the value that is being read.
func (d *reader) goOn(line []byte) {
	if d.key != 0 && len(d.value)+len(line) < maxKept {
		d.value = append(append(d.value, '\n'), line...)
	}
}

// endValue sets the attribute that was being read.
func (d *reader) endValue() {
	if d.key == 0 {
		return
	}
	key := d.key
	d.key = 0
	v := d.value
	if i := bytes.LastIndexByte(v, ')'); i >= 0 {
		v = v[:i]
	}
	v = d.keep(v)
	switch d.kind {
	case text:
		d.Names.SetString(key, v)
	case number:
		trace.Value{Text: v, Kind: trace.NumberValue}.Set(d.Names, key)
	case truth:
		trace.Value{Text: v, Kind: trace.BoolValue}.Set(d.Names, key)
	case list:
		var c trace.Cursor
		c.Reset(v)
		c.Value().Set(d.Names, key)
	}
}
