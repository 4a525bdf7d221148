package pgbouncer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

// The printed waits of the corpus are those that all clients waited in a second:
// PgBouncer 1.9 divides by the time and not by clients (calc_average in its
// stats.c). By hand: 8672 us / 281 xacts/s = 30.861 µs, 13727 / 481 = 28.538.
func TestCorpus(t *testing.T) {
	const file = "postgres/pgbadger_pgbouncer19.log"
	want, data := logtest.Expect(t, file), logtest.Load(t, file)
	if !Format.Sniff(data[:ingest.HeadSize]) {
		t.Error("not claimed")
	}
	got := logtest.Read(t, Format, data, ingest.Options{})
	queues := []time.Duration{30861, 28538, 0, 0}
	if len(got.Samples) != want.Records || len(got.Problems) != 0 || got.Log.Lines != want.Lines {
		t.Fatalf("%+v, %v, %+v", got.Samples, got.Problems, got.Log)
	}
	for i := range got.Samples {
		s := &got.Samples[i]
		if s.Queue != queues[i] || s.Latency != ingest.NoLatency || s.Vantage != ingest.Proxy || s.Op != operation {
			t.Errorf("%+v, want a wait of %v", s, queues[i])
		}
	}
	const layout = "2006-01-02T15:04:05.000-07:00"
	if first, last := time.Unix(0, int64(got.Samples[0].End)).UTC().Format(layout), time.Unix(0, int64(got.Samples[3].End)).UTC().Format(layout); first != *want.First || last != *want.Last {
		t.Errorf("from %s to %s", first, last)
	}
	if s := got.Log.Shapes[0]; s.Zone != ingest.ZoneUnknown || s.Stamp != ingest.StampEnd || s.Timed != 0 {
		t.Errorf("%+v", s)
	}
	logtest.Claims(t, Format, file)
	logtest.Lines(t, Dialect, file)
}

func TestLines(t *testing.T) {
	const (
		old    = "2021-03-02 10:00:00.123 3394 LOG "
		recent = "2021-03-02 11:00:00.123 CET [3394] LOG "
		up     = "process up: PgBouncer 1.%s, libevent 2.1.12-stable (epoll), adns: evdns2\n"
		stats  = "stats: 100 xacts/s, 200 queries/s, in 0 B/s, out 0 B/s, xact 0 us, query 0 us, "
	)
	end := time.Date(2021, 3, 2, 10, 0, 0, 123e6, time.UTC)
	for name, c := range map[string]struct {
		log      string
		queue    time.Duration // -1: no record
		problems int
	}{
		"1.9":                 {old + stats + "wait time 45079 us", 450790, 0},
		"1.22":                {recent + fmt.Sprintf(up, "22.1") + recent + stats + "wait 45079 us", 450790, 0},
		"1.23":                {recent + fmt.Sprintf(up, "23.0") + recent + stats + "wait 45079 us", 45079 * time.Microsecond, 0},
		"1.24":                {recent + "stats: 100 xacts/s, 200 queries/s, 0 client parses/s, 0 server parses/s, 0 binds/s, in 0 B/s, out 0 B/s, xact 0 us, query 0 us, wait 45079 us", 45079 * time.Microsecond, 0},
		"nothing in a second": {old + "stats: 0 xacts/s, 0 queries/s, in 0 B/s, out 0 B/s, xact 0 us, query 0 us, wait time 7 us", 7 * time.Microsecond, 0},
		"1.7, without waits":  {old + "stats: 0 req/s, in 0 b/s, out 0 b/s, query 0 us", -1, 0},
		"cut off":             {old + stats + "wait time 450", -1, 1},
		"cut off before":      {old + "stats: 100 xacts/s, 20", -1, 1},
		"no number":           {old + stats + "wait time x us", -1, 1},
		"no rate":             {old + "stats: x xacts/s, wait time 7 us", -1, 1},
		"chatter":             {old + "C-0x562376c014e0: shop/app@127.0.0.1:43866 login attempt: db=shop user=app tls=no", -1, 0},
		"another program":     {"2021-03-02 10:00:00.123 INFO started\n\xff\xfe\n" + strings.Repeat("x", 100_000), -1, 3},
	} {
		got := logtest.Read(t, Format, []byte(c.log+"\n"), ingest.Options{})
		if len(got.Problems) != c.problems || (len(got.Samples) == 1) != (c.queue >= 0) {
			t.Errorf("%s: %+v, %v", name, got.Samples, got.Problems)
			continue
		}
		if c.queue < 0 {
			continue
		}
		if s := &got.Samples[0]; s.Queue != c.queue || !time.Unix(0, int64(s.End)).Equal(end) {
			t.Errorf("%s: %+v, want %v", name, s, c.queue)
		}
		if !Format.Sniff([]byte(c.log + "\n")) {
			t.Errorf("%s: not claimed", name)
		}
	}
	got := logtest.Read(t, Format, []byte(strings.Replace(recent, "CET", "IST", 1)+stats+"wait 1 us\n"), ingest.Options{})
	if len(got.Problems) != 1 || len(got.Samples) != 0 {
		t.Errorf("a zone that is several: %+v", got)
	}
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	got = logtest.Read(t, Format, []byte(strings.Replace(old, "10:00", "15:30", 1)+stats+"wait 1 us\n"), ingest.Options{Zone: kolkata})
	if s := &got.Samples[0]; !time.Unix(0, int64(s.End)).Equal(end) {
		t.Errorf("%+v", s)
	}
}

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	const n = 10_000
	for i := range n {
		fmt.Fprintf(&text, "2021-03-02 10:%02d:%02d.123 3394 LOG C-0x562376c014e0: shop/app@127.0.0.1:%d login attempt: db=shop user=app tls=no\n", i/60%60, i%60, i)
		fmt.Fprintf(&text, "2021-03-02 10:%02d:%02d.123 3394 LOG stats: %d xacts/s, 200 queries/s, in 0 B/s, out 0 B/s, xact 0 us, query 0 us, wait time 45079 us\n", i/60%60, i%60, i)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		for range Format.Read(bytes.NewReader(text.Bytes()), ingest.Input{}) {
		}
	}
	b.ReportMetric(2*n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

func FuzzRead(f *testing.F) {
	logtest.Fuzz(f, Format,
		"2021-03-02 11:00:00.123 CET [3394] LOG stats: 100 xacts/s, 200 queries/s, in 0 B/s, wait 45079 us\n2021-03-02 11:00:00.123 CET [3394] LOG process up: PgBouncer 1.23.0\n",
	)
}
