package log

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest"
)

// peeler frees lines of what container runtimes, collectors and terminals put
// around them. What it returns is valid until the next line.
//
// It looks at each line alone: no guess is kept, since the first bytes tell the
// wrappers apart, and a line must mean the same wherever an input is cut.
type peeler struct {
	clock Clock     // of the wrappers' own stamps
	plain []byte    // a line without escape sequences
	buf   [2][]byte // texts of json-file, one in the other
	inner []byte    // the text of an envelope
}

// maxLayers is how many wrappers may stand around each other.
const maxLayers = 4

// peel returns the text of a line, the finest time stamp that a wrapper gives
// (the moment at which the line was written; zero: none), and the outermost
// wrapper's name.
func (p *peeler) peel(line []byte) (text []byte, stamp Moment, wrapper string) {
	if bytes.IndexByte(line, 0x1b) >= 0 {
		p.plain = ingest.Clean(p.plain[:0], line)
		line = p.plain
	} else if isIPv4(line) {
		return trimRight(line), stamp, "" // nothing is around it
	}
	for n := range maxLayers {
		line = trim(line)
		rest, m, w := p.layer(line, n)
		if w == "" {
			break
		}
		line = rest
		if wrapper == "" {
			wrapper = w
		}
		if m.Time != 0 && (stamp.Time == 0 || m.Resolution < stamp.Resolution) {
			stamp = m
		}
	}
	return trimRight(line), stamp, wrapper
}

// trimRight drops the blanks at a line's end, which formats have that are put
// together of several strings. Compile drops them too.
func trimRight(line []byte) []byte {
	for len(line) > 0 && line[len(line)-1] == ' ' {
		line = line[:len(line)-1]
	}
	return line
}

// trim drops a run of NULs, left by a log that was truncated while it was
// written, and a byte order mark, left where files were put together.
func trim(line []byte) []byte {
	if len(line) > 0 && (line[0] == 0 || line[0] == 0xef) {
		line = bytes.TrimPrefix(bytes.TrimLeft(line, "\x00"), []byte("\xef\xbb\xbf"))
	}
	return line
}

// layer takes off the outermost wrapper; its name is empty where there is none.
func (p *peeler) layer(line []byte, n int) (text []byte, stamp Moment, wrapper string) {
	if len(line) == 0 {
		return line, stamp, ""
	}
	switch c := line[0]; {
	case isDigit(c):
		if len(line) > 24 && line[4] == '-' && line[7] == '-' && line[10] == 'T' {
			return p.stamped(line)
		}
		if isIPv4(line) {
			return line, stamp, ""
		}
	case c == '<':
		return p.syslog(line)
	case c == '{':
		return p.dockerJSON(line, n)
	case c == '[':
		return kubectl(line)
	case c-'A' < 26 && len(line) > 16 && line[3] == ' ' && line[6] == ' ':
		return p.syslog(line)
	}
	return p.compose(line)
}

// kubectl takes off "[pod/name/container] ", which kubectl logs --prefix writes.
func kubectl(line []byte) ([]byte, Moment, string) {
	if bytes.HasPrefix(line, []byte("[pod/")) {
		if i := bytes.Index(line[:min(len(line), 400)], []byte("] ")); i > 0 && bytes.IndexByte(line[:i], ' ') < 0 {
			return line[i+2:], Moment{}, "kubectl"
		}
	}
	return line, Moment{}, ""
}

// isIPv4 reports whether a line begins with what can be an IPv4 address, as most
// lines do that nothing is around. No service of compose is named so.
func isIPv4(line []byte) bool {
	return len(line) > 4 && isDigit(line[0]) && (line[1] == '.' || line[2] == '.' || line[3] == '.')
}

// compose takes off "name-1  | ".
func (p *peeler) compose(line []byte) ([]byte, Moment, string) {
	bar := bytes.IndexByte(line[:min(len(line), 80)], '|')
	if bar < 2 || line[bar-1] != ' ' || bar+1 < len(line) && line[bar+1] != ' ' {
		return line, Moment{}, ""
	}
	name := bytes.TrimRight(line[:bar], " ")
	for _, c := range name {
		if kinds[c]&(byteDigit|byteHex|byteLetter) == 0 && c != '-' && c != '_' && c != '.' {
			return line, Moment{}, ""
		}
	}
	return bytes.TrimPrefix(line[bar+1:], []byte(" ")), Moment{}, "docker compose"
}

// stamped takes off a wrapper that begins with a time stamp of ISO 8601: CRI
// ("stamp stdout F "), docker logs --timestamps (nine decimals), syslog as
// rsyslog and journalctl write it ("stamp host tag: ").
func (p *peeler) stamped(line []byte) ([]byte, Moment, string) {
	i := bytes.IndexByte(line[:min(len(line), 40)], ' ')
	if i < 0 {
		return line, Moment{}, ""
	}
	m, ok := p.clock.Read(line[:i])
	if !ok {
		return line, Moment{}, ""
	}
	if stream, _ := ingest.Piece(line); stream != 0 {
		rest := line[i+len(" stdout F"):]
		if j := bytes.IndexByte(rest, ' '); j >= 0 { // behind further tags
			return rest[j+1:], m, "CRI"
		}
		return rest[len(rest):], m, "CRI"
	}
	rest := line[i+1:]
	if m.Resolution <= 100 && line[i-1] == 'Z' {
		return rest, m, "time stamps"
	}
	if text := tag(rest, true); text != nil {
		return text, m, "syslog"
	}
	return line, Moment{}, ""
}

