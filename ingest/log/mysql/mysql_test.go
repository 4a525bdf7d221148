package mysql

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

func TestCorpus(t *testing.T) {
	for _, c := range []logtest.Case{
		{File: "mysql/lnav_percona_slow.log", NotRange: true}, // expected are the whole seconds of SET timestamp
		{File: "mysql/percona_mysql57.log", NotRange: true},
		{File: "mysql/percona_slow014_int_seconds.log"},
		{File: "mysql/percona_slow002.log"},
		{File: "mysql/percona_slow060_sleep10.log"},
	} {
		c.Unit, c.Stamp = time.Second, ingest.StampEnd
		logtest.Check(t, Format, c)
	}
	logtest.Claims(t, Format, "mysql/")
	logtest.Lines(t, Dialect, "mysql/")

	for file, ops := range map[string][]string{
		"mysql/percona_slow002.log":             {"BEGIN", "UPDATE db2.tuningdetail_{id}_{id}", "INSERT db3.vendor{id}", "UPDATE db4.vab3concept1upload", "INSERT db1.conch", "UPDATE foo.bar", "UPDATE bizzle.bat", "UPDATE foo.bar"},
		"mysql/percona_slow014_int_seconds.log": {"SELECT n", "SELECT n"},
		"mysql/lnav_percona_slow.log":           {"SELECT oc_appconfig", "SELECT oc_flow_operations", "SELECT oc_appconfig", "SELECT oc_flow_operations", "SELECT oc_appconfig", "SELECT oc_flow_operations"},
	} {
		got := logtest.Read(t, Format, logtest.Load(t, file), ingest.Options{})
		for i, p := range got.Pauses {
			if want := strings.Replace(ops[i], "vab3concept1upload", "vab{id}", 1); p.Op != want {
				t.Errorf("%s: %q, want %q", file, p.Op, want)
			}
			end := time.Unix(0, int64(p.Start.Add(p.Length))).UTC()
			if i == 0 && strings.Contains(file, "lnav") && !end.Equal(time.Date(2021, 1, 26, 23, 45, 57, 678222000, time.UTC)) {
				t.Errorf("%v", end)
			}
		}
	}
}

const (
	maria  = "/usr/sbin/mariadbd, Version: 10.11.4-MariaDB-1~deb12u1 (Debian 12). started with:\nTcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\nTime\t\t    Id Command\tArgument\n"
	mysql5 = "/usr/sbin/mysqld, Version: 5.5.38-log (MySQL Community Server (GPL)). started with:\nTcp port: 3306  Unix socket: (null)\nTime                 Id Command    Argument\n"
	user   = "# User@Host: root[root] @ localhost []\n"
	took   = "# Query_time: 3.500000  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 0\n"
)

func TestEntries(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 30, 1, 55, 5, 0, time.UTC)
	epoch := fmt.Sprintf("SET timestamp=%d;\n", at.Unix())
	const length = 3500 * time.Millisecond
	for name, c := range map[string]struct {
		log      string
		start    time.Time // zero: not known
		stamp    ingest.Stamp
		zone     ingest.Zone
		op       string
		problems int
		opt      ingest.Options
	}{
		"MariaDB: SET timestamp is the start": {
			maria + "# Time: 261130  2:55:09\n" + user + "# Thread_id: 5  Schema: test  QC_hit: No\n" + took + epoch + "select sleep(3.5);\n",
			at, ingest.StampStart, ingest.ZoneUTC, "SELECT", 0, ingest.Options{}},
		"MariaDB by its QC_hit": {
			user + "# Thread_id: 5  Schema: test  QC_hit: No\n" + took + epoch + "select 1 from t;\n", at, ingest.StampStart, ingest.ZoneUTC, "SELECT t", 0, ingest.Options{}},
		"MySQL 5.5: the end": {
			mysql5 + user + took + epoch + "select 1 from t;\n", at.Add(-length), ingest.StampEnd, ingest.ZoneUTC, "SELECT t", 0, ingest.Options{}},
		"both stamps show the start": {
			"# Time: 261130  2:55:09\n" + user + took + epoch + "select 1\nfrom t;\n", at, ingest.StampStart, ingest.ZoneUTC, "SELECT t", 0, ingest.Options{}},
		"both stamps show the end": {
			"# Time: 261130  2:55:05\n" + user + took + epoch + "select 1\nfrom t;\n", at.Add(-length), ingest.StampEnd, ingest.ZoneUTC, "SELECT t", 0, ingest.Options{}},
		"MySQL 8: Time is the end, whatever SET timestamp": {
			"/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:\n# Time: 2026-11-30T02:55:08.500000+01:00\n" + user + took + epoch + "delete from t;\n",
			at, ingest.StampEnd, ingest.ZoneStated, "DELETE t", 0, ingest.Options{}},
		"a local stamp alone": {
			"# Time: 261130  1:55:05\n" + user + took + "use test;\nselect 1 from t;\n", at.Add(-length), ingest.StampEnd, ingest.ZoneUnknown, "SELECT t", 0, ingest.Options{}},
		"and --tz": {
			"# Time: 261130  2:55:05\n" + user + took + "select 1 from t;\n", at.Add(-length), ingest.StampEnd, ingest.ZoneGiven, "SELECT t", 0, ingest.Options{Zone: berlin}},
		"no stamp at all": {user + took + "select 1 from t;\n", time.Time{}, ingest.StampNone, ingest.ZoneNone, "SELECT t", 0, ingest.Options{}},
		"an administrator's command": {
			user + took + epoch + "# administrator command: Quit;\n", at.Add(-length), ingest.StampEnd, ingest.ZoneUTC, "administrator command", 0, ingest.Options{}},
		"a comment that looks like a header": {
			user + took + epoch + "select 1\n# Thread_id: 7\nfrom t;\n", at.Add(-length), ingest.StampEnd, ingest.ZoneUTC, "SELECT t", 0, ingest.Options{}},
		"the end of an entry above": {
			"where x = 1;\n" + user + took + epoch + "select 1 from t;\n", at.Add(-length), ingest.StampEnd, ingest.ZoneUTC, "SELECT t", 1, ingest.Options{}},
		"an entry that was cut off": {
			user + user + took + epoch + "select 1 from t;\n" + "# Time: 261130  2:55:05\n" + "# User@", at.Add(-length), ingest.StampEnd, ingest.ZoneUTC, "SELECT t", 2, ingest.Options{}},
		"a Time of no sense": {
			"# Time: 999999  2:55:05\n" + user + took + "select 1 from t;\n", time.Time{}, ingest.StampNone, ingest.ZoneNone, "SELECT t", 1, ingest.Options{}},
		"dirt": {
			"\x00\x00" + user + took + epoch + "select '\xff\xfe' from t where x in (" + strings.Repeat("1,", 50_000) + "1);\n", at.Add(-length), ingest.StampEnd, ingest.ZoneUTC, "SELECT t", 0, ingest.Options{}},
	} {
		got := logtest.Read(t, Format, []byte(c.log), c.opt)
		if len(got.Pauses) != 1 || len(got.Problems) != c.problems {
			t.Errorf("%s: %+v, %v", name, got.Pauses, got.Problems)
			continue
		}
		p, s, start := got.Pauses[0], got.Log.Shapes[0], ingest.Time(0)
		if !c.start.IsZero() {
			start = ingest.Time(c.start.UnixNano())
		}
		if p.Op != c.op || p.All || p.Start != start || p.Length != length || s.Stamp != c.stamp || s.Zone != c.zone {
			t.Errorf("%s: %+v, %+v", name, p, s)
		}
		if !Format.Sniff([]byte(c.log)) {
			t.Errorf("%s: not claimed", name)
		}
	}
}

