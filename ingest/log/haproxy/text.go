package haproxy

import (
	"bytes"
	"errors"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// Reasons why lines are not read.
var (
	errCut     = errors.New("a line that ends before its figures do")
	errUnknown = errors.New("fields that nothing explains; if HAProxy wrote them, give --log-format")
	errNumber  = errors.New("a number that is none")
)

// unset is the value of a timer that the line has not, or that says -1: the
// phase was never reached.
const unset = -1

// fields are what a line says, wherever it says it.
type fields struct {
	stamp, request, method, target []byte
	backend, server                []byte
	state                          []byte // %tsc or %ts; nil: there is none
	id, trace                      []byte
	status                         int // 0: none

	// Timers in their unit: of the request, in the queue, and whole.
	receive, wait, connect, response int64
	active                           int64 // Ta
	total                            int64 // Tt; both unset: not given
	retries                          int64
	redispatched                     bool // the last try was at another server
	asap                             bool // the latency ends with the answer's headers
	tcp                              bool // a connection
	own                              bool // of a line of JSON: it is HAProxy's
}

func (x *fields) reset() {
	*x = fields{receive: unset, wait: unset, connect: unset, response: unset, active: unset, total: unset}
}

// stampLen is the length of "29/Nov/2026:21:20:31.539".
const stampLen = 24

// isStamp reports whether b, of that length, is written like one.
func isStamp(b []byte) bool {
	return b[2] == '/' && b[6] == '/' && b[11] == ':' && b[14] == ':' && b[17] == ':' && b[20] == '.'
}

// word returns where the word ends that begins at i: at a blank, or with b.
func word(b []byte, i int) int {
	for i < len(b) && b[i] != ' ' {
		i++
	}
	return i
}

// untagged returns a line without "haproxy[9834]: ", which is left of a syslog
// header where the rest was cut off.
func untagged(line []byte) []byte {
	const tag = "haproxy["
	if len(line) < len(tag) || string(line[:len(tag)]) != tag {
		return line
	}
	if i := bytes.Index(line[:min(len(line), 24)], []byte("]: ")); i > 0 {
		return line[i+3:]
	}
	return line
}

// scan reads a line of option httplog, httpslog or tcplog. An error says why it
// is none.
func (x *fields) scan(line []byte) error {
	x.reset()
	line = untagged(line)
	open := word(line[:min(len(line), 80)], 0) + 1
	if open < 4 || len(line) < open+stampLen+3 || line[open] != '[' || line[open+stampLen+1] != ']' || line[open+stampLen+2] != ' ' {
		return log.ErrOther
	}
	if x.stamp = line[open+1 : open+1+stampLen]; !isStamp(x.stamp) {
		return log.ErrOther
	}
	rest := line[open+stampLen+3:]

	i := word(rest, 0) + 1 // behind the frontend
	from := i
	for i < len(rest) && rest[i] != '/' && rest[i] != ' ' {
		i++
	}
	if i >= len(rest) || i == from || rest[i] == ' ' {
		return log.ErrOther
	}
	end := word(rest, i)
	if end == len(rest) {
		return log.ErrOther
	}
	x.backend, x.server = rest[from:i], rest[i+1:end]
	rest = rest[end+1:]

	var timers [5]int64
	n, plus, rest, ok := numbers(rest, timers[:])
	if !ok {
		return log.ErrOther
	}
	x.asap = plus
	switch n {
	case 3:
		x.tcp = true
		x.wait, x.connect, x.total = timers[0], timers[1], timers[2]
	case 5:
		x.receive, x.wait, x.connect, x.response, x.active = timers[0], timers[1], timers[2], timers[3], timers[4]
		if rest, ok = x.readStatus(rest); !ok {
			return log.ErrStatus
		}
	default:
		return log.ErrOther
	}
	if rest = x.readState(rest); rest == nil {
		return errCut
	}
	var conns [5]int64
	if n, plus, rest, ok = numbers(rest, conns[:]); !ok || n != 5 {
		return errCut
	}
	x.retries, x.redispatched = conns[4], plus
	if n, _, rest, ok = numbers(rest, conns[:2]); !ok || n != 2 {
		return errCut
	}
	if x.tcp {
		return nil
	}
	return x.readRequest(rest)
}

// readStatus reads the status at the beginning, three digits, 0 or -1.
func (x *fields) readStatus(b []byte) (rest []byte, ok bool) {
	if len(b) > 3 && b[3] == ' ' {
		if x.status, ok = log.Status(b[:3]); ok {
			return b[4:], true
		}
	}
	for _, none := range [...]string{"-1 ", "0 "} {
		if len(b) > len(none) && string(b[:len(none)]) == none {
			return b[len(none):], true
		}
	}
	return nil, false
}

// readState passes over the bytes, and over the captured cookies of a request,
// and reads the termination state. What it returns begins with the connections;
// nil: there is no state.
func (x *fields) readState(b []byte) []byte {
	want := 4
	if x.tcp {
		want = 2
	}
	const most = 16 // words; a cookie may have blanks in it
	for range most {
		i := word(b, 0)
		if i == len(b) {
			return nil
		}
		if i == want && isState(b[:i]) {
			x.state = b[:i]
			return b[i+1:]
		}
		b = b[i+1:]
	}
	return nil
}

// readRequest reads captured headers and the request, all behind the queues. A
// request may be cut short where HAProxy cuts a long line (log … len): it is
// read if its path is whole.
func (x *fields) readRequest(b []byte) error {
	for len(b) > 0 {
		switch b[0] {
		case ' ':
			b = b[1:]
		case '{':
			i := bytes.IndexByte(b, '}') // those within are written as #7D
			if i < 0 {
				return log.ErrNoRequest
			}
			x.captured(b[1:i])
			b = b[i+1:]
		case '"':
			b = b[1:]
			if i := bytes.IndexByte(b, '"'); i >= 0 { // those within are written as #22
				x.request = b[:i]
				return nil
			}
			method := bytes.IndexByte(b, ' ') + 1
			if method == 0 || !bytes.ContainsAny(b[method:], " ?") {
				return log.ErrNoRequest
			}
			x.request = b
			return nil
		default:
			return errUnknown
		}
	}
	return log.ErrNoRequest
}

// captured looks for a trace and a request id in captured headers, which have
// no names: a traceparent, and 32 hex digits or a UUID, can be nothing else.
func (x *fields) captured(b []byte) {
	for len(b) >= 32 {
		v := b
		if i := bytes.IndexByte(b, '|'); i >= 0 {
			v, b = b[:i], b[i+1:]
		} else {
			b = nil
		}
		switch {
		case len(v) == 55 && v[2] == '-' && v[35] == '-' && v[52] == '-':
			if x.trace == nil {
				x.trace = v
			}
		case len(v) == 36 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-', len(v) == 32 && isHex(v):
			if x.id == nil {
				x.id = v
			}
		}
	}
}

func isHex(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 && c|0x20-'a' > 5 {
			return false
		}
	}
	return true
}

