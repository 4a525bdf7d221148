package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// page lays text out in lines of a width. Everything that it is given passes
// through Safe; colours are put in afterwards.
type page struct {
	strings.Builder
	width int // columns, at least minWidth
	color bool
	gap   bool // a blank line is due before the next one
}

const (
	minWidth = 20
	maxText  = 100 // columns of running text, however wide the terminal is
)

func newPage(o Options) *page {
	w := o.Width
	if w <= 0 {
		w = 80
	}
	return &page{width: max(w, minWidth), color: o.Color}
}

// Colours of the eight that every terminal has, as SGR parameters.
const (
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
	cyan   = "36"
	bold   = "1"
)

// section starts a new section: a blank line above what follows, if anything
// stands above it.
func (p *page) section() { p.gap = p.Len() > 0 }

// line writes one finished line.
func (p *page) line(s string) {
	s = noCommand(s)
	if p.gap {
		p.WriteByte('\n')
		p.gap = false
	}
	p.WriteString(s)
	p.WriteByte('\n')
}

// para writes text in lines that hang: head stands before the first one, in
// colour, and the others are indented by hang columns.
func (p *page) para(indent int, head, colour string, hang int, text string) {
	hang = min(hang, p.width/3)
	width := min(p.width, maxText)
	head = strings.Join(strings.Fields(Safe(head)), " ")
	command := head == "" && strings.HasPrefix(text, "$ ")
	for i, l := range wrap(head+" "+Safe(text), width-indent, width-indent-hang, command) {
		s := l.text
		lead := indent
		if rest, ok := strings.CutPrefix(s, head); i == 0 && ok {
			s = p.paint(head, colour) + rest
		}
		if i > 0 {
			lead += hang
		}
		if l.glued {
			lead = 0
		}
		p.line(strings.TrimRight(strings.Repeat(" ", lead)+s, " "))
	}
}

// advice writes text of tailcheck's own, whose line breaks are kept. A line that
// begins with "$ " is a command to be copied: it is broken with a backslash.
func (p *page) advice(indent int, head string, text string) {
	hang := 0
	if head != "" {
		hang = displayWidth(head) + 1
	}
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "$ ") {
			p.para(indent+hang, "", "", 4, l)
			continue
		}
		p.para(indent, head, bold, hang, l)
		indent, hang, head = indent+hang, 0, ""
	}
}

// text writes a paragraph without a head.
func (p *page) text(indent, hang int, text string) { p.para(indent, "", "", hang, text) }

func (p *page) paint(s, colour string) string {
	if !p.color || colour == "" || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// wrapped is a line of a paragraph. It is glued to the line before it where a
// word of a command had to be cut: indentation would make two words of it.
type wrapped struct {
	text  string
	glued bool
}

// wrap breaks text into lines of at most first, then rest columns, at blanks; a
// number stays with its unit, and a word longer than a line is cut. Lines of a
// command end in a backslash, behind a blank where one was; a quoted word of one
// is never broken, however long, because a backslash in it would be part of it.
func wrap(text string, first, rest int, command bool) []wrapped {
	var lines []wrapped
	line, used, room, glued := "", 0, max(first, 4), false
	shut := func(end string, cut bool) {
		lines = append(lines, wrapped{line + end, glued})
		line, used, room, glued = "", 0, max(rest, 4), cut
	}
	blank, inside, reserve := "", "", 0
	if command {
		blank, inside, reserve = " \\", "\\", 2
	}
	var words []string
	if command {
		words = shellWords(text)
	} else {
		words = glue(strings.Fields(text))
	}
	for i, w := range words {
		if i == len(words)-1 {
			reserve = 0
		}
		n := displayWidth(w)
		if used > 0 && used+1+n+reserve > room {
			shut(blank, false)
		}
		if used > 0 {
			line += " "
			used++
		}
		for n+reserve > room-used && !(command && strings.ContainsAny(w, `'"`)) {
			head, tail := cut(w, max(room-used-len(blank), 1))
			if tail == "" {
				break
			}
			line += head
			shut(inside, command)
			w, n = tail, displayWidth(tail)
		}
		line += w
		used += n
	}
	if line != "" || len(lines) == 0 {
		shut("", false)
	}
	return lines
}

// shellWords cuts a command line at the blanks between its words. Quotes and
// what stands in them are left as they are.
func shellWords(text string) []string {
	var words []string
	start, quote := -1, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == ' ' && quote == 0 {
			if start >= 0 {
				words = append(words, text[start:i])
			}
			start = -1
			continue
		}
		if start < 0 {
			start = i
		}
		switch {
		case c == '\\' && quote != '\'':
			i++
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		}
	}
	if start >= 0 {
		words = append(words, text[start:])
	}
	return words
}

// units are words that stay with the number before them.
var units = map[string]bool{"ns": true, "µs": true, "ms": true, "s": true, "%": true, "pass": true, "fail": true}

// glue joins numbers and their units into one word.
func glue(words []string) []string {
	out := words[:0]
	for _, w := range words {
		if n := len(out); n > 0 && len(out[n-1]) <= 12 && units[strings.TrimRight(w, ",.;:)")] && isNumber(out[n-1]) {
			out[n-1] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

func isNumber(s string) bool {
	last := s[len(s)-1]
	return last >= '0' && last <= '9'
}

// cut splits a word so that the first part takes at most width columns, and at
// least one character.
func cut(w string, width int) (head, tail string) {
	used := 0
	for i := 0; i < len(w); {
		_, n := utf8.DecodeRuneInString(w[i:])
		c := displayWidth(w[i : i+n])
		if i > 0 && used+c > width {
			return w[:i], w[i:]
		}
		used += c
		i += n
	}
	return w, ""
}

// clip is fit for text that may be megabytes long and need not be safe yet: most
// of it is cut out before anybody looks at each character.
func clip(s string, width int) string {
	most := 8 * width // bytes; what is shown has fewer
	if len(s) <= most {
		return fit(Safe(s), width)
	}
	head, tail := most/2, len(s)-most/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	s = Safe(s[:head]) + "…" + Safe(s[tail:])
	return fit(s, min(width, displayWidth(s)-1))
}

// fit shortens text to a width, in the middle: the end of a path and of an
// operation says as much as its start.
func fit(s string, width int) string {
	if displayWidth(s) <= width {
		return s
	}
	if width <= 1 {
		return "…"
	}
	head, tail := cut(s, (width-1)/2)
	room := width - 1 - displayWidth(head)
	// from the end, so that the time does not grow with what is left out
	at, used := len(tail), 0
	for at > 0 {
		_, n := utf8.DecodeLastRuneInString(tail[:at])
		if used += displayWidth(tail[at-n : at]); used > room {
			break
		}
		at -= n
	}
	// characters may be wider together, and a mark belongs to what was left out
	for tail = tail[at:]; tail != ""; {
		r, n := utf8.DecodeRuneInString(tail)
		if displayWidth(tail) <= room && !unicode.Is(unicode.M, r) {
			break
		}
		tail = tail[n:]
	}
	return head + "…" + tail
}
