package tracetest_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/console"
	"github.com/tailcheck/tailcheck/ingest/trace/debugtext"
	"github.com/tailcheck/tailcheck/ingest/trace/jaeger"
	"github.com/tailcheck/tailcheck/ingest/trace/otlp"
	"github.com/tailcheck/tailcheck/ingest/trace/spanscsv"
	"github.com/tailcheck/tailcheck/ingest/trace/stdouttrace"
	"github.com/tailcheck/tailcheck/ingest/trace/tracetest"
	"github.com/tailcheck/tailcheck/ingest/trace/xray"
	"github.com/tailcheck/tailcheck/ingest/trace/zipkin"
)

var formats = []*ingest.Format{
	&otlp.JSON, &otlp.Proto, &jaeger.Format, &zipkin.Format, &stdouttrace.Format, &console.JS, &console.Python, &console.Java,
	&debugtext.Format, &xray.Format, &spanscsv.Format,
}

// Files of the same spans as different exporters and backends write them give
// the same spans, as far as the form can hold them.
func TestAgreement(t *testing.T) {
	for _, test := range []struct {
		name      string
		a, b      string
		formatA   *ingest.Format
		formatB   *ingest.Format
		precision time.Duration // of b's times
		noFlags   bool          // b does not say whether a parent is remote
	}{
		{"Jaeger API", "recorded/redis/go-redis-cluster.jaeger-v3-otlp.json", "recorded/redis/go-redis-cluster.jaeger-api.json", &otlp.JSON, &jaeger.Format, time.Microsecond, true},
		{"Jaeger UI", "traces/otlp-json/jaeger-otlp-multi-in.jsonl", "traces/jaeger/otlp-converted-multi-out.json", &otlp.JSON, &jaeger.Format, time.Microsecond, true},
		{"stdouttrace", "traces/otlp-json/go-redis-cluster-mget-storm.jsonl", "traces/stdouttrace/go-redis-cluster-mget-storm.pretty.json", &otlp.JSON, &stdouttrace.Format, time.Nanosecond, false},
		{"console.dir", "traces/otlp-json/node-redis-cluster-mget-storm.http-exporter.jsonl", "traces/js-console/node-redis-cluster-mget-storm.txt", &otlp.JSON, &console.JS, time.Microsecond, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			type id struct {
				trace ingest.TraceID
				span  ingest.SpanID
			}
			want := map[id]ingest.Span{}
			for _, s := range tracetest.Spans(t, test.formatA, tracetest.Corpus(t, test.a)) {
				want[id{s.Trace, s.ID}] = s
			}
			got := tracetest.Spans(t, test.formatB, tracetest.Corpus(t, test.b))
			if len(got) != len(want) {
				t.Errorf("%d spans, %d", len(got), len(want))
			}
			for _, b := range got {
				a, ok := want[id{b.Trace, b.ID}]
				if !ok {
					t.Fatalf("span %x is not in %s", b.ID, test.a)
				}
				if off := max((a.Start - b.Start), b.Start-a.Start, a.End-b.End, b.End-a.End); off >= ingest.Time(2*test.precision) {
					t.Errorf("%s %x: times differ by %v", b.Op, b.ID, time.Duration(off))
				}
				if text(a.Store) != text(b.Store) || text(a.Call) != text(b.Call) || text(a.Rare) != text(b.Rare) {
					t.Errorf("%s %x: %s %s %s, want %s %s %s", b.Op, b.ID, text(b.Store), text(b.Call), text(b.Rare), text(a.Store), text(a.Call), text(a.Rare))
				}
				if test.noFlags || a.Parent == (ingest.SpanID{}) {
					a.Remote = b.Remote
				}
				a.Pos, b.Pos, a.Start, b.Start, a.End, b.End = ingest.Pos{}, ingest.Pos{}, 0, 0, 0, 0
				a.Store, b.Store, a.Call, b.Call, a.Rare, b.Rare = nil, nil, nil, nil, nil, nil
				if a != b {
					t.Fatalf("got  %+v\nwant %+v", b, a)
				}
			}
		})
	}
}

func text[T any](p *T) string {
	if p == nil {
		return "nothing"
	}
	return fmt.Sprintf("%+v", *p)
}

// Every file of traces is claimed by one format, and no other file by any.
func TestOneClaim(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".md") || strings.Contains(path, "/src/") {
			return err
		}
		f, err := ingest.OpenFile(path, nil)
		if err != nil {
			return err
		}
		r, err := f.Open()
		if err != nil {
			t.Logf("%s: %v", path, err)
			return nil
		}
		defer r.Close()
		head := make([]byte, ingest.HeadSize)
		n, _ := io.ReadFull(r, head)
		head = head[:n]
		var claims []string
		for _, f := range formats {
			if f.Sniff(head) {
				claims = append(claims, f.Name)
			}
		}
		isTrace := strings.Contains(path, "corpus/traces/") || strings.Contains(path, "recorded/redis/")
		if len(claims) != 1 && isTrace || len(claims) > 0 && !isTrace {
			t.Errorf("%s: claimed by %q", path, claims)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
