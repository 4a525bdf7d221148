package log

import "github.com/tailcheck/tailcheck/ingest"

// pieces are the pieces of a line that a container runtime cut, as far as they
// have come. ingest.SplitPieces keeps them in one part of the input.
type pieces struct {
	stream  byte // 0: none have come
	text    []byte
	ends    []int   // of each piece in text
	offsets []int64 // of each piece's line
	stamp   Moment  // of the last
	wrapper string
}

func (p *pieces) reset() {
	p.stream, p.text, p.ends, p.offsets = 0, p.text[:0], p.ends[:0], p.offsets[:0]
}

// maxJoined is the longest line that is put together, in bytes.
const maxJoined = 1 << 20

// piece reads a line that may be a piece of one.
func (x *run) piece(line []byte) bool {
	p := &x.pieces
	stream, partial := ingest.Piece(line)
	if p.stream != 0 && p.stream != stream && !x.flush() {
		return false
	}
	if !partial && p.stream == 0 {
		return x.whole(line, x.last)
	}
	text, stamp, wrapper := x.peeler.layer(line, 0)
	if wrapper == "" {
		return x.flush() && x.whole(line, x.last)
	}
	p.stream = stream
	if len(p.text)+len(text) <= maxJoined {
		p.text = append(p.text, text...)
	}
	p.ends, p.offsets = append(p.ends, len(p.text)), append(p.offsets, x.last)
	p.stamp, p.wrapper = stamp, wrapper
	if partial && len(p.ends) < ingest.MaxPieces {
		return true
	}
	return x.flush()
}

// flush reads the pieces that have come: as one line, or, where that is none,
// each as a line of its own. Some runtimes mark whole lines as pieces.
func (x *run) flush() bool {
	p := &x.pieces
	if p.stream == 0 {
		return true
	}
	text, ends, offsets := p.text, p.ends, p.offsets
	p.reset()
	joined, stamp, _ := x.peeler.peel(text)
	stamp, wrapper := p.around(stamp)
	if len(ends) == 1 {
		return x.text(joined, stamp, wrapper, offsets[0])
	}
	if blank(joined) {
		return true
	}
	if err := x.parse(joined, &stamp, &wrapper, offsets[0]); err == nil {
		return x.text(joined, stamp, wrapper, offsets[0])
	}
	from := 0
	for i, end := range ends {
		part, stamp, _ := x.peeler.peel(text[from:end])
		stamp, wrapper := p.around(stamp)
		if !x.text(part, stamp, wrapper, offsets[i]) {
			return false
		}
		from = end
	}
	return true
}

// around returns the finer of an inner stamp and that of the runtime.
func (p *pieces) around(inner Moment) (Moment, string) {
	if inner.Time != 0 && inner.Resolution < p.stamp.Resolution {
		return inner, p.wrapper
	}
	return p.stamp, p.wrapper
}
