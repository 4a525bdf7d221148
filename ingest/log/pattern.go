package log

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Role is what a field of a line says.
type Role uint8

// Roles of fields. Those from OwnRole on are a dialect's own.
const (
	Skip    Role = iota // nothing that is read
	Time                // time stamp, in any layout that a Clock reads
	EndTime             // a second stamp: then Time is the start
	Epoch               // another stamp of the same moment, which is better
	Request             // METHOD TARGET PROTOCOL
	Method
	Target
	StatusCode
	Latency
	Upstream       // the latencies of the upstream tries, a list
	UpstreamStatus // their statuses
	UpstreamPeer   // their addresses
	UpstreamOther  // another list of them: only its length matters
	UpstreamOther2
	RequestID
	TraceParent // a W3C traceparent, or a bare trace id
	Connection  // Apache's %X: "X" means that it broke before the answer was sent
	OwnRole
	roles = OwnRole + 8
)

// Fields are the fields of a line by role; nil: the line has none. They point
// into the line.
type Fields [roles][]byte

// Part is a piece of a format: literal text, or a field.
type Part struct {
	Literal string // empty: a field
	Role    Role
	List    bool // the field may be a list of upstream tries, with blanks in it
	Blanks  int  // how many blanks the field has in it, where a blank ends it; 0: none
}

// Pattern is a format string, compiled: it cuts a line into fields in one pass
// over its bytes. A field ends where the literal text behind it begins. A
// Pattern is never written again and may be shared.
type Pattern struct {
	lead  []byte
	steps []step
	has   uint32 // roles, as bits
}

type step struct {
	stop  []byte // the literal behind the field; empty: the end of the line
	role  Role
	list  bool
	stamp bool // a stamp follows stop
	usual int  // usual length of the field; 0: it has none
	in    int  // blanks in the field
	plain bool // stop ends the field at the first place where it stands, unless a backslash precedes it

	// For speed: a byte of stop to search for, rather no blank, and where it is
	// in stop; the first four bytes of stop as a word, fewer masked.
	char       byte
	pivot      int
	word, mask uint32
}

func (s *step) prepare() {
	switch s.role {
	case StatusCode:
		s.usual = 3
	case Time:
		s.usual = clfLen
	}
	if len(s.stop) == 0 {
		return
	}
	s.pivot = max(0, bytes.IndexFunc(s.stop, func(r rune) bool { return r != ' ' }))
	s.char = s.stop[s.pivot]
	for i, c := range s.stop[:min(4, len(s.stop))] {
		s.word |= uint32(c) << (8 * i)
		s.mask |= 0xff << (8 * i)
	}
}

// Compile returns the pattern of a format. Fields next to each other, with
// nothing between them that tells where one ends, become one with the role of
// the first that has any. Of two fields with the same role the first counts.
func Compile(parts []Part) (*Pattern, error) {
	p := &Pattern{}
	field := false // the last part was a field
	for _, part := range parts {
		if part.Literal != "" {
			switch {
			case len(p.steps) == 0:
				p.lead = append(p.lead, part.Literal...)
			default:
				s := &p.steps[len(p.steps)-1]
				s.stop = append(s.stop, part.Literal...)
			}
			field = false
			continue
		}
		if p.Has(part.Role) {
			part.Role = Skip
		}
		if field {
			s := &p.steps[len(p.steps)-1]
			s.list, s.in = s.list || part.List, s.in+part.Blanks
			if s.role != Skip {
				continue
			}
			s.role = part.Role
		} else {
			p.steps = append(p.steps, step{role: part.Role, list: part.List, in: part.Blanks})
		}
		p.has |= 1 << part.Role
		field = true
	}
	if n := len(p.steps); n > 0 {
		p.steps[n-1].stop = trimRight(p.steps[n-1].stop) // as those of the lines are
	}
	for i := range p.steps {
		s := &p.steps[i]
		s.stamp = i+1 < len(p.steps) && p.steps[i+1].role == Time && bytes.HasSuffix(s.stop, []byte("["))
		s.prepare()
		s.plain = s.in == 0 && !s.list && !s.stamp && len(s.stop) > 0 && len(s.stop) <= 4
	}
	if !p.Has(Request) && !p.Has(StatusCode) && !p.Has(Latency) && !p.Has(Upstream) {
		return nil, fmt.Errorf("a format without request, status and latency says nothing about requests")
	}
	return p, nil
}

