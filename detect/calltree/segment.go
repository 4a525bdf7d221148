package calltree

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync/atomic"
)

// Parts of a store: the traces are spread over them by a hash of their ids.
const (
	partBits = 7
	parts    = 1 << partBits
)

// Sizes at which a segment is full.
const (
	segmentRows = 256
	segmentText = 64 << 10 // bytes
)

// segment is some rows of one part, and the texts beside them.
type segment struct {
	names *names
	rows  []row
	text  []byte
}

func (g *segment) full() bool { return len(g.rows) >= segmentRows || len(g.text) >= segmentText }

func (g *segment) size() int64 { return rowSize*int64(cap(g.rows)) + int64(cap(g.text)) }

// add puts a text beside the rows.
func (g *segment) add(s string) ref {
	r := beside | ref(len(g.text))
	g.text = append(binary.AppendUvarint(g.text, uint64(len(s))), s...)
	return r
}

// str returns the text of a ref of the segment.
func (g *segment) str(r ref) string {
	if r&beside == 0 {
		return g.names.list[r]
	}
	b := g.text[r&^beside:]
	n, w := binary.Uvarint(b)
	return string(b[w:][:n])
}

// Memory is what the stores of one run may use together. It is safe for
// concurrent use. Nil is no limit.
type Memory struct {
	limit int64
	dir   string
	used  atomic.Int64
}

// NewMemory returns a bound of so many bytes on spans at rest, 0 for none. Past
// it, spans go to temporary files in dir; empty: where the system has them.
func NewMemory(limit int64, dir string) *Memory { return &Memory{limit: limit, dir: dir} }

// Used returns the bytes that spans at rest take now, without the segments
// that are not full (at most 12 MB for each store that is being filled).
func (m *Memory) Used() int64 { return m.used.Load() }

func (m *Memory) add(n int64) (over bool) {
	return m != nil && m.used.Add(n) > m.limit && m.limit > 0
}

// shelf holds the full segments of one store: in memory, and where that is
// short, in a file that nobody else sees. All of them share one table of names.
type shelf struct {
	memory *Memory
	names  *names
	held   [parts][]*segment
	size   int64 // bytes held in memory
	listed int64 // bytes of names that memory was told of

	file   *os.File // nil: nothing was spilled
	remove bool     // it still has a name
	end    int64    // of the file
	blocks [parts][]block
}

// block is a segment in the file: the rows, then the text.
type block struct {
	at         int64
	rows, text int32
}

// put takes a full segment.
func (s *shelf) put(part int, g *segment) error {
	s.held[part] = append(s.held[part], g)
	grown := s.names.size() - s.listed
	s.listed += grown
	s.size += g.size()
	if s.memory.add(g.size() + grown) {
		return s.spill()
	}
	return nil
}

// spill writes all held segments to the file.
func (s *shelf) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp(s.memory.dir, "tailcheck-spans-*")
		if err != nil {
			return err
		}
		s.file = f
		s.remove = os.Remove(f.Name()) != nil // a file without a name goes away with its process
	}
	var buf []byte
	flush := func() error {
		n, err := s.file.WriteAt(buf, s.end)
		s.end += int64(n)
		buf = buf[:0]
		return err
	}
	for part, list := range s.held {
		for i, g := range list {
			s.blocks[part] = append(s.blocks[part], block{s.end + int64(len(buf)), int32(len(g.rows)), int32(len(g.text))})
			for i := range g.rows {
				buf = g.rows[i].encode(buf)
			}
			buf = append(buf, g.text...)
			list[i] = nil
			if len(buf) >= 1<<20 {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		s.held[part] = nil
	}
	s.memory.add(-s.size)
	s.size = 0
	return flush()
}

// each calls visit with every segment of a part. Those of the file are read
// anew each time.
func (s *shelf) each(part int, visit func(*segment) error) error {
	for _, g := range s.held[part] {
		if err := visit(g); err != nil {
			return err
		}
	}
	for _, b := range s.blocks[part] {
		buf := make([]byte, rowSize*int(b.rows)+int(b.text))
		if n, err := s.file.ReadAt(buf, b.at); n < len(buf) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		g := &segment{names: s.names, rows: make([]row, b.rows), text: buf[rowSize*int(b.rows):]}
		for i := range g.rows {
			g.rows[i].decode(buf[rowSize*i:])
		}
		if err := visit(g); err != nil {
			return err
		}
	}
	return nil
}

// rows returns how many spans of a part the shelf holds.
func (s *shelf) rows(part int) (n int64) {
	for _, g := range s.held[part] {
		n += int64(len(g.rows))
	}
	for _, b := range s.blocks[part] {
		n += int64(b.rows)
	}
	return n
}

func (s *shelf) close() error {
	s.memory.add(-s.size - s.listed)
	s.held, s.blocks, s.size, s.listed = [parts][]*segment{}, [parts][]block{}, 0, 0
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.remove {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	s.file = nil
	return err
}
