package otlp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailcheck/tailcheck/ingest"
)

// generate makes requests as a collector's batches have them: spans of 20 a
// trace from 12 services, each with 12 to 15 attributes, in all about as many
// spans as asked for.
func generate(seed uint64, spans, batch int) (requests []ptrace.Traces) {
	rng := rand.New(rand.NewPCG(seed, 1))
	start := uint64(1_795_987_762_000_000_000)
	for done := 0; done < spans; done += batch {
		td := ptrace.NewTraces()
		service := rng.IntN(12)
		rs := td.ResourceSpans().AppendEmpty()
		a := rs.Resource().Attributes()
		a.PutStr("service.name", fmt.Sprint("service-", service))
		a.PutStr("service.version", "1.4.2")
		a.PutStr("k8s.pod.name", fmt.Sprintf("service-%d-7d9f8b6c5-%05x", service, rng.IntN(1<<20)))
		a.PutStr("deployment.environment.name", "prod")
		a.PutStr("telemetry.sdk.language", "go")
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName("go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp")
		for i := range batch {
			s := ss.Spans().AppendEmpty()
			var trace pcommon.TraceID
			binary.BigEndian.PutUint64(trace[:], uint64((done+i)/20+1)*0x9e3779b97f4a7c15)
			binary.BigEndian.PutUint64(trace[8:], uint64((done+i)/20+1)*0xff51afd7ed558ccd)
			var id, parent pcommon.SpanID
			binary.BigEndian.PutUint64(id[:], rng.Uint64())
			binary.BigEndian.PutUint64(parent[:], rng.Uint64())
			s.SetTraceID(trace)
			s.SetSpanID(id)
			if i%20 != 0 {
				s.SetParentSpanID(parent)
			}
			s.SetFlags(257)
			begin := start + uint64(done+i)*1_000_003
			s.SetStartTimestamp(pcommon.Timestamp(begin))
			s.SetEndTimestamp(pcommon.Timestamp(begin + rng.Uint64N(50_000_000)))
			a := s.Attributes()
			a.PutStr("server.address", fmt.Sprintf("10.0.%d.%d", service, rng.IntN(8)))
			a.PutInt("server.port", 7100+int64(rng.IntN(4)))
			a.PutStr("code.function.name", "github.com/acme/feed-api/internal/handlers.(*Feed).Load")
			a.PutStr("code.file.path", "/srv/feed-api/internal/handlers/feed.go")
			a.PutInt("code.line.number", int64(rng.IntN(400)))
			a.PutStr("thread.name", "worker-"+fmt.Sprint(rng.IntN(16)))
			a.PutStr("app.tenant", fmt.Sprintf("tenant-%06d", rng.IntN(1e6)))
			a.PutStr("network.protocol.version", "1.1")
			if i%2 == 0 {
				s.SetName("mget")
				s.SetKind(ptrace.SpanKindClient)
				a.PutStr("db.system.name", "redis")
				a.PutStr("db.operation.name", "MGET")
				a.PutStr("db.query.text", fmt.Sprintf("mget user:%d:profile", rng.IntN(2000)))
				a.PutStr("db.namespace", "0")
			} else {
				s.SetName("GET /api/v1/items/{id}")
				s.SetKind(ptrace.SpanKindServer)
				a.PutStr("http.request.method", "GET")
				a.PutStr("http.route", "/api/v1/items/{id}")
				a.PutStr("url.path", fmt.Sprintf("/api/v1/items/%d", rng.IntN(1e6)))
				a.PutStr("url.scheme", "http")
				a.PutInt("http.response.status_code", 200)
				a.PutStr("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36")
				a.PutStr("client.address", "127.0.0.1")
			}
			if rng.IntN(50) == 0 {
				s.Status().SetCode(ptrace.StatusCodeError)
				s.Status().SetMessage("upstream unavailable")
				e := s.Events().AppendEmpty()
				e.SetName("exception")
				e.Attributes().PutStr("exception.message", "upstream unavailable")
			}
		}
		requests = append(requests, td)
	}
	return requests
}

// marshal gives requests as JSON lines and as length-prefixed protobuf.
func marshal(t testing.TB, requests []ptrace.Traces) (lines, frames [][]byte) {
	t.Helper()
	for _, td := range requests {
		j, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		if err != nil {
			t.Fatal(err)
		}
		p, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		if err != nil {
			t.Fatal(err)
		}
		lines, frames = append(lines, append(j, '\n')), append(frames, frameOf(p))
	}
	return lines, frames
}

func frameOf(p []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(p))), p...)
}

const benchSpans = 60_000

var benchData = sync.OnceValues(func() (lines, frames [][]byte) {
	return marshal(&testing.B{}, generate(1, benchSpans, 400))
})

func drain(b *testing.B, f *ingest.Format, data, head []byte) (spans int) {
	for record, err := range f.Read(bytes.NewReader(data), ingest.Input{Head: head}) {
		if err != nil {
			b.Error(err)
		}
		if _, ok := record.(*ingest.Span); ok {
			spans++
		}
	}
	return spans
}

func benchmark(b *testing.B, f *ingest.Format, parts [][]byte, unmarshal func([]byte) error) {
	data := bytes.Join(parts, nil)
	head := data[:ingest.HeadSize]
	rate := func(b *testing.B) {
		b.ReportMetric(float64(benchSpans)*float64(b.N)/b.Elapsed().Seconds()/1e3, "kspans/s")
	}
	b.Run("tailcheck", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if n := drain(b, f, data, head); n != benchSpans {
				b.Fatal(n)
			}
		}
		rate(b)
	})
	b.Run("tailcheck-halves", func(b *testing.B) { // two at once
		half := len(bytes.Join(parts[:len(parts)/2], nil))
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			var wg sync.WaitGroup
			for _, part := range [][]byte{data[:half], data[half:]} {
				wg.Go(func() { drain(b, f, part, head) })
			}
			wg.Wait()
		}
		rate(b)
	})
	b.Run("pdata", func(b *testing.B) { // unmarshalling alone
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			for _, p := range parts {
				if err := unmarshal(p); err != nil {
					b.Fatal(err)
				}
			}
		}
		rate(b)
	})
}

func BenchmarkJSON(b *testing.B) {
	lines, _ := benchData()
	benchmark(b, &JSON, lines, func(p []byte) error {
		_, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(p)
		return err
	})
}

func BenchmarkProto(b *testing.B) {
	_, frames := benchData()
	benchmark(b, &Proto, frames, func(p []byte) error {
		_, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(p[4:])
		return err
	})
}
