package otlp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/klauspost/compress/zstd"

	"github.com/tailcheck/tailcheck/ingest"
)

// zstdMagic starts every zstd frame (RFC 8878).
const zstdMagic = "\x28\xb5\x2f\xfd"

// maxWindow is the largest window that a frame may ask for, in bytes: above
// what any level but --ultra writes.
const maxWindow = 64 << 20

// isZstdFrame tells the collector's file exporter with compression: a length,
// and one zstd frame for each message. It is no zstd stream.
func isZstdFrame(head []byte) bool {
	return len(head) >= 8 && string(head[4:8]) == zstdMagic
}

// frames reads messages that stand behind their length: 4 bytes, big-endian.
// Each may be compressed, and JSON or protobuf.
type frames struct {
	json  *decoder
	proto *protoDecoder
	zstd  *zstd.Decoder
	plain []byte // of what was compressed
}

var errFrame = errors.New("the frame is cut off: the input ends in it")

func (f *frames) read(r io.Reader) {
	d := f.proto
	defer func() {
		if f.zstd != nil {
			f.zstd.Close()
		}
	}()
	for w := (window{r: r}); !d.halt; {
		d.base, d.packed = w.at, false
		head := w.need(4)
		if w.err == nil && len(head) == 0 {
			return
		}
		if w.err == nil && len(head) < 4 {
			d.trouble(0, fmt.Errorf("%d bytes that are no frame end the input", len(head)))
			return
		}
		size, b := 0, []byte(nil)
		if w.err == nil {
			if size = int(binary.BigEndian.Uint32(head)); size > ingest.MaxLine {
				d.end(fmt.Errorf("at byte %d: a frame of %d bytes, more than 256 MiB, or no length of a frame", d.in.Pos(w.at).Offset, size))
				return
			}
			b = w.need(4 + size)
		}
		if w.err != nil {
			d.end(w.err)
			return
		}
		f.frame(b[4:])
		if len(b) < 4+size {
			d.base, d.packed = w.at, false
			d.trouble(len(b), errFrame)
			return
		}
		w.take(len(b))
	}
}

// frame decodes one message.
func (f *frames) frame(b []byte) {
	d := f.proto
	d.base += 4
	if len(b) >= 4 && string(b[:4]) == zstdMagic {
		plain, err := f.decompress(b)
		if err != nil {
			d.trouble(0, fmt.Errorf("the zstd frame cannot be read: %w", err))
		}
		b, d.packed = plain, true
	}
	if len(b) > 0 && (b[0] == '{' || b[0] == '[') {
		f.json.documents(b, d.base)
	} else if c := probe(b); c == metrics || c == logs {
		d.trouble(0, errSignal(c)) // one file exporter may write all signals
	} else {
		d.request(b)
	}
}

// decompress returns what is in a zstd frame, as far as it can be read.
func (f *frames) decompress(b []byte) ([]byte, error) {
	if f.zstd == nil {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(ingest.MaxLine), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		f.zstd = z
	}
	var err error
	f.plain, err = f.zstd.DecodeAll(b, f.plain[:0])
	return f.plain, err
}

// readProto reads OTLP protobuf: one message, or frames.
func readProto(r io.Reader, in ingest.Input) iter.Seq2[ingest.Record, error] {
	return func(yield func(ingest.Record, error) bool) {
		head, r, err := headOf(r, in)
		j := &decoder{sink: newSink(in, yield)}
		d := &protoDecoder{sink: &j.sink}
		switch {
		case err != nil:
			d.end(err)
		case splitProto(head) == ingest.SplitFrames:
			(&frames{json: j, proto: d}).read(r)
		default:
			d.readBare(r)
		}
	}
}

// splitProto tells frames from one bare message, which starts with the tag of
// its first field. A frame can start so only if it is 160 MiB long.
func splitProto(head []byte) ingest.Split {
	if len(head) >= 5 && (head[0] != tagResourceSpans || probe(head) == nothing && head[4] == tagResourceSpans) {
		return ingest.SplitFrames
	}
	return ingest.SplitNever
}

// readBare decodes a request that is not framed, one ResourceSpans at a time.
func (d *protoDecoder) readBare(r io.Reader) {
	w := window{r: r}
	for !d.halt {
		c := w.peek(0)
		if w.err != nil {
			d.end(w.err)
			return
		}
		if c == 0 && w.done && w.start >= w.end {
			return
		}
		n, whole := w.field()
		if w.err != nil {
			d.end(w.err)
			return
		}
		d.base = w.at
		d.request(w.buf[w.start : w.start+n])
		if !whole {
			return // request has said that it is cut off
		}
		w.take(n)
	}
}

// field returns the length of the field that starts here, and whether it is
// there as a whole.
func (w *window) field() (int, bool) {
	for {
		f := fields{b: w.buf[w.start:w.end]}
		if x := (field{}); f.next(&x) || !f.bad {
			return f.i, true
		}
		if !f.short || w.done || w.err != nil {
			return w.end - w.start, false
		}
		w.fill()
	}
}
