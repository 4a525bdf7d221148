package w3c

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const ms = time.Millisecond

const (
	software = "#Software: Microsoft Internet Information Services 10.0\n"
	fieldsOf = "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken\n"
	line     = "2026-11-29 21:16:22 192.0.2.1 GET /a/17 q=1 80 - 203.0.113.9 Mozilla/5.0+(X11) - 200 0 0 250"
)

var (
	format = Dialect.Format()
	at     = ingest.Time(time.Date(2026, 11, 29, 21, 16, 22, 0, time.UTC).UnixNano())
)

func TestCorpus(t *testing.T) {
	logtest.Check(t, format, logtest.Case{File: "iis/lnav_w3c_big.log", Unit: ms, Stamp: ingest.StampEnd})
}

func TestClaims(t *testing.T) {
	logtest.Claims(t, format, "iis/lnav_w3c_big.log")
	logtest.Lines(t, Dialect, "iis/")
}

func TestHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		in      string
		latency time.Duration
		unit    time.Duration
		from    ingest.Fact
	}{
		"IIS":                    {software + fieldsOf + line, 250 * ms, ms, ingest.UnitFromFormat},
		"no software":            {fieldsOf + line, 250 * ms, ms, ingest.UnitFromFormat},
		"no header":              {line, 250 * ms, ms, ingest.UnitFromFormat},
		"no header, with bytes":  {strings.Replace(line, " 250", " 1405 242 250", 1), 250 * ms, ms, ingest.UnitFromFormat},
		"no header, and no time": {strings.TrimSuffix(line, " 250"), ingest.NoLatency, 0, ""},
		"a short header":         {"#Software: NetScaler Web Logging(NSWL)\n#Fields: date time c-ip cs-method cs-uri-stem sc-status time-taken\n2026-11-29 21:16:22 203.0.113.9 GET /a/17 200 3", 3 * time.Second, time.Second, ingest.UnitFromFormat},
		"another order":          {"#Software: NetScaler\n#Fields: time-taken sc-status cs-uri-stem cs-method time date\n0.250 200 /a/17 GET 21:16:22 2026-11-29", 250 * ms, time.Second, ingest.UnitFromFormat},
		"date in the header":     {"#Date: 2026-11-29 21:00:00\n#Fields: time cs-method cs-uri-stem sc-status time-taken sc-win32-status\n21:16:22 GET /a/17 200 250 0", 250 * ms, ms, ingest.UnitFromFormat},
		"another's software":     {"#Software: Web 1.0\n#Fields: date time cs-method cs-uri-stem sc-status time-taken\n2026-11-29 21:16:22 GET /a/17 200 250", 250 * ms, 0, ""},
		"tabs and quotes":        {"#Fields: date time cs-method cs-uri-stem sc-status cs(User-Agent) TimeTakenMS\n2026-11-29\t21:16:22\tGET\t/a/17\t200\t\"Mozilla 5.0 (X11)\"\t250", 250 * ms, ms, ingest.UnitFromKey},
	} {
		got := logtest.Read(t, format, []byte(c.in+"\n"), ingest.Options{})
		if len(got.Samples) != 1 {
			t.Errorf("%s: %v", name, got.Problems)
			continue
		}
		s := got.Samples[0]
		end := s.End
		if s.Latency >= 0 {
			end = s.Start.Add(s.Latency)
		}
		if s.Latency != c.latency || end != at || s.Op != "GET /a/{id}" || s.Status != 200 || s.Vantage != ingest.Server {
			t.Errorf("%s: %+v", name, s)
		}
		if x := got.Log.Shapes[0]; x.Unit != c.unit || x.UnitFrom != c.from || x.Zone != ingest.ZoneUTC || (x.Assumed != 0) != (c.unit == 0 && c.latency >= 0) {
			t.Errorf("%s: %+v", name, x)
		}
		if !format.Sniff([]byte(c.in + "\n")) {
			t.Errorf("%s: not claimed", name)
		}
	}
	unknown := "#Fields: date time cs-method cs-uri-stem sc-status time-taken\n2026-11-29 21:16:22 GET /a/17 200 2"
	if s := logtest.One(t, format, unknown, ingest.Options{Unit: time.Second}); s.Latency != 2*time.Second {
		t.Errorf("%+v", s)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	local := "#Fields: date-local time-local cs-method cs-uri-stem sc-status\n2026-11-29 22:16:22.500 GET /a/17 200"
	if s := logtest.One(t, format, local, ingest.Options{Zone: berlin}); s.End != at.Add(500*ms) {
		t.Errorf("%+v", s)
	}
}

