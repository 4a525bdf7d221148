package log

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// run is the reading of one part of an input.
type run struct {
	in      ingest.Input
	yield   func(ingest.Record, error) bool
	counts  counter
	lines   int64
	last    int64       // offset of the last line
	reached int64       // offset of the last problem; nothing may be told of what is before it
	written ingest.Time // when the last line was written; 0: not known

	// What is used again for other parts of the input: names that are known,
	// and room.
	reader  Reader
	opens   bool // an envelope is opened even where the reader passes over it
	peeler  peeler
	entry   Entry
	pause   ingest.Pause
	problem ingest.Problem
	pieces  pieces
}

func (d *Dialect) read(m *memo, r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		head := in.Head
		if len(head) == 0 && in.Part == 0 {
			head = make([]byte, ingest.HeadSize)
			n, err := io.ReadFull(r, head)
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				yield(nil, err)
				return
			}
			head = head[:n]
			r = io.MultiReader(bytes.NewReader(head), r)
		}
		lesson, err := d.learn(m, head, in.Options)
		if err != nil {
			yield(nil, err)
			return
		}
		x := lesson.begin()
		if !d.Whole { // then its reader has seen this input
			defer lesson.end(x)
		}
		x.in, x.yield = in, yield
		together := splitOf(head) == ingest.SplitPieces
		lines := ingest.NewLines(r)
		for lines.Next() {
			x.lines++
			x.last = lines.Offset()
			if line := lines.Bytes(); together {
				if !x.piece(line) {
					return
				}
			} else if !x.whole(line, x.last) {
				return
			}
		}
		if !x.flush() || !x.end() {
			return
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
			return
		}
		log := ingest.Log{Pos: in.Pos(x.last), Lines: x.lines}
		x.counts.report(&log)
		yield(&log, nil)
	}
}

// whole reads a line that is complete.
func (x *run) whole(line []byte, offset int64) bool {
	text, stamp, wrapper := x.peeler.peel(line)
	return x.text(text, stamp, wrapper, offset)
}

// text reads the text of a line and yields what it says.
func (x *run) text(text []byte, stamp Moment, wrapper string, offset int64) bool {
	if blank(text) {
		return true
	}
	for {
		err := x.parse(text, &stamp, &wrapper, offset)
		if !x.told(err, stamp, wrapper, text, offset) {
			return false
		}
		if err != nil || !x.entry.More {
			return true
		}
	}
}

// told yields what a line said, or why it was not read.
func (x *run) told(err error, stamp Moment, wrapper string, text []byte, offset int64) bool {
	e := &x.entry
	switch {
	case err == ErrIgnore:
		return true
	case err != nil:
		x.problem.Pos, x.problem.Err = x.in.Pos(offset), &unread{err, excerpt(text)}
		x.reached = x.problem.Offset
		return x.yield(&x.problem, nil)
	}
	if e.Pos != x.in.Pos(offset) {
		stamp = Moment{} // that of a later line than the entry's
	}
	if e.Offset < x.reached { // a line within the entry was told of before it
		e.Offset = x.reached
	}
	x.inOrder(e)
	x.counts.count(e, e.settle(stamp), wrapper)
	if e.Pause {
		x.pause = ingest.Pause{Pos: e.Pos, Op: e.Op, Start: e.Start, Length: max(0, e.Latency), All: e.All}
		return x.yield(&x.pause, nil)
	}
	return x.yield(&e.Sample, nil)
}

// inOrder settles which of two moments a stamp is that the clock showed twice, at
// the end of summer time, by the line before it: lines are written in order. It
// takes all of the input, from its beginning.
func (x *run) inOrder(e *Entry) {
	if !x.in.Whole {
		return
	}
	if e.Stamp.Twice && x.written != 0 {
		e.once(x.written.Add(-e.late()))
	}
	if e.Stamp.Time != 0 && e.Stamp.Zone != ingest.ZoneNone {
		x.written = e.Stamp.Time.Add(e.late())
	}
}

// end yields the entry that the last line ended.
func (x *run) end() bool {
	r, ok := x.reader.(Ender)
	if !ok {
		return true
	}
	for {
		x.entry.Reset(x.in.Pos(x.last))
		err := r.End(&x.entry)
		if !x.told(err, Moment{}, "", nil, x.last) {
			return false
		}
		if err != nil || !x.entry.More {
			return true
		}
	}
}

