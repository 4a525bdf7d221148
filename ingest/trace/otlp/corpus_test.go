package otlp

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailcheck/tailcheck/ingest"
)

// corpus is the collection of public and recorded files beside the repository.
const corpus = "../../../../shared/corpus"

func corpusFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := readCorpus(name)
	if os.IsNotExist(err) {
		t.Skip("the corpus is not here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readCorpus(name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(corpus, name))
	if err != nil || filepath.Ext(name) != ".zst" {
		return data, err
	}
	z, err := zstd.NewReader(bytes.NewReader(data)) // what opening a file peels off
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(z)
}

// counts are what the corpus says of a file. Repeated are rows that use the id
// of an earlier row of their trace.
type counts struct{ spans, traces, roots, orphans, repeated, errors int }

func count(spans []ingest.Span) (c counts) {
	type id struct {
		trace ingest.TraceID
		span  ingest.SpanID
	}
	seen := map[id]bool{}
	traces := map[ingest.TraceID]bool{}
	for _, s := range spans {
		c.spans++
		traces[s.Trace] = true
		if seen[id{s.Trace, s.ID}] {
			c.repeated++
		}
		seen[id{s.Trace, s.ID}] = true
		if s.Error {
			c.errors++
		}
	}
	c.traces = len(traces)
	for _, s := range spans {
		if s.Parent == (ingest.SpanID{}) {
			c.roots++
		} else if !seen[id{s.Trace, s.Parent}] {
			c.orphans++
		}
	}
	return c
}

// Counts: SOURCES.md of corpus/traces, README.md of corpus/recorded/redis.
var corpusFiles = []struct {
	name     string
	format   *ingest.Format
	want     counts
	problems int
	services []string
	pdata    bool // pdata reads it, too, once its framing or wrapper is off
}{
	{"traces/otlp-json/proto-example-trace.json", &JSON, counts{1, 1, 0, 1, 0, 0}, 0, []string{"my.service"}, true},
	{"traces/otlp-json/jaeger-otlp-in.json", &JSON, counts{2, 1, 0, 2, 1, 0}, 0, []string{"telemetrygen"}, true},
	{"traces/otlp-json/jaeger-otlp-multi-in.jsonl", &JSON, counts{4, 1, 1, 0, 0, 0}, 0, []string{"example-trace"}, true},
	{"traces/otlp-json/jaeger-otlp-multi-in-combined.json", &JSON, counts{4, 1, 1, 0, 0, 0}, 0, []string{"example-trace"}, true},
	{"traces/otlp-json/otel-traces-link-attributes.json", &JSON, counts{1, 1, 1, 0, 0, 0}, 0, []string{"query25-service"}, true},
	{"traces/otlp-json/otel-demo-envoy.base64ids.json", &JSON, counts{2, 1, 0, 1, 0, 0}, 0, []string{"frontend-proxy"}, false}, // base64 ids
	{"traces/otlp-json/invalid-kind.json", &JSON, counts{1, 1, 1, 0, 0, 0}, 1, []string{"test-service"}, false},                // a kind's name
	{"traces/otlp-json/go-redis-cluster-mget-storm.jsonl", &JSON, counts{260, 48, 48, 0, 0, 44}, 0, []string{"timeline-api"}, true},
	{"traces/otlp-json/go-redis-cluster-mget-storm.spanpruning.jsonl", &JSON, counts{101, 48, 48, 0, 0, 21}, 0, []string{"timeline-api"}, true},
	{"traces/otlp-json/node-redis-cluster-mget-storm.http-exporter.jsonl", &JSON, counts{127, 7, 7, 0, 0, 0}, 0, []string{"profile-bff"}, true},
	{"traces/otlp-json/node-redis-cluster-mget-storm.dropped55.jsonl", &JSON, counts{81, 7, 7, 0, 0, 0}, 0, []string{"profile-bff"}, true},
	{"traces/otlp-json/grpc-retry-3x3x3.jsonl", &JSON, counts{158, 2, 2, 0, 0, 158}, 0, []string{"edge", "inventory", "orders", "storage"}, true},
	{"traces/otlp-json/grpc-go-native-retrypolicy.jsonl", &JSON, counts{34, 4, 4, 0, 0, 22}, 0, []string{"cart", "pricing"}, true},
	{"traces/otlp-json/http-abandoned-work.jsonl", &JSON, counts{45, 3, 3, 0, 0, 6}, 0, []string{"gateway", "ledger", "orders"}, true},
	{"traces/otlp-json/grpc-missing-deadline.jsonl", &JSON, counts{46, 8, 8, 0, 0, 25}, 0, []string{"features", "ranker", "search-api"}, true},
	{"traces/otlp-json/grpc-missing-deadline.nativezstd.jsonl.zst", &JSON, counts{46, 8, 8, 0, 0, 25}, 0, []string{"features", "ranker", "search-api"}, true},
	{"traces/otlp-json/grpc-hedging-abuse.jsonl", &JSON, counts{300, 60, 60, 0, 0, 57}, 0, []string{"catalog", "frontend"}, true},
	{"traces/otlp-json/tail-fanout-69.jsonl", &JSON, counts{6300, 90, 90, 0, 0, 0}, 0, []string{"feed-api"}, true},
	{"traces/otlp-json/train-ticket.2023-01-29_10_22.jsonl", &JSON, counts{1328, 36, 36, 0, 0, 0}, 0, nil, true},
	{"traces/jaeger/api-v3-GetTrace.json", &JSON, counts{1, 1, 1, 0, 0, 1}, 0, []string{""}, true},
	{"traces/otlp-proto/otel-demo-envoy.pb", &Proto, counts{2, 1, 0, 1, 0, 0}, 0, []string{"frontend-proxy"}, true},
	{"traces/otlp-proto/grpc-retry-3x3x3.fileexporter.bin", &Proto, counts{158, 2, 2, 0, 0, 158}, 0, []string{"edge", "inventory", "orders", "storage"}, true},
	{"traces/otlp-proto/grpc-native-retrypolicy.nativezstd.zst", &Proto, counts{34, 4, 4, 0, 0, 22}, 0, []string{"cart", "pricing"}, true},
	{"recorded/redis/go-redis-cluster.traces.json", &JSON, counts{370, 64, 64, 0, 0, 40}, 0, nil, true},
	{"recorded/redis/go-redis-cluster.traces.pb", &Proto, counts{370, 64, 64, 0, 0, 40}, 0, nil, true},
	{"recorded/redis/go-redis-cluster.traces.json.zst-frames", &JSON, counts{370, 64, 64, 0, 0, 40}, 0, nil, true},
	{"recorded/redis/go-redis-cluster.traces.pb.zst-frames", &Proto, counts{370, 64, 64, 0, 0, 40}, 0, nil, true},
	{"recorded/redis/go-redis-cluster.native.traces.json.zst", &JSON, counts{372, 65, 65, 0, 0, 40}, 0, nil, true},
	{"recorded/redis/go-redis-cluster.native.traces.pb.zst", &Proto, counts{372, 65, 65, 0, 0, 40}, 0, nil, true},
	{"recorded/redis/go-redis-cluster.jaeger-v3-otlp.json", &JSON, counts{372, 65, 65, 0, 0, 40}, 0, nil, true},
	{"recorded/redis/node-redis-cluster.traces.json", &JSON, counts{415, 29, 29, 0, 0, 8}, 0, nil, true},
}

func TestCorpus(t *testing.T) {
	for _, test := range corpusFiles {
		t.Run(test.name, func(t *testing.T) {
			data := corpusFile(t, test.name)
			head := data[:min(len(data), ingest.HeadSize)]
			if JSON.Sniff(head) != (test.format == &JSON) || Proto.Sniff(head) != (test.format == &Proto) {
				t.Errorf("claimed by otlp-json %t, otlp-proto %t", JSON.Sniff(head), Proto.Sniff(head))
			}
			got := read(t, *test.format, data)
			if got.err != nil {
				t.Fatal(got.err)
			}
			if c := count(got.spans); c != test.want {
				t.Errorf("got %+v, want %+v", c, test.want)
			}
			if len(got.problems) != test.problems {
				t.Errorf("problems %v, want %d", got.problems, test.problems)
			}
			services := map[string]bool{}
			for _, s := range got.spans {
				services[s.Service] = true
			}
			for _, s := range test.services {
				if !services[s] {
					t.Errorf("no span of service %q in %v", s, services)
				}
			}
			if test.services != nil && len(services) != len(test.services) {
				t.Errorf("services %v, want %v", services, test.services)
			}
			if test.pdata {
				want := pdataSpans(t, data)
				sameSpans(t, "against pdata", got.spans, want)
				if c := count(want); c != test.want {
					t.Errorf("pdata: %+v, want %+v", c, test.want)
				}
			}
			parts(t, *test.format, data, got)
		})
	}
}

// pdataSpans reads a file with pdata, taking off what pdata does not know:
// framing, compression, several documents, and Jaeger's wrapper.
func pdataSpans(t *testing.T, data []byte) (spans []ingest.Span) {
	t.Helper()
	var messages [][]byte
	switch {
	case data[0] == '{':
		dec := json.NewDecoder(bytes.NewReader(data))
		for dec.More() {
			var m json.RawMessage
			if err := dec.Decode(&m); err != nil {
				t.Fatal(err)
			}
			var wrapped struct{ Result json.RawMessage }
			if err := json.Unmarshal(m, &wrapped); err == nil && wrapped.Result != nil {
				m = wrapped.Result
			}
			messages = append(messages, m)
		}
	case data[0] == '\n':
		messages = [][]byte{data}
	default:
		z, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for len(data) > 0 {
			n := binary.BigEndian.Uint32(data)
			m := data[4 : 4+n]
			data = data[4+n:]
			if bytes.HasPrefix(m, []byte(zstdMagic)) {
				if m, err = z.DecodeAll(m, nil); err != nil {
					t.Fatal(err)
				}
			}
			messages = append(messages, m)
		}
	}
	for _, m := range messages {
		var td ptrace.Traces
		var err error
		if m[0] == '{' {
			td, err = (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(m)
		} else {
			td, err = (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(m)
		}
		if err != nil {
			t.Fatal("pdata: ", err)
		}
		spans = append(spans, reference(td)...)
	}
	return spans
}

// parts reads an input in as many parts as it may be cut into, and wants what
// reading it whole gave, positions included.
func parts(t *testing.T, f ingest.Format, data []byte, whole result) {
	t.Helper()
	head := data[:min(len(data), ingest.HeadSize)]
	split := f.SplitOf(head)
	if split == ingest.SplitNever || whole.err != nil {
		return
	}
	var got result
	for part, at := 0, 0; at < len(data); part++ {
		n := 0
		for size := 1 << 10; n == 0; size *= 2 {
			if at+size >= len(data) {
				n = len(data) - at
				break
			}
			n = split.Cut(data[at : at+size])
		}
		r := readPart(t, f, data[at:at+n], ingest.Input{Part: part, Offset: int64(at), Head: head})
		if r.err != nil {
			t.Fatal(r.err)
		}
		got.spans = append(got.spans, r.spans...)
		got.problems = append(got.problems, r.problems...)
		at += n
	}
	sameSpans(t, "in parts", got.spans, whole.spans)
	for i := range got.spans {
		if got.spans[i].Pos != whole.spans[i].Pos {
			t.Fatalf("span %d at %v in parts, at %v whole", i, got.spans[i].Pos, whole.spans[i].Pos)
		}
	}
	if len(got.problems) != len(whole.problems) {
		t.Errorf("in parts %d problems, whole %d", len(got.problems), len(whole.problems))
	}
}

// chunks is a reader that gives a little at a time.
type chunks struct {
	data []byte
	n    int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	c.n = (c.n*7 + 5) % 4099
	n := copy(p[:min(len(p), c.n+1)], c.data)
	c.data = c.data[n:]
	return n, nil
}
