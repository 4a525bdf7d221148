package apache

import (
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const combined = `LogFormat "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" `

// What another reader made of each file, which knew its LogFormat.
func TestCorpus(t *testing.T) {
	york, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	format := func(s string) ingest.Options { return ingest.Options{LogFormat: s} }
	for _, c := range []struct {
		logtest.Case
		from ingest.Fact
	}{
		{logtest.Case{File: "recorded/e_apache/combined_D.log"}, ""}, // as microseconds, which they are
		{logtest.Case{File: "recorded/e_apache/combined_D.log", Options: format(combined + `%D" combined_D`), Unit: us}, ingest.UnitFromFormat},
		{logtest.Case{File: "recorded/e_apache/combined_D.log", Options: ingest.Options{Unit: us}, Unit: us}, ingest.UnitFromFlag},
		{logtest.Case{File: "recorded/e_apache/combined_T.log", Options: format(combined + `%T" combined_T`), Unit: time.Second}, ingest.UnitFromFormat},
		{logtest.Case{File: "recorded/e_apache/combined_msT.log", Options: format(combined + `%{ms}T" combined_msT`), Unit: ms}, ingest.UnitFromFormat},
		{logtest.Case{File: "recorded/e_apache/combined_msT.log", Options: ingest.Options{Unit: ms}, Unit: ms}, ingest.UnitFromFlag},
		{logtest.Case{File: "recorded/e_apache/begin_end.log", Options: ingest.Options{Zone: york}, Unit: us}, ingest.UnitFromRedundancy},
		{logtest.Case{File: "recorded/e_apache/begin_end.log", Unit: us, Options: ingest.Options{Zone: york, LogFormat: `%h [%{begin:%Y-%m-%dT%H:%M:%S}t.%{begin:msec_frac}t] ` +
			`[%{end:%Y-%m-%dT%H:%M:%S}t.%{end:msec_frac}t] \"%r\" %>s D=%D ttfb=%^FB bal=%{BALANCER_WORKER_NAME}e route=%{BALANCER_NAME}e`}}, ingest.UnitFromFormat},
		{logtest.Case{File: "recorded/e_apache/vhost_TD.log", Unit: us}, ingest.UnitFromRedundancy},
		{logtest.Case{File: "recorded/e_apache/vhost_TD.log", Unit: us, Options: format(`LogFormat "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" **%T/%D** %X %k" vhost_TD`)}, ingest.UnitFromFormat},
		{logtest.Case{File: "apache/matomo_gandi_seconds.log", Unit: time.Second}, ingest.UnitFromValue},
		{logtest.Case{File: "apache/goaccess_1752_ms.log", Options: ingest.Options{Unit: ms}, Unit: ms}, ingest.UnitFromFlag},
	} {
		c.Stamp = ingest.StampStart
		logtest.Check(t, Format, c.Case)
		if s := logtest.Read(t, Format, logtest.Load(t, c.File), c.Options).Log.Shapes; len(s) != 1 || s[0].UnitFrom != c.from || s[0].Clock == "" {
			t.Errorf("%s: %+v", c.File, s)
		}
	}
}

// Without the LogFormat the unit of a lone number is not known, whatever it is:
// values are read as microseconds, and may be milliseconds.
func TestUnitUnknown(t *testing.T) {
	for file, max := range map[string]time.Duration{
		"recorded/e_apache/combined_D.log":   2100799 * us,
		"recorded/e_apache/combined_T.log":   2 * us,
		"recorded/e_apache/combined_msT.log": 2100 * us,
		"apache/goaccess_1752_ms.log":        1736 * us,
		"tomcat/rla_89_tomcat6_ms.log":       44 * us, // Tomcat's lines look the same
	} {
		data := logtest.Load(t, file)
		if !Format.Sniff(data[:min(len(data), ingest.HeadSize)]) {
			t.Errorf("%s: not claimed", file)
		}
		got := logtest.Read(t, Format, data, ingest.Options{})
		v := got.Durations()
		if s := got.Log.Shapes; len(s) != 1 || s[0].Unit != 0 || s[0].UnitFrom != "" || s[0].Assumed != us || s[0].Other != ms || v[len(v)-1] != max {
			t.Errorf("%s: %+v, max %v", file, s, v[len(v)-1])
		}
	}
}

// No line of another server's files is Apache's, but for those of Tomcat.
func TestClaims(t *testing.T) {
	for _, file := range []string{"recorded/e_apache/vhost_TD.log", "recorded/e_apache/begin_end.log", "apache/matomo_gandi_seconds.log"} {
		logtest.Split(t, Format, logtest.Load(t, file), ingest.Options{Zone: time.UTC})
	}
	logtest.Lines(t, Dialect, "recorded/e_apache/", "apache/", "tomcat/")
}

func TestDirt(t *testing.T) {
	logtest.Dirty(t, Dialect, front+`"-" "curl/7" **0/5376** + 0`)
	logtest.Dirty(t, Dialect, front+`"-" "curl/7" 5376`)
	logtest.Dirty(t, Dialect, goodJSON)
}

func BenchmarkRead(b *testing.B) { logtest.Bench(b, Format, front+`"-" "curl/7" **0/5376** + 0`) }
func BenchmarkJSON(b *testing.B) { logtest.Bench(b, Format, goodJSON) }
