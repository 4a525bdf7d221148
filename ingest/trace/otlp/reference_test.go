package otlp

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

// reference turns what pdata decoded into spans. What attributes mean is left to
// package trace, which has tests of its own.
func reference(td ptrace.Traces) (spans []ingest.Span) {
	names := trace.NewBuilder()
	set := func(m pcommon.Map) {
		for key, v := range m.All() {
			k := trace.Lookup([]byte(key))
			if v.Type() == pcommon.ValueTypeSlice && v.Slice().Len() > 0 {
				if v = v.Slice().At(0); v.Type() == pcommon.ValueTypeSlice {
					continue
				}
			}
			switch v.Type() {
			case pcommon.ValueTypeStr:
				names.SetString(k, []byte(v.Str()))
			case pcommon.ValueTypeInt:
				names.SetInt(k, v.Int())
			case pcommon.ValueTypeDouble:
				names.SetFloat(k, v.Double())
			case pcommon.ValueTypeBool:
				names.SetBool(k, v.Bool())
			}
		}
	}
	for _, rs := range td.ResourceSpans().All() {
		names.BeginResource()
		set(rs.Resource().Attributes())
		names.EndResource()
		for _, ss := range rs.ScopeSpans().All() {
			for _, x := range ss.Spans().All() {
				s := ingest.Span{Trace: ingest.TraceID(x.TraceID()), ID: ingest.SpanID(x.SpanID()), Parent: ingest.SpanID(x.ParentSpanID())}
				if s.Trace == (ingest.TraceID{}) {
					continue
				}
				s.Start, s.End = ingest.Time(max(0, int64(x.StartTimestamp()))), ingest.Time(max(0, int64(x.EndTimestamp())))
				if x.Kind() >= 0 && x.Kind() <= ptrace.SpanKindConsumer {
					s.Kind = ingest.Kind(x.Kind())
				}
				switch f := x.Flags(); {
				case f&0x300 == 0x300:
					s.Remote = 1
				case f&0x100 != 0:
					s.Remote = -1
				}
				s.Linked = x.Links().Len() > 0
				names.BeginSpan()
				set(x.Attributes())
				names.Status(int(x.Status().Code()), []byte(x.Status().Message()))
				names.Dropped(x.DroppedAttributesCount())
				names.Dropped(x.DroppedEventsCount())
				names.Dropped(x.DroppedLinksCount())
				names.EndSpan(&s, []byte(x.Name()))
				spans = append(spans, s)
			}
		}
	}
	return spans
}

// flat is a span without its place and with what it points to by value, so that
// spans of two readers can be compared.
type flat struct {
	ingest.Span
	store ingest.Datastore
	call  ingest.Call
	rare  ingest.Rare
}

func flatten(s ingest.Span) (f flat) {
	if s.Store != nil {
		f.store = *s.Store
	}
	if s.Call != nil {
		f.call = *s.Call
	}
	if s.Rare != nil {
		f.rare = *s.Rare
	}
	s.Pos, s.Store, s.Call, s.Rare = ingest.Pos{}, nil, nil, nil
	f.Span = s
	return f
}

func sameSpans(t testing.TB, what string, got, want []ingest.Span) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d spans, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		if g, w := flatten(got[i]), flatten(want[i]); g != w {
			t.Fatalf("%s: span %d\ngot  %+v\nwant %+v", what, i, g, w)
		}
	}
}

// result is all that a reader yields.
type result struct {
	spans    []ingest.Span
	problems []ingest.Problem
	err      error
}

// read reads data as one input. Positions must not go back, and the error must
// come last.
func read(t testing.TB, f ingest.Format, data []byte) (r result) {
	t.Helper()
	return readPart(t, f, data, ingest.Input{Head: data[:min(len(data), ingest.HeadSize)]})
}

func readPart(t testing.TB, f ingest.Format, data []byte, in ingest.Input) (r result) {
	t.Helper()
	last := in.Pos(0)
	for record, err := range f.Read(&chunks{data: data}, in) {
		if r.err != nil {
			t.Fatalf("a record behind the error %v", r.err)
		}
		if err != nil {
			r.err = err
			continue
		}
		if record.Where().Compare(last) < 0 || record.Where().Offset > in.Offset+int64(len(data)) {
			t.Fatalf("position %v behind %v", record.Where(), last)
		}
		last = record.Where()
		switch x := record.(type) {
		case *ingest.Span:
			r.spans = append(r.spans, *x)
		case *ingest.Problem:
			r.problems = append(r.problems, *x)
		default:
			t.Fatalf("a %T", record)
		}
	}
	return r
}
