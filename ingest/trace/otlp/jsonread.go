package otlp

import (
	"bytes"
	"io"
	"iter"

	"github.com/tailcheck/tailcheck/ingest"
)

// layout is how documents lie in a JSON input.
type layout uint8

const (
	apart  layout = iota // one behind the other, over any number of lines
	lines                // one or more a line
	logged               // a line, behind what a logger puts in front, among other lines
	framed               // a length and a zstd frame for each (the collector's file exporter)
)

// marks start a document in a line of a log (Java's logging-otlp exporter).
var marks = [][]byte{[]byte(`{"resourceSpans":[`), []byte(`{"resource":{`)}

// layoutOf tells the layout by the first bytes of an input, for all its parts
// alike. A first document that goes on behind a line feed, or that another one
// follows on its line, says that lines do not separate documents; a line
// without an end in sight is one.
func layoutOf(head []byte) layout {
	if isZstdFrame(head) {
		return framed
	}
	s := scanner{b: head}
	first := s.peek()
	if first != '{' && first != '[' {
		if markIn(head) >= 0 {
			return logged
		}
		return lines
	}
	start := s.i
	s.skip()
	if s.bad {
		if first == '[' || bytes.IndexByte(head[start:], '\n') >= 0 {
			return apart
		}
		return lines
	}
	if bytes.IndexByte(head[start:s.i], '\n') >= 0 {
		return apart
	}
	rest := bytes.TrimLeft(head[s.i:], " \t\r")
	if len(rest) > 0 && rest[0] != '\n' {
		return apart
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if len(rest) > 0 && rest[0] != '{' && rest[0] != '[' {
		return apart
	}
	return lines
}

func splitJSON(head []byte) ingest.Split {
	switch layoutOf(head) {
	case lines, logged:
		return ingest.SplitLines
	case framed:
		return ingest.SplitFrames
	}
	return ingest.SplitNever
}

// readJSON reads every layout of OTLP JSON.
func readJSON(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		head, r, err := headOf(r, in)
		d := &decoder{sink: newSink(in, yield)}
		if err != nil {
			d.end(err)
			return
		}
		switch l := layoutOf(head); l {
		case framed:
			(&frames{json: d, proto: &protoDecoder{sink: &d.sink}}).read(r)
		case apart:
			d.readApart(r)
		default:
			d.loose = l == logged
			d.readLines(r)
		}
	}
}

// headOf returns the first bytes of the input: those that the caller gives, or
// else those of r, which is then read again from its start.
func headOf(r io.Reader, in ingest.Input) ([]byte, io.Reader, error) {
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

// readLines decodes the documents of each line.
func (d *decoder) readLines(r io.Reader) {
	l := ingest.NewLines(r)
	for !d.halt && l.Next() {
		line, at := l.Bytes(), 0
		if d.loose {
			if at = markIn(line); at < 0 {
				continue
			}
		}
		d.documents(line[at:], l.Offset()+int64(at))
	}
	if err := l.Err(); err != nil {
		d.end(err)
	}
}

// markIn returns where a document starts in a line of a log, or -1.
func markIn(line []byte) int {
	for _, m := range marks {
		if i := bytes.Index(line, m); i >= 0 {
			return i
		}
	}
	return -1
}

// maxBroken is how many documents without an end readApart survives: looking
// for the end of each goes over all that follows.
const maxBroken = 16

// readApart decodes documents that lie over many lines. Each is read whole;
// arrays are opened and read document by document.
func (d *decoder) readApart(r io.Reader) {
	w := window{r: r}
	arrays, broken := 0, 0
	for !d.halt {
		c := w.peek(0)
		switch {
		case w.err != nil:
			d.end(w.err)
			return
		case c == 0 && w.done:
			if arrays > 0 {
				d.b, d.base = nil, w.at
				d.trouble(0, errCut)
			}
			return
		case c == '[':
			arrays++
			w.take(1)
		case c == ']':
			arrays--
			w.take(1)
		case c <= ' ', c == ',': // between documents
			w.take(1)
		case c == '{':
			n, whole := w.value()
			if w.err != nil {
				d.end(w.err)
				return
			}
			d.documents(w.buf[w.start:w.start+n], w.at)
			if !whole {
				// documents has said that this one is cut off; another may
				// start on a line behind what was read of it
				i := bytes.Index(d.b[min(d.behind, n):], []byte("\n{"))
				if broken++; i < 0 || broken > maxBroken {
					return
				}
				n = d.behind + i + 1
			}
			w.take(n)
		default:
			at := w.at
			n := w.until("\n{", "\n[")
			d.base = at
			d.trouble(0, errNoSpans)
			w.take(n)
		}
	}
}
