package stdouttrace

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

// Counts: SOURCES.md of corpus/traces.
func TestCorpus(t *testing.T) {
	data := tracetest.Corpus(t, "traces/stdouttrace/go-redis-cluster-mget-storm.pretty.json")
	if !Format.Sniff(data[:ingest.HeadSize]) {
		t.Error("is not claimed")
	}
	spans := tracetest.Spans(t, &Format, data)
	want := tracetest.Counts{Spans: 260, Traces: 48, Roots: 48, Errors: 44}
	if got := tracetest.Count(spans); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	roots := tracetest.Roots(spans)
	if roots["timeline-api redis.dial"] != 36 || roots["timeline-api GET /timeline"] != 7 || roots["timeline-api command"] != 2 {
		t.Errorf("roots %v", roots)
	}
	if n, name := tracetest.Siblings(spans); n != 48 || name != "timeline-api mget" {
		t.Errorf("%d x %s", n, name)
	}
}

const current = `{"Name":"GET /cart","SpanContext":{"TraceID":"00000000000000000000000000000001","SpanID":"0000000000000002","TraceFlags":"01","TraceState":"","Remote":false},` +
	`"Parent":{"TraceID":"00000000000000000000000000000001","SpanID":"0000000000000003","TraceFlags":"01","TraceState":"","Remote":true},"SpanKind":2,` +
	`"StartTime":"2026-11-29T21:29:22.000000001Z","EndTime":"2026-11-29T22:29:22.5+01:00","Attributes":[{"Key":"http.request.method","Value":{"Type":"STRING","Value":"GET"}},` +
	`{"Key":"http.response.status_code","Value":{"Type":"INT64","Value":503}},{"Key":"http.route","Value":{"Type":"STRINGSLICE","Value":["/cart","/x"]}},{"Key":"cached","Value":{"Type":"BOOL","Value":true}}],` +
	`"Events":[{"Name":"e","Attributes":[{"Key":"error","Value":{"Type":"BOOL","Value":true}}],"DroppedAttributeCount":0,"Time":"2026-11-29T21:29:22Z"}],` +
	`"Links":[{"SpanContext":{"TraceID":"2","SpanID":"2"},"Attributes":null,"DroppedAttributeCount":0}],"Status":{"Code":"Error","Description":"boom"},"DroppedAttributes":1,"DroppedEvents":2,"DroppedLinks":4,` +
	`"ChildSpanCount":0,"Resource":[{"Key":"service.name","Value":{"Type":"STRING","Value":"cart"}},{"Key":"host.name","Value":{"Type":"STRING","Value":"h1"}}],"InstrumentationScope":{"Name":"n"}}`

// old is what the exporter of v0.11 printed: an array for each export.
const old = `[{"SpanContext":{"TraceID":"00000000000000000000000000000001","SpanID":"0000000000000002","TraceFlags":1},"ParentSpanID":"0000000000000003","SpanKind":3,"Name":"call",` +
	`"StartTime":"2020-08-20T10:00:00Z","EndTime":"2020-08-20T10:00:01Z","Attributes":[{"Key":"rpc.system","Value":{"Type":"STRING","Value":"grpc"}}],"MessageEvents":null,"Links":null,` +
	`"StatusCode":2,"StatusMessage":"late","HasRemoteParent":false,"DroppedAttributeCount":3,"DroppedMessageEventCount":0,"DroppedLinkCount":0,"ChildSpanCount":0,` +
	`"Resource":[{"Key":"service.name","Value":{"Type":"STRING","Value":"cart"}}],"InstrumentationLibrary":{"Name":"n"}}]`

func TestSpan(t *testing.T) {
	start := ingest.Time(time.Date(2026, 11, 29, 21, 29, 22, 1, time.UTC).UnixNano())
	for _, text := range []string{current, current + "\n", strings.ReplaceAll(current, ",\"", ",\n\t\""), "[" + current + "]", "listening on :8080\n" + current + "\n{\"level\":\"info\",\"msg\":\"x\"}\nbye\n"} {
		spans := tracetest.Spans(t, &Format, []byte(text))
		if len(spans) != 1 || !Format.Sniff([]byte(text)) {
			t.Fatalf("%d spans", len(spans))
		}
		s := spans[0]
		if s.Rare == nil || s.Rare.Dropped != 7 || s.Call == nil || *s.Call != (ingest.Call{Protocol: ingest.HTTP, Method: "GET", Target: "/cart"}) {
			t.Errorf("%+v %+v", s.Rare, s.Call)
		}
		s.Pos, s.Rare, s.Call = ingest.Pos{}, nil, nil
		want := ingest.Span{Trace: ingest.TraceID{15: 1}, ID: ingest.SpanID{7: 2}, Parent: ingest.SpanID{7: 3}, Service: "cart", Instance: "h1", Op: "GET /cart", Start: start, End: start + 499_999_999,
			Stands: 1, Resend: -1, Status: 503, Kind: ingest.ServerSpan, Outcome: ingest.Failed, Remote: 1, Error: true, Linked: true, Cached: true}
		if s != want {
			t.Errorf("got  %+v\nwant %+v", s, want)
		}
	}
}

func TestOld(t *testing.T) {
	if !Format.Sniff([]byte(old)) {
		t.Error("is not claimed")
	}
	spans := tracetest.Spans(t, &Format, []byte(old+"\n"+old))
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	s := spans[1]
	if s.Parent != (ingest.SpanID{7: 3}) || s.Kind != ingest.ClientSpan || !s.Error || s.Remote != -1 || s.Service != "cart" || s.End.Sub(s.Start) != time.Second || s.Rare.Dropped != 3 {
		t.Errorf("%+v", s)
	}
}

func TestProblems(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(current, "2026-11-29T21:29:22.000000001Z", "yesterday", 1):           trace.ErrTime.Error(),
		strings.Replace(current, `"SpanID":"0000000000000002"`, `"SpanID":"no id"`, 1):       trace.ErrID.Error(),
		strings.Replace(current, `"TraceID":"00000000000000000000000000000001"`, `"x":1`, 1): trace.ErrNoTrace.Error(),
	} {
		_, problems, err := tracetest.Read(t, &Format, []byte(text), ingest.Options{})
		if len(problems) != 1 || problems[0] != want || err != nil {
			t.Errorf("%q, %v; want %q", problems, err, want)
		}
	}
}

func TestBad(t *testing.T) {
	tracetest.Bad(t, &Format, []byte(current+"\n"+current+"\n"+old))
	for _, text := range append(tracetest.Hostile(),
		`{"Name":1,"SpanContext":{"TraceID":[],"SpanID":{}},"Parent":7,"SpanKind":"x","StartTime":{},"Attributes":{},"Links":5,"Status":[],"Resource":"x"}`,
		`{"Name":"a","Name":"b","SpanContext":{"TraceID":"1","TraceID":"2"},"SpanContext":{"TraceID":"3"},"StartTime":"","DroppedAttributes":-1,"DroppedEvents":1e99}`,
		"{\"Name\":\"\xff\",\"SpanContext\":{\"TraceID\":\"1\"},\"StartTime\":\"\"}",
	) {
		tracetest.Read(t, &Format, []byte(text), ingest.Options{})
		Format.Sniff([]byte(text))
	}
}
