package jaeger

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

// Counts: SOURCES.md of corpus/traces, README.md of corpus/recorded/redis.
func TestCorpus(t *testing.T) {
	oddIDs := []string{trace.ErrID.Error()} // letters; from G on they are no hexadecimal digits
	for name, want := range map[string]struct {
		counts   tracetest.Counts
		after    int
		root     string
		group    int
		grouped  string
		services []string
		problems []string
	}{
		"traces/jaeger/petclinic-sql-n-plus-one.bare.json": {counts: tracetest.Counts{Spans: 17, Traces: 1, Roots: 1}, root: "api-gateway GET /api/customer/owners",
			group: 14, grouped: "customers-service HikariProxyPreparedStatement.executeQuery", services: []string{"api-gateway", "customers-service"}},
		"traces/jaeger/petclinic-parallel-siblings.bare.json": {counts: tracetest.Counts{Spans: 8, Traces: 1, Roots: 1}, root: "api-gateway GET /api/customer/owners/8/pets/10",
			group: 4, grouped: "customers-service GET /owners/8/pets/10", services: []string{"api-gateway", "customers-service"}},
		"traces/jaeger/children-longer-than-parent.bare.json": {counts: tracetest.Counts{Spans: 4, Traces: 1, Roots: 1}, after: 2, root: "service-one send", services: []string{"service-one", "service-two"}},
		"traces/jaeger/genai-57-spans.bare.json":              {counts: tracetest.Counts{Spans: 57, Traces: 1, Roots: 1, Errors: 1}, root: "api-edge POST /api/graphql", group: 4, grouped: "coding-agent chat model-a"},
		"traces/jaeger/otlp-converted-multi-out.json":         {counts: tracetest.Counts{Spans: 4, Traces: 1, Roots: 1}, root: "example-trace main", services: []string{"example-trace"}},
		"traces/jaeger/es-document.json":                      {counts: tracetest.Counts{Spans: 1, Traces: 1, Orphans: 1, Errors: 1}, services: []string{"service-x"}},
		"traces/jaeger/crisp/10.json":                         {counts: tracetest.Counts{Spans: 4, Traces: 1, Roots: 1}, root: "S1 O1", services: []string{"S1", "S2", "S3", "S4"}},
		"traces/jaeger/crisp/12.json":                         {counts: tracetest.Counts{Spans: 4, Traces: 1, Roots: 1}, root: "S1 O1", services: []string{"S1", "S2", "S3", "S4"}},
		"traces/jaeger/crisp/15.json":                         {counts: tracetest.Counts{Spans: 7, Traces: 1, Roots: 1, Errors: 1}, root: "S1 O1", problems: oddIDs},
		"traces/jaeger/crisp/18.json":                         {counts: tracetest.Counts{Spans: 9, Traces: 1, Roots: 1, Errors: 1}, root: "S1 O1", problems: oddIDs},
		"traces/jaeger/crisp/23.json":                         {counts: tracetest.Counts{Spans: 9, Traces: 1, Roots: 1}, root: "S1 O1", services: []string{"S1", "S2", "S3"}, problems: oddIDs},
		"traces/jaeger/crisp/err_pattern1-err1.json":          {counts: tracetest.Counts{Spans: 2, Traces: 1, Roots: 1, Errors: 2}, root: "S1 O1"},
		"traces/jaeger/crisp/err_pattern3-err1.json":          {counts: tracetest.Counts{Spans: 3, Traces: 1, Roots: 1, Errors: 2}, root: "S1 O1"},
		"traces/jaeger/crisp/err_pattern4-err2.json":          {counts: tracetest.Counts{Spans: 3, Traces: 1, Roots: 1, Errors: 2}, root: "S1 O1"},
		"recorded/redis/go-redis-cluster.jaeger-api.json":     {counts: tracetest.Counts{Spans: 372, Traces: 65, Roots: 65, Errors: 40}, services: []string{"pricing"}},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data := tracetest.Corpus(t, name)
			if !Format.Sniff(data[:min(len(data), ingest.HeadSize)]) {
				t.Error("is not claimed")
			}
			spans, problems, err := tracetest.Read(t, &Format, data, ingest.Options{})
			if err != nil || !slices.Equal(problems, want.problems) {
				t.Errorf("problems %q, error %v", problems, err)
			}
			if got := tracetest.Count(spans); got != want.counts {
				t.Errorf("%+v, want %+v", got, want.counts)
			}
			if after, before := tracetest.Starts(spans); after != want.after || before != 0 {
				t.Errorf("%d start after their parent's end, %d before it; want %d, 0", after, before, want.after)
			}
			if roots := tracetest.Roots(spans); want.root != "" && roots[want.root] != 1 {
				t.Errorf("roots %v", roots)
			}
			if n, name := tracetest.Siblings(spans); want.group > 0 && (n != want.group || name != want.grouped) {
				t.Errorf("%d x %s, want %d x %s", n, name, want.group, want.grouped)
			}
			if got := tracetest.Services(spans); want.services != nil && !slices.Equal(got, want.services) {
				t.Errorf("services %q", got)
			}
		})
	}
}

