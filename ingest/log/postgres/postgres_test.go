package postgres

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

func TestCorpus(t *testing.T) {
	for _, file := range []string{"recorded/h_postgres/pg.log", "recorded/h_postgres/pg.csv", "recorded/h_postgres/pg.json", "postgres/pgbadger_light.log", "postgres/pgbadger_queryid_multiline.log", "postgres/pgbadger_msk_utf8.log"} {
		logtest.Check(t, Format, logtest.Case{File: file, Unit: time.Millisecond, Stamp: ingest.StampEnd, Only: ingest.KindSample})
	}
	logtest.Claims(t, Format, "recorded/h_postgres/pg.log", "recorded/h_postgres/pg.csv", "recorded/h_postgres/pg.json", "postgres/pgbadger_light.log", "postgres/pgbadger_queryid_multiline.log", "postgres/pgbadger_msk_utf8.log")
	logtest.Lines(t, Dialect, "recorded/h_postgres/pg.log", "recorded/h_postgres/pg.csv", "recorded/h_postgres/pg.json", "postgres/pgbadger_light.log", "postgres/pgbadger_queryid_multiline.log", "postgres/pgbadger_msk_utf8.log")
}

// The recorded run: four sessions waited for a table that was locked for 2 s
// from 21:24:40.9 on. The lengths are those of the lines "acquired … after".
func TestRecordedWaits(t *testing.T) {
	for _, file := range []string{"pg.log", "pg.csv", "pg.json"} {
		got := logtest.Read(t, Format, logtest.Load(t, "recorded/h_postgres/"+file), ingest.Options{})
		want := []time.Duration{1907553, 2007434, 2007973, 1987448} // µs, in the order of the lines
		if len(got.Pauses) != len(want) {
			t.Errorf("%s: %+v", file, got.Pauses)
			continue
		}
		for i, p := range got.Pauses {
			start, end := time.Unix(0, int64(p.Start)).UTC(), time.Unix(0, int64(p.Start.Add(p.Length))).UTC()
			if p.Op != "lock wait" || p.Length != want[i]*time.Microsecond || start.Format("15:04:05")[:7] != "21:24:4" || end.Format("15:04:05.0") != "21:24:42.9" {
				t.Errorf("%s: %+v, from %v to %v", file, p, start, end)
			}
		}
		ops := map[string]int{}
		for i := range got.Samples {
			ops[got.Samples[i].Op]++
		}
		data := logtest.Load(t, "recorded/h_postgres/"+file)
		for op, text := range map[string]string{
			"UPDATE pgbench_accounts": `(statement|execute \S+): UPDATE pgbench_accounts`, "bind UPDATE pgbench_accounts": `bind \S+: UPDATE pgbench_accounts`,
			"INSERT pgbench_history": `(statement|execute \S+): INSERT INTO pgbench_history`, "SELECT pgbench_accounts": `(statement|execute \S+): (SELECT abalance FROM pgbench_accounts|select count\(\*\), 'multi)`,
			"LOCK pgbench_branches": "statement: begin; lock table",
		} {
			if want := len(regexp.MustCompile(text).FindAllIndex(data, -1)); ops[op] != want {
				t.Errorf("%s: %d of %s, want %d", file, ops[op], op, want)
			}
		}
		if len(ops) > 60 {
			t.Errorf("%s: %v", file, ops)
		}
		if s := got.Log.Shapes[0]; s.Zone != ingest.ZoneStated || s.Resolution != time.Millisecond {
			t.Errorf("%+v", s)
		}
	}
}

const (
	at     = "2026-11-29 22:24:36.500 CET"
	prefix = at + " [4711] app@shop "
	csvAt  = at + `,"app","shop",4711,"127.0.0.1:51398",6b0c9814.57ee,2,"SELECT",2026-11-29 22:24:36 CET,3/0,0,LOG,00000,"`
	csvEnd = `,,,,,,,,,"pgbench","client backend",,0`
)

func end(s *ingest.Sample) time.Time { return time.Unix(0, int64(s.Start.Add(s.Latency))).UTC() }

