package console

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

// Counts: SOURCES.md of corpus/traces.
func TestJSCorpus(t *testing.T) {
	data := tracetest.Corpus(t, "traces/js-console/node-redis-cluster-mget-storm.txt")
	if !JS.Sniff(data[:ingest.HeadSize]) {
		t.Error("is not claimed")
	}
	spans := tracetest.Spans(t, &JS, data)
	want := tracetest.Counts{Spans: 127, Traces: 7, Roots: 7}
	if got := tracetest.Count(spans); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if roots := tracetest.Roots(spans); roots["profile-bff redis-connect"] != 4 || roots["profile-bff GET /profiles"] != 3 {
		t.Errorf("%v", roots)
	}
	groups := map[ingest.SpanID]int{}
	for _, s := range spans {
		if s.Op == "redis-MGET" {
			if s.Kind != ingest.ClientSpan || s.Store == nil || s.Store.Keys != 1 {
				t.Fatalf("%+v %+v", s, s.Store)
			}
			groups[s.Parent]++
		}
	}
	if len(groups) != 2 {
		t.Errorf("MGETs under %d parents", len(groups))
	}
	for _, n := range groups {
		if n != 40 {
			t.Errorf("%d MGETs under one parent, want 40", n)
		}
	}
}

const jsSpan = `{
  resource: {
    attributes: {
      'service.name': 'cart',
      'process.command_args': [ '/usr/bin/node', 'app.js' ],
      'host.name': 'h1'
    }
  },
  instrumentationScope: { name: 'x', version: undefined, schemaUrl: undefined },
  traceId: '00000000000000000000000000000001',
  parentSpanContext: {
    traceId: '00000000000000000000000000000001',
    spanId: '0000000000000003',
    traceFlags: 1,
    traceState: undefined
  },
  traceState: undefined,
  name: "it's",
  id: '0000000000000002',
  kind: 2,
  timestamp: 1795987765130000,
  duration: 10278.713,
  attributes: {
    'http.request.method': 'GET',
    'url.full': 'http://h/a\'b\\c',
    'http.response.status_code': 503,
    cached: true,
    'db.query.text': 'SELECT 1\n' +
      'FROM "t" WHERE a = ` + "`x`" + `',
    'db.system.name': ` + "`it's \"x\"`" + `,
    big: 12n,
    nothing: null,
    deep: { a: [Object], b: [Array] },
    'messaging.kafka': Map(0) {}
  },
  status: { code: 2, message: 'boom' },
  events: [
    {
      name: 'exception',
      attributes: [Object: null prototype] { error: 'x' },
      time: [ 1795987765, 130000000 ],
      droppedAttributesCount: 0
    }
  ],
  links: [ { context: [Object], attributes: {} } ]
}
`

// jsOld is a span of 1.8: no resource, the parent's id by itself.
const jsOld = `{
  traceId: '00000000000000000000000000000001',
  parentId: undefined,
  traceState: undefined,
  name: 'main',
  id: '0000000000000003',
  kind: 0,
  timestamp: 1633038372000000,
  duration: 5,
  attributes: {},
  status: { code: 0 },
  events: [],
  links: []
}
`

