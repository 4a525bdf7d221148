package applog

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

var at = ingest.Time(time.Date(2026, 11, 29, 21, 16, 22, 500e6, time.UTC).UnixNano())

const us = time.Microsecond

// A request of 9.22 ms by many loggers, written as their documentation has it.
func TestLoggers(t *testing.T) {
	const id = "0af7651916cd43dd8448eb211c80319c"
	for name, c := range map[string]struct {
		line string
		unit time.Duration
		from ingest.Fact
	}{
		"slog":                {`{"time":"2026-11-29T21:16:22.5Z","level":"INFO","msg":"request","method":"GET","path":"/a/17","status":200,"duration":9220000}`, 1, ingest.UnitFromFormat},
		"slog, source":        {`{"time":"2026-11-29T21:16:22.5Z","level":"INFO","source":{"function":"f","file":"x.go","line":7},"msg":"request","method":"GET","path":"/a/17","status":200,"elapsed":9220000}`, 1, ingest.UnitFromFormat},
		"slog, group":         {`{"time":"2026-11-29T21:16:22.5Z","level":"INFO","msg":"request","http":{"method":"GET","path":"/a/17","status":200,"duration_ms":9.22}}`, ms, ingest.UnitFromKey},
		"zap":                 {`{"level":"info","ts":1795986982.5,"logger":"http","caller":"x/main.go:70","msg":"request","method":"GET","path":"/a/17","status":200,"duration":0.00922}`, time.Second, ingest.UnitFromFormat},
		"zap, ISO":            {`{"level":"info","ts":"2026-11-29T21:16:22.500Z","caller":"x/main.go:70","msg":"request","method":"GET","path":"/a/17","status":200,"latency":0.00922}`, time.Second, ingest.UnitFromFormat},
		"zap, milliseconds":   {`{"level":"info","ts":1795986982.5,"caller":"x/main.go:70","msg":"request","method":"GET","path":"/a/17","status":200,"durationMs":9.22}`, ms, ingest.UnitFromKey},
		"zerolog":             {`{"level":"info","method":"GET","url":"/a/17","status":200,"duration":9.22,"time":"2026-11-29T21:16:22.5Z","message":"request"}`, ms, ingest.UnitFromFormat},
		"logrus":              {`{"duration":9220000,"level":"info","method":"GET","msg":"request served","path":"/a/17","status":200,"time":"2026-11-29T21:16:22.5Z"}`, 1, ingest.UnitFromFormat},
		"pino-http":           {`{"level":30,"time":1795986982500,"pid":7,"hostname":"h","req":{"id":1,"method":"GET","url":"/a/17?status=500","query":{"status":"500","duration":"7"},"headers":{"host":"x","traceparent":"00-` + id + `-b7ad6b7169203331-01"}},"res":{"statusCode":200},"responseTime":9.22,"msg":"request completed"}`, ms, ingest.UnitFromFormat},
		"Serilog":             {`{"@t":"2026-11-29T21:16:22.5Z","@mt":"HTTP {RequestMethod} {RequestPath} responded {StatusCode} in {Elapsed:0.0000} ms","RequestMethod":"GET","RequestPath":"/a/17","StatusCode":200,"Elapsed":9.22}`, ms, ingest.UnitFromFormat},
		"echo":                {`{"time":"2026-11-29T21:16:22.5Z","id":"","remote_ip":"203.0.113.9","host":"x","method":"GET","uri":"/a/17","user_agent":"curl","status":200,"error":"","latency":9220000,"latency_human":"9.22ms","bytes_in":0,"bytes_out":3}`, ms, ingest.UnitFromValue},
		"workhorse":           {`{"correlation_id":"x","duration_ms":9.22,"host":"h","level":"info","method":"GET","msg":"access","proto":"HTTP/1.1","status":200,"time":"2026-11-29T21:16:22.5Z","uri":"/a/17"}`, ms, ingest.UnitFromKey},
		"ECS":                 {`{"@timestamp":"2026-11-29T21:16:22.5Z","log.level":"info","message":"x","event.duration":9220000,"http.request.method":"GET","url.path":"/a/17","http.response.status_code":200}`, 1, ingest.UnitFromKey},
		"Python":              {`{"timestamp":"2026-11-29T21:16:22.500Z","level":"INFO","message":"request","method":"GET","route":"/a/{id}","path":"/a/17","status_code":"200","elapsed_seconds":0.00922}`, time.Second, ingest.UnitFromKey},
		"JSON around text":    {`{"time":"2026-11-29T21:16:22.5Z","level":"INFO","message":"GET /a/17 200 took 9.22 ms"}`, ms, ingest.UnitFromValue},
		"JSON around JSON":    {`{"time":"2026-11-29T21:16:22.5Z","level":"INFO","message":"{\"method\":\"GET\",\"path\":\"/a/17\",\"status\":200,\"took_ms\":9.22}"}`, ms, ingest.UnitFromKey},
		"slog in an envelope": {`{"@timestamp":"2026-11-29T21:16:22.5Z","stream":"stdout","message":"{\"time\":\"2026-11-29T21:16:22.5Z\",\"level\":\"INFO\",\"msg\":\"x\",\"method\":\"GET\",\"path\":\"/a/17\",\"status\":200,\"duration\":9220000}"}`, 1, ingest.UnitFromFormat},
		"slog text":           {`time=2026-11-29T21:16:22.500Z level=INFO msg="the request" method=GET path=/a/17 status=200 duration=9.22ms`, ms, ingest.UnitFromValue},
		"logrus text":         {`time="2026-11-29T21:16:22.5Z" level=info msg="a \"request\" duration=1s" duration=9.22ms method=GET path=/a/17 status=200`, ms, ingest.UnitFromValue},
		"go-kit":              {`ts=2026-11-29T21:16:22.500Z caller=x.go:7 level=info method=GET uri=/a/17 status=200 took=9.22ms`, ms, ingest.UnitFromValue},
		"logfmt":              {`ts=2026-11-29T21:16:22.500Z method=GET path="/a/17" status=200 duration_us=9220`, us, ingest.UnitFromKey},
		"zap, console":        {"2026-11-29T21:16:22.500Z\t\x1b[34mINFO\x1b[0m\tx/main.go:72\ta request\t{\"method\": \"GET\", \"path\": \"/a/17\", \"status\": 200, \"duration\": \"9.22ms\"}", ms, ingest.UnitFromValue},
		"zap, console, s":     {"2026-11-29T21:16:22.500Z\tinfo\tx/main.go:72\ta request\t{\"method\": \"GET\", \"path\": \"/a/17\", \"status\": 200, \"duration\": 0.00922}", time.Second, ingest.UnitFromFormat},
		"zerolog, console":    {"\x1b[90m2026-11-29T21:16:22.500Z\x1b[0m \x1b[32mINF\x1b[0m \x1b[1mthe request\x1b[0m \x1b[36mduration=\x1b[0m9.22 \x1b[36mmethod=\x1b[0mGET \x1b[36mpath=\x1b[0m/a/17 \x1b[36mstatus=\x1b[0m200", ms, ingest.UnitFromFormat},
		"gin":                 {"[GIN] 2026/11/29 - 21:16:22 |\x1b[97;42m 200 \x1b[0m|      9.22ms |     203.0.113.9 |\x1b[97;44m GET     \x1b[0m \"/a/17\"", ms, ingest.UnitFromValue},
		"log":                 {`2026/11/29 21:16:22.500000 203.0.113.9:50390 GET /a/17 200 in 9.22ms`, ms, ingest.UnitFromValue},
		"Java":                {`2026-11-29 21:16:22,500 INFO  [pool-1-thread-1] access - GET /a/17 status=200 took 9.22 ms`, ms, ingest.UnitFromValue},
		"Spring Boot":         {`2026-11-29T21:16:22.500Z  INFO 1 --- [nio-8080-exec-1] c.e.AccessLog : GET /a/17 200 completed in 9.22ms`, ms, ingest.UnitFromValue},
		"Python text":         {`2026-11-29 21:16:22,500 - app.access - INFO - "GET /a/17 HTTP/1.1" 200 elapsed: 9.22ms`, ms, ingest.UnitFromValue},
		"morgan, common":      {`203.0.113.9 - - [29/Nov/2026:21:16:22 +0000] "GET /a/17 HTTP/1.1" 200 41 - 9.22 ms`, ms, ingest.UnitFromValue},
		"milliseconds":        {`[2026-11-29T21:16:22.500Z] INFO GET /a/17 (200) in 9.22 milliseconds`, ms, ingest.UnitFromKey},
		"OTLP, attributes":    {`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1795986982500000000","severityText":"INFO","body":{"stringValue":"request"},"attributes":[{"key":"http.request.method","value":{"stringValue":"GET"}},{"key":"url.path","value":{"stringValue":"/a/17"}},{"key":"http.response.status_code","value":{"intValue":"200"}},{"key":"duration_ms","value":{"doubleValue":9.22}}],"traceId":"` + id + `"}]}]}]}`, ms, ingest.UnitFromKey},
		"OTLP, text as body":  {`{"resourceLogs":[{"resource":{"attributes":[]},"scopeLogs":[{"scope":{},"logRecords":[{"timeUnixNano":"0","observedTimeUnixNano":"1795986982500000000","body":{"stringValue":"\"GET /a/17\" 200 took 9.22 ms"}}]}]}]}`, ms, ingest.UnitFromValue},
	} {
		t.Run(name, func(t *testing.T) {
			got := logtest.Read(t, format, []byte(c.line+"\n"), ingest.Options{Zone: time.UTC})
			if len(got.Samples) != 1 || len(got.Problems) != 0 {
				t.Fatalf("%+v, %v", got.Samples, got.Problems)
			}
			s := got.Samples[0]
			if s.Latency != 9220*us || s.Status != 200 || s.Op != "GET /a/{id}" || s.Vantage != ingest.Server || s.Outcome != ingest.OK {
				t.Errorf("%+v", s)
			}
			if d := s.Start.Add(s.Latency).Sub(at); d != 0 && d != -500*ms {
				t.Errorf("ends at %v", time.Unix(0, int64(s.Start.Add(s.Latency))).UTC())
			}
			if strings.Contains(c.line, id) && s.Trace[0] != 0x0a {
				t.Errorf("trace %x", s.Trace)
			}
			if x := got.Log.Shapes[0]; x.Unit != c.unit || x.UnitFrom != c.from || x.Clock == "" || x.Stamp != ingest.StampEnd {
				t.Errorf("%+v", x)
			}
			if !format.Sniff([]byte(c.line + "\n")) {
				t.Error("not claimed")
			}
		})
	}
}