func TestStatements(t *testing.T) {
	for name, c := range map[string]struct {
		log      string
		ops      []string
		problems int
	}{
		"a statement of several lines": {
			prefix + "LOG:  duration: 1.500 ms  statement: SELECT a,\n\t  b\n\tFROM orders\n\tWHERE x;\n" + prefix + "LOG:  duration: 1.500 ms  statement: commit;\n",
			[]string{"SELECT orders", "COMMIT"}, 0},
		"at the end":              {prefix + "LOG:  duration: 1.500 ms  statement: SELECT a,\n\tb FROM orders\n", []string{"SELECT orders"}, 0},
		"no table, no semicolon":  {prefix + "LOG:  duration: 1.500 ms  statement: SELECT 1\n" + prefix + "LOG:  duration: 1.500 ms  statement: SELECT 2\n", []string{"SELECT", "SELECT"}, 0},
		"steps":                   {prefix + "LOG:  duration: 1.500 ms  parse <unnamed>: select 1 from a\n" + prefix + "LOG:  duration: 1.500 ms  bind S_1: select 1 from a\n" + prefix + "DETAIL:  parameters: $1 = 'x'\n" + prefix + "LOG:  duration: 1.500 ms  execute S_1: select 1 from a\n", []string{"parse SELECT a", "bind SELECT a", "SELECT a"}, 0},
		"logged before":           {prefix + "LOG:  statement: update a set b = 1\n" + strings.ReplaceAll(prefix, "4711", "1") + "LOG:  statement: delete from b\n" + prefix + "LOG:  duration: 1.500 ms\n" + strings.ReplaceAll(prefix, "4711", "2") + "LOG:  duration: 1.500 ms\n", []string{"UPDATE a", "(no statement)"}, 0},
		"plans beside statements": {prefix + "LOG:  duration: 1.400 ms  plan:\n\tQuery Text: select 1 from a\n\tResult\n" + prefix + "LOG:  duration: 1.500 ms  statement: select 1 from a\n", []string{"SELECT a"}, 0},
		"plans alone":             {prefix + "LOG:  duration: 1.500 ms  plan:\n\tQuery Text: select 1\n\tfrom a;\n\tResult\n" + prefix + "LOG:  duration: 1.500 ms  plan:\n\t{\n\t  \"Query Text\": \"select 2 from b\",\n\t}\n", []string{"SELECT a", "SELECT b"}, 0},
		"errors are none":         {prefix + "ERROR:  canceling statement due to statement timeout\n" + prefix + "STATEMENT:  select 1\n\tfrom a\n" + prefix + "LOG:  checkpoint complete: wrote 1 buffers; write=0.013 s, sync=0.005 s, total=0.020 s\n", nil, 0},
		"cut off":                 {prefix + "LOG:  duration: 1.5\n" + prefix + "LOG:  duration: x ms\n" + prefix + "LOG:  process 1 acquired ShareLock on transaction 875 aft", nil, 3},
		"another program between": {prefix + "LOG:  duration: 1.500 ms  statement: select a,\nscp: no such file\n" + prefix + "LOG:  duration: 1.500 ms  statement: commit\n", []string{"SELECT", "COMMIT"}, 1},
		"csvlog": {
			csvAt + `duration: 1.500 ms  statement: select ""A"",` + "\n" + `'x' from ""My Table""` + "\n" + `where b"` + csvEnd + "\n" +
				csvAt + `duration: 1.500 ms  statement: select 1"` + csvEnd + "\n" +
				csvAt + `process 1 was here",,,,,"select` + "\nmore" + `",,,,"pgbench","client backend",,0` + "\n" + "rubbish\n" +
				csvAt + `duration: 1.500 ms  statement: commit"` + csvEnd + "\n",
			[]string{"SELECT My Table", "SELECT", "COMMIT"}, 1},
		"csvlog, cut within quotes": {csvAt + "duration: 1.500 ms  statement: select a\n" + csvAt + `duration: 1.500 ms  statement: commit"` + csvEnd + "\n", []string{"SELECT", "COMMIT"}, 0},
		"jsonlog": {
			`{"timestamp":"` + at + `","user":"app","pid":4711,"error_severity":"LOG","message":"duration: 1.500 ms  statement: select \"A\",\n'x' from \"Tab\"","query_id":0}` + "\n" +
				`{"level":"info","ts":1,"logger":"postgres","msg":"record","record":{"log_time":"` + at + `","process_id":"4711","error_severity":"LOG","message":"duration: 1.500 ms  statement: commit"}}` + "\n" +
				`{"timestamp":"` + at + `","error_severity":"LOG","mess`,
			[]string{"SELECT Tab", "COMMIT"}, 1},
		"dirt":            {"\x00\x00" + prefix + "LOG:  duration: 1.500 ms  statement: select '\xff' from a where b in (" + strings.Repeat("1,", 50_000) + "2)\n", []string{"SELECT a"}, 0},
		"an unknown zone": {strings.ReplaceAll(prefix, "CET", "IST") + "LOG:  duration: 1.500 ms  statement: commit\n", nil, 1},
	} {
		got := logtest.Read(t, Format, []byte(c.log), ingest.Options{})
		if len(got.Samples) != len(c.ops) || len(got.Problems) != c.problems || len(got.Pauses) > 0 {
			t.Errorf("%s: %+v, %v", name, got.Samples, got.Problems)
			continue
		}
		want := time.Date(2026, 11, 29, 21, 24, 36, 5e8, time.UTC)
		for i := range got.Samples {
			s := &got.Samples[i]
			if s.Op != c.ops[i] || s.Latency != 1500*time.Microsecond || !end(s).Equal(want) || s.Vantage != ingest.Server {
				t.Errorf("%s: %+v, want %q", name, s, c.ops[i])
			}
		}
	}
}

