package xray

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

// Counts: SOURCES.md of corpus/traces.
func TestCorpus(t *testing.T) {
	data := tracetest.Corpus(t, "traces/xray/ddb-sample.trimmed.json")
	if !Format.Sniff(data) {
		t.Error("is not claimed")
	}
	spans := tracetest.Spans(t, &Format, data)
	want := tracetest.Counts{Spans: 15, Traces: 1, Roots: 1, Errors: 4}
	if got := tracetest.Count(spans); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if roots := tracetest.Roots(spans); roots["DDB DDB"] != 1 {
		t.Errorf("%v", roots)
	}
	attempts, setup := 0, 0
	for _, s := range spans {
		if s.Op == "attempt" {
			attempts++
		}
		if s.Setup {
			setup++
		}
	}
	if attempts != 2 || setup != 4 {
		t.Errorf("%d attempts, %d parts of opening a connection", attempts, setup)
	}
	put := spans[12]
	if put.Op != "dynamodb" || put.Kind != ingest.ClientSpan || put.Status != 400 || !put.Error || put.Outcome != ingest.Failed || put.Peer != "dynamodb" ||
		*put.Store != (ingest.Datastore{System: "aws.dynamodb", Op: "PUTITEM", Template: "PUTITEM does_not_exist", Keys: -1}) || *put.Call != (ingest.Call{Protocol: ingest.RPC, Method: "dynamodb/PutItem"}) {
		t.Errorf("%+v %+v %+v", put, put.Store, put.Call)
	}
}

// A segment after AWS' description of segment documents.
const segmentText = `{"id":"0000000000000002","trace_id":"1-00000000-000000000000000000000001","name":"api.example.com","start_time":1.478293361271E9,"end_time":1478293361.771,` +
	`"parent_id":"0000000000000001","http":{"request":{"method":"POST","url":"https://api.example.com/cart","client_ip":"1.2.3.4"},"response":{"status":503}},"fault":true,` +
	`"cause":{"working_directory":"/","exceptions":[{"id":"1","type":"TimeoutError","message":"late"},{"id":"2","message":"no"}]},"aws":{"ec2":{"instance_id":"i-1","availability_zone":"a"}},"origin":"AWS::EC2::Instance",` +
	`"subsegments":[{"id":"0000000000000003","name":"orders@db","start_time":1478293361.3,"end_time":1478293361.4,"namespace":"remote","sql":{"url":"jdbc:x","database_type":"PostgreSQL","sanitized_query":"SELECT a FROM b WHERE c = ?","user":"u"}},` +
	`{"id":"0000000000000004","name":"pay.example.com","start_time":1478293361.4,"in_progress":true,"namespace":"remote","http":{"request":{"method":"GET","url":"https://pay.example.com/x"}},"throttle":true,"links":[{"trace_id":"1-2-3"}]}]}`

func TestSegments(t *testing.T) {
	spans := tracetest.Spans(t, &Format, []byte(segmentText))
	if len(spans) != 3 {
		t.Fatalf("%d spans", len(spans))
	}
	for i := range spans {
		s := &spans[i]
		if s.Service != "api.example.com" || s.Instance != "i-1" || s.Trace != (ingest.TraceID{15: 1}) {
			t.Errorf("%+v", s)
		}
	}
	top, db, pay := spans[0], spans[1], spans[2]
	if top.Kind != ingest.ServerSpan || top.Parent != (ingest.SpanID{7: 1}) || top.Status != 503 || !top.Error || top.Outcome != ingest.Failed || top.Call.Target != "/cart" || top.End != 1478293361771000000 {
		t.Errorf("%+v %+v", top, top.Call)
	}
	if off := top.Start - 1478293361271000000; off < -256 || off > 256 { // a float in the form with an exponent
		t.Errorf("start is off by %d ns", off)
	}
	if db.Kind != ingest.ClientSpan || db.Parent != top.ID || db.Store == nil || db.Store.System != "postgresql" || db.Store.Op != "SELECT" || db.Peer != "orders@db" || db.Start != 1478293361300000000 {
		t.Errorf("%+v %+v", db, db.Store)
	}
	if pay.End != 0 || !pay.Error || !pay.Linked || pay.Args == 0 {
		t.Errorf("%+v", pay)
	}
}

