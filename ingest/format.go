package ingest

import (
	"bytes"
	"encoding/binary"
	"io"
	"iter"
	"time"
)

// Format is one kind of input that tailcheck reads. Formats are constant
// values, listed once in the suite.
type Format struct {
	Name   string
	Doc    string // first line: title; then what it is, how to produce it, what to know
	Yields Kinds

	// Anchors are texts that start a report inside a longer log (a CI log, a
	// terminal session); a star stands for any text: "Running * test @ ". The
	// first is the one that a whole report begins with; the others occur later
	// in one, and open a section where an excerpt begins with them. A line that
	// holds an anchor opens a section; a later line with another anchor of the
	// same format goes on with it; the first anchor again opens the next. Each
	// section is an input of its own. Formats without anchors claim whole files
	// only.
	Anchors []string

	// Commands are names of programs whose command line, found above a report,
	// tells the plan of the run: "hey".
	Commands []string

	// Sniff reports whether an input that begins with head is of this format.
	// It is pure. Head holds up to HeadSize bytes, cleaned of wrappers, and
	// starts at the anchor where the format has one. Exactly one format may
	// claim an input.
	Sniff func(head []byte) bool

	// General is above 0 for a format that tells no particular program: it is asked
	// only about inputs that none with a lower one claims.
	General uint8

	// Near tells how an input that no format claims misses this one, in a few
	// words ("the header has no column response-time"), or "". It may be nil.
	Near func(head []byte) string

	// Split says where inputs of this format may be cut. SplitFor, where it is
	// set, decides for one input by its head instead.
	Split    Split
	SplitFor func(head []byte) Split

	// Speaks reports whether a format string (--log-format) is in the language of
	// this format's server. It is nil for formats that take none.
	Speaks func(logFormat string) bool

	// Read yields the records of r. The contract: a record may be reused after
	// the next one is asked for; positions do not go back; an error (one that
	// stops the reading) is yielded last, with a nil record; milder things are
	// Problem records; breaking out of the loop is safe; memory is bounded by
	// the longest line and what is distinct, not by the input.
	Read func(r io.Reader, in Input) iter.Seq2[Record, error]
}

// HeadSize is how much of an input sniffing sees, in bytes.
const HeadSize = 64 << 10

// Split says where an input may be cut so that parts of it are read apart.
type Split uint8

// Splits.
const (
	SplitNever  Split = iota
	SplitLines        // after any line feed; every part but the first starts without the header
	SplitFrames       // between frames: a 4-byte big-endian length and as many bytes
	SplitPieces       // after a line feed behind which no line of a container goes on: see Piece
)

// SplitOf returns where an input that begins with head may be cut.
func (f Format) SplitOf(head []byte) Split {
	if f.SplitFor != nil {
		return f.SplitFor(head)
	}
	return f.Split
}

// Cut returns the length of the longest prefix of b that may be read apart from
// what follows. b starts where a part may start. 0: there is no such place in
// b, more of the input is needed. What remains at the end of the input is the
// last part, whole or not.
func (s Split) Cut(b []byte) int {
	switch s {
	case SplitLines:
		return bytes.LastIndexByte(b, '\n') + 1
	case SplitFrames:
		end := 0
		for len(b)-end >= 4 {
			n := int(binary.BigEndian.Uint32(b[end:]))
			if n > len(b)-end-4 {
				break
			}
			end += 4 + n
		}
		return end
	case SplitPieces:
		return cutPieces(b)
	}
	return 0
}

// Held is a reader that has all of its input in memory. A Format's Read may look
// at the bytes in place instead of copying them; it must not write to them.
type Held interface {
	io.Reader
	Bytes() []byte
}

// Input is what a reader is told about the input beside its bytes.
type Input struct {
	Index   int32  // number of the input, for Pos
	Offset  int64  // of the first byte of r in the input
	Part    int    // 0: the first or only part of the input
	Head    []byte // the start of the whole input (headers, even when Part > 0)
	Whole   bool   // r is all of the input: what a line says may be told by those before it
	Section bool   // a report cut out of a longer text: what follows the report is not a problem

	Command     string // command line found above the report; empty: none
	CommandFrom Fact   // where it was found; empty: none

	Options Options
}

// Options are what the user says about files that do not say it themselves.
type Options struct {
	Columns map[string]string // role (due, start, end, latency, status, op) to column name
	Unit    time.Duration     // of numbers whose unit the file does not state; 0: not given

	// Logs of servers.
	LogFormat string         // the server's own format string; empty: not given
	Zone      *time.Location // of stamps without an offset; nil: not given
}

// Pos returns the position of a byte offset counted from the start of r.
func (in Input) Pos(offset int64) Pos { return Pos{Input: in.Index, Offset: in.Offset + offset} }
