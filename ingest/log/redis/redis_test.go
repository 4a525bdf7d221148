package redis

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

func TestCorpus(t *testing.T) {
	for _, file := range []string{"slowlog_tty.txt", "slowlog_raw.txt"} {
		logtest.Check(t, Format, logtest.Case{File: "recorded/i_redis/" + file, Unit: time.Microsecond, Stamp: ingest.StampEnd})
	}
	own := []string{"slowlog_tty.txt", "slowlog_raw.txt", "slowlog.json"}
	for i := range own {
		own[i] = "recorded/i_redis/" + own[i]
	}
	logtest.Claims(t, Format, own...)
	logtest.Lines(t, Dialect, own...)

	// The same six entries in each view; the stall was from 21:24:50.95 on.
	stall := time.Date(2026, 11, 29, 21, 24, 50, 950e6, time.UTC)
	ops := []string{"SET bin:key", "CONFIG SET", "EVAL", "KEYS key:{id}*", "DEBUG SLEEP", "DEBUG POPULATE"}
	for _, file := range own {
		data := logtest.Load(t, file)
		if !Format.Sniff(data) {
			t.Errorf("%s is not claimed", file)
		}
		got := logtest.Read(t, Format, data, ingest.Options{})
		if len(got.Pauses) != len(ops) || len(got.Problems) != 0 {
			t.Errorf("%s: %+v, %v", file, got.Pauses, got.Problems)
			continue
		}
		for i, p := range got.Pauses {
			if p.Op != ops[i] {
				t.Errorf("%s: %q, want %q", file, p.Op, ops[i])
			}
		}
		p := got.Pauses[4]
		if off := time.Unix(0, int64(p.Start)).Sub(stall).Abs(); p.Length != 2000091*time.Microsecond || off > time.Second {
			t.Errorf("%s: %+v, %v from the stall", file, p, off)
		}
		if s := got.Log.Shapes[0]; s.Zone != ingest.ZoneUTC || s.Resolution != time.Second {
			t.Errorf("%+v", s)
		}
	}
}

const address = "127.0.0.1:53320\n\n"

func TestLines(t *testing.T) {
	type want struct {
		op     string
		end    int64
		length time.Duration
	}
	us := time.Microsecond
	for name, c := range map[string]struct {
		log      string
		want     []want
		problems int
	}{
		"an argument of several lines": {
			"7\n1795987502\n500\nset\nuser:42:name\nZoë \"quoted\" line\ntwo\n6\n1795987502 or so\n" + address + "6\n1795987501\n400\nget\nk\n" + address,
			[]want{{"SET user:{id}:name", 1795987502, 500 * us}, {"GET k", 1795987501, 400 * us}}, 0},
		"numbers as arguments": {
			"7\n1795987502\n500\nzadd\nboard\n6\n12\n5\n1795987502\nx\n" + address + "6\n1795987501\n400\nget\nk\n" + address,
			[]want{{"ZADD board", 1795987502, 500 * us}, {"GET k", 1795987501, 400 * us}}, 0},
		"before Redis 4, no addresses": {
			"7\n1795987502\n500\nget\na\n6\n1795987501\n400\nping\n5\n1795987500\n300\nget\nc\n",
			[]want{{"GET a", 1795987502, 500 * us}, {"PING", 1795987501, 400 * us}, {"GET c", 1795987500, 300 * us}}, 0},
		"a second list": {
			"7\n1795987502\n500\nget\na\n" + address + "12\n1795987602\n400\nget\nb\n127.0.0.1:1\nworker\n40\n1795987702\n300\nflushall\n/run/redis.sock:0\n",
			[]want{{"GET a", 1795987502, 500 * us}, {"GET b", 1795987602, 400 * us}, {"FLUSHALL", 1795987702, 300 * us}}, 0},
		"a terminal, the prompt too": {
			"127.0.0.1:6379> slowlog get 2\n 1) 1) (integer) 12\n    2) (integer) 1795987502\n    3) (integer) 500\n    4) 1) \"HGETALL\"\n       2) \"cart:9f86d081\"\n       3) \"... (2 more arguments)\"\n    5) \"127.0.0.1:53320\"\n    6) \"\"\n" +
				" 2) 1) (integer) 11\n    2) (integer) 1795987501\n    3) (integer) 400\n    4) 1) \"PING\"\n",
			[]want{{"HGETALL cart:{id}", 1795987502, 500 * us}, {"PING", 1795987501, 400 * us}}, 0},
		"a terminal, cut off": {
			"1) 1) (integer) 12\n   2) (integer) 1795987502\n   3) (integer) 500\n   4) 1) \"get\"\n2) 1) (integer) 11\n   2) (integer) 1795987501\n3) 1) (integer) 10\n   2) (integer) 1795987500\n   3) (integer) 300\n   4) 1) \"ping\"\n4) 1) (integer) 9\n",
			[]want{{"GET", 1795987502, 500 * us}, {"PING", 1795987500, 300 * us}}, 2},
		"JSON, cut off": {`[[7,1795987502,500,["get","a\"]b"],"127.0.0.1:1",""],[6,1795987501,400,["get"`, []want{{"GET {text}", 1795987502, 500 * us}}, 1},
		"JSON, one":     {`[[7,1795987502,500,["json.get","a"]]]`, []want{{"JSON.GET a", 1795987502, 500 * us}}, 0},
		"a secret":      {`[[7,1795987502,500,["auth","hunter"]]]`, []want{{"AUTH", 1795987502, 500 * us}}, 0},
		"no command":    {"[[7,1795987502,500,[\"\xff\xfe\",\"a\"]]]", []want{{noOperation, 1795987502, 500 * us}}, 0},
		"a long key":    {`[[7,1795987502,500,["get","` + strings.Repeat("ab", 60_000) + `"]]]`, []want{{"GET {text}", 1795987502, 500 * us}}, 0},
		"a deep key":    {`[[7,1795987502,500,["get","a:b:c:d:e:f:g:h"]]]`, []want{{"GET a:b:c:d:e:f:…", 1795987502, 500 * us}}, 0},
		"no length":     {`[[7,1795987502,99999999999999999999,["get","a"]]]`, nil, 1},
		"another reply": {"1) \"a\"\n2) \"b\"\n", nil, 2},
		"nothing slow":  {"(empty array)\n", nil, 0},
	} {
		got := logtest.Read(t, Format, []byte(c.log), ingest.Options{})
		if len(got.Pauses) != len(c.want) || len(got.Problems) != c.problems {
			t.Errorf("%s: %+v, %v", name, got.Pauses, got.Problems)
			continue
		}
		for i, w := range c.want {
			p := got.Pauses[i]
			if end := int64(p.Start.Add(p.Length)); p.Op != w.op || end != w.end*1e9 || p.Length != w.length || !p.All {
				t.Errorf("%s: %+v, want %+v", name, p, w)
			}
		}
		if sniffed := Format.Sniff([]byte(c.log)); sniffed == (len(c.want) == 0 && name != "no length") {
			t.Errorf("%s: claimed %v", name, sniffed)
		}
	}
}