// Of numbers without any hint the unit is not known, however large they are.
func TestUnknown(t *testing.T) {
	for _, line := range []string{
		`{"timestamp":"2026-11-29T21:16:22.5Z","level":"info","event":"request","method":"GET","path":"/a/17","status":200,"duration":0.009}`,
		`{"timestamp":"2026-11-29T21:16:22.5Z","level":"info","event":"request","method":"GET","path":"/a/17","status":200,"duration":9220000}`,
		`{"level":"info","ts":1795986982.5,"caller":"x/main.go:70","msg":"request","method":"GET","path":"/a/17","duration":9}`,
		`{"duration":0.009,"level":"info","method":"GET","msg":"request","path":"/a/17","time":"2026-11-29T21:16:22.5Z"}`,
		`{"level":30,"time":1795986982500,"pid":7,"hostname":"h","method":"GET","path":"/a/17","duration":9,"msg":"x"}`,
		`ts=2026-11-29T21:16:22.500Z method=GET path=/a/17 duration=9`,
		`2026-11-29 21:16:22,500 INFO GET /a/17 took 9`,
	} {
		got := logtest.Read(t, format, []byte(line), ingest.Options{})
		if len(got.Samples) != 1 {
			t.Fatalf("%s: %v", line, got.Problems)
		}
		if x := got.Log.Shapes[0]; x.Unit != 0 || x.UnitFrom != "" || x.Assumed != ms || x.Other != time.Second || x.Timed != 1 {
			t.Errorf("%s: %+v", line, x)
		}
		given := logtest.Read(t, format, []byte(line), ingest.Options{Unit: us})
		if x := given.Log.Shapes[0]; x.Unit != us || x.UnitFrom != ingest.UnitFromFlag || x.Assumed != 0 || given.Samples[0].Latency*1000 != got.Samples[0].Latency {
			t.Errorf("%s: %+v, %v", line, x, given.Samples[0].Latency)
		}
	}
	// A value that names its unit needs none.
	if s := logtest.One(t, format, `{"level":"info","msg":"x","method":"GET","path":"/a","duration":"9ms"}`, ingest.Options{Unit: us}); s.Latency != 9*ms {
		t.Errorf("%+v", s)
	}
}

