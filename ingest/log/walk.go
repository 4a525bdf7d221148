package log

import "bytes"

// Walk goes through the named fields of a line: the members of a JSON object, or
// labelled tab-separated values (ltsv.org). T is what a dialect knows of a name.
//
//	for m.Reset(line); m.Next(); {
//		… m.Mean, m.Key, m.Value
//	}
//	m.Whole()
type Walk[T any] struct {
	Mean       T
	Key, Value []byte // as written, without quotes

	keys   Keys[T]
	object Object
	labels []byte // what is left of labelled values
	json   bool
	n      int
	text   []byte
}

// NewWalk returns a walk that asks mean what a name tells.
func NewWalk[T any](mean func(name []byte) T) Walk[T] {
	return Walk[T]{keys: Keys[T]{Mean: mean}}
}

// Reset begins with a line.
func (m *Walk[T]) Reset(line []byte) {
	m.n, m.text = 0, m.text[:0]
	if m.json = len(line) > 0 && line[0] == '{'; m.json {
		m.object.Reset(line)
		return
	}
	m.labels = line
}

// Next goes to the next field that has a name, and reports whether there is one.
func (m *Walk[T]) Next() bool {
	switch {
	case m.json:
		if !m.object.Next() {
			return false
		}
		m.Key, m.Value = m.object.Key, m.object.Value
	default:
		if !m.label() {
			return false
		}
	}
	m.Mean = m.keys.At(m.n, m.Key)
	m.n++
	return true
}

// label reads the next labelled value.
func (m *Walk[T]) label() bool {
	for len(m.labels) > 0 {
		field := m.labels
		if i := bytes.IndexByte(field, '\t'); i >= 0 {
			field, m.labels = field[:i], field[i+1:]
		} else {
			m.labels = nil
		}
		if i := bytes.IndexByte(field, ':'); i > 0 {
			m.Key, m.Value = field[:i], field[i+1:]
			return true
		}
	}
	return false
}

// Text returns the value with the escapes of JSON resolved. It is valid until
// the next line.
func (m *Walk[T]) Text() []byte {
	if !m.json || !m.object.Quoted || bytes.IndexByte(m.Value, '\\') < 0 {
		return m.Value
	}
	from := len(m.text)
	m.text = Unescape(m.text, m.Value)
	return m.text[from:]
}

// Whole reports whether an object was walked to its end.
func (m *Walk[T]) Whole() bool { return !m.json || m.object.Whole() }

// Labelled reports whether a line begins with a label, a colon, a value and a tab.
func Labelled(line []byte) bool {
	i := bytes.IndexByte(line[:min(len(line), 64)], ':')
	if i < 1 || bytes.IndexByte(line, '\t') < i {
		return false
	}
	for _, c := range line[:i] {
		if kinds[c]&(byteDigit|byteHex|byteLetter) == 0 && c != '_' && c != '-' && c != '.' && c != '@' {
			return false
		}
	}
	return true
}
