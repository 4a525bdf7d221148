package applog

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

// How a request ended is not lost where its status stands in other words, beside
// a member of the same name, or nowhere.
func TestEnded(t *testing.T) {
	const slog = `{"time":"2026-11-29T21:16:22.5Z","level":"INFO","msg":"x",`
	for line, want := range map[string]struct {
		op      string
		status  int
		outcome ingest.Outcome
	}{
		slog + `"status":"error","status_code":500,"method":"GET","path":"/a","duration_ms":12}`: {"GET /a", 500, ingest.Failed},
		slog + `"status":"503 Service Unavailable","method":"GET","path":"/a","duration_ms":12}`: {"GET /a", 503, ingest.Failed},
		slog + `"status":204,"resp":"ok","method":"GET","path":"/a","duration_ms":12}`:           {"GET /a", 204, ingest.OK},
		// Kubernetes' API server
		`E1129 21:16:22.123456       1 httplog.go:132] "HTTP" verb="GET" URI="/api/v1/pods?x=1" latency="12ms" userAgent="kubectl" audit-ID="x" srcIP="203.0.113.9:5" resp=504`: {"GET /api/v1/pods", 504, ingest.TimedOut},
		// Azure App Service
		`{"time":"2026-11-29T21:16:22.1234567Z","Category":"AppServiceHTTPLogs","CsMethod":"GET","CsUriStem":"/a","ScStatus":503,"TimeTaken":12}`: {"GET /a", 503, ingest.Failed},
		// logback-access
		`{"@timestamp":"2026-11-29T21:16:22.5Z","message":"x","method":"GET","status_code":200,"requested_url":"GET /a HTTP/1.1","requested_uri":"/a","elapsed_time":12}`: {"GET /a", 200, ingest.OK},
		// pino-http, where the client has left
		`{"level":30,"time":1795986982500,"pid":7,"hostname":"h","req":{"method":"GET","url":"/a"},"res":{"statusCode":null},"responseTime":12,"msg":"request aborted"}`: {"GET /a", 0, ingest.Canceled},
		// go-grpc-middleware
		`{"level":"warn","ts":1795986982.5,"caller":"x.go:1","msg":"finished unary call","grpc.method":"Get","grpc.code":"DeadlineExceeded","grpc.time_ms":12}`: {"Get", 0, ingest.TimedOut},
		`{"level":"warn","ts":1795986982.5,"caller":"x.go:1","msg":"finished unary call","grpc.method":"Get","grpc.code":"Unavailable","grpc.time_ms":12}`:      {"Get", 0, ingest.Failed},
		`{"level":"info","ts":1795986982.5,"caller":"x.go:1","msg":"finished unary call","grpc.method":"Get","grpc.code":"Canceled","grpc.time_ms":12}`:         {"Get", 0, ingest.Canceled},
		`{"level":"info","ts":1795986982.5,"caller":"x.go:1","msg":"finished unary call","grpc.method":"Get","grpc.code":"OK","grpc.time_ms":12}`:               {"Get", 0, ingest.OK},
		// text in a collector's member
		`{"textPayload":"GET /a 503 took 12 ms","timestamp":"2026-11-29T21:16:22.5Z"}`:         {"GET /a", 503, ingest.Failed},
		`{"@timestamp":"2026-11-29T21:16:22.5Z","log":"ERROR the worker 7 gave up in 12 ms"}`:  {"the worker {id} gave up in {id} ms", 0, ingest.OK},
		`{"@timestamp":"2026-11-29T21:16:22.5Z","log":"ERROR loaded page 7 in 12 ms"}`:         {"loaded page {id}", 0, ingest.Failed},
		`{"@timestamp":"2026-11-29T21:16:22.5Z","message":"ERROR request 7 took 12 ms, late"}`: {"request {id}", 0, ingest.Failed},
	} {
		got := logtest.Read(t, format, []byte(line+"\n"), ingest.Options{})
		if strings.Contains(line, "gave up") {
			if len(got.Samples) != 0 {
				t.Errorf("%s: %+v", line, got.Samples) // done is what ends in -ed
			}
			continue
		}
		if len(got.Samples) != 1 {
			t.Errorf("%s: %d requests, %v", line, len(got.Samples), got.Problems)
			continue
		}
		if s := got.Samples[0]; s.Op != want.op || s.Status != want.status || s.Outcome != want.outcome || s.Latency != 12*time.Millisecond {
			t.Errorf("%s: %+v", line, s)
		}
	}
}

