package xray

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// segment is a segment or subsegment, its parts as they are written. The text is
// the document's.
type segment struct {
	parent int // in the list; -1: the segment itself

	name, id, trace, parentID, namespace, kind, start, end []byte
	http, aws, sql, cause                                  []byte
	failed, linked                                         bool
}

// document reads a segment with its subsegments, and emits a span for each.
func (d *reader) document(doc []byte, at int64) {
	d.list = d.list[:0]
	d.c.Reset(doc)
	d.collect(-1)
	if len(d.list) > 1<<12 {
		defer func() { d.list = nil }()
	}
	top := &d.list[0]
	service, instance := "", ""
	if string(top.kind) != "subsegment" {
		d.part.Reset(top.aws)
		service, instance = d.Names.Intern(top.name), d.instance()
	}
	traceID, known := trace.ParseTraceID(traceDigits(top.trace))
	if !known {
		d.Once(at, trace.ErrID)
	}
	for i := range d.list {
		if d.Halted() {
			return
		}
		d.emit(&d.list[i], traceID, service, instance, at)
	}
}

// collect adds the object that comes next, and those in it, to the list.
func (d *reader) collect(parent int) {
	n := len(d.list)
	d.list = append(d.list, segment{parent: parent})
	var s segment
	s.parent = parent
	for member := range d.c.Members() {
		switch string(member) {
		case "name":
			s.name = d.c.Text()
		case "id":
			s.id = d.c.Text()
		case "trace_id":
			s.trace = d.c.Text()
		case "parent_id":
			s.parentID = d.c.Text()
		case "namespace":
			s.namespace = d.c.Text()
		case "type":
			s.kind = d.c.Text()
		case "start_time":
			s.start = d.c.Text()
		case "end_time":
			s.end = d.c.Text()
		case "fault", "error", "throttle":
			s.failed = string(d.c.Text()) == "true" || s.failed
		case "http":
			s.http = d.c.Raw()
		case "aws":
			s.aws = d.c.Raw()
		case "sql":
			s.sql = d.c.Raw()
		case "cause":
			s.cause = d.c.Raw()
		case "links":
			for range d.c.Elements() {
				s.linked = true
				d.c.Skip()
			}
		case "subsegments":
			for range d.c.Elements() {
				if d.c.Peek() == '{' {
					d.collect(n)
				} else {
					d.c.Skip()
				}
			}
		default:
			d.c.Skip()
		}
	}
	d.list[n] = s
}

// traceDigits takes the hexadecimal digits out of "1-5f29ab21-d4ebf299219a65bd5c31d6da":
// the version is no part of the id.
func traceDigits(t []byte) []byte {
	digits, ok := bytes.CutPrefix(t, []byte("1-"))
	if !ok || len(digits) != 33 || digits[8] != '-' {
		return t
	}
	return append(bytes.Clone(digits[:8]), digits[9:]...)
}

// instance reads where a segment was recorded: {"ec2":{"instance_id":…},
// "ecs":{"container":…},"eks":{"pod":…}}.
func (d *reader) instance() string {
	d.Names.BeginResource()
	for member := range d.part.Members() {
		var key string
		switch string(member) {
		case "ec2", "ecs", "eks":
			key = string(member)
		default:
			d.part.Skip()
			continue
		}
		for inner := range d.part.Members() {
			name := ""
			switch key + "." + string(inner) {
			case "ec2.instance_id":
				name = "host.name"
			case "ecs.container":
				name = "container.id"
			case "eks.pod":
				name = "k8s.pod.name"
			}
			if name == "" {
				d.part.Skip()
			} else {
				d.part.Value().Set(d.Names, trace.Lookup([]byte(name)))
			}
		}
	}
	d.Names.EndResource()
	return d.Names.Instance()
}

// emit hands on the span of a segment.
func (d *reader) emit(g *segment, traceID ingest.TraceID, service, instance string, at int64) {
	var known [2]bool
	s := ingest.Span{Trace: traceID, Kind: ingest.Internal, Linked: g.linked}
	parent := g.parentID
	if g.parent >= 0 {
		parent = d.list[g.parent].id
	}
	s.ID, known[0] = trace.ParseSpanID(g.id)
	s.Parent, known[1] = trace.ParseSpanID(parent)
	if known != [2]bool{true, true} {
		d.Once(at, trace.ErrID)
	}
	switch {
	case string(g.namespace) == "aws" || string(g.namespace) == "remote":
		s.Kind = ingest.ClientSpan
	case g.parent < 0 && string(g.kind) != "subsegment":
		s.Kind = ingest.ServerSpan
	}
	var ok, ok1 bool
	s.Start, ok = trace.ParseTicks(g.start, time.Second)
	s.End, ok1 = trace.ParseTicks(g.end, time.Second)
	if !ok || !ok1 {
		d.Problem(at, trace.ErrTime)
	}
	if traceID == (ingest.TraceID{}) {
		d.Problem(at, trace.ErrNoTrace)
		return
	}
	d.Names.BeginSpan()
	d.attributes(g, s.Kind)
	d.Names.EndSpan(&s, g.name)
	s.Service, s.Instance = service, instance
	s.Setup = s.Setup || s.Kind == ingest.Internal && opens(g.name)
	d.Emit(&s, at)
}

// opens recognises what the X-Ray SDK for Go records of opening a connection,
// below the attempt that needed it.
func opens(name []byte) bool {
	switch string(name) {
	case "connect", "dns", "dial", "tls":
		return true
	}
	return false
}
