// Package lambda reads the REPORT lines of AWS Lambda.
package lambda

import (
	"bytes"
	"encoding/hex"
	"errors"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Dialect is what AWS Lambda reports of invocations.
var Dialect = log.Dialect{
	Name: "lambda",
	Doc: `REPORT lines of AWS Lambda

Lambda writes a line for every invocation into the function's log group:

    REPORT RequestId: … Duration: 363.49 ms Billed Duration: 364 ms Memory Size: 128 MB Max Memory Used: 124 MB Init Duration: 1488.71 ms

Get them with aws logs tail, or aws logs filter-log-events --filter-pattern REPORT.
Functions that log in JSON write platform.report objects instead, which are read too.

Latency is Duration, in milliseconds: from the handler's call to its return. Init
Duration is what the first caller of an instance waited before that, a cold start; it
is given as the time in the queue. What callers wait for an instance to be found is
in neither. A line has a stamp only where the tool that fetched it put one in front.

An invocation that was cut off at the function's time-out (Status: timeout, or a
Billed Duration below the Duration, which is rounded up otherwise) is a lower bound.
The lines of the function itself are passed over.
`,
	Claims: func(line []byte) log.Claim {
		switch {
		case len(line) == 0:
		case line[0] == '{':
			if bytes.Contains(line, []byte(`"platform.report"`)) {
				return log.Own
			}
			if bytes.Contains(line, []byte(`"type":"platform.`)) {
				return log.Aside
			}
		case report(line) >= 0:
			return log.Own
		case begins(line, "START RequestId: ") >= 0, begins(line, "END RequestId: ") >= 0, begins(line, "INIT_START ") >= 0, bytes.Contains(line, []byte(" Task timed out after ")):
			return log.Aside
		}
		return log.Foreign
	},
	Learn: func(_ [][]byte, opt ingest.Options) (func() log.Reader, error) {
		text := log.NewLayout(ingest.Shape{
			Layout: "REPORT", Unit: time.Millisecond, UnitFrom: ingest.UnitFromValue, Step: 10 * time.Microsecond,
			Clock: "the handler called", Stamp: ingest.StampEnd,
		}, ingest.Server, opt)
		json := log.NewLayout(ingest.Shape{
			Layout: "platform.report", Unit: time.Millisecond, UnitFrom: ingest.UnitFromKey, Step: time.Microsecond,
			Clock: "the handler called", Stamp: ingest.StampEnd,
		}, ingest.Server, ingest.Options{}) // the keys state it
		return func() log.Reader {
			return &reader{text: &text, json: &json, members: log.Members{Keys: log.Keys[int]{Mean: mean}}, Builder: log.Builder{Clock: log.Clock{Zone: opt.Zone}}}
		}, nil
	},
}

var errReport = errors.New("a REPORT without a Duration")

// begins returns where a word begins a line, or stands behind the stamp, and the
// name of the log stream, that a tool put in front of it; -1: nowhere.
func begins(line []byte, word string) int {
	if bytes.HasPrefix(line, []byte(word)) {
		return 0
	}
	head := line[:min(len(line), 256)]
	if len(head) > 20 && head[0]-'0' <= 9 && head[4] == '-' {
		if i := bytes.Index(head, []byte(word)); i > 0 && (head[i-1] == ' ' || head[i-1] == '\t') && bytes.Count(head[:i], []byte(" ")) <= 2 {
			return i
		}
	}
	return -1
}

// report returns where a report begins in a line, or -1. Behind a stamp
// "REPORT RequestId:" looks like host and tag of syslog, and may have been taken off
// as such: then the line begins with the request's id.
func report(line []byte) int {
	if at := begins(line, "REPORT RequestId: "); at >= 0 {
		return at
	}
	if len(line) > 48 && line[8] == '-' && line[23] == '-' && (line[36] == ' ' || line[36] == '\t') && bytes.HasPrefix(bytes.TrimLeft(line[36:], " \t"), []byte("Duration: ")) {
		return 0
	}
	return -1
}

// after returns the word behind a name: "363.49" of "Duration: 363.49 ms".
func after(text []byte, name string) []byte {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(name))
		if i < 0 {
			return nil
		}
		i += from
		if from = i + len(name); i > 1 && (text[i-1] == '\t' || text[i-2] == ' ' || text[i-2] == '\t' || text[i-2]-'a' >= 26) { // not "Billed Duration"
			rest := text[from:]
			if n := bytes.IndexAny(rest, " \t"); n >= 0 {
				return rest[:n]
			}
			return rest
		}
	}
}

