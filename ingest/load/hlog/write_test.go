package hlog_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// recorded is a log of n intervals of 1 s with 1000 samples each, written by
// hdrhistogram-go. Encoding takes its time, so the histograms of the first 200
// come again and again after them.
func recorded(t testing.TB, n int) []byte {
	t.Helper()
	const start, shapes = 1_700_000_000_000, 200
	var log bytes.Buffer
	w := hdrhistogram.NewHistogramLogWriter(&log)
	w.SetBaseTime(start)
	for _, err := range []error{w.OutputLogFormatVersion(), w.OutputStartTime(start), w.OutputLegend()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var tails [][]byte // of a line, behind its start
	seed := uint64(1)
	for i := range n {
		if i >= shapes {
			fmt.Fprintf(&log, "%d.000000%s", i, tails[i%shapes])
			continue
		}
		h := hdrhistogram.New(1, 3600e9, 3)
		for range 1000 {
			seed = seed*6364136223846793005 + 1442695040888963407
			u := float64(seed>>11)/(1<<53) + 1e-9
			_ = h.RecordValue(int64(2e6 * math.Pow(u, -0.4)))
		}
		h.SetStartTimeMs(start + int64(i)*1000)
		h.SetEndTimeMs(start + int64(i+1)*1000)
		from := log.Len()
		if err := w.OutputIntervalHistogram(h); err != nil {
			t.Fatal(err)
		}
		line := log.Bytes()[from:]
		tails = append(tails, slices.Clone(line[bytes.IndexByte(line, ','):]))
	}
	return log.Bytes()
}

// histogram is one to be encoded as the specification says (AbstractHistogram
// in HdrHistogram, Java).
type histogram struct {
	version, word   int // 0, 1, 2; bytes of a count in versions 0 and 1
	plain           bool
	digits          int32
	lowest, highest int64
	counts          []int64
	length          int32 // stated length of the payload; 0: the true one
	payload         []byte
}

func (h histogram) encode() string {
	payload := h.payload
	for i := 0; i < len(h.counts); i++ {
		c := h.counts[i]
		switch {
		case h.version == 2:
			if zeros := int64(0); c == 0 {
				for ; i < len(h.counts) && h.counts[i] == 0; i++ {
					zeros++
				}
				i--
				if c = -zeros; zeros == 1 {
					c = 0
				}
			}
			payload = append(payload, leb128(c)...)
		case h.word == 2:
			payload = binary.BigEndian.AppendUint16(payload, uint16(c))
		case h.word == 4:
			payload = binary.BigEndian.AppendUint32(payload, uint32(c))
		default:
			payload = binary.BigEndian.AppendUint64(payload, uint64(c))
		}
	}
	size := uint32(h.word)
	if h.version == 2 {
		size = 1
	}
	cookie := [3]uint32{0x1c849308, 0x1c849301, 0x1c849303}[h.version] | size<<4
	b := binary.BigEndian.AppendUint32(nil, cookie)
	if h.version > 0 {
		if h.length == 0 {
			h.length = int32(len(payload))
		}
		b = binary.BigEndian.AppendUint32(b, uint32(h.length))
		b = binary.BigEndian.AppendUint32(b, 7) // how the writer rotated its counts
	}
	b = binary.BigEndian.AppendUint32(b, uint32(h.digits))
	b = binary.BigEndian.AppendUint64(b, uint64(h.lowest))
	b = binary.BigEndian.AppendUint64(b, uint64(h.highest))
	if h.version > 0 {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(1))
	} else {
		b = binary.BigEndian.AppendUint64(b, 99) // total count, which readers discard
	}
	b = append(b, payload...)
	if h.plain {
		return base64.StdEncoding.EncodeToString(b)
	}
	return pack(cookie+1, b)
}

func pack(cookie uint32, b []byte) string {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write(b)
	_ = w.Close()
	out := binary.BigEndian.AppendUint32(nil, cookie)
	out = binary.BigEndian.AppendUint32(out, uint32(z.Len()))
	return base64.StdEncoding.EncodeToString(append(out, z.Bytes()...))
}

// leb128 is ZigZag LEB128-64b9B: seven bits a byte, but eight in the ninth.
func leb128(v int64) (b []byte) {
	u := uint64(v)<<1 ^ uint64(v>>63)
	for len(b) < 8 && u >= 0x80 {
		b = append(b, byte(u)|0x80)
		u >>= 7
	}
	return append(b, byte(u))
}
