package log

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Object walks the members of a JSON object on one line, those of objects in
// it too, whatever their depth. It allocates nothing, and is lenient where
// servers are careless: \x22 in strings, numbers of any kind.
//
//	for o.Reset(line); o.Next(); {
//		… o.Key, o.Value
//	}
//	o.Whole() // the object was closed, with nothing behind
type Object struct {
	Key    []byte // as written, without its quotes
	Value  []byte // as written; without its quotes where it is a string: see Text
	Quoted bool   // the value is a string
	Depth  int    // 1: a member of the object itself

	data  []byte
	at    int
	level int
	text  []byte
	names [4][]byte // of the objects in which the walk is, by their members' depth
}

// Parent returns the name of the object that the member is in; nil: it is the
// whole object, or one too deep in it.
func (o *Object) Parent() []byte {
	if o.Depth < 2 || o.Depth >= len(o.names) {
		return nil
	}
	return o.names[o.Depth]
}

const maxDepth = 16

// Reset begins with an object. It is cheap for a line that is none.
func (o *Object) Reset(line []byte) {
	o.data, o.at, o.level = bytes.TrimSpace(line), 0, 0
	if len(o.data) > 0 && o.data[0] == '{' {
		o.at, o.level = 1, 1
	}
}

// Whole reports whether the object was walked to its end.
func (o *Object) Whole() bool { return o.level == 0 && o.at == len(o.data) && o.at > 0 }

// stop ends the walk where the object is broken.
func (o *Object) stop() bool {
	o.at = len(o.data) + 1
	return false
}

// Next goes to the next member whose value is a string, a number, a word or an
// array, and reports whether there is one. Objects are entered.
func (o *Object) Next() bool {
	for o.level > 0 && o.at < len(o.data) {
		switch c := o.data[o.at]; c {
		case ' ', ',', '\t', '\r', '\n':
			o.at++
			continue
		case '}':
			o.at++
			o.level--
			continue
		case '"':
		default:
			return o.stop()
		}
		key, ok := o.str()
		if !ok {
			return o.stop()
		}
		o.blank()
		if o.at >= len(o.data) || o.data[o.at] != ':' {
			return o.stop()
		}
		o.at++
		o.blank()
		if o.at >= len(o.data) {
			return o.stop()
		}
		o.Key, o.Depth, o.Quoted = key, o.level, false
		switch o.data[o.at] {
		case '{':
			if o.level++; o.level > maxDepth {
				return o.stop()
			}
			if o.level < len(o.names) {
				o.names[o.level] = key
			}
			o.at++
			continue
		case '"':
			o.Quoted = true
			if o.Value, ok = o.str(); !ok {
				return o.stop()
			}
		case '[':
			if !o.array() {
				return o.stop()
			}
		default:
			from := o.at
			for o.at < len(o.data) && o.data[o.at] != ',' && o.data[o.at] != '}' && o.data[o.at] != ' ' {
				o.at++
			}
			o.Value = o.data[from:o.at]
		}
		return true
	}
	return false
}

func (o *Object) blank() {
	for o.at < len(o.data) && (o.data[o.at] == ' ' || o.data[o.at] == '\t') {
		o.at++
	}
}

// short is the length of strings, names above all, that a loop over their bytes
// ends sooner than a search.
const short = 12

// str reads the string that begins here.
func (o *Object) str() (s []byte, ok bool) {
	from := o.at + 1
	for i := from; i < len(o.data) && i < from+short; i++ {
		if c := o.data[i]; c == '"' {
			o.at = i + 1
			return o.data[from:i], true
		} else if c == '\\' {
			break
		}
	}
	for i := from; ; i++ {
		j := bytes.IndexByte(o.data[i:], '"')
		if j < 0 {
			return nil, false
		}
		i += j
		if o.data[i-1] != '\\' || escapes(o.data[from:i])%2 == 0 {
			o.at = i + 1
			return o.data[from:i], true
		}
	}
}

// array passes over the array that begins here; its text is the value.
func (o *Object) array() bool {
	from, depth := o.at, 0
	for o.at < len(o.data) {
		switch o.data[o.at] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '"':
			if _, ok := o.str(); !ok {
				return false
			}
			continue
		}
		o.at++
		if depth == 0 {
			o.Value = o.data[from:o.at]
			return true
		}
	}
	return false
}

// Text returns the value with its escapes resolved. It is valid until Text is
// called again.
func (o *Object) Text() []byte {
	if !o.Quoted || bytes.IndexByte(o.Value, '\\') < 0 {
		return o.Value
	}
	o.text = Unescape(o.text[:0], o.Value)
	return o.text
}

// Unescape appends a JSON string without its escapes. Unknown ones stay.
func Unescape(dst, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			r, ok := hex4(s)
			if !ok {
				dst = append(dst, '\\', 'u')
				continue
			}
			s = s[4:]
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if bytes.HasPrefix(s, []byte(`\u`)) {
					low, _ = hex4(s[2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					s = s[6:]
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, '\\', c)
		}
	}
}

func hex4(s []byte) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for _, c := range s[:4] {
		d := unhex(c)
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

func unhex(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
