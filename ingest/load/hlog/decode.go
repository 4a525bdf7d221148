package hlog

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"time"

	"github.com/klauspost/compress/zlib"

	"github.com/tailcheck/tailcheck/ingest"
)

// The first word of an encoded histogram, without its word size (0xf0). Source:
// AbstractHistogram in HdrHistogram (Java); the decoder follows
// decodeFromByteBuffer and fillCountsArrayFromSourceBuffer there.
const (
	cookieV0, packedV0 = 0x1c849308, 0x1c849309
	cookieV1, packedV1 = 0x1c849301, 0x1c849302
	cookieV2, packedV2 = 0x1c849303, 0x1c849304
)

// Bounds of what one line may make the decoder hold. A real histogram of three
// digits has at most 60 000 buckets, and few of them filled.
const (
	maxPayload = 4 << 20 // bytes of counts
	maxFilled  = 1 << 18 // buckets that hold a sample
	maxSamples = 1e12    // of one interval: more than any can hold, so that those of a log add up
)

var (
	errBase64    = errors.New("the histogram is not Base64")
	errCookie    = errors.New("the payload is no HdrHistogram of version 0, 1 or 2")
	errShort     = errors.New("the histogram is cut short")
	errGeometry  = errors.New("the histogram's digits and range are impossible")
	errTooMany   = errors.New("the histogram holds more counts than its range has buckets")
	errNegative  = errors.New("the histogram holds a negative count")
	errOverflow  = errors.New("the histogram's counts add up to more than 10^12")
	errOversized = fmt.Errorf("the histogram has over %d bytes of counts or %d filled buckets", maxPayload, maxFilled)
)

// decoder turns payloads into buckets, with memory that it keeps for the next.
type decoder struct {
	raw   []byte // after Base64
	plain []byte // after zlib
	src   bytes.Reader
	z     io.ReadCloser
}

// decode appends the filled buckets of a Base64 payload to out, from the lowest
// on, and returns how many samples they hold. Values are times unit.
func (d *decoder) decode(payload []byte, unit int64, out []ingest.Bucket) ([]ingest.Bucket, int64, error) {
	if n := base64.StdEncoding.DecodedLen(len(payload)); n > cap(d.raw) {
		d.raw = make([]byte, n)
	}
	d.raw = d.raw[:cap(d.raw)]
	n, err := base64.StdEncoding.Decode(d.raw, payload)
	if err != nil {
		return out, 0, errBase64
	}
	body := d.raw[:n]
	if len(body) < 8 {
		return out, 0, errShort
	}
	switch cookie(body) {
	case packedV0, packedV1, packedV2:
		length := binary.BigEndian.Uint32(body[4:])
		if int64(length) > int64(len(body)-8) {
			return out, 0, errShort
		}
		if body, err = d.inflate(body[8 : 8+length]); err != nil {
			return out, 0, err
		}
	}
	g, counts, err := readGeometry(body)
	if err != nil {
		return out, 0, err
	}
	return g.buckets(counts, unit, out)
}

// cookie returns the first word without the word size.
func cookie(b []byte) uint32 { return binary.BigEndian.Uint32(b) &^ 0xf0 }

