package suite_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
	"github.com/tailcheck/tailcheck/detect/stall"
	"github.com/tailcheck/tailcheck/ingest"
)

// Every log of the corpus is known by one format, and gives the requests and
// percentiles that another reader found: exactly up to 1 024 distinct values,
// beyond within the error of the light summary.
func TestLogCorpus(t *testing.T) {
	dir := corpus(t, "logs")
	raw, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		File    string
		Records int64
		Timed   int64    `json:"with_latency"`
		P50     *float64 `json:"p50_ms"`
		P99     *float64 `json:"p99_ms"`
		Max     *float64 `json:"max_ms"`
		Tries   *int64   `json:"upstream_tries"`
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	const full = `$host:$server_port $remote_addr - - [$time_local] "$request" $status $body_bytes_sent $request_length $request_time $upstream_response_time $scheme $ssl_protocol $ssl_cipher $custom_1 $custom_2 $custom_3`
	// What the lines do not tell: the user says it.
	said := map[string]check.Flags{
		"recorded/e_apache/combined_D.log":    {Unit: "us"},
		"recorded/e_apache/combined_T.log":    {Unit: "s"},
		"recorded/e_apache/combined_msT.log":  {Unit: "ms"},
		"apache/goaccess_1752_ms.log":         {Unit: "ms"},
		"tomcat/rla_89_tomcat6_ms.log":        {Unit: "ms"},
		"nginx/netdata_full_unmatched.log":    {LogFormat: full, Unit: "us"},
		"kong/kong_1323_nginx_us_field.log":   {Unit: "us", LogFormat: skip},
		"app/goaccess_2597_ms_word.log":       {LogFormat: skip},
		"cdn/goaccess_1983_pipe_epoch_ms.log": {LogFormat: skip},
	}
	// Where this reader counts otherwise than expected.json, and why.
	otherwise := map[string]struct {
		records, timed int64
		percentiles    bool
		why            string
	}{
		"recorded/d_haproxy_queue/syslog_rfc3164_pri.log": {900, 900, true, "its lines in JSON are requests, too, which the expected ones leave out"},
		"recorded/d_haproxy_queue/stdout_all_mixed.log":   {2505, 2504, true, "its lines in JSON are requests, too"},
		"recorded/h_postgres/pg.log":                      {3804, 3804, false, "four lock waits beside the 3800 statements"},
		"recorded/h_postgres/pg.csv":                      {3804, 3804, false, "four lock waits beside the 3800 statements"},
		"recorded/h_postgres/pg.json":                     {1489, 1489, false, "four lock waits beside the 1485 statements"},
		"postgres/pgbadger_queryid_multiline.log":         {21, 21, false, "a lock wait beside the 20 statements"},
		"aws/goaccess_952_classic_elb.log":                {3, 1, true, "two are TCP connections and no requests"},
		"traefik/crowdsec_json.log":                       {80, 79, true, "one did not leave Traefik: its status is not the service's"},
		"kubernetes/beats_ingress_nginx_lists.log":        {11, 10, true, "one is a websocket, open for 143 s, and no request"},
		"nginx/netdata_full_unmatched.log":                {176, 156, true, "20 are answers 101: connections and no requests"},
		"envoy/engarde_istio_json.log":                    {1, 0, true, "a TCP connection and no request"},
		"postgres/pgbadger_pgbouncer19.log":               {4, 0, true, "means of what waits, in which no request can be told"},
	}
	for _, want := range all {
		t.Run(want.File, func(t *testing.T) {
			f := said[want.File]
			if f.LogFormat == skip {
				t.Skip("nothing in it tells its format, and no format string of a server that is known writes it; its reader's own test gives the format")
			}
			f.FailOn = "never"
			if want.File == "otlp/lnav_otel_collector.jsonl" {
				if out := judged(t, f, filepath.Join(dir, filepath.FromSlash(want.File))); !out.Unusable {
					t.Error("records of what an application says are no requests: such a file is refused")
				}
				return
			}
			f.Zone = "UTC"
			out := judged(t, f, filepath.Join(dir, filepath.FromSlash(want.File)))
			if len(out.Inputs) != 1 || out.Inputs[0].Log == nil {
				t.Fatalf("no log: %v %v", out.Inputs, out.Problems)
			}
			x, records, timed := out.Inputs[0].Log, want.Records, want.Timed
			o, differs := otherwise[want.File]
			if differs {
				records, timed = o.records, o.timed
			}
			if n := x.Requests + x.Pauses; n != records {
				t.Errorf("%d requests and pauses, want %d", n, records)
			}
			if n := x.Requests + x.Pauses - x.Untimed - x.Streams; n != timed {
				t.Errorf("%d with a latency, want %d", n, timed)
			}
			if want.Tries != nil && x.Tries != *want.Tries && !differs {
				t.Errorf("%d tries, want %d", x.Tries, *want.Tries)
			}
			if x.Assumed != nil {
				t.Errorf("the unit is not known: %s", *x.Assumed)
			}
			if o.percentiles || x.Pauses > 0 && x.Requests == 0 {
				return
			}
			for i := range out.Distributions {
				m := out.Distributions[i].Measured
				if out.Distributions[i].Op != "" && len(out.Distributions) > 1 || m == nil {
					continue
				}
				for _, p := range []struct {
					name      string
					got, want *float64
				}{{"p50", m.P50, want.P50}, {"p99", m.P99, want.P99}, {"max", m.Max, want.Max}} {
					slack := 1e-6
					if want.Timed > 1024 && p.name != "max" {
						slack = *p.want / 256
					}
					if (p.got == nil) != (p.want == nil) || p.got != nil && (*p.got < *p.want-1e-6 || *p.got > *p.want+slack) {
						t.Errorf("%s %v, want %v", p.name, deref(p.got), deref(p.want))
					}
				}
				return
			}
		})
	}
}

