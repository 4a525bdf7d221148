package debugtext

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

func recorded(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "http-abandoned-work.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// wrap puts something before every line.
func wrap(text, prefix, between string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(prefix+line, " \n") + "\n" + between)
	}
	return b.String()
}

// The log in every form in which logs are kept and pasted gives the same spans.
func TestRecorded(t *testing.T) {
	text := recorded(t)
	var inJSON, stamped strings.Builder
	for entry := range strings.SplitSeq(text, "2026-11-30T") {
		if i := strings.Index(entry, "ResourceSpans #0"); i >= 0 {
			line, _ := json.Marshal(map[string]any{"level": "info", "ts": 1796082171.38, "msg": entry[i:]})
			inJSON.Write(append(line, '\n'))
		}
	}
	for i, line := range strings.Split(text, "\n") {
		stamped.WriteString(time.Unix(1796082171, int64(i)*1000).UTC().Format("2006-01-02T15:04:05.000000000Z") + " stdout F " + line + "\n")
	}
	want := tracetest.Counts{Spans: 45, Traces: 3, Roots: 3, Errors: 6}
	for name, log := range map[string]string{
		"as it is":       text,
		"docker compose": wrap(text, "otel-collector-1  | ", "web-1             | GET / 200\n"),
		"kubelet":        stamped.String(),
		"indented":       wrap(text, "        ", ""),
		"quoted":         wrap(text, "> ", ""),
		"JSON":           inJSON.String(),
		"CRLF":           strings.ReplaceAll(text, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			if !Format.Sniff([]byte(log)[:min(len(log), ingest.HeadSize)]) {
				t.Error("is not claimed")
			}
			spans := tracetest.Spans(t, &Format, []byte(log))
			if got := tracetest.Count(spans); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// first generation of names: loggingexporter 0.19, as pasted into issues.
const oldText = `2021-02-02T13:24:36.255+0100	INFO	loggingexporter/logging_exporter.go:313	TracesExporter	{"#spans": 2}
2021-02-02T13:24:36.255+0100	DEBUG	loggingexporter/logging_exporter.go:352	ResourceSpans #0
Resource labels:
     -> service.name: STRING(tracegen)
     -> host.name: STRING(h1)
     -> process.pid: INT(7)
InstrumentationLibrarySpans #0
InstrumentationLibrary tracegen 
Span #0
    Trace ID       : 00000000000000000000000000000001
    Parent ID      : 0000000000000003
    ID             : 0000000000000002
    Name           : okey: dokey
    Kind           : SPAN_KIND_CLIENT
    Start time     : 2021-02-02 13:24:36.25349814 +0100 CET
    End time       : 2021-02-02 13:24:36.253622118 +0100 CET
    Status code    : STATUS_CODE_ERROR
    Status message : context deadline exceeded
Attributes:
     -> span.kind: STRING(server)
     -> http.method: STRING(GET)
     -> http.status_code: INT(503)
     -> cached: BOOL(true)
     -> db.system: STRING(mysql)
     -> db.statement: STRING(SELECT count(*)
FROM t
     WHERE a = ')'
       AND b = "x: y")
     -> http.route: ARRAY(["/a","/b"])
Span #1
    Trace ID       : 00000000000000000000000000000001
    Parent ID      : 
    ID             : 0000000000000003
    Name           : lets-go
    Kind           : SPAN_KIND_SERVER
    Start time     : 2021-02-02 13:24:36.25349814 +0100 CET
    End time       : 2021-02-02 13:24:36.253622118 +0100 CET
    Status code    : STATUS_CODE_UNSET
    Status message : 
Events:
SpanEvent #0
     -> Name: e
     -> Timestamp: 2021-02-02 13:24:36.25349814 +0100 CET
     -> DroppedAttributesCount: 5
     -> Attributes::
          -> error: BOOL(true)
Links:
SpanLink #0
     -> Trace ID: 00000000000000000000000000000009
     -> ID: 0000000000000009
    DroppedLinksCount: 3

2021-02-02T13:24:37.000+0100	INFO	service/service.go:1	Shutdown
`

func TestOld(t *testing.T) {
	start := ingest.Time(time.Date(2021, 2, 2, 12, 24, 36, 253498140, time.UTC).UnixNano())
	if !Format.Sniff([]byte(oldText)) {
		t.Error("is not claimed")
	}
	spans := tracetest.Spans(t, &Format, []byte(oldText))
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	s := spans[0]
	if s.Store == nil || s.Store.Statement != "SELECT count(*)\nFROM t\n     WHERE a = ')'\n       AND b = \"x: y\"" || s.Call == nil || *s.Call != (ingest.Call{Protocol: ingest.HTTP, Method: "GET", Target: "/a"}) {
		t.Errorf("%+v %+v", s.Store, s.Call)
	}
	s.Pos, s.Store, s.Call, s.Args = ingest.Pos{}, nil, nil, 0
	want := ingest.Span{Trace: ingest.TraceID{15: 1}, ID: ingest.SpanID{7: 2}, Parent: ingest.SpanID{7: 3}, Service: "tracegen", Instance: "h1", Op: "okey: dokey", Start: start, End: start + 123978,
		Stands: 1, Resend: -1, Status: 503, Kind: ingest.ClientSpan, Outcome: ingest.Failed, Error: true, Cached: true}
	if s != want {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
	s = spans[1]
	if s.Error || !s.Linked || s.Rare == nil || s.Rare.Dropped != 3 || s.Kind != ingest.ServerSpan || s.Parent != (ingest.SpanID{}) || s.Service != "tracegen" {
		t.Errorf("%+v %+v", s, s.Rare)
	}
	if at := strings.Index(oldText, "Span #1"); s.Pos.Offset != int64(7+at) {
		t.Errorf("at %d, want %d", s.Pos.Offset, 7+at)
	}
}

func TestProblems(t *testing.T) {
	cut := oldText[:strings.Index(oldText, "    End time")]
	for text, want := range map[string]string{
		cut: errCut.Error(),
		cut + oldText[strings.Index(oldText, "Span #1"):]:                             errCut.Error(),
		strings.Replace(oldText, "2021-02-02 13:24:36.25349814 +0100 CET", "soon", 1): trace.ErrTime.Error(),
		"{\"msg\":\"ResourceSpans #0\\nSpan #0":                                       errCut.Error(),
	} {
		_, problems, err := tracetest.Read(t, &Format, []byte(text), ingest.Options{})
		if len(problems) != 1 || problems[0] != want || err != nil {
			t.Errorf("%q, %v; want %q", problems, err, want)
		}
	}
	if n := Format.Near([]byte("2026-01-01T10:00:00.000Z\tinfo\tTraces\t{\"otelcol.signal\": \"traces\", \"resource spans\": 1, \"spans\": 2}\n")); !strings.Contains(n, "detailed") {
		t.Errorf("near: %q", n)
	}
}

func TestBad(t *testing.T) {
	tracetest.Bad(t, &Format, []byte(oldText))
	tracetest.Bad(t, &Format, []byte(recorded(t))[:9000])
	for _, text := range append(tracetest.Hostile(),
		"Span #0\nSpan #0\nAttributes:\n     -> a: Str(\n     -> db.statement: Str(\n"+strings.Repeat("x\n", 1<<20)+"Span #1\n",
		"Span #0\n    Trace ID       : \xff\n    Status code    : Unset\n", "ResourceSpans #99999999999999999999\nAttributes:\n-> a: Str(b)\n", "Attributes:\n     -> error: Str(x)\nSpan #0\n",
		strings.Repeat("ResourceSpans #0\nSpan #0\n", 1000), "Resource attributes:\nResource attributes:\nSpan #0\nResource attributes:\n     -> service.name: Str(a)\n",
	) {
		tracetest.Read(t, &Format, []byte(text), ingest.Options{})
		Format.Sniff([]byte(text))
	}
}
