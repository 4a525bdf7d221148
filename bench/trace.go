package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/trace/otlp"
)

// traceSpans is how many spans the files of the trace pairs hold: about 1.2 KB
// each as JSON.
const traceSpans = 250_000

// trace returns the pairs about traces, and makes their files in dir.
func trace(dir, bin string) ([]pair, error) {
	lines, frames := filepath.Join(dir, "traces.jsonl"), filepath.Join(dir, "traces.pb")
	if err := writeTraces(lines, frames, traceSpans); err != nil {
		return nil, err
	}
	jsonData, err := os.ReadFile(lines)
	if err != nil {
		return nil, err
	}
	protoData, err := os.ReadFile(frames)
	if err != nil {
		return nil, err
	}
	size := func(b []byte) string { return fmt.Sprintf("%d MB, %d spans", len(b)/1e6, traceSpans) }
	pj := inProcess("pdata JSONUnmarshaler", func() error { return eachLine(jsonData, pdataJSON) })
	pp := inProcess("pdata ProtoUnmarshaler", func() error { return eachFrame(protoData, pdataProto) })
	return []pair{
		{"OTLP JSON lines, " + size(jsonData) + ": decoding on one core", inProcess("reader", func() error { return read(otlp.JSON, jsonData, 1) }), pj, 4, false},
		{"OTLP protobuf frames, " + size(protoData) + ": decoding on one core", inProcess("reader", func() error { return read(otlp.Proto, protoData, 1) }), pp, 3, false},
		{"OTLP JSON lines: decoding on two cores against one", inProcess("reader, 2 parts", func() error { return read(otlp.JSON, jsonData, 2) }), inProcess("reader", func() error { return read(otlp.JSON, jsonData, 1) }), 2, false},
		{"OTLP JSON lines: bare decode against the whole command (wanted: within 3x)", inProcess("reader, 2 parts", func() error { return read(otlp.JSON, jsonData, 2) }), process("check with all detectors", []int{0, 1}, bin, "check", lines), 0, false},
	}, nil
}

