package console

import (
	"bytes"
	"iter"

	"github.com/tailcheck/tailcheck/ingest/trace"
)

// inspected walks text that Node.js' util.inspect wrote:
//
//	{ 'a.b': 'text', c: 1, d: [ 'x', 'y', ... 2 more items ], e: [Object], f: Map(0) {} }
//
// Names are bare or quoted; texts are in single, double or backward quotes and
// may be put together with +; a class name or a tag in brackets may stand before
// an object. What it does not understand it steps over; it comes to its end
// whatever the text is.
type inspected struct {
	b     []byte
	i     int
	arena []byte // of texts that are not in b as they are
}

// reset begins a text, without the colours that a terminal gets.
func (c *inspected) reset(b []byte) {
	c.i, c.arena = 0, c.arena[:0]
	if bytes.IndexByte(b, 0x1b) < 0 {
		c.b = b
		return
	}
	c.b = nil
	for len(b) > 0 {
		i := bytes.Index(b, []byte("\x1b["))
		if i < 0 {
			c.b = append(c.b, b...)
			return
		}
		c.b = append(c.b, b[:i]...)
		b = b[i:]
		if end := bytes.IndexByte(b, 'm'); end >= 0 {
			b = b[end+1:]
		} else {
			b = b[2:]
		}
	}
}

func (c *inspected) peek() byte {
	for c.i < len(c.b) {
		if b := c.b[c.i]; b > ' ' {
			return b
		}
		c.i++
	}
	return 0
}

// members yields the names in the object that comes next. Each value must be
// read. What is no object is skipped.
func (c *inspected) members() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if !c.open('{') {
			return
		}
		for {
			switch b := c.peek(); b {
			case 0:
				return
			case '}':
				c.i++
				return
			case ',':
				c.i++
			case '\'', '"', '`':
				name := c.str()
				if c.peek() == ':' {
					c.i++
				}
				if !yield(name) {
					return
				}
			default:
				start := c.i
				for c.i < len(c.b) && c.b[c.i] != ':' && c.b[c.i] != ',' && c.b[c.i] != '}' && c.b[c.i] != '\n' {
					c.i++
				}
				if c.i >= len(c.b) || c.b[c.i] != ':' {
					if c.i == start {
						c.i++
					}
					continue // "... 3 more", [Symbol]
				}
				name := c.b[start:c.i]
				c.i++
				if !yield(name) {
					return
				}
			}
		}
	}
}

// elements yields once for each element of the array that comes next. Each must
// be read. What is no array is skipped.
func (c *inspected) elements() iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		if !c.open('[') {
			return
		}
		for {
			switch c.peek() {
			case 0:
				return
			case ']':
				c.i++
				return
			case ',':
				c.i++
			default:
				at := c.i
				if !yield(struct{}{}) {
					return
				}
				if c.i == at {
					c.i++
				}
			}
		}
	}
}

// open enters an object or an array, or skips what comes next and returns false.
func (c *inspected) open(bracket byte) bool {
	c.prefix()
	if c.peek() != bracket {
		c.skip()
		return false
	}
	c.i++
	return true
}

// prefix steps over the class name or the tag before an object: "Resource {",
// "[Object: null prototype] {", "Map(0) {".
func (c *inspected) prefix() {
	first := c.peek()
	if first|0x20-'a' >= 26 && (first != '[' || c.i+1 >= len(c.b) || c.b[c.i+1]|0x20-'a' >= 26) {
		return
	}
	for i := c.i + 1; i < len(c.b); i++ {
		switch b := c.b[i]; b {
		case '{':
			c.i = i
			return
		case '\n', ',', '\'', '"', '`', '}':
			return
		}
	}
}

// skip steps over the next value.
func (c *inspected) skip() {
	c.prefix()
	depth := 0
	for c.i < len(c.b) {
		switch c.peek() {
		case 0:
			return
		case '\'', '"', '`':
			c.str()
		case '{', '[':
			depth++
			c.i++
			continue
		case '}', ']':
			if depth == 0 {
				return
			}
			depth--
			c.i++
		case ',':
			if depth == 0 {
				return
			}
			c.i++
		default:
			c.bare()
		}
		if depth == 0 {
			return
		}
	}
}

// bare reads what is in no quotes.
func (c *inspected) bare() []byte {
	start := c.i
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ',', '\n', '}', ']', '{', '[':
			if c.i == start {
				c.i++
			}
			return bytes.TrimSpace(c.b[start:c.i])
		}
		c.i++
	}
	return bytes.TrimSpace(c.b[start:c.i])
}

// value returns the next value: of an array the first, of an object none.
func (c *inspected) value() trace.Value {
	switch b := c.peek(); b {
	case '\'', '"', '`':
		return trace.Value{Text: c.str(), Kind: trace.StringValue}
	case '[':
		var first trace.Value
		n := 0
		for range c.elements() {
			if b := c.peek(); n > 0 || b == '[' || b == '{' {
				c.skip()
			} else {
				first = c.value()
			}
			n++
		}
		return first
	case '{', 0, '}', ']', ',':
		c.skip()
		return trace.Value{}
	}
	switch t := c.bare(); string(t) {
	case "true", "false":
		return trace.Value{Text: t, Kind: trace.BoolValue}
	default:
		if len(t) > 0 && (t[0]-'0' <= 9 || t[0] == '-') {
			return trace.Value{Text: bytes.TrimSuffix(t, []byte("n")), Kind: trace.NumberValue}
		}
	}
	return trace.Value{} // undefined, null, NaN
}
