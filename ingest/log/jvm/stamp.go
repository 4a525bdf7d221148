package jvm

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// undecorated returns the message behind the decorations of unified logging,
// "[…][…] ", and whether there are any that are the machine's: a time, and a
// level or tags, which may be left out.
func undecorated(line []byte) (message []byte, decorated bool) {
	if len(line) > 0 && line[0] != '[' {
		return prefixed(line), false
	}
	rest := line
	for n := 0; n < 12 && len(rest) > 0 && rest[0] == '['; n++ {
		i := bytes.IndexByte(rest[:min(len(rest), 80)], ']')
		if i < 0 {
			return line, false
		}
		decorated = decorated || isTime(rest[1:i]) || isTags(rest[1:i])
		rest = rest[i+1:]
	}
	if !decorated || len(rest) == 0 || rest[0] != ' ' {
		return line, false
	}
	return rest[1:], true
}

// isTime reports a decoration that is a date or a number with its unit.
func isTime(b []byte) bool {
	if len(b) < 2 || b[0]-'0' > 9 {
		return false
	}
	return len(b) > 20 && b[4] == '-' && b[10] == 'T' && b[19] == '.' || b[len(b)-1] == 's' && b[len(b)-2] != ' '
}

func isTags(b []byte) bool {
	tag, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte(","))
	return string(tag) == "gc" || string(tag) == "safepoint"
}

// decorations returns the best stamp of a line: a date, else the time since the
// machine was started.
func (r *reader) decorations(line []byte) (m log.Moment) {
	for len(line) > 0 && line[0] == '[' {
		i := bytes.IndexByte(line, ']')
		if i < 0 {
			return m
		}
		b := line[1:i]
		line = line[i+1:]
		if !isTime(b) {
			continue
		}
		if b[len(b)-1] != 's' {
			if t, ok := r.clock.Read(b); ok {
				return t
			}
			continue
		}
		if len(b) == len("1795987502123ms") { // timemillis
			if t, ok := r.clock.Read(b[:13]); ok {
				return t
			}
		}
		if m.Time == 0 {
			m = uptime(b)
		}
	}
	return m
}

// uptime reads "8.185s", "8185ms", "8185000000ns".
func uptime(b []byte) log.Moment {
	d, step, explicit, ok := log.Duration(b, 0)
	if !ok || !explicit {
		return log.Moment{}
	}
	return log.Moment{Time: ingest.Relative(d), Resolution: step}
}

// prefixed returns the message behind the stamps of JDK 8 and before: "date:
// uptime: ", or one of the two.
func prefixed(line []byte) []byte {
	rest := line
	for range 2 {
		i := bytes.Index(rest[:min(len(rest), 40)], []byte(": "))
		if i < 1 || !stampLike(rest[:i]) {
			break
		}
		rest = rest[i+2:]
	}
	return rest
}

func stampLike(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 && bytes.IndexByte([]byte(".,-+:TZ"), c) < 0 {
			return false
		}
	}
	return len(b) > 0 && b[0]-'0' <= 9
}

// prefix reads the stamps of JDK 8 and before.
func (r *reader) prefix(b []byte) (m log.Moment, err error) {
	for len(b) > 0 {
		i := bytes.Index(b, []byte(": "))
		if i < 0 {
			break
		}
		stamp := b[:i]
		b = b[i+2:]
		if len(stamp) > 10 && stamp[4] == '-' {
			t, ok := r.clock.Read(stamp)
			if !ok {
				return m, log.ErrStamp
			}
			return t, nil
		}
		d, ok := decimal(stamp, time.Second)
		if !ok {
			return m, log.ErrStamp
		}
		m = log.Moment{Time: ingest.Relative(d), Resolution: time.Millisecond}
	}
	return m, nil
}

// beginnings are those of lines that machines of JDK 8 and before log beside
// the stopped times. Details of a collection are indented.
var beginnings = [...]string{
	"Java HotSpot(TM)", "OpenJDK ", "Memory: ", "CommandLine flags: ", "Desired survivor size ", "- age ", ", ", "Heap", "{Heap before GC", "}",
	"Application time: ", "Using ", "[GC ", "[Full GC", "[Times: ", "[CMS", "[Par", "[GC",
}

// chatter reports what a machine logs beside its stops.
func chatter(line []byte) bool {
	if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		return true
	}
	message := prefixed(line)
	for _, b := range beginnings {
		if bytes.HasPrefix(message, []byte(b)) {
			return true
		}
	}
	return false
}

// legacyGC reports the line of a collection of JDK 8 or before.
func legacyGC(line []byte) bool {
	message := prefixed(line)
	return len(message) < len(line) && (bytes.HasPrefix(message, []byte("[GC ")) || bytes.HasPrefix(message, []byte("[Full GC ")))
}
