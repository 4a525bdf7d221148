package samples

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// corpus is where recorded files lie, beside the repository.
const corpus = "../../../../shared/corpus/"

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(corpus + name))
	if os.IsNotExist(err) {
		t.Skipf("no corpus beside the repository: %s is absent", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type result struct {
	runs     []ingest.Run
	samples  []ingest.Sample
	problems []ingest.Problem
	err      error
}

// readAll reads data and checks what every reader promises.
func readAll(t testing.TB, data []byte, in ingest.Input) result {
	t.Helper()
	var out result
	last := in.Offset
	for rec, err := range Format.Read(bytes.NewReader(data), in) {
		if out.err != nil {
			t.Fatal("a record after an error")
		}
		if err != nil {
			out.err = err
			continue
		}
		at := rec.Where().Offset
		if at < last || at > in.Offset+int64(len(data)) {
			t.Fatalf("%T at %d after %d", rec, at, last)
		}
		last = at
		switch r := rec.(type) {
		case *ingest.Run:
			out.runs = append(out.runs, *r)
		case *ingest.Sample:
			out.samples = append(out.samples, *r)
		case *ingest.Problem:
			out.problems = append(out.problems, *r)
		default:
			t.Fatalf("unexpected %T", rec)
		}
	}
	return out
}

func options(o ingest.Options) ingest.Input { return ingest.Input{Options: o} }

const (
	us = time.Microsecond
	ms = time.Millisecond
)

// nearestRank returns a percentile to a tenth of a millisecond.
func nearestRank(all []time.Duration, percent int) time.Duration {
	s := slices.Sorted(slices.Values(all))
	return s[max(1, (len(s)*percent+99)/100)-1].Round(100 * us)
}

// The values are those of the lab's README, and for the open loop through
// nginx of the logs' SOURCES.md (p50 7.2, p90 225, p99 1731, max 2199 ms).
func TestCorpus(t *testing.T) {
	tenth := func(v float64) time.Duration { return time.Duration(v*10) * 100 * us }
	for _, c := range []struct {
		file                  string
		n                     int
		due, send             [4]float64 // p50, p90, p99, max in ms; 0: not stated
		precision             time.Duration
		firstStart, firstDue  ingest.Time
		firstLatency, lastDue time.Duration
	}{
		{"recorded/lab/openloop-1conn.csv", 200, [4]float64{51.4, 1410.9, 1942.7, 2001.7}, [4]float64{50.7, 50.8, 51.1, 2000.7}, 100 * us,
			ingest.Relative(6 * us), ingest.Relative(0), 51122 * us, 15920 * ms},
		{"recorded/lab/openloop-serial.csv", 200, [4]float64{51.4, 1412.8, 1943.1, 2002.0}, [4]float64{50.7, 1412.4, 1942.5, 2001.0}, 100 * us,
			ingest.Relative(37 * us), ingest.Relative(0), 51318 * us, 15920 * ms},
		{"recorded/lab/openloop-concurrent.csv", 200, [4]float64{51.2, 51.7, 53.1, 2002.2}, [4]float64{}, 100 * us,
			ingest.Relative(34 * us), ingest.Relative(0), 51105 * us, 15920 * ms},
		{"logs/recorded/b_nginx_open_loop/client.csv", 3000, [4]float64{7, 225, 1731, 2199}, [4]float64{}, ms,
			ingest.Relative(431 * us), ingest.Relative(0), 6991 * us, 29990 * ms}, // 7.422 - 6.991 ms behind its due time
	} {
		data := load(t, c.file)
		if !Format.Sniff(data) {
			t.Errorf("%s: not claimed", c.file)
		}
		got := readAll(t, data, ingest.Input{})
		if got.err != nil || len(got.problems) > 0 || len(got.runs) != 1 || len(got.samples) != c.n {
			t.Fatalf("%s: error %v, problems %v, %d runs, %d samples", c.file, got.err, got.problems, len(got.runs), len(got.samples))
		}
		if run := got.runs[0]; run.Tool != "" || run.Loop != ingest.Scheduled || !run.CatchUp || run.Treated != ingest.Raw || run.Absolute || run.Counted {
			t.Errorf("%s: run %+v", c.file, run)
		}
		var fromDue, fromSend []time.Duration
		for _, s := range got.samples {
			fromDue = append(fromDue, s.Start.Add(s.Latency).Sub(s.Due))
			fromSend = append(fromSend, s.Latency)
			if s.Status != 200 || s.Outcome != ingest.OK || s.Vantage != ingest.Client {
				t.Fatalf("%s: %+v", c.file, s)
			}
		}
		for i, p := range []int{50, 90, 99, 100} {
			if d := nearestRank(fromDue, p); d.Round(c.precision) != tenth(c.due[i]) {
				t.Errorf("%s: p%d from the due time is %v, want %v ms", c.file, p, d, c.due[i])
			}
			if d := nearestRank(fromSend, p); c.send[i] != 0 && d != tenth(c.send[i]) {
				t.Errorf("%s: p%d from the send is %v, want %v ms", c.file, p, d, c.send[i])
			}
		}
		s, last := got.samples[0], got.samples[c.n-1]
		if s.Start != c.firstStart || s.Due != c.firstDue || s.Latency != c.firstLatency || last.Due != ingest.Relative(c.lastDue) {
			t.Errorf("%s: first %+v, last %+v", c.file, s, last)
		}
	}
}

// Any two of start, end and latency give the third, in any unit and order.
func TestTwoOfThree(t *testing.T) {
	want := ingest.Sample{Start: ingest.Relative(1500 * ms), Latency: 250 * ms}
	withDue := want
	withDue.Due = ingest.Relative(1400 * ms)
	for text, w := range map[string]ingest.Sample{
		"start_ms,latency_ms\n1500,250":                         want,
		"end_ms,start_s\n1750,1.5":                              want,
		"latency_us,end_ns\n250000,1750000000":                  want,
		"start_ms,end_ms,latency_ms\n1500,1751,250":             want, // what is printed as the latency counts
		"due_s,latency_from_due_ms,service_ms\n1.4,350,250":     withDue,
		"due_s,start_s,latency_from_due_ms\n1.4,1.5,350":        withDue,
		"\ufeffSEND_S, Duration_MS ,x\n1.5, 250 ,\"a,b\"":       want,
		"send_s,elapsed_ms,intended_s\r\n1.5,2.5e2,1.4\r\n":     withDue,
		"latency_ms,latency\n250,9":                             {Latency: 250 * ms}, // a name with a unit goes before one without
		"latency_ms\n250":                                       {Latency: 250 * ms},
		"due_s,latency_ms,start_s,end_s\n,250,1.5,":             want,
		"response_time_ms,start_us,end_ns\n,1500000,1750000000": want,
		"start,end\n1.5,1.75":                                   want,
		"start,service_ms\n1.5,250":                             want,
		"offset,took\n1.5,0.25":                                 want,
	} {
		in := options(ingest.Options{Unit: time.Second})
		if strings.Contains(text, "took") {
			in.Options.Columns = map[string]string{"start": "offset", "latency": "took"}
		}
		got := readAll(t, []byte(text), in)
		if got.err != nil || len(got.problems) > 0 || len(got.samples) != 1 {
			t.Errorf("%q: error %v, problems %v", text, got.err, got.problems)
			continue
		}
		if s := got.samples[0]; s.Start != w.Start || s.Latency != w.Latency || s.Due != w.Due {
			t.Errorf("%q: %+v", text, s)
		}
		wantLoop := ingest.LoopUnknown
		if strings.Contains(text, "due_s") || strings.Contains(text, "intended") {
			wantLoop = ingest.Scheduled
		}
		if run := got.runs[0]; run.Loop != wantLoop || run.CatchUp != (wantLoop == ingest.Scheduled) || run.Treated != ingest.Raw {
			t.Errorf("%q: run %+v", text, run)
		}
	}
}

// Latencies that are only known from the due time are not raw.
func TestOnlyFromTheDueTime(t *testing.T) {
	for _, text := range []string{"due_s,latency_from_due_ms\n1.4,350\n", "due_s,end_s\n1.4,1.75\n"} {
		got := readAll(t, []byte(text), ingest.Input{})
		if got.err != nil || len(got.samples) != 1 {
			t.Fatalf("%q: error %v, problems %v", text, got.err, got.problems)
		}
		if run := got.runs[0]; run.Treated != ingest.FromSchedule || run.Loop != ingest.Scheduled {
			t.Errorf("%q: run %+v", text, run)
		}
		if s := got.samples[0]; s.Start != 0 || s.Due != ingest.Relative(1400*ms) || s.Latency != 350*ms {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

func TestStatusAndOperation(t *testing.T) {
	text := "latency_ms,status,label,url\n" +
		"1,200,GET /a,/x\n1,,\"GET /b,\"\"c\"\"\",\n1,0,,\n1,404,GET /a,\n1,timeout,GET /a,\n1,399,GET /a,\n1,OK,GET /a,\n1,-1,GET /a,\n1,1200,GET /a,\n1, 503 ,GET /a,\n"
	got := readAll(t, []byte(text), ingest.Input{})
	if got.err != nil || len(got.problems) > 0 {
		t.Fatalf("error %v, problems %v", got.err, got.problems)
	}
	for i, w := range []struct {
		status  int
		outcome ingest.Outcome
		op      string
	}{
		{200, ingest.OK, "GET /a"}, {0, ingest.OK, `GET /b,"c"`}, {0, ingest.Failed, ""}, {404, ingest.Failed, "GET /a"}, {0, ingest.Failed, "GET /a"},
		{399, ingest.OK, "GET /a"}, {0, ingest.OK, "GET /a"}, {-1, ingest.Failed, "GET /a"}, {1200, ingest.Failed, "GET /a"}, {503, ingest.Failed, "GET /a"},
	} {
		if s := got.samples[i]; s.Status != w.status || s.Outcome != w.outcome || s.Op != w.op {
			t.Errorf("row %d: %+v", i, s)
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]ingest.Time{
		"start_ms,latency_ms\n1795988128581,5\n":                   1795988128581000000,
		"start_s,latency_ms\n1795988128.581377737,5\n":             1795988128581377737,
		"end_ns,latency_ms\n1795988128581377737,5\n":               1795988128576377737,
		"start_s,latency_ms\n1000000000,5\n":                       ingest.Relative(1e18), // not above
		"start_s,latency_ms\nnone,5\n,6\n1795988128.581377737,5\n": 1795988128581377737,   // the first that is readable decides
	} {
		got := readAll(t, []byte(text), ingest.Input{})
		if got.err != nil || len(got.samples) == 0 {
			t.Fatalf("%q: error %v, problems %v", text, got.err, got.problems)
		}
		if s := got.samples[len(got.samples)-1]; s.Start != want || got.runs[0].Absolute != (want%1000 != 1) {
			t.Errorf("%q: %+v, absolute %v", text, s, got.runs[0].Absolute)
		}
	}
}

func TestRefusedHeaders(t *testing.T) {
	for _, c := range []struct {
		text string
		opt  ingest.Options
		want string
	}{
		{"start,latency\n1,2\n", ingest.Options{}, "the column `start` has no unit: give --unit"},
		{"latency\n1\n", ingest.Options{}, "the column `latency` has no unit: give --unit, or name it `latency_ms`"},
		{"a,b\n1,2\n", ingest.Options{}, "no latency"},
		{"a,b\n1,2\n", ingest.Options{Columns: map[string]string{"latency": "a"}}, "the column `a` has no unit: give --unit"},
		{"a,b\n1,2\n", ingest.Options{Columns: map[string]string{"latency": "c"}}, "no column `c` for --columns latency=c: the header has `a`, `b`"},
		{"a,b\n1,2\n", ingest.Options{Columns: map[string]string{"slowness": "a"}}, "the role `slowness`"},
		{"a,b\n1,2\n", ingest.Options{Columns: map[string]string{"latency": "a", "start": "a"}, Unit: ms}, "two roles"},
		{"latency_ms,duration_ms\n1,2\n", ingest.Options{}, "could both be the latency: say which with --columns latency=NAME"},
		{"start_ms\n1\n", ingest.Options{}, "no latency"},
		{"\"latency_ms\n1\n", ingest.Options{}, "quote is not closed"},
		{"\n1\n", ingest.Options{}, "no header"},
		{"", ingest.Options{}, "no header"},
		{strings.Repeat("x,", ingest.HeadSize), ingest.Options{}, "too long"},
	} {
		got := readAll(t, []byte(c.text), options(c.opt))
		if got.err == nil || !strings.Contains(got.err.Error(), c.want) || len(got.runs)+len(got.samples) > 0 {
			t.Errorf("%.40q: error %v, want %q", c.text, got.err, c.want)
		}
	}
}

func TestOptions(t *testing.T) {
	// A mapped column goes before the known ones, and its suffix before --unit.
	text := "latency_ms,took,t0_us,What,status\n1,2,3,Buy,\n"
	in := options(ingest.Options{Unit: time.Second, Columns: map[string]string{"latency": "took", "start": "t0_us", "op": "what"}})
	got := readAll(t, []byte(text), in)
	if got.err != nil || len(got.samples) != 1 {
		t.Fatalf("error %v, problems %v", got.err, got.problems)
	}
	if s := got.samples[0]; s.Latency != 2*time.Second || s.Start != ingest.Relative(3*us) || s.Op != "Buy" {
		t.Errorf("%+v", s)
	}
}

func TestMalformedRows(t *testing.T) {
	for bad, want := range map[string]string{
		"1,5":                      "a row of 2 columns where the header has 4",
		"1,5,200,a,b":              "a row of more columns than the header has",
		"1,x,200,a":                "column `latency_ms` is not a number that fits: \"x\"",
		"1,-5,200,a":               "column `latency_ms` is negative",
		"1,,200,a":                 "no latency",
		"1,NaN,200,a":              "not a number",
		"1,99999999999999999,200,": "not a number that fits",
		"99999999999999999,5,,":    "not a number", // not even as nanoseconds
		"9000000000,5,200,a":       "does not fit",
		"1,5,200,\"a":              "a quote is not closed",
		"1,5,200,\"a\"b":           "behind a closing quote",
		"1,5,200,\"a\"\"":          "a quote is not closed",
	} {
		data := "start_s,latency_ms,status,op\n1,5,200,a\n" + bad + "\n2,5,200,a\n"
		got := readAll(t, []byte(data), ingest.Input{Offset: 100})
		if len(got.problems) != 1 || len(got.samples) != 2 || !strings.Contains(got.problems[0].Err.Error(), want) {
			t.Errorf("%q: problems %v, %d samples", bad, got.problems, len(got.samples))
			continue
		}
		if at := got.problems[0].Offset - 100; !strings.HasPrefix(data[at:], bad) {
			t.Errorf("%q: the problem is at %q", bad, data[at:])
		}
	}
	got := readAll(t, []byte("start_s,end_s\n2,1\n1,1\n"), ingest.Input{})
	if len(got.problems) != 1 || !strings.Contains(got.problems[0].Err.Error(), "the end is before the start") || len(got.samples) != 1 || got.samples[0].Latency != 0 {
		t.Errorf("%+v", got)
	}
	got = readAll(t, []byte("due_s,start_s,latency_from_due_s\n1,3,1\n"), ingest.Input{})
	if len(got.problems) != 1 || !strings.Contains(got.problems[0].Err.Error(), "the latency is negative") {
		t.Errorf("%+v", got)
	}
}

func TestErrorOfTheReader(t *testing.T) {
	r := io.MultiReader(strings.NewReader("latency_ms\n1\n"), iotest.ErrReader(io.ErrNoProgress))
	var last error
	for _, err := range Format.Read(r, ingest.Input{Head: []byte("latency_ms\n1\n")}) {
		last = err
	}
	if last != io.ErrNoProgress {
		t.Errorf("error %v", last)
	}
}
