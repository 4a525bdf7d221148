package applog

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// records are the log records of a line of OTLP's JSON.
type records struct {
	list [][]byte
	next int // the one to be read; 0: the line is not yet taken apart
}

// isRecords reports whether a line is an export of log records.
func isRecords(line []byte) bool {
	return bytes.Contains(line[:min(len(line), 40)], []byte(`"resourceLogs"`))
}

// otlp reads the next request among the records of a line.
func (r *reader) otlp(line []byte, e *log.Entry) error {
	x := &r.records
	if x.next == 0 {
		x.list = x.list[:0]
		if !x.collect(line, 0) {
			return log.ErrJSON
		}
	}
	r.spoke = true
	for x.next < len(x.list) {
		record := x.list[x.next]
		x.next++
		pos := e.Pos
		if r.record(record, e) == nil {
			if e.More = x.next < len(x.list); !e.More {
				x.next = 0
			}
			return nil
		}
		e.Reset(pos)
	}
	x.next = 0
	return log.ErrIgnore
}

// collect walks an object down to its arrays of records: resourceLogs, in them
// scopeLogs, in them logRecords. It reports whether all of it is whole.
func (x *records) collect(object []byte, level int) bool {
	var o log.Object
	whole := true
	for o.Reset(object); o.Next(); {
		if o.Depth != 1 {
			continue
		}
		switch string(o.Key) {
		case "resourceLogs", "scopeLogs", "logRecords":
			if o.Quoted || len(o.Value) == 0 || o.Value[0] != '[' || level > 2 {
				return false
			}
			last := string(o.Key) == "logRecords"
			whole = each(o.Value, func(element []byte) bool {
				if last {
					x.list = append(x.list, element)
					return true
				}
				return x.collect(element, level+1)
			}) && whole
		}
	}
	return o.Whole() && whole
}

// each calls f for the objects of an array, and reports whether it and they are whole.
func each(array []byte, f func(object []byte) bool) bool {
	depth, from := 0, 0
	for i := 1; i < len(array); i++ {
		switch array[i] {
		case '"':
			for i++; i < len(array) && array[i] != '"'; i++ {
				if array[i] == '\\' {
					i++
				}
			}
		case '{':
			if depth++; depth == 1 {
				from = i
			}
		case '}':
			if depth--; depth == 0 && !f(array[from:i+1]) {
				return false
			}
		}
	}
	return depth == 0
}

// record reads one log record.
func (r *reader) record(record []byte, e *log.Entry) error {
	r.facts = facts{}
	r.text = r.text[:0]
	f := &r.facts
	o := &r.object
	var observed []byte
	for o.Reset(record); o.Next(); {
		value := o.Value
		switch key := string(o.Key); {
		case key == "timeUnixNano":
			f.v[stamp] = value
		case key == "observedTimeUnixNano":
			observed = value
		case key == "severityText":
			f.v[level] = value
		case key == "traceId":
			f.v[trace] = value
		case key == "stringValue" && o.Depth == 2: // of the body
			if f.v[message] = value; bytes.IndexByte(value, '\\') >= 0 {
				at := len(r.text)
				r.text = log.Unescape(r.text, value)
				f.v[message] = r.text[at:]
			}
		case key == "attributes" && o.Depth == 1 && !o.Quoted:
			r.attributes(value)
		}
	}
	if len(f.v[stamp]) < 2 {
		f.v[stamp] = observed
	}
	err := r.orMessage(otlp, e)
	if err == log.ErrLatency {
		f.v[latency] = nil
		err = r.entry(otlp, e)
	}
	return err
}

// attributes takes note of attributes as of members.
func (r *reader) attributes(array []byte) {
	n := 0
	each(array, func(object []byte) bool {
		var o log.Object
		var key []byte
		for o.Reset(object); o.Next(); {
			switch {
			case o.Depth == 1 && string(o.Key) == "key":
				key = o.Value
			case o.Depth == 2 && bytes.HasSuffix(o.Key, []byte("Value")) && key != nil:
				r.facts.put(r.attributeKeys.At(n, key), key, o.Value, o.Quoted && string(o.Key) == "stringValue", 1)
			}
		}
		n++
		return true
	})
}
