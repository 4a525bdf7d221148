package log

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// sniffed is how many lines decide whose log an input is.
const sniffed = 64

// Format returns the format that the dialect is.
func (d Dialect) Format() ingest.Format {
	m := &memo{}
	if d.Yields == 0 {
		d.Yields = ingest.KindSample
	}
	split := splitOf
	if d.Whole {
		split = nil // ingest.SplitNever
	}
	return ingest.Format{
		Name:     d.Name,
		Doc:      d.Doc,
		Yields:   d.Yields | ingest.KindLog | ingest.KindProblem,
		General:  d.general(),
		Speaks:   d.Speaks,
		Sniff:    d.sniff,
		Near:     d.near,
		SplitFor: split,
		Read:     func(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] { return d.read(m, r, in) },
	}
}

// general is ingest.Format.General: Mixed is asked before dialects that tell no
// particular server.
func (d *Dialect) general() uint8 {
	switch {
	case d.of != nil:
		return 1
	case d.General:
		return 2
	}
	return 0
}

// splitOf returns where an input may be cut: where the first line is that of a
// container runtime, lines may be in pieces.
func splitOf(head []byte) ingest.Split {
	for line := range bytes.Lines(head) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			continue
		}
		if stream, _ := ingest.Piece(line); stream != 0 {
			return ingest.SplitPieces
		}
		break
	}
	return ingest.SplitLines
}

// sniff claims an input when the server's own lines are more than half of its
// first lines: then no other dialect's can be.
func (d *Dialect) sniff(head []byte) bool {
	if d.Knows != nil {
		return d.Knows(d.headLines(head, sniffed))
	}
	own, all := d.share(head)
	return own > 0 && 2*own > all
}

// share returns how many of the first lines are requests of the server, and of
// how many. Where they are nothing but what it says beside them (it has just
// been started), all that is known of the input is looked at.
func (d *Dialect) share(head []byte) (own, all int) {
	lines := d.headLines(head, sniffed)
	if own, all = d.weigh(lines); all == 0 && len(lines) == sniffed {
		return d.weigh(d.headLines(head, len(head)))
	}
	return own, all
}

// weigh counts the server's own requests, and all lines but those that it says
// beside them.
func (d *Dialect) weigh(lines [][]byte) (own, all int) {
	fits := func([]byte) bool { return false }
	for _, line := range lines {
		if d.Header != nil {
			if f := d.Header(line); f != nil {
				fits = f
			}
		}
		switch c := d.Claims(line); {
		case c == Own, c == Foreign && fits(line):
			own++
			all++
		case c == Foreign:
			all++
		}
	}
	return own, all
}

// near tells how an input misses the dialect.
func (d *Dialect) near(head []byte) string {
	lines := d.headLines(head, sniffed)
	if own, all := d.weigh(lines); own > 0 {
		return fmt.Sprintf("%d of the first %d lines are its requests; --format %s reads them", own, all, d.Name)
	}
	if d.Near != nil {
		for _, line := range lines {
			if near := d.Near(line); near != "" {
				return near
			}
		}
	}
	return ""
}

// headLines returns the first lines of an input, most of them, as texts: freed
// of wrappers, those in an envelope where the text in it is one of the server's.
// One that the head cuts off is not among them, unless nothing else is and the
// dialect looks at lines together.
func (d *Dialect) headLines(head []byte, most int) (lines [][]byte) {
	var p peeler
	for raw := range bytes.Lines(head) {
		if len(raw) == 0 || raw[len(raw)-1] != '\n' && len(head) >= ingest.HeadSize && (d.Knows == nil || len(lines) > 0) {
			break // cut off
		}
		text, _, _ := p.peel(bytes.TrimRight(raw, "\r\n"))
		if blank(text) {
			continue
		}
		text = bytes.Clone(text)
		if text[0] == '{' && d.Claims(text) != Own {
			if inner, _, ok := p.envelope(text); ok {
				if inner, _, _ = p.peel(inner); d.Claims(inner) != Foreign {
					text = bytes.Clone(inner)
				}
			}
		}
		if lines = append(lines, text); len(lines) == most {
			break
		}
	}
	return lines
}

// memo keeps what was learned last: all parts of an input are given the same
// head, and would each learn the same from it.
type memo struct{ last atomic.Pointer[lesson] }

// lesson is what was learned from the first lines of an input.
type lesson struct {
	head      []byte
	logFormat string
	unit      time.Duration
	zone      *time.Location
	newReader func() Reader
	opens     bool      // as in run
	free      sync.Pool // runs that have ended
}

func (d *Dialect) learn(m *memo, head []byte, opt ingest.Options) (*lesson, error) {
	if l := m.last.Load(); l != nil && len(l.head) == len(head) && len(head) > 0 && &l.head[0] == &head[0] &&
		l.logFormat == opt.LogFormat && l.unit == opt.Unit && l.zone == opt.Zone {
		return l, nil
	}
	newReader, err := d.Learn(d.headLines(head, len(head)), opt)
	if err != nil {
		return nil, err
	}
	l := &lesson{head: head, logFormat: opt.LogFormat, unit: opt.Unit, zone: opt.Zone, newReader: newReader, opens: !d.Whole && !d.General}
	m.last.Store(l)
	return l, nil
}

// begin returns a run for another part, which knows the names that earlier ones met.
func (l *lesson) begin() *run {
	if x, ok := l.free.Get().(*run); ok {
		return x
	}
	x := &run{reader: l.newReader(), opens: l.opens}
	x.peeler.clock.Zone = l.zone
	return x
}

// end keeps a run for others, unless it was broken off within a line.
func (l *lesson) end(x *run) {
	if x.entry.More {
		return
	}
	x.in, x.yield, x.counts, x.lines, x.last, x.reached, x.written = ingest.Input{}, nil, counter{}, 0, 0, 0, 0
	x.pieces.reset()
	l.free.Put(x)
}
