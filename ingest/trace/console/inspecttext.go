package console

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// str returns the text in quotes that comes next, and those that are added to it.
func (c *inspected) str() []byte {
	start := len(c.arena)
	for {
		quote := c.b[c.i]
		c.i++
		for c.i < len(c.b) && c.b[c.i] != quote {
			if c.b[c.i] == '\\' && c.i+1 < len(c.b) {
				c.escape()
				continue
			}
			c.arena = append(c.arena, c.b[c.i])
			c.i++
		}
		c.i = min(c.i+1, len(c.b))
		end := c.i
		if c.peek() == '+' {
			c.i++
			if b := c.peek(); b == '\'' || b == '"' || b == '`' {
				continue
			}
		}
		c.i = end
		return c.arena[start:]
	}
}

// escape reads \n, \x1B, \u00e9, \u{1F600} and the like.
func (c *inspected) escape() {
	b := c.b[c.i+1]
	c.i += 2
	digits := 0
	switch b {
	case 'n':
		b = '\n'
	case 't':
		b = '\t'
	case 'r':
		b = '\r'
	case 'b':
		b = '\b'
	case 'f':
		b = '\f'
	case 'v':
		b = '\v'
	case 'x':
		digits = 2
	case 'u':
		digits = 4
		if c.i < len(c.b) && c.b[c.i] == '{' {
			c.i++
			if digits = bytes.IndexByte(c.b[c.i:], '}'); digits < 1 || digits > 6 {
				return
			}
		}
	}
	if digits == 0 {
		c.arena = append(c.arena, b)
		return
	}
	if c.i+digits > len(c.b) {
		c.i = len(c.b)
		return
	}
	n, err := strconv.ParseUint(string(c.b[c.i:c.i+digits]), 16, 32)
	if err != nil {
		return
	}
	c.i += digits
	if c.i < len(c.b) && c.b[c.i] == '}' && digits != 2 && c.b[c.i-digits-1] == '{' {
		c.i++
	}
	c.arena = utf8.AppendRune(c.arena, rune(n))
}
