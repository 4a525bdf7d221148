package otlp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
)

// Two spans of one trace as the specification has them: a server's root and a
// Redis command below it. Every variant says the same.
const specDocument = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"api"}}]},"scopeSpans":[{"scope":{"name":"lib","version":"1"},"spans":[` + specRoot + `,` + specChild + `]}]}]}`

const (
	specRoot  = `{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","flags":257,"name":"GET /x","kind":2,"startTimeUnixNano":"1544712660000000001","endTimeUnixNano":"1544712661000000002","attributes":[{"key":"http.response.status_code","value":{"intValue":"200"}}],"status":{}}`
	specChild = `{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b175","parentSpanId":"eee19b7ec3c1b174","name":"mget","kind":3,"startTimeUnixNano":"1544712660000000003","endTimeUnixNano":"1544712660500000004","attributes":[{"key":"db.system","value":{"stringValue":"redis"}},{"key":"db.statement","value":{"stringValue":"mget a"}},{"key":"server.port","value":{"intValue":"6379"}},{"key":"server.address","value":{"stringValue":"r1"}}],"status":{"code":2,"message":"boom"}}`
)

func specSpans() []ingest.Span {
	trace := ingest.TraceID{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c}
	root, child := ingest.SpanID{0xee, 0xe1, 0x9b, 0x7e, 0xc3, 0xc1, 0xb1, 0x74}, ingest.SpanID{0xee, 0xe1, 0x9b, 0x7e, 0xc3, 0xc1, 0xb1, 0x75}
	return []ingest.Span{
		{Trace: trace, ID: root, Service: "api", Op: "GET /x", Kind: ingest.ServerSpan, Start: 1544712660000000001, End: 1544712661000000002,
			Status: 200, Call: &ingest.Call{Protocol: ingest.HTTP}, Stands: 1, Resend: -1, Remote: -1},
		{Trace: trace, ID: child, Parent: root, Service: "api", Op: "mget", Peer: "r1:6379", Kind: ingest.ClientSpan, Start: 1544712660000000003, End: 1544712660500000004,
			Outcome: ingest.Failed, Error: true, Stands: 1, Resend: -1, Store: &ingest.Datastore{System: "redis", Op: "MGET", Statement: "mget a", Template: "MGET a", Keys: 1}},
	}
}

