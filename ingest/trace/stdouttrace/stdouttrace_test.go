package stdouttrace

import (
	"testing"

	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

func TestCorpus(t *testing.T) {
	data := tracetest.Corpus(t, "traces/stdouttrace/go-redis-cluster-mget-storm.pretty.json")
	spans := tracetest.Spans(t, &Format, data)
	want := tracetest.Counts{Spans: 260, Traces: 48, Roots: 48, Errors: 44}
	if got := tracetest.Count(spans); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
