package redis

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// view is how redis-cli prints a reply.
type view uint8

const (
	unknown view = iota
	numberedView
	bareView
	jsonView
)

// viewOf tells the view by the first lines. Above a list there may be a few
// others: the prompt with the command.
func viewOf(lines [][]byte) view {
	const most = 8
	for i := range lines[:min(len(lines), most)] {
		rest := lines[i:]
		switch {
		case isJSON(rest[0]):
			return jsonView
		case len(rest) >= 4 && begins(rest[0]) && integer(rest[1], 2) && integer(rest[2], 3) && argument(rest[3]):
			return numberedView
		case i == 0 && isBare(rest):
			return bareView
		}
	}
	return unknown
}

// claims tells whose a line is: those of the bare view say nothing alone.
func claims(line []byte) log.Claim {
	switch {
	case isJSON(line), argument(line):
		return log.Own
	case begins(line), integer(line, 2), integer(line, 3):
		return log.Aside
	}
	return log.Foreign
}

// mark cuts "12) " off, with the blanks in front; n is 0 where there is none.
func mark(b []byte) (n int64, rest []byte) {
	b = bytes.TrimLeft(b, " ")
	i := bytes.IndexByte(b[:min(len(b), 12)], ')')
	if i < 1 || i+1 >= len(b) || b[i+1] != ' ' {
		return 0, b
	}
	if v, ok := digits(b[:i]); ok {
		return v, b[i+2:]
	}
	return 0, b
}

const integerMark = "(integer) "

// begins reports "1) 1) (integer) 5", the line of an entry's number.
func begins(line []byte) bool {
	n, rest := mark(line)
	m, rest := mark(rest)
	_, ok := digits(bytes.TrimPrefix(rest, []byte(integerMark)))
	return n > 0 && m == 1 && ok && bytes.HasPrefix(rest, []byte(integerMark))
}

// integer reports the line of a number that is the n-th of its entry.
func integer(line []byte, n int64) bool {
	m, rest := mark(line)
	_, ok := digits(bytes.TrimPrefix(rest, []byte(integerMark)))
	return m == n && ok && bytes.HasPrefix(rest, []byte(integerMark))
}

// argument reports `4) 1) "get"`, the line of an entry's command.
func argument(line []byte) bool {
	n, rest := mark(line)
	m, rest := mark(rest)
	return n == 4 && m == 1 && len(rest) > 1 && rest[0] == '"'
}

// numbered reads the view of a terminal. Its strings have no line feeds.
type numbered struct {
	entries
	at                ingest.Pos // of the entry that was begun
	begun             bool
	ended, took       []byte
	name, arg         []byte
	named, hasArg     bool
	endedBuf, tookBuf [20]byte
}

func (x *numbered) Read(line []byte, e *log.Entry) error {
	if begins(line) {
		if x.begun {
			err := x.End(e)
			e.More = err == nil
			if err == nil {
				return nil
			}
			x.begin(e.Pos)
			return err
		}
		x.begin(e.Pos)
		return log.ErrIgnore
	}
	if !x.begun {
		if bytes.Contains(line, []byte("> ")) || bytes.HasPrefix(line, []byte("(empty")) {
			return log.ErrIgnore // the prompt
		}
		return log.ErrOther
	}
	n, rest := mark(line)
	switch m, inner := mark(rest); {
	case n == 0:
		err := x.End(e)
		e.More = err == nil // and again with this line
		return err
	case n == 2 && bytes.HasPrefix(rest, []byte(integerMark)):
		x.ended = append(x.endedBuf[:0], cut(rest[len(integerMark):], len(x.endedBuf))...)
	case n == 3 && bytes.HasPrefix(rest, []byte(integerMark)):
		x.took = append(x.tookBuf[:0], cut(rest[len(integerMark):], len(x.tookBuf))...)
	case n == 4 && m == 1:
		x.name, x.named = append(x.name[:0], unquote(inner)...), true
	case n == 2 && x.named && !x.hasArg && len(rest) > 0 && rest[0] == '"':
		x.arg, x.hasArg = append(x.arg[:0], unquote(rest)...), true
	}
	return log.ErrIgnore
}

func (x *numbered) begin(at ingest.Pos) {
	x.at, x.begun, x.named, x.hasArg = at, true, false, false
	x.ended, x.took, x.arg = nil, nil, x.arg[:0]
}

func (x *numbered) End(e *log.Entry) error {
	if !x.begun {
		return log.ErrIgnore
	}
	x.begun = false
	if x.ended == nil || x.took == nil || !x.named {
		return errCut
	}
	e.Pos = x.at
	return x.fill(e, x.ended, x.took, x.name, x.arg)
}

func cut(b []byte, most int) []byte { return b[:min(len(b), most)] }

// unquote cuts the quotes off a string, and what is too long for an operation.
func unquote(b []byte) []byte {
	b = bytes.TrimPrefix(bytes.TrimSuffix(b, []byte(`"`)), []byte(`"`))
	return cut(b, 512)
}
