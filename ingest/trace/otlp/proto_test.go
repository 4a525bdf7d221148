package otlp

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailcheck/tailcheck/ingest"
)

// protoOf gives a JSON document as pdata writes it in protobuf: every field
// before those of a lower number.
func protoOf(t testing.TB, doc string) []byte {
	t.Helper()
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	b, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func compress(t testing.TB, b []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll(b, nil)
}

// messages are the fields of OTLP's trace messages that are messages
// themselves, by path.
var messages = map[string]string{
	"request/1": "rs", "rs/1": "resource", "rs/2": "scope", "resource/1": "kv", "scope/2": "span",
	"span/9": "kv", "span/11": "event", "span/13": "link", "span/15": "status", "event/3": "kv", "link/4": "kv", "kv/2": "any", "any/5": "list", "list/1": "any",
}

// reorder writes a message anew with the fields of every message in it in
// rising order, as the encoders of google.golang.org/protobuf do.
func reorder(t testing.TB, b []byte, message string) []byte {
	t.Helper()
	type part struct {
		num int
		raw []byte
	}
	var parts []part
	f := fields{b: b}
	for x := (field{}); ; {
		start := f.i
		if !f.next(&x) {
			break
		}
		raw := b[start:f.i]
		if inner, ok := messages[message+"/"+strconv.Itoa(x.num)]; ok && x.wire == wireBytes {
			data := reorder(t, x.data, inner)
			raw = binary.AppendUvarint(nil, uint64(x.num<<3|wireBytes))
			raw = append(binary.AppendUvarint(raw, uint64(len(data))), data...)
		}
		parts = append(parts, part{x.num, raw})
	}
	if f.bad {
		t.Fatal("no message")
	}
	slices.SortStableFunc(parts, func(a, b part) int { return a.num - b.num })
	var out []byte
	for _, p := range parts {
		out = append(out, p.raw...)
	}
	return out
}

// Fields in descending order (pdata) and in ascending order (everyone else)
// give the same spans, in every framing.
func TestFieldOrders(t *testing.T) {
	for _, td := range generate(2, 100, 50) {
		want := reference(td)
		down, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		if err != nil {
			t.Fatal(err)
		}
		up := reorder(t, down, "request")
		if slices.Equal(up, down) || len(up) != len(down) {
			t.Fatal("the order is the same")
		}
		for _, message := range [][]byte{up, down} {
			for name, data := range map[string][]byte{
				"bare":   message,
				"framed": frameOf(message),
				"zstd":   frameOf(compress(t, message)),
			} {
				if !Proto.Sniff(data) || JSON.Sniff(data) {
					t.Errorf("%s: claimed by otlp-json %t, otlp-proto %t", name, JSON.Sniff(data), Proto.Sniff(data))
				}
				r := read(t, Proto, data)
				if r.err != nil || len(r.problems) > 0 {
					t.Errorf("%s: problems %v, error %v", name, r.problems, r.err)
				}
				sameSpans(t, name, r.spans, want)
			}
		}
	}
}

// A scope under its old number counts where there is none under the new one.
func TestOldScopes(t *testing.T) {
	message := protoOf(t, specDocument)
	f := fields{b: message}
	var rs, x field
	f.next(&rs)
	var old []byte
	for f = (fields{b: rs.data}); f.next(&x); {
		num := x.num
		if num == rsScopeSpans {
			num = rsOldSpans
		}
		old = binary.AppendUvarint(old, uint64(num<<3|wireBytes))
		old = append(binary.AppendUvarint(old, uint64(len(x.data))), x.data...)
	}
	wrap := func(rs []byte) []byte {
		return append(binary.AppendUvarint([]byte{tagResourceSpans}, uint64(len(rs))), rs...)
	}
	want := read(t, Proto, message).spans
	sameSpans(t, "old number", read(t, Proto, wrap(old)).spans, want)
	sameSpans(t, "both", read(t, Proto, wrap(append(old, rs.data...))).spans, want)
	if !Proto.Sniff(wrap(old)) {
		t.Error("not claimed")
	}
}

// Nothing is allocated per span: reading an input twice over costs what reading
// it once does.
func TestAllocations(t *testing.T) {
	lines, frames := marshal(t, generate(3, 2000, 500))
	for _, test := range []struct {
		format ingest.Format
		data   []byte
	}{
		{JSON, slices.Concat(lines...)},
		{Proto, slices.Concat(frames...)},
	} {
		count := func(times int) float64 {
			data := bytes.Repeat(test.data, times)
			return testing.AllocsPerRun(5, func() {
				spans := 0
				for r := range test.format.Read(&whole{data, 0}, ingest.Input{Head: test.data[:ingest.HeadSize]}) {
					if _, ok := r.(*ingest.Span); ok {
						spans++
					}
				}
				if spans != 2000*times {
					t.Errorf("%d spans", spans)
				}
			})
		}
		once, twice := count(1), count(3)
		if per := (twice - once) / 4000; per > 0.05 { // a growing table may lose a few names
			t.Errorf("%s: %.0f allocations for 2000 spans, %.0f for those three times, %.3f a span", test.format.Name, once, twice, per)
		}
	}
}

type whole struct {
	data []byte
	at   int
}

func (w *whole) Read(p []byte) (int, error) {
	n := copy(p, w.data[w.at:])
	w.at += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
