package ingest

import (
	"bytes"
	"errors"
	"io"
)

// MaxLine is the longest line that Lines reads, in bytes. A longer one is an
// error, so that memory stays bounded.
const MaxLine = 256 << 20

// ErrLineTooLong is the error of a line over MaxLine.
var ErrLineTooLong = errors.New("line longer than 256 MiB")

// Lines reads an input line by line without copying.
type Lines struct {
	r      io.Reader
	buf    []byte
	start  int   // of unread bytes in buf
	end    int   // of read bytes in buf
	offset int64 // of buf[start] in the input
	line   []byte
	pos    int64
	eof    bool
	err    error
}

// NewLines returns a Lines that reads r.
func NewLines(r io.Reader) *Lines {
	if held, ok := r.(Held); ok {
		b := held.Bytes()
		return &Lines{r: r, buf: b, end: len(b), eof: true}
	}
	return &Lines{r: r, buf: make([]byte, 128<<10)}
}

// Next advances to the next line and reports whether there is one.
func (l *Lines) Next() bool {
	from := l.start
	for {
		if i := bytes.IndexByte(l.buf[from:l.end], '\n'); i >= 0 {
			l.take(from+i, from+i+1)
			return true
		}
		from = l.end
		if l.eof {
			if l.start == l.end {
				return false
			}
			l.take(l.end, l.end)
			return true
		}
		if l.start > 0 {
			copy(l.buf, l.buf[l.start:l.end])
			from -= l.start
			l.end -= l.start
			l.start = 0
		}
		if l.end == len(l.buf) {
			if len(l.buf) >= MaxLine {
				l.err, l.eof, l.start = ErrLineTooLong, true, l.end
				return false
			}
			l.buf = append(l.buf, make([]byte, len(l.buf))...)
		}
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if err != nil {
			l.eof = true
			if err != io.EOF {
				l.err = err
			}
		}
	}
}

func (l *Lines) take(end, next int) {
	l.line, l.pos = l.buf[l.start:end], l.offset
	if n := len(l.line); n > 0 && l.line[n-1] == '\r' {
		l.line = l.line[:n-1]
	}
	l.offset += int64(next - l.start)
	l.start = next
}

// Bytes returns the current line without its line end. It is valid until Next.
func (l *Lines) Bytes() []byte { return l.line }

// Offset returns where the current line starts, counted from the start of the reader.
func (l *Lines) Offset() int64 { return l.pos }

// Err returns the error that ended the reading, or nil at the end of the input.
func (l *Lines) Err() error { return l.err }
