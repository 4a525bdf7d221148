package otlp

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	lows       = 0x0101010101010101
	highs      = 0x8080808080808080
	quotes     = '"' * lows
	backslants = '\\' * lows
)

// stops marks the quotes and backslashes among 8 bytes in the top bit of each.
// The lowest bit set is exact.
func stops(w uint64) uint64 {
	q, s := w^quotes, w^backslants
	return ((q-lows)&^q | (s-lows)&^s) & highs
}

// closing returns where the string ends whose first byte is at i: the index of
// its closing quote, or -1. escaped says that there are escapes in it.
func closing(b []byte, i int) (end int, escaped bool) {
	for i+16 <= len(b) {
		v, w := binary.LittleEndian.Uint64(b[i:]), binary.LittleEndian.Uint64(b[i+8:])
		m, n := stops(v), stops(w)
		switch {
		case m != 0:
			i += bits.TrailingZeros64(m) >> 3
		case n != 0:
			i += 8 + bits.TrailingZeros64(n)>>3
		default:
			i += 16
			continue
		}
		if b[i] == '"' {
			return i, escaped
		}
		escaped = true
		i += 2
	}
	for i < len(b) {
		switch b[i] {
		case '"':
			return i, escaped
		case '\\':
			escaped = true
			i++
		}
		i++
	}
	return -1, escaped
}

// unescape decodes escapes. A surrogate without its partner becomes U+FFFD; an
// escape that JSON does not know is kept as it is.
func (s *scanner) unescape(t []byte) []byte {
	start := len(s.text)
	for len(t) > 0 {
		i := bytes.IndexByte(t, '\\')
		if i < 0 || i+1 >= len(t) {
			s.text = append(s.text, t...)
			break
		}
		s.text = append(s.text, t[:i]...)
		c := t[i+1]
		t = t[i+2:]
		switch c {
		case 'b':
			s.text = append(s.text, '\b')
		case 'f':
			s.text = append(s.text, '\f')
		case 'n':
			s.text = append(s.text, '\n')
		case 'r':
			s.text = append(s.text, '\r')
		case 't':
			s.text = append(s.text, '\t')
		case '"', '\\', '/':
			s.text = append(s.text, c)
		case 'u':
			r, ok := hex4(t)
			if !ok {
				s.text = append(s.text, '\\', 'u')
				continue
			}
			t = t[4:]
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), len(t) >= 2 && t[0] == '\\' && t[1] == 'u'
				if ok {
					low, ok = hex4(t[2:])
				}
				if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
					r, t = pair, t[6:]
				} else {
					r = utf8.RuneError
				}
			}
			s.text = utf8.AppendRune(s.text, r)
		default:
			s.text = append(s.text, '\\', c)
		}
	}
	return s.text[start:]
}

func hex4(t []byte) (r rune, ok bool) {
	if len(t) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(t[:4]), 16, 16)
	return rune(n), err == nil
}
