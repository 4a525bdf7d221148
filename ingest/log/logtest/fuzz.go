package logtest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

// Fuzz holds a reader against its contract, with anything that is made of the
// seeds: it does not panic, an error ends the reading, positions do not go back
// and stay in the input, the same bytes are read the same again, in spite of what
// a reader keeps, and one may stop at any record.
func Fuzz(f *testing.F, format ingest.Format, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
		f.Add([]byte(s[:len(s)*2/3] + "\n" + s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = slices.Clone(data) // the engine writes the next input to the same place, which readers may rely on to stay
		format.Sniff(data)
		if format.Near != nil {
			format.Near(data)
		}
		once, again := contract(t, format, data, -1), contract(t, format, slices.Clone(data), -1)
		if !slices.Equal(once, again) {
			t.Fatalf("read again:\n%s\nnot\n%s", again, once)
		}
		if got := contract(t, format, data, 1+len(once)/2); !slices.Equal(got, once[:min(len(once), len(got))]) {
			t.Fatalf("stopped:\n%s\nnot\n%s", got, once)
		}
		if got := contract(t, format, data, -1); !slices.Equal(got, once) {
			t.Fatalf("after stopping:\n%s\nnot\n%s", got, once)
		}
	})
}

// contract reads data up to the n-th record, if n is not negative, and returns
// what was read.
func contract(t *testing.T, f ingest.Format, data []byte, n int) (all []string) {
	t.Helper()
	in := ingest.Input{Head: data[:min(len(data), ingest.HeadSize)]}
	last, ended := int64(0), false
	for rec, err := range f.Read(bytes.NewReader(data), in) {
		if ended {
			t.Fatal("more behind an error")
		}
		if err != nil {
			ended = true
			all = append(all, err.Error())
			continue
		}
		at := rec.Where().Offset
		if at < last || at > int64(len(data)) {
			t.Fatalf("position %d behind %d of %d", at, last, len(data))
		}
		last = at
		switch r := rec.(type) {
		case *ingest.Problem:
			all = append(all, fmt.Sprint(at, r.Err))
		default:
			all = append(all, fmt.Sprintf("%d %+v", at, rec))
		}
		if len(all) == n {
			break
		}
	}
	return all
}
