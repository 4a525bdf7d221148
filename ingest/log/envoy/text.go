package envoy

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// scan reads a line of Envoy's default text, or of one of Istio's, which have
// more behind the flags and at the end. An error says why it is none.
//
//	[stamp] "METHOD path protocol" status flags … received sent duration service "…" "…" "id" "…" "host" …
func (x *fields) scan(line []byte) error {
	*x = fields{}
	line = bytes.TrimPrefix(line, []byte("ACCESS ")) // Emissary's
	if len(line) < 24 || line[0] != '[' {
		return log.ErrOther
	}
	end := bytes.IndexByte(line[:min(len(line), log.MaxStamp+2)], ']')
	if end < 10 || len(line) < end+8 || line[end+1] != ' ' || line[end+2] != '"' {
		return log.ErrOther
	}
	x.stamp = line[1:end]
	rest, ok := x.readRequest(line[end+3:])
	if !ok {
		return log.ErrOther
	}
	i := word(rest, 0)
	x.flags = rest[:i]
	if i == len(rest) || !isFlags(x.flags) {
		return log.ErrOther
	}
	rest = rest[i+1:]
	x.text = "Envoy's default text"
	if rest[0]-'0' > 9 {
		x.text = "Istio's text"
	}
	if rest, ok = x.readFigures(rest); !ok {
		return log.ErrOther
	}
	// "forwarded for" "agent" "id" "authority" "host", whose own quotes are not escaped.
	for n := range 5 {
		if len(rest) == 0 || rest[0] != '"' {
			return nil
		}
		rest = rest[1:]
		to := bytes.Index(rest, []byte(`" "`))
		if n == 4 {
			to = bytes.IndexByte(rest, '"')
		}
		if to < 0 {
			return nil
		}
		switch n {
		case 2:
			x.id = rest[:to]
		case 4:
			x.host = rest[:to]
		}
		rest = rest[min(to+2, len(rest)):]
	}
	return nil
}

// readRequest reads the request in quotes and the status behind it, which tells
// which quote is the last.
func (x *fields) readRequest(b []byte) (rest []byte, ok bool) {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], '"')
		if i < 0 {
			return nil, false
		}
		i += from
		from = i + 1
		if len(b) < i+4 || b[i+1] != ' ' {
			continue
		}
		end := word(b, i+2)
		if !whole(b[i+2:end]) || end-i-2 != 1 && end-i-2 != 3 || end == len(b) {
			continue
		}
		x.status = b[i+2 : end]
		m := bytes.IndexByte(b[:i], ' ')
		p := bytes.LastIndexByte(b[:i], ' ')
		if m < 1 || p <= m {
			return nil, false
		}
		x.method, x.path, x.protocol = b[:m], b[m+1:p], b[p+1:i]
		x.knowsMethod = true
		return b[end+1:], true
	}
}

// readFigures goes to the bytes received and sent, and reads the duration and
// the service time behind them. What it returns begins with what is behind.
// Before them, Istio's texts have details, which may have blanks in them.
func (x *fields) readFigures(b []byte) (rest []byte, ok bool) {
	const most = 64 // words
	for n := 0; n < most && len(b) > 0; n++ {
		if b[0] == '"' {
			i := bytes.Index(b[1:], []byte(`" `))
			if i < 0 {
				return nil, false
			}
			b = b[i+3:]
			continue
		}
		first := word(b, 0)
		if whole(b[:first]) && first < len(b) {
			second := word(b, first+1)
			third := word(b, min(second+1, len(b)))
			fourth := word(b, min(third+1, len(b)))
			if fourth > third+1 && whole(b[first+1:second]) && whole(b[second+1:third]) {
				service := b[third+1 : fourth]
				if (whole(service) || absent(service)) && (fourth == len(b) || len(b) > fourth+1 && b[fourth+1] == '"') {
					x.duration, x.service = b[second+1:third], service
					return b[min(fourth+1, len(b)):], true
				}
			}
		}
		b = b[min(first+1, len(b)):]
	}
	return nil, false
}

// word returns where the word ends that begins at i: at a blank, or with b.
func word(b []byte, i int) int {
	for i < len(b) && b[i] != ' ' {
		i++
	}
	return i
}

// whole reports whether b is a whole number.
func whole(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0 && len(b) < 18
}

// absent reports whether a value says that there is none.
func absent(b []byte) bool {
	return len(b) == 0 || len(b) == 1 && b[0] == '-'
}
