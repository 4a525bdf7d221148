package hey

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// nearestRank returns the percentile of the samples' latencies.
func nearestRank(samples []ingest.Sample, percent int) time.Duration {
	all := make([]time.Duration, len(samples))
	for i, s := range samples {
		all[i] = s.Latency
	}
	slices.Sort(all)
	return all[max(1, (len(all)*percent+99)/100)-1]
}

// The values are those of the corpus' SOURCES.md and of the lab's README.
func TestCorpusCSV(t *testing.T) {
	for _, c := range []struct {
		file          string
		n             int
		p50, p99, max time.Duration
		first, last   time.Duration // smallest and largest offset
	}{
		{"load/hey/csv-one-row.csv", 1, 87 * tick, 87 * tick, 87 * tick, 16 * tick, 16 * tick},
		{"load/hey/gen-stall-q20c10.csv", 2120, 28 * tick, 112 * tick, 14611 * tick, 556 * tick, 120061 * tick},
		{"recorded/lab/hey-c1.csv", 200, 506 * tick, 512 * tick, 20007 * tick, tick, 0},
	} {
		data := load(t, c.file)
		if !CSV.Sniff(data) || Format.Sniff(data) {
			t.Errorf("%s: not claimed, or twice", c.file)
		}
		got := readAll(t, CSV, data, ingest.Input{})
		if got.err != nil || len(got.problems) > 0 || len(got.runs) != 1 || len(got.samples) != c.n {
			t.Fatalf("%s: error %v, problems %v, %d runs, %d samples", c.file, got.err, got.problems, len(got.runs), len(got.samples))
		}
		if run := got.runs[0]; run.Tool != "hey" || run.Loop != ingest.Closed || run.Treated != ingest.Raw || run.Counted || run.Offset != 0 {
			t.Errorf("%s: run %+v", c.file, run)
		}
		first, last := got.samples[0].Start, got.samples[0].Start
		for _, s := range got.samples {
			first, last = min(first, s.Start), max(last, s.Start)
			if s.Status != 200 || s.Outcome != ingest.OK || s.Vantage != ingest.Client {
				t.Fatalf("%s: %+v", c.file, s)
			}
		}
		if p50, p99, p100 := nearestRank(got.samples, 50), nearestRank(got.samples, 99), nearestRank(got.samples, 100); p50 != c.p50 || p99 != c.p99 || p100 != c.max {
			t.Errorf("%s: p50 %v p99 %v max %v", c.file, p50, p99, p100)
		}
		if first != ingest.Relative(c.first) || c.last != 0 && last != ingest.Relative(c.last) {
			t.Errorf("%s: offsets %v to %v", c.file, first, last)
		}
	}
}

// The held request is row 150 of the lab's file.
func TestLabRow150(t *testing.T) {
	data := load(t, "recorded/lab/hey-c1.csv")
	s := readAll(t, CSV, data, ingest.Input{}).samples[149]
	if s.Latency != 20007*tick || !strings.HasPrefix(lineAt(t, data, s.Offset), "2.0007,") {
		t.Errorf("%+v at %q", s, lineAt(t, data, s.Offset))
	}
}

func TestRowsEitherWay(t *testing.T) {
	want := func(s ingest.Sample, latency, connect, offset time.Duration, status int, o ingest.Outcome) {
		t.Helper()
		if s.Latency != latency || s.Connect != connect || s.Start != ingest.Relative(offset) || s.Status != status || s.Outcome != o {
			t.Errorf("%+v", s)
		}
	}
	for _, c := range []struct {
		row                      string
		latency, connect, offset time.Duration
		status                   int
		outcome                  ingest.Outcome
	}{
		{"0.0031,0.0006,0.0000,0.0000,0.0024,0.0001,200,0.0570", 31 * tick, 6 * tick, 570 * tick, 200, ingest.OK},
		{"9.9999,1.2345,0.0000,0.0000,0.0024,0.0001,404,123456.7890", 99999 * tick, 12345 * tick, 1234567890 * tick, 404, ingest.Failed},
		{"0.0000,0.0000,0.0000,0.0000,0.0000,0.0000,399,0.0000", 0, 0, 0, 399, ingest.OK},
		{"16.9997,0.0006,0.0000,0.0000,16.9024,0.0001,500,62.9876", 169997 * tick, 6 * tick, 629876 * tick, 500, ingest.Failed},
		{"0.0031,-0.0001,0.0000,0.0000,0.0024,0.0001,200,-880.1234", 31 * tick, 0, -8801234 * tick, 200, ingest.OK}, // Windows: the offset counts from anywhere
		{"0.00312,0.0006,0,0,0.0024,1,200,0.0570", 3120 * time.Microsecond, 6 * tick, 570 * tick, 200, ingest.OK},
		{"3,0.0006,0,0,0.0024,1,0,5", 3 * time.Second, 6 * tick, 5 * time.Second, 0, ingest.OK},
		{"0.0031,0.0006,0.0000,0.0000,0.0024,0.0001,200,1234567890.0570", 31 * tick, 6 * tick, 12345678900570 * tick, 200, ingest.OK},
	} {
		// Alone the row is at the end of the file; before others it may take the fast path.
		for _, text := range []string{c.row, c.row + "\n", c.row + "\r\n", strings.Repeat(c.row+"\n", 5), strings.Repeat(c.row+"\r\n", 5)} {
			got := readAll(t, CSV, []byte(header8+"\n"+text), ingest.Input{})
			if got.err != nil || len(got.problems) > 0 || len(got.samples) != max(1, strings.Count(text, "\n")) {
				t.Fatalf("%q: error %v, problems %v, %d samples", text, got.err, got.problems, len(got.samples))
			}
			for _, s := range got.samples {
				want(s, c.latency, c.connect, c.offset, c.status, c.outcome)
			}
		}
	}
}

