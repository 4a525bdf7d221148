package jaeger

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace"
)

const corpus = "../../../../shared/corpus"

// count is what SOURCES.md and the READMEs of the corpus state of a file.
type count struct {
	spans, traces, roots, orphans, repeated, errors int
}

func corpusFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, name))
	if os.IsNotExist(err) {
		t.Skipf("the corpus is not there: %s", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// spansOf reads data and returns copies of its spans and its problems.
func spansOf(t testing.TB, data []byte) (spans []ingest.Span, problems []string) {
	t.Helper()
	for r, err := range Format.Read(bytes.NewReader(data), ingest.Input{}) {
		if err != nil {
			t.Fatal(err)
		}
		switch r := r.(type) {
		case *ingest.Span:
			spans = append(spans, *r)
		case *ingest.Problem:
			problems = append(problems, r.Err.Error())
		}
	}
	return spans, problems
}

func countOf(spans []ingest.Span) (c count) {
	type key struct {
		trace ingest.TraceID
		id    ingest.SpanID
	}
	seen, traces := map[key]bool{}, map[ingest.TraceID]bool{}
	for _, s := range spans {
		traces[s.Trace] = true
		k := key{s.Trace, s.ID}
		if seen[k] {
			c.repeated++
		}
		seen[k] = true
		if s.Error {
			c.errors++
		}
	}
	for _, s := range spans {
		if s.Parent == (ingest.SpanID{}) {
			c.roots++
		} else if !seen[key{s.Trace, s.Parent}] {
			c.orphans++
		}
	}
	c.spans, c.traces = len(spans), len(traces)
	return c
}

func TestCorpus(t *testing.T) {
	for name, want := range map[string]count{
		"traces/jaeger/petclinic-sql-n-plus-one.bare.json":    {17, 1, 1, 0, 0, 0},
		"traces/jaeger/petclinic-parallel-siblings.bare.json": {8, 1, 1, 0, 0, 0},
		"traces/jaeger/children-longer-than-parent.bare.json": {4, 1, 1, 0, 0, 0},
		"traces/jaeger/genai-57-spans.bare.json":              {57, 1, 1, 0, 0, 1},
		"traces/jaeger/otlp-converted-multi-out.json":         {4, 1, 1, 0, 0, 0},
		"traces/jaeger/es-document.json":                      {1, 1, 0, 1, 0, 1},
		"traces/jaeger/crisp/10.json":                         {4, 1, 1, 0, 0, 0},
		"traces/jaeger/crisp/12.json":                         {4, 1, 1, 0, 0, 0},
		"traces/jaeger/crisp/15.json":                         {7, 1, 1, 0, 0, 1},
		"traces/jaeger/crisp/18.json":                         {9, 1, 1, 0, 0, 1},
		"traces/jaeger/crisp/23.json":                         {9, 1, 1, 0, 0, 0},
		"traces/jaeger/crisp/err_pattern1-err1.json":          {2, 1, 1, 0, 0, 2},
		"traces/jaeger/crisp/err_pattern3-err1.json":          {3, 1, 1, 0, 0, 2},
		"traces/jaeger/crisp/err_pattern4-err2.json":          {3, 1, 1, 0, 0, 2},
		"recorded/redis/go-redis-cluster.jaeger-api.json":     {372, 65, 65, 0, 0, 40},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data := corpusFile(t, name)
			if !Format.Sniff(data[:min(len(data), ingest.HeadSize)]) {
				t.Error("is not claimed")
			}
			spans, problems := spansOf(t, data)
			if got := countOf(spans); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			// ids of the test cases are letters; from G on they are no hexadecimal digits
			if strings.Contains(name, "crisp/15") || strings.Contains(name, "crisp/18") || strings.Contains(name, "crisp/23") {
				if len(problems) != 1 || problems[0] != trace.ErrID.Error() {
					t.Error(problems)
				}
			} else if len(problems) > 0 {
				t.Error(problems)
			}
		})
	}
}
