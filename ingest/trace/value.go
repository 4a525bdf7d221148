package trace

import (
	"math"
	"strconv"

	"github.com/tailcheck/tailcheck/ingest"
)

// value is what one attribute holds. Strings are borrowed from the input until
// EndSpan.
type value struct {
	str  []byte
	num  int64
	rank uint8
	kind uint8
}

const (
	kindString = iota
	kindInt
	kindBool
)

// claim returns where the value of k goes, or nil if a better name holds the
// slot, or an equal one came first.
func (b *Builder) claim(k Key) *value {
	s := k.slot()
	if s == 0 || s >= slots {
		return nil
	}
	v := &b.value[s]
	bit := uint64(1) << s
	if b.set&bit != 0 && v.rank <= k.rank() {
		return nil
	}
	b.set |= bit
	v.rank = k.rank()
	return v
}

// SetString sets a text. The Builder does not copy it: it must stay as it is
// until EndSpan or EndResource.
func (b *Builder) SetString(k Key, text []byte) {
	if v := b.claim(k); v != nil {
		v.str, v.kind = text, kindString
	}
}

// SetInt sets a whole number.
func (b *Builder) SetInt(k Key, n int64) {
	if v := b.claim(k); v != nil {
		v.num, v.kind = n, kindInt
	}
}

// SetBool sets a truth value.
func (b *Builder) SetBool(k Key, is bool) {
	if v := b.claim(k); v != nil {
		v.num, v.kind = 0, kindBool
		if is {
			v.num = 1
		}
	}
}

// SetFloat sets a number; what is behind the decimal point is dropped, since no
// attribute that is read has it, and what is no number is not set.
func (b *Builder) SetFloat(k Key, f float64) {
	if f > -1<<62 && f < 1<<62 && !math.IsNaN(f) {
		b.SetInt(k, int64(f))
	}
}

func (b *Builder) has(s slot) bool { return b.set>>s&1 != 0 }

// hasAny reports whether one of some slots is set.
func (b *Builder) hasAny(of uint64) bool { return b.set&of != 0 }

var yes, no = []byte("true"), []byte("false")

// text returns a value as text, nil if it is not set.
func (b *Builder) text(s slot) []byte {
	if !b.has(s) {
		return nil
	}
	switch v := &b.value[s]; v.kind {
	case kindInt:
		n := len(b.digits)
		b.digits = strconv.AppendInt(b.digits, v.num, 10)
		return b.digits[n:]
	case kindBool:
		if v.num != 0 {
			return yes
		}
		return no
	default:
		return v.str
	}
}

// number returns a value as a whole number: exporters of every kind write
// numbers as text.
func (b *Builder) number(s slot) (int64, bool) {
	if !b.has(s) {
		return 0, false
	}
	v := &b.value[s]
	if v.kind != kindString {
		return v.num, true
	}
	n, _, ok := ingest.ParseDecimal(v.str, 1)
	return n, ok
}

// isTrue reports whether a value is set and says yes.
func (b *Builder) isTrue(s slot) bool {
	if !b.has(s) {
		return false
	}
	v := &b.value[s]
	if v.kind != kindString {
		return v.num != 0
	}
	return string(v.str) == "true" || string(v.str) == "True" || string(v.str) == "1"
}
