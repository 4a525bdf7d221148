package log_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/apache"
	"github.com/tailcheck/tailcheck/ingest/log/nginx"
)

var formats = []ingest.Format{nginx.Format, apache.Format}

const (
	root = "../../../shared/corpus/logs"
	line = `203.0.113.9 - - [29/Nov/2026:21:16:22 +0000] "GET /a/17?q=1 HTTP/1.1" 200 41 "-" "curl/7" rt=0.250 urt="0.100, 0.150" us="502, 200"`
)

// corpus returns the files of the corpus' logs.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = data
		return err
	})
	if err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	return all
}

// Exactly one format claims a log of its server, none another's.
func TestOneClaim(t *testing.T) {
	for path, data := range corpus(t) {
		var claims []string
		for _, f := range formats {
			if f.Sniff(data[:min(len(data), ingest.HeadSize)]) {
				claims = append(claims, f.Name)
			}
		}
		want := 0
		for _, own := range []string{"/nginx/", "_nginx_", "/apache/", "e_apache", "_ingress_", "/tomcat/", "mixed/"} { // Tomcat's %D reads as Apache's, of unknown unit
			if strings.Contains(path, own) && filepath.Ext(path) != ".txt" && filepath.Ext(path) != ".csv" {
				want = 1
			}
		}
		for _, not := range []string{"error.log", "netdata_full", "/how/", "kong_1323"} {
			if strings.Contains(path, not) {
				want = 0
			}
		}
		if len(claims) != want {
			t.Errorf("%s: claimed by %v", path, claims)
		}
	}
}

// record is what a reader yields, kept.
type record struct {
	sample  *ingest.Sample
	problem string
	offset  int64
}

// read reads data in parts of about size bytes, and checks the reader's contract.
func read(t testing.TB, f *ingest.Format, data []byte, size int, opt ingest.Options) (all []record, sum ingest.Log) {
	t.Helper()
	head := data[:min(len(data), ingest.HeadSize)]
	cut := f.SplitOf(head)
	last := int64(0)
	for offset, part := 0, 0; offset < len(data) || part == 0; part++ {
		n := 0
		for want := size; n == 0 && len(data) > 0; want *= 2 {
			if offset+want >= len(data) {
				n = len(data) - offset
			} else {
				n = cut.Cut(data[offset : offset+want])
			}
		}
		in := ingest.Input{Offset: int64(offset), Part: part, Head: head, Options: opt}
		for rec, err := range f.Read(bytes.NewReader(data[offset:offset+n]), in) {
			if err != nil {
				t.Fatal(err)
			}
			at := rec.Where().Offset
			if at < last || at > int64(len(data)) {
				t.Fatalf("%s: position %d after %d", f.Name, at, last)
			}
			last = at
			switch r := rec.(type) {
			case *ingest.Sample:
				s := *r
				s.Attempts = append([]ingest.Attempt(nil), r.Attempts...)
				all = append(all, record{&s, "", at})
			case *ingest.Problem:
				all = append(all, record{nil, r.Err.Error(), at})
			case *ingest.Log:
				sum.Merge(r)
			}
		}
		offset += n
	}
	return all, sum
}

func show(all []record, sum ingest.Log) string {
	var b strings.Builder
	for _, r := range all {
		if r.sample != nil {
			fmt.Fprintf(&b, "%d %+v\n", r.offset, *r.sample)
		} else {
			fmt.Fprintf(&b, "%d %s\n", r.offset, r.problem)
		}
	}
	sum.Pos = ingest.Pos{}
	fmt.Fprintf(&b, "%+v", sum)
	return b.String()
}

// The stamp of a wrapper is taken where it is finer and agrees.
func TestOuterStamp(t *testing.T) {
	second := time.Date(2026, 11, 29, 21, 16, 22, 0, time.UTC)
	for name, c := range map[string]struct {
		stamp string
		end   time.Duration // beyond 21:16:22
	}{
		"within the second":       {"2026-11-29T21:16:22.123456789Z", 123456789},
		"a little late":           {"2026-11-29T21:16:23.1Z", 1100 * time.Millisecond},
		"another zone":            {"2026-11-29T22:16:22.123456789+01:00", 123456789},
		"another time altogether": {"2024-01-01T00:00:00.123456789Z", 0},
		"no finer":                {"2026-11-29T21:16:22Z", 0},
	} {
		all, sum := read(t, &nginx.Format, []byte(c.stamp+" stdout F "+line+"\n"), 1<<30, ingest.Options{})
		want := ingest.Time(second.Add(c.end - 250*time.Millisecond).UnixNano())
		if len(all) != 1 || all[0].sample.Start != want {
			t.Errorf("%s: %+v", name, all)
		}
		if s := sum.Shapes[0]; s.Wrapper != "CRI" || (s.Resolution == time.Second) != (c.end == 0) {
			t.Errorf("%s: %+v", name, s)
		}
	}
	// Apache's stamp is the start; the wrapper's is the end all the same.
	common := `203.0.113.9 - - [29/Nov/2026:21:16:20 +0000] "GET / HTTP/1.1" 200 41 2/2345678`
	all, _ := read(t, &apache.Format, []byte("2026-11-29T21:16:22.500Z stdout F "+common+"\n"), 1<<30, ingest.Options{})
	if want := second.Add(500*time.Millisecond - 2345678*time.Microsecond); all[0].sample.Start != ingest.Time(want.UnixNano()) {
		t.Errorf("%+v", all[0].sample)
	}
}

