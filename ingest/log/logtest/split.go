package logtest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

// Split fails the test where an input says something else when it is read in
// parts, of any of a few sizes, than when it is read in one.
func Split(t *testing.T, f ingest.Format, data []byte, opt ingest.Options) {
	t.Helper()
	whole := parts(t, f, data, len(data)+1, opt)
	for _, size := range []int{len(data)/40 + 1, len(data)/7 + 1, len(data)/2 + 1} {
		if got := parts(t, f, data, size, opt); got != whole {
			a, b := strings.Split(got, "\n"), strings.Split(whole, "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Errorf("in parts of %d bytes: %s\nin one: %s", size, a[i], b[i])
					break
				}
			}
			t.Errorf("in parts of %d bytes: %d records and logs, in one %d", size, len(a), len(b))
		}
	}
}

// parts reads an input in parts of about size bytes and shows all that it yields.
func parts(t *testing.T, f ingest.Format, data []byte, size int, opt ingest.Options) string {
	t.Helper()
	var b strings.Builder
	var sum ingest.Log
	head := data[:min(len(data), ingest.HeadSize)]
	cut := f.SplitOf(head)
	for offset, part := 0, 0; offset < len(data); part++ {
		n := 0
		for want := size; n == 0; want *= 2 {
			if offset+want >= len(data) {
				n = len(data) - offset
			} else {
				n = cut.Cut(data[offset : offset+want])
			}
		}
		in := ingest.Input{Offset: int64(offset), Part: part, Head: head, Options: opt}
		for rec, err := range f.Read(bytes.NewReader(data[offset:offset+n]), in) {
			if err != nil {
				t.Fatal(err)
			}
			switch r := rec.(type) {
			case *ingest.Log:
				sum.Merge(r)
			case *ingest.Problem:
				fmt.Fprintf(&b, "%v %v\n", r.Pos, r.Err)
			default:
				fmt.Fprintf(&b, "%+v\n", r)
			}
		}
		offset += n
	}
	fmt.Fprintf(&b, "%+v", sum)
	return b.String()
}