func TestUnit(t *testing.T) {
	got := logtest.Read(t, Format, []byte(`[[7,1795987502,500,["get","a"]]]`), ingest.Options{Unit: time.Millisecond})
	if s := got.Log.Shapes[0]; got.Pauses[0].Length != 500*time.Millisecond || s.UnitFrom != ingest.UnitFromFlag {
		t.Errorf("%+v, %+v", got.Pauses[0], s)
	}
}

// Other replies of redis-cli that begin with numbers.
func TestForeign(t *testing.T) {
	for _, text := range []string{
		"1) 1) (integer) 1795987492\n   2) (integer) 2000\n", // LATENCY HISTORY
		"1795987492\n2000\n",
		"5\n4\n3\n2\n1\n",
		"[[1795987492,2000]]\n",
		"[[1,2,3,[4]]]",
		"1) 1) \"command\"\n   2) (integer) 1795987492\n   3) (integer) 2000\n   4) (integer) 2000\n", // LATENCY LATEST
		"0\n1795987492\n12\nhello world\nfoo\nbar\n",
	} {
		if Format.Sniff([]byte(text)) {
			t.Errorf("claimed: %s", text)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	const n = 10_000
	for name, entry := range map[string]string{
		"bare":     "%d\n1795987502\n%d\nset\nuser:%d:name\nvalue\n127.0.0.1:53320\n\n",
		"numbered": "1) 1) (integer) %d\n   2) (integer) 1795987502\n   3) (integer) %d\n   4) 1) \"set\"\n      2) \"user:%d:name\"\n      3) \"value\"\n   5) \"127.0.0.1:53320\"\n   6) \"\"\n",
	} {
		var text bytes.Buffer
		for i := range n {
			fmt.Fprintf(&text, entry, n-i, i, i)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				got := 0
				for rec := range Format.Read(bytes.NewReader(text.Bytes()), ingest.Input{}) {
					if _, ok := rec.(*ingest.Pause); ok {
						got++
					}
				}
				if got != n {
					b.Fatal(got)
				}
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mentries/s")
		})
	}
}

func FuzzRead(f *testing.F) {
	logtest.Fuzz(f, Format,
		"7\n1795987502\n500\nset\nk:1\n6\n"+address+"6\n1795987501\n400\nget\nk\n"+address,
		"1) 1) (integer) 12\n   2) (integer) 1795987502\n   3) (integer) 500\n   4) 1) \"get\"\n      2) \"k\"\n2) 1) (integer) 11\n",
		`[[7,1795987502,500,["get","a\"]b"],"127.0.0.1:1",""],[6,1795987501,400,["get","b"]]]`,
	)
}