const skip = "skip"

func deref(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// several judges files together.
func several(t testing.TB, f check.Flags, paths ...string) *check.Outcome {
	t.Helper()
	opt := options(t, f, paths[0])
	opt.Paths = paths
	out, err := check.Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func the(t testing.TB, out *check.Outcome, rule string) *report.Finding {
	t.Helper()
	var found *report.Finding
	for i := range out.Findings {
		if out.Findings[i].Rule == rule {
			if found != nil {
				t.Errorf("%s twice: %s", rule, out.Findings[i].Message)
			}
			found = &out.Findings[i]
		}
	}
	if found == nil {
		t.Fatalf("no %s among %v", rule, rules(out))
	}
	return found
}

// The stalls of the recorded runs are found where they were, and what the load
// report of each would have said comes near what an open loop saw.
func TestRecordedStalls(t *testing.T) {
	dir := filepath.Join(corpus(t, "logs"), "recorded")
	for _, c := range []struct {
		name     string
		files    []string
		would    float64 // p99 of the open loop, ms
		second   string  // in which the stall began, or the next where stamps tell no better
		reported float64
	}{
		{"hey through nginx", []string{"a_nginx_closed_loop/hey_report.txt", "a_nginx_closed_loop/rt.log"}, 1731, "21:16:35", 18.8},
		{"hey through nginx, ltsv", []string{"a_nginx_closed_loop/hey_report.txt", "a_nginx_closed_loop/ltsv.log"}, 1731, "21:16:35", 18.8},
		{"hey and an application", []string{"l_go_loggers/hey_report.txt", "l_go_loggers/slog_json.log"}, 1878, "21:26:55", 31.5},
		{"hey and logfmt", []string{"l_go_loggers/hey_report.txt", "l_go_loggers/logrus_logfmt.log"}, 1878, "21:26:5", 31.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			var paths []string
			for _, f := range c.files {
				paths = append(paths, filepath.Join(dir, f))
			}
			f := the(t, several(t, check.Flags{}, paths...), "stall-missed-by-load-test")
			n := f.Numbers.(stall.MissedNumbers)
			if math.Abs(n.WouldBe-c.would) > 0.1*c.would || n.Report != c.reported || !strings.Contains(f.Message, c.second) {
				t.Errorf("%+v, want about %v instead of %v from %s on: %s", n, c.would, c.reported, c.second, f.Message)
			}
		})
	}
}

// A log without latencies shows a stall as silence, and where requests came all
// the time as a burst behind it. This is what is left of a timed one.
func TestStallsWithoutLatencies(t *testing.T) {
	dir := filepath.Join(corpus(t, "logs"), "recorded")
	timed, err := os.ReadFile(filepath.Join(dir, "b_nginx_open_loop", "rt.log"))
	if err != nil {
		t.Fatal(err)
	}
	bare := regexp.MustCompile(`(?m) rt=.*$`).ReplaceAll(timed, nil)
	if bytes.Contains(bare, []byte("rt=")) || bytes.Count(bare, []byte("\n")) != 3000 {
		t.Fatal("not without latencies")
	}
	path := filepath.Join(t.TempDir(), "combined.log")
	if err := os.WriteFile(path, bare, 0o600); err != nil {
		t.Fatal(err)
	}
	f := the(t, judged(t, check.Flags{}, path), "server-stall")
	if f.Confidence != "high" || !strings.Contains(f.Message, "21:18:53") && !strings.Contains(f.Message, "21:18:54") {
		t.Errorf("%s: %s", f.Confidence, f.Message)
	}
	f = the(t, judged(t, check.Flags{}, filepath.Join(dir, "a_nginx_closed_loop", "combined.log")), "server-stall")
	if f.Confidence != "low" || !strings.Contains(f.Message, "21:16:35") {
		t.Errorf("%s: %s", f.Confidence, f.Message)
	}
}

// Rotated files, compressed or not, and logs of two servers are one timeline: the
// stall is the one of the whole log, whichever way it was cut.
func TestLogsTogether(t *testing.T) {
	dir := filepath.Join(corpus(t, "logs"), "recorded", "b_nginx_open_loop")
	data, err := os.ReadFile(filepath.Join(dir, "json.log"))
	if err != nil {
		t.Fatal(err)
	}
	whole := the(t, judged(t, check.Flags{}, filepath.Join(dir, "json.log")), "server-stall").Numbers.(stall.StallNumbers)
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines = lines[:len(lines)-1]
	tmp := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(tmp, name)
		var b bytes.Buffer
		switch filepath.Ext(name) {
		case ".gz":
			w := gzip.NewWriter(&b)
			_, _ = w.Write(data)
			_ = w.Close()
		case ".zst":
			w, _ := zstd.NewWriter(&b)
			_, _ = w.Write(data)
			_ = w.Close()
		default:
			b.Write(data)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	join := func(lines [][]byte) []byte { return bytes.Join(lines, nil) }
	// The last line before the stall ends one file, the first behind it begins the next.
	at := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(`"request_time":1.99`)) })
	if at < 1000 {
		t.Fatal("the stall is not where it was")
	}
	var odd, even []byte
	for i, l := range lines {
		if i%2 == 0 {
			even = append(even, l...)
		} else {
			odd = append(odd, l...)
		}
	}
	for name, files := range map[string][]string{
		"rotated":     {write("access.log", join(lines[at:])), write("access.log.1.gz", join(lines[500:at])), write("access.log.2.zst", join(lines[:500]))},
		"two servers": {write("one.log", even), write("two.log", odd)},
	} {
		out := several(t, check.Flags{}, files...)
		var found []stall.StallNumbers
		for _, f := range out.Findings {
			if f.Rule == "server-stall" {
				found = append(found, f.Numbers.(stall.StallNumbers))
			}
		}
		if len(found) != 1 || math.Abs(found[0].Duration-whole.Duration) > 10 || math.Abs(float64(found[0].Due-whole.Due)) > 5 {
			t.Errorf("%s: %+v, want one like %+v", name, found, whole)
		}
	}
}

