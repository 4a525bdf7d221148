package nginx

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

const corpus = "../../../../shared/corpus/logs"

// expected is what another reader made of a file of the corpus.
type expected struct {
	File    string
	Records int
	Timed   int      `json:"with_latency"`
	P50     *float64 `json:"p50_ms"`
	P99     *float64 `json:"p99_ms"`
	Max     *float64 `json:"max_ms"`
	First   string   `json:"first_utc"`
	Last    string   `json:"last_utc"`
	Status  map[string]int
	Retried *int
	Tries   *int `json:"upstream_tries"`
}

// reading is all that a reader made of a file.
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
			s := *r
			s.Attempts = slices.Clone(r.Attempts)
			out.samples = append(out.samples, s)
		case *ingest.Problem:
			out.problems = append(out.problems, r.Err)
		case *ingest.Log:
			out.log = *r
		}
	}
	return out
}

// stamp returns the time stamp of an end-stamped line.
func stamp(s *ingest.Sample) time.Time {
	end := s.End
	if end == 0 {
		end = s.Start.Add(s.Latency)
	}
	return time.Unix(0, int64(end)).UTC()
}

func (r *reading) latencies() (all []time.Duration) {
	for i := range r.samples {
		if d := r.samples[i].Latency; d >= 0 {
			all = append(all, d)
		}
	}
	slices.Sort(all)
	return all
}

// nearestRank is the percentile of sorted values, p in percent.
func nearestRank(v []time.Duration, p int) time.Duration {
	return v[max(0, (len(v)*p+99)/100-1)]
}

func load(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, file))
	if err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	return data
}

func TestCorpus(t *testing.T) {
	var all []expected
	if err := json.Unmarshal(load(t, "expected.json"), &all); err != nil {
		t.Fatal(err)
	}
	find := func(file string) expected {
		for _, e := range all {
			if e.File == file {
				return e
			}
		}
		t.Fatalf("%s: nothing is expected", file)
		return expected{}
	}
	utc := time.UTC
	for _, c := range []struct {
		file    string
		unread  int
		opt     ingest.Options
		unit    time.Duration
		noClaim bool // by its first lines alone it could be another server's
	}{
		{file: "recorded/a_nginx_closed_loop/combined.log"},
		{file: "recorded/a_nginx_closed_loop/rt.log", unit: time.Second},
		{file: "recorded/a_nginx_closed_loop/tail2.log", unit: time.Second},
		{file: "recorded/a_nginx_closed_loop/ltsv.log", unit: time.Second},
		{file: "recorded/b_nginx_open_loop/json.log", unit: time.Second},
		{file: "recorded/b_nginx_open_loop/upstreaminfo.log", unit: time.Second},
		{file: "recorded/b_nginx_open_loop/rt.log", unit: time.Second},
		{file: "recorded/c_nginx_retries/rt.log", unit: time.Second},
		{file: "recorded/c_nginx_retries/json.log", unit: time.Second},
		{file: "recorded/c_nginx_retries/upstreaminfo.log", unit: time.Second},
		{file: "recorded/c_nginx_retries/netdata.log", unit: time.Second},
		{file: "nginx/lnav_shop_combined.log"},
		{file: "nginx/lnav_bad_access.log"},
		{file: "nginx/netdata_lists.log", unit: time.Second},
		{file: "nginx/goaccess_215_time_last.log", unit: time.Second},
		{file: "nginx/alp_combined_access.log", unit: time.Second},
		{file: "nginx/alp_json_access.log", unit: time.Second},
		{file: "nginx/alp_ltsv_access.log", unit: time.Second},
		{file: "nginx/netdata_full_unmatched.log", unread: 24, unit: time.Microsecond, noClaim: true, opt: ingest.Options{
			LogFormat: `$host:$server_port $remote_addr - - [$time_local] "$request" $status $body_bytes_sent $request_length $request_time $upstream_response_time $scheme $ssl_protocol $ssl_cipher $custom_1 $custom_2 $custom_3`,
			Unit:      time.Microsecond}},
		{file: "nginx/crowdsec_malformed.log"},
		{file: "nginx/crowdsec_npm_mixed.log", unread: 2},
		{file: "docker/crowdsec_ingress_dockerjson.log", unit: time.Second},
		{file: "kubernetes/crowdsec_ingress_cri.log", unit: time.Second},
		{file: "kubernetes/beats_ingress_nginx_lists.log", unit: time.Second},
	} {
		t.Run(c.file, func(t *testing.T) {
			want := find(c.file)
			data := load(t, c.file)
			head := data[:min(len(data), ingest.HeadSize)]
			if Format.Sniff(head) == c.noClaim {
				t.Errorf("claimed: %v", !c.noClaim)
			}
			c.opt.Zone = utc
			got := read(t, data, c.opt)
			if len(got.samples) != want.Records || len(got.problems) != c.unread {
				t.Errorf("%d requests, %d lines unread; want %d, %d: %v", len(got.samples), len(got.problems), want.Records, c.unread, got.problems)
			}
			v := got.latencies()
			if len(v) != want.Timed {
				t.Errorf("%d with a latency, want %d", len(v), want.Timed)
			}
			if len(v) > 0 && want.P50 != nil {
				for _, p := range []struct {
					name string
					got  time.Duration
					want float64
				}{{"p50", nearestRank(v, 50), *want.P50}, {"p99", nearestRank(v, 99), *want.P99}, {"max", v[len(v)-1], *want.Max}} {
					if float64(p.got.Microseconds())/1000 != p.want {
						t.Errorf("%s %v, want %v ms", p.name, p.got, p.want)
					}
				}
			}
			check(t, got, want)
			for _, s := range got.log.Shapes {
				if s.Timed > 0 && s.Unit != c.unit {
					t.Errorf("unit %v, want %v: %+v", s.Unit, c.unit, s)
				}
				if s.Stamp != ingest.StampEnd {
					t.Errorf("stamp %v of %+v", s.Stamp, s)
				}
			}
			if lines := int64(bytes.Count(append(data, '\n'), []byte("\n"))); got.log.Lines != lines && got.log.Lines != lines-1 {
				t.Errorf("%d lines, want %d", got.log.Lines, lines)
			}
		})
	}
}