func TestJS(t *testing.T) {
	other := "listening\n{\n  a: 1,\n  traceId: 5\n}\n{ level: 'info' }\n"
	colours := strings.ReplaceAll(strings.ReplaceAll(jsSpan, "'cart'", "\x1b[32m'cart'\x1b[39m"), "503", "\x1b[33m503\x1b[39m")
	for _, text := range []string{jsSpan, strings.ReplaceAll(jsSpan, "\n", "\r\n"), other + jsSpan, jsSpan + other, colours} {
		if !JS.Sniff([]byte(text)) {
			t.Error("is not claimed")
		}
		spans := tracetest.Spans(t, &JS, []byte(text))
		if len(spans) != 1 {
			t.Fatalf("%d spans", len(spans))
		}
		s := spans[0]
		if s.Store == nil || s.Store.System != `it's "x"` || s.Store.Statement != "SELECT 1\nFROM \"t\" WHERE a = `x`" || s.Call == nil || s.Call.Method != "GET" {
			t.Errorf("%+v %+v", s.Store, s.Call)
		}
		s.Pos, s.Store, s.Call, s.Args = ingest.Pos{}, nil, nil, 0
		want := ingest.Span{Trace: ingest.TraceID{15: 1}, ID: ingest.SpanID{7: 2}, Parent: ingest.SpanID{7: 3}, Service: "cart", Instance: "h1", Op: "it's",
			Start: 1795987765130000000, End: 1795987765130000000 + 10278713, Stands: 1, Resend: -1, Status: 503, Kind: ingest.ClientSpan, Outcome: ingest.Failed, Error: true, Linked: true, Cached: true}
		if s != want {
			t.Errorf("got  %+v\nwant %+v", s, want)
		}
	}
	spans := tracetest.Spans(t, &JS, []byte(jsOld+jsOld))
	if len(spans) != 2 || spans[1].Parent != (ingest.SpanID{}) || spans[1].Kind != ingest.Internal || spans[1].End.Sub(spans[1].Start) != 5*time.Microsecond {
		t.Errorf("%+v", spans)
	}
}

func TestJSCut(t *testing.T) {
	for _, text := range []string{jsSpan[:len(jsSpan)-4], jsSpan[:len(jsSpan)-4] + "\n" + jsOld} {
		_, problems, err := tracetest.Read(t, &JS, []byte(text), ingest.Options{})
		if len(problems) != 1 || problems[0] != errBlock.Error() || err != nil {
			t.Errorf("%q, %v", problems, err)
		}
	}
	long := "{\n  traceId: '1',\n" + strings.Repeat("  a: 1,\n", 3<<20) + "}\n" + jsOld
	spans, problems, err := tracetest.Read(t, &JS, []byte(long), ingest.Options{})
	if len(spans) != 1 || len(problems) != 1 || err != nil {
		t.Errorf("%d spans, %q, %v", len(spans), problems, err)
	}
}

const pythonSpan = `{
    "name": "GET /cart",
    "context": {
        "trace_id": "0x00000000000000000000000000000001",
        "span_id": "0x0000000000000002",
        "trace_state": "[]"
    },
    "kind": "SpanKind.SERVER",
    "parent_id": "0x0000000000000003",
    "start_time": "2020-12-24T02:48:10.826740Z",
    "end_time": "2020-12-24T02:48:10.926740Z",
    "status": {
        "status_code": "ERROR",
        "description": "ValueError: x"
    },
    "attributes": {
        "http.method": "GET",
        "http.status_code": 500,
        "http.route": "/cart",
        "list": ["a", "b"]
    },
    "events": [],
    "links": [{"context": {}}],
    "resource": RESOURCE
}
`