// A log without offsets across the end of summer time goes back an hour; with
// them it does not. Berlin, 25 October 2026.
func TestSummerTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	var with, without strings.Builder
	begin := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC)
	for i := range 60 {
		at := begin.Add(time.Duration(i) * time.Minute).In(berlin)
		fmt.Fprintf(&with, "- - - [%s] \"GET / HTTP/1.1\" 200 41 \"-\" \"-\" 0.010\n", at.Format("02/Jan/2006:15:04:05 -0700"))
		fmt.Fprintf(&without, "- - - [%s] \"GET / HTTP/1.1\" 200 41 \"-\" \"-\" 0.010\n", at.Format("02/Jan/2006:15:04:05"))
	}
	all, sum := read(t, &nginx.Format, []byte(with.String()), 1<<30, ingest.Options{})
	for i, r := range all {
		if want := begin.Add(time.Duration(i)*time.Minute - 10*time.Millisecond); r.sample.Start != ingest.Time(want.UnixNano()) {
			t.Fatalf("%d: %+v", i, r.sample)
		}
	}
	if sum.Twice != 0 || sum.Shapes[0].Zone != ingest.ZoneStated {
		t.Errorf("%+v", sum)
	}
	all, sum = read(t, &nginx.Format, []byte(without.String()), 1<<30, ingest.Options{Zone: berlin})
	if back := all[30].sample.Start.Sub(all[29].sample.Start); back != -59*time.Minute || sum.Twice != 60 || sum.Shapes[0].Zone != ingest.ZoneGiven {
		t.Errorf("%v, %+v", back, sum)
	}
	_, sum = read(t, &nginx.Format, []byte(without.String()), 1<<30, ingest.Options{})
	if sum.Twice != 0 || sum.Shapes[0].Zone != ingest.ZoneUnknown {
		t.Errorf("%+v", sum)
	}
}

// Parts are read by several goroutines at once, which share what was learned.
func TestParallel(t *testing.T) {
	data := []byte(strings.Repeat(line+"\n", 2000))
	in := ingest.Input{Head: data[:ingest.HeadSize]}
	var wg sync.WaitGroup
	for part := range 8 {
		wg.Go(func() {
			in, n := in, 0
			in.Part = part
			for rec, err := range nginx.Format.Read(bytes.NewReader(data), in) {
				if s, ok := rec.(*ingest.Sample); ok && err == nil && s.Op == "GET /a/{id}" {
					n++
				}
			}
			if n != 2000 {
				t.Errorf("%d requests", n)
			}
		})
	}
	wg.Wait()
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(line + "\n" + line[:50]))
	f.Add([]byte(`203.0.113.9 - - [29/Nov/2026:21:16:20 +0000] "GET / HTTP/1.1" 200 41 **2/2345678** X 1`))
	f.Add([]byte("<142>1 2026-11-29T20:16:22.123456Z a b 3 id [x@1 a=\"]\\\"\"] " + line))
	f.Add([]byte("2026-11-29T21:16:22.1Z stdout P " + line[:70] + "\n2026-11-29T21:16:22.1Z stdout F " + line[70:] + "\n"))
	f.Add([]byte(`{"log":"{\"message\":\"x\",\"time_local\":\"29/Nov/2026:21:16:22 +0000\",\"status\":200,\"request_time\":1}\n","stream":"stderr","time":"1"}`))
	f.Add([]byte("time:1795983382\treq:GET / HTTP/1.1\tstatus:200\treqtime:0.010"))
	for _, data := range corpus(f) {
		f.Add(data[:min(len(data), 2000)])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for i := range formats {
			x := &formats[i]
			x.Sniff(data)
			whole := show(read(t, x, data, 1<<30, ingest.Options{}))
			if got := show(read(t, x, data, 1+len(data)/3, ingest.Options{})); got != whole {
				t.Fatalf("%s: in parts:\n%s\nin one:\n%s", x.Name, got, whole)
			}
			n := 0
			for range x.Read(bytes.NewReader(data), ingest.Input{}) {
				if n++; n > 2 {
					break
				}
			}
		}
	})
}
