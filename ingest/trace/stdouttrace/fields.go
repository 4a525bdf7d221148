package stdouttrace

import "github.com/tailcheck/tailcheck/ingest/trace"

// fields picks out of a span what is wanted, and sets its attributes. The
// resource stands behind them, so it is read first.
func (d *reader) fields(raw []byte) (f fields) {
	d.c.Reset(raw)
	for member := range d.c.Members() {
		switch string(member) {
		case "SpanContext":
			f.isSpan = d.c.Peek() == '{'
			d.c.Skip()
		case "Resource":
			f.resource = d.c.Raw()
		default:
			d.c.Skip()
		}
	}
	if !f.isSpan {
		return f
	}
	d.c.Reset(f.resource)
	d.Names.BeginResource()
	d.attributes()
	d.Names.EndResource()

	d.c.Reset(raw)
	d.Names.BeginSpan()
	for member := range d.c.Members() {
		switch string(member) {
		case "Name":
			f.name = d.c.Text()
		case "SpanContext":
			f.trace, f.id, _ = d.context()
		case "Parent":
			_, f.parent, f.remote = d.context()
		case "ParentSpanID": // before 1.0
			f.parent = d.c.Text()
		case "HasRemoteParent":
			f.remote = d.c.Text()
		case "SpanKind":
			f.kind = d.c.Text()
		case "StartTime":
			f.start = d.c.Text()
		case "EndTime":
			f.end = d.c.Text()
		case "Attributes":
			d.attributes()
		case "Links":
			for range d.c.Elements() {
				f.linked = true
				d.c.Skip()
			}
		case "Status":
			d.status(&f)
		case "StatusCode": // before 1.0
			f.code = d.c.Text()
		case "StatusMessage":
			f.message = d.c.Text()
		case "DroppedAttributes", "DroppedEvents", "DroppedLinks", "DroppedAttributeCount", "DroppedMessageEventCount", "DroppedLinkCount":
			d.c.Value().Count(d.Names)
		default:
			d.c.Skip()
		}
	}
	return f
}

// context reads {"TraceID":…,"SpanID":…,"Remote":…}.
func (d *reader) context() (traceID, spanID, remote []byte) {
	for member := range d.c.Members() {
		switch string(member) {
		case "TraceID":
			traceID = d.c.Text()
		case "SpanID":
			spanID = d.c.Text()
		case "Remote":
			remote = d.c.Text()
		default:
			d.c.Skip()
		}
	}
	return traceID, spanID, remote
}

func (d *reader) status(f *fields) {
	for member := range d.c.Members() {
		switch string(member) {
		case "Code":
			f.code = d.c.Text()
		case "Description":
			f.message = d.c.Text()
		default:
			d.c.Skip()
		}
	}
}

// attributes reads [{"Key":…,"Value":{"Type":…,"Value":…}}, …].
func (d *reader) attributes() {
	for range d.c.Elements() {
		var key trace.Key
		var value trace.Value
		for member := range d.c.Members() {
			switch string(member) {
			case "Key":
				key = trace.Lookup(d.c.Text())
			case "Value":
				for inner := range d.c.Members() {
					if string(inner) == "Value" {
						value = d.c.Value()
					} else {
						d.c.Skip()
					}
				}
			default:
				d.c.Skip()
			}
		}
		if key != 0 {
			value.Set(d.Names, key)
		}
	}
}
