package log

import "bytes"

// Routes turns requests into the names of operations: the method and the route,
// which is the path with what varies folded away. The name follows from the
// request alone, so that parts of an input agree, and a request costs no
// allocation when its name is known. The rules, segment by segment:
//
//   - the query, a fragment, matrix parameters and the host are cut off;
//   - with a digit it becomes {id}: numbers, UUIDs, dates, hashes; a short
//     extension stays ({id}.css). Versions stay (v1, v2.1, v1beta1), and names
//     that end in a single digit (oauth2, s3);
//   - of eight or more letters, all of them hex digits, {id};
//   - over 32 bytes, or with escaped or other bytes than letters and -._~ and
//     the like, {text}: titles, search words, tokens;
//   - behind the eighth segment: "…".
//
// What is left is bounded by the words that the application's routes are made
// of. Scanners that try words of their own are not, so what keeps a row for each
// operation bounds their number, by hash and not by who came first.
type Routes struct {
	names Names
	buf   []byte
	line  []byte
}

// NoRequest is the operation of lines whose request is none: empty, cut off, not HTTP.
const NoRequest = "(no request)"

const (
	maxSegments = 8
	maxSegment  = 32
	maxMethod   = 20
)

// Request returns the operation of a request line: "GET /users/17?x=1 HTTP/1.1".
func (r *Routes) Request(line []byte) string {
	n := method(line)
	if n == 0 || n+1 >= len(line) || n == 1 && line[0] == '-' {
		return NoRequest
	}
	if string(line[:n]) == "CONNECT" {
		return "CONNECT"
	}
	if line[n+1] != '/' {
		return r.Op(line[:n], line[n+1:])
	}
	return r.names.Intern(r.fold(line, n+1))
}

// Op returns the operation of a method and a target, which ends at a blank.
func (r *Routes) Op(name, target []byte) string {
	if len(target) == 0 || len(name) > maxMethod || string(name) == "-" {
		return NoRequest
	}
	r.line = append(append(append(r.line[:0], name...), ' '), path(target)...)
	switch n := method(r.line); {
	case n == 0:
		return NoRequest
	case string(name) == "CONNECT":
		return "CONNECT"
	default:
		return r.names.Intern(r.fold(r.line, n+1))
	}
}

// method returns the length of the method that a request line begins with, or 0.
func method(line []byte) int {
	for i, c := range line {
		switch {
		case c-'A' < 26 || c == '-' || c == '_':
		case c == ' ' && i <= maxMethod:
			return i
		default:
			return 0
		}
	}
	return 0
}

// Kinds of bytes in a path.
const (
	byteDigit  = 1 << iota
	byteHex    // a letter that is a hex digit
	byteLetter // another
	byteMark   // may stand in a name
	byteOther
	byteSlash // ends a segment
	byteEnd   // ends the path
)

var kinds = func() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		switch {
		case c-'0' <= 9:
			t[i] = byteDigit
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			t[i] = byteHex
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			t[i] = byteLetter
		case bytes.IndexByte([]byte("-._~*@:+,!$'()="), c) >= 0:
			t[i] = byteMark
		case c == '/':
			t[i] = byteSlash
		case c == ' ' || c == '?' || c == '#' || c == ';':
			t[i] = byteEnd
		default:
			t[i] = byteOther
		}
	}
	return t
}()

// fold returns a request line up to the end of its path, which begins at from,
// with what varies folded away. Where nothing does, that is the line itself.
func (r *Routes) fold(line []byte, from int) []byte {
	buf := r.buf[:0]
	segments, copied := 0, 0 // copied: what buf has of the line
	seen := uint8(0)
	for i := from; ; i++ {
		k := uint8(byteEnd)
		if i < len(line) {
			if k = kinds[line[i]]; k < byteSlash {
				seen |= k
				continue
			}
		}
		if i > from {
			if segments++; segments > maxSegments {
				r.buf = append(append(buf, line[copied:from]...), "…"...)
				return r.buf
			}
			if seen&(byteDigit|byteOther) != 0 || i-from >= 8 {
				if keep, name := segment(line[from:i], seen); name != "" {
					buf = append(append(buf, line[copied:from]...), name...)
					copied = i - keep
				}
			}
		}
		if k == byteEnd {
			if copied == 0 {
				return line[:i]
			}
			r.buf = append(buf, line[copied:i]...)
			return r.buf
		}
		from, seen = i+1, 0
	}
}

// path cuts scheme and host off a target ("http://host/path", "host/path").
func path(target []byte) []byte {
	if target[0] == '/' {
		return target
	}
	stop := len(target)
	if i := bytes.IndexAny(target, " ?"); i >= 0 {
		stop = i
	}
	from := 0
	if i := bytes.Index(target[:stop], []byte("://")); i >= 0 {
		from = i + 3
	}
	if i := bytes.IndexByte(target[from:stop], '/'); i >= 0 {
		return target[from+i:]
	}
	if from > 0 {
		return []byte("/")
	}
	return target // "*"
}

// segment returns what stands for a segment: a name, and how many of its last
// bytes are kept behind it. No name: the segment stands for itself.
func segment(s []byte, seen uint8) (keep int, name string) {
	plain := seen&byteOther == 0 && len(s) <= maxSegment
	if seen&byteDigit == 0 {
		switch {
		case !plain:
			return 0, "{text}"
		case seen == byteHex && len(s) >= 8:
			return 0, "{id}"
		}
		return 0, ""
	}
	if seen == byteDigit || !plain {
		return 0, "{id}"
	}
	stem := s
	if i := bytes.LastIndexByte(s, '.'); i > 0 && len(s)-i > 1 && len(s)-i <= 6 && !isDigit(s[i+1]) {
		stem = s[:i]
	}
	digits := 0
	for _, c := range stem {
		digits += int(kinds[c] & byteDigit)
	}
	switch {
	case digits == 0, // clip.mp4
		digits == 1 && len(stem) > 1 && isDigit(stem[len(stem)-1]),      // oauth2
		digits <= 3 && len(s) <= 9 && s[0]|0x20 == 'v' && isDigit(s[1]): // v1beta1
		return 0, ""
	}
	return len(s) - len(stem), "{id}"
}
