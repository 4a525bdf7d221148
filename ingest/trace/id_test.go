package trace

import (
	"encoding/hex"
	"testing"
)

// The forms are those of the exporters that ParseTraceID names; base64 by hand
// with coreutils.
func TestParseID(t *testing.T) {
	const trace, span = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"
	for _, test := range []struct {
		in, want string
		known    bool
	}{
		{"5b8efff798038103d269b633813fc60c", trace, true},
		{"5B8EFFF798038103D269B633813FC60C", trace, true},
		{"0x5b8efff798038103d269b633813fc60c", trace, true},
		{"W47/95gDgQPSabYzgT/GDA==", trace, true},
		{"W47/95gDgQPSabYzgT/GDA", trace, true},
		{"W47_95gDgQPSabYzgT_GDA", trace, true},
		{"NWI4ZWZmZjc5ODAzODEwM2QyNjliNjMzODEzZmM2MGM=", trace, true}, // base64 of the hex text
		{"d269b633813fc60c", "0000000000000000d269b633813fc60c", true},
		{"69b633813fc60c", "000000000000000000" + "69b633813fc60c", true},
		{"1", "00000000000000000000000000000001", true},
		{"", "00000000000000000000000000000000", true},
		{"00000000000000000000000000000000", "00000000000000000000000000000000", true},
		{"not an id", "", false},
		{"5b8efff798038103d269b633813fc60g", "", false},
		{"5b8efff798038103d269b633813fc60c00", "", false},
	} {
		id, known := ParseTraceID([]byte(test.in))
		if known != test.known || known && hex.EncodeToString(id[:]) != test.want {
			t.Errorf("trace id %q = %x, %t; want %s, %t", test.in, id, known, test.want, test.known)
		}
		if again, _ := ParseTraceID([]byte(test.in)); again != id || !known && id == [16]byte{} {
			t.Errorf("trace id %q = %x, then %x", test.in, id, again)
		}
	}
	for _, test := range []struct {
		in, want string
		known    bool
	}{
		{"eee19b7ec3c1b174", span, true},
		{"EEE19B7EC3C1B174", span, true},
		{"0xeee19b7ec3c1b174", span, true},
		{"7uGbfsPBsXQ=", span, true},
		{"ZWVlMTliN2VjM2MxYjE3NA==", span, true}, // base64 of the hex text
		{"e19b7ec3c1b174", "00" + "e19b7ec3c1b174", true},
		{"", "0000000000000000", true},
		{"span-1", "", false},
	} {
		id, known := ParseSpanID([]byte(test.in))
		if known != test.known || known && hex.EncodeToString(id[:]) != test.want {
			t.Errorf("span id %q = %x, %t; want %s, %t", test.in, id, known, test.want, test.known)
		}
	}
}