// log_line_prefix is free.
func TestPrefixes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	want := time.Date(2026, 11, 29, 21, 24, 36, 0, time.UTC)
	for p, zone := range map[string]*time.Location{
		"2026-11-29 22:24:36 CET [20]: [1-1] user=a,db=b,app=c,client=::1 ": nil,
		"2026-11-29 21:24:36 UTC:10.0.0.1(5432):user@db:[123]:":             nil, // Amazon RDS
		"user=a,db=b,time=2026-11-30 00:24:36.000 MSK,pid=4711 ":            nil,
		"[4711] 2026-11-29 18:24:36 -03 ":                                   nil,
		"2026-11-29 21:24:36 +00:[1]:":                                      nil,
		"2026-11-30 02:54:36 +0530 ":                                        nil,
		"1795987476.000 [4711] ":                                            nil,
		"< 2026-11-29 22:24:36.000 CET a@b >":                               nil,
		"2026-11-30 02:54:36 IST [1] ":                                      kolkata,
		"2026-11-29 22:24:36 [1] ":                                          berlin, // no zone
		"2026-11-29T21:24:36.001000Z stdout F 2026-11-29 22:24:36 CET [1] ": nil,
	} {
		line := p + "LOG:  duration: 1000.000 ms  statement: commit"
		s := logtest.One(t, Format, line, ingest.Options{Zone: zone})
		if !end(s).Truncate(time.Second).Equal(want) || s.Op != "COMMIT" || s.Latency != time.Second {
			t.Errorf("%q: %v, %+v", p, end(s), s)
		}
		if !Format.Sniff([]byte(line + "\n")) {
			t.Errorf("%q: not claimed", p)
		}
	}
	// syslog, without a time of its own.
	got := logtest.Read(t, Format, []byte("2026-11-29T21:24:36.000000+00:00 db1 postgres[4711]: [7-1] a@b LOG:  duration: 1000.000 ms  statement: commit\n"), ingest.Options{})
	if len(got.Samples) != 1 || !end(&got.Samples[0]).Equal(want) {
		t.Errorf("%+v", got)
	}
}

