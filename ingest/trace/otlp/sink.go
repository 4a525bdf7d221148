package otlp

import (
	"errors"
	"fmt"
	"math"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// sink is where a decoder's spans and problems go.
type sink struct {
	names *trace.Builder
	in    ingest.Input
	yield func(ingest.Record, error) bool
	halt  bool // the caller has heard enough

	base   int64 // of the document that is being decoded, in the reader's bytes
	last   int64 // place of the last record, in the same
	packed bool  // it was decompressed: its bytes have no place of their own
	within int   // where the span or ResourceSpans starts that is being read, for problems in it; negative: none

	span    ingest.Span
	problem ingest.Problem
}

func newSink(in ingest.Input, yield func(ingest.Record, error) bool) sink {
	return sink{names: trace.NewBuilder(), in: in, yield: yield, within: -1}
}

// pos returns the place of a byte of the document. Places do not go back: what
// is told of a document as a whole comes behind what is told of its parts.
func (s *sink) pos(at int) ingest.Pos {
	if s.packed {
		at = 0
	}
	s.last = max(s.last, s.base+int64(at))
	return s.in.Pos(s.last)
}

// emit yields the span.
func (s *sink) emit() {
	if !s.halt && !s.yield(&s.span, nil) {
		s.halt = true
	}
}

// trouble yields a problem at a byte of the document.
func (s *sink) trouble(at int, err error) {
	if s.halt {
		return
	}
	if s.within >= 0 {
		at = s.within // places must not go back, and the span comes at its start
	}
	s.problem = ingest.Problem{Pos: s.pos(at), Err: err}
	if !s.yield(&s.problem, nil) {
		s.halt = true
	}
}

// end yields the error that stops the reading.
func (s *sink) end(err error) {
	if !s.halt {
		s.halt = true
		s.yield(nil, err)
	}
}

// Problems with one span. It is kept.
var (
	errTimes = errors.New("a time of the span is no number of nanoseconds since 1970 and is taken as not known")
	errNoID  = errors.New("span without a trace id: it belongs to no trace and is left out")
)

// finish completes a span whose fields are set, except for what attributes,
// name and status say, and yields it. Both decoders end here.
func (s *sink) finish(at int, name []byte) {
	if s.span.Trace == (ingest.TraceID{}) {
		s.trouble(at, errNoID)
		return
	}
	s.span.Pos = s.pos(at)
	s.names.EndSpan(&s.span, name)
	s.emit()
}

// times sets the times of the span; bad says that one could not be read.
func (s *sink) times(at int, start, end uint64, bad bool) {
	if start > math.MaxInt64 || end > math.MaxInt64 {
		bad = true
		if start > math.MaxInt64 {
			start = 0
		}
		if end > math.MaxInt64 {
			end = 0
		}
	}
	if bad {
		s.trouble(at, errTimes)
	}
	s.span.Start, s.span.End = ingest.Time(start), ingest.Time(end)
}

// OTLP's span flags: bit 8 says that bit 9 is meaningful, bit 9 that the parent
// is in another process (trace.proto, SpanFlags).
const (
	flagKnowsRemote = 1 << 8
	flagRemote      = 1 << 9
)

func (s *sink) flags(f uint32) {
	switch {
	case f&flagKnowsRemote == 0:
		s.span.Remote = 0
	case f&flagRemote != 0:
		s.span.Remote = 1
	default:
		s.span.Remote = -1
	}
}

// kind sets the kind by its number. Unknown ones are kept as unspecified.
func (s *sink) kind(at int, k int64) {
	if k < 0 || k > int64(ingest.Consumer) {
		s.trouble(at, fmt.Errorf("span kind %d is not known; the span is kept without one", k))
		k = 0
	}
	s.span.Kind = ingest.Kind(k)
}