// The second of a local stamp holds for the entries behind it, and entries with
// both stamps tell the zone of those that have one.
func TestLocal(t *testing.T) {
	at := time.Date(2026, 11, 30, 1, 55, 5, 0, time.UTC)
	text := "# Time: 261130  2:55:05\n" + user + took + "begin;\n" + user + took + fmt.Sprintf("SET timestamp=%d;\n", at.Unix()) + "commit;\n" + user + took + "begin;\n"
	got := logtest.Read(t, Format, []byte(text), ingest.Options{})
	if len(got.Pauses) != 3 || len(got.Problems) != 0 {
		t.Fatalf("%+v %v", got.Pauses, got.Problems)
	}
	for i, p := range got.Pauses {
		if end := time.Unix(0, int64(p.Start.Add(p.Length))); !end.Equal(at) {
			t.Errorf("%d: %v", i, end.UTC())
		}
	}
}

// A wrapper's stamp is that of each line, an entry's that of its own.
func TestWrapped(t *testing.T) {
	var text strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(user+took+"select 1 from t;\n"+user+took+"select 2 from t;\n"), "\n") {
		fmt.Fprintf(&text, "2026-11-30T01:%02d:00.123456789Z stdout F %s\n", i, line)
	}
	got := logtest.Read(t, Format, []byte(text.String()), ingest.Options{})
	if len(got.Pauses) != 2 || got.Pauses[0].Start != 0 {
		t.Errorf("%+v", got.Pauses)
	}
}

func TestUnit(t *testing.T) {
	got := logtest.Read(t, Format, []byte(user+"# Query_time: 2  Lock_time: 0  Rows_sent: 1  Rows_examined: 0\nselect 1;\n"), ingest.Options{})
	if s := got.Log.Shapes[0]; got.Pauses[0].Length != 2*time.Second || s.Step != time.Second {
		t.Errorf("%+v", s)
	}
	got = logtest.Read(t, Format, []byte(user+took+"select 1;\n"), ingest.Options{Unit: time.Millisecond})
	if s := got.Log.Shapes[0]; got.Pauses[0].Length != 3500*time.Microsecond || s.UnitFrom != ingest.UnitFromFlag {
		t.Errorf("%+v", s)
	}
}

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	const n = 10_000
	for i := range n {
		fmt.Fprintf(&text, "# Time: 2026-11-30T02:%02d:%02d.%06dZ\n%s# Query_time: 0.%06d  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 0\nSET timestamp=%d;\nSELECT * FROM orders WHERE id = %d;\n", i/600, i/10%60, i, user, i, 1795987502+i, i)
	}
	lines := bytes.Count(text.Bytes(), []byte("\n"))
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
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

func FuzzRead(f *testing.F) {
	logtest.Fuzz(f, Format,
		maria+"# Time: 261130  2:55:09\n"+user+"# Thread_id: 5  QC_hit: No\n"+took+"SET timestamp=1795987502;\nselect 1\nfrom t;\n"+user+took,
		"# Time: 2026-11-30T02:55:08.5Z\n"+user+took+"# administrator command: Quit;\n",
	)
}