// Members of platform.report that are read.
const (
	_ = iota
	stamp
	kind
	id
	status
	duration
	initial
	members
)

func mean(name []byte) int {
	switch string(name) {
	case "time":
		return stamp
	case "type":
		return kind
	case "requestId":
		return id
	case "status":
		return status
	case "durationMs":
		return duration
	case "initDurationMs":
		return initial
	}
	return 0
}

type reader struct {
	log.Builder
	text, json *log.Layout
	members    log.Members
	v          [members][]byte
	roles      log.Fields
}

func (r *reader) Read(line []byte, e *log.Entry) error {
	if line[0] == '{' {
		return r.object(line, e)
	}
	at := report(line)
	if at < 0 {
		return log.ErrIgnore // the function's own lines, START, END
	}
	text := line[at:]
	took := after(text, "Duration: ")
	clear(r.roles[:])
	if r.roles[log.RequestID] = after(text, "RequestId: "); r.roles[log.RequestID] == nil {
		r.roles[log.RequestID] = text[:36]
	}
	if at > 0 {
		if i := bytes.IndexAny(line[:at], " \t"); i > 18 {
			r.roles[log.Time] = line[:i]
		}
	}
	if err := r.Build(r.text, &r.roles, e); err != nil {
		return err
	}
	d, ok := millis(took)
	if !ok {
		return errReport
	}
	e.Op, e.Latency = "invoke", d
	e.Queue, _ = millis(after(text, "Init Duration: "))
	billed, ok := millis(after(text, "Billed Duration: "))
	switch state := after(text, "Status: "); {
	case string(state) == "timeout", ok && billed < d:
		e.Outcome = ingest.TimedOut
	case string(state) == "error":
		e.Outcome = ingest.Failed
	}
	e.Trace = xray(after(text, "XRAY TraceId: "))
	return nil
}

func millis(b []byte) (time.Duration, bool) {
	d, _, _, ok := log.Duration(b, time.Millisecond)
	return d, ok
}

// object reads a line of the JSON log format.
func (r *reader) object(line []byte, e *log.Entry) error {
	v := &r.v
	whole := r.members.Read(line, v[:])
	switch {
	case string(v[kind]) == "platform.report":
	case bytes.Contains(line, []byte("REPORT RequestId: ")):
		return log.ErrOther // an envelope, which is opened
	default:
		return log.ErrIgnore
	}
	if !whole {
		return log.ErrJSON
	}
	clear(r.roles[:])
	r.roles[log.Time], r.roles[log.RequestID], r.roles[log.Latency] = v[stamp], v[id], v[duration]
	if err := r.Build(r.json, &r.roles, e); err != nil {
		return err
	}
	if e.Latency < 0 {
		return errReport
	}
	e.Op = "invoke"
	e.Queue, _ = millis(v[initial])
	switch string(v[status]) {
	case "timeout":
		e.Outcome = ingest.TimedOut
	case "success", "":
	default:
		e.Outcome = ingest.Failed
	}
	return nil
}

// xray returns the W3C trace id of one of X-Ray: version, eight hex digits of
// seconds and 24 others.
func xray(root []byte) (id ingest.TraceID) {
	if len(root) != 35 || root[0] != '1' || root[1] != '-' || root[10] != '-' {
		return id
	}
	if _, err := hex.Decode(id[:4], root[2:10]); err != nil {
		return ingest.TraceID{}
	}
	if _, err := hex.Decode(id[4:], root[11:]); err != nil {
		return ingest.TraceID{}
	}
	return id
}
