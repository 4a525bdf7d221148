package report

import (
	"io"
	"reflect"
)

// Encode writes a value as JSON in the way of the contract: fixed order, numbers
// of at most four decimals and without exponents, null for what is not known,
// and no character that a terminal would not show.
func Encode(w io.Writer, v any) error {
	var e encoder
	e.value(reflect.ValueOf(v), 0)
	_, err := w.Write(append(e.b, '\n'))
	return err
}
