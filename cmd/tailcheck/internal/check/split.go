package check

import (
	"context"
	"io"
	"slices"

	"github.com/tailcheck/tailcheck/ingest"
)

// split cuts an input where parts may begin and hands the chunks to the workers. It
// returns the offset at which reading failed.
func split(ctx context.Context, x *input, in ingest.Input, cut ingest.Split, opt Options, work chan<- part, free <-chan []byte) (int64, error) {
	r := x.found.Open()
	defer r.Close()
	counted := opt.count(r)
	size := opt.Chunk
	if x.found.Format.Yields&ingest.KindSpan != 0 {
		size = max(size, min(size*spanChunks, spanChunk))
	}
	var rest []byte
	for offset := int64(0); ; in.Part++ {
		if err := ctx.Err(); err != nil {
			return offset, err
		}
		var buf []byte
		select {
		case buf = <-free:
		default:
			buf = make([]byte, 0, size)
		}
		buf = append(buf, rest...)
		rest = rest[:0]
		var err error
		end := 0
		for err == nil && end == 0 {
			if len(buf) == cap(buf) {
				if len(buf) >= ingest.MaxLine {
					return offset, ingest.ErrLineTooLong
				}
				buf = slices.Grow(buf, len(buf))
			}
			var n int
			from := len(buf)
			n, err = fill(counted, buf[from:cap(buf)])
			buf = buf[:from+n]
			end = cut.Cut(buf)
		}
		last := err != nil
		if last {
			end = len(buf)
		}
		rest = append(rest, buf[end:]...)
		if end > 0 {
			in.Offset = offset
			work <- part{format: x.found.Format, in: in, data: buf[:end]}
			offset += int64(end)
		}
		if last {
			if err != io.EOF {
				return offset, err
			}
			return offset, nil
		}
	}
}

// fill reads until buf is full or reading ends. Unlike io.ReadFull it hands on
// the reader's own error, so that a compressed file cut short is not taken for
// one that ended.
func fill(r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	return n, err
}