// The Elastic Common Schema counts nanoseconds, in whatever way its names are nested.
func TestECS(t *testing.T) {
	line := `{"@timestamp":"2026-11-29T21:16:22.5Z","event":{"kind":"event","duration":9220000},"http":{"request":{"method":"GET"},"response":{"status_code":503}},"url":{"path":"/a/12"}}`
	got := logtest.Read(t, format, []byte(line+"\n"), ingest.Options{})
	if s := got.Samples[0]; s.Latency != 9220*us || s.Status != 503 || got.Log.Shapes[0].Unit != 1 || got.Log.Shapes[0].UnitFrom != ingest.UnitFromKey {
		t.Errorf("%+v %+v", s, got.Log.Shapes)
	}
	line = strings.Replace(line, `"event"`, `"task"`, 1)
	if got = logtest.Read(t, format, []byte(line+"\n"), ingest.Options{}); got.Log.Shapes[0].Unit != 0 {
		t.Errorf("%+v", got.Log.Shapes)
	}
}

// Requests of less than a microsecond are none: slog's and logrus' numbers are no
// time.Duration then, and nothing tells their unit.
func TestDoubt(t *testing.T) {
	for _, logger := range []string{
		`{"time":"2026-11-29T21:16:22.5Z","level":"INFO","msg":"x","method":"GET","path":"/a","status":200,"elapsed":N}`,
		`{"elapsed":N,"level":"info","method":"GET","msg":"x","path":"/a","status":200,"time":"2026-11-29T21:16:22Z"}`,
	} {
		for numbers, unit := range map[string]time.Duration{
			"9 1503 19":             0,
			"0 0 0":                 0,
			"91503 1503 19":         1, // one of three is what a clock's step may do
			"1503000 900":           1,
			"9156304 2000123456 47": 1,
		} {
			var b strings.Builder
			for n := range strings.FieldsSeq(numbers) {
				b.WriteString(strings.Replace(logger, ":N", ":"+n, 1) + "\n")
			}
			got := logtest.Read(t, format, []byte(b.String()), ingest.Options{})
			if s := got.Log.Shapes; len(s) != 1 || s[0].Unit != unit || (s[0].Assumed == 0) != (unit != 0) {
				t.Errorf("%s: %+v", numbers, s)
			}
			logtest.Split(t, format, []byte(strings.Repeat(b.String(), 40)), ingest.Options{})
		}
	}
	if Dialect.Claims([]byte(`{"time":"2026-11-29T21:16:22.5Z","level":"INFO","msg":"x","method":"GET","path":"/a","status":200,"elapsed":9}`)) != log.Own {
		t.Error("not claimed")
	}
}

// A request whose latency or stamp cannot be read is told, whatever its message.
func TestBroken(t *testing.T) {
	const good = `{"time":"2026-11-29T21:16:22.5Z","level":"INFO","msg":"request served","method":"GET","path":"/a","status":500,"duration_ms":12}`
	for _, value := range []string{"1e999", "0x10", "1_000", `"1,234.5"`, `"1,5"`, `"00:00:01.5000000"`, "99999999999999999999999"} {
		bad := strings.Replace(good, ":12}", ":"+value+"}", 1)
		got := logtest.Read(t, format, []byte(good+"\n"+bad+"\n"), ingest.Options{})
		if len(got.Samples) != 1 || len(got.Problems) != 1 {
			t.Errorf("%s: %d requests, %v", value, len(got.Samples), got.Problems)
		}
	}
}
