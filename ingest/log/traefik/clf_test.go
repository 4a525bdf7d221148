package traefik

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
	"github.com/tailcheck/tailcheck/ingest/log/logtest"
)

const goodCLF = `203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET /a/17?x=1 HTTP/1.1" 200 41 "-" "curl/7" 240 "shop@docker" "http://10.0.0.1:80" 42ms`

func TestCLFCorpus(t *testing.T) {
	logtest.Check(t, CLF.Format(), logtest.Case{File: "traefik/crowdsec_clf.log", Unit: time.Millisecond, Stamp: ingest.StampStart})
	logtest.Split(t, CLF.Format(), logtest.Load(t, "traefik/crowdsec_clf.log"), ingest.Options{})
	logtest.Lines(t, CLF, "traefik/crowdsec_clf.log")
}

func TestCLFLines(t *testing.T) {
	start := ingest.Time(time.Date(2026, 11, 29, 20, 16, 22, 0, time.UTC).UnixNano())
	for latency, want := range map[string]time.Duration{"42ms": 42 * time.Millisecond, "0ms": 0, "6.45837ms": 6458370, "1.053089843s": 1053089843, "471.475µs": 471475, "1m2.5s": 62500 * time.Millisecond} {
		line := strings.Replace(goodCLF, "42ms", latency, 1)
		s := logtest.One(t, CLF.Format(), line, ingest.Options{})
		if s.Latency != want || s.Status != 200 || s.Op != "GET /a/{id}" || s.Start != start || s.Vantage != ingest.Proxy {
			t.Errorf("%s: %+v", line, s)
		}
		if CLF.Claims([]byte(line)) != log.Own {
			t.Errorf("%s: not claimed", line)
		}
	}
	none := logtest.One(t, CLF.Format(), strings.Replace(strings.Replace(goodCLF, " 200 41 ", " - - ", 1), `"http://10.0.0.1:80"`, `"-"`, 1), ingest.Options{})
	if none.Status != 0 || none.Latency != 42*time.Millisecond {
		t.Errorf("%+v", none)
	}
	got := logtest.Read(t, CLF.Format(), []byte(goodCLF+"\n"+strings.Replace(goodCLF, "42ms", "1.5s", 1)), ingest.Options{Unit: time.Second})
	if s := got.Log.Shapes; len(s) != 2 || s[0].Step == s[1].Step || s[0].UnitFrom != ingest.UnitFromValue {
		t.Errorf("%+v", s)
	}
	for _, line := range []string{
		strings.TrimSuffix(goodCLF, "ms"), strings.Replace(goodCLF, "42ms", "x4ms", 1), strings.Replace(goodCLF, " 240 ", " x ", 1),
		strings.Replace(goodCLF, "http://10.0.0.1:80", "curl", 1), `203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET / HTTP/1.1" 200 41 "-" "curl" 5ms`, "",
	} {
		if CLF.Claims([]byte(line)) != log.Foreign {
			t.Errorf("%s: claimed", line)
		}
	}
}

func TestCLFDirt(t *testing.T) { logtest.Dirty(t, CLF, goodCLF) }

func BenchmarkCLF(b *testing.B) { logtest.Bench(b, CLF.Format(), goodCLF) }
