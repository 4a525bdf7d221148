package trace

import (
	"fmt"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// attrs are the attributes of a span in the order in which they are set.
type attrs []any // name, value, name, value, …

func build(t testing.TB, b *Builder, kind ingest.Kind, code int, message, name string, list attrs) ingest.Span {
	t.Helper()
	b.BeginSpan()
	for i := 0; i < len(list); i += 2 {
		k := Lookup([]byte(list[i].(string)))
		switch v := list[i+1].(type) {
		case string:
			b.SetString(k, []byte(v))
		case int:
			b.SetInt(k, int64(v))
		case bool:
			b.SetBool(k, v)
		case float64:
			b.SetFloat(k, v)
		default:
			t.Fatalf("value of %v is %T", list[i], v)
		}
	}
	b.Status(code, []byte(message))
	s := ingest.Span{Kind: kind}
	b.EndSpan(&s, []byte(name))
	return s
}

func TestOutcome(t *testing.T) {
	const unset, ok, failed = 0, 1, 2
	for _, test := range []struct {
		name    string
		kind    ingest.Kind
		code    int
		message string
		attrs   attrs
		want    ingest.Outcome
		isError bool
		status  int16
	}{
		{"nothing", ingest.Internal, unset, "", nil, ingest.OK, false, 0},
		{"error", ingest.Internal, failed, "boom", nil, ingest.Failed, true, 0},
		{"otelgrpc client deadline", ingest.ClientSpan, failed, "context deadline exceeded", attrs{"rpc.system.name", "grpc", "rpc.response.status_code", "DEADLINE_EXCEEDED"}, ingest.TimedOut, true, 4},
		{"otelgrpc server canceled, status unset", ingest.ServerSpan, unset, "", attrs{"rpc.system.name", "grpc", "rpc.response.status_code", "CANCELLED"}, ingest.Canceled, false, 1},
		{"hedge loser", ingest.ClientSpan, failed, "context canceled", attrs{"rpc.response.status_code", "CANCELLED"}, ingest.Canceled, true, 1},
		{"grpc code as number", ingest.ClientSpan, failed, "", attrs{"rpc.grpc.status_code", 14}, ingest.Failed, true, 14},
		{"grpc code as text", ingest.ClientSpan, failed, "", attrs{"rpc.grpc.status_code", "4"}, ingest.TimedOut, true, 4},
		{"grpc code in lower case", ingest.ClientSpan, failed, "", attrs{"rpc.status_code", "deadline_exceeded"}, ingest.TimedOut, true, 4},
		{"server fault, status unset", ingest.ServerSpan, unset, "", attrs{"rpc.grpc.status_code", 14}, ingest.Failed, false, 14},
		{"no fault of the server", ingest.ServerSpan, unset, "", attrs{"rpc.grpc.status_code", 5}, ingest.OK, false, 5},
		{"A72 client deadline", ingest.ClientSpan, failed, "stream terminated by RST_STREAM with error code: CANCEL", nil, ingest.TimedOut, true, 0},
		{"A72 attempt", ingest.Internal, failed, "stream terminated by RST_STREAM with error code: CANCEL", attrs{"previous-rpc-attempts", 0}, ingest.TimedOut, true, 0},
		{"A72 server", ingest.ServerSpan, failed, "context canceled", nil, ingest.Canceled, true, 0},
		{"server that quotes its own call", ingest.ServerSpan, failed, "rpc error: code = DeadlineExceeded desc = context deadline exceeded", nil, ingest.Failed, true, 0},
		{"otelhttp deadline", ingest.ClientSpan, failed, "context deadline exceeded", attrs{"http.request.method", "POST", "error.type", "context.deadlineExceededError"}, ingest.TimedOut, true, 0},
		{"net/http Client.Timeout", ingest.ClientSpan, failed, "net/http: request canceled", attrs{"http.request.method", "POST", "error.type", "*errors.errorString"}, ingest.Canceled, true, 0},
		{"Java", ingest.ClientSpan, failed, "", attrs{"error.type", "java.net.SocketTimeoutException"}, ingest.TimedOut, true, 0},
		{"gateway's 504", ingest.ServerSpan, failed, "Post: context deadline exceeded", attrs{"http.response.status_code", 504}, ingest.Failed, true, 504},
		{"404 as server", ingest.ServerSpan, unset, "", attrs{"http.response.status_code", 404}, ingest.OK, false, 404},
		{"404 as client", ingest.ClientSpan, failed, "", attrs{"http.status_code", "404"}, ingest.Failed, true, 404},
		{"nginx 499", ingest.ServerSpan, unset, "", attrs{"http.response.status_code", 499}, ingest.Canceled, false, 499},
		{"body timed out behind 200", ingest.ClientSpan, failed, "context deadline exceeded", attrs{"http.response.status_code", 200}, ingest.TimedOut, true, 200},
		{"Envoy upstream timeout", ingest.ClientSpan, failed, "", attrs{"http.status_code", "504", "response_flags", "UT"}, ingest.TimedOut, true, 504},
		{"Envoy, client gone", ingest.ServerSpan, unset, "", attrs{"http.status_code", "200", "response_flags", "DC"}, ingest.Canceled, false, 200},
		{"Envoy, nothing", ingest.ServerSpan, unset, "", attrs{"http.status_code", "200", "response_flags", "-"}, ingest.OK, false, 200},
		{"Jaeger tag", ingest.ServerSpan, unset, "", attrs{"error", true}, ingest.Failed, true, 0},
		{"Jaeger tag, no", ingest.ServerSpan, unset, "", attrs{"error", false}, ingest.OK, false, 0},
		{"Zipkin tag", ingest.ClientSpan, unset, "", attrs{"error", "connection timed out"}, ingest.TimedOut, true, 0},
		{"status as tag", ingest.ClientSpan, unset, "", attrs{"otel.status_code", "ERROR", "otel.status_description", "context canceled"}, ingest.Canceled, true, 0},
		{"ok by status", ingest.ClientSpan, ok, "", attrs{"error", "x"}, ingest.OK, false, 0},
		{"redis nil is no error", ingest.ClientSpan, unset, "", attrs{"db.system", "redis"}, ingest.OK, false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build(t, NewBuilder(), test.kind, test.code, test.message, "op", test.attrs)
			if s.Outcome != test.want || s.Error != test.isError || s.Status != test.status {
				t.Errorf("outcome %v, error %t, status %d; want %v, %t, %d", s.Outcome, s.Error, s.Status, test.want, test.isError, test.status)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	for _, test := range []struct {
		kind  ingest.Kind
		attrs attrs
		peer  string
		call  ingest.Call
	}{
		{ingest.ClientSpan, attrs{"server.address", "127.0.0.1", "server.port", 7101}, "127.0.0.1:7101", ingest.Call{}},
		{ingest.ClientSpan, attrs{"server.address", "127.0.0.1", "server.port", "7101"}, "127.0.0.1:7101", ingest.Call{}},
		{ingest.ClientSpan, attrs{"server.address", "shard-58"}, "shard-58", ingest.Call{}},
		{ingest.ClientSpan, attrs{"server.address", "db", "network.peer.address", "10.0.0.1", "network.peer.port", 5432}, "db", ingest.Call{}},
		{ingest.ClientSpan, attrs{"net.peer.ip", "10.0.0.1", "net.peer.port", 80}, "10.0.0.1:80", ingest.Call{}},
		{ingest.ClientSpan, attrs{"server.address", "::1", "server.port", 80}, "[::1]:80", ingest.Call{}},
		{ingest.ServerSpan, attrs{"server.address", "a", "server.port", 80, "peer.service", "x"}, "", ingest.Call{}},
		{ingest.ClientSpan, attrs{"peer.service", "cart"}, "cart", ingest.Call{}},
		{ingest.ClientSpan, attrs{"upstream_address", "172.18.0.25:8080", "peer.address", "172.18.0.25:8080", "upstream_cluster", "frontend", "http.status_code", "200"}, "172.18.0.25:8080", ingest.Call{Protocol: ingest.HTTP}},
		{ingest.ClientSpan, attrs{"http.method", "get", "http.url", "http://c:8080/api/products/66VCHSJNUP?x=1"}, "", ingest.Call{Protocol: ingest.HTTP, Method: "GET", Target: "/api/products/{}"}},
		{ingest.ClientSpan, attrs{"http.request.method", "POST", "url.full", "http://127.0.0.1:39307/orders"}, "", ingest.Call{Protocol: ingest.HTTP, Method: "POST", Target: "/orders"}},
		{ingest.ClientSpan, attrs{"url.full", "https://h"}, "", ingest.Call{Protocol: ingest.HTTP}},
		{ingest.ServerSpan, attrs{"http.request.method", "GET", "url.path", "/v1/users/12/cart", "http.route", "/v1/users/:id/cart"}, "", ingest.Call{Protocol: ingest.HTTP, Method: "GET", Target: "/v1/users/:id/cart"}},
		{ingest.ServerSpan, attrs{"url.path", "/v1/users/12/b0e1c2d3-0000-4000-8000-000000000000"}, "", ingest.Call{Protocol: ingest.HTTP, Target: "/v1/users/{}/{}"}},
		{ingest.ClientSpan, attrs{"rpc.system", "grpc", "rpc.service", "pkg.Svc", "rpc.method", "Get"}, "", ingest.Call{Protocol: ingest.RPC, Method: "pkg.Svc/Get"}},
		{ingest.ClientSpan, attrs{"rpc.system.name", "grpc", "rpc.method", "pkg.Svc/Get"}, "", ingest.Call{Protocol: ingest.RPC, Method: "pkg.Svc/Get"}},
		{ingest.ClientSpan, attrs{"rpc.system", "aws-api", "rpc.service", "S3", "rpc.method", "Get", "http.status_code", 503}, "", ingest.Call{Protocol: ingest.RPC, Method: "S3/Get"}},
	} {
		s := build(t, NewBuilder(), test.kind, 0, "", "op", test.attrs)
		var call ingest.Call
		if s.Call != nil {
			call = *s.Call
		}
		if s.Peer != test.peer || call != test.call {
			t.Errorf("%v: peer %q, call %+v; want %q, %+v", test.attrs, s.Peer, call, test.peer, test.call)
		}
	}
}

func TestMarks(t *testing.T) {
	plain := ingest.Span{Op: "op", Stands: 1, Resend: -1}
	with := func(f func(*ingest.Span)) ingest.Span { s := plain; f(&s); return s }
	for _, test := range []struct {
		kind  ingest.Kind
		attrs attrs
		rare  ingest.Rare
		want  ingest.Span
	}{
		{0, attrs{"http.request.resend_count", 2}, ingest.Rare{}, with(func(s *ingest.Span) { s.Resend = 2 })},
		{0, attrs{"gcp.grpc.resend_count", "3"}, ingest.Rare{}, with(func(s *ingest.Span) { s.Resend = 3 })},
		{0, attrs{"previous-rpc-attempts", 0, "transparent-retry", false}, ingest.Rare{}, with(func(s *ingest.Span) { s.Resend = 0 })},
		{0, attrs{"retry.count", "1"}, ingest.Rare{}, with(func(s *ingest.Span) { s.Resend = 1 })},
		{0, attrs{"retry_attempts", 4}, ingest.Rare{Retries: 4}, plain},
		{0, attrs{"cassandra.speculative_execution.count", 1}, ingest.Rare{Hedges: 1}, plain},
		{0, attrs{"request_budget", "812"}, ingest.Rare{Budget: 812 * time.Millisecond}, plain},
		{0, attrs{"rpc.request.metadata.grpc-timeout", "99m"}, ingest.Rare{Budget: 99 * time.Millisecond}, plain},
		{0, attrs{"grpc.timeout", "1H"}, ingest.Rare{Budget: time.Hour}, plain},
		{0, attrs{"grpc.timeout", "1x"}, ingest.Rare{}, plain},
		{0, attrs{"cached", true}, ingest.Rare{}, with(func(s *ingest.Span) { s.Cached = true })},
		{ingest.Consumer, nil, ingest.Rare{}, with(func(s *ingest.Span) { s.Kind, s.Async = ingest.Consumer, true })},
		{ingest.ClientSpan, attrs{"messaging.system", "kafka", "messaging.operation", "publish"}, ingest.Rare{}, with(func(s *ingest.Span) { s.Kind, s.Async = ingest.ClientSpan, true })},
		{ingest.ClientSpan, attrs{"messaging.system", "kafka", "messaging.operation", "receive"}, ingest.Rare{}, with(func(s *ingest.Span) { s.Kind = ingest.ClientSpan })},
		{0, attrs{"span.kind", "server"}, ingest.Rare{}, with(func(s *ingest.Span) { s.Kind = ingest.ServerSpan })},
		{0, attrs{"aggregation.is_summary", true, "aggregation.span_count", 24, "aggregation.duration_min_ns", 1, "aggregation.duration_max_ns", 9, "aggregation.duration_total_ns", 60, "aggregation.duration_avg_ns", 2}, ingest.Rare{Min: 1, Max: 9, Total: 60}, with(func(s *ingest.Span) { s.Stands = 24 })},
		{0, attrs{"pruned/is_summary", "true", "pruned/span_count", "5"}, ingest.Rare{}, with(func(s *ingest.Span) { s.Stands = 5 })},
		{0, attrs{"batch.span_count", 24}, ingest.Rare{}, plain},
		{0, attrs{"is_summary", true, "span_count", 24}, ingest.Rare{}, plain},
	} {
		s := build(t, NewBuilder(), test.kind, 0, "", "op", test.attrs)
		var rare ingest.Rare
		if s.Rare != nil {
			rare = *s.Rare
		}
		s.Rare = nil
		if s != test.want || rare != test.rare {
			t.Errorf("%v:\ngot  %+v %+v\nwant %+v %+v", test.attrs, s, rare, test.want, test.rare)
		}
	}
}

func TestResource(t *testing.T) {
	b := NewBuilder()
	for _, test := range []struct {
		attrs             attrs
		service, instance string
	}{
		{attrs{"service.name", "api", "host.name", "h", "k8s.pod.name", "p"}, "api", "p"},
		{attrs{"service.name", "api", "host.name", "h", "service.instance.id", "i"}, "api", "i"},
		{attrs{"service.name", "first", "service.name", "second"}, "first", ""},
		{nil, "", ""},
	} {
		b.BeginResource()
		for i := 0; i < len(test.attrs); i += 2 {
			b.SetString(Lookup([]byte(test.attrs[i].(string))), []byte(test.attrs[i+1].(string)))
		}
		b.EndResource()
		s := build(t, b, 0, 0, "", "op", nil)
		if s.Service != test.service || s.Instance != test.instance {
			t.Errorf("%v: %q, %q; want %q, %q", test.attrs, s.Service, s.Instance, test.service, test.instance)
		}
	}
}

// What is asked for is hashed the same way by every reader.
func TestArgs(t *testing.T) {
	ask := func(list ...any) uint64 {
		return build(t, NewBuilder(), ingest.ClientSpan, 0, "", "op", list).Args
	}
	if a, b := ask("http.request.method", "GET", "url.full", "http://h/a?x=1"), ask("http.method", "GET", "http.url", "http://h/a?x=1"); a == 0 || a != b {
		t.Errorf("one URL by old and new names: %x, %x", a, b)
	}
	if a, b := ask("url.full", "http://h/a?x=1"), ask("url.full", "http://h/a?x=2"); a == b {
		t.Error("two URLs alike")
	}
	if a := ask("url.full", "http://h/a?REDACTED"); a != 0 {
		t.Error("a redacted URL is visible")
	}
	if a, b := ask("db.system", "redis", "db.statement", "get a"), ask("db.system.name", "redis", "db.query.text", "get a"); a == 0 || a != b {
		t.Errorf("one command by old and new names: %x, %x", a, b)
	}
}

// Everything that a Builder remembers is bounded, and right when it is full.
func TestBounded(t *testing.T) {
	b := NewBuilder()
	b.names.limit = 1 << 10
	for i := range 20_000 {
		name := fmt.Sprint("operation ", i)
		s := build(t, b, ingest.ClientSpan, 0, "", name, attrs{"db.system", "redis", "db.statement", "get k" + fmt.Sprint(i), "request_budget", i + 1, "url.full", fmt.Sprint("http://h/x", i, "/y")})
		if s.Op != name || s.Store.Statement != "get k"+fmt.Sprint(i) || s.Rare.Budget != time.Duration(i+1)*time.Millisecond || s.Call == nil {
			t.Fatalf("span %d: %+v", i, s)
		}
	}
	if n := len(b.names.table); n > 1<<10 {
		t.Errorf("%d names", n)
	}
	if n := len(b.stores.table); n > maxStores {
		t.Errorf("%d stores", n)
	}
	if len(b.calls) > maxShared || len(b.rares) > maxShared {
		t.Errorf("%d calls, %d rare", len(b.calls), len(b.rares))
	}
}

func TestAllocations(t *testing.T) {
	b := NewBuilder()
	list := attrs{"db.system", "redis", "db.statement", "get user:1", "server.address", "127.0.0.1", "server.port", 7101, "db.redis.database_index", 0}
	keys := make([]Key, 0, len(list)/2)
	for i := 0; i < len(list); i += 2 {
		keys = append(keys, Lookup([]byte(list[i].(string))))
	}
	system, statement, address, name := []byte("redis"), []byte("get user:1"), []byte("127.0.0.1"), []byte("get")
	var s ingest.Span
	if n := testing.AllocsPerRun(100, func() {
		b.BeginSpan()
		b.SetString(keys[0], system)
		b.SetString(keys[1], statement)
		b.SetString(keys[2], address)
		b.SetInt(keys[3], 7101)
		b.SetInt(keys[4], 0)
		b.EndSpan(&s, name)
	}); n != 0 {
		t.Errorf("%v allocations a span", n)
	}
	if s.Store.Namespace != "0" || s.Peer != "127.0.0.1:7101" {
		t.Errorf("%+v", s)
	}
}