// A log that goes on over the end of summer time is one timeline: where its
// stamps tell the offset, and where --tz and the order of the lines do. The stall
// of the fixture is from 00:59:59 to 01:00:01 UTC, over the change of the clock.
func TestSummerTimeEnds(t *testing.T) {
	for _, file := range []string{"access.log", "access-local.log.zst", "haproxy.log"} {
		out := judged(t, check.Flags{Zone: "Europe/Berlin"}, filepath.Join(root, "fixtures", "log", "dst", file))
		f := the(t, out, "server-stall")
		n := f.Numbers.(stall.StallNumbers)
		if math.Abs(n.Duration-2010) > 10 || !strings.Contains(f.Message, "2026-10-25 00:59:59") {
			t.Errorf("%s: %s", file, f.Message)
		}
		x := out.Inputs[0].Log
		if x.From == nil || !strings.HasPrefix(*x.From, "2026-10-25T00:59:") || !strings.HasPrefix(*x.To, "2026-10-25T01:00:") {
			t.Errorf("%s: from %v to %v", file, *x.From, *x.To)
		}
	}
}

// A log without latencies, or of pauses alone, is nothing that an objective on a
// time passes on, whatever --inconclusive says; beside a report it hinders nobody.
func TestObjectivesOnLogsWithoutLatencies(t *testing.T) {
	logs := filepath.Join(root, "fixtures", "log")
	for _, path := range []string{filepath.Join(logs, "stall-nginx-closed", "access.combined.log"), filepath.Join(logs, "gc-java", "gc.log")} {
		f := check.Flags{SLA: []string{"p99<500ms"}, Inconclusive: "pass", FailOn: "never"}
		if out := judged(t, f, path); out.Verdict != "inconclusive" {
			t.Errorf("%s: %s: %s", path, out.Verdict, out.Why)
		}
		healthy := filepath.Join(root, "fixtures", "clean", "open.csv")
		f.Inconclusive = ""
		alone, beside := judged(t, f, healthy), several(t, f, healthy, path)
		if alone.Verdict != "pass" || beside.Verdict != "pass" {
			t.Errorf("%s: %s, and beside %s: %s: %s", healthy, alone.Verdict, path, beside.Verdict, beside.Why)
		}
	}
}