// Every byte of a usual row is looked at: any other byte in any place gives
// what a reader made of strconv and strings gives.
func TestFastPathAgainstStrconv(t *testing.T) {
	const row = "0.0031,0.0006,0.0123,0.0456,0.0024,0.0001,200,12.0570\n"
	for i := range len(row) {
		for c := range 256 {
			b := []byte(row)
			b[i] = byte(c)
			if c == '\n' && i != len(row)-1 {
				continue
			}
			text := header8 + "\n" + string(b) + row + row
			got := readAll(t, CSV, []byte(text), ingest.Input{})
			want, err := reference(strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"))
			if i == len(row)-1 && c != '\n' {
				continue // joined with the next row
			}
			if err != nil {
				if len(got.problems) != 1 || len(got.samples) != 2 {
					t.Fatalf("%q: problems %v", b, got.problems)
				}
				continue
			}
			if len(got.problems) != 0 || len(got.samples) != 3 {
				t.Fatalf("%q: problems %v, want none", b, got.problems)
			}
			s := got.samples[0]
			if near := func(d time.Duration, sec float64) bool {
				return d.Seconds()-sec < 1e-9 && sec-d.Seconds() < 1e-9
			}; !near(s.Latency, want[0]) || !near(s.Connect, max(0, want[1])) || s.Status != int(want[6]) || !near(time.Duration(s.Start-1), want[7]) {
				t.Fatalf("%q: %+v", b, s)
			}
		}
	}
}

func reference(row string) (v [8]float64, err error) {
	fields := strings.Split(row, ",")
	if len(fields) != 8 {
		return v, errors.New("columns")
	}
	for i, f := range fields {
		if strings.ContainsAny(f, "xXpP_") {
			return v, errors.New("not decimal")
		}
		if i == 6 {
			n, err := strconv.Atoi(strings.NewReplacer("-", "x", "+", "x").Replace(f))
			if err != nil {
				return v, err
			}
			v[i] = float64(n)
			continue
		}
		if v[i], err = strconv.ParseFloat(f, 64); err != nil || v[i] > 9e9 {
			return v, errors.New("no number that fits")
		}
	}
	if v[0] < 0 {
		return v, errors.New("negative")
	}
	return v, nil
}

func TestOlderColumns(t *testing.T) {
	for _, text := range []string{
		header6 + "\n0.0031,0.0006,0.0000,0.0000,0.0024,0.0001\n1.0031,0.0006,0.0000,0.0000,0.0024,0.0001\n",
		header1 + "\n0.0031\n1.0031\n",
	} {
		if !CSV.Sniff([]byte(text)) {
			t.Errorf("%q: not claimed", text)
		}
		got := readAll(t, CSV, []byte(text), ingest.Input{})
		if got.err != nil || len(got.problems) > 0 || len(got.samples) != 2 {
			t.Fatalf("error %v, problems %v", got.err, got.problems)
		}
		if s := got.samples[1]; s.Latency != 10031*tick || s.Start != 0 || s.Status != 0 || s.Outcome != ingest.OK {
			t.Errorf("%+v", s)
		}
	}
}

func TestAllFailedIsAHeaderAlone(t *testing.T) {
	got := readAll(t, CSV, []byte(header8+"\n"), ingest.Input{})
	if got.err != nil || len(got.runs) != 1 || len(got.samples)+len(got.problems) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestHeaders(t *testing.T) {
	for head, c := range map[string]struct {
		claimed bool
		near    string
	}{
		header8:                               {true, ""},
		header8 + "\r\n1":                     {true, ""},
		header6 + "\n":                        {true, ""},
		header1:                               {true, ""},
		header1 + "\n0.0123":                  {true, ""},
		header1 + "\nsome text, not a number": {false, ""},
		"response-time,DNS+dialup\n":          {false, "ends before its column `DNS`"},
		header8 + ",more\n":                   {false, "more columns"},
		strings.Replace(header8, "offset", "start", 1):                   {false, "column 8 of the header is `start`, hey's is `offset`"},
		"request-start,DNS,DNS+dialup,Response-delay,request-duration\n": {false, ""},
		"": {false, ""},
	} {
		if got := CSV.Sniff([]byte(head)); got != c.claimed {
			t.Errorf("%q: claimed %v", head, got)
		}
		if why := CSV.Near([]byte(head)); !c.claimed && (why == "") != (c.near == "") || !strings.Contains(why, c.near) {
			t.Errorf("%q: near %q", head, why)
		}
		got := readAll(t, CSV, []byte(head), ingest.Input{})
		if !c.claimed && !strings.HasPrefix(head, header1+"\n") && got.err == nil {
			t.Errorf("%q: no error", head)
		}
	}
}

// A file that ends within a row was cut off, wherever that was: it is not taken
// for a whole one. A row that only lacks its line feed is a row.
func TestCutOff(t *testing.T) {
	const good = "0.0031,0.0006,0.0000,0.0000,0.0024,0.0001,200,0.0570"
	for _, head := range []string{header8, header6} {
		row := good
		if head == header6 {
			row = good[:strings.LastIndex(good, ",200")]
		}
		whole := head + "\n" + row + "\n" + row
		for n := len(whole) - len(row) + 1; n <= len(whole); n++ {
			cut := strings.Count(whole[len(whole)-len(row):n], ",") < strings.Count(row, ",")
			for _, in := range []ingest.Input{{}, {Part: 3, Head: []byte(head + "\n")}} {
				text := whole[:n]
				if in.Part > 0 {
					text = text[len(head)+1:]
				}
				got := readAll(t, CSV, []byte(text), in)
				if (got.err != nil) != cut || cut && !strings.Contains(got.err.Error(), "cut off") {
					t.Errorf("%q: %v, cut %v", text, got.err, cut)
				}
			}
			if got := readAll(t, CSV, []byte(whole[:n]), ingest.Input{Section: true}); got.err != nil {
				t.Errorf("%q in a log: %v", whole[:n], got.err)
			}
			if got := readAll(t, CSV, []byte(whole[:n]+"\n"), ingest.Input{}); got.err != nil {
				t.Errorf("%q with a line feed: %v", whole[:n], got.err)
			}
		}
	}
}

func TestMalformedRows(t *testing.T) {
	const good = "0.0031,0.0006,0.0000,0.0000,0.0024,0.0001,200,0.0570\n"
	for bad, want := range map[string]string{
		"0.0031,0.0006":   "a row of 2 columns where the header has 8",
		good[:20]:         "columns where the header has 8",
		"some other text": "a row of 1 columns",
		"0.0031,0.0006,0.0000,0.0000,0.0024,0.0001,200,0.0570,9":                   "a row of 9 columns",
		"0.0031,0.0006,,0.0000,0.0024,0.0001,200,0.0570":                           "column 3 (DNS) is not a number",
		"NaN,0.0006,0.0000,0.0000,0.0024,0.0001,200,0.0570":                        "column 1 (response-time)",
		"0.0031,0.0006,0.0000,0.0000,0.0024,0.0001,2e2,0.0570":                     "column 7 (status-code)",
		"0.0031,0.0006,0.0000,0.0000,0.0024,0.0001,20.0,0.0570":                    "column 7 (status-code)",
		"-1844.6744,0.0006,0.0000,0.0000,0.0024,0.0001,200,0.0570":                 "negative",
		"9000000000,0.0006,0.0000,0.0000,0.0024,0.0001,200,9000000000":             "do not fit",
		"99999999999999999999999999,0.0006,0.0000,0.0000,0.0024,0.0001,200,0.0570": "column 1",
		header8: "column 1 (response-time) is not a number",
	} {
		data := header8 + "\n" + good + bad + "\n" + good + good
		got := readAll(t, CSV, []byte(data), ingest.Input{Offset: 7})
		if len(got.problems) != 1 || len(got.samples) != 3 || !strings.Contains(got.problems[0].Err.Error(), want) {
			t.Errorf("%q: problems %v, %d samples", bad, got.problems, len(got.samples))
			continue
		}
		if line := lineAt(t, []byte(data), got.problems[0].Offset-7); line != bad {
			t.Errorf("the problem of %q is at %q", bad, line)
		}
		// In a log the first line that is no row ends the report.
		if got := readAll(t, CSV, []byte(data), ingest.Input{Section: true}); len(got.problems) != 0 || len(got.samples) != 1 || got.err != nil {
			t.Errorf("%q in a log: problems %v, %d samples", bad, got.problems, len(got.samples))
		}
	}
}
