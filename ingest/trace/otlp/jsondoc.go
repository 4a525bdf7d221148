package otlp

import (
	"errors"
	"fmt"

	"github.com/tailcheck/tailcheck/ingest"
)

// what a document holds, as far as it was looked at.
type content uint8

const (
	nothing content = iota // no name that OTLP or its relatives use
	traces
	metrics
	logs
)

func (c content) String() string { return [...]string{"nothing", "traces", "metrics", "logs"}[c] }

// holds returns what a member of an envelope or of a bare ResourceSpans says
// about the content.
func holds(name []byte) content {
	switch string(name) {
	case "resourceSpans", "resource_spans", "batches", "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans":
		return traces
	case "resourceMetrics", "resource_metrics", "scopeMetrics", "scope_metrics", "instrumentationLibraryMetrics":
		return metrics
	case "resourceLogs", "resource_logs", "scopeLogs", "scope_logs", "instrumentationLibraryLogs":
		return logs
	}
	return nothing
}

// maxWrap is how deep an export request may be wrapped: {"result":{"trace":{…}}}.
const maxWrap = 4

var (
	errCut     = fmt.Errorf("the document is %w here; what came before was read", ingest.ErrCut)
	errNoSpans = errors.New("no OTLP document: none of resourceSpans, batches, scopeSpans in it")
)

func errSignal(c content) error {
	return fmt.Errorf("OTLP %v: only traces are read", c)
}

// documents decodes the documents in b, one behind the other, arrays of them
// opened. base is the place of b in the input.
func (d *decoder) documents(b []byte, base int64) {
	d.b, d.i, d.bad, d.base, d.behind = b, 0, false, base, 1
	for arrays := 0; !d.halt; {
		switch c := d.peek(); c {
		case 0:
			if d.i >= len(d.b) {
				if arrays > 0 {
					d.trouble(d.i, errCut)
				}
				return
			}
			d.i++ // NUL and other control characters count as space above
		case '[':
			arrays++
			d.i++
		case ']':
			arrays--
			d.i++
		case ',', 0x1e: // between documents; 0x1e is RFC 7464's separator
			d.i++
		case '{':
			d.document()
			if d.bad {
				d.trouble(d.i, errCut)
				return
			}
		default:
			if !d.loose {
				d.trouble(d.i, errNoSpans)
			}
			return
		}
	}
}

// document decodes one document: an export request, an answer of Tempo or
// Jaeger around one, or a ResourceSpans by itself.
func (d *decoder) document() {
	at := d.i
	switch c := d.envelope(0); {
	case d.bad || d.halt || c == traces:
	case c != nothing:
		d.trouble(at, errSignal(c))
	case !d.loose && !emptyObject(d.b[at:d.i]):
		d.trouble(at, errNoSpans)
	}
}

// emptyObject tells {}: an export request without spans.
func emptyObject(b []byte) bool {
	for _, c := range b {
		if c > ' ' && c != '{' && c != '}' {
			return false
		}
	}
	return true
}

// envelope reads the object that starts here.
func (d *decoder) envelope(depth int) (c content) {
	at := d.i
	d.i++
	var partial bool
	var message []byte
	for ok := d.first('}'); ok; ok = d.more('}') {
		name := d.key()
		if d.bad {
			return c
		}
		switch string(name) {
		case "resourceSpans", "resource_spans", "batches":
			c = traces
			d.resources()
		case "resource", "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans":
			d.i = at
			return d.resourceSpans()
		case "trace", "result":
			if d.peek() != '{' || depth == maxWrap {
				d.skip()
			} else if inner := d.envelope(depth + 1); inner != nothing {
				c = inner
			}
		case "status": // Tempo: "PARTIAL" when a limit or a filter cut spans
			partial = string(d.scalar()) == "PARTIAL"
		case "message":
			if d.peek() == '"' {
				message = d.str()
			} else {
				d.skip()
			}
		default:
			if other := holds(name); other != nothing && c == nothing {
				c = other
			}
			d.skip()
		}
	}
	if partial && c == traces && !d.bad {
		d.trouble(d.i-1, fmt.Errorf("%w, spans are missing: %.200q", ingest.ErrPartial, message))
	}
	return c
}

// resources reads an array of ResourceSpans.
func (d *decoder) resources() {
	if !d.open('[') {
		d.odd("resourceSpans")
		return
	}
	for ok := d.first(']'); ok; ok = d.more(']') {
		if d.peek() == '{' {
			d.resourceSpans()
		} else {
			d.odd("a ResourceSpans")
		}
	}
}

// resourceSpans reads the spans of one resource. Where spans come before the
// resource, it goes over the object twice. Spans under the name of old versions
// count only where there are none under the new one (the migration rule of
// OTLP 0.15: writers may write both).
func (d *decoder) resourceSpans() content {
	start := d.i
	c := nothing
	d.names.BeginResource()
	d.names.EndResource()
	known, again, current, old := false, false, false, false
	d.i++
	for ok := d.first('}'); ok; ok = d.more('}') {
		name := d.key()
		switch string(name) {
		case "resource":
			d.within = start // spans may stand before it
			d.resource()
			d.within = -1
			known = true
		case "scopeSpans", "scope_spans":
			c = traces
			if known && !again {
				current = d.scopes() || current
			} else {
				again = true
				current = !d.skipEmpty() || current
			}
		case "instrumentationLibrarySpans", "instrumentation_library_spans", "deprecatedScopeSpans", "deprecated_scope_spans":
			c = traces
			old = true
			d.skip()
		default:
			if other := holds(name); other != nothing && c == nothing {
				c = other
			}
			d.skip()
		}
	}
	if d.bad {
		if !again {
			return c
		}
		// cut off behind spans that wait for their resource: give what is there
	}
	old = old && !current
	if !again && !old || d.halt {
		return c
	}
	end, bad := d.i, d.bad
	d.i, d.bad = start+1, false
	for ok := d.first('}'); ok; ok = d.more('}') {
		switch string(d.key()) {
		case "scopeSpans", "scope_spans":
			if again {
				d.scopes()
			} else {
				d.skip()
			}
		case "instrumentationLibrarySpans", "instrumentation_library_spans", "deprecatedScopeSpans", "deprecated_scope_spans":
			if old {
				d.scopes()
			} else {
				d.skip()
			}
		default:
			d.skip()
		}
	}
	d.i, d.bad = end, bad
	return c
}

// skipEmpty skips an array and reports whether it is empty, or none.
func (d *decoder) skipEmpty() bool {
	if d.peek() != '[' {
		d.skip()
		return true
	}
	at := d.i
	d.skip()
	for _, c := range d.b[at+1 : d.i] {
		if c > ' ' {
			return c == ']'
		}
	}
	return true
}

func (d *decoder) resource() {
	if !d.open('{') {
		d.odd("resource")
		return
	}
	d.text = d.text[:0]
	d.names.BeginResource()
	for ok := d.first('}'); ok; ok = d.next('}') {
		if string(d.key()) == "attributes" {
			d.attributes()
		} else {
			d.skip()
		}
	}
	d.names.EndResource()
}

// scopes reads an array of ScopeSpans and reports whether it holds any.
func (d *decoder) scopes() (some bool) {
	if !d.open('[') {
		d.odd("scopeSpans")
		return false
	}
	for ok := d.first(']'); ok; ok = d.more(']') {
		some = true
		if !d.open('{') {
			d.odd("a ScopeSpans")
			continue
		}
		for ok := d.first('}'); ok; ok = d.more('}') {
			if string(d.key()) == "spans" {
				d.spans()
			} else {
				d.skip()
			}
		}
	}
	return some
}