// Lines of a proxy and of the application behind it, in turn in one stream: each
// is read as what it is, and none is left out.
func TestProxyAndApplicationInOneStream(t *testing.T) {
	dir := filepath.Join(root, "fixtures", "log", "stall-nginx-open")
	var both bytes.Buffer
	proxy, err := os.ReadFile(filepath.Join(dir, "access.log"))
	if err != nil {
		t.Fatal(err)
	}
	app, err := os.ReadFile(filepath.Join(dir, "app.log"))
	if err != nil {
		t.Fatal(err)
	}
	own := bytes.SplitAfter(app, []byte("\n"))
	for i, line := range bytes.SplitAfter(proxy, []byte("\n")) {
		both.Write(line)
		both.Write(own[i])
	}
	path := filepath.Join(t.TempDir(), "both.log")
	if err := os.WriteFile(path, both.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out := judged(t, check.Flags{}, path)
	x := out.Inputs[0]
	if x.Format != "mixed-log" || x.Log.Requests != 2400 || x.Log.Unread != 0 || x.Log.Assumed != nil || x.Log.Tries != 1200 {
		t.Errorf("%s: %+v", x.Format, *x.Log)
	}
}

// A format string is in the language of one server: it says itself whose it is.
func TestLogFormatLanguages(t *testing.T) {
	for _, c := range []struct{ format, whose string }{
		{`$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent rt=$request_time`, "nginx"},
		{`%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %D`, "apache"},
		{`%h %l %u %t "%r" %>s %O %{ms}T`, "apache"},
		{`%{begin:%Y-%m-%dT%T}t.%{begin:msec_frac}t %a "%r" %>s %{us}T`, "apache"},
		{`%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r`, "haproxy"},
		{`%[capture.req.method] %ST %Ta`, "haproxy"},
		{`[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS% %DURATION%`, "envoy"},
		{`%RESPONSE_CODE% %DURATION%`, "envoy"},
		{`%(h)s %(l)s %(u)s %(t)s "%(r)s" %(s)s %(b)s "%(f)s" "%(a)s" %(D)s`, "gunicorn"},
		{`%h %l %u %t "%r" %s %b %D %I`, "tomcat"},
		{`%h %l %u %t "%r" %s %b "%{Referer}i" "%{User-agent}i" %{Varnish:time_firstbyte}x`, "varnish"},
	} {
		var whose []string
		for _, f := range suite.Formats {
			if f.Speaks != nil && f.Speaks(c.format) {
				whose = append(whose, f.Name)
			}
		}
		if len(whose) != 1 || whose[0] != c.whose {
			t.Errorf("%s: %v, want %s", c.format, whose, c.whose)
		}
	}
}

// Reports of load tools and traces are no server's log, whatever their lines look
// like and whether or not they are read.
func TestReportsAreNoLogs(t *testing.T) {
	for _, part := range []string{"load", "traces"} {
		err := filepath.WalkDir(corpus(t, part), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			f, err := ingest.OpenFile(path, nil)
			if err != nil {
				return nil
			}
			found, err := ingest.Find(f, suite.Formats, "")
			if err != nil {
				return nil
			}
			for _, x := range found {
				if x.Format.Yields&ingest.KindLog != 0 {
					t.Errorf("%s is taken for a log: %s", path, x.Format.Name)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
