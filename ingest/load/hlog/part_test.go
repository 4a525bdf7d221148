package hlog_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/hlog"
)

// payload is a histogram of n samples of value 1.
func payload(n int64) string {
	return histogram{version: 2, digits: 2, lowest: 1, highest: 1000, counts: []int64{0, n}}.encode()
}

// A log cut after any line feeds yields what it yields whole.
func TestAnyCut(t *testing.T) {
	var log bytes.Buffer
	log.Write(recorded(t, 40))
	fmt.Fprintf(&log, "Tag=A,40.5,1.0,0.1,%s\nbroken\n\nTag=B,40.5,1.0,0.1,%s\n#[BaseTime: 5 (seconds since epoch)]\n41,0,0,%s", payload(1), payload(2), payload(3))
	logs := [][]byte{log.Bytes()}
	for _, name := range []string{"ycsb.logV1.hlog", "jHiccup-2.0.6.logV1.hlog"} {
		logs = append(logs, file(t, name))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, log := range logs {
		in := ingest.Input{Index: 2, Head: log[:min(len(log), ingest.HeadSize)]}
		want := part(t, log, in)
		var ends []int
		for i, c := range log {
			if c == '\n' {
				ends = append(ends, i+1)
			}
		}
		cuts := [][]int{ends}
		for range 12 {
			var some []int
			for _, e := range ends {
				if random.IntN(1+len(ends)/4) == 0 {
					some = append(some, e)
				}
			}
			cuts = append(cuts, some)
		}
		for _, cut := range cuts {
			var got []ingest.Record
			from := 0
			for i, to := range append(slices.Clone(cut), len(log)) {
				in.Part, in.Offset = i, int64(from)
				got = append(got, part(t, log[from:to], in)...)
				from = to
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%d cuts: %d records that differ from the %d of the whole log", len(cut), len(got), len(want))
			}
		}
	}
}

// Starts are dates where the log makes them so: by BaseTime, by StartTime when
// they are more than a year before it, or as they stand. Source:
// HistogramLogReader in HdrHistogram (Java).
func TestTimes(t *testing.T) {
	const date = ingest.Time(1438867590_500_000_000)
	for name, c := range map[string]struct {
		header, start string
		want          ingest.Time
		absolute      bool
	}{
		"StartTime, offsets":    {"#[StartTime: 1438867590.4 (seconds since epoch), Thu]\n", "0.1", date, true},
		"StartTime, dates":      {"#[StartTime: 1438867590.6 (seconds since epoch)]\n", "1438867590.5", date, true},
		"BaseTime":              {"#[StartTime: 5.0 (seconds since epoch)]\n#[BaseTime: 1438867590.0 (seconds since epoch)]\n", "0.5", date, true},
		"BaseTime 0, dates":     {"#[BaseTime: 0.0 (seconds since epoch)]\n", "1438867590.500", date, true},
		"nothing, dates":        {"", "1438867590.500", date, true},
		"nothing, offsets":      {"", "0.5", 500_000_001, false},
		"nothing, from nothing": {"", "0", 1, false},
		"offset of the first":   {"#[BaseTime: 0 (seconds since epoch)]\n", "0.000", 1, false},
	} {
		records := all(t, []byte(c.header+c.start+",1,1,"+payload(1)+"\n"), ingest.Input{})
		if len(records) != 2 || kinds[*ingest.Run](records)[0].Absolute != c.absolute || kinds[*ingest.Aggregate](records)[0].Start != c.want {
			t.Errorf("%s: %+v %+v", name, records[0], records[1])
		}
	}
}

func TestTagsAreOperations(t *testing.T) {
	log := "Tag=GET,1,2,1," + payload(1) + "\n1,0,1," + payload(2) + "\nTag=PUT,1,1.5,1," + payload(3) + "\nTag=GET,3,2,1," + payload(4) + "\n"
	var got []string
	for _, a := range kinds[*ingest.Aggregate](all(t, []byte(log), ingest.Input{})) {
		got = append(got, fmt.Sprint(a.Op, a.Count, a.Length))
	}
	if s := strings.Join(got, ","); s != "GET1 2s,2 1ns,PUT3 1.5s,GET4 2s" {
		t.Error(s)
	}
}

func TestUnit(t *testing.T) {
	log := []byte("1,1,1," + histogram{version: 2, digits: 2, lowest: 1, highest: 1000, counts: make([]int64, 300)}.encode() + "\n")
	if r := kinds[*ingest.Run](all(t, log, ingest.Input{}))[0]; r.UnitAssumed != time.Nanosecond {
		t.Errorf("%+v", r)
	}
	counts := make([]int64, 300)
	counts[0], counts[299] = 1, 1 // 0; 342 and 343
	log = []byte("1,1,1," + histogram{version: 2, digits: 2, lowest: 1, highest: 1000, counts: counts}.encode() + "\n")
	records := all(t, log, ingest.Input{Options: ingest.Options{Unit: time.Microsecond}})
	if r := kinds[*ingest.Run](records)[0]; r.UnitAssumed != 0 {
		t.Errorf("%+v", r)
	}
	want := []ingest.Bucket{{Low: -1, High: 0, Count: 1}, {Low: 342*time.Microsecond - 1, High: 343 * time.Microsecond, Count: 1}}
	if a := kinds[*ingest.Aggregate](records)[0]; !slices.Equal(a.Buckets, want) {
		t.Errorf("%+v", a.Buckets)
	}
	// what does not fit is held at the highest duration
	counts = make([]int64, 64)
	counts[62], counts[63] = 1, 1
	log = []byte("1,1,1," + histogram{version: 2, highest: 1<<63 - 1, counts: counts}.encode() + "\n")
	for _, a := range kinds[*ingest.Aggregate](all(t, log, ingest.Input{Options: ingest.Options{Unit: time.Hour}})) {
		if a.Count != 2 || a.Max != 1<<63-1 {
			t.Errorf("%+v", a)
		}
	}
}

// YCSB names its files' operations in a comment.
func TestIntended(t *testing.T) {
	for name, want := range map[string]ingest.Treatment{"READ": ingest.TreatmentUnknown, "Intended-READ": ingest.FromSchedule} {
		records := all(t, []byte("#[Logging for: "+name+"]\n1,1,1,"+payload(1)+"\n"), ingest.Input{})
		if got := kinds[*ingest.Run](records)[0].Treated; got != want {
			t.Errorf("%s: run is %v", name, got)
		}
		if got := kinds[*ingest.Aggregate](records)[0].Treated; got != want {
			t.Errorf("%s: interval is %v", name, got)
		}
	}
}

// A log that another was appended to cannot be dated part by part: it says so.
func TestAppendedLog(t *testing.T) {
	log := "#[StartTime: 1438867590 (seconds since epoch)]\n1,1,1," + payload(1) + "\n#[StartTime: 1438867590 (seconds since epoch)]\n#[StartTime: 1438867999 (seconds since epoch)]\n# a comment\n1,1,1," + payload(1) + "\n"
	p := kinds[*ingest.Problem](all(t, []byte(log), ingest.Input{}))
	if len(p) != 1 || !strings.Contains(p[0].Err.Error(), "StartTime") {
		t.Errorf("%v", p)
	}
}

// Without the head of the input the reader looks for itself.
func TestWithoutHead(t *testing.T) {
	log := []byte("#[StartTime: 1438867590 (seconds since epoch)]\n1.5,1,1," + payload(1) + "\n")
	records := part(t, log, ingest.Input{})
	if a := kinds[*ingest.Aggregate](records); len(a) != 1 || a[0].Start != 1438867591_500_000_000 {
		t.Errorf("%+v", a)
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"#[Histogram log format version 1.3]\n":                       true,
		"#[Logged with jHiccup version 2.0.6]\n":                      false,
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\"":     true,
		"#[StartTime: 5]\n\nTag=x,0.1,1.0,2.8,HISTFAAAAEV42pNpmSzMwM": true,
		"0.1,1.0,2.8,HISTFAAA":                                        true,
		"0.1,1.0,2.8,4.5\n":                                           false,
		"response-time,DNS+dialup\n":                                  false,
		"#[Mean    =        6.602, StdDeviation   =        1.919]\n":  false,
		"HISTFAAA\n": false,
		"":           false,
	} {
		if got := hlog.Format.Sniff([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestBreakingOut(t *testing.T) {
	log := recorded(t, 3)
	for n := range 4 {
		i := 0
		for range hlog.Format.Read(bytes.NewReader(log), ingest.Input{Head: log}) {
			if i++; i > n {
				break
			}
		}
	}
}
