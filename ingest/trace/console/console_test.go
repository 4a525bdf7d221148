package console

import (
	"testing"

	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
)

func TestJSCorpus(t *testing.T) {
	spans := tracetest.Spans(t, &JS, tracetest.Corpus(t, "traces/js-console/node-redis-cluster-mget-storm.txt"))
	want := tracetest.Counts{Spans: 127, Traces: 7, Roots: 7}
	if got := tracetest.Count(spans); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if roots := tracetest.Roots(spans); roots["profile-bff redis-connect"] != 4 || roots["profile-bff GET /profiles"] != 3 {
		t.Errorf("%v", roots)
	}
	if n, name := tracetest.Siblings(spans); n != 40 {
		t.Errorf("%d x %s", n, name)
	}
}
