package otlp

import (
	"bytes"
	"fmt"
	"io"

	"github.com/tailcheck/tailcheck/ingest"
)

// window reads ahead in a stream as far as one value needs.
type window struct {
	r     io.Reader
	buf   []byte
	start int // of what was not taken yet
	end   int
	at    int64 // of buf[start] in the stream
	done  bool  // the stream has ended
	err   error
}

// fill reads more: at least as much as there is, so that looking again costs
// twice the whole at most.
func (w *window) fill() {
	if w.start > 0 {
		copy(w.buf, w.buf[w.start:w.end])
		w.end -= w.start
		w.start = 0
	}
	if want := max(256<<10, 2*w.end); len(w.buf) < want {
		if w.end > ingest.MaxLine+4 {
			w.err = fmt.Errorf("more than 256 MiB in one piece at byte %d; let the exporter write smaller batches, or one document a line (jq -c .)", w.at)
			return
		}
		w.buf = append(w.buf, make([]byte, want-len(w.buf))...)
	}
	for w.end < len(w.buf) && !w.done {
		n, err := w.r.Read(w.buf[w.end:])
		w.end += n
		if err != nil {
			w.done = true
			if err != io.EOF {
				w.err = err
			}
		}
	}
}

// peek returns the byte at i, 0 if there is none.
func (w *window) peek(i int) byte {
	for w.start+i >= w.end {
		if w.done || w.err != nil {
			return 0
		}
		w.fill()
	}
	return w.buf[w.start+i]
}

// value returns the length of the value that starts here, and whether it is
// there as a whole.
func (w *window) value() (int, bool) {
	for {
		s := scanner{b: w.buf[w.start:w.end]}
		s.skip()
		if !s.bad {
			return s.i, true
		}
		if w.done || w.err != nil {
			return w.end - w.start, false
		}
		w.fill()
	}
}

// until returns how much lies before the first of some texts, its own first
// byte counted, or before the end. It looks 1 MiB far.
func (w *window) until(texts ...string) int {
	for !w.done && w.err == nil && w.end-w.start < 1<<20 {
		w.fill()
	}
	n := w.end - w.start
	for _, t := range texts {
		if i := bytes.Index(w.buf[w.start:w.start+n], []byte(t)); i >= 0 {
			n = i + 1
		}
	}
	return n
}

// need returns the next n bytes, or what is left. Memory grows with what is
// there, not with n.
func (w *window) need(n int) []byte {
	for w.end-w.start < n && !w.done && w.err == nil {
		w.fill()
	}
	return w.buf[w.start:min(w.start+n, w.end)]
}

// take returns the next n bytes and steps over them.
func (w *window) take(n int) []byte {
	n = min(n, w.end-w.start)
	b := w.buf[w.start : w.start+n]
	w.start += n
	w.at += int64(n)
	return b
}
