package apache

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

const corpus = "../../../../shared/corpus/logs"

// expected is what another reader made of a file of the corpus.
type expected struct {
	File    string
	Records int
	Timed   int     `json:"with_latency"`
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	Max     float64 `json:"max_ms"`
	First   string  `json:"first_utc"`
	Last    string  `json:"last_utc"`
	Status  map[string]int
}

type reading struct {
	samples  []ingest.Sample
	problems []error
	log      ingest.Log
}

func read(t testing.TB, data []byte, opt ingest.Options) *reading {
	t.Helper()
	out := &reading{}
	in := ingest.Input{Head: data[:min(len(data), ingest.HeadSize)], Options: opt}
	for rec, err := range Format.Read(bytes.NewReader(data), in) {
		if err != nil {
			t.Fatal(err)
		}
		switch r := rec.(type) {
		case *ingest.Sample:
			out.samples = append(out.samples, *r)
		case *ingest.Problem:
			out.problems = append(out.problems, r.Err)
		case *ingest.Log:
			out.log = *r
		}
	}
	return out
}

func load(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, file))
	if err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	return data
}

// What another reader made of each file, which knew its LogFormat; without it
// the unit of a lone number is not known, and values are read as microseconds.
func TestCorpus(t *testing.T) {
	var all []expected
	if err := json.Unmarshal(load(t, "expected.json"), &all); err != nil {
		t.Fatal(err)
	}
	york, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	const combined = `LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" `
	for _, c := range []struct {
		file  string
		opt   ingest.Options
		unit  time.Duration // 0: not known
		from  ingest.Fact
		scale float64 // of what is expected to the unit assumed
	}{
		{"recorded/e_apache/combined_D.log", ingest.Options{}, 0, "", 1},
		{"recorded/e_apache/combined_D.log", ingest.Options{LogFormat: combined + `%D" combined_D`}, time.Microsecond, ingest.UnitFromFormat, 1},
		{"recorded/e_apache/combined_D.log", ingest.Options{Unit: time.Microsecond}, time.Microsecond, ingest.UnitFromFlag, 1},
		{"recorded/e_apache/combined_T.log", ingest.Options{}, 0, "", 1e-6},
		{"recorded/e_apache/combined_T.log", ingest.Options{LogFormat: combined + `%T" combined_T`}, time.Second, ingest.UnitFromFormat, 1},
		{"recorded/e_apache/combined_msT.log", ingest.Options{}, 0, "", 1e-3},
		{"recorded/e_apache/combined_msT.log", ingest.Options{LogFormat: combined + `%{ms}T" combined_msT`}, time.Millisecond, ingest.UnitFromFormat, 1},
		{"recorded/e_apache/combined_msT.log", ingest.Options{Unit: time.Millisecond}, time.Millisecond, ingest.UnitFromFlag, 1},
		{"recorded/e_apache/begin_end.log", ingest.Options{Zone: york}, time.Microsecond, ingest.UnitFromRedundancy, 1},
		{"recorded/e_apache/begin_end.log", ingest.Options{Zone: york, LogFormat: `%h [%{begin:%Y-%m-%dT%H:%M:%S}t.%{begin:msec_frac}t] [%{end:%Y-%m-%dT%H:%M:%S}t.%{end:msec_frac}t] \"%r\" %>s D=%D ttfb=%^FB bal=%{BALANCER_WORKER_NAME}e route=%{BALANCER_NAME}e`},
			time.Microsecond, ingest.UnitFromFormat, 1},
		{"recorded/e_apache/vhost_TD.log", ingest.Options{}, time.Microsecond, ingest.UnitFromRedundancy, 1},
		{"recorded/e_apache/vhost_TD.log", ingest.Options{LogFormat: `LogFormat "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" **%T/%D** %X %k" vhost_TD`}, time.Microsecond, ingest.UnitFromFormat, 1},
		{"apache/matomo_gandi_seconds.log", ingest.Options{}, time.Second, ingest.UnitFromValue, 1},
		{"apache/goaccess_1752_ms.log", ingest.Options{}, 0, "", 1e-3},
		{"apache/goaccess_1752_ms.log", ingest.Options{Unit: time.Millisecond}, time.Millisecond, ingest.UnitFromFlag, 1},
	} {
		t.Run(c.file, func(t *testing.T) {
			i := slices.IndexFunc(all, func(x expected) bool { return x.File == c.file })
			want := all[i]
			data := load(t, c.file)
			if !Format.Sniff(data[:min(len(data), ingest.HeadSize)]) {
				t.Error("not claimed")
			}
			got := read(t, data, c.opt)
			if len(got.samples) != want.Records || len(got.problems) > 0 {
				t.Errorf("%d requests, want %d; %v", len(got.samples), want.Records, got.problems)
			}
			var v []time.Duration
			var first, last ingest.Time
			status := map[string]int{}
			for i := range got.samples {
				s := &got.samples[i]
				if s.Latency >= 0 {
					v = append(v, s.Latency)
				}
				if first == 0 || s.Start < first {
					first = s.Start
				}
				last = max(last, s.Start)
				status[strconv.Itoa(s.Status)]++
			}
			slices.Sort(v)
			if len(v) != want.Timed {
				t.Fatalf("%d with a latency, want %d", len(v), want.Timed)
			}
			rank := func(p int) time.Duration { return v[max(0, (len(v)*p+99)/100-1)] }
			for name, x := range map[string]struct {
				got  time.Duration
				want float64
			}{"p50": {rank(50), want.P50}, "p99": {rank(99), want.P99}, "max": {v[len(v)-1], want.Max}} {
				if w := time.Duration(x.want*c.scale*1e6 + 0.5); x.got != w {
					t.Errorf("%s %v, want %v", name, x.got, w)
				}
			}
			const layout = "2006-01-02T15:04:05.000-07:00"
			for name, x := range map[string]struct {
				got  ingest.Time
				want string
			}{"first": {first, want.First}, "last": {last, want.Last}} {
				if at, err := time.Parse(layout, x.want); err != nil || at.UnixNano() != int64(x.got) {
					t.Errorf("%s %v, want %s", name, time.Unix(0, int64(x.got)).UTC(), x.want)
				}
			}
			for code, n := range want.Status {
				if status[code] != n {
					t.Errorf("%d of status %s, want %d", status[code], code, n)
				}
			}
			if len(got.log.Shapes) != 1 {
				t.Fatalf("%+v", got.log.Shapes)
			}
			s := got.log.Shapes[0]
			if s.Unit != c.unit || s.UnitFrom != c.from || s.Stamp != ingest.StampStart || (s.Assumed != 0) != (c.unit == 0) || s.Timed != int64(want.Timed) || s.Clock == "" {
				t.Errorf("%+v", s)
			}
		})
	}
}
