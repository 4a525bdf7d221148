package ingest

import "bytes"

// Clean copies one line of a log to dst as a terminal would have shown it:
// without escape sequences and other control characters, and with what a
// carriage return overwrote gone.
func Clean(dst, line []byte) []byte { return clean(dst, line) }

// clean copies one line of a log to dst as a terminal would have shown it:
// without escape sequences and other control characters, and with what a
// carriage return overwrote gone.
func clean(dst, line []byte) []byte {
	line = bytes.TrimRight(line, "\r")
	if i := bytes.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == 0x1b:
			i += escape(line[i:]) - 1
		case c < 0x20 && c != '\t', c == 0x7f:
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// escape returns the length of the escape sequence that b begins with
// (ECMA-48: CSI, OSC and its kin, and two-character ones).
func escape(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
		}
		return len(b)
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(b); i++ {
			if b[i] == 0x07 {
				return i + 1
			}
			if b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\' {
				return i + 2
			}
		}
		return len(b)
	}
	return 2
}

// prefix is what stands before a report on each of its lines: a time stamp, the
// name of a container, indentation. Digits stand for any digit.
type prefix struct {
	shape []byte
	blank bool // only blanks: indentation, which copies may lose
}

func newPrefix(p []byte) prefix {
	x := prefix{shape: bytes.Clone(p), blank: len(bytes.TrimSpace(p)) == 0}
	for i, c := range x.shape {
		if c-'0' <= 9 {
			x.shape[i] = '0'
		}
	}
	return x
}

// strip returns the line without the prefix, and whether it is a line of the
// report at all: between the lines of one container stand those of others.
func (p prefix) strip(line []byte) ([]byte, bool) {
	if p.blank {
		i := 0
		for i < len(line) && i < len(p.shape) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		return line[i:], true
	}
	for i, want := range p.shape {
		if i == len(line) { // an empty line, its trailing blanks cut
			return nil, len(bytes.TrimSpace(p.shape[i:])) == 0
		}
		if c := line[i]; c != want && (want != '0' || c-'0' > 9) {
			return nil, false
		}
	}
	return line[len(p.shape):], true
}
