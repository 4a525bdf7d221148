package jaeger

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

// inTrace makes an answer of the API of the members of one span.
func inTrace(members string) string {
	return `{"data":[{"traceID":"1","spans":[{"traceID":"1","spanID":"2","operationName":"x","startTime":1700000000000000,"duration":5,"processID":"p1",` + members +
		`}],"processes":{"p1":{"serviceName":"a","tags":[{"key":"hostname","type":"string","value":"h"}]}},"warnings":null}],"total":0,"limit":0,"offset":0,"errors":null}`
}

func TestParents(t *testing.T) {
	ref := func(kind, traceID, spanID string) string {
		return `{"refType":"` + kind + `","traceID":"` + traceID + `","spanID":"` + spanID + `"}`
	}
	for _, test := range []struct {
		name, members string
		parent        byte // last byte of the id; 0: a root
		async, linked bool
	}{
		{"root", `"references":[]`, 0, false, false},
		{"no references", `"references":null`, 0, false, false},
		{"child", `"references":[` + ref("CHILD_OF", "1", "3") + `]`, 3, false, false},
		{"child, zeros in front left out", `"references":[` + ref("CHILD_OF", "0000000000000001", "3") + `]`, 3, false, false},
		{"child of the same trace in 128 bits", `"references":[` + ref("CHILD_OF", "a0000000000000000000000000000001", "3") + `]`, 3, false, false},
		{"follower", `"references":[` + ref("FOLLOWS_FROM", "1", "3") + `]`, 3, true, false},
		{"a link before the parent", `"references":[` + ref("FOLLOWS_FROM", "1", "4") + `,` + ref("CHILD_OF", "1", "3") + `]`, 3, false, true},
		{"two parents", `"references":[` + ref("CHILD_OF", "1", "3") + `,` + ref("CHILD_OF", "1", "4") + `]`, 3, false, true},
		{"another trace", `"references":[` + ref("CHILD_OF", "ff", "3") + `]`, 0, false, true},
		{"another trace, then a parent", `"references":[` + ref("FOLLOWS_FROM", "ff", "3") + `,` + ref("CHILD_OF", "1", "4") + `]`, 4, false, true},
		{"before there were references", `"parentSpanID":"3","references":null`, 3, false, false},
		{"both", `"parentSpanID":"4","references":[` + ref("CHILD_OF", "1", "3") + `]`, 3, false, false},
		{"its own parent", `"references":[` + ref("CHILD_OF", "1", "2") + `]`, 2, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			spans := tracetest.Spans(t, &Format, []byte(inTrace(test.members)))
			if len(spans) != 1 {
				t.Fatalf("%d spans", len(spans))
			}
			if s := spans[0]; s.Parent != (ingest.SpanID{7: test.parent}) || s.Async != test.async || s.Linked != test.linked || s.Service != "a" || s.Instance != "h" {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestTags(t *testing.T) {
	tag := func(list ...string) string {
		var out []string
		for i := 0; i < len(list); i += 2 {
			out = append(out, `{"key":"`+list[i]+`","type":"any","value":`+list[i+1]+`}`)
		}
		return `"tags":[` + strings.Join(out, ",") + `]`
	}
	for _, test := range []struct {
		name, members string
		kind          ingest.Kind
		failed        bool
		status        int16
		peer          string
	}{
		{"client", tag("span.kind", `"client"`, "http.status_code", "200", "peer.service", `"b"`), ingest.ClientSpan, false, 200, "b"},
		{"numbers in text", tag("span.kind", `"server"`, "http.status_code", `"503"`, "error", `"true"`), ingest.ServerSpan, true, 503, ""},
		{"error false", tag("error", "false"), 0, false, 0, ""},
		{"error with words is none", tag("error", `"ClientSideError"`), 0, false, 0, ""},
		{"status of OpenTelemetry", tag("otel.status_code", `"ERROR"`, "otel.status_description", `"boom"`), 0, true, 0, ""},
		{"keys twice", tag("http.status_code", "200", "http.status_code", "500"), 0, false, 200, ""},
		{"value before key", `"tags":[{"value":true,"key":"error"}]`, 0, true, 0, ""},
		{"dotted names as fields", `"tags":[],"tag":{"span@kind":"client","http@status_code":"404","error":"true"}`, ingest.ClientSpan, true, 404, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, text := range []string{inTrace(test.members), `{"traceID":"1","spanID":"2","operationName":"x","startTime":1700000000000000,"duration":5,` + test.members + `,"process":{"serviceName":"a"}}`} {
				spans := tracetest.Spans(t, &Format, []byte(text))
				if len(spans) != 1 {
					t.Fatalf("%d spans", len(spans))
				}
				if s := spans[0]; s.Kind != test.kind || s.Error != test.failed || s.Status != test.status || s.Peer != test.peer || s.Service != "a" {
					t.Errorf("%+v", s)
				}
			}
		})
	}
}

// The same spans in every way in which they may lie in a file.
func TestLayouts(t *testing.T) {
	const (
		a = `{"traceID":"1","spanID":"1","operationName":"x","references":[],"startTime":1700000000000000,"duration":5`
		b = `{"traceID":"1","spanID":"2","operationName":"y","references":[{"refType":"CHILD_OF","traceID":"1","spanID":"1"}],"startTime":1700000000000000,"duration":5`
		p = `"processes":{"p1":{"serviceName":"a"},"p2":{"serviceName":"b"}}`
	)
	spans := `"spans":[` + a + `,"processID":"p1"},` + b + `,"processID":"p2"}]`
	docA, docB := a+`,"process":{"serviceName":"a"}}`, b+`,"process":{"serviceName":"b"}}`
	bare := `{"traceID":"1",` + spans + `,` + p + `}`
	for name, text := range map[string]string{
		"answer":                 `{"data":[` + bare + `],"total":0}`,
		"bare trace":             bare,
		"processes first":        `{` + p + `,"traceID":"1",` + spans + `}`,
		"array of traces":        `[` + bare + `]`,
		"pretty":                 strings.ReplaceAll(bare, ",", ",\n  "),
		"documents":              docA + "\n" + docB + "\n",
		"array of them":          "[" + docA + ",\n" + docB + "]",
		"elasticdump":            `{"_index":"jaeger-span-1","_source":` + docA + "}\n{\"_index\":\"jaeger-span-1\",\"_source\":" + docB + "}",
		"search":                 `{"took":5,"hits":{"total":{"value":2},"hits":[{"_id":"1","_source":` + docA + `},{"_id":"2","_source":` + docB + `}]}}`,
		"processes in spans":     `{"traceID":"1","spans":[` + docA + "," + docB + `],"processes":{}}`,
		"ids of the trace":       `{"traceID":"1",` + strings.ReplaceAll(spans, `{"traceID":"1","spanID":"1"`, `{"spanID":"1"`) + `,` + p + `}`,
		"behind an empty answer": `{"data":[],"total":0,"limit":0,"offset":0,"errors":null}` + bare,
	} {
		t.Run(name, func(t *testing.T) {
			got := tracetest.Spans(t, &Format, []byte(text))
			if len(got) != 2 || got[0].Op != "x" || got[0].Service != "a" || got[1].Op != "y" || got[1].Service != "b" || got[1].Parent != got[0].ID {
				t.Errorf("%+v", got)
			}
			if !Format.Sniff([]byte(text)) {
				t.Error("is not claimed")
			}
		})
	}
}

// A span stands at its opening bracket.
func TestPositions(t *testing.T) {
	text := inTrace(`"tags":[]`)
	spans := tracetest.Spans(t, &Format, []byte(text))
	if want := int64(7 + strings.Index(text, `{"traceID":"1","spanID"`)); spans[0].Pos.Offset != want {
		t.Errorf("at %d, want %d", spans[0].Pos.Offset, want)
	}
}

func TestProblems(t *testing.T) {
	for _, test := range []struct {
		name, text string
		spans      int
		problem    string
	}{
		{"moved", inTrace(`"warnings":["This span's timestamps were adjusted by 12ms"]`), 1, errMoved.Error()},
		{"not moved", inTrace(`"warnings":["clock skew adjustment disabled; not applying calculated delta of -15.18ms"]`), 1, ""},
		{"no process", `{"traceID":"1","spans":[{"traceID":"1","spanID":"2","operationName":"x","startTime":1700000000000000,"duration":5,"processID":"p9"}],"processes":{}}`, 1, errProcess.Error()},
		{"cut off before the processes", `{"traceID":"1","spans":[{"traceID":"1","spanID":"2","operationName":"x","startTime":1700000000000000,"duration":5,"processID":"p1"},{"tra`, 1, errProcess.Error()},
		{"no span", `{"traceID":"1","spans":[7,null,{"traceID":"1","spanID":"2","operationName":"x","startTime":1700000000000000,"duration":5,"processID":"p1"}],"processes":{"p1":{}}}`, 1, errNotSpan.Error()},
		{"no trace", `{"spans":[{"spanID":"2","operationName":"x"}],"processes":{}}`, 0, trace.ErrNoTrace.Error()},
		{"a time out of range", `{"spans":[{"traceID":"1","spanID":"2","operationName":"x","startTime":1e300,"duration":5}],"processes":{}}`, 1, trace.ErrTime.Error()},
	} {
		spans, problems, err := tracetest.Read(t, &Format, []byte(test.text), ingest.Options{})
		if len(spans) != test.spans || err != nil {
			t.Errorf("%s: %d spans, error %v", test.name, len(spans), err)
		}
		if all := strings.Join(problems, "\n"); !strings.Contains(all, test.problem) || test.problem == "" && all != "" {
			t.Errorf("%s: %q", test.name, problems)
		}
	}
}

// A trace that is larger than what waits for its processes is read in pieces.
func TestHeld(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`{"traceID":"1","spans":[`)
	for i := range 10 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"spanID":"2","operationName":"x","startTime":1700000000000000,"duration":5,"processID":"p1"}`)
	}
	b.WriteString(`],"processes":{"p1":{"serviceName":"a"}}}`)
	named := 0
	f := trace.NewFeed(ingest.Input{}, func(r ingest.Record, err error) bool {
		if s, ok := r.(*ingest.Span); ok && s.Service == "a" {
			named++
		}
		return true
	})
	d := &reader{Feed: f, json: trace.NewJSON(&b, f), dates: true, processes: map[string]process{}, told: map[error]bool{}, maxHeld: 4}
	for first := range d.json.Documents() {
		d.value(first, 0)
	}
	if named != 2 {
		t.Errorf("%d spans have their service, want 2", named)
	}
}
