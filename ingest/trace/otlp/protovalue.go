package otlp

import (
	"encoding/binary"
	"math"

	"github.com/tailcheck/tailcheck/ingest/trace"
)

const (
	tagKey    = keyValueKey<<3 | wireBytes
	tagValue  = keyValueValue<<3 | wireBytes
	tagString = anyString<<3 | wireBytes
	tagBool   = anyBool<<3 | wireVarint
	tagInt    = anyInt<<3 | wireVarint
	tagDouble = anyDouble<<3 | wire64
)

// attribute decodes a KeyValue. The key may come behind its value.
func (d *protoDecoder) attribute(b []byte) {
	// one key and one value, each shorter than 128 bytes, in either order
	if from, to := small(b, 0); to >= from {
		if from2, to2 := small(b, to); to2 == len(b) && to2 >= from2 {
			key, value := b[from:to], b[from2:to2]
			switch {
			case b[0] == tagKey && b[to] == tagValue:
			case b[0] == tagValue && b[to] == tagKey:
				key, value = value, key
			default:
				d.anyAttribute(b)
				return
			}
			if k := trace.Lookup(key); k != 0 {
				d.value(k, value)
			}
			return
		}
	}
	d.anyAttribute(b)
}

// anyAttribute decodes a KeyValue of any shape.
func (d *protoDecoder) anyAttribute(b []byte) {
	var key []byte
	parts := 0
	f := fields{b: b}
	x := field{}
	for f.next(&x) {
		switch x.num<<3 | x.wire {
		case tagKey:
			key = x.data
		case tagValue:
			parts++
		}
	}
	k := trace.Lookup(key)
	if k == 0 || parts == 0 {
		return
	}
	var v held
	for f = (fields{b: b}); f.next(&x); { // several parts of one message are merged
		if x.num<<3|x.wire == tagValue {
			v = anyOf(v, x.data, true)
		}
	}
	v.set(d.names, k)
}

// value decodes an AnyValue.
func (d *protoDecoder) value(k trace.Key, b []byte) {
	if len(b) >= 2 {
		switch b[0] {
		case tagString:
			if from, to := small(b, 0); to == len(b) {
				d.names.SetString(k, b[from:to])
				return
			}
		case tagInt:
			if n, size := binary.Uvarint(b[1:]); size == len(b)-1 {
				d.names.SetInt(k, int64(n))
				return
			}
		}
	}
	anyOf(held{}, b, true).set(d.names, k)
}

// anyOf decodes an AnyValue on top of v. Of a list it takes the first value.
func anyOf(v held, b []byte, lists bool) held {
	f := fields{b: b}
	for x := (field{}); f.next(&x); {
		switch x.num<<3 | x.wire {
		case tagString:
			v = held{kind: 's', str: x.data}
		case tagBool:
			v = held{kind: 'b'}
			if x.n != 0 {
				v.num = 1
			}
		case tagInt:
			v = held{kind: 'i', num: int64(x.n)}
		case tagDouble:
			v = held{kind: 'f', f: math.Float64frombits(x.n)}
		case anyArray<<3 | wireBytes:
			v = held{}
			if lists {
				a := fields{b: x.data}
				for y := (field{}); a.next(&y); {
					if y.num == 1 && y.wire == wireBytes {
						v = anyOf(v, y.data, false)
						break
					}
				}
			}
		case anyMap<<3 | wireBytes, anyBytes<<3 | wireBytes:
			v = held{}
		}
	}
	return v
}
