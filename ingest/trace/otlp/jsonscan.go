package otlp

import "bytes"

// scanner walks JSON text. It reads ahead of nothing and validates only what it
// needs to find its way: unknown parts are skipped by their quotes and brackets.
type scanner struct {
	b    []byte
	i    int    // next byte
	bad  bool   // the text broke the rules, or ended, at i
	text []byte // unescaped strings; reset per span
}

// space skips white space.
func (s *scanner) space() {
	for s.i < len(s.b) && s.b[s.i] <= ' ' {
		s.i++
	}
}

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// fail marks the text as broken at i.
func (s *scanner) fail() { s.bad = true }

// open enters an object or array if one comes next.
func (s *scanner) open(bracket byte) bool {
	if s.peek() != bracket {
		return false
	}
	s.i++
	return true
}

// first reports whether an object or array that was just opened holds anything.
func (s *scanner) first(bracket byte) bool {
	switch s.peek() {
	case bracket:
		s.i++
		return false
	case 0:
		s.fail()
		return false
	}
	return true
}

// next steps over a comma, or leaves the object or array at its bracket.
func (s *scanner) next(bracket byte) bool {
	if s.bad {
		return false
	}
	c := s.peek()
	if c == ',' {
		s.i++
		return true
	}
	if c == bracket {
		s.i++
		return false
	}
	s.fail()
	return false
}

// key reads a member's name and its colon.
func (s *scanner) key() []byte {
	name := s.str()
	if s.peek() != ':' {
		s.fail()
		return nil
	}
	s.i++
	s.space()
	return name
}

// str reads a string. Anything else breaks the text, except null: the JSON
// mapping of protobuf allows it for any value.
func (s *scanner) str() []byte {
	if s.peek() != '"' {
		if !s.null() {
			s.fail()
		}
		return nil
	}
	end, escaped := closing(s.b, s.i+1)
	if end < 0 {
		s.i = len(s.b)
		s.fail()
		return nil
	}
	t := s.b[s.i+1 : end]
	s.i = end + 1
	if escaped {
		return s.unescape(t)
	}
	return t
}

func (s *scanner) null() bool {
	if bytes.HasPrefix(s.b[s.i:], []byte("null")) {
		s.i += 4
		return true
	}
	return false
}

// scalar reads a number, a literal, or a string as its text: numbers are quoted
// or not, by the exporter's taste. null, and what is none of them, is nil.
func (s *scanner) scalar() []byte {
	switch s.peek() {
	case '"':
		return s.str()
	case '{', '[':
		s.skip()
		return nil
	}
	start := s.i
	for s.i < len(s.b) {
		if c := s.b[s.i]; c == ',' || c == '}' || c == ']' || c <= ' ' {
			break
		}
		s.i++
	}
	t := s.b[start:s.i]
	if len(t) == 0 {
		s.fail()
	} else if string(t) == "null" {
		return nil
	}
	return t
}

// skip steps over one value, whatever it is, without recursion. Which bracket
// closes which is not checked.
func (s *scanner) skip() {
	switch s.peek() {
	case '"':
		s.skipString()
		return
	case '{', '[':
	default:
		s.scalar()
		return
	}
	for depth := 0; s.i < len(s.b); {
		switch s.b[s.i] {
		case '"':
			if !s.skipString() {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.i++
				return
			}
		}
		s.i++
	}
	s.fail()
}

func (s *scanner) skipString() bool {
	end, _ := closing(s.b, s.i+1)
	if end < 0 {
		s.i = len(s.b)
		s.fail()
		return false
	}
	s.i = end + 1
	return true
}

// natural reads decimal digits. Numbers with a sign, a point or an exponent are
// left to strconv.
func natural(t []byte) (n uint64, ok bool) {
	if len(t) == 0 || len(t) > 19 {
		return 0, false
	}
	for _, c := range t {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + uint64(c)
	}
	return n, true
}
