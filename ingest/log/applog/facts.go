package applog

import (
	"bytes"
	"time"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// facts are what the members of a line say.
type facts struct {
	v     [fields][]byte
	depth [fields]uint8 // of the member; the shallower wins

	unit     time.Duration // of the latency, by its name; 0: none stated
	explicit bool          // the latency names its own unit
	name     name          // of the latency
	wait     time.Duration // unit of the queue

	members   int
	names     [3]name // of the first three members
	last      name
	has       uint32 // names, as bits
	unsorted  bool
	previous  []byte
	numeric   bool // the level is a number
	quoted    bool // the stamp is a string
	template  []byte
	took      bool   // the word in front of the latency is "took"
	wordsFrom []byte // text in front of the latency, where the message holds it
	inMessage bool   // the latency is in the words of the message
}

// put takes note of a member.
func (f *facts) put(m meaning, key, value []byte, quoted bool, depth int) {
	if depth == 1 {
		if f.members < len(f.names) {
			f.names[f.members] = m.name
		}
		f.members++
		f.last = m.name
		f.has |= 1 << m.name
		f.unsorted = f.unsorted || bytes.Compare(f.previous, key) > 0
		f.previous = key
		if m.name == nameTemplate {
			f.template = value
		}
	}
	if m.role == skip || depth > 3 || len(value) == 0 {
		return
	}
	switch m.role {
	case latency:
		f.putLatency(m, value, depth)
		return
	case queue:
		f.wait = m.unit
	case level:
		f.numeric = !quoted
	case stamp:
		if depth > 1 {
			return
		}
		f.quoted = quoted
	case status:
		if len(value) > 3 && value[3] == ' ' {
			value = value[:3] // 503 Service Unavailable
		}
		if !isCode(value) {
			return // "success": another member may have the code
		}
	case trace, request, method, target, route, message, operation, around, grpcCode:
		if !quoted && string(value) == "null" {
			return
		}
	}
	if f.v[m.role] == nil || depth < int(f.depth[m.role]) {
		f.v[m.role], f.depth[m.role] = value, uint8(depth)
	}
}

// putLatency takes note of a latency. One that names its unit is better than one
// whose name does, and that better than none.
func (f *facts) putLatency(m meaning, value []byte, depth int) {
	c := value[0]
	if depth > 2 || c-'0' > 9 && c != '.' {
		return // null, negative, a word
	}
	last := value[len(value)-1]
	explicit := last-'0' > 9 && last != '.'
	rank := func(explicit bool, unit time.Duration) int {
		switch {
		case explicit:
			return 2
		case unit != 0:
			return 1
		}
		return 0
	}
	before, now := rank(f.explicit, f.unit), rank(explicit, m.unit)
	if f.v[latency] != nil && (now < before || now == before && depth >= int(f.depth[latency])) {
		return
	}
	f.v[latency], f.depth[latency] = value, uint8(depth)
	f.unit, f.explicit, f.name = m.unit, explicit, m.name
}

func (f *facts) named(n name) bool { return f.has&(1<<n) != 0 }

// kind is a logger that is told by its lines.
type kind uint8

const (
	plainJSON kind = iota
	slogJSON
	zapJSON
	zerologJSON
	logrusJSON
	pinoJSON
	bunyanJSON
	serilogJSON
	logfmt
	console
	zapConsole
	zerologConsole
	gin
	otlp
	kinds
)

var kindNames = [kinds]string{
	"JSON", "slog, JSON", "zap, JSON", "zerolog, JSON", "logrus, JSON", "pino", "bunyan", "Serilog", "logfmt", "text", "zap, console", "zerolog, console", "gin", "OTLP logs, JSON",
}

// kind tells which logger wrote a line of JSON. The sources of each order of
// names are the loggers' encoders, and recorded logs of each.
func (f *facts) kind() kind {
	n := &f.names
	lower := len(f.v[level]) > 0 && f.v[level][0]-'a' < 26
	switch {
	case n[0] == nameTime && n[1] == nameLevel && (n[2] == nameMsg || n[2] == nameSource) && f.quoted && !f.numeric && !lower:
		return slogJSON
	case f.named(nameTS) && f.named(nameMsg) && n[0] == nameLevel && (n[1] == nameTS || f.named(nameCaller)):
		return zapJSON
	case n[0] == nameLevel && lower && f.last == nameMessage && f.named(nameTime):
		return zerologJSON
	case f.named(nameV) && f.numeric && f.named(nameHostname) && f.named(namePID):
		return bunyanJSON
	case f.numeric && f.named(nameTime) && f.named(namePID) && f.named(nameHostname) && !f.quoted:
		return pinoJSON
	case !f.unsorted && lower && f.named(nameLevel) && f.named(nameMsg) && f.named(nameTime):
		return logrusJSON
	case f.template != nil:
		return serilogJSON
	}
	return plainJSON
}

// unitOf returns the unit in which a logger writes numbers that are latencies; 0:
// it has none of its own.
func (f *facts) unitOf(k kind) time.Duration {
	v := f.v[latency]
	whole := bytes.IndexByte(v, '.') < 0 && bytes.IndexByte(v, 'e') < 0
	zero := len(v) == 1 && v[0] == '0'
	switch k {
	case slogJSON, logrusJSON: // a time.Duration in JSON
		if whole {
			return time.Nanosecond
		}
	case zapJSON, zapConsole: // SecondsDurationEncoder; a whole number is more likely a number of something else
		if !whole || zero {
			return time.Second
		}
	case zerologJSON, zerologConsole: // DurationFieldUnit
		return time.Millisecond
	case pinoJSON: // pino-http
		if f.name == nameResponseTime {
			return time.Millisecond
		}
	case serilogJSON: // Serilog.AspNetCore: "… responded {StatusCode} in {Elapsed:0.0000} ms"
		if _, after, ok := bytes.Cut(f.template, []byte("{Elapsed")); ok && f.name == nameElapsed {
			if _, after, ok = bytes.Cut(after, []byte("}")); ok && bytes.HasPrefix(after, []byte(" ms")) {
				return time.Millisecond
			}
		}
	}
	return 0
}

// isHTTP reports whether the facts have a method and a target.
func (f *facts) isHTTP() bool {
	return isMethod(f.v[method]) && (f.v[target] != nil && isTarget(f.v[target]) || f.v[route] != nil && f.v[route][0] == '/')
}

// code returns the status if it is one of HTTP.
func (f *facts) code() []byte {
	if v := f.v[status]; isCode(v) {
		return v
	}
	return nil
}

func isCode(v []byte) bool {
	n, ok := log.Status(v)
	return ok && n >= 100 && n < 600
}

func isMethod(b []byte) bool {
	for _, c := range b {
		if c-'A' >= 26 {
			return false
		}
	}
	return len(b) > 2 && len(b) < 12
}

func isTarget(b []byte) bool {
	return len(b) > 0 && (b[0] == '/' || bytes.HasPrefix(b, []byte("http://")) || bytes.HasPrefix(b, []byte("https://")))
}
