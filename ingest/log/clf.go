package log

import (
	"bytes"
	"strings"
)

// CLF is a line of the common log format or one of its many descendants:
//
//	before [stamp] between "request" status bytes tail …
//
// nginx, Apache, Tomcat, Traefik, Varnish and others share it, and differ in
// what they put before and behind.
type CLF struct {
	Before  []byte // up to the bracket of the stamp
	Stamp   []byte
	Between []byte // from behind that bracket up to the quote of the request
	End     []byte // a second stamp in brackets, where Between is one; nil: it is none
	Request []byte
	Status  []byte
	Gap     []byte // between the quote of the request and the status
	Tail    []Token
}

// Token is a field of the tail.
type Token struct {
	Lead  []byte // what stands in front of Text since the last field: blanks, the key, a quote or bracket
	Key   []byte // of key=value and key: "value"; empty: none
	Text  []byte // the value, without quotes or brackets; a list of tries is one value
	Close byte   // the quote or bracket that closes it; 0: bare
	Rest  []byte // more that belongs to the frame of the value, behind Close; usually nothing
}

const maxTokens = 48

// Parse cuts a line up. The error says what it lacks.
func (c *CLF) Parse(line []byte) error {
	at := stampAt(line, 0)
	if at < 0 {
		return ErrNoStamp
	}
	closing := bytes.IndexByte(line[at:], ']')
	if closing < 0 || closing > MaxStamp {
		return ErrNoStamp
	}
	c.Before, c.Stamp = line[:at-1], line[at:at+closing]
	rest := line[at+closing+1:]
	quote := bytes.IndexByte(rest, '"')
	if quote < 0 || quote > maxBetween {
		return ErrNoRequest
	}
	c.Between = rest[:quote]
	c.End = nil
	if b := bytes.Trim(c.Between, " "); len(b) > 2 && b[0] == '[' && bytes.IndexByte(b, ']') == len(b)-1 && beginsStamp(b[1:]) {
		c.End = b[1 : len(b)-1]
	}
	rest = rest[quote+1:]
	if quote = unescaped(rest, 0); quote < 0 {
		return ErrNoRequest
	}
	c.Request = rest[:quote]
	rest = rest[quote+1:]
	gap := 0
	for gap < len(rest) && rest[gap] == ' ' {
		gap++
	}
	n := bytes.IndexByte(rest[gap:], ' ')
	if n < 0 {
		n = len(rest) - gap
	}
	c.Gap, c.Status = rest[:gap], rest[gap:gap+n]
	if _, ok := Status(c.Status); !ok || gap == 0 {
		return ErrStatus
	}
	return c.tail(rest[gap+n:])
}

// Plain reports whether nothing stands between stamp and request.
func (c *CLF) Plain() bool { return len(bytes.Trim(c.Between, " -|")) == 0 }

// maxBetween is the longest text between stamp and request.
const maxBetween = 64

// Parts returns the format in which the line is written, with the roles given
// for the fields of its tail, and how it is shown: show writes a field, at its
// place in the tail, or -1 for those in front. A bare "-" whose role is Skip is
// literal text: on other lines something that counts may stand in its place.
func (c *CLF) Parts(tail []Role, show func(r Role, at int) string) (parts []Part, shown string) {
	var s strings.Builder
	literal := func(b ...byte) {
		if len(b) > 0 {
			parts = append(parts, Part{Literal: string(b)})
			s.Write(b)
		}
	}
	field := func(r Role, at int) {
		parts = append(parts, Part{Role: r, List: r >= Upstream && r <= UpstreamOther2})
		s.WriteString(show(r, at))
	}
	if before := bytes.TrimRight(c.Before, " "); len(before) > 0 {
		field(Skip, -1)
		literal(c.Before[len(before):]...)
	}
	literal('[')
	field(Time, -1)
	literal(']')
	switch {
	case c.End != nil:
		i := bytes.IndexByte(c.Between, '[') + 1
		literal(c.Between[:i]...)
		field(EndTime, -1)
		literal(c.Between[i+len(c.End):]...)
	case c.Plain():
		literal(c.Between...)
	default:
		field(Skip, -1)
	}
	literal('"')
	field(Request, -1)
	literal('"')
	literal(c.Gap...)
	field(StatusCode, -1)
	for i := range c.Tail {
		t := &c.Tail[i]
		literal(t.Lead...)
		if tail[i] == Skip && len(t.Key) == 0 && string(t.Text) == "-" && !(i == 0 && t.IsBytes()) && !c.header(i) {
			literal('-')
		} else {
			field(tail[i], i)
		}
		if t.Close != 0 {
			literal(t.Close)
		}
		literal(t.Rest...)
	}
	return parts, s.String()
}

