package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxText is how much text is searched for reports in a file that is not one
// report from its first byte on, in bytes.
const maxText = 256 << 20

// Found is one report: a whole file, or a section of one.
type Found struct {
	File   *File
	Format *Format
	Line   int64  // of its first line in the file
	Part   bool   // it is one of several reports, or stands below other text
	Head   []byte // its first bytes, up to HeadSize

	Command     string // command line found above it; empty: none
	CommandFrom Fact

	stream io.ReadCloser // the whole file, from its start; used once
	data   []byte        // a section
}

// Find returns the reports in a file. A file that one format claims from its
// first byte is one report; in other text the reports are found by the formats'
// anchors. Name is the only format looked for; empty: all.
func Find(f *File, formats []Format, name string) ([]*Found, error) {
	if name != "" {
		for i := range formats {
			if formats[i].Name == name {
				formats = formats[i : i+1]
				break
			}
		}
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, bare(err))
	}
	head, err := readHead(r)
	blank := len(bytes.TrimSpace(bytes.Trim(head, "\x00"))) == 0
	switch {
	case err != nil && (blank || err != errCut): // what came before a cut is still looked at
		_ = r.Close()
		return nil, fmt.Errorf("%s: %w", f.Path, bare(err))
	case blank:
		_ = r.Close()
		return nil, &Empty{f.Path}
	}
	whole := func(format *Format) []*Found {
		return []*Found{{File: f, Format: format, Line: 1, Head: head, stream: &joined{io.MultiReader(bytes.NewReader(head), r), r}}}
	}
	if name != "" && len(formats[0].Anchors) == 0 {
		return whole(&formats[0]), nil
	}
	claims := claimants(formats, 0, func(x *Format) bool {
		return (len(x.Anchors) == 0 || x.Split != SplitNever) && x.Sniff(head)
	})
	if len(claims) == 0 && len(sections(head, formats)) == 0 {
		claims = general(formats, head)
	}
	if len(claims) == 1 {
		return whole(claims[0]), nil
	}
	if len(claims) > 1 {
		_ = r.Close()
		return nil, ambiguous(f.Path, claims)
	}
	defer r.Close()
	text, err := readAll(head, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, bare(err))
	}
	return search(f, text, formats, name)
}

// claimants returns the formats of one generality that claim something.
func claimants(formats []Format, general uint8, claims func(*Format) bool) (all []*Format) {
	for i := range formats {
		if formats[i].General == general && claims(&formats[i]) {
			all = append(all, &formats[i])
		}
	}
	return all
}

// general returns the least general formats that claim what no particular one does.
func general(formats []Format, head []byte) (all []*Format) {
	for g := uint8(1); g <= 2 && len(all) == 0; g++ {
		all = claimants(formats, g, func(x *Format) bool { return x.Sniff(head) })
	}
	return all
}

// readHead reads the first HeadSize bytes, or all of a shorter input. Unlike
// io.ReadFull it tells an input that ends from one that is cut short.
func readHead(r io.Reader) ([]byte, error) {
	head := make([]byte, HeadSize)
	n := 0
	for n < len(head) {
		m, err := r.Read(head[n:])
		n += m
		if err == io.EOF {
			break
		}
		if err != nil {
			return head[:n], err
		}
	}
	return head[:n], nil
}

var errLong = errors.New("no format claims it, and at over 256 MiB it is too long to be searched for reports")

// readAll reads the rest of an input behind its head, in one piece of memory:
// io.ReadAll would hold it twice, and a small compressed file may be a long text.
func readAll(head []byte, r io.Reader) ([]byte, error) {
	text := head
	for {
		if len(text) == cap(text) {
			text = append(make([]byte, 0, min(2*len(text), maxText+1)), text...) // append alone may take half as much again
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case len(text) > maxText:
			return nil, errLong
		case err == io.EOF:
			return text, nil
		case err != nil:
			return nil, err
		}
	}
}

type joined struct {
	io.Reader
	c io.Closer
}

func (j *joined) Close() error { return j.c.Close() }

