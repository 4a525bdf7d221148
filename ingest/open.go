package ingest

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxSpool is how much of a stream that cannot be opened twice is kept, in
// bytes, so that lines can be counted in it afterwards.
const maxSpool = 16 << 20

// File is a named input before it is known what it holds.
type File struct {
	Path   string
	stream io.Reader // standard input, or another stream that is read once; nil: a regular file
	spool  bytes.Buffer
	full   bool // the stream was longer than maxSpool
}

// OpenFile returns the file of a path; "-" is stdin. It does not read yet, but
// reports a path that cannot be opened or is a directory.
func OpenFile(path string, stdin io.Reader) (*File, error) {
	if path == "-" {
		return &File{Path: path, stream: stdin}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &os.PathError{Op: "read", Path: path, Err: errors.New("is a directory")}
	}
	f := &File{Path: path}
	if !info.Mode().IsRegular() {
		s, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		f.stream = s
	}
	return f, nil
}

// Open returns the bytes of the file, decompressed (gzip, zstd and bzip2 by
// content), without a byte order mark, and UTF-16 turned into UTF-8. A stream
// can be opened once, and again only while it is short.
func (f *File) Open() (io.ReadCloser, error) {
	if f.stream == nil {
		s, err := os.Open(f.Path)
		if err != nil {
			return nil, err
		}
		return decode(s, s)
	}
	if f.spool.Len() > 0 {
		if f.full {
			return nil, errors.New("a stream cannot be read twice")
		}
		return decode(bytes.NewReader(f.spool.Bytes()), nil)
	}
	return decode(io.TeeReader(f.stream, spooler{f}), nil)
}

type spooler struct{ f *File }

func (s spooler) Write(p []byte) (int, error) {
	if s.f.spool.Len()+len(p) > maxSpool {
		s.f.full = true
	} else if !s.f.full {
		s.f.spool.Write(p)
	}
	return len(p), nil
}

// errCut is the error of a compressed file that ends too early. Its bytes so far
// may look like a whole report.
var errCut = errors.New("the compressed data is cut short")

// cutter names the error of compressed data that ends too early.
type cutter struct{ r io.Reader }

func (c cutter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	return n, cutError(err)
}

func cutError(err error) error {
	if err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}

type decoded struct {
	io.Reader
	close []func()
}

func (d *decoded) Close() error {
	for _, c := range d.close {
		c()
	}
	return nil
}

// decode peels compression and encodings off r.
func decode(r io.Reader, c io.Closer) (io.ReadCloser, error) {
	d := &decoded{}
	if c != nil {
		d.close = append(d.close, func() { _ = c.Close() })
	}
	b := bufio.NewReaderSize(r, 64<<10)
	for range 3 { // compressed twice happens; more is an attack
		magic, _ := b.Peek(4)
		switch {
		case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
			z, err := gzip.NewReader(b)
			if err != nil {
				_ = d.Close()
				return nil, cutError(err)
			}
			b = bufio.NewReaderSize(cutter{z}, 64<<10)
		case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
			z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
			if err != nil {
				_ = d.Close()
				return nil, err
			}
			d.close = append(d.close, z.Close)
			b = bufio.NewReaderSize(cutter{z}, 64<<10)
		case bytes.HasPrefix(magic, []byte("BZh")):
			b = bufio.NewReaderSize(cutter{bzip2.NewReader(b)}, 64<<10)
		default:
			d.Reader = text(b)
			return d, nil
		}
	}
	d.Reader = text(b)
	return d, nil
}

// text drops a byte order mark and decodes UTF-16, which PowerShell writes.
func text(b *bufio.Reader) io.Reader {
	mark, _ := b.Peek(3)
	switch {
	case bytes.Equal(mark, []byte{0xef, 0xbb, 0xbf}):
		_, _ = b.Discard(3)
	case bytes.HasPrefix(mark, []byte{0xff, 0xfe}):
		_, _ = b.Discard(2)
		return &utf16Reader{b: b, order: binary.LittleEndian}
	case bytes.HasPrefix(mark, []byte{0xfe, 0xff}):
		_, _ = b.Discard(2)
		return &utf16Reader{b: b, order: binary.BigEndian}
	}
	return b
}

type utf16Reader struct {
	b     *bufio.Reader
	order binary.ByteOrder
	out   []byte
	err   error // that ended b
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		units := make([]uint16, 0, 2048)
		for len(units) < cap(units) {
			lead, err := u.b.ReadByte()
			var trail byte
			if err == nil {
				trail, err = u.b.ReadByte()
			}
			if err != nil { // half of a unit at the end says nothing
				u.err = err
				break
			}
			units = append(units, u.order.Uint16([]byte{lead, trail}))
			if len(units) == cap(units)-1 && !utf16.IsSurrogate(rune(units[len(units)-1])) {
				break
			}
		}
		u.out = []byte(string(utf16.Decode(units)))
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}
