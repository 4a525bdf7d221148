package otlp

import (
	"strconv"

	"github.com/tailcheck/tailcheck/ingest/trace"
)

// attribute reads an attribute in any form.
func (d *decoder) attribute() {
	if !d.open('{') {
		d.odd("an attribute")
		return
	}
	var key trace.Key
	value := -1 // where the value starts if it comes before the key
	for ok := d.first('}'); ok; ok = d.next('}') {
		switch string(d.key()) {
		case "key":
			key = trace.Lookup(d.str())
			if value >= 0 && key != 0 && !d.bad {
				behind := d.i
				d.i = value
				d.value(key)
				d.i = behind
				value = -1
			}
		case "value":
			if key != 0 {
				d.value(key)
			} else {
				d.space()
				value = d.i
				d.skip()
			}
		default:
			d.skip()
		}
	}
}

// held is an attribute's value as far as a Builder takes it.
type held struct {
	kind byte // 0: none; s, i, f, b
	str  []byte
	num  int64
	f    float64
}

func (v held) set(names *trace.Builder, key trace.Key) {
	switch v.kind {
	case 's':
		names.SetString(key, v.str)
	case 'i':
		names.SetInt(key, v.num)
	case 'f':
		names.SetFloat(key, v.f)
	case 'b':
		names.SetBool(key, v.num != 0)
	}
}

func (d *decoder) value(key trace.Key) {
	d.readValue(true).set(d.names, key)
}

// readValue reads {"stringValue":"…"} and its kin. Of a list (a header's values)
// it takes the first; a list in a list, a map and bytes are none.
func (d *decoder) readValue(lists bool) (v held) {
	if !d.open('{') {
		d.odd("a value")
		return v
	}
	for ok := d.first('}'); ok; ok = d.next('}') {
		switch string(d.key()) {
		case "stringValue", "string_value":
			v = held{kind: 's', str: d.str()}
		case "intValue", "int_value":
			v = number(d.scalar())
		case "doubleValue", "double_value":
			v = held{}
			if f, err := strconv.ParseFloat(string(d.scalar()), 64); err == nil {
				v = held{kind: 'f', f: f}
			}
		case "boolValue", "bool_value":
			v = held{kind: 'b'}
			if string(d.scalar()) == "true" {
				v.num = 1
			}
		case "arrayValue", "array_value":
			v = held{}
			if lists {
				v = d.list()
			} else {
				d.skip()
			}
		case "kvlistValue", "kvlist_value", "bytesValue", "bytes_value":
			v = held{}
			d.skip()
		default:
			d.skip()
		}
	}
	return v
}

func number(t []byte) held {
	if n, err := strconv.ParseInt(string(t), 10, 64); err == nil {
		return held{kind: 'i', num: n}
	}
	if f, err := strconv.ParseFloat(string(t), 64); err == nil {
		return held{kind: 'f', f: f}
	}
	return held{}
}

// list reads {"values":[…]} and returns the first value.
func (d *decoder) list() (v held) {
	if !d.open('{') {
		d.odd("a list")
		return v
	}
	for ok := d.first('}'); ok; ok = d.next('}') {
		if string(d.key()) != "values" || !d.open('[') {
			d.skip()
			continue
		}
		for n, ok := 0, d.first(']'); ok; n, ok = n+1, d.next(']') {
			if n == 0 {
				v = d.readValue(false)
			} else {
				d.skip()
			}
		}
	}
	return v
}
