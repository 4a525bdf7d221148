package redis

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// isBare reports that lines are an entry in the bare view: its number, when it
// ended, its time, a command, and below it the address of a client, or the next
// entry, whose number is one less.
func isBare(lines [][]byte) bool {
	if len(lines) < 4 {
		return false
	}
	id, ok := digits(lines[0])
	_, also := digits(lines[2])
	if !ok || !also || !isEpoch(lines[1]) || !isCommand(lines[3]) {
		return false
	}
	for i, line := range lines[4:] {
		if isAddress(line) {
			return true
		}
		if n, ok := digits(line); ok && n == id-1 && len(lines) > i+5 && isEpoch(lines[i+5]) {
			return true
		}
	}
	return false
}

func isCommand(b []byte) bool {
	for _, c := range b {
		if c|0x20-'a' >= 26 && c != '.' && c != '_' && c-'0' > 9 {
			return false
		}
	}
	return len(b) > 1 && len(b) <= maxCommand && b[0]|0x20-'a' < 26
}

// isAddress reports the address of a client: 127.0.0.1:53320, [::1]:53320,
// /run/redis.sock:0.
func isAddress(b []byte) bool {
	i := bytes.LastIndexByte(b, ':')
	if i < 3 || len(b) > 128 {
		return false
	}
	if _, ok := digits(b[i+1:]); !ok {
		return false
	}
	host := b[:i]
	if host[0] == '/' {
		return true
	}
	dots := 0
	for _, c := range host {
		switch {
		case c == '.':
			dots++
		case c-'0' <= 9:
		case c == ':' || c == '[' || c == ']' || c|0x20 >= 'a' && c|0x20 <= 'f':
			dots += 4
		default:
			return false
		}
	}
	return dots >= 3
}

// bare reads the view that pipes get, without any marks. An entry begins with
// three numbers: its own, which is one less than that of the entry above (or
// follows an address: a second list), a time in ten digits, and how long it took.
type bare struct {
	entries
	at          ingest.Pos
	id          int64
	begun       bool
	ended, took []byte
	name, arg   []byte
	args        int

	addressed int // lines since an address; -1: there was none

	next     [2][]byte // the first numbers of what may be the next entry
	nextAt   ingest.Pos
	nextID   int64
	nextArgs int // how many of next there are
}

func (x *bare) Read(line []byte, e *log.Entry) error {
	n, number := digits(line)
	switch {
	case x.nextArgs == 2 && number:
		if x.begun {
			err := x.End(e)
			if e.More = err == nil; err == nil {
				return nil // and again with this line
			}
			x.begin(line)
			return err
		}
		x.begin(line)
		return log.ErrIgnore
	case x.nextArgs == 1 && isEpoch(line):
		x.next[1], x.nextArgs = append(x.next[1][:0], line...), 2
		return log.ErrIgnore
	}
	x.argue() // what looked like the next entry was none
	if number && (!x.begun || x.args > 0 && (n == x.id-1 || x.addressed >= 0 && x.addressed <= 1)) {
		x.next[0], x.nextArgs = append(x.next[0][:0], line...), 1
		x.nextAt, x.nextID = e.Pos, n
		return log.ErrIgnore
	}
	if !x.begun {
		return log.ErrOther
	}
	x.argument(line)
	return log.ErrIgnore
}

// begin begins the next entry with its third number.
func (x *bare) begin(took []byte) {
	x.begun, x.at, x.id = true, x.nextAt, x.nextID
	x.ended = append(x.ended[:0], x.next[1]...)
	x.took = append(x.took[:0], cut(took, 20)...)
	x.args, x.nextArgs, x.addressed = 0, 0, -1
	x.name, x.arg = x.name[:0], x.arg[:0]
}

// argue takes lines that were thought to begin the next entry for arguments.
func (x *bare) argue() {
	for i := range x.nextArgs {
		if x.begun {
			x.argument(x.next[i])
		}
	}
	x.nextArgs = 0
}

func (x *bare) argument(line []byte) {
	switch x.args++; x.args {
	case 1:
		x.name = append(x.name[:0], cut(line, 512)...)
	case 2:
		if !isAddress(line) {
			x.arg = append(x.arg[:0], cut(line, 512)...)
		}
	}
	switch {
	case isAddress(line):
		x.addressed = 0
	case x.addressed >= 0:
		x.addressed++
	}
}

func (x *bare) End(e *log.Entry) error {
	if !x.begun {
		return log.ErrIgnore
	}
	x.begun = false
	if x.args == 0 {
		return errCut
	}
	e.Pos = x.at
	return x.fill(e, x.ended, x.took, x.name, x.arg)
}
