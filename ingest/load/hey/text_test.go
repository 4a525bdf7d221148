package hey

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

const (
	ms = time.Millisecond
	// tick is the finest step that hey prints: the fourth decimal of a second.
	tick = 100 * time.Microsecond
)

// The values are those of the corpus' SOURCES.md and of the lab's README.
func TestCorpusReports(t *testing.T) {
	for _, c := range []struct {
		file                                     string
		requests, errors, lost, timeouts, counts int64
		p50, p99, min, max                       time.Duration // -1: not printed
		rate                                     float64
		quantiles, buckets                       int
	}{
		{"load/hey/1M-503s-and-errors.txt", 1_000_000, 386934 + 21270, 21270, 717, 978730, 634 * tick, 91159 * tick, tick, 288209 * tick, 13627.9928, 7, 11},
		{"load/hey/double-percent-100k.txt", 100000, 0, 0, 0, 100000, 4 * tick, 566 * tick, tick, 1796 * tick, 69137.0176, 7, 11},
		{"load/hey/gen-all-refused.txt", 10, 10, 10, 0, 0, -1, -1, -1, -1, 10189.6394, 0, 0},
		{"load/hey/gen-all-timeout.txt", 20, 20, 20, 20, 0, -1, -1, -1, -1, 4.9937, 0, 0},
		{"load/hey/gen-n8-tiny.txt", 8, 0, 0, 0, 8, 28 * tick, -1, 26 * tick, 30 * tick, 1375.5364, 4, 11},
		{"load/hey/gen-ok-c20.txt", 2000, 0, 0, 0, 2000, 32 * tick, 62 * tick, 20 * tick, 69 * tick, 5929.1977, 7, 11},
		{"load/hey/gen-stall-q20c10.txt", 1840, 0, 0, 0, 1840, 28 * tick, 14755 * tick, 21 * tick, 14784 * tick, 152.9731, 7, 11},
		{"load/hey/llm-99-of-200-timeouts.txt", 200, 99, 99, 99, 101, 83323 * tick, 169997 * tick, 21150 * tick, 169997 * tick, 2.4999, 7, 11},
		{"recorded/lab/hey-c1-summary.txt", 200, 0, 0, 0, 200, 505 * tick, 511 * tick, 504 * tick, 20005 * tick, 16.5889, 7, 11},
	} {
		t.Run(c.file, func(t *testing.T) {
			data := load(t, c.file)
			if head := data[max(0, bytes.Index(data, []byte("Summary:"))):]; !Format.Sniff(head) {
				t.Error("not claimed")
			}
			run, agg := one(t, data, ingest.Input{})
			if run.Tool != "hey" || run.Loop != ingest.Closed || run.Treated != ingest.Raw || run.CatchUp || run.Capped || !run.Counted || run.Workers != 0 || run.Rate != 0 {
				t.Errorf("run %+v", run)
			}
			if run.Requests != c.requests || run.Errors != c.errors || run.Lost != c.lost || run.Timeouts != c.timeouts || run.Achieved != c.rate {
				t.Errorf("run %+v", run)
			}
			if agg.Count != c.counts || agg.Min != c.min || agg.Max != c.max || quantile(agg, 50) != c.p50 || quantile(agg, 99) != c.p99 {
				t.Errorf("aggregate %+v", agg)
			}
			if len(agg.Quantiles) != c.quantiles || len(agg.Buckets) != c.buckets || agg.Complete || agg.Rule != ingest.RuleHey || agg.Vantage != ingest.Client || agg.Treated != ingest.Raw {
				t.Errorf("aggregate %+v", agg)
			}
			if lineAt(t, data, run.Offset) != "Summary:" || !strings.HasPrefix(lineAt(t, data, agg.Offset), "Slowest:") {
				t.Errorf("run at %q, aggregate at %q", lineAt(t, data, run.Offset), lineAt(t, data, agg.Offset))
			}
			for _, q := range agg.Quantiles {
				if line := lineAt(t, data, q.Pos); q.Unit != tick || !strings.Contains(line, "% in ") {
					t.Errorf("quantile %+v at %q", q, line)
				}
			}
			var n int64
			for _, b := range agg.Buckets {
				n += b.Count
				if b.Unit != ms || b.Low > b.High {
					t.Errorf("bucket %+v", b)
				}
			}
			if n != agg.Count {
				t.Errorf("the histogram holds %d of %d", n, agg.Count)
			}
		})
	}
}

