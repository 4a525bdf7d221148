package trace

import (
	"bytes"
	"encoding/json"
	"io"
)

// source is what the decoder reads: bytes that a decoder before it has read too
// far, then the reader.
type source struct {
	r     io.Reader
	ahead [][]byte
	total int64 // bytes handed out, counted from the start of the reader
	limit int64 // of total; the decoder may not read ahead of a value further
	err   error // of the reader
}

func (s *source) Read(p []byte) (int, error) {
	if s.total > s.limit {
		s.err = errLong
		return 0, errLong
	}
	for len(s.ahead) > 0 {
		n := copy(p, s.ahead[0])
		if s.ahead[0] = s.ahead[0][n:]; len(s.ahead[0]) == 0 {
			s.ahead = s.ahead[1:]
		}
		if n > 0 {
			s.total += int64(n)
			return n, nil
		}
	}
	n, err := s.r.Read(p)
	s.total += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// restart begins a decoder at a byte of the reader.
func (j *JSON) restart(at int64) {
	j.base, j.src.total = at, at
	j.dec = json.NewDecoder(&j.src)
	j.bad = false
}

// capture takes the bytes of a bytes.Reader without copying them.
type capture []byte

func (c *capture) Write(p []byte) (int, error) {
	*c = p
	return len(p), nil
}

// resume begins again at the next line that starts a document, or right behind
// what may stand between documents. at is where the decoder is.
func (j *JSON) resume(at int64) {
	var rest capture
	if r, ok := j.dec.Buffered().(io.WriterTo); ok {
		_, _ = r.WriteTo(&rest)
	}
	if len(rest) > 0 {
		j.src.ahead = append([][]byte{rest}, j.src.ahead...)
	}
	var chunk []byte
	state := byte(' ') // space before anything, text, or a line feed
	j.src.limit = 1<<63 - 1
	for {
		if len(j.src.ahead) == 0 {
			if chunk == nil {
				chunk = make([]byte, 32<<10)
			}
			n, err := j.src.r.Read(chunk)
			if n > 0 {
				j.src.ahead = append(j.src.ahead, chunk[:n])
			}
			if err != nil {
				if err != io.EOF {
					j.src.err = err
				}
				if n == 0 {
					j.restart(at)
					return
				}
			}
			continue
		}
		b := j.src.ahead[0]
		for i, c := range b {
			switch {
			case state == ' ' && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
				continue
			case state == ' ' && bytes.IndexByte(separators, c) >= 0:
				i++
			case state == '\n' && (c == '{' || c == '['):
			default:
				if state = 'x'; c == '\n' {
					state = c
				}
				continue
			}
			if j.src.ahead[0] = b[i:]; i == len(b) {
				j.src.ahead = j.src.ahead[1:]
			}
			j.restart(at + int64(i))
			return
		}
		at += int64(len(b))
		j.src.ahead = j.src.ahead[1:]
	}
}