// bare drops the path that os errors carry: it stands in front already.
func bare(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// search finds the reports in a text.
func search(f *File, text []byte, formats []Format, name string) ([]*Found, error) {
	var out []*Found
	found := sections(text, formats)
	for _, s := range found {
		claims := claimants(formats, 0, func(x *Format) bool { return len(x.Anchors) > 0 && x.Sniff(head(s.data)) })
		if len(claims) > 1 {
			return nil, ambiguous(f.Path, claims)
		}
		if len(claims) == 1 {
			out = append(out, s.found(f, claims[0]))
		}
	}
	if len(out) > 0 {
		for _, x := range out {
			x.Part = len(out) > 1 || !blankBefore(text, x.Line)
		}
		return out, nil
	}
	// an excerpt that begins below every anchor
	start := head(cleaned(text, HeadSize))
	claims := claimants(formats, 0, func(x *Format) bool { return x.Sniff(start) })
	if len(claims) == 0 {
		claims = general(formats, start)
	}
	switch {
	case len(claims) > 1:
		return nil, ambiguous(f.Path, claims)
	case len(claims) == 1, name != "":
		if len(claims) == 0 {
			claims = []*Format{&formats[0]}
		}
		whole := &section{line: 1, data: cleaned(text, len(text))}
		return []*Found{whole.found(f, claims[0])}, nil
	}
	u := &Unrecognised{Path: f.Path}
	heads := [][]byte{start, head(text)} // the second for formats that are no text
	for _, s := range found {
		heads = append(heads, head(s.data))
	}
	for _, x := range formats {
		u.Looked = append(u.Looked, x.Name)
		for _, h := range heads {
			if x.Near != nil && u.Near == "" {
				if near := x.Near(h); near != "" {
					u.Near = x.Name + ": " + near
				}
			}
		}
	}
	return nil, u
}

// cleaned returns the start of a text as a terminal would have shown it: whole
// lines, about n bytes of them.
func cleaned(text []byte, n int) []byte {
	var out []byte
	for len(text) > 0 && len(out) < n {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		out = append(clean(out, line), '\n')
	}
	return out
}

func head(b []byte) []byte { return b[:min(len(b), HeadSize)] }

// blankBefore reports whether the lines above a line are blank.
func blankBefore(text []byte, line int64) bool {
	for n := int64(1); n < line; n++ {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			return true
		}
		if len(bytes.TrimSpace(text[:i])) > 0 {
			return false
		}
		text = text[i+1:]
	}
	return true
}

func (s *section) found(f *File, format *Format) *Found {
	x := &Found{File: f, Format: format, Line: s.line, Head: head(s.data), data: s.data}
	if line, back := command(s.before, format.Commands); line != "" {
		x.Command, x.CommandFrom = line, CommandFact(f.Path, s.line-int64(back))
	}
	return x
}

// Section reports whether the report was cut out of a text.
func (x *Found) Section() bool { return x.stream == nil }

// Open returns the bytes of the report. It is called once.
func (x *Found) Open() io.ReadCloser {
	if x.stream != nil {
		return x.stream
	}
	return io.NopCloser(bytes.NewReader(x.data))
}

// Lines returns the line numbers in the file, from 1, of byte offsets in the
// report, which must rise. Where a stream cannot be read again it returns nil.
func (x *Found) Lines(offsets []int64) []int64 {
	var r io.Reader = bytes.NewReader(x.data)
	line := x.Line
	if !x.Section() {
		again, err := x.File.Open()
		if err != nil {
			return nil
		}
		defer again.Close()
		r = again
	}
	out := make([]int64, 0, len(offsets))
	buf := make([]byte, 256<<10)
	var at int64
	for _, want := range offsets {
		for at < want {
			n, err := r.Read(buf[:min(int64(len(buf)), want-at)])
			line += int64(bytes.Count(buf[:n], []byte("\n")))
			at += int64(n)
			if err != nil {
				break
			}
		}
		out = append(out, line)
	}
	return out
}
