package hey

import (
	"bytes"
	"io"

	"github.com/tailcheck/tailcheck/ingest"
)

// blockSize is how much of a file is read at once, in bytes.
const blockSize = 256 << 10

// blocks reads a file into one buffer, so that rows are looked at in place.
type blocks struct {
	r          io.Reader
	buf        []byte
	start, end int   // of what is not used yet in buf
	offset     int64 // of buf[0] in the file
	eof        bool
	err        error // other than the end of the file
}

// more reads more bytes behind those not used yet, and reports whether there
// were any. The buffer grows only where a single line fills it.
func (b *blocks) more() bool {
	if b.eof {
		return false
	}
	if b.buf == nil {
		if held, ok := b.r.(ingest.Held); ok {
			b.buf, b.eof = held.Bytes(), true
			b.end = len(b.buf)
			return b.end > 0
		}
		b.buf = make([]byte, blockSize)
	}
	if b.start > 0 {
		copy(b.buf, b.buf[b.start:b.end])
		b.offset += int64(b.start)
		b.end -= b.start
		b.start = 0
	}
	if b.end == len(b.buf) {
		if len(b.buf) >= ingest.MaxLine {
			b.eof, b.err = true, ingest.ErrLineTooLong
			b.end = 0
			return false
		}
		b.buf = append(b.buf, make([]byte, len(b.buf))...)
	}
	for range 100 {
		n, err := b.r.Read(b.buf[b.end:])
		b.end += n
		if err != nil {
			b.eof = true
			if err != io.EOF {
				b.err = err
			}
			return n > 0
		}
		if n > 0 {
			return true
		}
	}
	b.eof, b.err = true, io.ErrNoProgress
	return false
}

// line takes the next line, without its line feed; nil at the end of the file.
// It is valid until more is called.
func (b *blocks) line() []byte {
	from := b.start
	for {
		if i := bytes.IndexByte(b.buf[from:b.end], '\n'); i >= 0 {
			line := b.buf[b.start : from+i]
			b.start = from + i + 1
			return line
		}
		seen := b.end - b.start
		if !b.more() {
			if b.start == b.end {
				return nil
			}
			line := b.buf[b.start:b.end]
			b.start = b.end
			return line
		}
		from = b.start + seen
	}
}

// cut reports whether the line that was taken last ends with the file and has no
// line feed.
func (b *blocks) cut() bool {
	return b.eof && b.start == b.end && b.end > 0 && b.buf[b.end-1] != '\n'
}