func TestStallSignatureInTheHistogram(t *testing.T) {
	data := load(t, "load/hey/gen-stall-q20c10.txt")
	run, agg := one(t, data, ingest.Input{Offset: 1000})
	if run.Elapsed != 12028300*time.Microsecond || agg.Mean != 189*tick || agg.Unit != tick {
		t.Errorf("elapsed %v, mean %v, unit %v", run.Elapsed, agg.Mean, agg.Unit)
	}
	if b := agg.Buckets[1]; b.Low != 2*ms || b.High != 150*ms || b.Count != 1819 {
		t.Errorf("bucket %+v", b)
	}
	if b := agg.Buckets[10]; b.Low != 1331*ms || b.High != 1478*ms || b.Count != 20 {
		t.Errorf("bucket %+v", b)
	}
	if q := agg.Quantiles[0]; lineAt(t, data, q.Pos-1000) != "10% in 0.0024 secs" {
		t.Errorf("the quantile's position does not count from the start of the file: %+v", q)
	}
}

func TestBoomsHistogramAlone(t *testing.T) {
	data := load(t, "load/hey/boom-issue100-histogram-only.txt")
	if !Format.Sniff(data) {
		t.Error("not claimed")
	}
	run, agg := one(t, data, ingest.Input{Section: true})
	if run.Requests != 10 || run.Counted || run.Elapsed != 0 || agg.Count != 10 || agg.Max != -1 || agg.Min != -1 || agg.Mean != -1 {
		t.Errorf("run %+v, aggregate %+v", run, agg)
	}
	if b := agg.Buckets[10]; b.High != 45589*ms || b.Count != 1 {
		t.Errorf("bucket %+v", b)
	}
	if lineAt(t, data, agg.Offset) != "0.001 [1]\t|∎∎∎∎∎" {
		t.Errorf("aggregate at %q", lineAt(t, data, agg.Offset))
	}
}

// old is a report in the order of boom and of hey up to v0.1.0 -more: details
// and status codes in front of the histogram, no rows for absent percentiles.
const old = `
Summary:
  Total:	2.0000 secs
  Slowest:	0.9000 secs
  Fastest:	0.1000 secs
  Average:	0.2000 secs
  Requests/sec:	3.0000
  Total data:	600 bytes
  Size/request:	100 bytes

Detailed Report:

	DNS+dialup:
  		Average:	7.0000 secs
  		Fastest:	7.0000 secs
  		Slowest:	7.0000 secs

Status code distribution:
  [200]	4 responses
  [404]	2 responses

Response time histogram:
  0.100 [1]	|∎∎∎∎∎∎∎∎
  0.180 [4]	|∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎∎
  0.900 [1]	|∎∎∎∎∎∎∎∎

Latency distribution:
  10% in 0.1100 secs
  50% in 0.1700 secs

Error distribution:
  [3]	Get http://host/timeout: dial tcp 10.0.0.1:80: connection refused
  [2]	Get http://host/timeout: dial tcp 10.0.0.1:80: i/o timeout
`

func TestOrderOfTheOldestVersions(t *testing.T) {
	run, agg := one(t, []byte(old), ingest.Input{})
	if run.Requests != 11 || run.Errors != 7 || run.Lost != 5 || run.Timeouts != 2 || !run.Counted {
		t.Errorf("run %+v", run)
	}
	if agg.Count != 6 || agg.Max != 900*ms || agg.Min != 100*ms || agg.Mean != 200*ms || len(agg.Quantiles) != 2 || len(agg.Buckets) != 3 {
		t.Errorf("aggregate %+v", agg)
	}
}

// Copies out of web pages and terminals: indentation lost, blanks for tabs, the
// bars gone, Windows line ends.
func TestCopiesReadAlike(t *testing.T) {
	want, wantAgg := one(t, []byte(old), ingest.Input{})
	lost := strings.NewReplacer("\n  ", "\n", "\n\t", "\n", "\t", " ")
	for name, text := range map[string]string{
		"indentation lost": lost.Replace(old),
		"deeper":           strings.ReplaceAll(old, "\n", "\n        "),
		"no bars":          strings.ReplaceAll(old, "∎", ""),
		"CRLF":             strings.ReplaceAll(old, "\n", "\r\n"),
		"%%":               strings.ReplaceAll(old, "% in", "%% in"),
		"%!i(MISSING)n":    strings.ReplaceAll(old, "% in", "%!i(MISSING)n"),
	} {
		run, agg := one(t, []byte(text), ingest.Input{})
		if !Format.Sniff([]byte(text)) {
			t.Errorf("%s: not claimed", name)
		}
		run.Pos, agg.Pos = want.Pos, wantAgg.Pos
		if run != want || agg.Count != wantAgg.Count || agg.Max != wantAgg.Max || quantile(agg, 50) != 170*ms || len(agg.Buckets) != 3 {
			t.Errorf("%s: run %+v, aggregate %+v", name, run, agg)
		}
	}
}