// What is no request is passed over, and nothing is guessed.
func TestNotRequests(t *testing.T) {
	for _, line := range []string{
		`{"time":"2026-11-29T21:16:22.5Z","level":"WARN","msg":"stall"}`,
		`{"level":"info","msg":"request started","method":"GET","path":"/a"}`,
		`{"level":"info","msg":"booked","duration":"three nights","status":200}`,
		`{"level":"info","msg":"x","duration":null}`, `{"level":"info","msg":"x","duration":-1}`, `{"level":"info","msg":"x","duration":{"a":1}}`,
		`{"level":"info","msg":"retrying in 5s"}`,
		`2026-11-29 21:16:22,500 INFO connection failed, retrying in 5s`,
		`2026-11-29 21:16:22,500 INFO token issued, expires in 30 s`,
		`2026-11-29 21:16:22,500 INFO Started Shop in 2.345 seconds (process running for 2.8)`,
		`2026-11-29 21:16:22,500 INFO timeout is 5s`,
		`Started GET "/a" for 127.0.0.1 at 2026-11-29 21:16:22 +0000`,
		`WARN Server failed to load response`,
		`java.lang.IllegalStateException: x`, "\tat a.b.C(D.java:1)",
		`1:M 25 Apr 2024 05:32:35.019 * Running mode=standalone, port=6379.`,
		` * Running on http://127.0.0.1:5000`,
		`time=2026-11-29T21:16:22.500Z level=INFO msg="took no time"`,
		`level=info msg="cut off`,
		`cost: 20ms`, `Latency     5.40ms   99.29us   6.27ms   73.05%`, `// in the same time, 20 ms, it started`, `total time: 3.0012s`,
		`{"url":"http://x","connections":10,"duration":6.01,"samples":6}`,
		`[GIN] 2026/11/29 - 21:16:22 | 200 |`, `[GIN-debug] GET /a --> main.f (3 handlers)`,
	} {
		got := logtest.Read(t, format, []byte(line), ingest.Options{})
		if len(got.Samples) != 0 || len(got.Problems) != 0 {
			t.Errorf("%s: %+v, %v", line, got.Samples, got.Problems)
		}
		if Dialect.Claims([]byte(line)) == log.Own {
			t.Errorf("%s: claimed", line)
		}
	}
	for _, line := range []string{`{"level":"info","msg":"x`, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":`, `{"resourceLogs":7}`,
		`{"level":"info","method":"GET","path":"/a","status":200,"duration":"9 lives"}`} {
		got := logtest.Read(t, format, []byte(line), ingest.Options{})
		if len(got.Samples) != 0 || len(got.Problems) != 1 {
			t.Errorf("%s: %+v, %v", line, got.Samples, got.Problems)
		}
	}
}

