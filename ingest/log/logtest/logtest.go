// Package logtest reads log files in tests and compares them with what another
// reader made of them.
package logtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

// Reading is all that a reader made of a file.
type Reading struct {
	Samples  []ingest.Sample
	Pauses   []ingest.Pause
	Problems []error
	Log      ingest.Log
}

// Read reads data in one part. An error that ends the reading fails the test.
func Read(t testing.TB, f ingest.Format, data []byte, opt ingest.Options) *Reading {
	t.Helper()
	out := &Reading{}
	in := ingest.Input{Head: data[:min(len(data), ingest.HeadSize)], Options: opt}
	last := int64(-1)
	for rec, err := range f.Read(bytes.NewReader(data), in) {
		if err != nil {
			t.Fatal(err)
		}
		if at := rec.Where().Offset; at < last {
			t.Fatalf("positions go back: from %d to %d", last, at)
		} else {
			last = at
		}
		switch r := rec.(type) {
		case *ingest.Sample:
			s := *r
			s.Attempts = slices.Clone(r.Attempts)
			out.Samples = append(out.Samples, s)
		case *ingest.Pause:
			out.Pauses = append(out.Pauses, *r)
		case *ingest.Problem:
			out.Problems = append(out.Problems, r.Err)
		case *ingest.Log:
			out.Log = *r
			out.Log.Shapes = slices.Clone(r.Shapes)
		}
	}
	return out
}

// One reads a log of one line that is a request.
func One(t testing.TB, f ingest.Format, line string, opt ingest.Options) *ingest.Sample {
	t.Helper()
	got := Read(t, f, []byte(line+"\n"), opt)
	if len(got.Samples) != 1 {
		t.Fatalf("%s: %d requests, %v", line, len(got.Samples), got.Problems)
	}
	return &got.Samples[0]
}

// Durations are the latencies of samples that have one, and the lengths of
// pauses, sorted.
func (r *Reading) Durations() (all []time.Duration) {
	for i := range r.Samples {
		if d := r.Samples[i].Latency; d >= 0 {
			all = append(all, d)
		}
	}
	for i := range r.Pauses {
		all = append(all, r.Pauses[i].Length)
	}
	slices.Sort(all)
	return all
}

// NearestRank is the percentile of sorted values, p in percent.
func NearestRank(v []time.Duration, p int) time.Duration {
	return v[max(0, (len(v)*p+99)/100-1)]
}

// Expected is what the corpus says of one of its files.
type Expected struct {
	File    string
	Lines   int64
	Records int
	Timed   int      `json:"with_latency"`
	P50     *float64 `json:"p50_ms"`
	P99     *float64 `json:"p99_ms"`
	Max     *float64 `json:"max_ms"`
	First   *string  `json:"first_utc"`
	Last    *string  `json:"last_utc"`
	Status  map[string]int
	Retried *int
	Tries   *int `json:"upstream_tries"`
}

// Corpus returns the folder of the corpus' logs, or skips the test.
func Corpus(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above")
		}
	}
	dir = filepath.Join(filepath.Dir(dir), "shared", "corpus", "logs")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	return dir
}

// Load returns a file of the corpus, or skips the test.
func Load(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Corpus(t), filepath.FromSlash(file)))
	if err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	return data
}

// Expect returns what the corpus says of one of its files.
func Expect(t testing.TB, file string) *Expected {
	t.Helper()
	var all []Expected
	if err := json.Unmarshal(Load(t, "expected.json"), &all); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if all[i].File == file {
			return &all[i]
		}
	}
	t.Fatalf("%s: nothing is expected", file)
	return nil
}

// Case is a file of the corpus and what is known beside expected.json.
type Case struct {
	File      string
	Options   ingest.Options // Zone: of zone-less stamps
	Unread    int            // lines that are counted as problems
	Unit      time.Duration  // of the latencies; 0: none, or not known
	Also      time.Duration  // another unit, which some of the lines have; 0: none
	Stamp     ingest.Stamp
	Unclaimed bool // by its first lines alone it could be another's
	NotStatus bool // the expected statuses are those of a part only
	NotRange  bool // the expected range is of other stamps than the reader's

	Only ingest.Kinds // the expected records are of this kind, KindSample or KindPause; 0: both are counted
}

