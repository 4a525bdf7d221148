package tomcat

import (
	"strings"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// member is what the name of a member tells.
type member struct {
	role log.Role
	mark bool // no other server has the name
}

// members are the names that JsonAccessLogValve gives the fields of its pattern.
// Source: Tomcat's API documentation of the class.
var members = map[string]member{
	"time": {role: log.Time}, "request": {role: log.Request}, "method": {role: log.Method}, "path": {role: log.Target}, "statusCode": {role: log.StatusCode},
	"elapsedTime": {role: log.Latency}, "elapsedTimeS": {role: seconds}, "firstByteTime": {role: commit}, "threadName": {role: thread},
	"connectionStatus": {role: log.Connection}, "logicalUserName": {mark: true},
	"x-request-id": {role: log.RequestID}, "traceparent": {role: log.TraceParent}, // in requestHeaders
}

func meaning(name []byte) member {
	if m, ok := members[string(name)]; ok {
		return m
	}
	if s := string(name); strings.HasPrefix(s, "time-") {
		return member{role: log.Time}
	} else if m := members[strings.ToLower(s)]; m.role == log.RequestID || m.role == log.TraceParent {
		return m
	}
	return member{}
}

// object is a line of JsonAccessLogValve.
type object struct {
	fields log.Fields
	whole  bool
	own    bool // nobody else writes such an object
}

// walk takes note of the members of an object.
func (o *object) walk(line []byte, w *log.Walk[member]) {
	clear(o.fields[:])
	marked, bracketed := false, false
	for w.Reset(line); w.Next(); {
		m := w.Mean
		marked = marked || m.mark
		if m.role == log.Skip || o.fields[m.role] != nil {
			continue
		}
		value := w.Text()
		if m.role == log.Time && len(value) > 2 && value[0] == '[' {
			value, bracketed = value[1:len(value)-1], true
		}
		if string(value) != "-" {
			o.fields[m.role] = value
		}
	}
	o.whole = w.Whole()
	f := &o.fields
	o.own = o.whole && f[log.StatusCode] != nil && (f[log.Request] != nil || f[log.Target] != nil) && (marked || bracketed && (f[log.Latency] != nil || f[seconds] != nil || f[thread] != nil))
}

// objectLayouts are how objects are to be understood, by which latency they give.
type objectLayouts struct{ number, seconds, untimed log.Layout }

// newObjectLayouts returns them. The first objects may tell the unit of elapsedTime.
func newObjectLayouts(head [][]byte, opt ingest.Options) objectLayouts {
	w := log.NewWalk(meaning)
	var o object
	var v evidence
	for _, line := range head {
		if line[0] == '{' {
			o.walk(line, &w)
			v.add(&o.fields)
		}
	}
	return objectLayouts{
		number:  layout("JSON", v.Scale(assumed), opt),
		seconds: layout("JSON", log.Scale{Size: time.Second, From: ingest.UnitFromFormat}, opt),
		untimed: layout("JSON", log.Scale{}, opt),
	}
}

// json reads a line of JsonAccessLogValve.
func (r *reader) json(line []byte, e *log.Entry) error {
	o := &r.object
	o.walk(line, &r.walk)
	f := &o.fields
	switch {
	case !o.whole:
		return log.ErrJSON
	case f[log.StatusCode] == nil || f[log.Request] == nil && f[log.Target] == nil:
		return log.ErrOther
	}
	l := &r.objects.untimed
	switch {
	case f[log.Latency] != nil:
		l = &r.objects.number
	case f[seconds] != nil:
		l = &r.objects.seconds
		f[log.Latency] = f[seconds]
	}
	if err := r.Build(l, f, e); err != nil {
		return err
	}
	f.Broken(e)
	return nil
}
