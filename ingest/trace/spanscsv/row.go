package spanscsv

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

var (
	keyHTTPStatus = trace.Lookup([]byte("http.response.status_code"))
	keyPod        = trace.Lookup([]byte("k8s.pod.name"))
	keyGRPCStatus = trace.Lookup([]byte("rpc.grpc.status_code"))
)

// cell returns the text of a role, nil where there is no such column.
func (d *reader) cell(cells [][]byte, r role) []byte {
	if i := d.column[r]; i >= 0 {
		return bytes.TrimSpace(cells[i])
	}
	return nil
}

// row reads one row.
func (d *reader) row(cells [][]byte, at int64) {
	if len(cells) != len(d.names) {
		d.cellsDiffer(len(cells), at)
		return
	}
	if isTypes(cells[d.column[traceID]]) {
		return
	}
	s := &d.span
	*s = ingest.Span{}
	s.Trace, _ = trace.ParseTraceID(dashless(d.cell(cells, traceID)))
	s.ID, _ = trace.ParseSpanID(d.cell(cells, spanID))
	if p := d.cell(cells, parentID); !isRoot(p) {
		s.Parent, _ = trace.ParseSpanID(p)
	}
	d.times(s, cells, at)
	d.source(cells)
	d.Names.BeginSpan()
	s.Kind = kindOf(d.cell(cells, kind))
	for i, r := range d.roleOf {
		switch r {
		case attribute:
			if t := cells[i]; len(t) > 0 {
				d.Names.SetString(d.keyOf[i], t)
			}
		case spanMap:
			d.attributes(cells[i])
		}
	}
	code := d.status(d.cell(cells, status))
	if code == 0 && isTrue(d.cell(cells, failed)) {
		code = 2
	}
	d.Names.Status(code, d.cell(cells, message))
	d.Finish(s, at, d.cell(cells, name))
}

// dashless makes a UUID the 32 digits that it is.
func dashless(t []byte) []byte {
	if len(t) == 36 && t[8] == '-' && t[13] == '-' && t[18] == '-' && t[23] == '-' {
		return bytes.ReplaceAll(t, []byte("-"), nil)
	}
	return t
}

func isRoot(parent []byte) bool {
	switch string(parent) {
	case "", "root", "null", "NULL", "None", "none", "nan", "NaN", "-1", "0":
		return true
	}
	return false
}

func (d *reader) times(s *ingest.Span, cells [][]byte, at int64) {
	var ok, ok1 bool
	s.Start, ok = d.time(d.cell(cells, start), d.startUnit)
	switch {
	case d.column[end] >= 0:
		s.End, ok1 = d.time(d.cell(cells, end), d.endUnit)
	case d.column[duration] >= 0:
		s.End, ok1 = trace.After(s.Start, d.cell(cells, duration), d.durationUnit)
	default:
		ok1 = true
	}
	if !ok || !ok1 {
		d.Problem(at, trace.ErrTime)
	}
}

// time reads a date and time, or a number of units since 1970.
func (d *reader) time(t []byte, unit time.Duration) (ingest.Time, bool) {
	if unit > 0 {
		if at, ok := trace.ParseTicks(t, unit); ok {
			return at, ok
		}
	}
	return trace.ParseStamp(t)
}

// source sets where the span was recorded, unless the row before says the same.
func (d *reader) source(cells [][]byte) {
	key := append(d.spare[:0], d.cell(cells, service)...)
	key = append(append(key, 0), d.cell(cells, pod)...)
	for i, r := range d.roleOf {
		if r == resourceMap {
			key = append(append(key, 0), cells[i]...)
		}
	}
	if d.sourced && bytes.Equal(key, d.from) {
		d.spare = key
		return
	}
	d.sourced, d.from, d.spare = true, key, d.from
	d.Names.BeginResource()
	for i, r := range d.roleOf {
		if r == resourceMap {
			d.attributes(cells[i])
		}
	}
	if t := d.cell(cells, pod); len(t) > 0 {
		d.Names.SetString(keyPod, t)
	}
	d.Names.EndResource()
	if t := d.cell(cells, service); len(t) > 0 {
		d.Names.SetService(t)
	} else if d.Names.Service() == "" {
		d.Names.SetService(deployment(d.cell(cells, pod)))
	}
}

// status reads a status and returns it as OpenTelemetry has it. Data sets have
// HTTP and gRPC codes in its place; those are attributes.
func (d *reader) status(t []byte) int {
	if len(t) == 0 {
		return 0
	}
	switch string(bytes.TrimPrefix(bytes.ToUpper(t), []byte("STATUS_CODE_"))) {
	case "ERROR":
		return 2
	case "OK":
		return 1
	}
	n, _, ok := ingest.ParseDecimal(t, 1) // "0.0" in tables that went through floats
	switch {
	case !ok:
	case n == 2: // an error in OpenTelemetry and in gRPC
		return 2
	case 100 <= n && n <= 599:
		d.Names.SetInt(keyHTTPStatus, n)
	case 3 <= n && n <= 16:
		d.Names.SetInt(keyGRPCStatus, n)
	}
	return 0
}

func isTrue(t []byte) bool {
	switch string(t) {
	case "true", "True", "TRUE", "1", "1.0":
		return true
	}
	return false
}

// kindOf reads a kind: its name, "Client", "SPAN_KIND_CLIENT", or its number in
// OTLP.
func kindOf(t []byte) ingest.Kind {
	if len(t) == 0 {
		return ingest.KindUnspecified
	}
	switch string(bytes.TrimPrefix(bytes.ToUpper(t), []byte("SPAN_KIND_"))) {
	case "INTERNAL", "1":
		return ingest.Internal
	case "SERVER", "2":
		return ingest.ServerSpan
	case "CLIENT", "3":
		return ingest.ClientSpan
	case "PRODUCER", "4":
		return ingest.Producer
	case "CONSUMER", "5":
		return ingest.Consumer
	}
	return ingest.KindUnspecified
}