// syslog takes off the header of RFC 3164 or 5424, the former with or without
// its priority, a host and a year. A stamp without a year is dropped: nothing
// says which year it is of.
func (p *peeler) syslog(line []byte) ([]byte, Moment, string) {
	rest := line
	priority := line[0] == '<'
	if priority {
		i := bytes.IndexByte(line[:min(len(line), 5)], '>')
		var n int
		if i < 2 || !digits(line[1:i], &n) {
			return line, Moment{}, ""
		}
		rest = line[i+1:]
		if bytes.HasPrefix(rest, []byte("1 ")) {
			return p.rfc5424(line, rest[2:])
		}
	}
	stamp := Moment{}
	if n := bsdStamp(rest); n > 0 {
		rest = rest[n:]
	} else if i := bytes.IndexByte(rest[:min(len(rest), 40)], ' '); priority && i > 18 {
		if m, ok := p.clock.Read(rest[:i]); ok {
			stamp, rest = m, rest[i+1:]
		}
	} else if !priority {
		return line, Moment{}, ""
	}
	if text := tag(rest, false); text != nil {
		return text, stamp, "syslog"
	}
	if !priority {
		return line, Moment{}, ""
	}
	return rest, stamp, "syslog"
}

// bsdStamp returns the length of "Nov 29 21:20:31 ", with or without a year or
// a fraction, or 0.
func bsdStamp(b []byte) int {
	var v int
	if len(b) < 16 || b[3] != ' ' || !month(b[:3], &v) || b[6] != ' ' || !digits(bytes.TrimLeft(b[4:6], " "), &v) || v < 1 || v > 31 {
		return 0
	}
	rest := b[7:]
	if len(rest) > 5 && rest[4] == ' ' && digits(rest[:4], &v) {
		rest = rest[5:]
	}
	i := bytes.IndexByte(rest, ' ')
	var d civil
	if i < 8 || i > 18 || !d.clock(rest[:8]) {
		return 0
	}
	return len(b) - len(rest) + i + 1
}

// tag cuts "host tag[pid]: " or "tag[pid]: " off, and returns nil where there
// is no tag. Where a host must stand, a log level does not count as one.
func tag(b []byte, host bool) []byte {
	for n := range 2 {
		i := bytes.IndexByte(b[:min(len(b), 256)], ' ')
		if i < 1 {
			return nil
		}
		if b[i-1] == ':' && (n > 0 || !host) {
			return b[i+1:]
		}
		if host && n == 0 && level(b[:i]) {
			return nil
		}
		b = b[i+1:]
	}
	return nil
}

// level reports a log level, also in the three letters of zerolog's console.
func level(word []byte) bool {
	var b [8]byte
	n := copy(b[:], word)
	for i, c := range b[:n] {
		if c-'a' < 26 {
			b[i] = c - 'a' + 'A'
		}
	}
	switch string(b[:n]) {
	case "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "ERR", "FATAL", "CRITICAL", "SEVERE",
		"TRC", "DBG", "INF", "WRN", "FTL", "PNC":
		return true
	}
	return false
}

// rfc5424 takes off "<PRI>1 stamp host app procid msgid [data] ".
func (p *peeler) rfc5424(line, rest []byte) ([]byte, Moment, string) {
	var stamp Moment
	for n := range 5 {
		i := bytes.IndexByte(rest, ' ')
		if i < 0 {
			return line, Moment{}, ""
		}
		if n == 0 {
			stamp, _ = p.clock.Read(rest[:i])
		}
		rest = rest[i+1:]
	}
	for len(rest) > 0 && rest[0] == '[' {
		i := 1
		for quoted := false; i < len(rest) && (quoted || rest[i] != ']'); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				quoted = !quoted
			}
		}
		if i >= len(rest) {
			return line, Moment{}, ""
		}
		rest = rest[i+1:]
	}
	rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("-")), []byte(" "))
	return bytes.TrimPrefix(rest, []byte("\xef\xbb\xbf")), stamp, "syslog"
}

// dockerJSON takes off the object of Docker's json-file driver.
func (p *peeler) dockerJSON(line []byte, n int) ([]byte, Moment, string) {
	if !bytes.HasPrefix(line, []byte(`{"log":"`)) {
		return line, Moment{}, ""
	}
	var o Object
	var stamp Moment
	var text []byte
	for o.Reset(line); o.Next(); {
		switch {
		case o.Depth > 1 || !o.Quoted:
		case string(o.Key) == "log":
			buf := &p.buf[n&1]
			*buf = Unescape((*buf)[:0], o.Value)
			text = bytes.TrimRight(*buf, "\r\n")
		case string(o.Key) == "time":
			stamp, _ = p.clock.Read(o.Value)
		}
	}
	if !o.Whole() || text == nil {
		return line, Moment{}, ""
	}
	return text, stamp, "docker json-file"
}

// envelope returns the text that a collector put into a JSON object, and when:
// journald, Cloud Logging, fluentd, logplex and their kin.
func (p *peeler) envelope(line []byte) (text []byte, stamp Moment, ok bool) {
	var o Object
	for o.Reset(line); o.Next(); {
		switch string(o.Key) {
		case "log", "message", "MESSAGE", "msg", "textPayload", "line":
			if o.Quoted && o.Depth <= 2 && text == nil && len(o.Value) > 0 {
				p.inner = Unescape(p.inner[:0], o.Value)
				text = bytes.TrimRight(p.inner, "\r\n")
			}
		case "time", "timestamp", "@timestamp", "__REALTIME_TIMESTAMP", "ts":
			if m, ok := p.clock.Read(o.Value); ok && o.Depth == 1 && (stamp.Time == 0 || m.Resolution < stamp.Resolution) {
				stamp = m
			}
		}
	}
	return text, stamp, o.Whole() && len(text) > 0
}
