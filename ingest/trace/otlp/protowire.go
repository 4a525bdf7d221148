package otlp

// Wire types of protobuf.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wireStart  = 3 // groups: no OTLP message has them, but a valid encoding may
	wireEnd    = 4
	wire32     = 5
)

// field is one field of a message as it lies on the wire.
type field struct {
	num  int
	wire int
	data []byte // wireBytes
	n    uint64 // wireVarint, wire64, wire32
	at   int    // of the data in the message
}

// fields walks the fields of a message. It does not decode what lies in them.
type fields struct {
	b     []byte
	i     int
	bad   bool // the bytes are no message, or are cut off, at i
	short bool // bad, and more bytes might mend it
}

// end marks the message as cut off in the field that starts at i.
func (f *fields) end(i int) bool {
	f.i, f.bad, f.short = i, true, true
	return false
}

// varint reads a variable-length number.
func (f *fields) varint() (n uint64) {
	if f.i < len(f.b) {
		if c := f.b[f.i]; c < 0x80 {
			f.i++
			return uint64(c)
		}
	}
	for shift := uint(0); shift < 64 && f.i < len(f.b); shift += 7 {
		c := f.b[f.i]
		f.i++
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
	f.bad, f.short = true, f.i >= len(f.b)
	return 0
}

// next reads the next field.
func (f *fields) next(x *field) bool {
	for f.i < len(f.b) {
		start := f.i
		tag := f.varint()
		x.num, x.wire = int(tag>>3), int(tag&7)
		if x.num == 0 || tag>>3 > 1<<29-1 {
			f.bad = true
		}
		if f.bad {
			f.i = start
			return false
		}
		switch x.wire {
		case wireVarint:
			x.n = f.varint()
		case wireBytes:
			n := f.varint()
			if !f.bad && n > uint64(len(f.b)-f.i) {
				return f.end(start)
			}
			if f.bad {
				f.i = start
				return false
			}
			x.at = f.i
			x.data = f.b[f.i : f.i+int(n)]
			f.i += int(n)
		case wire64:
			if len(f.b)-f.i < 8 {
				return f.end(start)
			}
			b := f.b[f.i : f.i+8]
			x.n = uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
			f.i += 8
		case wire32:
			if len(f.b)-f.i < 4 {
				return f.end(start)
			}
			b := f.b[f.i : f.i+4]
			x.n = uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
			f.i += 4
		case wireStart:
			if !f.group() {
				f.bad, f.i = true, start
				return false
			}
			continue
		default:
			f.bad, f.i = true, start
			return false
		}
		if f.bad {
			f.i = start
			return false
		}
		return true
	}
	return false
}

// part returns the next submessage of a number, or of another, and where it
// lies. Where the message is cut off in one, it is returned as far as it goes;
// f is bad then.
func (f *fields) part(num, other int) (data []byte, at int, ok bool) {
	if f.bad {
		return nil, 0, false
	}
	for x := (field{}); f.next(&x); {
		if x.wire == wireBytes && (x.num == num || x.num == other) {
			return x.data, x.at, true
		}
	}
	if !f.short {
		return nil, 0, false
	}
	tail := fields{b: f.b, i: f.i}
	tag := tail.varint()
	if n := int(tag >> 3); tag&7 != wireBytes || n != num && n != other {
		return nil, 0, false
	}
	if tail.varint(); tail.bad {
		return nil, 0, false
	}
	f.i = len(f.b)
	return f.b[tail.i:], tail.i, true
}

// group skips a group that was just entered, and those in it.
func (f *fields) group() bool {
	for depth := 1; depth > 0; {
		tag := f.varint()
		switch {
		case f.bad:
			return false
		case tag&7 == wireVarint:
			f.varint()
		case tag&7 == wireStart:
			depth++
		case tag&7 == wireEnd:
			depth--
		default:
			n := uint64(8)
			switch tag & 7 {
			case wireBytes:
				n = f.varint()
			case wire32:
				n = 4
			case wire64:
			default:
				return false
			}
			if f.bad {
				return false
			}
			if n > uint64(len(f.b)-f.i) {
				f.short = true
				return false
			}
			f.i += int(n)
		}
	}
	return !f.bad
}