// A header in mid-file changes what the lines below it say.
func TestChange(t *testing.T) {
	in := software + fieldsOf + line + "\n" +
		"#Fields: date time cs-method cs-uri-stem sc-status sc-substatus time-taken cs-host\n2026-11-29 21:16:22 POST /b 504 0 30000 shop.example\n" +
		line + "\n" +
		fieldsOf + line + "\n" + line[:50] + "\n"
	got := logtest.Read(t, format, []byte(in), ingest.Options{})
	if len(got.Samples) != 3 || len(got.Problems) != 2 || !errors.Is(got.Problems[0], errFields) || len(got.Log.Shapes) != 2 {
		t.Fatalf("%+v, %v, %+v", got.Samples, got.Problems, got.Log.Shapes)
	}
	if s := got.Samples[1]; s.Op != "POST /b" || s.Latency != 30*time.Second || s.Outcome != ingest.TimedOut {
		t.Errorf("%+v", s)
	}
}

func TestNotRequests(t *testing.T) {
	for in, problems := range map[string]int{
		"#Fields: date time action protocol src-ip dst-ip\n2026-11-29 21:16:22 DROP TCP 192.0.2.1 192.0.2.2\n":                      1,
		"#Fields: date time c-ip cs-method cs-uri sc-status s-reason\n2026-11-29 21:16:22 203.0.113.9 - - - Timer_ConnectionIdle\n": 0,
		"2026-11-29 21:16:22 INFO GET /a/17 200 0 0 250\n":                                                                          1,
		"x\n": 1,
		"2026-11-29 21:16:22 192.0.2.1 GET \"\" - - - 200 0 0 1\n": 1,
	} {
		got := logtest.Read(t, format, []byte(in), ingest.Options{})
		if len(got.Samples) != 0 || len(got.Problems) != problems {
			t.Errorf("%s: %+v, %v", in, got.Samples, got.Problems)
		}
		if strings.Contains(in, "DROP") && (format.Sniff([]byte(in)) || format.Near([]byte(in)) == "") {
			t.Error("a firewall's log is claimed")
		}
	}
	for in, want := range map[string]log.Claim{
		line:            log.Own,
		"#Version: 1.0": log.Aside,
		"# a comment":   log.Foreign,
		"2026-11-29 21:16:22 192.0.2.1 GET /a/17 200 250": log.Foreign,
		"": log.Foreign,
	} {
		if got := Dialect.Claims([]byte(in)); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}

// Headers that never end do not fill the memory.
func TestManyHeaders(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "#Fields: date time cs-method cs-uri-stem sc-status time-taken x-%d\n2026-11-29 21:16:22 GET /a/17 200 250 -\n", i)
	}
	got := logtest.Read(t, format, []byte(b.String()), ingest.Options{})
	if len(got.Samples) != 500 || len(got.Log.Shapes) > maxLayouts+1 {
		t.Errorf("%d requests, %d shapes", len(got.Samples), len(got.Log.Shapes))
	}
}

func TestDirt(t *testing.T) { logtest.Dirty(t, Dialect, line) }

func BenchmarkRead(b *testing.B) { logtest.Bench(b, format, line) }

func TestSplit(t *testing.T) {
	logtest.Split(t, format, logtest.Load(t, "iis/lnav_w3c_big.log"), ingest.Options{})
}
