package lambda

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const line = "REPORT RequestId: c421f663-0e83-4ec1-8c09-56f40ed74ea1\tDuration: 250.00 ms\tBilled Duration: 251 ms\tMemory Size: 128 MB\tMax Memory Used: 124 MB\tInit Duration: 1488.71 ms\tXRAY TraceId: 1-6887bc24-69a702443d9e988c3411ef70\tSegmentId: 58c9\tSampled: true"

var format = Dialect.Format()

func TestCorpus(t *testing.T) {
	logtest.Check(t, format, logtest.Case{File: "aws/lambda_report.log", Unit: time.Millisecond})
	logtest.Claims(t, format, "aws/lambda_report.log")
	logtest.Lines(t, Dialect, "aws/lambda_report.log")
	s := logtest.Read(t, format, logtest.Load(t, "aws/lambda_report.log"), ingest.Options{}).Samples
	if s[0].Outcome != ingest.TimedOut || s[0].Latency != 120000640*time.Microsecond || s[0].Request != "b47cde10-029a-11e6-b5d6-1f01b70b94b2" {
		t.Errorf("Task timed out: %+v", s[0])
	}
	if s[1].Outcome != ingest.OK || s[1].Queue != 1488710*time.Microsecond || s[1].Trace[0] != 0x68 {
		t.Errorf("a cold start: %+v", s[1])
	}
}

func TestLines(t *testing.T) {
	at := ingest.Time(time.Date(2026, 11, 29, 21, 16, 22, 500e6, time.UTC).UnixNano())
	object := `{"time":"2026-11-29T21:16:22.500Z","type":"platform.report","record":{"requestId":"c421f663-0e83-4ec1-8c09-56f40ed74ea1","metrics":{"durationMs":250.0,"billedDurationMs":251,"initDurationMs":1488.71},"status":"success"}}`
	for name, in := range map[string]string{
		"aws logs tail": "2026-11-29T21:16:22.500000+00:00 2026/11/29/[$LATEST]ab " + line,
		"export":        "2026-11-29T21:16:22.500Z " + line,
		"JSON":          object,
		"an envelope":   `{"id":"1","timestamp":1795986982500,"message":"` + strings.ReplaceAll(line, "\t", `\t`) + `"}`,
		"blanks":        "2026-11-29T21:16:22.500Z " + strings.ReplaceAll(line, "\t", "  "),
	} {
		s := logtest.One(t, format, in, ingest.Options{})
		if s.Latency != 250*time.Millisecond || s.Queue != 1488710*time.Microsecond || s.Start.Add(s.Latency) != at || s.Op != "invoke" || s.Outcome != ingest.OK || s.Request != "c421f663-0e83-4ec1-8c09-56f40ed74ea1" {
			t.Errorf("%s: %+v", name, s)
		}
		if !format.Sniff([]byte(in + "\n")) {
			t.Errorf("%s: not claimed", name)
		}
	}
	for in, want := range map[string]ingest.Outcome{
		line + "\tStatus: timeout":                              ingest.TimedOut,
		line + "\tStatus: error\tError Type: Runtime.ExitError": ingest.Failed,
		strings.Replace(line, "251 ms", "200 ms", 1):            ingest.TimedOut,
		strings.Replace(object, `"success"`, `"timeout"`, 1):    ingest.TimedOut,
		strings.Replace(object, `"success"`, `"failure"`, 1):    ingest.Failed,
	} {
		if s := logtest.One(t, format, in, ingest.Options{}); s.Outcome != want {
			t.Errorf("%s: %v", in, s.Outcome)
		}
	}
	got := logtest.Read(t, format, []byte(strings.Join([]string{
		"START RequestId: x Version: $LATEST", "END RequestId: x", "2026-11-29T21:16:22.500Z x Task timed out after 3.00 seconds",
		"a line of the function", `{"level":"info","msg":"x"}`, `{"time":"x","type":"platform.start"}`,
		line[:60], object[:80], line,
	}, "\n")), ingest.Options{})
	if len(got.Samples) != 1 || len(got.Problems) != 2 {
		t.Errorf("%+v, %v", got.Samples, got.Problems)
	}
	if Dialect.Claims([]byte("START RequestId: x")) != log.Aside {
		t.Error("claims")
	}
}

func TestDirt(t *testing.T) { logtest.Dirty(t, Dialect, line) }

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, line) }

func TestSplit(t *testing.T) {
	logtest.Split(t, format, logtest.Load(t, "aws/lambda_report.log"), ingest.Options{})
}