// parse reads a text into the entry: as it is, or else as the envelope of one.
func (x *run) parse(text []byte, stamp *Moment, wrapper *string, offset int64) error {
	pos := x.in.Pos(offset)
	x.entry.Reset(pos)
	err := x.reader.Read(text, &x.entry)
	if err == nil || err == ErrIgnore && !x.opens || text[0] != '{' {
		return err
	}
	inner, outer, ok := x.peeler.envelope(text)
	if !ok {
		return err
	}
	inner, m, _ := x.peeler.peel(inner)
	if blank(inner) {
		return ErrIgnore
	}
	x.entry.Reset(pos)
	switch again := x.reader.Read(inner, &x.entry); {
	case again == ErrIgnore && err != ErrStamp && err != ErrStatus && err != ErrLatency:
		return ErrIgnore
	case again != nil:
		return err // a request that is broken is none that its message makes up for
	}
	for _, m := range [...]Moment{outer, m} {
		if m.Time != 0 && (stamp.Time == 0 || m.Resolution < stamp.Resolution) {
			*stamp = m
		}
	}
	if *wrapper == "" {
		*wrapper = "JSON"
	}
	return nil
}

// slack is by how much the clocks of a server and of what wrapped its line may
// differ, and how long the line may wait between them, for the wrapper's stamp
// to be taken for the end of the request.
const slack = 250 * time.Millisecond

// settle works out when the request started and ended, from the stamp of its
// line and from that of a wrapper, which was put on when the line was written,
// at the end of the request. The wrapper's is taken where it is finer and does
// not contradict the line's own, or where only it has a date. It returns what
// the stamp is that was taken.
func (e *Entry) settle(outer Moment) ingest.Stamp {
	kind := e.Shape.Stamp
	if outer.Time != 0 {
		kind = e.wrapped(outer)
	}
	at := e.Stamp.Time
	switch {
	case at == 0 || e.Start != 0:
	case kind == ingest.StampStart:
		e.Start = at
	case kind == ingest.StampEnd && e.Latency >= 0:
		e.Start = at.Add(-e.Latency)
	case kind == ingest.StampEnd:
		e.End = at
	}
	if e.Latency >= 0 && e.Start != 0 {
		e.End = 0 // it follows
	}
	if at == 0 {
		return ingest.StampNone
	}
	return kind
}

// wrapped takes the stamp of a wrapper into account, and returns what the stamp
// of the entry then is.
func (e *Entry) wrapped(outer Moment) ingest.Stamp {
	kind := e.Shape.Stamp
	if e.Stamp.Twice && !outer.Twice {
		e.once(outer.Time.Add(-e.late()))
	}
	undated := e.Stamp.Time == 0 || e.Stamp.Zone == ingest.ZoneNone
	if e.Start != 0 || !undated && outer.Resolution >= e.Stamp.Resolution {
		return kind
	}
	late := outer.Time.Sub(e.Stamp.Time) - e.late()
	if undated || late > -slack && late < e.Stamp.Resolution+slack && (kind == ingest.StampEnd || e.Latency >= 0) {
		e.Stamp, kind = outer, ingest.StampEnd
	}
	return kind
}

// once settles which of two moments the stamp is, as Moment.Once does.
func (e *Entry) once(written ingest.Time) {
	own := e.Start == e.Stamp.Time // the dialect has set it
	if e.Stamp.Once(written); own {
		e.Start = e.Stamp.Time
	}
}

// late is how much later than its own stamp a line was written.
func (e *Entry) late() time.Duration {
	if e.Shape.Stamp == ingest.StampStart {
		return max(0, e.Latency)
	}
	return 0
}

// unread is why a line was not read.
type unread struct {
	why  error
	text string
}

func (u *unread) Error() string { return fmt.Sprintf("%v: %q", u.why, u.text) }
func (u *unread) Unwrap() error { return u.why }

// excerpt is the beginning of a line, for messages.
func excerpt(line []byte) string {
	const most = 80
	if len(line) > most {
		return string(line[:most]) + "…"
	}
	return string(line)
}

func blank(line []byte) bool {
	return len(line) == 0 || line[0] <= ' ' && len(bytes.TrimLeft(line, " \t\r\x00")) == 0
}
