package trace

import (
	"bytes"
	"errors"
	"io"

	"github.com/tailcheck/tailcheck/ingest"
)

// A Feed hands on what a reader of traces finds. It keeps the reader's contract:
// positions do not go back, an error is last, and nothing follows once the
// receiver has heard enough.
type Feed struct {
	Names *Builder

	in      ingest.Input
	yield   func(ingest.Record, error) bool
	at      int64 // of the last record
	halted  bool
	said    map[error]bool
	problem ingest.Problem
}

// NewFeed returns a Feed for the receiver of an input's records.
func NewFeed(in ingest.Input, yield func(ingest.Record, error) bool) *Feed {
	return &Feed{Names: NewBuilder(), in: in, yield: yield}
}

// Halted reports whether reading is over: the receiver has heard enough, or Fail
// was called.
func (f *Feed) Halted() bool { return f.halted }

// Problems with one span. It is kept, but for the last.
var (
	ErrID      = errors.New("an id is neither hexadecimal nor base64; another one stands for it, here and wherever that occurs")
	ErrTime    = errors.New("a time of the span cannot be read and is taken as not known")
	ErrNoTrace = errors.New("span without a trace id: it belongs to no trace and is left out")
)

// Finish completes a span whose fields are set, except for what attributes,
// name and status say, and emits it.
func (f *Feed) Finish(s *ingest.Span, at int64, name []byte) {
	if s.Trace == (ingest.TraceID{}) {
		f.Problem(at, ErrNoTrace)
		return
	}
	f.Names.EndSpan(s, name)
	f.Emit(s, at)
}

// Emit hands on a finished span that starts at a byte of the reader.
func (f *Feed) Emit(s *ingest.Span, at int64) {
	s.Pos = f.pos(at)
	if !f.halted && !f.yield(s, nil) {
		f.halted = true
	}
}

// Problem hands on a problem at a byte of the reader.
func (f *Feed) Problem(at int64, err error) {
	f.problem = ingest.Problem{Pos: f.pos(at), Err: err}
	if !f.halted && !f.yield(&f.problem, nil) {
		f.halted = true
	}
}

// Once hands on a problem that a whole input has if one of its spans has it: the
// first time only. err is a variable of the caller, not made for the call.
func (f *Feed) Once(at int64, err error) {
	if f.said[err] {
		return
	}
	if f.said == nil {
		f.said = map[error]bool{}
	}
	f.said[err] = true
	f.Problem(at, err)
}

// Fail hands on the error that stops the reading.
func (f *Feed) Fail(err error) {
	if !f.halted {
		f.halted = true
		f.yield(nil, err)
	}
}

// Offset returns the place in the input of a byte of the reader.
func (f *Feed) Offset(at int64) int64 { return f.in.Pos(at).Offset }

func (f *Feed) pos(at int64) ingest.Pos {
	f.at = max(f.at, at)
	return f.in.Pos(f.at)
}

// Head returns the first bytes of the whole input: those that the caller knows,
// or else those of r, which is then to be read as the returned reader.
func Head(r io.Reader, in ingest.Input) ([]byte, io.Reader, error) {
	if len(in.Head) > 0 {
		return in.Head, r, nil
	}
	head := make([]byte, ingest.HeadSize)
	n, err := io.ReadFull(r, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:n], io.MultiReader(bytes.NewReader(head[:n]), r), err
}