// replace replaces each of the old texts, all of which must be there.
func replace(t *testing.T, doc string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(doc, pairs[i]) {
			t.Fatalf("no %s in the document", pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(doc)
}

func indent(t *testing.T, doc string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(doc), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What exporters, backends and hand-made dumps make of one document.
func TestVariants(t *testing.T) {
	inner := specDocument[len(`{"resourceSpans":[`) : len(specDocument)-len(`]}`)] // one ResourceSpans
	base64IDs := []string{
		`"5b8efff798038103d269b633813fc60c"`, `"W47/95gDgQPSabYzgT/GDA=="`,
		`"eee19b7ec3c1b174"`, `"7uGbfsPBsXQ="`, `"eee19b7ec3c1b175"`, `"7uGbfsPBsXU="`,
	}
	names := []string{`"kind":2`, `"kind":"SPAN_KIND_SERVER"`, `"kind":3`, `"kind":"SPAN_KIND_CLIENT"`, `"code":2`, `"code":"STATUS_CODE_ERROR"`}
	for _, test := range []struct {
		name, doc string
		split     ingest.Split
	}{
		{"specification", specDocument, ingest.SplitLines},
		{"pretty", indent(t, specDocument), ingest.SplitNever},
		{"upper-case ids", replace(t, specDocument, "5b8efff798038103d269b633813fc60c", "5B8EFFF798038103D269B633813FC60C", "eee19b7ec3c1b17", "EEE19B7EC3C1B17"), ingest.SplitLines},
		{"lines, a span each", strings.Replace(specDocument, ","+specChild, "", 1) + "\n" + strings.Replace(specDocument, specRoot+",", "", 1) + "\n", ingest.SplitLines},
		{"lines with line ends of Windows, and blank ones", strings.Replace(specDocument, ","+specChild, "", 1) + "\r\n\r\n" + strings.Replace(specDocument, specRoot+",", "", 1) + "\r\n", ingest.SplitLines},
		{"pretty documents one behind the other", indent(t, strings.Replace(specDocument, ","+specChild, "", 1)) + "\n" + indent(t, strings.Replace(specDocument, specRoot+",", "", 1)), ingest.SplitNever},
		{"documents without anything between them", strings.Replace(specDocument, ","+specChild, "", 1) + strings.Replace(specDocument, specRoot+",", "", 1), ingest.SplitNever},
		{"RFC 7464", "\x1e" + specDocument + "\n", ingest.SplitLines},
		{"array of requests", "[" + strings.Replace(specDocument, ","+specChild, "", 1) + ",\n" + strings.Replace(specDocument, specRoot+",", "", 1) + "]", ingest.SplitNever},
		{"array of ResourceSpans", "[" + inner + "]", ingest.SplitLines},
		{"pretty array", indent(t, "["+specDocument+"]"), ingest.SplitNever},
		{"bare ResourceSpans", inner, ingest.SplitLines},
		{"bare ResourceSpans, spans first", `{"scopeSpans":[{"spans":[` + specRoot + `,` + specChild + `]}],"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"api"}}]}}`, ingest.SplitLines},
		{"JS exporter", replace(t, specDocument, `"intValue":"200"`, `"intValue":200`, `"intValue":"6379"`, `"intValue":6379`, `"status":{}`, `"status":{"code":0},"links":[],"events":[],"droppedAttributesCount":0,"droppedEventsCount":0,"droppedLinksCount":0`), ingest.SplitLines},
		{"instrumentation library", replace(t, specDocument, `"scopeSpans"`, `"instrumentationLibrarySpans"`, `"scope":`, `"instrumentationLibrary":`), ingest.SplitLines},
		{"both names, the old one is for old readers", replace(t, specDocument, `"scopeSpans":[`, `"instrumentationLibrarySpans":[{"spans":[{"traceId":"01","name":"old"}]}],"scopeSpans":[`), ingest.SplitLines},
		{"snake case", replace(t, specDocument, "resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "traceId", "trace_id", `"spanId"`, `"span_id"`, "parentSpanId", "parent_span_id", "startTimeUnixNano", "start_time_unix_nano", "endTimeUnixNano", "end_time_unix_nano", "stringValue", "string_value", "intValue", "int_value"), ingest.SplitLines},
		{"base64 ids, names", replace(t, specDocument, append(base64IDs, names...)...), ingest.SplitLines},
		{"base64 of hexadecimal ids", replace(t, specDocument, `"5b8efff798038103d269b633813fc60c"`, `"NWI4ZWZmZjc5ODAzODEwM2QyNjliNjMzODEzZmM2MGM="`, `"eee19b7ec3c1b174"`, `"ZWVlMTliN2VjM2MxYjE3NA=="`, `"eee19b7ec3c1b175"`, `"ZWVlMTliN2VjM2MxYjE3NQ=="`), ingest.SplitLines},
		{"Tempo v1", replace(t, specDocument, append([]string{`"resourceSpans"`, `"batches"`}, append(base64IDs, names...)...)...), ingest.SplitLines},
		{"Tempo v2", `{"trace":` + specDocument + `,"metrics":{"inspectedBytes":"1"},"status":"COMPLETE"}`, ingest.SplitLines},
		{"Jaeger v3", `{"result":` + specDocument + `}`, ingest.SplitLines},
		{"Jaeger v3, streamed", `{"result":` + strings.Replace(specDocument, ","+specChild, "", 1) + "}\n" + `{"result":` + strings.Replace(specDocument, specRoot+",", "", 1) + "}\n", ingest.SplitLines},
		{"Grafana export", replace(t, specDocument, `"resourceSpans"`, `"batches"`, `"scopeSpans"`, `"instrumentationLibrarySpans"`, `"1544712660000000001"`, `1544712660000000001`, `"1544712661000000002"`, `1544712661000000002`, `"kind":2`, `"kind":"SPAN_KIND_SERVER"`), ingest.SplitLines},
		{"logging-otlp", "2026-11-29 10:00:00 INFO starting\nNov 29, 2026 io.opentelemetry.exporter.logging.otlp.OtlpJsonLoggingSpanExporter export INFO: " + inner + "\nanother line {of} a log\n", ingest.SplitLines},
		{"logging-otlp, wrapped", "INFO: " + specDocument + "\n", ingest.SplitLines},
		{"null for nothing", replace(t, specDocument, `"status":{}`, `"status":null,"links":null,"events":null,"parentSpanId":null`, `"version":"1"`, `"version":null`), ingest.SplitLines},
		{"escaped names", replace(t, specDocument, `"traceId"`, `"trace\u0049d"`, `"key":"db.system"`, `"key":"db\u002esystem"`, `"GET /x"`, `"GET \/x"`), ingest.SplitLines},
		{"value before key", replace(t, specDocument, `{"key":"db.statement","value":{"stringValue":"mget a"}}`, `{"value":{"stringValue":"mget a"},"key":"db.statement"}`), ingest.SplitLines},
		{"members of the future", replace(t, specDocument, `"flags":257`, `"future":[{"a":{"b":["}","\"]"]}}],"flags":257`, `"scope":`, `"more":{"x":[1,2.5e3,true,null]},"scope":`, `"stringValue":"redis"`, `"hint":7,"stringValue":"redis"`), ingest.SplitLines},
		{"attributes before everything else", replace(t, specDocument, specChild, specChild[:1]+specChild[strings.Index(specChild, `"attributes"`):len(specChild)-1]+","+specChild[1:strings.Index(specChild, `,"attributes"`)]+"}"), ingest.SplitLines},
	} {
		t.Run(test.name, func(t *testing.T) {
			data := []byte(test.doc)
			if !JSON.Sniff(data) || Proto.Sniff(data) {
				t.Errorf("claimed by otlp-json %t, otlp-proto %t", JSON.Sniff(data), Proto.Sniff(data))
			}
			if got := JSON.SplitOf(data); got != test.split {
				t.Errorf("split %d, want %d", got, test.split)
			}
			r := read(t, JSON, data)
			if r.err != nil || len(r.problems) > 0 {
				t.Errorf("problems %v, error %v", r.problems, r.err)
			}
			want := specSpans()
			if strings.Contains(test.doc, `"spans":[{"attributes"`) || !strings.Contains(test.doc, "257") {
				want[0].Remote = 0
			}
			parts(t, JSON, data, r)
			for i := range r.spans {
				r.spans[i].Args = 0 // a hash; package trace has tests of it
			}
			sameSpans(t, test.name, r.spans, want)
			for _, s := range r.spans {
				if at := bytes.IndexByte(data[s.Offset:], '{'); at != 0 {
					t.Errorf("position %d is not that of a span", s.Offset)
				}
			}
		})
	}
}

func TestProblems(t *testing.T) {
	frames := func(messages ...string) string {
		var b []byte
		for _, m := range messages {
			b = append(b, frameOf([]byte(m))...)
		}
		return string(b)
	}
	proto := string(protoOf(t, specDocument))
	metricsProto := "\x0a\x0c\x12\x0a\x12\x08\x0a\x04name\x2a\x00" // ResourceMetrics{ScopeMetrics{Metric{name, gauge}}}
	for _, test := range []struct {
		name     string
		format   ingest.Format
		data     string
		spans    int
		problems []string // parts of their texts
		err      string
	}{
		{"partial answer", JSON, `{"trace":` + specDocument + `,"status":"PARTIAL","message":"trace too large"}`, 2, []string{"partial"}, ""},
		{"partial answer, said first", JSON, `{"status":"PARTIAL","message":"x","trace":` + specDocument + `}`, 2, []string{"partial"}, ""},
		{"unknown kind", JSON, replace(t, specDocument, `"kind":3`, `"kind":"SPAN_KIND_INVALID_TYPE"`), 2, []string{"SPAN_KIND_INVALID_TYPE"}, ""},
		{"kind out of range", JSON, replace(t, specDocument, `"kind":3`, `"kind":77`), 2, []string{"77"}, ""},
		{"no trace id", JSON, replace(t, specDocument, `"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b175"`, `"spanId":"eee19b7ec3c1b175"`), 1, []string{"without a trace id"}, ""},
		{"all-zero trace id", JSON, replace(t, specDocument, `"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b175"`, `"traceId":"00000000000000000000000000000000"`), 1, []string{"without a trace id"}, ""},
		{"an id of no kind", JSON, replace(t, specDocument, `"spanId":"eee19b7ec3c1b175"`, `"spanId":"span-1"`), 2, []string{"hexadecimal"}, ""},
		{"a time of no kind", JSON, replace(t, specDocument, `"1544712660000000003"`, `"yesterday"`), 2, []string{"time"}, ""},
		{"a time beyond time", JSON, replace(t, specDocument, `"1544712660000000003"`, `"18446744073709551615"`), 2, []string{"time"}, ""},
		{"attributes of no kind", JSON, replace(t, specDocument, `"attributes":[{"key":"http`, `"attributes":7,"x":[{"key":"http`), 2, []string{"attributes is not"}, ""},
		{"a line that is no document", JSON, specDocument + "\nhello\n" + specDocument + "\n", 4, []string{"no OTLP document"}, ""},
		{"a document of something else", JSON, specDocument + "\n{\"a\":1}\n" + specDocument + "\n", 4, []string{"no OTLP document"}, ""},
		{"an empty request", JSON, specDocument + "\n{}\n" + specDocument + "\n", 4, nil, ""},
		{"a line that is cut off", JSON, specDocument + "\n" + specDocument[:len(specDocument)-300] + "\n" + specDocument + "\n", 5, []string{"cut off"}, ""},
		{"metrics among traces", JSON, specDocument + "\n" + `{"resourceMetrics":[]}` + "\n", 2, []string{"metrics: only traces"}, ""},
		{"logs among traces", JSON, specDocument + "\n" + `{"resourceLogs":[{"resource":{}}]}` + "\n", 2, []string{"logs: only traces"}, ""},
		{"a pretty document that is cut off, and another", JSON, indent(t, specDocument)[:500] + "\n" + indent(t, specDocument), 2, []string{"cut off"}, ""},
		{"garbage between pretty documents", JSON, indent(t, specDocument) + "\nxyz\n" + indent(t, specDocument), 4, []string{"no OTLP document"}, ""},
		{"an array without an end", JSON, "[\n" + specDocument + ",", 2, []string{"cut off"}, ""},
		{"a frame that is cut off", Proto, frames(proto) + frames(proto)[:100], 2, []string{"cut off", "the input ends in it"}, ""},
		{"bytes behind the frames", Proto, frames(proto) + "\x00\x00", 2, []string{"no frame"}, ""},
		{"a frame of no length", Proto, frames(proto) + "\xff\xff\xff\xff\x0a\x00", 2, nil, "a frame of 4294967295 bytes"},
		{"a broken frame among others", Proto, frames(proto, "\x0a\x05\x12\x03\x12\x01\x0f", proto), 4, []string{"broken"}, ""},
		{"metrics among frames", Proto, frames(proto, metricsProto), 2, []string{"metrics: only traces"}, ""},
		{"a bare message that is cut off", Proto, proto[:len(proto)-30], 2, []string{"cut off"}, ""},
		{"a zstd frame of nothing", JSON, frames(zstdMagic + "garbage"), 0, []string{"zstd frame cannot be read"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := read(t, test.format, []byte(test.data))
			if len(r.spans) != test.spans {
				t.Errorf("%d spans, want %d", len(r.spans), test.spans)
			}
			if (r.err != nil) != (test.err != "") || r.err != nil && !strings.Contains(r.err.Error(), test.err) {
				t.Errorf("error %v, want %q", r.err, test.err)
			}
			if len(r.problems) != len(test.problems) {
				t.Fatalf("problems %v, want %q", r.problems, test.problems)
			}
			for i, p := range r.problems {
				if !strings.Contains(p.Err.Error(), test.problems[i]) {
					t.Errorf("problem %v, want %q", p.Err, test.problems[i])
				}
			}
			parts(t, test.format, []byte(test.data), r)
		})
	}
}

func TestSniff(t *testing.T) {
	for _, test := range []struct{ name, head string }{
		{"nothing", ""},
		{"an empty object", "{}"},
		{"an empty array", "[]"},
		{"Jaeger", `{"data":[{"traceID":"1","spans":[],"processes":{}}]}`},
		{"Zipkin", `[{"traceId":"1","id":"2","name":"x"}]`},
		{"stdouttrace", `{"Name":"x","SpanContext":{"TraceID":"1"},"Resource":[]}`},
		{"k6", `{"type":"Point","metric":"http_req_duration","data":{"value":1}}`},
		{"a result of another kind", `{"result":{"items":[]},"trace":"x"}`},
		{"a resource of another kind", `{"resource":{"name":"x"},"spans":3}`},
		{"nginx", `127.0.0.1 - - [29/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1`},
		{"a blank line", "\n\nSummary:\n  Total: 1 secs\n"},
		{"zeros", "\x00\x00\x00\x00\x00\x00\x00\x00"},
		{"metrics", `{"resourceMetrics":[{"resource":{},"scopeMetrics":[]}]}`},
		{"logs", `{"resourceLogs":[{"resource":{},"scopeLogs":[]}]}`},
		{"bare logs", `{"resource":{},"scopeLogs":[]}`},
	} {
		head := []byte(test.head)
		if JSON.Sniff(head) || Proto.Sniff(head) {
			t.Errorf("%s: claimed by otlp-json %t, otlp-proto %t", test.name, JSON.Sniff(head), Proto.Sniff(head))
		}
		near := JSON.Near(head) + Proto.Near(head)
		if signal := strings.Contains(test.name, "metrics") || strings.Contains(test.name, "logs"); signal != (near != "") {
			t.Errorf("%s: near %q", test.name, near)
		}
	}
	if near := Proto.Near([]byte("\x0a\x0c\x12\x0a\x12\x08\x0a\x04name\x2a\x00")); !strings.Contains(near, "metrics") {
		t.Errorf("protobuf metrics: near %q", near)
	}
	if near := Proto.Near([]byte("\x0a\x0f\x12\x0d\x12\x0b\x09\x01\x02\x03\x04\x05\x06\x07\x08\x10\x09")); !strings.Contains(near, "logs") {
		t.Errorf("protobuf logs: near %q", near)
	}
}