// Has reports whether the pattern has a field of a role. Nobody has Skip.
func (p *Pattern) Has(r Role) bool { return r != Skip && p.has&(1<<r) != 0 }

// Match cuts a line into the pattern's fields and reports whether it fits. Other
// roles are left alone.
func (p *Pattern) Match(line []byte, f *Fields) bool {
	if len(p.lead) > 0 && !bytes.HasPrefix(line, p.lead) {
		return false
	}
	rest := line[len(p.lead):]
	last := len(p.steps) - 1
	steps := p.steps[:last]
	for i := range steps {
		s := &steps[i]
		n := s.find(rest)
		if n < 0 {
			return false
		}
		if s.role != Skip { // a store that nobody reads is not free
			f[s.role] = rest[:n]
		}
		rest = rest[n+len(s.stop):]
	}
	s := &p.steps[last]
	n := len(rest) - len(s.stop)
	if n < 0 || string(rest[n:]) != string(s.stop) {
		return false
	}
	f[s.role] = rest[:n]
	switch {
	case len(s.stop) == 0:
		return s.list || bytes.IndexByte(rest, ' ') < 0 || s.in > 0 && bytes.Count(rest, []byte(" ")) == s.in
	case s.stop[0] == '"' && s.role != Skip:
		return bytes.IndexByte(rest[:n], '"') < 0
	}
	return true
}

// find returns the length of the field at the start of b, or -1. A field in
// quotes may have bare quotes in it, which some servers do not escape, but not
// the beginning of another line.
func (s *step) find(b []byte) int {
	if n := s.usual; n > 0 && n < len(b) && b[n] == s.stop[0] && s.isUsual(b) && s.at(b, n) {
		return n
	}
	if s.plain && len(b) > s.pivot {
		at := bytes.IndexByte(b[s.pivot:], s.char)
		if at >= 0 && len(b)-at >= 4 && binary.LittleEndian.Uint32(b[at:])&s.mask == s.word && (at == 0 || b[at-1] != '\\') {
			return at
		}
	}
	bare, from := false, 0
	if s.in > 0 && s.stop[0] == ' ' {
		for range s.in {
			i := bytes.IndexByte(b[from:], ' ')
			if i < 0 {
				return -1
			}
			from += i + 1
		}
	}
	for i := from + s.pivot; i < len(b); i++ {
		j := bytes.IndexByte(b[i:], s.char)
		if j < 0 {
			return -1
		}
		i += j
		at := i - s.pivot
		switch {
		case !s.at(b, at):
			bare = true
		case s.char == '"' && at > 0 && b[at-1] == '\\' && s.pivot == 0 && escapes(b[:at])%2 == 1:
		case s.list && s.listGoesOn(b, at):
		case s.stamp && !beginsStamp(b[at+len(s.stop):]) && !beginsCtime(b[at+len(s.stop):]):
		case bare && s.stop[0] == '"' && bytes.Contains(b[:at], []byte(`] "`)):
			return -1
		default:
			return at
		}
	}
	return -1
}

// at reports whether stop stands at a place.
func (s *step) at(b []byte, at int) bool {
	if len(b)-at >= 4 {
		return binary.LittleEndian.Uint32(b[at:])&s.mask == s.word && (s.mask != 1<<32-1 || bytes.HasPrefix(b[at:], s.stop))
	}
	return bytes.HasPrefix(b[at:], s.stop)
}

// isUsual reports whether a field has the usual length of its role: three digits
// of a status, a stamp in the common log format.
func (s *step) isUsual(b []byte) bool {
	if s.role == StatusCode {
		return isDigit(b[0]) && isDigit(b[1]) && isDigit(b[2])
	}
	return b[2] == '/' && b[6] == '/' && b[20] == ' ' && isDigit(b[22]) && isDigit(b[25])
}

// clfLen is the length of a stamp in the common log format.
const clfLen = len("29/Nov/2026:21:16:22 +0000")

// listGoesOn reports whether the blank at a place parts two elements of a list.
func (s *step) listGoesOn(b []byte, at int) bool {
	if s.stop[0] != ' ' {
		return false
	}
	return at > 0 && b[at-1] == ',' || bytes.HasPrefix(b[at:], []byte(" : ")) || at > 1 && b[at-1] == ':' && b[at-2] == ' '
}

// escapes returns how many backslashes b ends with.
func escapes(b []byte) int {
	n := 0
	for n < len(b) && b[len(b)-n-1] == '\\' {
		n++
	}
	return n
}
