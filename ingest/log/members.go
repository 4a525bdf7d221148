package log

import "bytes"

// Members picks the members of JSON objects that a dialect reads: those whose
// names Keys gives a number above zero, whatever their depth. For one goroutine.
type Members struct {
	Keys   Keys[int]
	object Object
	text   []byte
}

// Read puts the values of a line's members where their numbers say, without
// their quotes and escapes; of several with one number the first counts. into[0]
// is left alone. It reports whether the line is an object that is whole. The
// values are valid until the next line.
func (m *Members) Read(line []byte, into [][]byte) bool {
	clear(into)
	m.text = m.text[:0]
	o := &m.object
	o.Reset(line)
	for i := 0; o.Next(); i++ {
		n := m.Keys.At(i, o.Key)
		if n == 0 || into[n] != nil {
			continue
		}
		value := o.Value
		if o.Quoted && bytes.IndexByte(value, '\\') >= 0 {
			from := len(m.text)
			m.text = Unescape(m.text, value)
			value = m.text[from:]
		}
		if !o.Quoted && string(value) == "null" {
			continue
		}
		into[n] = value
	}
	return o.Whole()
}