// check compares range, statuses and tries.
func check(t *testing.T, got *reading, want expected) {
	t.Helper()
	var first, last time.Time
	status := map[string]int{}
	retried, tries := 0, 0
	for i := range got.samples {
		s := &got.samples[i]
		at := stamp(s).Truncate(time.Millisecond)
		if i == 0 || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
		if s.Status > 0 {
			status[string([]byte{byte('0' + s.Status/100), byte('0' + s.Status/10%10), byte('0' + s.Status%10)})]++
		}
		if s.UpstreamTries() > 1 {
			retried++
		}
		tries += s.UpstreamTries()
	}
	const layout = "2006-01-02T15:04:05.000-07:00"
	// A wrapper's stamp is finer than that of the line, which is what is expected.
	whole := len(got.log.Shapes) > 0 && got.log.Shapes[0].Wrapper != ""
	if whole {
		first, last = first.Truncate(time.Second), last.Truncate(time.Second)
	}
	utc := func(s string) string {
		x, err := time.Parse(layout, s)
		if err != nil {
			t.Fatal(err)
		}
		return x.UTC().String()
	}
	if first.String() != utc(want.First) || last.String() != utc(want.Last) {
		t.Errorf("from %v to %v, want %s to %s", first, last, want.First, want.Last)
	}
	for code, n := range want.Status {
		if status[code] != n && want.File != "nginx/crowdsec_npm_mixed.log" { // which counts those of one of its formats
			t.Errorf("%d answers of status %s, want %d", status[code], code, n)
		}
	}
	if want.Retried != nil && (retried != *want.Retried || tries != *want.Tries) {
		t.Errorf("%d requests with several tries, %d tries; want %d, %d", retried, tries, *want.Retried, *want.Tries)
	}
}
