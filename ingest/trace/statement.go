package trace

import "bytes"

// fold appends a query with its literals written as ?, comments left out
// (sqlcommenter puts the trace id into one), blanks collapsed, and lists of
// placeholders shortened to one, so that calls of one place in a program are
// equal. quoted says that text in double quotes is a literal, too, behind a
// colon: JSON queries of document stores.
func fold(dst, q []byte, quoted bool) []byte {
	for i := 0; i < len(q) && len(dst) < MaxStatement; {
		c := q[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if n := len(dst); n > 0 && dst[n-1] != ' ' {
				dst = append(dst, ' ')
			}
			i++
		case c == '-' && i+1 < len(q) && q[i+1] == '-':
			i = lineEnd(q, i)
		case c == '/' && i+1 < len(q) && q[i+1] == '*':
			end := bytes.Index(q[i+2:], []byte("*/"))
			if end < 0 {
				i = len(q)
			} else {
				i += end + 4
			}
		case c == '\'':
			dst, i = placeholder(dst), quoteEnd(q, i)
		case c == '"' && quoted && after(dst, ':'):
			dst, i = placeholder(dst), quoteEnd(q, i)
		case c == '?':
			dst = placeholder(dst)
			i++
		case c == '$' && i+1 < len(q) && q[i+1]-'0' <= 9:
			dst, i = placeholder(dst), numberEnd(q, i+1)
		case c-'0' <= 9:
			dst, i = placeholder(dst), numberEnd(q, i)
		case isName(c):
			for i < len(q) && isName(q[i]) {
				dst = append(dst, q[i])
				i++
			}
		default:
			dst = append(dst, c)
			i++
		}
	}
	return bytes.TrimRight(dst, " ;")
}

// placeholder appends ? unless that would lengthen a list: "?, ?" is "?".
func placeholder(dst []byte) []byte {
	n := len(dst)
	for n > 0 && (dst[n-1] == ' ' || dst[n-1] == ',') {
		n--
	}
	if n < len(dst) && n > 0 && dst[n-1] == '?' && bytes.IndexByte(dst[n:], ',') >= 0 {
		return dst[:n]
	}
	return append(dst, '?')
}

func isName(c byte) bool {
	return c|0x20-'a' < 26 || c == '_' || c-'0' <= 9 || c >= 0x80
}

// after reports whether the last byte that is no blank is c.
func after(dst []byte, c byte) bool {
	dst = bytes.TrimRight(dst, " ")
	return len(dst) > 0 && dst[len(dst)-1] == c
}

func lineEnd(q []byte, i int) int {
	if n := bytes.IndexByte(q[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(q)
}

// quoteEnd returns where a quoted text that starts at i ends. A quote in it is
// doubled or stands behind a backslash.
func quoteEnd(q []byte, i int) int {
	for c := q[i]; ; {
		i++
		if i >= len(q) {
			return len(q)
		}
		switch q[i] {
		case '\\':
			i++
		case c:
			if i+1 < len(q) && q[i+1] == c {
				i++
				continue
			}
			return i + 1
		}
	}
}

func numberEnd(q []byte, i int) int {
	for i < len(q) && (q[i]-'0' <= 9 || q[i] == '.' || q[i]|0x20-'a' < 26) {
		i++
	}
	return i
}

// hasPlaceholder reports whether a statement hides its arguments: ?, $1, %s or
// :name instead of a value.
func hasPlaceholder(q []byte) bool {
	for i, c := range q {
		next := byte(0)
		if i+1 < len(q) {
			next = q[i+1]
		}
		switch c {
		case '?':
			return true
		case '$':
			if next-'0' <= 9 {
				return true
			}
		case '%':
			if next == 's' || next == '(' {
				return true
			}
		case ':':
			if next|0x20-'a' < 26 && (i == 0 || q[i-1] != ':') {
				return true
			}
		}
	}
	return false
}
