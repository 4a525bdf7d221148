package spanscsv

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

// at is 2025-11-18 23:27:00 UTC.
var at = ingest.Time(time.Date(2025, 11, 18, 23, 27, 0, 0, time.UTC).UnixNano())

// want is what every table of TestTables says.
var want = ingest.Span{Trace: ingest.TraceID{15: 1}, ID: ingest.SpanID{7: 2}, Parent: ingest.SpanID{7: 3}, Service: "cart", Op: "GET /cart", Start: at, End: at + 1_500_000,
	Stands: 1, Resend: -1, Kind: ingest.ClientSpan, Error: true, Outcome: ingest.Failed}

const trace1, span2, span3 = "00000000000000000000000000000001", "0000000000000002", "0000000000000003"

// Tables in the forms in which databases and data sets give them. The columns are
// those of their schemas.
func TestTables(t *testing.T) {
	for _, test := range []struct {
		name, text string
		options    ingest.Options
		change     func(*ingest.Span) // how the span differs from want
		store      string
	}{
		{name: "ClickHouse, CSVWithNames",
			text: `"Timestamp","TraceId","SpanId","ParentSpanId","TraceState","SpanName","SpanKind","ServiceName","ResourceAttributes","ScopeName","ScopeVersion","SpanAttributes","Duration","StatusCode","StatusMessage"` + "\n" +
				`"2025-11-18 23:27:00.000000000","` + trace1 + `","` + span2 + `","` + span3 + `","","GET /cart","Client","cart","{'service.name':'cart','host.name':'h1'}","","","{'db.system':'mysql','db.statement':'SELECT \'a\'` + "\n" + `FROM ""t""','x':'y'}",1500000,"Error",""` + "\n",
			change: func(s *ingest.Span) { s.Instance = "h1" }, store: "SELECT 'a'\nFROM \"t\""},
		{name: "ClickHouse, TabSeparatedWithNamesAndTypes, older exporter",
			text: "Timestamp\tTraceId\tSpanId\tParentSpanId\tSpanName\tSpanKind\tServiceName\tResourceAttributes\tSpanAttributes\tDuration\tStatusCode\n" +
				"DateTime64(9)\tString\tString\tString\tLowCardinality(String)\tLowCardinality(String)\tLowCardinality(String)\tMap(LowCardinality(String), String)\tMap(LowCardinality(String), String)\tUInt64\tLowCardinality(String)\n" +
				"2025-11-18 23:27:00.000000000\t" + trace1 + "\t" + span2 + "\t" + span3 + "\tGET /cart\tSPAN_KIND_CLIENT\tcart\t{}\t{'db.system':'mysql','db.statement':'SELECT \\\\'a\\\\'\\\\nFROM \"t\"'}\t1500000\tSTATUS_CODE_ERROR\n",
			store: "SELECT 'a'\nFROM \"t\""},
		{name: "ClickHouse, JSONEachRow",
			text:   `{"Timestamp":"2025-11-18 23:27:00.000000000","TraceId":"` + trace1 + `","SpanId":"` + span2 + `","ParentSpanId":"` + span3 + `","SpanName":"GET /cart","SpanKind":"Client","ServiceName":"cart","ResourceAttributes":{"host.name":"h1"},"SpanAttributes":{"db.system":"mysql","db.statement":"SELECT 'a'\nFROM \"t\""},"Duration":"1500000","StatusCode":"Error","Events.Name":["e"]}` + "\n",
			change: func(s *ingest.Span) { s.Instance = "h1" }, store: "SELECT 'a'\nFROM \"t\""},
		{name: "maps as JSON in CSV",
			text: "Timestamp,TraceId,SpanId,ParentSpanId,SpanName,SpanKind,ServiceName,SpanAttributes,Duration,StatusCode\n" +
				"2025-11-18 23:27:00," + trace1 + "," + span2 + "," + span3 + `,GET /cart,Client,cart,"{""db.system"":""mysql"",""db.statement"":""SELECT 1""}",1500000,Error` + "\n", store: "SELECT 1"},
		{name: "ClickHouse's own spans",
			text: "hostname,trace_id,span_id,parent_span_id,operation_name,kind,start_time_us,finish_time_us,finish_date,status_code,status_message,attribute\n" +
				`h1,"00000000-0000-0000-0000-000000000001",2,3,GET /cart,CLIENT,1763508420000000,1763508420001500,2025-11-18,ERROR,boom,"{'db.system':'clickhouse'}"` + "\n",
			change: func(s *ingest.Span) { s.Service = "" }, store: ""},
		{name: "SigNoz",
			text: "timestamp,trace_id,span_id,parent_span_id,name,kind,kind_string,duration_nano,status_code,status_code_string,has_error,serviceName\n" +
				"2025-11-18 23:27:00.000000000," + trace1 + "," + span2 + "," + span3 + ",GET /cart,3,Client,1500000,2,Error,true,cart\n"},
		{name: "Honeycomb",
			text: "Timestamp,trace.trace_id,trace.span_id,trace.parent_id,name,service.name,duration_ms,error,span.kind\n" +
				"2025-11-18T23:27:00Z," + trace1 + "," + span2 + "," + span3 + ",GET /cart,cart,1.5,true,client\n"},
		{name: "OpenSearch rows",
			text: `[{"traceId":"` + trace1 + `","spanId":"` + span2 + `","parentSpanId":"` + span3 + `","name":"GET /cart","kind":"SPAN_KIND_CLIENT","startTime":"2025-11-18T23:27:00Z","endTime":"2025-11-18T23:27:00.0015Z","durationInNanos":1500000,"serviceName":"cart","status.code":2,"span.attributes.error":true}]`},
		{name: "RCAEval",
			text: "time,traceID,spanID,serviceName,methodName,operationName,startTimeMillis,startTime,duration,statusCode,parentSpanID\n" +
				"23:27," + trace1 + "," + span2 + ",cart,GET,GET /cart,1763508420000,1763508420000000,1500,2.0," + span3 + "\n",
			change: func(s *ingest.Span) { s.Kind = 0 }},
		{name: "OpenRCA, the unit is said",
			text: "timestamp,cmdb_id,span_id,trace_id,duration,type,status_code,operation_name,parent_span\n" +
				"1763508420000,cart-0," + span2 + "," + trace1 + ",1500,rpc,2,GET /cart," + span3 + "\n",
			options: ingest.Options{Unit: time.Microsecond}, change: func(s *ingest.Span) { s.Kind, s.Instance = 0, "cart-0" }},
		{name: "other names, said with --columns",
			text: "TraceID;SpanID;ParentID;ServiceName;what;began_ms;took_us;result;start\n" +
				trace1 + ";" + span2 + ";" + span3 + ";cart;GET /cart;1763508420000;1500;error;x\n",
			options: ingest.Options{Columns: map[string]string{"start": "began_ms", "latency": "took_us", "op": "what", "status": "result"}}, change: func(s *ingest.Span) { s.Kind = 0 }},
		{name: "seconds",
			text:   "trace_id|span_id|parent_id|service|name|start_time|end_time|error\n" + trace1 + "|" + span2 + "|" + span3 + "|cart|GET /cart|1763508420|1763508420.0015|1\n",
			change: func(s *ingest.Span) { s.Kind = 0 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.options.Columns == nil && !Format.Sniff([]byte(test.text)) {
				t.Error("is not claimed")
			}
			for _, text := range []string{test.text, strings.ReplaceAll(test.text, "\n", "\r\n")} {
				if test.store != "" && strings.Contains(text, "\r") {
					continue // the statement holds line feeds
				}
				spans, problems, err := tracetest.Read(t, &Format, []byte(text), test.options)
				if len(spans) != 1 || len(problems) > 0 || err != nil {
					t.Fatalf("%d spans, %q, %v", len(spans), problems, err)
				}
				s, want := spans[0], want
				if s.Store != nil && s.Store.Statement != test.store || s.Store == nil && test.store != "" {
					t.Errorf("%+v", s.Store)
				}
				if test.change != nil {
					test.change(&want)
				}
				s.Pos, s.Store, s.Args = ingest.Pos{}, nil, 0
				if s != want {
					t.Errorf("got  %+v\nwant %+v", s, want)
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	const row = "\n1763508420000,cart-0,2,1,1500,rpc,0,op,3\n"
	for text, word := range map[string]string{
		"timestamp,cmdb_id,span_id,trace_id,duration,type,status_code,operation_name,parent_span" + row:                "`duration` is not stated: give --unit",
		"start,cmdb_id,span_id,trace_id,endtime,type,status_code,operation_name,parent_span\n12,c,2,1,15,rpc,0,op,3\n": "`start` is not stated: give --unit",
		"a,b,c\n1,2,3\n": errHeader.Error(),
	} {
		spans, _, err := tracetest.Read(t, &Format, []byte(text), ingest.Options{})
		if err == nil || !strings.Contains(err.Error(), word) || len(spans) > 0 {
			t.Errorf("%d spans, %v; want %q", len(spans), err, word)
		}
	}
	for _, columns := range []map[string]string{{"start": "no"}, {"start": "start_time_us", "end": "start_time_us"}} {
		_, _, err := tracetest.Read(t, &Format, []byte("trace_id,span_id,parent_id,start_time_us,duration_us,name\n1,2,3,1763508420000000,5,x\n"), ingest.Options{Columns: columns})
		if err == nil || !strings.Contains(err.Error(), "--columns") {
			t.Errorf("%v: %v", columns, err)
		}
	}
	if near := Format.Near([]byte("trace_id,span_id,name,start_time\n1,2,x,3\n")); !strings.Contains(near, "parent") {
		t.Errorf("near: %q", near)
	}
	if near := Format.Near([]byte("latency,status\n1,2\n")); near != "" {
		t.Errorf("near: %q", near)
	}
}

func TestNotClaimed(t *testing.T) {
	for _, text := range []string{
		"", "\n", "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n", "start,latency\n1,2\n",
		"trace_id,span_id,start_time\n", `{"traceID":"1","spanID":"2","parentSpanID":"","operationName":"x","startTime":1,"duration":2}`,
		`{"traceId":"1","spanId":"2","parentSpanId":"3","name":"x","startTimeUnixNano":"1","endTimeUnixNano":"2"}`,
		`{"trace_id":"1","span_id":"2","parent_span_id":"3","op":"db","start_timestamp":1.5,"timestamp":2.5}`,
		`{"name":"x","context":{"trace_id":"1","span_id":"2"},"parent_id":"3","start_time":""}`,
	} {
		if Format.Sniff([]byte(text)) {
			t.Errorf("claims %s", text)
		}
	}
}

func TestRoots(t *testing.T) {
	for _, p := range []string{"", "root", "null", "NULL", "None", "0", "-1", "0000000000000000", "nan"} {
		text := "TraceID,SpanID,ParentID,PodName,OperationName,StartTimeUnixNano,EndTimeUnixNano,Duration\n1,2," + p + ",a,b,1661146988592291144,1661146988774282567,181991\n"
		if spans := tracetest.Spans(t, &Format, []byte(text)); len(spans) != 1 || spans[0].Parent != (ingest.SpanID{}) {
			t.Errorf("parent %q: %+v", p, spans)
		}
	}
}

// Names of pods are Kubernetes' own forms, and those of the data sets.
func TestDeployment(t *testing.T) {
	for pod, want := range map[string]string{
		"frontend-579b9bff58-t2dbm": "frontend", "ts-gateway-service-6f6cfc45b-h5m2n": "ts-gateway-service", "timeline-api-7d9f8b6c5-x2kqp": "timeline-api",
		"node-exporter-x2kqp": "node-exporter", "redis-cart-0": "redis-cart", "redis-cart-12": "redis-cart", "redis-cache": "redis-cache", "cart": "cart", "": "", "-x2kqp": "-x2kqp", "a-b-c": "a-b-c",
	} {
		if got := deployment([]byte(pod)); string(got) != want {
			t.Errorf("%q: %q, want %q", pod, got, want)
		}
	}
}

// Codes of gRPC and HTTP in the place of a status are attributes.
func TestStatus(t *testing.T) {
	for code, want := range map[string]struct {
		status  int16
		isError bool
		outcome ingest.Outcome
	}{
		"": {}, "0": {}, "0.0": {}, "200": {status: 200}, "503.0": {503, false, ingest.Failed}, "14": {14, false, ingest.Failed}, "4": {4, false, ingest.TimedOut},
		"2": {0, true, ingest.Failed}, "Error": {0, true, ingest.Failed}, "Unset": {}, "Ok": {}, "weird": {},
	} {
		text := "trace_id,span_id,parent_id,start_time_us,duration_us,status_code,name\n1,2,3,1763508420000000,5," + code + ",x\n"
		s := tracetest.Spans(t, &Format, []byte(text))[0]
		if s.Status != want.status || s.Error != want.isError || s.Outcome != want.outcome {
			t.Errorf("%q: status %d, error %t, outcome %v", code, s.Status, s.Error, s.Outcome)
		}
	}
}

// A table gives the same spans however it is cut.
func TestParts(t *testing.T) {
	data := tracetest.Corpus(t, "traces/csv-nezha/train-ticket.2023-01-29_08_53.csv")
	head := data[:ingest.HeadSize]
	if Format.SplitOf(head) != ingest.SplitLines {
		t.Fatal("is not split")
	}
	whole := tracetest.Spans(t, &Format, data)
	var parts []ingest.Span
	for offset, part := 0, 0; offset < len(data); part++ {
		n := ingest.SplitLines.Cut(data[offset:min(len(data), offset+10_000)])
		in := ingest.Input{Index: 3, Offset: int64(7 + offset), Part: part, Head: head}
		for r, err := range Format.Read(bytes.NewReader(data[offset:offset+n]), in) {
			s, ok := r.(*ingest.Span)
			if err != nil || !ok {
				t.Fatal(r, err)
			}
			parts = append(parts, *s)
		}
		offset += n
	}
	if len(parts) != len(whole) {
		t.Fatalf("%d spans in parts, %d in one", len(parts), len(whole))
	}
	for i := range whole {
		if parts[i] != whole[i] {
			t.Fatalf("span %d: %+v, want %+v", i, parts[i], whole[i])
		}
	}
	for text, want := range map[string]ingest.Split{
		"\"TraceId\",\"SpanId\",\"ParentSpanId\",\"Timestamp\"\n":                                    ingest.SplitNever, // a text may hold line feeds
		"TraceId\tSpanId\tParentSpanId\tTimestamp\tName\n":                                           ingest.SplitLines,
		`{"TraceId":"1","SpanId":"2","ParentSpanId":"","Timestamp":"2025-11-18 23:27:00","name":""}`: ingest.SplitNever,
	} {
		if got := Format.SplitOf([]byte(text)); got != want {
			t.Errorf("%s: split %v", text, got)
		}
	}
}

func TestProblems(t *testing.T) {
	const header = "trace_id,span_id,parent_id,start_time_us,duration_us,name\n"
	const row = "1,2,3,1763508420000000,5,x\n"
	for text, want := range map[string]struct {
		spans    int
		problems int
	}{
		header + row + "1,2,3\n" + row:                             {2, 1},
		header + row + "1,2,3,soon,5,x\n":                          {2, 1},
		header + row + "1,2,3,1763508420000000,-5,x\n":             {2, 1},
		header + row + ",2,3,1763508420000000,5,x\n":               {1, 1},
		header + row + "\n  \n" + row:                              {2, 0},
		header + row + "1,2,3,1763508420000000,5,\"x\ny\"\n":       {2, 0},
		header + row + "1,2,3,1763508420000000,5,\"x\n":            {1, 1},
		header + row + "1,2,3,1763508420000000,5,a\"b,\"c\"\"\"\n": {1, 1},
		header: {0, 0},
	} {
		spans, problems, err := tracetest.Read(t, &Format, []byte(text), ingest.Options{})
		if len(spans) != want.spans || len(problems) != want.problems || err != nil {
			t.Errorf("%q: %d spans, %q, %v", text, len(spans), problems, err)
		}
	}
}

func TestBad(t *testing.T) {
	nezha := "TraceID,SpanID,ParentID,PodName,OperationName,StartTimeUnixNano,EndTimeUnixNano,Duration\n" + strings.Repeat("1,2,root,a-579b9bff58-t2dbm,b,1661146988592291144,1661146988774282567,181991\n", 40)
	tracetest.Bad(t, &Format, []byte(nezha))
	maps := "TraceId,SpanId,ParentSpanId,Timestamp,SpanAttributes,ResourceAttributes,Duration,SpanName\n"
	for _, m := range []string{"{", "{'", "{'a", "{'a'", "{'a':", "{'a':'", "{'a':'b", "{'error':'b\\", "{'error':b}", "{:}", "{''}", "{'a''b'}", "{,,,}", "{ 'a' : 'b' , }", "{\"a\"", "}", "{'a':'b'}x", "\xff"} {
		maps += "1,2,3,2025-11-18 23:27:00," + m + "," + m + ",5,x\n"
	}
	for _, text := range append(tracetest.Hostile(), maps,
		nezha+"\""+strings.Repeat("x\n", 1<<16), "\"TraceID\",SpanID,ParentID,timestamp\n"+strings.Repeat("\"\n", 1000), strings.Repeat("TraceID,", 60_000)+"SpanID,ParentID,timestamp\n",
		"TraceID,SpanID,ParentID,timestamp\n"+strings.Repeat(",", 1<<20), "TraceID,TraceID,SpanID,ParentID,start,start\n1,1,2,3,1763508420,5\n",
		`{"TraceId":[],"SpanId":{},"ParentSpanId":null,"Timestamp":true,"SpanName":5}`,
	) {
		tracetest.Read(t, &Format, []byte(text), ingest.Options{})
		Format.Sniff([]byte(text))
		Format.Near([]byte(text))
	}
}
