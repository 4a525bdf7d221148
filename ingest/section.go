package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// section is a report found in a longer text.
type section struct {
	line    int64 // of its first line, from 1
	data    []byte
	before  []string // lines above it, back to the report before, the nearest last
	anchors []string // anchors that were seen in it
	prefix  prefix
}

// maxBefore is how many lines above a report are searched for the command line.
const maxBefore = 200

// anchorAt returns where in a line an anchor starts, or -1. A star in an anchor
// stands for any text.
func anchorAt(line []byte, anchor string) int {
	first, rest, star := strings.Cut(anchor, "*")
	at := bytes.Index(line, []byte(first))
	if at >= 0 && star && !bytes.Contains(line[at+len(first):], []byte(rest)) {
		return -1
	}
	return at
}

// sections cuts a text at the anchors of formats. Line numbers are kept: every
// section has as many lines as the text it was cut from.
func sections(text []byte, formats []Format) []*section {
	var out []*section
	var open *section
	var before []string
	var buf []byte
	for number := int64(1); len(text) > 0; number++ {
		var raw []byte
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			raw, text = text[:i], text[i+1:]
		} else {
			raw, text = text, nil
		}
		buf = clean(buf[:0], raw)
		anchor, at := "", -1
		for f := range formats {
			for _, a := range formats[f].Anchors {
				if i := anchorAt(buf, a); i >= 0 && (at < 0 || i < at) {
					anchor, at = a, i
				}
			}
		}
		if at >= 0 && !opensMore(open, buf, formats, anchor) {
			open = &section{line: number, before: before, prefix: newPrefix(buf[:at])}
			out = append(out, open)
			before = nil
		}
		if open != nil {
			if at >= 0 {
				open.anchors = append(open.anchors, anchor)
			}
			line, ok := open.prefix.strip(buf)
			if ok {
				open.data = append(open.data, line...)
			}
			open.data = append(open.data, '\n')
		}
		if len(before) == maxBefore {
			before = before[1:]
		}
		before = append(before, string(buf))
	}
	return out
}

// opensMore reports whether a line with an anchor goes on with the open
// section: it stands behind the same prefix, some format has this anchor and
// all those seen, and it is a new one, or one that a report which began with
// the format's first anchor may repeat.
func opensMore(open *section, line []byte, formats []Format, anchor string) bool {
	if open == nil {
		return false
	}
	if _, ok := open.prefix.strip(line); !ok {
		return false
	}
	for _, f := range formats {
		if !slices.Contains(f.Anchors, anchor) {
			continue
		}
		if slices.ContainsFunc(open.anchors, func(a string) bool { return !slices.Contains(f.Anchors, a) }) {
			continue
		}
		if !slices.Contains(open.anchors, anchor) || anchor != f.Anchors[0] && open.anchors[0] == f.Anchors[0] {
			return true
		}
	}
	return false
}

// command finds the command line of one of the programs in the lines above a
// report, the nearest first, and the number of its line counted back from the
// report (1: the line just above).
func command(before []string, programs []string) (string, int) {
	for i := len(before) - 1; i >= 0; i-- {
		for _, program := range programs {
			if at := programAt(before[i], program); at >= 0 {
				line := before[i][at:]
				for j := i + 1; j < len(before) && strings.HasSuffix(strings.TrimRight(line, " \t"), `\`); j++ {
					line = strings.TrimSuffix(strings.TrimRight(line, " \t"), `\`) + " " + strings.TrimSpace(before[j])
				}
				return strings.TrimSpace(cutShell(within(before[i][:at], line))), len(before) - i
			}
		}
	}
	return "", 0
}

// within ends a command line at the quote that it stands in: another program
// printed it as one word, `["/bin/sh" "-c" "hey -n 200 http://h/"]`. Before is
// the line up to the program's name.
func within(before, line string) string {
	at := strings.LastIndexAny(before, " \t`\"'(") // what is behind it is the program's folder
	if at < 0 || strings.IndexByte("`\"'", before[at]) < 0 {
		return line
	}
	quote := before[at]
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quote == '"':
			i++
		case line[i] == quote:
			line = line[:i]
			if quote == '"' {
				line = strings.ReplaceAll(line, `\"`, `"`)
			}
			return line
		}
	}
	return line
}

// programAt returns where a program is called in a line, or -1: its name as a
// word of its own or behind a slash, with an option or an address behind it.
func programAt(line, program string) int {
	for from := 0; ; {
		i := strings.Index(line[from:], program)
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(program)
		if i > 0 && !strings.ContainsRune(" \t/$`\"'(", rune(line[i-1])) {
			continue
		}
		rest := line[from:]
		if len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		arg := strings.TrimLeft(rest, " \t")
		if strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "http") || arg == `\` {
			return i
		}
	}
}

// cutShell ends a command line at the first unquoted pipe, redirection or
// separator of the shell.
func cutShell(line string) string {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '\\':
			i++
		case c == '|' || c == ';' || c == '#' && i > 0 && line[i-1] == ' ':
			return line[:i]
		case c == '&' && (i+1 == len(line) || line[i+1] == '&' || line[i+1] == ' ' || line[i+1] == '>'):
			return line[:i]
		case c == '>':
			if i > 1 && line[i-1]-'0' <= 2 && line[i-2] == ' ' {
				i-- // the number of the redirected file: 2>errors
			}
			return line[:i]
		}
	}
	return line
}

// SplitCommand cuts a command line into words as a shell does: blanks part
// words, quotes and backslashes keep them together. Nothing is expanded.
func SplitCommand(line string) []string {
	var words []string
	var word []byte
	quote, in := byte(0), false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'' && c != '\'' || quote == '"' && c != '"' && c != '\\':
			word = append(word, c)
		case c == quote && quote != 0:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, in = c, true
		case c == '\\' && i+1 < len(line):
			i++
			word, in = append(word, line[i]), true
		case quote == 0 && (c == ' ' || c == '\t'):
			if in {
				words, word, in = append(words, string(word)), nil, false
			}
		default:
			word, in = append(word, c), true
		}
	}
	if in {
		words = append(words, string(word))
	}
	return words
}

// CommandFact names the line of a command line: "command line at ci.log:12".
func CommandFact(path string, line int64) Fact {
	return Fact(fmt.Sprintf("command line at %s:%d", path, line))
}