// Without method and path a message names what was done.
func TestNames(t *testing.T) {
	for line, op := range map[string]string{
		`{"level":"info","msg":"db query","duration_ms":9.22}`:                              "db query",
		`{"level":"error","msg":"job 4711 of user@shop.example failed","took":"9.22ms"}`:    "job {id} of user@shop.example failed",
		`{"level":"info","msg":"x","grpc.method":"Get","grpc.time_ms":9.22}`:                "Get",
		`{"level":"info","duration_ms":9.22}`:                                               unnamedOp,
		`{"level":"info","msg":"a b c d e f g h i j","duration_ms":9.22}`:                   "a b c d e f g h…",
		`{"level":"info","msg":"größe ` + strings.Repeat("x", 40) + `","duration_ms":9.22}`: "{text} {text}",
		`query 17 took 9.22 ms`:                                                                  "query {id}",
		`INFO Server db-1 loaded response in 9.22ms`:                                             "Server {id} loaded response",
		`2026-11-29 21:16:22,500 INFO  [pool-1] c.e.Repo - loaded 12 rows in 9.22 ms`:            "loaded {id} rows",
		"2026-11-29T21:16:22.500Z\tINFO\tx/main.go:72\tcache filled\t{\"duration\": \"9.22ms\"}": "cache filled",
		`time=2026-11-29T21:16:22.500Z level=INFO msg="cache filled" took=9.22ms`:                "cache filled",
	} {
		s := logtest.One(t, format, line, ingest.Options{})
		if s.Op != op || s.Latency != 9220*us || (s.Outcome == ingest.Failed) != strings.Contains(line, "error") {
			t.Errorf("%s: %+v", line, s)
		}
	}
}