// Check reads a file of the corpus and compares it with what is expected.
func Check(t *testing.T, f ingest.Format, c Case) {
	t.Run(c.File, func(t *testing.T) {
		want, data := Expect(t, c.File), Load(t, c.File)
		if f.Sniff(data[:min(len(data), ingest.HeadSize)]) == c.Unclaimed {
			t.Errorf("claimed: %v", !c.Unclaimed)
		}
		got := Read(t, f, data, c.Options)
		switch c.Only {
		case ingest.KindSample:
			got.Pauses = nil
		case ingest.KindPause:
			got.Samples = nil
		}
		if n := len(got.Samples) + len(got.Pauses); n != want.Records || len(got.Problems) != c.Unread {
			t.Errorf("%d records, %d lines unread; want %d, %d: %v", n, len(got.Problems), want.Records, c.Unread, got.Problems[:min(5, len(got.Problems))])
		}
		if got.Log.Lines != want.Lines {
			t.Errorf("%d lines, want %d", got.Log.Lines, want.Lines)
		}
		got.durations(t, want)
		if !c.NotRange {
			got.stamps(t, want)
		}
		got.counts(t, want, !c.NotStatus)
		for _, s := range got.Log.Shapes {
			if s.Timed > 0 && s.Unit != c.Unit && (c.Also == 0 || s.Unit != c.Also) {
				t.Errorf("unit %v, want %v: %+v", s.Unit, c.Unit, s)
			}
			if s.Stamp != c.Stamp && s.Stamp != ingest.StampNone {
				t.Errorf("stamp %v, want %v: %+v", s.Stamp, c.Stamp, s)
			}
		}
	})
}

func (r *Reading) durations(t *testing.T, want *Expected) {
	t.Helper()
	v := r.Durations()
	if len(v) != want.Timed {
		t.Errorf("%d with a latency, want %d", len(v), want.Timed)
	}
	if len(v) == 0 || want.P50 == nil {
		return
	}
	for _, p := range []struct {
		name string
		got  time.Duration
		want float64
	}{{"p50", NearestRank(v, 50), *want.P50}, {"p99", NearestRank(v, 99), *want.P99}, {"max", v[len(v)-1], *want.Max}} {
		if d := float64(p.got)/1e6 - p.want; d > 5e-7 || d < -5e-7 { // the expected are rounded to six decimals
			t.Errorf("%s %v, want %v ms", p.name, p.got, p.want)
		}
	}
}

// stamps compares the first and the last stamp as logged: the start of a
// request, or its end, by what the log's shapes say that stamps are.
func (r *Reading) stamps(t *testing.T, want *Expected) {
	t.Helper()
	if want.First == nil {
		return
	}
	ends, whole := true, len(r.Log.Shapes) > 0
	for i := range r.Log.Shapes {
		s := &r.Log.Shapes[i]
		ends = ends && s.Stamp != ingest.StampStart
		// A wrapper's stamp is finer than that of the line, which is what is expected.
		whole = whole && s.Wrapper != ""
	}
	var first, last ingest.Time
	see := func(start, end ingest.Time, length time.Duration) {
		at := start
		switch {
		case end != 0:
			at = end
		case ends && start != 0 && length > 0:
			at = start.Add(length)
		}
		if at != 0 && (first == 0 || at < first) {
			first = at
		}
		last = max(last, at)
	}
	for i := range r.Samples {
		s := &r.Samples[i]
		see(s.Start, s.End, s.Latency)
	}
	for i := range r.Pauses {
		see(r.Pauses[i].Start, 0, r.Pauses[i].Length)
	}
	to := time.Millisecond
	if whole {
		to = time.Second
	}
	for _, x := range []struct {
		name string
		got  ingest.Time
		want string
	}{{"first", first, *want.First}, {"last", last, *want.Last}} {
		at, err := time.Parse("2006-01-02T15:04:05.000-07:00", x.want)
		if err != nil {
			t.Fatal(err)
		}
		if got := time.Unix(0, int64(x.got)).UTC().Truncate(to); !got.Equal(at.Truncate(to)) {
			t.Errorf("%s stamp %v, want %v", x.name, got, at.UTC())
		}
	}
}

func (r *Reading) counts(t *testing.T, want *Expected, statuses bool) {
	t.Helper()
	status := map[string]int{}
	retried, tries := 0, 0
	for i := range r.Samples {
		s := &r.Samples[i]
		if s.Status > 0 {
			status[strconv.Itoa(s.Status)]++
		}
		if s.UpstreamTries() > 1 {
			retried++
		}
		tries += s.UpstreamTries()
	}
	for code, n := range want.Status {
		if _, err := strconv.Atoi(code); err == nil && code != "0" && statuses && status[code] != n {
			t.Errorf("%d answers of status %s, want %d", status[code], code, n)
		}
	}
	if want.Retried != nil && retried != *want.Retried || want.Tries != nil && tries != *want.Tries {
		t.Errorf("%d with several tries, %d tries; want %s, %s", retried, tries, show(want.Retried), show(want.Tries))
	}
}

func show(v *int) string {
	if v == nil {
		return "any"
	}
	return fmt.Sprint(*v)
}

// Claims fails the test where a dialect's lines are found in files of the corpus
// that are not its own. own are paths, or folders that end in a slash.
func Claims(t *testing.T, f ingest.Format, own ...string) {
	t.Helper()
	root := Corpus(t)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if slices.ContainsFunc(own, func(o string) bool {
			return name == o || len(o) > 0 && o[len(o)-1] == '/' && len(name) > len(o) && name[:len(o)] == o
		}) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if f.Sniff(data[:min(len(data), ingest.HeadSize)]) {
			t.Errorf("%s is claimed", name)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
