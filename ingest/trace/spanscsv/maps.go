package spanscsv

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/trace"
)

// attributes sets the attributes in a map: {'k':'v', …} as ClickHouse writes it,
// or JSON. Its texts are kept in the reader's arena.
func (d *reader) attributes(t []byte) {
	t = bytes.TrimSpace(t)
	if len(t) < 2 || t[0] != '{' {
		return
	}
	if bytes.TrimLeft(t[1:], " ")[0] != '\'' {
		var c trace.Cursor
		c.Reset(t)
		c.SetAttributes(d.Names)
		return
	}
	for i := 1; i < len(t); {
		name, n := d.text(t[i:])
		if n == 0 {
			return
		}
		i += n + 1 // and the colon
		if i > len(t) {
			return
		}
		value, n := d.text(t[i:])
		if n == 0 {
			return
		}
		i += n
		if key := trace.Lookup(name); key != 0 {
			d.Names.SetString(key, value)
		}
		for i < len(t) && (t[i] == ',' || t[i] == ' ') {
			i++
		}
	}
}

// text reads 'text', with escapes, or a bare value, and returns it with the
// number of bytes that it takes; 0: there is none.
func (d *reader) text(t []byte) (text []byte, n int) {
	for n < len(t) && t[n] == ' ' {
		n++
	}
	if n == len(t) || t[n] == '}' {
		return nil, 0
	}
	if t[n] != '\'' {
		end := n
		for end < len(t) && t[end] != ',' && t[end] != '}' && t[end] != ':' {
			end++
		}
		return bytes.TrimSpace(t[n:end]), end
	}
	n++
	end, escaped := n, false
	for ; end < len(t) && t[end] != '\''; end++ {
		if t[end] == '\\' {
			end++
			escaped = true
		}
	}
	if end >= len(t) {
		return nil, 0
	}
	text = t[n:end]
	if escaped {
		from := len(d.arena)
		for i := 0; i < len(text); i++ {
			c := text[i]
			if c == '\\' && i+1 < len(text) {
				i++
				switch c = text[i]; c {
				case 'n':
					c = '\n'
				case 't':
					c = '\t'
				case 'r':
					c = '\r'
				}
			}
			d.arena = append(d.arena, c)
		}
		text = d.arena[from:]
	}
	return text, end + 1
}

// deployment returns the name of a pod without what Kubernetes appends to it: a
// hash of the template and five random characters for a Deployment
// ("cart-7d9f8b6c5-x2kqp"), those five for a DaemonSet, a number for a
// StatefulSet. Random names have neither vowels nor the digits 0, 1 and 3
// (apimachinery, util/rand).
func deployment(pod []byte) []byte {
	i := bytes.LastIndexByte(pod, '-')
	if i <= 0 {
		return pod
	}
	last := pod[i+1:]
	if isOrdinal(last) {
		return pod[:i]
	}
	if len(last) != 5 || !isRandom(last) {
		return pod
	}
	rest := pod[:i]
	if j := bytes.LastIndexByte(rest, '-'); j > 0 && len(rest)-j-1 >= 6 && len(rest)-j-1 <= 10 && isRandom(rest[j+1:]) {
		return rest[:j]
	}
	return rest
}

func isOrdinal(t []byte) bool {
	for _, c := range t {
		if c-'0' > 9 {
			return false
		}
	}
	return 0 < len(t) && len(t) <= 3
}

func isRandom(t []byte) bool {
	for _, c := range t {
		if bytes.IndexByte([]byte("bcdfghjklmnpqrstvwxz2456789"), c) < 0 {
			return false
		}
	}
	return true
}
