package report

import (
	"fmt"
	"strings"
)

// mdEscape says what stands for the characters that mean something in Markdown
// as GitHub reads it (GFM 0.29: emphasis, code, links, tables, strikethrough;
// beside it "$" begins mathematics) or in HTML. A mention is a name behind an @
// in one piece of text; the tag parts them.
var mdEscape = map[byte]string{
	'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;",
	'\\': "&#92;", '`': "&#96;", '*': "&#42;", '_': "&#95;", '[': "&#91;", ']': "&#93;",
	'|': "&#124;", '~': "&#126;", '$': "&#36;", '#': "&#35;", '!': "&#33;",
	'@': "<span>&#64;</span>",
}

// md makes input text fit to stand within a line of Markdown: it comes out as
// the text that it is. What is first in a
// line takes mdStart: a number with a point would begin a list.
func md(s string) string {
	s = Safe(s)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch e, special := mdEscape[c]; {
		case special:
			b.WriteString(e)
		case c == ':' && strings.HasPrefix(s[i:], "://"): // an address would become a link
			b.WriteString("&#58;")
		case c == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www"):
			b.WriteString("&#46;")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// mdStart is md for what stands first in a line or an item of a list.
func mdStart(s string) string {
	s = strings.TrimLeft(s, " ")
	if s == "" {
		return s
	}
	number := strings.TrimLeft(s, "0123456789")
	if strings.IndexByte("-+=:", s[0]) >= 0 || len(number) < len(s) && (strings.HasPrefix(number, ".") || strings.HasPrefix(number, ")")) {
		return fmt.Sprintf("&#%d;", s[0]) + md(s[1:])
	}
	return md(s)
}

// htmlText makes text that is safe fit to stand in HTML where Markdown is not
// read: between <pre> and </pre>.
func htmlText(s string) string { return htmlReplacer.Replace(s) }

var htmlReplacer = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")