func TestLayouts(t *testing.T) {
	quoted, _ := json.Marshal(segmentText)
	batch := `{"Traces":[{"Id":"1-0-1","Duration":0.5,"LimitExceeded":false,"Segments":[{"Id":"2","Document":` + string(quoted) + `},{"Id":"2","Document":` + string(quoted) + `}]}],"UnprocessedTraceIds":[]}`
	for name, text := range map[string]string{
		"batch-get-traces": batch, "lines": segmentText + "\n" + segmentText, "array": "[" + segmentText + "," + segmentText + "]",
		"to the daemon": "{\"format\":\"json\",\"version\":1}\n" + segmentText + "\n{\"format\":\"json\",\"version\":1}\n" + segmentText,
		"texts":         "[" + strings.Repeat(`{"Document":`+string(quoted)+`,"Id":"2"},`, 2) + "{\"UnprocessedTraceIds\":[]}]",
	} {
		if !Format.Sniff([]byte(text)) {
			t.Errorf("%s: is not claimed", name)
		}
		if spans := tracetest.Spans(t, &Format, []byte(text)); len(spans) != 6 {
			t.Errorf("%s: %d spans", name, len(spans))
		}
	}
	// a subsegment that was sent by itself: the service is not known
	alone := `{"id":"0000000000000005","trace_id":"1-00000000-000000000000000000000001","name":"dynamodb","start_time":1478293361.4,"end_time":1478293361.5,"parent_id":"0000000000000002","type":"subsegment","namespace":"aws","aws":{"operation":"GetItem","retries":2}}`
	spans := tracetest.Spans(t, &Format, []byte(alone))
	if len(spans) != 1 || spans[0].Service != "" || spans[0].Kind != ingest.ClientSpan || spans[0].Parent != (ingest.SpanID{7: 2}) || spans[0].Rare.Retries != 2 {
		t.Errorf("%+v", spans)
	}
}

func TestProblems(t *testing.T) {
	for text, want := range map[string]string{
		`{"Traces":[{"Segments":[{"Id":"1","Document":"no"}]}]}`:         errText.Error(),
		`{"Traces":[{"Segments":[{"Id":"1","Document":"[1]"}]}]}`:        errText.Error(),
		`{"Traces":[{"Id":"1-1-1","LimitExceeded":true,"Segments":[]}]}`: errCutOff.Error(),
		`{"Traces":[],"UnprocessedTraceIds":["1-2-3"]}`:                  errUnprocessed.Error(),
		`{"a":1}`: errNothing.Error(),
		strings.Replace(segmentText, `"trace_id":"1-00000000-000000000000000000000001",`, "", 1):   trace.ErrNoTrace.Error(),
		strings.Replace(segmentText, "1.478293361271E9", "true", 1):                                trace.ErrTime.Error(),
		`{"trace_id":"1-1-1","id":"1","name":"` + strings.Repeat("x", 1<<20) + `","start_time":1}`: errLong.Error(),
	} {
		_, problems, err := tracetest.Read(t, &Format, []byte(text), ingest.Options{})
		if len(problems) == 0 || problems[0] != want || err != nil {
			t.Errorf("%.80s: %q, %v; want %q", text, problems, err, want)
		}
	}
}

func TestBad(t *testing.T) {
	tracetest.Bad(t, &Format, []byte(segmentText+"\n"+segmentText))
	quoted, _ := json.Marshal(segmentText)
	tracetest.Bad(t, &Format, []byte(`{"Traces":[{"Id":"1","Segments":[{"Id":"2","Document":`+string(quoted)+`}]}]}`))
	deep := `{"trace_id":"1-1-1","id":"1","name":"a","start_time":1,"subsegments":[` + strings.Repeat(`{"id":"1","subsegments":[`, 4000) + strings.Repeat(`]}`, 4000) + `]}`
	if spans, _, _ := tracetest.Read(t, &Format, []byte(deep), ingest.Options{}); len(spans) != 4001 {
		t.Errorf("%d spans of a chain of 4001", len(spans))
	}
	deepText, _ := json.Marshal(deep)
	for _, text := range append(tracetest.Hostile(),
		`{"Document":`+string(deepText)+`}`, `{"Document":"`+strings.Repeat(`{\"subsegments\":[`, 20000)+`"}`, `{"Traces":`+strings.Repeat(`{"Traces":`, 5000)+`1`,
		`{"trace_id":5,"id":[],"name":{},"start_time":"x","end_time":-1,"http":[],"aws":7,"sql":"x","cause":"id","subsegments":{},"links":1}`,
		`{"trace_id":"1-1-1","trace_id":"1-2-2","id":"1","name":"a","start_time":1e300,"subsegments":[null,7,{}],"subsegments":[{}]}`,
		"{\"trace_id\":\"\xff\",\"id\":\"\xff\",\"name\":\"\xff\",\"start_time\":1}",
	) {
		tracetest.Read(t, &Format, []byte(text), ingest.Options{})
		Format.Sniff([]byte(text))
	}
}
