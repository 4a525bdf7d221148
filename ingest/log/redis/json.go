package redis

import (
	"bytes"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// object reads the view of --json: one line for the whole reply,
// [[5,1795987502,5,["set","key","value"],"127.0.0.1:53320",""],…].
type object struct {
	entries
	at int // in the line, behind the entries that were read; 0: none of it was
}

// isJSON reports the beginning of such a line.
func isJSON(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("[[")) {
		return false
	}
	x := scanner{b: line, at: 2}
	_, ok := x.number(',')
	ended, also := x.number(',')
	_, took := x.number(',')
	return ok && also && took && isEpoch(ended) && x.at < len(line) && line[x.at] == '['
}

func (x *object) Read(line []byte, e *log.Entry) error {
	s := scanner{b: line, at: x.at}
	x.at = 0
	if s.at == 0 {
		if !isJSON(line) {
			if string(line) == "[]" {
				return log.ErrIgnore
			}
			return log.ErrOther
		}
		s.at = 1
	}
	if !s.byte('[') {
		return log.ErrJSON
	}
	_, ok := s.number(',')
	ended, also := s.number(',')
	took, its := s.number(',')
	if !ok || !also || !its || !s.byte('[') {
		return log.ErrJSON
	}
	var argv [2][]byte
	for n := 0; ; n++ {
		v, ok := s.str()
		if !ok {
			return log.ErrJSON
		}
		if n < len(argv) {
			argv[n] = v
		}
		if s.byte(']') {
			break
		}
		if !s.byte(',') {
			return log.ErrJSON
		}
	}
	for !s.byte(']') { // the client's address and name
		if !s.byte(',') {
			return log.ErrJSON
		}
		if _, ok := s.str(); !ok {
			return log.ErrJSON
		}
	}
	if err := x.fill(e, ended, took, argv[0], argv[1]); err != nil {
		return err
	}
	if s.byte(',') {
		x.at, e.More = s.at, true
	}
	return nil
}

// scanner reads what replies are made of.
type scanner struct {
	b  []byte
	at int
}

func (s *scanner) byte(c byte) bool {
	if s.at < len(s.b) && s.b[s.at] == c {
		s.at++
		return true
	}
	return false
}

// number reads a whole number and the byte behind it.
func (s *scanner) number(end byte) ([]byte, bool) {
	from := s.at
	for s.at < len(s.b) && s.b[s.at]-'0' <= 9 {
		s.at++
	}
	v := s.b[from:s.at]
	return v, len(v) > 0 && s.byte(end)
}

// str reads a string, whose escapes stay.
func (s *scanner) str() ([]byte, bool) {
	if !s.byte('"') {
		return nil, false
	}
	for i := s.at; i < len(s.b); i++ {
		switch s.b[i] {
		case '\\':
			i++
		case '"':
			v := s.b[s.at:i]
			s.at = i + 1
			return cut(v, 512), true
		}
	}
	return nil, false
}
