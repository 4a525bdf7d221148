package trace

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"

	"github.com/tailcheck/tailcheck/ingest"
)

// ParseTraceID reads a trace id in any of the forms that exports have it in:
// hexadecimal of up to 32 digits in either case (shorter ones are 64-bit ids or
// lost their leading zeros, and are padded on the left), with 0x in front
// (Python), base64 of 16 or 8 bytes (protobuf's JSON mapping, Tempo), and
// base64 of the hexadecimal text. Text of another kind gives an id made from
// its hash, so that spans still meet, and known is false. Empty text and zeros
// are no id.
func ParseTraceID(t []byte) (id ingest.TraceID, known bool) {
	return id, parseID(id[:], t)
}

// ParseSpanID reads a span id, as ParseTraceID reads a trace id.
func ParseSpanID(t []byte) (id ingest.SpanID, known bool) {
	return id, parseID(id[:], t)
}

func parseID(id, t []byte) bool {
	if len(t) == 2*len(id) && unhex(id, t) || len(t) == 0 {
		return true
	}
	clear(id)
	h := bytes.TrimPrefix(t, []byte("0x"))
	if oddHex(id, h) {
		return true
	}
	var raw [48]byte
	if b := bytes.TrimRight(t, "="); len(b) > 0 && len(b) <= 44 {
		enc := base64.RawStdEncoding
		if bytes.ContainsAny(b, "-_") {
			enc = base64.RawURLEncoding
		}
		if n, err := enc.Decode(raw[:], b); err == nil {
			switch d := raw[:n]; {
			case n == 2*len(id) && unhex(id, d):
				return true
			case n < 2*len(id) && n%2 == 0 && n >= 16 && oddHex(id, d):
				return true
			case n == len(id) || n == 8:
				clear(id)
				copy(id[len(id)-n:], d)
				return true
			}
		}
	}
	clear(id)
	for i := 0; i < len(id); i += 8 {
		binary.BigEndian.PutUint64(id[i:], hash(t, uint64(i)+1))
	}
	return false
}

// oddHex reads hexadecimal digits that do not fill the id, from the right.
func oddHex(id, t []byte) bool {
	if len(t) == 0 || len(t) > 2*len(id) {
		return false
	}
	var full [32]byte
	for i := range full {
		full[i] = '0'
	}
	copy(full[2*len(id)-len(t):], t)
	if !unhex(id, full[:2*len(id)]) {
		clear(id)
		return false
	}
	return true
}

// nibble holds the value of each hexadecimal digit, 0x80 for other bytes.
var nibble = func() (t [256]byte) {
	for i := range t {
		t[i] = 0x80
	}
	for i := range byte(10) {
		t['0'+i] = i
	}
	for i := range byte(6) {
		t['a'+i], t['A'+i] = 10+i, 10+i
	}
	return t
}()

// unhex decodes exactly 2*len(id) digits.
func unhex(id, t []byte) bool {
	t = t[:2*len(id)]
	bad := byte(0)
	for i := range id {
		hi, lo := nibble[t[2*i]], nibble[t[2*i+1]]
		id[i] = hi<<4 | lo
		bad |= hi | lo
	}
	return bad&0x80 == 0
}