// states says in which places of a termination state a letter may stand: what
// ended the session, in which phase, what the client's cookie was, and what
// became of the server's. Source: section 8.5 of the configuration manual, and
// sess_term_cond in src/log.c.
var states = func() (t [256]uint8) {
	for place, letters := range [...]string{"-CScsPRLIDUK", "-RQCHDLT", "-NIDVEOU", "-NIUPRD"} {
		for _, c := range []byte(letters) {
			t[c] |= 1 << place
		}
	}
	return t
}()

// isState reports whether b is a termination state.
func isState(b []byte) bool {
	switch len(b) {
	case 2:
		return states[b[0]]&1 != 0 && states[b[1]]&2 != 0
	case 4:
		return states[b[0]]&1 != 0 && states[b[1]]&2 != 0 && states[b[2]]&4 != 0 && states[b[3]]&8 != 0
	}
	return false
}

// numbers reads whole numbers with slashes between them, up to as many as fit,
// which end at a blank or with the line. plus: the last has a plus before it.
func numbers(b []byte, into []int64) (n int, plus bool, rest []byte, ok bool) {
	for i := 0; n < len(into) && i < len(b); i++ {
		sign := b[i]
		if sign == '-' || sign == '+' {
			i++
		}
		from, v := i, int64(0)
		for i < len(b) && b[i]-'0' <= 9 {
			v = v*10 + int64(b[i]-'0')
			i++
		}
		if i == from || i-from > maxDigits {
			return n, false, nil, false
		}
		if sign == '-' {
			v = unset
		}
		into[n], plus = v, sign == '+'
		n++
		switch {
		case i == len(b):
			return n, plus, nil, true
		case b[i] == ' ':
			return n, plus, b[i+1:], true
		case b[i] != '/':
			return n, false, nil, false
		}
	}
	return n, false, nil, false
}

// maxDigits is how many digits a number may have, so that it fits.
const maxDigits = 15

// number reads a whole number that begins at i, and where it ends; i: there is
// none. All negative ones are unset.
func number(b []byte, i int) (v int64, plus bool, end int) {
	at, negative := i, false
	if at < len(b) && (b[at] == '-' || b[at] == '+') {
		negative, plus = b[at] == '-', b[at] == '+'
		at++
	}
	from := at
	for at < len(b) && b[at]-'0' <= 9 {
		v = v*10 + int64(b[at]-'0')
		at++
	}
	if at == from || at-from > maxDigits {
		return 0, false, i
	}
	if negative {
		v = unset
	}
	return v, plus, at
}
