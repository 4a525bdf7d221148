package apache

import (
	"bytes"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// errDecimals: Apache's latencies are whole numbers.
var errDecimals = errors.New("a latency with decimals, which Apache does not write")

// field is what the name of a field of JSON or LTSV tells.
type field struct {
	role log.Role
	unit time.Duration // that the name states for a latency; 0: none
	not  bool          // another server names its fields so
}

// fields are customary names: those of ltsv.org, of Apache's directives, and
// what people call them.
var fields = func() map[string]field {
	all := map[string]field{}
	for role, names := range map[log.Role][]string{
		log.Time:        {"time", "timestamp", "@timestamp", "datetime", "date", "t", "%t"},
		log.Request:     {"request", "req", "first_line", "firstline", "request_line", "r", "%r"},
		log.Method:      {"method", "request_method", "verb", "m", "%m"},
		log.Target:      {"path", "uri", "url", "request_uri", "requesturi", "request_path", "u", "%u"},
		log.StatusCode:  {"status", "status_code", "statuscode", "response", "response_code", "code", "s", "%s", "%>s"},
		log.Connection:  {"connection_status", "conn_status", "x", "%x"},
		log.RequestID:   {"unique_id", "uniqueid", "request_id", "requestid", "x_request_id", "id"},
		log.TraceParent: {"traceparent", "trace_id", "traceid"},
		log.Latency: {"d", "%d", "duration", "reqtime", "request_time", "requesttime", "response_time", "responsetime", "time_taken", "timetaken",
			"process_time", "processing_time", "process", "elapsed", "elapsed_time", "took", "taken", "latency", "serve_time", "service_time"},
	} {
		for _, name := range names {
			all[name] = field{role: role}
		}
	}
	for _, name := range []string{"upstream_response_time", "upstream_addr", "upstream_status", "time_local", "time_iso8601", "body_bytes_sent", "msec", "request_time", // nginx
		"logicalusername", "elapsedtime", "elapsedtimes", "statuscode", "threadname"} { // Tomcat
		all[name] = field{role: all[name].role, not: true}
	}
	return all
}()

// meaning returns what the name of a field tells, in whatever case.
func meaning(name []byte) field {
	low := string(bytes.ToLower(name))
	if f, ok := fields[low]; ok {
		return f
	}
	base, unit, ok := log.KeyUnit(name)
	if !ok {
		return field{}
	}
	if f := fields[string(bytes.ToLower(base))]; f.role == log.Latency || low == "time_us" || low == "time_ms" {
		return field{role: log.Latency, unit: unit}
	}
	return field{}
}

// named is a line whose fields have names.
type named struct {
	fields    log.Fields
	unit      time.Duration // of the latency, that its name states; 0: none
	bracketed bool          // the stamp is in brackets, as %t writes it
	strange   bool          // another server's names
	whole     bool
}

// walk takes note of all fields of a line.
func (n *named) walk(line []byte, m *log.Walk[field]) {
	clear(n.fields[:])
	n.unit, n.bracketed, n.strange = 0, false, false
	for m.Reset(line); m.Next(); {
		f := m.Mean
		n.strange = n.strange || f.not
		if f.role == log.Skip || n.fields[f.role] != nil && (f.role != log.Latency || f.unit == 0 || n.unit != 0) {
			continue // %D, whose unit is stated, is finer than %T
		}
		value := m.Text()
		switch {
		case len(value) == 0 || string(value) == "-":
			continue
		case f.role == log.Latency:
			n.unit = f.unit
		case f.role == log.Time && len(value) > 2 && value[0] == '[' && value[len(value)-1] == ']':
			value = value[1 : len(value)-1]
			n.bracketed = len(value) == len("29/Nov/2026:21:16:22 +0000") && value[2] == '/'
		}
		n.fields[f.role] = value
	}
	n.whole = m.Whole()
	if r := n.fields[log.Request]; len(r) > 0 && r[0] == '/' && n.fields[log.Target] == nil {
		n.fields[log.Request], n.fields[log.Target] = nil, r // "request":"%U"
	}
}

// request reports whether the line is a request.
func (n *named) request() bool {
	f := &n.fields
	return n.whole && f[log.StatusCode] != nil && (f[log.Request] != nil || f[log.Target] != nil)
}

// own reports whether nobody but Apache writes such a line: a stamp as %t writes
// it, brackets included, and a latency in whole numbers, or none. LTSV needs no
// brackets where the latency has ltsv.org's name for Apache's.
func (n *named) own(kind string) bool {
	v := n.fields[log.Latency]
	if !n.request() || n.strange || v != nil && !log.Whole(v) {
		return false
	}
	return n.bracketed && (kind == "JSON" || v != nil && n.unit != 0) || kind == "LTSV" && n.unit == time.Microsecond
}

// claimsNamed claims lines of named fields.
func claimsNamed(kind string, line []byte) log.Claim {
	m := log.NewWalk(meaning)
	var n named
	if n.walk(line, &m); n.own(kind) {
		return log.Own
	}
	return log.Foreign
}

// namedLayout is how a line with named fields is written.
type namedLayout struct {
	kind  string // "JSON", "LTSV"
	timed bool
	unit  time.Duration // that the name of the latency states; 0: none
}

// namedLayouts returns how lines with named fields are to be understood. The
// first lines tell the unit where the name does not.
func namedLayouts(head [][]byte, opt ingest.Options) map[namedLayout]*log.Layout {
	evidence := map[string]*log.Evidence{"JSON": {}, "LTSV": {}}
	m := log.NewWalk(meaning)
	clock := log.Clock{Zone: opt.Zone}
	var n named
	for _, line := range head {
		kind := "JSON"
		if line[0] != '{' {
			if kind = "LTSV"; !log.Labelled(line) {
				continue
			}
		}
		if n.walk(line, &m); n.request() && n.unit == 0 && log.Whole(n.fields[log.Latency]) {
			v := evidence[kind]
			v.Line()
			if start, ok := clock.Read(n.fields[log.Time]); ok {
				v.Started(start, n.fields[log.Latency])
			}
		}
	}
	all := map[namedLayout]*log.Layout{}
	for kind, v := range evidence {
		untimed := layout(kind, log.Scale{}, opt)
		all[namedLayout{kind: kind}] = &untimed
		for _, stated := range units {
			u := log.Scale{Size: stated, From: ingest.UnitFromKey}
			if stated == 0 {
				u = v.Scale(assumed)
			}
			l := layout(kind, u, opt)
			all[namedLayout{kind, true, stated}] = &l
		}
	}
	return all
}

// readNamed reads a line of named fields.
func (r *reader) readNamed(kind string, line []byte, e *log.Entry) error {
	n := &r.other
	n.walk(line, &r.members)
	v := n.fields[log.Latency]
	switch {
	case !n.whole:
		return log.ErrJSON
	case !n.request():
		return log.ErrOther
	case v != nil && !log.Whole(v):
		return errDecimals
	}
	if err := r.Build(r.plan.named[namedLayout{kind, v != nil, n.unit}], &n.fields, e); err != nil {
		return err
	}
	n.fields.Broken(e)
	return nil
}