// inflate decompresses what a histogram can hold at most; it allocates only as
// the bytes come.
func (d *decoder) inflate(b []byte) ([]byte, error) {
	d.src.Reset(b)
	var err error
	if d.z == nil {
		d.z, err = zlib.NewReader(&d.src)
	} else {
		err = d.z.(zlib.Resetter).Reset(&d.src, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("the histogram does not decompress: %w", err)
	}
	if d.plain == nil {
		d.plain = make([]byte, 8<<10)
	}
	const most = headerV1 + maxPayload
	for n := 0; ; {
		if n == len(d.plain) {
			if n >= most {
				return nil, errOversized
			}
			d.plain = append(d.plain, make([]byte, min(n, most-n))...)
		}
		m, err := d.z.Read(d.plain[n:])
		n += m
		if err == io.EOF {
			return d.plain[:n], nil
		}
		if err != nil {
			return nil, fmt.Errorf("the histogram does not decompress: %w", err)
		}
	}
}

// Lengths of the headers, in bytes.
const (
	headerV0 = 32 // cookie, digits, lowest, highest, total count
	headerV1 = 40 // cookie, payload length, normalizing offset, digits, lowest, highest, ratio to double
)

// geometry says which values a count stands for.
type geometry struct {
	word int   // bytes of a count; 0: ZigZag LEB128 with runs of zeros
	unit uint  // log2 of the width of the lowest buckets
	half uint  // log2 of half the number of equal buckets per doubling
	size int64 // counts of the whole range
}

// readGeometry reads the header of an encoded histogram and returns the counts
// behind it. The normalizing offset is how the writer kept its counts in
// memory: they are written in order.
func readGeometry(b []byte) (g geometry, counts []byte, err error) {
	if len(b) < headerV0 {
		return g, nil, errShort
	}
	g.word = int(b[3]>>4) & 0xe
	var fields []byte
	switch cookie(b) {
	case cookieV0:
		fields, counts = b[4:], b[headerV0:]
	case cookieV2:
		g.word = 0
		fallthrough
	case cookieV1:
		if len(b) < headerV1 {
			return g, nil, errShort
		}
		length := binary.BigEndian.Uint32(b[4:])
		if fields, counts = b[12:], b[headerV1:]; int64(length) > int64(len(counts)) {
			return g, nil, errShort
		}
		counts = counts[:length]
	default:
		return g, nil, errCookie
	}
	digits := int32(binary.BigEndian.Uint32(fields))
	lowest := int64(binary.BigEndian.Uint64(fields[4:]))
	highest := int64(binary.BigEndian.Uint64(fields[12:]))
	if digits < 0 || digits > 5 || highest < 0 || g.word != 0 && g.word != 2 && g.word != 4 && g.word != 8 || cookie(b) != cookieV2 && g.word == 0 {
		return g, nil, errGeometry
	}
	single := uint64(2)
	for range digits {
		single *= 10
	}
	// hdrhistogram-go 1.0.0 wrote a lowest value of 0 and meant 1.
	g.unit = uint(bits.Len64(uint64(max(lowest, 1))) - 1)
	g.half = uint(max(bits.Len64(single-1), 1) - 1)
	if g.unit+g.half > 61 {
		return g, nil, errGeometry
	}
	if len(counts) > maxPayload {
		return g, nil, errOversized
	}
	octaves := int64(1)
	for top := int64(2) << (g.half + g.unit); top <= highest; octaves++ {
		if top > math.MaxInt64/2 {
			octaves++
			break
		}
		top <<= 1
	}
	g.size = (octaves + 1) << g.half
	return g, counts, nil
}

// buckets appends the filled buckets to out.
func (g geometry) buckets(counts []byte, unit int64, out []ingest.Bucket) ([]ingest.Bucket, int64, error) {
	var total, index int64
	filled := 0
	for len(counts) > 0 {
		var count int64
		if g.word == 0 {
			n := 0
			if count, n = zigzag(counts); n == 0 {
				return out, 0, errShort
			}
			counts = counts[n:]
			if count < 0 { // a run of empty buckets
				if count == math.MinInt64 || -count > g.size-index {
					return out, 0, errTooMany
				}
				index -= count
				continue
			}
		} else {
			if len(counts) < g.word {
				return out, 0, errShort
			}
			switch g.word {
			case 2:
				count = int64(int16(binary.BigEndian.Uint16(counts)))
			case 4:
				count = int64(int32(binary.BigEndian.Uint32(counts)))
			case 8:
				count = int64(binary.BigEndian.Uint64(counts))
			}
			counts = counts[g.word:]
			if count < 0 {
				return out, 0, errNegative
			}
		}
		if index >= g.size {
			return out, 0, errTooMany
		}
		if count > 0 {
			if count > maxSamples-total {
				return out, 0, errOverflow
			}
			if filled++; filled > maxFilled {
				return out, 0, errOversized
			}
			total += count
			low, width := g.value(index)
			out = append(out, ingest.Bucket{
				Low:   time.Duration(times(low, unit) - 1),
				High:  time.Duration(times(low+(width-1), unit)),
				Count: count,
			})
		}
		index++
	}
	return out, total, nil
}

// value returns the lowest value that a count stands for, and how many values
// it stands for.
func (g geometry) value(index int64) (low, width int64) {
	octave := index >> g.half
	if octave > 0 {
		octave--
	}
	width = 1 << (g.unit + uint(octave))
	return (index - octave<<g.half) * width, width
}

// times multiplies, and stops at the highest value.
func times(v, unit int64) int64 {
	if unit == 1 {
		return v
	}
	if hi, lo := bits.Mul64(uint64(v), uint64(unit)); hi == 0 && lo <= math.MaxInt64 {
		return int64(lo)
	}
	return math.MaxInt64
}

// zigzag reads a ZigZag LEB128-64b9B number, whose ninth byte is whole, and
// returns how many bytes it takes; 0: it is cut.
func zigzag(b []byte) (int64, int) {
	if c := b[0]; c < 0x80 {
		return int64(c>>1) ^ -int64(c&1), 1
	}
	var v uint64
	for i := 0; i < len(b) && i < 9; i++ {
		c := b[i]
		if i == 8 {
			v |= uint64(c) << 56
		} else {
			v |= uint64(c&0x7f) << (7 * i)
		}
		if c < 0x80 || i == 8 {
			return int64(v>>1) ^ -int64(v&1), i + 1
		}
	}
	return 0, 0
}
