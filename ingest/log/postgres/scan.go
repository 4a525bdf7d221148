package postgres

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// record is the first line of what the server reports.
type record struct {
	layout   layout
	stamp    []byte // empty: the line has none
	pid      int64  // 0: not known
	severity []byte
	message  []byte // up to the end of the line; with the escapes of its layout
}

// scanner cuts lines up.
type scanner struct{ object log.Object }

// severities are those of records, and of the lines that go with one.
var severities = map[string]bool{
	"DEBUG": true, "DEBUG1": true, "DEBUG2": true, "DEBUG3": true, "DEBUG4": true, "DEBUG5": true, "INFO": true, "NOTICE": true, "WARNING": true,
	"ERROR": true, "LOG": true, "FATAL": true, "PANIC": true,
	"DETAIL": true, "HINT": true, "QUERY": true, "CONTEXT": true, "LOCATION": true, "STATEMENT": true, "BACKTRACE": true,
}

// scan cuts up the first line of a record; ok is false for any other.
func (x *scanner) scan(line []byte) (rec record, ok bool) {
	if len(line) == 0 || line[0] == '\t' || line[0] == ' ' {
		return rec, false
	}
	if line[0] == '{' {
		return x.json(line)
	}
	if rec, ok = csv(line); ok {
		return rec, true
	}
	return stderr(line)
}

// maxPrefix is how much of a line may stand before its severity, in bytes.
const maxPrefix = 512

// stderr cuts a line "prefix LOG:  message". The prefix is what log_line_prefix
// makes of it; a time, a process id in brackets or behind pid= are found in it.
func stderr(line []byte) (rec record, ok bool) {
	for from := 0; ; {
		i := bytes.Index(line[from:min(len(line), maxPrefix)], []byte(":  "))
		if i < 0 {
			return rec, false
		}
		i += from
		begin := i
		for begin > from && (line[begin-1]-'A' < 26 || line[begin-1]-'0' <= 9) {
			begin--
		}
		if severities[string(line[begin:i])] {
			rec.severity, rec.message = line[begin:i], line[i+3:]
			rec.stamp = stamp(line[:begin])
			rec.pid = pid(line[:begin])
			return rec, true
		}
		from = i + 3
	}
}

// stamp finds the time in a prefix.
func stamp(prefix []byte) []byte {
	for i := 0; i+14 <= len(prefix); i++ {
		b := prefix[i:]
		if b[0]-'0' > 9 || i > 0 && prefix[i-1]-'0' <= 9 {
			continue
		}
		if len(b) >= 19 && b[4] == '-' && b[7] == '-' && b[10] == ' ' && b[13] == ':' {
			return b[:stampLength(b)]
		}
		if b[10] == '.' && b[9]-'0' <= 9 && number(b[:10]) && number(b[11:14]) { // %n
			return b[:14]
		}
	}
	return nil
}

// stampLength is the length of a stamp with its fraction and its zone: letters,
// or an offset.
func stampLength(b []byte) int {
	n := 19
	if n < len(b) && b[n] == '.' {
		for n++; n < len(b) && b[n]-'0' <= 9; n++ {
		}
	}
	if n+1 >= len(b) || b[n] != ' ' {
		return n
	}
	end := n + 1
	if b[end] == '+' || b[end] == '-' {
		for end++; end < len(b) && (b[end]-'0' <= 9 || b[end] == ':') && end < n+7; end++ {
		}
		if b[end-1] == ':' {
			end-- // a separator of the prefix
		}
		return end
	}
	for end < len(b) && b[end]|0x20-'a' < 26 {
		end++
	}
	if end == n+1 {
		return n
	}
	return end
}

func number(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

// pid finds the process id in a prefix: [4711], pid=4711.
func pid(prefix []byte) int64 {
	if _, rest, ok := bytes.Cut(prefix, []byte("pid=")); ok {
		return integer(rest)
	}
	for {
		i := bytes.IndexByte(prefix, '[')
		if i < 0 {
			return 0
		}
		prefix = prefix[i+1:]
		n := 0
		for n < len(prefix) && prefix[n]-'0' <= 9 {
			n++
		}
		if n > 0 && n < len(prefix) && prefix[n] == ']' {
			return integer(prefix)
		}
	}
}

// integer reads the digits that b begins with; 0: there are none, or too many.
func integer(b []byte) (n int64) {
	for i, c := range b {
		if c-'0' > 9 {
			break
		}
		if i == 10 {
			return 0
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// Columns of csvlog.
const (
	columnPID      = 3
	columnSeverity = 11
	columnMessage  = 13
)

// csv cuts the first line of a record of csvlog: up to the message no field has
// line feeds.
func csv(line []byte) (rec record, ok bool) {
	if len(line) < 40 || line[4] != '-' || line[10] != ' ' {
		return rec, false
	}
	n := stampLength(line)
	if n >= len(line) || line[n] != ',' {
		return rec, false
	}
	rec.layout, rec.stamp = csvLines, line[:n]
	rest := line[n+1:]
	for column := 1; ; column++ {
		if column == columnMessage {
			if len(rest) == 0 || rest[0] != '"' || !severities[string(rec.severity)] {
				return rec, false
			}
			rec.message = rest[1:]
			return rec, true
		}
		field := rest
		if len(rest) > 0 && rest[0] == '"' {
			end := 1
			for {
				i := bytes.IndexByte(rest[end:], '"')
				if i < 0 {
					return rec, false
				}
				if end += i + 1; end < len(rest) && rest[end] == '"' {
					end++
					continue
				}
				break
			}
			field = rest[:end]
		} else if i := bytes.IndexByte(rest, ','); i >= 0 {
			field = rest[:i]
		}
		if len(field) >= len(rest) || rest[len(field)] != ',' {
			return rec, false
		}
		switch column {
		case columnPID:
			rec.pid = integer(field)
		case columnSeverity:
			rec.severity = field
		}
		rest = rest[len(field)+1:]
	}
}

// json cuts a record of jsonlog, or one that an operator has put into an object
// of its own, with the names of csvlog's columns.
func (x *scanner) json(line []byte) (rec record, ok bool) {
	o := &x.object
	rec.layout = jsonLines
	for o.Reset(line); o.Next(); {
		if o.Depth > 2 {
			continue
		}
		switch string(o.Key) {
		case "timestamp", "log_time":
			rec.stamp = o.Value
		case "pid", "process_id":
			rec.pid = integer(o.Value)
		case "error_severity":
			rec.severity = o.Value
		case "message":
			if o.Quoted {
				rec.message = o.Value
			}
		}
	}
	return rec, o.Whole() && severities[string(rec.severity)] && len(rec.stamp) > 0 && rec.message != nil
}
