package hgrm_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/hgrm"
)

const (
	ms     = time.Millisecond
	us     = time.Microsecond
	shared = "../../../../shared/corpus/"
)

const (
	java = `       Value     Percentile TotalCount 1/(1-Percentile)

       1.000 0.000000000000          2           1.00
       2.000 0.500000000000          6           2.00
       3.001 1.000000000000         10
#[Mean    =        2.010, StdDeviation   =        1.010]
#[Max     =        3.001, Total count    =         10]
#[Buckets =           27, SubBuckets     =         2048]
`
	csv   = "\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"\n1.000,0.000000000000,2,1.00\n2.000,0.500000000000,6,2.00\n3.001,1.000000000000,10,Infinity\n"
	cText = `       Value   Percentile   TotalCount 1/(1-Percentile)

       1.000     0.000000            2         1.00
       2.000     0.500000            6         2.00
       3.001     1.000000           10          inf
#[Mean    =        2.010, StdDeviation   =        1.010]
#[Max     =        3.001, Total count    =           10]
#[Buckets =           27, SubBuckets     =         2048]
`
	cCSV   = "Value,Percentile,TotalCount,1/(1-Percentile)\n1.000,0.000000,2,1.00\n2.000,0.500000,6,2.00\n3.001,1.000000,10,inf\n"
	vegeta = "Value(ms)  Percentile  TotalCount  1/(1-Percentile)\n0.500000   0.000000    0           1.000000\n2.000000   0.500000    5           2.000000\n2.500000   0.999999    10          999999.999971\n3.001000   1.000000    10          10000000.000000\n"
)

var (
	golang = strings.Replace(cText, "       Value   Percentile   TotalCount 1/(1-Percentile)", " Value\tPercentile\tTotalCount\t1/(1-Percentile)", 1)
	python = strings.Replace(java, "Total count    =         10]", "TotalCount     =       10.000]", 1)
)

func TestLayouts(t *testing.T) {
	three := []ingest.Bucket{{Low: 0, High: ms, Unit: us, Count: 2}, {Low: ms, High: 2 * ms, Unit: us, Count: 4}, {Low: 2 * ms, High: 3001 * us, Unit: us, Count: 4}}
	for name, c := range map[string]struct {
		text         string
		rule         ingest.QuantileRule
		mean, stddev time.Duration
		buckets      []ingest.Bucket
	}{
		"Java":              {java, ingest.RuleHdrJava, 2010 * us, 1010 * us, three},
		"Java, CSV":         {csv, ingest.RuleHdrJava, -1, -1, three},
		"C":                 {cText, ingest.NearestRank, 2010 * us, 1010 * us, three},
		"C, CSV":            {cCSV, ingest.NearestRank, -1, -1, three},
		"Go":                {golang, ingest.NearestRank, 2010 * us, 1010 * us, three},
		"Python":            {python, ingest.NearestRank, 2010 * us, -1, three}, // which leaves the deviation unscaled
		"no deviation":      {strings.Replace(java, "=        1.010", "=          nan", 1), ingest.RuleHdrJava, 2010 * us, -1, three},
		"with comments":     {"#[Overall percentile distribution]\n\n" + java, ingest.RuleHdrJava, 2010 * us, 1010 * us, three},
		"CRLF, lost blanks": {strings.ReplaceAll(strings.Join(strings.Fields(strings.ReplaceAll(cText, "\n", " \x00 ")), " "), "\x00", "\r\n"), ingest.NearestRank, 2010 * us, 1010 * us, three},
		"without header":    {cText[strings.Index(cText, "       1.000"):], ingest.NearestRank, 2010 * us, 1010 * us, three},
		// The counts of vegeta are computed: 10 samples are reached before the maximum.
		"vegeta": {vegeta, ingest.RuleDigest, -1, -1, []ingest.Bucket{{Low: 500*us - 1, High: 2 * ms, Unit: 1, Count: 5}, {Low: 2 * ms, High: 3001 * us, Unit: 1, Count: 5}}},
	} {
		if !hgrm.Format.Sniff([]byte(c.text)) {
			t.Errorf("%s: not recognised", name)
		}
		got := read(t, c.text, ingest.Input{})
		if a := got.agg; len(got.problems) > 0 || a == nil || a.Rule != c.rule || a.Mean != c.mean || a.Stddev != c.stddev || a.Max != 3001*us || a.Count != 10 || !a.Complete || !slices.Equal(a.Buckets, c.buckets) {
			t.Errorf("%s: %+v %v", name, a, got.problems)
		}
	}
}

func TestUnit(t *testing.T) {
	for unit, want := range map[time.Duration]time.Duration{0: 3001 * us, time.Nanosecond: 3, us: 3001, time.Second: 3001 * ms} {
		got := read(t, cText, ingest.Input{Options: ingest.Options{Unit: unit}})
		if got.agg.Max != want || (got.run.UnitAssumed == ms) != (unit == 0) {
			t.Errorf("%v: %v, %v", unit, got.agg.Max, got.run.UnitAssumed)
		}
	}
	if got := read(t, vegeta, ingest.Input{Options: ingest.Options{Unit: time.Second}}); got.agg.Max != 3001*us || got.run.UnitAssumed != 0 {
		t.Errorf("a stated unit is overruled: %+v", got.agg)
	}
}