// IsBytes reports whether a field, the first of the tail, is the number of bytes sent.
func (t *Token) IsBytes() bool {
	if t.Close != 0 || len(t.Key) > 0 || len(t.Lead) != 1 || len(t.Rest) > 0 {
		return false
	}
	for _, c := range t.Text {
		if !isDigit(c) {
			return string(t.Text) == "-"
		}
	}
	return true
}

// Header returns which quoted field a field of the tail is, counted from 1: of
// the combined format the first two are the referer and the user agent. 0: it
// is not quoted, or has a key.
func (c *CLF) Header(at int) int {
	if c.Tail[at].Close != '"' || len(c.Tail[at].Key) > 0 {
		return 0
	}
	n := 0
	for i := range c.Tail[:at+1] {
		if c.Tail[i].Close == '"' && len(c.Tail[i].Key) == 0 {
			n++
		}
	}
	return n
}

// header reports whether a field is the referer or the user agent.
func (c *CLF) header(at int) bool {
	n := c.Header(at)
	return n == 1 || n == 2
}

// stampAt returns where a stamp begins behind an opening bracket, or -1.
func stampAt(line []byte, from int) int {
	for {
		i := bytes.IndexByte(line[from:], '[')
		if i < 0 {
			return -1
		}
		from += i + 1
		if beginsStamp(line[from:]) {
			return from
		}
	}
}

// beginsStamp reports whether a date of the common log format or of ISO 8601
// begins here.
func beginsStamp(b []byte) bool {
	return len(b) >= 19 && isDigit(b[0]) && (b[2] == '/' && b[6] == '/' || b[4] == '-' && b[7] == '-')
}

// beginsCtime reports whether a stamp of ctime begins here: "Sun Nov 29 21:16:22".
func beginsCtime(b []byte) bool {
	return len(b) >= 19 && b[3] == ' ' && b[7] == ' ' && b[13] == ':' && b[16] == ':'
}

// unescaped returns where the first quote is that no backslash escapes, or -1.
func unescaped(b []byte, from int) int {
	for {
		i := bytes.IndexByte(b[from:], '"')
		if i < 0 {
			return -1
		}
		i += from
		n := 0
		for i-n > 0 && b[i-n-1] == '\\' {
			n++
		}
		if n%2 == 0 {
			return i
		}
		from = i + 1
	}
}

// tail cuts what follows the status into tokens.
func (c *CLF) tail(rest []byte) error {
	c.Tail = c.Tail[:0]
	for len(rest) > 0 {
		if len(c.Tail) == maxTokens {
			return ErrLong
		}
		at := 0
		for at < len(rest) && rest[at] == ' ' {
			at++
		}
		if at == len(rest) {
			break
		}
		var t Token
		if n := key(rest[at:]); n > 0 {
			t.Key = bytes.TrimRight(rest[at:at+n], "=: ")
			at += n
		}
		end := at
		switch {
		case at < len(rest) && rest[at] == '"':
			at++
			t.Close = '"'
			n := unescaped(rest[at:], 0)
			if n < 0 {
				return ErrNoRequest
			}
			end = at + n
		case at < len(rest) && rest[at] == '[' && len(t.Key) == 0:
			n := bytes.IndexByte(rest[at:], ']')
			if n > 0 && (at+n+1 == len(rest) || rest[at+n+1] == ' ') {
				if beginsStamp(rest[at+1:]) {
					return ErrGlued
				}
				at, end = at+1, at+n
				t.Close = ']'
				break
			}
			fallthrough // the address [2001:db8::2]:9200
		default:
			end = at + list(rest[at:])
		}
		t.Lead, t.Text = rest[:at], rest[at:end]
		if t.Close != 0 {
			end++
		}
		rest = rest[end:]
		c.Tail = append(c.Tail, t)
	}
	return nil
}

// key returns the length of a key with its separator, or 0.
func key(b []byte) int {
	for i, c := range b {
		switch {
		case kinds[c]&(byteHex|byteLetter) != 0, c == '_', i > 0 && (isDigit(c) || c == '-' || c == '.'):
			continue
		case i > 0 && c == '=':
			return i + 1
		case i > 0 && c == ':' && bytes.HasPrefix(b[i:], []byte(`: "`)):
			return i + 2
		}
		return 0
	}
	return 0
}

// list returns the length of a bare value: up to a blank that does not part the
// elements of a list of upstream tries (", ", " : ").
func list(b []byte) int {
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:], ' ')
		if j < 0 {
			return len(b)
		}
		i += j
		switch {
		case i > 0 && b[i-1] == ',':
		case bytes.HasPrefix(b[i:], []byte(" : ")):
			i += 2
		default:
			return i
		}
	}
}
