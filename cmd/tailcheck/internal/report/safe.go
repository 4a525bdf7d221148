package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe returns text of an input so that it can be shown: control, escape and
// bidirectional characters, other characters that cannot be seen, and bytes that
// are not UTF-8 become escapes as in Go ("\x1b", "\u202e"). It has no line
// breaks. Every renderer that writes to people passes input text through it.
//
// "##[" becomes "\x23#[" as well: wherever it stands in a line, the runner of
// GitHub Actions may take it for a command (actions/runner, ActionCommand.cs).
func Safe(s string) string {
	s = strings.ReplaceAll(s, "##[", `\x23#[`)
	if i := unsafeAt(s); i < 0 {
		return s
	}
	var b strings.Builder
	marks := maxMarks // a mark at the start would join what stands before it
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			hex(&b, 'x', rune(s[i]), 2)
			marks = 0
		case !visible(r) || unicode.Is(unicode.M, r) && marks >= maxMarks:
			escape(&b, r)
			marks = 0
		default:
			b.WriteString(s[i : i+n])
			if marks++; !unicode.Is(unicode.M, r) {
				marks = 0
			}
		}
		i += n
	}
	return b.String()
}

// noCommand makes a line that is no command of the runner of GitHub Actions, which
// takes one for a command that begins with "::", after blanks: an input must not
// write one, not even where a name was broken before it.
func noCommand(line string) string {
	if blanks := len(line) - len(strings.TrimLeft(line, " ")); strings.HasPrefix(line[blanks:], "::") {
		return line[:blanks] + "∷" + line[blanks+2:]
	}
	return line
}

// maxMarks is how many combining marks one character may carry; scripts in use
// need up to four, towers of them cover other lines.
const maxMarks = 4

// unsafeAt returns where the first character stands that Safe may change, or -1.
func unsafeAt(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] == 0x7f {
			return i
		}
		if s[i] >= utf8.RuneSelf {
			return unsafeFrom(s, i)
		}
	}
	return -1
}

func unsafeFrom(s string, from int) int {
	for i := from; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !visible(r) || unicode.Is(unicode.M, r) {
			return i
		}
		i += n
	}
	return -1
}

// visible reports whether a character can be seen where it stands: neither a
// control or format character (bidirectional ones are such), nor unassigned or
// private, nor a blank other than the common one, nor a letter or mark that
// Unicode tells programs to ignore when they cannot show it.
func visible(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7f
	}
	return unicode.IsPrint(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && !unicode.Is(unicode.Variation_Selector, r)
}

func escape(b *strings.Builder, r rune) {
	switch {
	case r < utf8.RuneSelf:
		hex(b, 'x', r, 2)
	case r < 0x10000:
		hex(b, 'u', r, 4)
	default:
		hex(b, 'U', r, 8)
	}
}

func hex(b *strings.Builder, kind byte, r rune, digits int) {
	b.WriteByte('\\')
	b.WriteByte(kind)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b.WriteByte("0123456789abcdef"[r>>shift&15])
	}
}
