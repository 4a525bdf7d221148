package hlog_test

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/load/hlog"
)

const corpus = "../../../../shared/corpus/load/hdrhistogram/"

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(corpus + name)
	if err != nil {
		t.Skip("the corpus of published files is not here: ", err)
	}
	return b
}

// all reads a log whole and copies its records.
func all(t testing.TB, log []byte, in ingest.Input) []ingest.Record {
	t.Helper()
	in.Head = log[:min(len(log), ingest.HeadSize)]
	return part(t, log, in)
}

func part(t testing.TB, log []byte, in ingest.Input) (out []ingest.Record) {
	t.Helper()
	for r, err := range hlog.Format.Read(bytes.NewReader(log), in) {
		if err != nil {
			t.Fatal(err)
		}
		switch r := r.(type) {
		case *ingest.Run:
			c := *r
			out = append(out, &c)
		case *ingest.Aggregate:
			c := *r
			c.Buckets = append([]ingest.Bucket(nil), r.Buckets...)
			out = append(out, &c)
		case *ingest.Problem:
			c := *r
			out = append(out, &c)
		}
	}
	return out
}

func kinds[T ingest.Record](records []ingest.Record) (out []T) {
	for _, r := range records {
		if x, ok := r.(T); ok {
			out = append(out, x)
		}
	}
	return out
}

// accumulated adds the lowest value of every bucket to a histogram of three
// digits, as AbstractHistogram.add does with histograms of another geometry,
// and returns how many samples have the highest value of each bucket there.
func accumulated(aggregates []*ingest.Aggregate) (values, counts []int64) {
	h := hdrhistogram.New(1, 3600e9, 3)
	for _, a := range aggregates {
		for _, b := range a.Buckets {
			_ = h.RecordValues(int64(b.Low)+1, b.Count)
		}
	}
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			values, counts = append(values, bar.To), append(counts, bar.Count)
		}
	}
	return values, counts
}

// percentile picks by the rule of HdrHistogram (Java).
func percentile(values, counts []int64, p float64) int64 {
	var n int64
	for _, c := range counts {
		n += c
	}
	rank := max(1, int64(math.Ceil(math.Nextafter(p, 0)*float64(n)/100)))
	for i, c := range counts {
		if rank -= c; rank <= 0 {
			return values[i]
		}
	}
	return -1
}

// What the test of the HdrHistogram project says of its own files
// (HistogramLogReaderWriterTest): intervals, samples, 99.9th percentile,
// maximum, and the start of the log.
func TestPublishedLogs(t *testing.T) {
	for name, want := range map[string]struct {
		intervals  int
		count      int64
		p999, most int64
		first      ingest.Time // start of the first interval, from the file's text
		length     time.Duration
		tool       string
	}{
		"jHiccup-2.0.7S.logV2.hlog": {62, 48761, 1745879039, 1796210687, 1441812279601_000_000, 1007_000_000, "jHiccup 2.0.7-SNAPSHOT"},
		"jHiccup-2.0.6.logV1.hlog":  {88, 65964, 1829765119, 1888485375, 1438867590418_000_000, 1005_000_000, "jHiccup 2.0.6"},
		// YCSB's starts are dates themselves; the first is before StartTime.
		"ycsb.logV1.hlog": {602, 300056, 1214463, 1546239, 1438613579290_000_000, 660_000_000, " "},
	} {
		log := file(t, name)
		if !hlog.Format.Sniff(log[:min(len(log), ingest.HeadSize)]) {
			t.Errorf("%s: not recognised", name)
		}
		records := all(t, log, ingest.Input{})
		if p := kinds[*ingest.Problem](records); len(p) > 0 {
			t.Errorf("%s: %v", name, p[0].Err)
		}
		runs, aggregates := kinds[*ingest.Run](records), kinds[*ingest.Aggregate](records)
		if len(runs) != 1 || runs[0].UnitAssumed != time.Nanosecond || !runs[0].Absolute || runs[0].Tool+" "+runs[0].Version != want.tool {
			t.Errorf("%s: run %+v", name, runs)
		}
		var total int64
		for _, a := range aggregates {
			var sum int64
			for i, b := range a.Buckets {
				sum += b.Count
				if b.Count <= 0 || b.High <= b.Low || i > 0 && b.Low < a.Buckets[i-1].High {
					t.Fatalf("%s: bucket %+v", name, b)
				}
			}
			if sum != a.Count || !a.Complete || a.Length <= 0 || a.Op != "" {
				t.Fatalf("%s: buckets hold %d: %+v", name, sum, a)
			}
			total += a.Count
		}
		if len(aggregates) != want.intervals || total != want.count {
			t.Errorf("%s: %d intervals, %d samples", name, len(aggregates), total)
		}
		values, counts := accumulated(aggregates)
		if p, most := percentile(values, counts, 99.9), values[len(values)-1]; p != want.p999 || most != want.most {
			t.Errorf("%s: p99.9 = %d, want %d; maximum %d, want %d", name, p, want.p999, most, want.most)
		}
		if a := aggregates[0]; a.Start != want.first || a.Length != want.length {
			t.Errorf("%s: first interval at %d for %s", name, a.Start, a.Length)
		}
	}
}

// Every histogram of version 2 is, bucket by bucket, what hdrhistogram-go makes of it.
func TestAgainstHdrhistogramGo(t *testing.T) {
	logs := map[string][]byte{"made": recorded(t, 300)}
	if b, err := os.ReadFile(corpus + "jHiccup-2.0.7S.logV2.hlog"); err == nil {
		logs["jHiccup"] = b
	}
	for name, log := range logs {
		aggregates := kinds[*ingest.Aggregate](all(t, log, ingest.Input{}))
		i := 0
		for line := range strings.Lines(string(log)) {
			if strings.HasPrefix(line, "#") || strings.HasPrefix(line, `"`) {
				continue
			}
			h, err := hdrhistogram.Decode([]byte(strings.TrimSpace(line[strings.LastIndexByte(line, ',')+1:])))
			if err != nil {
				t.Fatal(err)
			}
			var want []ingest.Bucket
			for _, bar := range h.Distribution() {
				if bar.Count > 0 {
					want = append(want, ingest.Bucket{Low: time.Duration(bar.From - 1), High: time.Duration(bar.To), Count: bar.Count})
				}
			}
			if got := aggregates[i]; got.Count != h.TotalCount() || !slices.Equal(got.Buckets, want) {
				t.Fatalf("%s: interval %d has %d samples in %v, want %d in %v", name, i, got.Count, got.Buckets, h.TotalCount(), want)
			}
			i++
		}
		if i != len(aggregates) || i == 0 {
			t.Errorf("%s: %d lines, %d aggregates", name, i, len(aggregates))
		}
	}
}