// The test cases of CRISP have times from 0 on, in microseconds. The root, at 0,
// must not be taken as a span without a time.
func TestOffsets(t *testing.T) {
	spans, _, _ := tracetest.Read(t, &Format, tracetest.Corpus(t, "traces/jaeger/crisp/15.json"), ingest.Options{})
	root := spans[0]
	if root.Start == 0 || root.End.Sub(root.Start) != 100_000 || spans[1].Start.Sub(root.Start) != 10_000 {
		t.Errorf("%d to %d; child at %d", root.Start, root.End, spans[1].Start)
	}
}

func TestSniff(t *testing.T) {
	for _, not := range []string{
		"", "[]", "{}", `{"data":[]}`, `{"data":{"result":[]}}`, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","spanId":"2"}]}]}]}`,
		`{"result":{"resourceSpans":[]}}`, `[{"traceId":"1","id":"1","name":"x","timestamp":1}]`, "traceID,spanID,operationName\n1,2,3\n",
	} {
		if Format.Sniff([]byte(not)) {
			t.Errorf("claims %s", not)
		}
	}
	if !Format.Sniff([]byte(`{"data":[],"total":0,"limit":0,"offset":0,"errors":null}`)) {
		t.Error("an empty answer is not claimed")
	}
}

func TestBad(t *testing.T) {
	tracetest.Bad(t, &Format, tracetest.Corpus(t, "traces/jaeger/petclinic-sql-n-plus-one.bare.json"))
	tracetest.Bad(t, &Format, tracetest.Corpus(t, "traces/jaeger/es-document.json"))
	tracetest.Bad(t, &Format, tracetest.Corpus(t, "traces/jaeger/crisp/10.json"))
	const span = `"traceID":"1","spanID":"2","operationName":"x"`
	for _, text := range append(tracetest.Hostile(),
		`{"spans":[{`+span+`,"startTime":99999999999999999999999,"duration":1e300}]}`,
		`{"spans":[{`+span+`,"startTime":-5,"duration":-1}],"processes":null}`,
		`{"spans":[{`+span+`,"startTime":1700000000000000,"duration":9223372036854775807}]}`,
		`{"spans":[{"traceID":{},"spanID":[],"operationName":null,"tags":{},"references":{},"startTime":true}],"processes":[]}`,
		`{"spans":{},"processes":7,"data":[[[[[[[[[[[[{}]]]]]]]]]]]]}`,
		`{`+span+`,"spans":[{`+span+`}],"spans":[{`+span+`}],"processes":{},"processes":{}}`,
		`{"data":{"data":{"data":{"data":{"data":{"data":{"data":{"data":{"data":{"data":{}}}}}}}}}}}`,
		"{\"spans\":[{\"traceID\":\"1\",\"spanID\":\"2\",\"operationName\":\"\xff\xfe\"}]}",
		`{"hits":{"hits":[{"_source":7},{"_source":{`+span+`}},{"_source":null}]}}`,
	) {
		tracetest.Read(t, &Format, []byte(text), ingest.Options{})
		Format.Sniff([]byte(text))
	}
}
