package spanscsv

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// reader reads one input.
type reader struct {
	*trace.Feed
	*layout
	cells [][]byte
	arena []byte // of cells that are not in the row as they are
	span  ingest.Span

	sourced     bool   // a source is set
	from, spare []byte // what the source was made of; a buffer
	c           trace.Cursor
}

// maxRow is the longest row that is put together of several lines, in bytes.
const maxRow = 16 << 20

var errQuote = errors.New("a text in quotes that does not end within 16 MiB, or before the end of the input")

// readLines reads rows of cells. A row with an odd number of quotes goes on in
// the next line: a text in quotes holds line feeds.
func (d *reader) readLines(r io.Reader, header bool) {
	lines := ingest.NewLines(r)
	var row []byte // of several lines
	at, open := int64(0), false
	for !d.Halted() && lines.Next() {
		line := lines.Bytes()
		odd := d.quoted && bytes.Count(line, []byte{'"'})%2 != 0
		switch {
		case open:
			if row = append(append(row, '\n'), line...); len(row) > maxRow {
				d.Problem(at, errQuote)
				open = false
				continue
			}
			if !odd {
				continue
			}
			line, open = row, false
		case odd:
			row, at, open = append(row[:0], line...), lines.Offset(), true
			continue
		default:
			at = lines.Offset()
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if header {
			header = false
			continue
		}
		if cells, ok := d.split(line); ok {
			d.row(cells, at)
		} else {
			d.Problem(at, errQuote)
		}
	}
	if open {
		d.Problem(at, errQuote)
	}
	if err := lines.Err(); err != nil {
		d.Fail(err)
	}
}

// split cuts a row into cells. They are valid until the next call. It returns
// false where a text in quotes goes on behind the row.
func (d *reader) split(line []byte) ([][]byte, bool) {
	d.cells, d.arena = d.cells[:0], d.arena[:0]
	if !d.quoted {
		for {
			i := bytes.IndexByte(line, d.comma)
			if i < 0 {
				break
			}
			d.cells = append(d.cells, d.unescape(line[:i]))
			line = line[i+1:]
		}
		d.cells = append(d.cells, d.unescape(line))
		return d.cells, true
	}
	for {
		var cell []byte
		if len(line) > 0 && line[0] == '"' {
			n := closing(line)
			if n < 0 {
				return nil, false
			}
			cell = d.unquote(line[1:n])
			line = line[n+1:]
		} else {
			n := bytes.IndexByte(line, d.comma)
			if n < 0 {
				n = len(line)
			}
			cell, line = line[:n], line[n:]
		}
		d.cells = append(d.cells, cell)
		n := bytes.IndexByte(line, d.comma) // what stands behind a quote and before the comma is dropped
		if n < 0 {
			return d.cells, true
		}
		line = line[n+1:]
	}
}

// closing returns where the text in quotes ends that line begins with, or -1.
func closing(line []byte) int {
	for i := 1; i < len(line); i++ {
		if line[i] == '"' {
			if i+1 < len(line) && line[i+1] == '"' {
				i++
				continue
			}
			return i
		}
	}
	return -1
}

// unquote makes two quotes one.
func (d *reader) unquote(t []byte) []byte {
	if bytes.IndexByte(t, '"') < 0 {
		return t
	}
	n := len(d.arena)
	for i := 0; i < len(t); i++ {
		d.arena = append(d.arena, t[i])
		if t[i] == '"' {
			i++
		}
	}
	return d.arena[n:]
}

// unescape reads the escapes of ClickHouse's TabSeparated.
func (d *reader) unescape(t []byte) []byte {
	if d.comma != '\t' || bytes.IndexByte(t, '\\') < 0 {
		return t
	}
	if string(t) == `\N` { // NULL
		return nil
	}
	n := len(d.arena)
	for i := 0; i < len(t); i++ {
		c := t[i]
		if c == '\\' && i+1 < len(t) {
			i++
			switch c = t[i]; c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'r':
				c = '\r'
			case 'b':
				c = '\b'
			case 'f':
				c = '\f'
			case '0':
				c = 0
			}
		}
		d.arena = append(d.arena, c)
	}
	return d.arena[n:]
}

// splitHeader cuts a header into names.
func splitHeader(line []byte, comma byte) []string {
	const most = 4096
	d := &reader{layout: &layout{comma: comma, quoted: comma != '\t'}}
	if bytes.Count(line, []byte{comma}) > most {
		return nil
	}
	cells, ok := d.split(line)
	if !ok {
		return nil
	}
	var names []string
	for _, c := range cells {
		names = append(names, string(bytes.Trim(c, " \"'`")))
	}
	return names
}

var errCells = errors.New("the row has not as many cells as the header")

func (d *reader) cellsDiffer(n int, at int64) {
	d.Problem(at, fmt.Errorf("%w: %d, not %d", errCells, n, len(d.names)))
}

// readJSON reads rows that are objects.
func (d *reader) readJSON(r io.Reader) {
	j := trace.NewJSON(r, d.Feed)
	for first := range j.Documents() {
		if first == '{' {
			d.object(j)
			continue
		}
		j.Open()
		for range j.Elements() {
			d.object(j)
		}
	}
}

// object reads a row. Maps are cells as they are written.
func (d *reader) object(j *trace.JSON) {
	raw := j.Raw()
	if j.Broken() {
		return
	}
	for len(d.cells) < len(d.names) {
		d.cells = append(d.cells, nil)
	}
	clear(d.cells)
	d.arena = d.arena[:0]
	d.c.Reset(raw)
	for member := range d.c.Members() {
		i, ok := d.index[string(member)]
		switch {
		case !ok:
			d.c.Skip()
		case d.c.Peek() == '{':
			d.cells[i] = d.c.Raw()
		default:
			d.cells[i] = d.c.Text()
		}
	}
	d.row(d.cells[:len(d.names)], j.At())
}
