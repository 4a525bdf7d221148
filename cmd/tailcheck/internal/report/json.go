package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSON writes the contract: docs/schema/tailcheck-1.json.
var JSON = Renderer{
	Name: "json",
	Doc: `JSON, schema tailcheck/1

Everything that the run has to say, for programs. Times are numbers in
milliseconds with the suffix _ms; what is not known is null, never 0. The order
of fields and arrays is fixed, so equal input gives equal bytes.`,
	Render: func(w io.Writer, r *Result, _ Options) error { return Encode(w, r) },
}

// encoder writes JSON as encoding/json does when it indents, with what the
// contract wants beside it: numbers of at most four decimals and without
// exponents, null for what is not finite, [] for no list, and every character
// that cannot be seen as an escape, so that the output is safe on a terminal.
type encoder struct{ b []byte }

// maxDepth is how deep values may nest; findings bring numbers of their own.
const maxDepth = 32

func (e *encoder) value(v reflect.Value, depth int) {
	if !v.IsValid() || depth > maxDepth {
		e.b = append(e.b, "null"...)
		return
	}
	if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface && v.CanInterface() {
		if m, ok := v.Interface().(json.Marshaler); ok {
			e.marshaler(m, depth)
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		e.value(v.Elem(), depth) // null for nil
	case reflect.Bool:
		e.b = strconv.AppendBool(e.b, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.b = strconv.AppendInt(e.b, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.b = strconv.AppendUint(e.b, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		e.float(v.Float())
	case reflect.String:
		e.text(v.String())
	case reflect.Slice, reflect.Array:
		e.list('[', ']', v.Len(), depth, func(i int) { e.value(v.Index(i), depth+1) })
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		e.list('{', '}', len(keys), depth, func(i int) {
			e.key(fmt.Sprint(keys[i]))
			e.value(v.MapIndex(keys[i]), depth+1)
		})
	case reflect.Struct:
		fields := fieldsOf(v)
		e.list('{', '}', len(fields), depth, func(i int) {
			e.key(fields[i].name)
			e.value(fields[i].value, depth+1)
		})
	default:
		e.b = append(e.b, "null"...)
	}
}

// list writes n items on lines of their own.
func (e *encoder) list(open, shut byte, n, depth int, item func(int)) {
	e.b = append(e.b, open)
	for i := range n {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.newline(depth + 1)
		item(i)
	}
	if n > 0 {
		e.newline(depth)
	}
	e.b = append(e.b, shut)
}

func (e *encoder) newline(depth int) {
	e.b = append(e.b, '\n')
	for range depth {
		e.b = append(e.b, "  "...)
	}
}

func (e *encoder) key(name string) {
	e.text(name)
	e.b = append(e.b, ": "...)
}

// float writes at most four decimals: a tenth of a microsecond where the number
// is a time in milliseconds.
func (e *encoder) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.b = append(e.b, "null"...)
		return
	}
	s := strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(f, 'f', 4, 64), "0"), ".")
	if s == "-0" {
		s = "0"
	}
	e.b = append(e.b, s...)
}

func (e *encoder) text(s string) {
	e.b = append(e.b, '"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			e.b = append(e.b, `\ufffd`...)
		case r == '#' && strings.HasPrefix(s[i:], "##["): // as in Safe
			e.unicode(r)
		case r == '"' || r == '\\':
			e.b = append(e.b, '\\', byte(r))
		case strings.ContainsRune("\b\f\n\r\t", r):
			e.b = append(e.b, '\\', "btn?fr"[r-'\b'])
		case visible(r):
			e.b = append(e.b, s[i:i+n]...)
		case r >= 0x10000:
			r -= 0x10000
			e.unicode(0xd800 + r>>10)
			e.unicode(0xdc00 + r&0x3ff)
		default:
			e.unicode(r)
		}
		i += n
	}
	e.b = append(e.b, '"')
}

func (e *encoder) unicode(r rune) { e.b = fmt.Appendf(e.b, `\u%04x`, r) }

func (e *encoder) marshaler(m json.Marshaler, depth int) {
	raw, err := m.MarshalJSON()
	var b bytes.Buffer
	if err != nil || json.Indent(&b, raw, strings.Repeat("  ", depth), "  ") != nil {
		e.b = append(e.b, "null"...)
		return
	}
	e.b = append(e.b, b.Bytes()...)
}

// field is one field of a struct, by its name in JSON.
type field struct {
	name  string
	value reflect.Value
}

// fieldsOf returns the fields in order; those of an embedded struct without a
// name stand in its place.
func fieldsOf(v reflect.Value) []field {
	var out []field
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		x := v.Field(i)
		if f.Anonymous && name == "" {
			if x.Kind() == reflect.Pointer {
				x = x.Elem()
			}
			if x.Kind() == reflect.Struct {
				out = append(out, fieldsOf(x)...)
			}
			if x.Kind() == reflect.Struct || !x.IsValid() {
				continue
			}
		}
		if !f.IsExported() || strings.Contains(options, "omit") && x.IsZero() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out = append(out, field{name, x})
	}
	return out
}
