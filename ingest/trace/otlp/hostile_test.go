package otlp

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

// A span stays what it is, whatever its text, its depth and its length.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	deepValue := strings.Repeat(`{"arrayValue":{"values":[`, 50_000) + strings.Repeat(`]}}`, 50_000)
	wide := `"` + strings.Repeat(`x\n`, 8<<20) + `"`
	for _, test := range []struct{ name, doc string }{
		{"a deep unknown member", replace(t, specDocument, `"flags":257`, `"deep":`+deep+`,"flags":257`)},
		{"a deep attribute", replace(t, specDocument, `"flags":257`, `"flags":257,"attributes":[{"key":"db.statement","value":`+deepValue+`}]`)},
		{"a deep attribute that nobody wants", replace(t, specDocument, `"flags":257`, `"flags":257,"attributes":[{"key":"x","value":`+deepValue+`}]`)},
		{"a long line", replace(t, specDocument, `"flags":257`, `"long":`+wide+`,"flags":257`)},
	} {
		r := read(t, JSON, []byte(test.doc+"\n"))
		if len(r.spans) != 2 || r.err != nil {
			t.Errorf("%s: %d spans, problems %v, error %v", test.name, len(r.spans), r.problems, r.err)
		}
	}
	if r := read(t, JSON, []byte(strings.Repeat("[", 1<<20))); len(r.spans) != 0 {
		t.Error("spans in brackets")
	}
	if r := read(t, JSON, []byte(strings.Repeat(`{"trace":`, 1<<18))); len(r.spans) != 0 || len(r.problems) != 1 {
		t.Errorf("wrapped without end: %d spans, %v", len(r.spans), r.problems)
	}
}

// The error of the reader is the last thing that comes, behind the spans.
func TestReaderError(t *testing.T) {
	boom := errors.New("boom")
	for _, data := range []string{specDocument + "\n", indent(t, specDocument), string(frameOf(protoOf(t, specDocument))), string(protoOf(t, specDocument))} {
		f := JSON
		if data[0] != '{' {
			f = Proto
		}
		spans, last := 0, error(nil)
		for r, err := range f.Read(&failing{data: []byte(data), err: boom}, ingest.Input{Head: []byte(data)}) {
			if last = err; r != nil {
				spans++
			}
		}
		if !errors.Is(last, boom) {
			t.Errorf("%.20q: %d spans, last error %v", data, spans, last)
		}
	}
}

type failing struct {
	data []byte
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if len(f.data) == 0 {
		return 0, f.err
	}
	n := copy(p[:1], f.data)
	f.data = f.data[n:]
	return n, nil
}

// Breaking out is safe at every record.
func TestBreak(t *testing.T) {
	for _, data := range []string{specDocument + "\n" + specDocument, indent(t, "["+specDocument+","+specDocument+"]"), string(frameOf(protoOf(t, specDocument)))} {
		f := JSON
		if data[0] != '{' && data[0] != '[' {
			f = Proto
		}
		for stop := 1; stop <= 4; stop++ {
			n := 0
			for range f.Read(strings.NewReader(data), ingest.Input{}) {
				if n++; n == stop {
					break
				}
			}
		}
	}
}

// Whatever is cut off a small input, what is left gives no panic, and no span
// that the whole does not give.
func TestTruncated(t *testing.T) {
	proto := protoOf(t, specDocument)
	for _, test := range []struct {
		format ingest.Format
		data   []byte
	}{
		{JSON, []byte(specDocument + "\n")},
		{JSON, []byte(indent(t, specDocument))},
		{JSON, []byte("[" + specDocument + "," + specDocument + "]")},
		{JSON, []byte(`{"scopeSpans":[{"spans":[` + specRoot + `]}],"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"api"}}]}}`)},
		{JSON, []byte(`{"trace":` + specDocument + `,"status":"PARTIAL"}`)},
		{Proto, proto},
		{Proto, append(frameOf(proto), frameOf(proto)...)},
		{JSON, frameOf(compress(t, []byte(specDocument)))},
		{Proto, frameOf(compress(t, proto))},
	} {
		whole := read(t, test.format, test.data)
		for n := range test.data {
			cut := test.data[:n]
			JSON.Sniff(cut)
			Proto.Sniff(cut)
			r := read(t, test.format, cut)
			if len(r.spans) > len(whole.spans) {
				t.Fatalf("%d spans in the first %d bytes, %d in all", len(r.spans), n, len(whole.spans))
			}
			for i, s := range r.spans {
				want := whole.spans[i]
				if s.Service == "" {
					want.Service = "" // the resource is behind the cut
				}
				if flatten(s) != flatten(want) {
					t.Fatalf("first %d bytes: span %d\ngot  %+v\nwant %+v", n, i, s, want)
				}
			}
			if len(r.spans) < len(whole.spans) && len(r.problems) == 0 && n > 8 && r.err == nil && !atBoundary(test.data, n) {
				t.Fatalf("first %d of %d bytes: %d of %d spans and no problem: %.80q", n, len(test.data), len(r.spans), len(whole.spans), cut)
			}
		}
	}
}

// atBoundary tells that an input which ends at n is whole by itself.
func atBoundary(data []byte, n int) bool {
	return len(data) == 2*n && bytes.Equal(data[:n], data[n:])
}

func TestLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("100 MB")
	}
	var b bytes.Buffer
	b.WriteString(specDocument[:strings.Index(specDocument, specRoot)])
	n := 0
	for ; b.Len() < 100<<20; n++ {
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteString(specRoot)
		b.WriteByte(',')
		b.WriteString(specChild)
	}
	b.WriteString("]}]}]}\n")
	spans := 0
	for r, err := range JSON.Read(&b, ingest.Input{}) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := r.(*ingest.Span); !ok {
			t.Fatal(fmt.Sprint(r))
		}
		spans++
	}
	if spans != 2*n {
		t.Errorf("%d spans, want %d", spans, 2*n)
	}
}
