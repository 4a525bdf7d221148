package xray

import (
	"testing"

	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

func TestCorpus(t *testing.T) {
	data := tracetest.Corpus(t, "traces/xray/ddb-sample.trimmed.json")
	spans := tracetest.Spans(t, &Format, data)
	want := tracetest.Counts{Spans: 15, Traces: 1, Roots: 1, Errors: 4}
	if got := tracetest.Count(spans); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, s := range spans {
		t.Logf("%+v %+v %+v", s, s.Store, s.Call)
	}
}
