package hey

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// rowReader turns the rows of a CSV into samples.
type rowReader struct {
	blocks
	in      ingest.Input
	columns int // 8, 6 or 1
	sample  ingest.Sample
	problem ingest.Problem
}

// errCut is the error of a file whose last row is not whole.
var errCut = errors.New("cut off: the file ends within a row")

// longestRow is at least the length of a row that the fast path reads.
const longestRow = 80

// read yields the rows and reports whether the file was read to its end.
//
// A usual row has 8 columns with one digit before the point, three digits of
// status and an offset: 53 bytes or a few more. fast reads it in place with
// eight loads, checking every byte; whatever it does not know goes to slow.
func (r *rowReader) read(yield func(ingest.Record, error) bool) bool {
	s := &r.sample
	for {
		if r.columns == 8 {
			buf, base := r.buf, r.in.Offset+r.offset
			i, end := r.start, r.end-longestRow
			for i <= end {
				n := fast((*[longestRow]byte)(buf[i:]), s)
				if n == 0 {
					break
				}
				s.Offset = base + int64(i)
				i += n
				if !yield(s, nil) {
					return false
				}
			}
			r.start = i
			if i > end && r.more() {
				continue
			}
		}
		at := r.offset + int64(r.start)
		line := r.line()
		if line == nil {
			return true
		}
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if len(line) == 0 {
			if r.in.Section {
				return true
			}
			continue
		}
		if err := r.slow(line); err != nil {
			if r.in.Section {
				r.err = nil
				return true
			}
			r.problem.Pos, r.problem.Err = r.in.Pos(at), err
			if !yield(&r.problem, nil) {
				return false
			}
			if bytes.Count(line, []byte(",")) < r.columns-1 && r.cut() {
				// hey writes whole rows: what came behind this one is missing.
				r.err = errCut
				return true
			}
			continue
		}
		s.Pos = r.in.Pos(at)
		if !yield(s, nil) {
			return false
		}
	}
}

// The bytes of `d.dddd,` as a little-endian word, the bits that its bytes must
// not have once these are taken away, and what lifts a byte above 9 into them.
const (
	shape   = 0x2C_30_30_30_30_2E_30
	foreign = 0xFF_F0_F0_F0_F0_FF_F0
	above9  = 0x00_06_06_06_06_00_06

	statusShape   = 0x2C_30_30_30
	statusForeign = 0xFF_F0_F0_F0
	statusAbove9  = 0x00_06_06_06
)

// tenth is one unit of the fourth decimal of a second.
const tenth = int64(100 * time.Microsecond)

// fourDigits returns the number of four digits in the bytes of v, whose first
// is the lowest byte; each byte is 0…9.
func fourDigits(v uint32) uint32 {
	v = (v*10 + v>>8) & 0x00FF00FF
	return (v*100 + v>>16) & 0xFFFF
}

// fast reads a row of the usual shape and returns its length with its line
// feed, or 0 where it is not of that shape; then s is as it was.
func fast(b *[longestRow]byte, s *ingest.Sample) int {
	f0 := binary.LittleEndian.Uint64(b[0:]) ^ shape
	f1 := binary.LittleEndian.Uint64(b[7:]) ^ shape
	f2 := binary.LittleEndian.Uint64(b[14:]) ^ shape
	f3 := binary.LittleEndian.Uint64(b[21:]) ^ shape
	f4 := binary.LittleEndian.Uint64(b[28:]) ^ shape
	f5 := binary.LittleEndian.Uint64(b[35:]) ^ shape
	bad := (f0 | f1 | f2 | f3 | f4 | f5 | (f0 + above9) | (f1 + above9) | (f2 + above9) | (f3 + above9) | (f4 + above9) | (f5 + above9)) & foreign
	st := binary.LittleEndian.Uint32(b[42:]) ^ statusShape
	bad |= uint64((st | (st + statusAbove9)) & statusForeign)
	if bad != 0 {
		return 0
	}
	// The offset has as many digits as the run is long, and the row ends.
	i, offset := 46, int64(0)
	for ; i < 46+9; i++ {
		d := b[i] - '0'
		if d > 9 {
			break
		}
		offset = offset*10 + int64(d)
	}
	if i == 46 || b[i] != '.' {
		return 0
	}
	decimals := binary.LittleEndian.Uint32(b[i+1:]) ^ 0x30303030
	if (decimals|(decimals+0x06060606))&0xF0F0F0F0 != 0 {
		return 0
	}
	i += 5
	if b[i] == '\r' {
		i++
	}
	if b[i] != '\n' {
		return 0
	}
	s.Latency = time.Duration(int64(uint32(f0&0xF)*10000+fourDigits(uint32(f0>>16))) * tenth)
	s.Connect = time.Duration(int64(uint32(f1&0xF)*10000+fourDigits(uint32(f1>>16))) * tenth)
	s.Start = ingest.Relative(time.Duration((offset*10000 + int64(fourDigits(decimals))) * tenth))
	s.Status = int(st&0xF*100 + st>>8&0xF*10 + st>>16&0xF)
	s.Outcome = outcome(s.Status)
	return i + 1
}

// outcome of an answer: hey counts any answer as one, so its status decides.
func outcome(status int) ingest.Outcome {
	if status >= 400 {
		return ingest.Failed
	}
	return ingest.OK
}

// slow reads any row. An error says what is wrong with it.
func (r *rowReader) slow(line []byte) error {
	if r.columns > 1 && bytes.Count(line, []byte(",")) != r.columns-1 {
		return fmt.Errorf("a row of %d columns where the header has %d: %q", bytes.Count(line, []byte(","))+1, r.columns, excerpt(line))
	}
	var values [len(columnNames)]int64
	rest := line
	for i := range r.columns {
		var field []byte
		field, rest, _ = bytes.Cut(rest, []byte(","))
		v, ok := int64(0), false
		if i == 6 {
			v, ok = whole(field)
		} else {
			v, _, ok = ingest.ParseDecimal(field, int64(time.Second))
		}
		if !ok {
			return fmt.Errorf("column %d (%s) is not a number: %q", i+1, columnNames[i], excerpt(field))
		}
		values[i] = v
	}
	if values[0] < 0 {
		return fmt.Errorf("the response time is negative: %q", excerpt(line))
	}
	if values[7] > 0 && values[7] > math.MaxInt64-1-values[0] {
		return errors.New("response time and offset do not fit")
	}
	s := &r.sample
	s.Latency = time.Duration(values[0])
	s.Connect = time.Duration(max(0, values[1]))
	s.Status, s.Outcome, s.Start = 0, ingest.OK, 0
	if r.columns == len(columnNames) {
		s.Status = int(values[6])
		s.Outcome = outcome(s.Status)
		s.Start = ingest.Relative(time.Duration(values[7]))
	}
	return nil
}