func TestWaits(t *testing.T) {
	line := func(pid int, severity, text string) string {
		return fmt.Sprintf("2026-11-29 22:24:36.500 CET [%d] %s:  %s\n", pid, severity, text)
	}
	still := "process %d still waiting for ShareLock on transaction 875 after 200.039 ms"
	for name, c := range map[string]struct {
		log  string
		want []time.Duration // µs
	}{
		"that was acquired":           {line(1, "LOG", fmt.Sprintf(still, 1)) + line(1, "LOG", "process 1 acquired ShareLock on transaction 875 after 1907.553 ms at character 8"), []time.Duration{1907553}},
		"that a timeout ended":        {line(1, "LOG", fmt.Sprintf(still, 1)) + line(2, "ERROR", "canceling statement due to user request") + line(1, "ERROR", "canceling statement due to lock timeout") + line(1, "ERROR", "another"), []time.Duration{200039}},
		"that a deadlock ended":       {line(1, "LOG", "process 1 detected deadlock while waiting for ShareLock on transaction 875 after 1000.100 ms") + line(1, "ERROR", "deadlock detected"), []time.Duration{1000100}},
		"that go on at the end":       {line(1, "LOG", fmt.Sprintf(still, 1)) + line(2, "LOG", fmt.Sprintf(still, 2)), []time.Duration{200039, 200039}},
		"that went on, and on":        {line(1, "LOG", fmt.Sprintf(still, 1)) + line(1, "LOG", "process 1 still waiting for ShareLock on transaction 875 after 400.000 ms"), []time.Duration{400000}},
		"whose beginning is not here": {line(1, "LOG", "process 1 acquired ShareLock on transaction 875 after 1907.553 ms"), []time.Duration{1907553}},
	} {
		got := logtest.Read(t, Format, []byte(c.log), ingest.Options{})
		if len(got.Pauses) != len(c.want) || len(got.Samples)+len(got.Problems) != 0 {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for i, p := range got.Pauses {
			if p.Op != "lock wait" || p.All || p.Length != c.want[i]*time.Microsecond || time.Unix(0, int64(p.Start.Add(p.Length))).UTC().Format("15:04:05.000") != "21:24:36.500" {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

func bench(b *testing.B, text string, n int) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		got := 0
		for rec := range Format.Read(strings.NewReader(text), ingest.Input{}) {
			if _, ok := rec.(*ingest.Sample); ok {
				got++
			}
		}
		if got != n {
			b.Fatal(got)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

func BenchmarkRead(b *testing.B) {
	const n = 20_000
	for name, format := range map[string]string{
		"stderr":  "2026-11-29 22:24:%02d.%03d CET [%d] postgres@postgres app=pgbench LOG:  duration: 0.%03d ms  statement: UPDATE pgbench_tellers SET tbalance = tbalance + -3844 WHERE tid = 9;\n",
		"csvlog":  "2026-11-29 22:24:%02d.%03d CET,\"postgres\",\"postgres\",%d,\"127.0.0.1:51398\",6b0c9814.57ee,2,\"UPDATE\",2026-11-29 22:24:36 CET,3/0,0,LOG,00000,\"duration: 0.%03d ms  statement: UPDATE pgbench_tellers SET tbalance = tbalance + -3844 WHERE tid = 9;\",,,,,,,,,\"pgbench\",\"client backend\",,0\n",
		"jsonlog": "{\"timestamp\":\"2026-11-29 22:24:%02d.%03d CET\",\"user\":\"postgres\",\"dbname\":\"postgres\",\"pid\":%d,\"remote_host\":\"127.0.0.1\",\"session_id\":\"6b0c9814.57ee\",\"line_num\":1,\"error_severity\":\"LOG\",\"message\":\"duration: 0.%03d ms  statement: UPDATE pgbench_tellers SET tbalance = tbalance + -3844 WHERE tid = 9;\",\"backend_type\":\"client backend\",\"query_id\":0}\n",
	} {
		var text bytes.Buffer
		for i := range n {
			fmt.Fprintf(&text, format, i/1000, i%1000, 4711+i%8, i%1000)
		}
		b.Run(name, func(b *testing.B) { bench(b, text.String(), n) })
	}
}

func FuzzRead(f *testing.F) {
	logtest.Fuzz(f, Format,
		prefix+"LOG:  duration: 1.500 ms  statement: SELECT a,\n\tb FROM c\nrubbish\n"+prefix+"LOG:  process 1 still waiting for ShareLock on x after 2.0 ms\n"+prefix+"ERROR:  x\n",
		csvAt+"duration: 1.500 ms  statement: select \"\"A\"\"\nfrom b\""+csvEnd+"\n"+csvAt+"x\"\n",
		`{"timestamp":"`+at+`","pid":4711,"error_severity":"LOG","message":"duration: 1.500 ms  plan:\nQuery Text: select 1"}`,
	)
}

// Durations in other languages are not passed over in silence.
func TestLanguages(t *testing.T) {
	for text, unread := range map[string]int{
		"Dauer: 2005.401 ms  Anweisung: SELECT 1": 1, "durée : 2005.401 ms": 1, "продолжительность: 2005.401 мс, оператор: SELECT 1": 1, "duración: 2005.401 ms": 1,
		"checkpoint complete: wrote 3 buffers; write=0.205 s": 0, "Dauer: x ms": 0, "a b: 2005.401 ms": 0, "size: 2005.401 MB": 0,
	} {
		got := logtest.Read(t, Dialect.Format(), []byte("2026-11-29 21:16:22.123 CET [1234] LOG:  "+text+"\n"), ingest.Options{})
		if len(got.Problems) != unread || len(got.Samples) != 0 {
			t.Errorf("%s: %v, %+v", text, got.Problems, got.Samples)
		}
	}
}