// read decodes with tailcheck's reader, in parts.
func read(f ingest.Format, data []byte, parts int) error {
	var wg sync.WaitGroup
	counts, errs := make([]int, parts), make([]error, parts)
	head := data[:min(len(data), ingest.HeadSize)]
	split := f.SplitOf(head)
	from := 0
	for p := range parts {
		to := len(data)
		if p+1 < parts {
			to = from + split.Cut(data[from:len(data)*(p+1)/parts])
		}
		part, in := data[from:to], ingest.Input{Part: p, Offset: int64(from), Head: head}
		from = to
		wg.Go(func() {
			for rec, err := range f.Read(bytes.NewReader(part), in) {
				if err != nil {
					errs[p] = err
					return
				}
				switch r := rec.(type) {
				case *ingest.Span:
					counts[p]++
				case *ingest.Problem:
					errs[p] = r.Err
					return
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, c := range counts {
		sum += c
	}
	if sum != traceSpans {
		errs = append(errs, fmt.Errorf("%d spans", sum))
	}
	return errors.Join(errs...)
}

func eachLine(data []byte, do func([]byte) (int, error)) error {
	sum := 0
	for len(data) > 0 {
		i := bytes.IndexByte(data, '\n')
		n, err := do(data[:i])
		if err != nil {
			return err
		}
		sum += n
		data = data[i+1:]
	}
	if sum != traceSpans {
		return fmt.Errorf("%d spans", sum)
	}
	return nil
}

func eachFrame(data []byte, do func([]byte) (int, error)) error {
	sum := 0
	for len(data) > 0 {
		size := int(binary.BigEndian.Uint32(data))
		n, err := do(data[4 : 4+size])
		if err != nil {
			return err
		}
		sum += n
		data = data[4+size:]
	}
	if sum != traceSpans {
		return fmt.Errorf("%d spans", sum)
	}
	return nil
}

// wanted is what tailcheck takes of a span, read off pdata's: the peer does the
// same work.
func wanted(td ptrace.Traces) int {
	n, sum := 0, 0
	for i := range td.ResourceSpans().Len() {
		rs := td.ResourceSpans().At(i)
		if v, ok := rs.Resource().Attributes().Get("service.name"); ok {
			sum += len(v.Str())
		}
		for j := range rs.ScopeSpans().Len() {
			spans := rs.ScopeSpans().At(j).Spans()
			for k := range spans.Len() {
				s := spans.At(k)
				n++
				sum += len(s.Name()) + int(s.Kind()) + int(s.StartTimestamp()) + int(s.EndTimestamp()) + int(s.Status().Code())
				for _, key := range []string{"db.system.name", "db.operation.name", "db.query.text", "http.response.status_code", "server.address"} {
					if v, ok := s.Attributes().Get(key); ok {
						sum += int(v.Type())
					}
				}
			}
		}
	}
	sink += sum
	return n
}

var sink int

func pdataJSON(b []byte) (int, error) {
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(b)
	if err != nil {
		return 0, err
	}
	return wanted(td), nil
}

func pdataProto(b []byte) (int, error) {
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(b)
	if err != nil {
		return 0, err
	}
	return wanted(td), nil
}

// writeTraces writes the same traces as JSON lines and as length-prefixed
// protobuf: 20 spans each (a root, a fan-out of calls, store accesses below),
// 12 services, 12 to 15 attributes a span, one service a batch.
func writeTraces(lines, frames string, spans int) error {
	fj, err := os.Create(lines)
	if err != nil {
		return err
	}
	fp, err := os.Create(frames)
	if err != nil {
		return err
	}
	wj, wp := bufio.NewWriterSize(fj, 1<<20), bufio.NewWriterSize(fp, 1<<20)
	rng := rand.New(rand.NewPCG(5, 6))
	start := uint64(1_795_987_762_000_000_000)
	const batch = 500
	for done := 0; done < spans; done += batch {
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		service := done / batch % 12
		a := rs.Resource().Attributes()
		a.PutStr("service.name", fmt.Sprint("service-", service))
		a.PutStr("service.version", "1.4.2")
		a.PutStr("k8s.pod.name", fmt.Sprintf("service-%d-7d9f8b6c5-%05x", service, service*7919))
		a.PutStr("deployment.environment.name", "prod")
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName("net/http")
		for i := range batch {
			n := done + i
			s := ss.Spans().AppendEmpty()
			var id pcommon.TraceID
			binary.BigEndian.PutUint64(id[:], uint64(n/20+1)*0x9e3779b97f4a7c15)
			binary.BigEndian.PutUint64(id[8:], uint64(n/20+1)*0xff51afd7ed558ccd)
			s.SetTraceID(id)
			place := n % 20
			spanID := func(k int) (x pcommon.SpanID) {
				binary.BigEndian.PutUint64(x[:], uint64(n/20*20+k+1)*0x9e3779b97f4a7c15)
				return x
			}
			s.SetSpanID(spanID(place))
			begin := start + uint64(n/20)*3_000_000 + uint64(place)*200_000
			took := uint64(1_000_000 + rng.Uint64N(4_000_000))
			a := s.Attributes()
			switch {
			case place == 0:
				took = 40_000_000
				s.SetName("GET /api/v1/items/{id}")
				s.SetKind(ptrace.SpanKindServer)
			case place < 6:
				s.SetParentSpanID(spanID(0))
				took = 20_000_000
				s.SetName(fmt.Sprintf("GET /internal/%d", place))
				s.SetKind(ptrace.SpanKindClient)
			default:
				s.SetParentSpanID(spanID(1 + place%5))
				s.SetName("SELECT items")
				s.SetKind(ptrace.SpanKindClient)
			}
			if place >= 6 {
				a.PutStr("db.system.name", "postgresql")
				a.PutStr("db.operation.name", "SELECT")
				a.PutStr("db.query.text", fmt.Sprintf("SELECT * FROM items_%d WHERE id = $1 AND tenant = $2", place))
				a.PutStr("db.namespace", "shop")
			} else {
				a.PutStr("http.request.method", "GET")
				a.PutStr("http.route", "/api/v1/items/{id}")
				a.PutStr("url.path", fmt.Sprintf("/api/v1/items/%d", rng.IntN(1e6)))
				a.PutInt("http.response.status_code", 200)
			}
			a.PutStr("server.address", fmt.Sprintf("10.0.%d.%d", service, rng.IntN(8)))
			a.PutInt("server.port", 7100)
			a.PutStr("code.function.name", "github.com/acme/feed-api/internal/handlers.(*Feed).Load")
			a.PutStr("code.file.path", "/srv/feed-api/internal/handlers/feed.go")
			a.PutInt("code.line.number", int64(rng.IntN(400)))
			a.PutStr("thread.name", fmt.Sprint("worker-", rng.IntN(16)))
			a.PutStr("app.tenant", fmt.Sprintf("tenant-%06d", rng.IntN(1e6)))
			a.PutStr("network.protocol.version", "1.1")
			s.SetStartTimestamp(pcommon.Timestamp(begin))
			s.SetEndTimestamp(pcommon.Timestamp(begin + took))
		}
		j, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		if err != nil {
			return err
		}
		p, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		if err != nil {
			return err
		}
		if _, err := wj.Write(append(j, '\n')); err != nil {
			return err
		}
		if _, err := wp.Write(binary.BigEndian.AppendUint32(nil, uint32(len(p)))); err != nil {
			return err
		}
		if _, err := wp.Write(p); err != nil {
			return err
		}
	}
	return errors.Join(wj.Flush(), wp.Flush(), fj.Close(), fp.Close())
}
