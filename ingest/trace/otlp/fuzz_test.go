package otlp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailcheck/tailcheck/ingest"
)

// FuzzJSON: no input breaks the reader's contract, and every document that
// pdata reads gives the spans that pdata reads.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(specDocument))
	f.Add([]byte(`{"trace":` + specDocument + `,"status":"PARTIAL"}`))
	f.Add([]byte("[\n" + specDocument + ",\n" + specDocument + "]"))
	f.Add([]byte("INFO: " + specDocument + "\nx\n"))
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","attributes":[{"value":{"arrayValue":{"values":[{"doubleValue":"NaN"},{"boolValue":true}]}},"key":"db.system"}]}]}],"resource":null}]}`))
	for _, test := range corpusFiles {
		if data, err := readCorpus(test.name); err == nil && test.format == &JSON && len(data) < 200<<10 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := read(t, JSON, data)
		JSON.SplitOf(data)
		JSON.Near(data)
		if !comparable(data) {
			return
		}
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(data)
		if err != nil {
			return
		}
		if got.err != nil {
			t.Fatal(got.err)
		}
		sameSpans(t, "against pdata", got.spans, reference(td))
	})
}

// comparable tells documents that mean the same to everyone: JSON without names
// that occur twice in an object or are empty (pdata stops at those), and without
// what pdata does not know.
func comparable(data []byte) bool {
	var top map[string]json.RawMessage
	if json.Unmarshal(data, &top) != nil || bytes.Contains(data, []byte("nstrumentation")) || bytes.IndexByte(data, 0x1e) >= 0 {
		return false
	}
	for name := range top {
		if name != "resourceSpans" && name != "resource_spans" {
			return false
		}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	type level struct {
		names  map[string]bool // nil: an array
		isName bool
	}
	var stack []level
	for {
		token, err := dec.Token()
		if err != nil {
			return true
		}
		if n := len(stack); n > 0 && stack[n-1].names != nil && token != json.Delim('}') {
			if l := &stack[n-1]; l.isName {
				name := strings.ReplaceAll(strings.ToLower(token.(string)), "_", "")
				if name == "" || l.names[name] {
					return false
				}
				l.names[name], l.isName = true, false
				continue
			} else {
				l.isName = true
			}
		}
		switch token {
		case json.Delim('{'):
			stack = append(stack, level{map[string]bool{}, true})
		case json.Delim('['):
			stack = append(stack, level{})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 200 {
			return false
		}
	}
}

// FuzzProto: no input breaks the reader's contract, and every message that
// pdata reads gives the spans that pdata reads.
func FuzzProto(f *testing.F) {
	message := protoOf(f, specDocument)
	f.Add(message)
	f.Add(frameOf(message))
	f.Add(reorder(f, message, "request"))
	f.Add([]byte("\x0a\x07\xc2\x3e\x04\x12\x02\x0b\x0c"))
	for _, test := range corpusFiles {
		if data, err := readCorpus(test.name); err == nil && test.format == &Proto && len(data) < 200<<10 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read(t, Proto, data)
		Proto.SplitOf(data)
		Proto.Near(data)
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
		if err != nil {
			return
		}
		got := decodeMessage(data)
		sameSpans(t, "against pdata", got, reference(td))
	})
}

// decodeMessage decodes one message, whatever its framing looks like.
func decodeMessage(data []byte) (spans []ingest.Span) {
	s := newSink(ingest.Input{}, func(r ingest.Record, _ error) bool {
		if x, ok := r.(*ingest.Span); ok {
			spans = append(spans, *x)
		}
		return true
	})
	(&protoDecoder{sink: &s}).request(data)
	return spans
}

// Random requests give the same spans by both decoders, in both orders of
// fields, as by pdata.
func TestRandom(t *testing.T) {
	for seed := range uint64(400) {
		td := random(rand.New(rand.NewPCG(seed, 7)))
		want := reference(td)
		doc, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		if err != nil {
			t.Fatal(err)
		}
		message, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		if err != nil {
			t.Fatal(err)
		}
		sameSpans(t, fmt.Sprint("JSON, seed ", seed), read(t, JSON, doc).spans, want)
		sameSpans(t, fmt.Sprint("pretty JSON, seed ", seed), read(t, JSON, []byte(indent(t, string(doc)))).spans, want)
		sameSpans(t, fmt.Sprint("protobuf, seed ", seed), decodeMessage(message), want)
		sameSpans(t, fmt.Sprint("protobuf in rising order, seed ", seed), decodeMessage(reorder(t, message, "request")), want)
	}
}

// names are attributes of every kind of reading, and some that nobody reads.
var names = []string{
	"db.system", "db.system.name", "db.statement", "db.query.text", "db.operation", "db.redis.num_cmd", "db.redis.args_length", "db.namespace", "db.collection.name",
	"server.address", "server.port", "net.peer.name", "network.peer.address", "network.peer.port", "peer.service",
	"http.request.method", "http.method", "http.response.status_code", "http.status_code", "url.full", "url.path", "http.route",
	"rpc.system", "rpc.service", "rpc.method", "rpc.grpc.status_code", "rpc.response.status_code",
	"http.request.resend_count", "previous-rpc-attempts", "error.type", "messaging.system", "messaging.operation", "request_budget", "rpc.request.metadata.grpc-timeout",
	"aggregation.is_summary", "aggregation.span_count", "aggregation.duration_max_ns", "cached", "app.user", "x", "",
}

var texts = []string{
	"", "redis", "postgresql", "mget a b", "GET", "get k1\nget k2", "select * from t where id = 'x''y' and n in (1, 2)", "MGET [24 other arguments]", "POST", "10.0.0.1", "::1",
	"DEADLINE_EXCEEDED", "4", "200", "true", "99m", "https://h:8080/a/12?b=\"c\"", "a\\b\"c\td\u2028é\U0001f600", "\x01\x02", "\xff\xfe", "aggregation", strings.Repeat("long ", 100),
}

func random(rng *rand.Rand) ptrace.Traces {
	text := func() string { return texts[rng.IntN(len(texts))] }
	var set func(m pcommon.Map)
	var put func(v pcommon.Value, depth int)
	put = func(v pcommon.Value, depth int) {
		switch n := rng.IntN(11); {
		case n < 5:
			v.SetStr(text())
		case n < 7:
			v.SetInt([]int64{0, 1, -1, 200, 4, 7101, math.MaxInt64, math.MinInt64}[rng.IntN(8)])
		case n == 7:
			v.SetDouble([]float64{0, -1.5, 200, 1e300, math.Inf(1), math.NaN(), 0.1}[rng.IntN(7)])
		case n == 8:
			v.SetBool(rng.IntN(2) == 0)
		case n == 9 && depth < 3:
			s := v.SetEmptySlice()
			for range rng.IntN(3) {
				put(s.AppendEmpty(), depth+1)
			}
		case n == 10 && depth < 3:
			if rng.IntN(2) == 0 {
				v.SetEmptyBytes().FromRaw([]byte(text()))
			} else {
				set(v.SetEmptyMap())
			}
		}
	}
	set = func(m pcommon.Map) {
		for range rng.IntN(12) {
			put(m.PutEmpty(names[rng.IntN(len(names))]), 1)
		}
	}
	td := ptrace.NewTraces()
	for range rng.IntN(3) + 1 {
		rs := td.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl(text())
		for _, name := range []string{"service.name", "host.name", "k8s.pod.name", "other"} {
			if rng.IntN(2) == 0 {
				put(rs.Resource().Attributes().PutEmpty(name), 1)
			}
		}
		for range rng.IntN(3) {
			ss := rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName(text())
			set(ss.Scope().Attributes())
			for range rng.IntN(5) {
				s := ss.Spans().AppendEmpty()
				if rng.IntN(10) > 0 {
					s.SetTraceID(pcommon.TraceID{1, byte(rng.Uint32()), 15: byte(rng.Uint32())})
				}
				if rng.IntN(10) > 0 {
					s.SetSpanID(pcommon.SpanID{7: byte(rng.Uint32())})
				}
				if rng.IntN(3) > 0 {
					s.SetParentSpanID(pcommon.SpanID{byte(rng.Uint32()), 7: 9})
				}
				s.SetName(text())
				s.SetKind(ptrace.SpanKind(rng.IntN(7)))
				times := []uint64{0, 1, 1795987762879416003, 1795987762880807062, math.MaxInt64, math.MaxUint64}
				s.SetStartTimestamp(pcommon.Timestamp(times[rng.IntN(len(times))]))
				s.SetEndTimestamp(pcommon.Timestamp(times[rng.IntN(len(times))]))
				s.SetFlags([]uint32{0, 1, 257, 769, math.MaxUint32}[rng.IntN(5)])
				s.TraceState().FromRaw(text())
				set(s.Attributes())
				if rng.IntN(4) == 0 {
					s.SetDroppedAttributesCount(rng.Uint32N(3))
					s.SetDroppedEventsCount(rng.Uint32N(3))
					s.SetDroppedLinksCount(math.MaxUint32)
				}
				for range rng.IntN(3) {
					e := s.Events().AppendEmpty()
					e.SetName(text())
					set(e.Attributes())
				}
				for range rng.IntN(2) {
					set(s.Links().AppendEmpty().Attributes())
				}
				s.Status().SetCode(ptrace.StatusCode(rng.IntN(3)))
				if rng.IntN(2) == 0 {
					s.Status().SetMessage([]string{"context deadline exceeded", "context canceled", text()}[rng.IntN(3)])
				}
			}
		}
	}
	return td
}