// The members that count are the explicit ones, and those of the line itself.
func TestSeveral(t *testing.T) {
	for line, want := range map[string]time.Duration{
		`{"level":"info","msg":"x","duration":5,"duration_ms":9}`:             9 * ms,
		`{"level":"info","msg":"x","duration_ms":9,"duration":5}`:             9 * ms,
		`{"level":"info","msg":"x","elapsed_ms":7,"latency":"9ms"}`:           9 * ms,
		`{"level":"info","msg":"x","db":{"duration_ms":5},"duration_ms":9}`:   9 * ms,
		`{"level":"info","msg":"x","duration_ms":9,"db":{"duration_ms":5}}`:   9 * ms,
		`{"level":"info","msg":"x","latency_ns":9000000,"a":[{"took":"1s"}]}`: 9 * ms,
	} {
		if s := logtest.One(t, format, line, ingest.Options{}); s.Latency != want {
			t.Errorf("%s: %v", line, s.Latency)
		}
	}
	s := logtest.One(t, format, `{"level":"info","msg":"x","method":"GET","path":"/a","status":504,"duration_ms":9,"queue_time_ms":4,"request_id":"r-1"}`, ingest.Options{})
	if s.Queue != 4*ms || s.Request != "r-1" || s.Outcome != ingest.TimedOut {
		t.Errorf("%+v", s)
	}
	if s := logtest.One(t, format, `{"level":50,"time":1795986982500,"pid":7,"hostname":"h","took_ms":9,"msg":"job"}`, ingest.Options{}); s.Outcome != ingest.Failed {
		t.Errorf("%+v", s)
	}
	s = logtest.One(t, format, `{"level":"info","msg":"request completed","method":"GET","path":"/a","status":200}`, ingest.Options{})
	if s.Latency != ingest.NoLatency || s.Op != "GET /a" {
		t.Errorf("%+v", s)
	}
}

// Records of one line are read in turn, those between them that are no requests
// passed over, and a consumer that stops in between does no harm.
func TestSeveralRecords(t *testing.T) {
	record := func(took string) string {
		return `{"timeUnixNano":"1795986982500000000","body":{"stringValue":"GET /a 200 took ` + took + `"}}`
	}
	line := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + record("1ms") + `,{"body":{"stringValue":"x}]\" y"}},` + record("2ms") + `]}]},{"scopeLogs":[{"logRecords":[` + record("3ms") + `,{"body":{"stringValue":"x"}}]}]}]}`
	for range 3 {
		in := ingest.Input{Head: []byte(line)}
		for range format.Read(strings.NewReader(line), in) {
			break
		}
		got := logtest.Read(t, format, []byte(line+"\n"+line+"\n"), ingest.Options{})
		if len(got.Samples) != 6 || len(got.Problems) != 0 || got.Log.Lines != 2 {
			t.Fatalf("%+v, %v", got.Samples, got.Problems)
		}
		for i, s := range got.Samples {
			if s.Latency != time.Duration(i%3+1)*ms {
				t.Errorf("%d: %+v", i, s)
			}
		}
	}
}

func TestClaims(t *testing.T) {
	chatter := `{"time":"2026-11-29T21:16:22.5Z","level":"INFO","msg":"x"}` + "\n"
	if in := strings.Repeat(chatter, 20) + slogLine + "\n"; !format.Sniff([]byte(in)) {
		t.Error("what the application says besides does not count")
	}
	if format.Sniff([]byte(strings.Repeat(chatter, 20))) || format.Near([]byte(chatter)) == "" {
		t.Error("no request, no claim; but near")
	}
	if format.Sniff([]byte("x\ny\nz\n"+slogLine)) || format.Near([]byte("x\n")) != "" {
		t.Error("most of it is another's")
	}
	if !Dialect.General {
		t.Error("others are asked first")
	}
}

func TestDirt(t *testing.T) {
	for _, line := range []string{slogLine, zapLine, pinoLine, slogText, stdLine, zeroConsole, `[GIN] 2026/11/29 - 21:16:22 | 200 | 9.22ms | 203.0.113.9 | GET "/a/17"`} {
		logtest.Dirty(t, Dialect, line)
	}
}

func FuzzRead(f *testing.F) {
	for _, line := range []string{slogLine, zapLine, pinoLine, slogText, stdLine, zeroConsole, `[GIN] 2026/11/29 - 21:16:22 | 200 | 9.22ms | 203.0.113.9 | GET "/a/17"`,
		`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1","body":{"stringValue":"took 1ms"},"attributes":[{"key":"took","value":{"intValue":1}}]}]}]}]}`} {
		f.Add([]byte(line + "\n" + line[:len(line)/2]))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		format.Sniff(data)
		format.Near(data)
		logtest.Read(t, format, data, ingest.Options{})
	})
}