// Six digits round the last levels of a large histogram to 1; the fourth column
// tells them apart.
func TestRoundedPercentiles(t *testing.T) {
	text := "Value Percentile TotalCount 1/(1-Percentile)\n1.0 0.000000 1 1.00\n2.0 0.999998 3999994 524288.00\n3.0 1.000000 3999999 4194304.00\n4.0 1.000000 4000000 inf\n"
	got := read(t, text, ingest.Input{})
	if len(got.problems) > 0 || !got.agg.Complete || got.agg.Max != 4*ms {
		t.Fatalf("%+v %v", got.agg, got.problems)
	}
	var p []string
	for _, q := range got.agg.Quantiles {
		p = append(p, fmt.Sprint(q.Percentile))
	}
	if s := strings.Join(p, " "); s != "0 99.999809265 99.999976158 100" {
		t.Error(s)
	}
	// without the last row it does not reach 100 %
	got = read(t, text[:strings.Index(text, "4.0")], ingest.Input{})
	if got.agg.Complete || got.agg.Count != 3999999 {
		t.Errorf("%+v", got.agg)
	}
}

func TestCutSpectra(t *testing.T) {
	top := strings.Index(cText, "       2.000")
	got := read(t, cText[top:], ingest.Input{})
	if got.agg.Complete || got.agg.Count != 10 || got.agg.Buckets[0].Count != 6 {
		t.Errorf("without its first row: %+v", got.agg)
	}
	end := strings.Index(cText, "       3.001")
	got = read(t, cText[:end]+cText[strings.Index(cText, "#[Mean"):], ingest.Input{})
	if got.agg.Complete || got.agg.Count != 10 || total(got.agg) != 6 || got.agg.Max != 3001*us || len(got.problems) > 0 {
		t.Errorf("without its last row: %+v %v", got.agg, got.problems)
	}
	got = read(t, cText[:strings.Index(cText, "       1.000")], ingest.Input{})
	if got.agg != nil || got.run == nil || len(got.problems) != 1 {
		t.Errorf("a header alone: %+v %v", got.agg, got.problems)
	}
}

func TestBrokenRows(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"value goes back":       {"2.000     0.5", "0.900     0.5", "the value goes back from 1ms to 900µs"},
		"percentile goes back":  {"0.000000            2         1.00", "0.600000            2         2.50", "the percentile goes back from 60 to 50"},
		"count shrinks":         {"            6  ", "            1  ", "the count goes back from 2 to 1"},
		"negative count":        {"            6  ", "           -6  ", "a count of -6"},
		"negative value":        {"       2.000 ", "      -2.000 ", `"-2.000" is not a duration`},
		"overflow":              {"       2.000 ", " 99999999999999.000 ", "is not a duration"},
		"not a number":          {"       2.000 ", "        -nan ", `"-nan" is not a duration`},
		"percentile above 1":    {"0.500000", "5.000000", "no row of a percentile spectrum"},
		"last column disagrees": {"         2.00\n", "        20.00\n", "no row of a percentile spectrum"},
		"infinity too early":    {"         2.00\n", "          inf\n", "no row of a percentile spectrum"},
		"prose":                 {"       2.000", "so much for  2.000", "no row of a percentile spectrum"},
		"footer's count":        {"=           10", "=           12", "the rows hold 10 samples, the footer says 12"},
		"footer's maximum":      {"Max     =        3.001", "Max     =        9.001", "a maximum of 9.001ms above the last row's 3.001ms"},
		"footer's mean":         {"=        2.010", "=         -nan", `Mean of "-nan" is not a duration`},
		"footer's total":        {"=           10", "=          abc", `a total count of "abc"`},
	} {
		text := strings.Replace(cText, c.from, c.to, 1)
		got := read(t, text, ingest.Input{})
		if len(got.problems) != 1 || !strings.Contains(got.problems[0], c.want) {
			t.Errorf("%s: %v", name, got.problems)
		}
		if got.agg == nil || total(got.agg) != got.agg.Count {
			t.Errorf("%s: %+v", name, got.agg)
		}
	}
}

// A file of a million rows is no spectrum: memory and problems stay bounded.
func TestEndlessSpectrum(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("Value Percentile TotalCount 1/(1-Percentile)\n")
	for i := range 200_000 {
		fmt.Fprintf(&b, "%d.0 0.500000 %d 2.00\n", i, i)
	}
	got := read(t, b.String(), ingest.Input{})
	if len(got.agg.Buckets) > 1<<16 || len(got.problems) != 101 || !strings.Contains(got.problems[100], "134364 more parts") {
		t.Errorf("%d buckets, %d problems, the last %v", len(got.agg.Buckets), len(got.problems), got.problems[len(got.problems)-1])
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		cText + "  1463 requests in 30.01s, 505.35KB read\nRequests/sec:     48.76\n": false,
		cText[strings.Index(cText, "       1.000"):] + "Requests/sec:     48.76\n":    false,
		"  Detailed Percentile spectrum:\n" + cText:                                   false, // wrk2's
		"Percentile  Value\n50 1.0\n":                                                 false,
		"1 2 3 4\n5 6 7 8\n9 10 11 12\n":                                              false,
		"1.0 0.000000 1 1.00\n2.0 0.500000 2 2.00\n":                                  false,
		"#[Mean    =        2.010, StdDeviation   =        1.010]\n":                  false,
		"Value Percentile TotalCount 1/(1-Percentile)\n":                              true,
		"": false,
	} {
		if got := hgrm.Format.Sniff([]byte(text)); got != want {
			t.Errorf("%.80q: %v", text, got)
		}
	}
	if near := hgrm.Format.Near([]byte("my benchmark\n" + java)); !strings.Contains(near, "not at its start") {
		t.Error(near)
	}
}