func TestPython(t *testing.T) {
	start := ingest.Time(time.Date(2020, 12, 24, 2, 48, 10, 826740000, time.UTC).UnixNano())
	for _, resource := range []string{`{"attributes": {"service.name": "cart", "host.name": "h1"}, "schema_url": ""}`, `{"service.name": "cart", "host.name": "h1"}`} {
		text := strings.Replace(pythonSpan, "RESOURCE", resource, 1)
		for _, text := range []string{text, "Hello world!\n" + text, strings.Join(strings.Fields(text), " ") + "\n", strings.Replace(text, `"0x0000000000000003"`, `"0000000000000003"`, 1)} {
			if !Python.Sniff([]byte(text)) {
				t.Error("is not claimed")
			}
			spans := tracetest.Spans(t, &Python, []byte(text))
			if len(spans) != 1 {
				t.Fatalf("%d spans", len(spans))
			}
			s := spans[0]
			if s.Call == nil || *s.Call != (ingest.Call{Protocol: ingest.HTTP, Method: "GET", Target: "/cart"}) {
				t.Errorf("%+v", s.Call)
			}
			s.Pos, s.Call = ingest.Pos{}, nil
			want := ingest.Span{Trace: ingest.TraceID{15: 1}, ID: ingest.SpanID{7: 2}, Parent: ingest.SpanID{7: 3}, Service: "cart", Instance: "h1", Op: "GET /cart", Start: start, End: start.Add(100 * time.Millisecond),
				Stands: 1, Resend: -1, Status: 500, Kind: ingest.ServerSpan, Outcome: ingest.Failed, Error: true, Linked: true}
			if s != want {
				t.Errorf("got  %+v\nwant %+v", s, want)
			}
		}
	}
	root := strings.Replace(strings.Replace(pythonSpan, `"0x0000000000000003"`, "null", 1), "RESOURCE", "{}", 1)
	if spans := tracetest.Spans(t, &Python, []byte(root+root)); len(spans) != 2 || spans[0].Parent != (ingest.SpanID{}) || spans[0].Service != "" {
		t.Errorf("%+v", spans)
	}
	_, problems, _ := tracetest.Read(t, &Python, []byte(strings.Replace(root, "2020-12-24T02:48:10.826740Z", "null", 1)), ingest.Options{})
	if len(problems) != 1 || problems[0] != trace.ErrTime.Error() {
		t.Errorf("%q", problems)
	}
}

// Java's lines are those of the exporter's tests and of issues about it.
func TestJava(t *testing.T) {
	const line = "INFO: 'GET /cart' : 4d1e00c0db9010db86154a4ba6e91385 9d2c7a3ee9e2ba8e SERVER [tracer: my-lib:1.0] AttributesMap{data={}, capacity=128, totalAddedValues=0}"
	for text, want := range map[string]bool{
		line: true, "Dec 05, 2026 3:37:32 PM io.opentelemetry.exporter.logging.LoggingSpanExporter export\n" + line + "\n": true,
		"[otel.javaagent 2026-01-01 10:00:00:000 +0000] [http-nio-8080-exec-1] " + line: true,
		strings.Replace(line, "SERVER", "SERVANT", 1):                                   false, "'a' : b c SERVER [tracer: x:1]": false, "": false,
	} {
		if got := Java.Sniff([]byte(text)); got != want {
			t.Errorf("%q: claimed %t", text, got)
		}
	}
	spans, _, err := tracetest.Read(t, &Java, []byte(line), ingest.Options{})
	if len(spans) != 0 || err == nil || !strings.Contains(err.Error(), "logging-otlp") {
		t.Errorf("%d spans, %v", len(spans), err)
	}
}

func TestBad(t *testing.T) {
	tracetest.Bad(t, &JS, []byte(jsOld+jsSpan+jsOld))
	tracetest.Bad(t, &Python, []byte(strings.Replace(pythonSpan, "RESOURCE", "{}", 1)))
	for _, text := range append(tracetest.Hostile(),
		"{\n  traceId: '1',\n  x: "+strings.Repeat("{ a: ", 1<<17)+"\n}\n",
		"{\n  traceId: '1',\n  attributes: "+strings.Repeat("[", 1<<17)+"\n}\n",
		"{\n  traceId: '1',\n  id: '\n}\n", "{\n  traceId: '1\\\n}\n", "{\n  traceId: '\\u{ffffffff}\\x',\n  kind: \u00a0,\n}\n", "{\n  traceId: 1e999,\n  id: -,\n  timestamp: 99999999999999999999,\n  duration: -1\n}\n",
		"{\n  traceId: '1' + '2' + ,\n  resource: [1,,2],\n  status: }\n  links: [{]}\n}\n", "{\n  traceId: \xff\xfe: : :\n}\n",
		`{"name":{},"context":{"trace_id":5,"span_id":null},"kind":7,"parent_id":[],"start_time":1,"status":[],"attributes":[],"links":{},"resource":[]}`,
	) {
		for _, f := range []*ingest.Format{&JS, &Python, &Java} {
			tracetest.Read(t, f, []byte(text), ingest.Options{})
			f.Sniff([]byte(text))
		}
	}
}