// cappedReport is a run of 2 000 000 answers, 20 000 a second, of which hey kept the first million.
const cappedReport = `
Summary:
  Total:	100.0000 secs
  Slowest:	0.0300 secs
  Fastest:	0.0010 secs
  Average:	0.0040 secs
  Requests/sec:	20000.0000

Response time histogram:
  0.001 [1]	|
  0.004 [999998]	|■■
  0.030 [1]	|

Latency distribution:
  50% in 0.0020 secs

Status code distribution:
  [200]	1000000 responses
`

func TestTruncation(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		capped         bool
		requests       int64
		count          int64
	}{
		{"more ran than were kept", "", "", true, 1_000_000, 1_000_000},
		{"exactly a million ran", "Requests/sec:	20000.0000", "Requests/sec:	10000.0000", false, 1_000_000, 1_000_000},
		{"a million and one are within the rounding of the rate", "Requests/sec:	20000.0000", "Requests/sec:	10000.0100", false, 1_000_000, 1_000_000},
		{"a million and failures", "  [200]	1000000 responses\n", "  [200]	1000000 responses\n\nError distribution:\n  [1000000]	dial tcp: refused\n", false, 2_000_000, 1_000_000},
		{"fewer than a million never are", "[200]	1000000", "[200]	999999", false, 999_999, 999_999},
		{"the note of 2017-12", "\nResponse", "\nNote:  Distributions are for first 1000000 results.\nResponse", true, 1_000_000, 1_000_000},
		{"the note, all answers by status", "[200]	1000000", "[200]	2000000", true, 2_000_000, 1_000_000},
		{"the note because of failures", "[200]	1000000 responses", "[200]	1000000 responses\n\nError distribution:\n  [1000000]	refused", false, 2_000_000, 1_000_000},
	} {
		text := strings.Replace(cappedReport, c.old, c.new, 1)
		if strings.HasPrefix(c.name, "the note,") || strings.HasPrefix(c.name, "the note b") {
			text = strings.Replace(text, "\nResponse", "\nNote:  Distributions are for first 1000000 results.\nResponse", 1)
		}
		run, agg := one(t, []byte(text), ingest.Input{})
		if run.Capped != c.capped || run.Requests != c.requests || agg.Count != c.count {
			t.Errorf("%s: capped %v, requests %d, count %d", c.name, run.Capped, run.Requests, agg.Count)
		}
		// hey divided the sum of all by the number kept, so the mean is none.
		if mean := agg.Mean; c.capped && mean != -1 || !c.capped && mean != 4*ms {
			t.Errorf("%s: mean %v", c.name, mean)
		}
	}
}

func TestWindowsClock(t *testing.T) {
	text := strings.NewReplacer("Total:	2.0000", "Total:	-1644.6673", "Requests/sec:	3.0000", "Requests/sec:	-0.0608").Replace(old)
	if !Format.Sniff([]byte(text)) {
		t.Error("not claimed")
	}
	got := readAll(t, Format, []byte(text), ingest.Input{})
	if len(got.problems) != 1 || !strings.Contains(got.problems[0].Err.Error(), "negative") || lineAt(t, []byte(text), got.problems[0].Offset) != "Total:	-1644.6673 secs" {
		t.Errorf("problems %v", got.problems)
	}
	if run := got.runs[0]; run.Elapsed >= 0 || run.Achieved != 0 || run.Requests != 11 {
		t.Errorf("run %+v", run)
	}
}

