package log

import (
	"bytes"
	"io"
	"iter"
	"sync/atomic"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// sniffed is how many lines decide whose log an input is.
const sniffed = 64

// Format returns the format that the dialect is.
func (d Dialect) Format() ingest.Format {
	m := &memo{}
	return ingest.Format{
		Name:     d.Name,
		Doc:      d.Doc,
		Yields:   ingest.KindSample | ingest.KindLog | ingest.KindProblem,
		Speaks:   d.Speaks,
		Sniff:    d.sniff,
		SplitFor: splitOf,
		Read:     func(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] { return d.read(m, r, in) },
	}
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
	own, all := 0, 0
	for _, line := range d.headLines(head, sniffed) {
		switch d.Claims(line) {
		case Own:
			own++
			all++
		case Foreign:
			all++
		}
	}
	return own > 0 && 2*own > all
}

// headLines returns the first lines of an input, most of them, as texts: freed
// of wrappers, those in an envelope where the text in it is one of the server's.
func (d *Dialect) headLines(head []byte, most int) (lines [][]byte) {
	var p peeler
	for raw := range bytes.Lines(head) {
		if len(raw) == 0 || raw[len(raw)-1] != '\n' && len(head) >= ingest.HeadSize {
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

type lesson struct {
	head      []byte
	logFormat string
	unit      time.Duration
	zone      *time.Location
	newReader func() Reader
}

func (d *Dialect) learn(m *memo, head []byte, opt ingest.Options) (func() Reader, error) {
	if l := m.last.Load(); l != nil && len(l.head) == len(head) && len(head) > 0 && &l.head[0] == &head[0] &&
		l.logFormat == opt.LogFormat && l.unit == opt.Unit && l.zone == opt.Zone {
		return l.newReader, nil
	}
	newReader, err := d.Learn(d.headLines(head, len(head)), opt)
	if err != nil {
		return nil, err
	}
	m.last.Store(&lesson{head, opt.LogFormat, opt.Unit, opt.Zone, newReader})
	return newReader, nil
}
