package trace

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"strconv"
	"unicode/utf8"
)

// A Cursor picks what is wanted out of a JSON text that encoding/json has
// checked, without making values of the rest. Texts that it returns stay valid
// until Reset. In a text that is no JSON it finds less, and comes to its end all
// the same.
type Cursor struct {
	b     []byte
	i     int
	arena []byte // of texts that are not in b as they are
}

// Reset begins a text.
func (c *Cursor) Reset(b []byte) { c.b, c.i, c.arena = b, 0, c.arena[:0] }

// Peek returns the first byte of the next value: { [ " t f n, a digit or a
// sign; 0 at the end.
func (c *Cursor) Peek() byte {
	for c.i < len(c.b) {
		if b := c.b[c.i]; b > ' ' {
			return b
		}
		c.i++
	}
	return 0
}

// Members yields the names in the object that comes next. Each value must be
// read. What is no object is skipped.
func (c *Cursor) Members() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if c.Peek() != '{' {
			c.Skip()
			return
		}
		for c.i++; ; {
			switch c.Peek() {
			case '"':
				name := c.str()
				if c.Peek() == ':' {
					c.i++
				}
				if !yield(name) {
					return
				}
			case ',':
				c.i++
			case '}':
				c.i++
				return
			default:
				c.i = len(c.b)
				return
			}
		}
	}
}

// Elements yields once for each element of the array that comes next. Each must
// be read. What is no array is skipped.
func (c *Cursor) Elements() iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		if c.Peek() != '[' {
			c.Skip()
			return
		}
		for c.i++; ; {
			switch c.Peek() {
			case 0, '}', ':':
				c.i = len(c.b)
				return
			case ',':
				c.i++
			case ']':
				c.i++
				return
			default:
				if !yield(struct{}{}) {
					return
				}
			}
		}
	}
}

// Raw returns the next value as it is written.
func (c *Cursor) Raw() []byte {
	c.Peek()
	start := c.i
	c.Skip()
	return c.b[start:c.i]
}

// Skip steps over the next value.
func (c *Cursor) Skip() {
	depth := 0
	for c.i < len(c.b) {
		switch c.Peek() {
		case '"':
			c.i = c.closing() + 1
		case '{', '[':
			depth++
			c.i++
			continue
		case '}', ']':
			depth--
			c.i++
		case ',', ':':
			c.i++
			if depth > 0 {
				continue
			}
		default:
			for c.i++; c.i < len(c.b); c.i++ {
				if b := c.b[c.i]; b <= ' ' || b == ',' || b == ':' || b == '}' || b == ']' {
					break
				}
			}
		}
		if depth <= 0 {
			break
		}
	}
	c.i = min(c.i, len(c.b))
}

// closing returns the index of the quote that ends the string here, or the end.
func (c *Cursor) closing() int {
	for i := c.i + 1; i < len(c.b); i++ {
		switch c.b[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(c.b)
}

// str returns the string here. Bytes that are no UTF-8 become U+FFFD.
func (c *Cursor) str() []byte {
	end := c.closing()
	t := c.b[min(c.i+1, end):end]
	whole := c.b[c.i:min(end+1, len(c.b))]
	c.i = min(end+1, len(c.b))
	if bytes.IndexByte(t, '\\') < 0 && utf8.Valid(t) {
		return t
	}
	var s string
	if json.Unmarshal(whole, &s) != nil {
		return nil
	}
	n := len(c.arena)
	c.arena = append(c.arena, s...)
	return c.arena[n:]
}

// Text returns the next value as text: a string's characters, a number's or a
// literal's own. null and containers have none.
func (c *Cursor) Text() []byte { return c.Value().Text }

// Value returns the next value. A container is skipped and has none, but for an
// array of scalars: of the values of a header, the first stands for all.
func (c *Cursor) Value() Value {
	switch b := c.Peek(); b {
	case '"':
		return Value{c.str(), StringValue}
	case '{':
		c.Skip()
		return Value{}
	case '[':
		var first Value
		n := 0
		for range c.Elements() {
			if b := c.Peek(); n > 0 || b == '[' || b == '{' {
				c.Skip()
			} else {
				first = c.Value()
			}
			n++
		}
		return first
	case 'n', 0:
		c.Skip()
		return Value{}
	case 't', 'f':
		return Value{c.Raw(), BoolValue}
	default:
		return Value{c.Raw(), NumberValue}
	}
}

// ValueKind is what kind of scalar a Value is.
type ValueKind uint8

// Kinds of values. NoValue is null, and what is no scalar.
const (
	NoValue ValueKind = iota
	StringValue
	NumberValue
	BoolValue
)

// A Value is a scalar as it is written.
type Value struct {
	Text []byte
	Kind ValueKind
}

// Set makes the value that of an attribute.
func (v Value) Set(names *Builder, key Key) {
	switch v.Kind {
	case StringValue:
		names.SetString(key, v.Text)
	case BoolValue:
		names.SetBool(key, string(v.Text) == "true")
	case NumberValue:
		if n, err := strconv.ParseInt(string(v.Text), 10, 64); err == nil {
			names.SetInt(key, n)
		} else if f, err := strconv.ParseFloat(string(v.Text), 64); err == nil && !math.IsNaN(f) {
			names.SetFloat(key, f)
		}
	}
}

// Count adds a number of attributes, events or links that were dropped.
func (v Value) Count(names *Builder) {
	if n, err := strconv.ParseUint(string(v.Text), 10, 32); err == nil {
		names.Dropped(uint32(n))
	}
}

// SetAttributes sets the attributes in the object that comes next: {"name":
// value, …}.
func (c *Cursor) SetAttributes(names *Builder) {
	for name := range c.Members() {
		if key := Lookup(name); key != 0 {
			c.Value().Set(names, key)
		} else {
			c.Skip()
		}
	}
}