// hey passes the whole report through Printf once more, so that percent signs
// of an address become verbs.
func TestTextsOfErrors(t *testing.T) {
	for text, want := range map[string]bool{
		`Get "http://h/a%!b(MISSING)?timeout=1%!s(MISSING)": dial tcp 127.0.0.1:1: connect: connection refused`:    false,
		`Get "http://h/50%!"(MISSING): dial tcp 127.0.0.1:1: connect: connection refused`:                          false,
		`Get "http://h/50%!"(MISSING): context deadline exceeded (Client.Timeout exceeded while awaiting headers)`: true,
		`Get "http://h/timeout": EOF`: false,
		`Get http://h/timeout: EOF`:   false,
		`Post http://h/: net/http: request canceled (Client.Timeout exceeded while awaiting headers)`: true,
		`Get http://h/: net/http: TLS handshake timeout`:                                              true,
		`Get http://h/: dial tcp 10.0.0.1:80: i/o timeout`:                                            true,
		`Get "http://h/": dial tcp 10.0.0.1:80: connect: connection timed out`:                        true,
		`Get "http://h/": read tcp 10.0.0.1:1->10.0.0.1:80: read: connection reset by peer`:           false,
		`http: server closed idle connection`:                                                         false,
	} {
		if got := timedOut([]byte(text)); got != want {
			t.Errorf("timedOut(%q) = %v", text, got)
		}
	}
}

// What follows the report in a log is not its own, and neither are lines that a
// text of an error brought along.
func TestWhatFollowsAReport(t *testing.T) {
	text := old + "   more of the text\n\n[7] Done\nexit status 1\n[200] 5 responses\n"
	run, agg := one(t, []byte(text), ingest.Input{Section: true})
	if run.Requests != 11 || agg.Count != 6 {
		t.Errorf("run %+v, aggregate %+v", run, agg)
	}
	// In a file of its own the last row may be torn; in a log it may be any line.
	torn := old[:strings.Index(old, "  50% in")] + "  50"
	if got := readAll(t, Format, []byte(torn), ingest.Input{}); len(got.problems) != 1 {
		t.Errorf("torn: problems %v", got.problems)
	}
	if got := readAll(t, Format, []byte(torn), ingest.Input{Section: true}); len(got.problems) != 0 {
		t.Errorf("torn in a log: problems %v", got.problems)
	}
	// A line in the midst of rows is one, wherever it is.
	for _, row := range []string{"warning: something\n  50% in", "  50% in soon\n  75% in"} {
		text := strings.Replace(old, "  50% in", row, 1)
		if got := readAll(t, Format, []byte(text), ingest.Input{Section: true}); len(got.problems) != 1 || quantile(got.aggs[0], 10) != 110*ms {
			t.Errorf("%q: problems %v", row, got.problems)
		}
	}
}

func TestTwoReportsInOneInput(t *testing.T) {
	got := readAll(t, Format, []byte(old+old), ingest.Input{})
	if len(got.problems) != 1 || got.runs[0].Requests != 11 {
		t.Errorf("problems %v, run %+v", got.problems, got.runs)
	}
}

func TestHostileReports(t *testing.T) {
	huge := strings.Repeat("9", 400)
	for name, text := range map[string]string{
		"huge counts":   strings.NewReplacer("[4]", "[9223372036854775807]", "4 responses", "9223372036854775807 responses", "[3]", "[9223372036854775807]").Replace(old),
		"huge numbers":  strings.NewReplacer("0.9000", huge, "3.0000", huge, "10%", huge+"%", "[1]", "["+huge+"]").Replace(old),
		"no numbers":    strings.NewReplacer("2.0000", "x", "0.9000", "", "3.0000", "soon", "[1]", "[]").Replace(old),
		"many rows":     old + "\nResponse time distribution:\n",
		"backwards":     strings.NewReplacer("0.180", "0.010", "50%", "5%").Replace(old),
		"negative":      strings.NewReplacer("0.9000 secs", "-0.9000 secs", "0.1100", "-0.1100").Replace(old),
		"many problems": strings.Replace(old, "  10%", strings.Repeat("  x% in\n", 5000)+"  10%", 1),
		"many buckets":  strings.Replace(old, "  0.900", strings.Repeat("  0.500 [1]	|\n", 5000)+"  0.900", 1),
	} {
		got := readAll(t, Format, []byte(text), ingest.Input{})
		if got.err != nil || len(got.runs) != 1 || len(got.aggs) != 1 || name != "many rows" && len(got.problems) == 0 {
			t.Errorf("%s: error %v, %d problems", name, got.err, len(got.problems))
		}
		if len(got.problems) > maxRows+1 || len(got.aggs[0].Buckets) > maxRows || got.runs[0].Requests < 0 {
			t.Errorf("%s: %d problems, %d buckets, run %+v", name, len(got.problems), len(got.aggs[0].Buckets), got.runs[0])
		}
	}
	if got := readAll(t, Format, []byte("nothing\n"), ingest.Input{}); got.err == nil {
		t.Error("no error for a text without a report")
	}
}
