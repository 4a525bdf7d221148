package zipkin

import (
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

const us = 1000

// Every case is written by hand after the API's description and the v1 converter.
func TestRows(t *testing.T) {
	for _, test := range []struct {
		name, json string
		want       ingest.Span // Pos, ids, Stands, Resend, Store and Call are not compared
	}{
		{"client", `{"traceId":"1","id":"2","parentId":"3","kind":"CLIENT","name":"get","timestamp":1000,"duration":50,"localEndpoint":{"serviceName":"a","ipv4":"10.0.0.1","port":1},"remoteEndpoint":{"serviceName":"b","ipv4":"10.0.0.2","port":8080}}`,
			ingest.Span{Kind: ingest.ClientSpan, Op: "get", Service: "a", Instance: "10.0.0.1", Peer: "10.0.0.2:8080", Start: 1000 * us, End: 1050 * us}},
		{"no address of the other side", `{"traceId":"1","id":"2","kind":"CLIENT","name":"get","timestamp":1000,"duration":50,"remoteEndpoint":{"serviceName":"b","port":8080}}`,
			ingest.Span{Kind: ingest.ClientSpan, Op: "get", Peer: "b", Start: 1000 * us, End: 1050 * us}},
		{"partial row", `{"traceId":"1","id":"2","localEndpoint":{"serviceName":"a"},"tags":{"error":"boom"}}`,
			ingest.Span{Service: "a", Error: true, Outcome: ingest.Failed}},
		{"an error without words", `{"traceId":"1","id":"2","name":"x","timestamp":1,"tags":{"error":""}}`,
			ingest.Span{Op: "x", Start: us, Error: true, Outcome: ingest.Failed}},
		{"an error that says false", `{"traceId":"1","id":"2","name":"x","timestamp":1,"duration":0,"tags":{"error":"false"}}`,
			ingest.Span{Op: "x", Start: us, End: us, Error: true, Outcome: ingest.Failed}},
		{"times that are text", `{"traceId":"1","id":"2","name":"x","timestamp":"1000","duration":"7"}`,
			ingest.Span{Op: "x", Start: 1000 * us, End: 1007 * us}},
		{"producer", `{"traceId":"1","id":"2","kind":"PRODUCER","name":"x","timestamp":1}`,
			ingest.Span{Op: "x", Kind: ingest.Producer, Async: true, Start: us}},
		{"annotations of version 2", `{"traceId":"1","id":"2","name":"x","timestamp":1,"duration":5,"annotations":[{"timestamp":2,"value":"ws"}],"localEndpoint":{"serviceName":"a"}}`,
			ingest.Span{Op: "x", Service: "a", Start: us, End: 6 * us}},

		{"v1, both halves", v1(`"timestamp":100,"duration":50`, `cs a 100`, `sr b 110`, `ss b 140`, `cr a 150`),
			ingest.Span{Op: "x", Kind: ingest.ServerSpan, Service: "b", Start: 100 * us, End: 150 * us}},
		{"v1, both halves, no times of its own", v1(`"debug":false`, `cs a 100`, `sr b 110`, `ss b 140`, `cr a 150`),
			ingest.Span{Op: "x", Kind: ingest.ServerSpan, Service: "b", Start: 100 * us, End: 150 * us}},
		{"v1, server's half", v1(`"debug":false`, `sr b 110`, `ss b 140`),
			ingest.Span{Op: "x", Kind: ingest.ServerSpan, Service: "b", Start: 110 * us, End: 140 * us}},
		{"v1, client's half", v1(`"timestamp":100,"duration":50`, `cs a 100`, `cr a 150`),
			ingest.Span{Op: "x", Kind: ingest.ClientSpan, Service: "a", Start: 100 * us, End: 150 * us}},
		{"v1, client that got no answer", v1(`"timestamp":100`, `cs a 100`, `sr b 110`, `ss b 140`),
			ingest.Span{Op: "x", Kind: ingest.ServerSpan, Service: "b", Start: 100 * us}},
		{"v1, message sent", v1(`"timestamp":100`, `ms a 100`),
			ingest.Span{Op: "x", Kind: ingest.Producer, Async: true, Service: "a", Start: 100 * us}},
		{"v1, message received", v1(`"debug":false`, `mr b 100`),
			ingest.Span{Op: "x", Kind: ingest.Consumer, Async: true, Service: "b", Start: 100 * us}},
		{"v1, local", `{"traceId":"1","id":"2","name":"x","timestamp":100,"duration":5,"binaryAnnotations":[{"key":"lc","value":"","endpoint":{"serviceName":"a"}}]}`,
			ingest.Span{Op: "x", Service: "a", Start: 100 * us, End: 105 * us}},
		{"v1, address of the server", `{"traceId":"1","id":"2","name":"x","timestamp":100,"duration":5,"annotations":[{"timestamp":100,"value":"cs","endpoint":{"serviceName":"a"}},{"timestamp":105,"value":"cr","endpoint":{"serviceName":"a"}}],"binaryAnnotations":[{"key":"sa","value":true,"endpoint":{"serviceName":"mysql","ipv4":"10.0.0.3","port":3306}}]}`,
			ingest.Span{Op: "x", Kind: ingest.ClientSpan, Service: "a", Peer: "10.0.0.3:3306", Start: 100 * us, End: 105 * us}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !Format.Sniff([]byte(test.json)) && test.name != "partial row" {
				t.Error("is not claimed")
			}
			spans := tracetest.Spans(t, &Format, []byte(test.json))
			if len(spans) != 1 {
				t.Fatalf("%d spans", len(spans))
			}
			got := spans[0]
			if got.ID != (ingest.SpanID{7: 2}) || got.Trace != (ingest.TraceID{15: 1}) {
				t.Errorf("ids %x %x", got.Trace, got.ID)
			}
			got.Pos, got.Trace, got.ID, got.Parent = ingest.Pos{}, ingest.TraceID{}, ingest.SpanID{}, ingest.SpanID{}
			got.Stands, got.Resend, got.Store, got.Call = 0, 0, nil, nil
			if got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// v1 makes a span of version 1 of annotations like "cs a 100": value, service, time.
func v1(fields string, annotations ...string) string {
	var list []string
	for _, a := range annotations {
		p := strings.Fields(a)
		list = append(list, `{"timestamp":`+p[2]+`,"value":"`+p[0]+`","endpoint":{"serviceName":"`+p[1]+`"}}`)
	}
	return `{"traceId":"1","id":"2","name":"x",` + fields + `,"annotations":[` + strings.Join(list, ",") + `]}`
}

// The other ways in which spans lie in a file give the same spans.
func TestLayouts(t *testing.T) {
	const a = `{"traceId":"1","id":"1","name":"x","timestamp":1,"duration":2}`
	const b = `{"traceId":"1","id":"2","parentId":"1","name":"y","timestamp":1,"duration":2}`
	for _, layout := range []string{
		"[" + a + "," + b + "]", "[[" + a + "],[" + b + "]]", "[[" + a + "," + b + "]]", a + b, a + "\n" + b + "\n", "[" + a + "]\n[" + b + "]",
		"  [\n" + a + ",\n" + b + "\n]", "[" + a + ", null, 3, " + b + "]", "[[[[[[" + a + "]]]]], " + a + "," + b + "]", "\x1e" + a + "\n\x1e" + b,
	} {
		spans, problems, err := tracetest.Read(t, &Format, []byte(layout), ingest.Options{})
		if len(spans) != 2 || spans[0].Op != "x" || spans[1].Op != "y" || err != nil {
			t.Errorf("%s: %d spans, %q, %v", layout, len(spans), problems, err)
		}
		if odd := strings.Contains(layout, "null"); odd != (len(problems) > 0) {
			t.Errorf("%s: %q", layout, problems)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, not := range []string{
		"", "[]", "{}", `{"traceId":"1","spanId":"2","id":"3","name":"x","timestamp":1}`, `{"timestamp":"2026-01-01","traceId":"1","id":"2","message":"m"}`,
		`{"trace_id":"1-2-3","id":"1","name":"x","start_time":1}`, `{"traceID":"1","spanID":"2","operationName":"x"}`,
	} {
		if Format.Sniff([]byte(not)) {
			t.Errorf("claims %s", not)
		}
	}
}

func TestBad(t *testing.T) {
	tracetest.Bad(t, &Format, tracetest.Corpus(t, "traces/zipkin-v2/yelp.json"))
	tracetest.Bad(t, &Format, tracetest.Corpus(t, "traces/zipkin-v1/train-ticket-admin-route-fail.json"))
	for _, text := range append(tracetest.Hostile(),
		`[{"traceId":"1","id":"1","name":"x","timestamp":99999999999999999999999,"duration":1e300}]`,
		`[{"traceId":"1","id":"1","name":"x","timestamp":-5,"duration":-1,"annotations":[{"value":"cs","timestamp":-1}]}]`,
		`[{"traceId":{},"id":[],"name":null,"timestamp":true,"tags":[],"annotations":{},"localEndpoint":"x"}]`,
		`[{"traceId":"1","traceId":"2","id":"1","id":"2","name":"x","tags":{"error":"a","error":"b"},"tags":null}]`,
		"[{\"traceId\":\"1\",\"id\":\"1\",\"name\":\"\xff\xfe\"}]",
	) {
		tracetest.Read(t, &Format, []byte(text), ingest.Options{})
		Format.Sniff([]byte(text))
	}
}
