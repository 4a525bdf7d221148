package otlp

import (
	"encoding/binary"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// plainHead reads the members that a span starts with, as long as they come in
// the order and the form in which the collector and the SDKs write them:
// without white space, ids in full, times quoted. It reports whether it read
// any; all others are left to spanFields.
func (d *decoder) plainHead(p *spanParts) bool {
	b, i := d.b, d.i
	const most = 400 // bytes that the fixed parts take, and some
	if len(b)-i < most || string(b[i:i+11]) != `"traceId":"` || b[i+43] != '"' {
		return false
	}
	var ok bool
	if d.span.Trace, ok = trace.ParseTraceID(b[i+11 : i+43]); !ok {
		return false
	}
	i += 44
	if string(b[i:i+11]) == `,"spanId":"` && b[i+27] == '"' {
		if d.span.ID, ok = trace.ParseSpanID(b[i+11 : i+27]); !ok {
			d.i = i
			return true
		}
		i += 28
	}
	if string(b[i:i+17]) == `,"parentSpanId":"` && b[i+33] == '"' {
		if d.span.Parent, ok = trace.ParseSpanID(b[i+17 : i+33]); !ok {
			d.i = i
			return true
		}
		i += 34
	}
	if string(b[i:i+9]) == `,"flags":` {
		n, end := uint32(0), i+9
		for ; b[end]-'0' <= 9 && end < i+16; end++ {
			n = n*10 + uint32(b[end]-'0')
		}
		if b[end] == ',' && end > i+9 {
			d.flags(n)
			i = end
		}
	}
	if string(b[i:i+9]) == `,"name":"` {
		if end, escaped := closing(b, i+9); end >= 0 && !escaped {
			p.name = b[i+9 : end]
			i = end + 1
		}
	}
	if len(b)-i < 128 {
		d.i = i
		return true
	}
	if k := b[i+8] - '0'; string(b[i:i+8]) == `,"kind":` && k <= byte(ingest.Consumer) && b[i+9] == ',' {
		d.span.Kind = ingest.Kind(k)
		i += 9
	}
	if string(b[i:i+22]) == `,"startTimeUnixNano":"` && b[i+41] == '"' {
		if n, ok := digits19(b[i+22:]); ok {
			p.start = n
			i += 42
		}
	}
	if string(b[i:i+20]) == `,"endTimeUnixNano":"` && b[i+39] == '"' {
		if n, ok := digits19(b[i+20:]); ok {
			p.end = n
			i += 40
		}
	}
	d.i = i
	return true
}

// digits19 reads the 19 digits of a time of our days in nanoseconds.
func digits19(b []byte) (uint64, bool) {
	b = b[:19]
	high, ok1 := digits8(binary.LittleEndian.Uint64(b))
	low, ok2 := digits8(binary.LittleEndian.Uint64(b[8:]))
	x, y, z := uint64(b[16]-'0'), uint64(b[17]-'0'), uint64(b[18]-'0')
	return high*1e11 + low*1e3 + x*100 + y*10 + z, ok1 && ok2 && x <= 9 && y <= 9 && z <= 9
}

// digits8 reads 8 digits at once: pairs, then fours, then all are put together
// within one word.
func digits8(w uint64) (uint64, bool) {
	w ^= '0' * lows
	ok := (w|(w+0x76*lows))&highs == 0
	w = w*10 + w>>8
	w = ((w&0x000000ff000000ff)*(100+1000000<<32) + (w>>16&0x000000ff000000ff)*(1+10000<<32)) >> 32
	return w, ok
}

// attributes reads an array of {"key":…,"value":{…}}.
func (d *decoder) attributes() {
	if !d.open('[') {
		d.odd("attributes")
		return
	}
	for ok := d.first(']'); ok; ok = d.next(']') {
		if !d.plainAttribute() {
			d.attribute()
		}
	}
}

// Parts of an attribute as every compact encoder writes it, as the numbers that
// their first eight bytes are.
var (
	partKey    = le(`{"key":"`)
	partValue  = le(`","value`)
	partString = le(`stringVa`)
	partInt    = le(`intValue`)
)

func le(s string) uint64 { return binary.LittleEndian.Uint64([]byte(s)) }

// plainAttribute reads an attribute in the one form that nearly all have:
// {"key":"…","value":{"stringValue":"…"}} or intValue, without white space and
// escapes. Of any other it reads nothing and returns false.
func (d *decoder) plainAttribute() bool {
	b, i := d.b, d.i
	if len(b)-i < 40 || binary.LittleEndian.Uint64(b[i:]) != partKey {
		return false
	}
	i += 8
	end, escaped := closing(b, i)
	if end < 0 || escaped || len(b)-end < 32 || binary.LittleEndian.Uint64(b[end:]) != partValue || string(b[end+8:end+12]) != `":{"` {
		return false
	}
	key := trace.Lookup(b[i:end])
	i = end + 12
	switch binary.LittleEndian.Uint64(b[i:]) {
	case partString:
		if string(b[i+8:i+14]) != `lue":"` {
			return false
		}
		i += 14
		end, escaped = closing(b, i)
		if end < 0 || escaped || len(b)-end < 3 || b[end+1] != '}' || b[end+2] != '}' {
			return false
		}
		if key != 0 {
			d.names.SetString(key, b[i:end])
		}
	case partInt:
		if string(b[i+8:i+11]) != `":"` {
			return false
		}
		i += 11
		end = i
		n := int64(0)
		for ; end < len(b) && b[end]-'0' <= 9; end++ {
			n = n*10 + int64(b[end]-'0')
		}
		if end == i || end-i > 18 || len(b)-end < 3 || b[end] != '"' || b[end+1] != '}' || b[end+2] != '}' {
			return false
		}
		if key != 0 {
			d.names.SetInt(key, n)
		}
	default:
		return false
	}
	d.i = end + 3
	return true
}
