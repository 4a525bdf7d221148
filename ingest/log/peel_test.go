package log

import (
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
)

const plain = `203.0.113.9 - - [29/Nov/2026:21:16:22 +0100] "GET / HTTP/1.1" 200 41 "-" "-"`

func TestPeel(t *testing.T) {
	at := time.Date(2026, 11, 29, 20, 16, 22, 123456789, time.UTC)
	escaped := strings.ReplaceAll(plain, `"`, `\"`)
	for _, c := range []struct {
		name, in string
		stamp    time.Time
		wrapper  string
	}{
		{"nothing", plain, time.Time{}, ""},
		{"NULs", "\x00\x00\x00" + plain, time.Time{}, ""},
		{"byte order mark", "\xef\xbb\xbf" + plain, time.Time{}, ""},
		{"colour", "\x1b[31m" + plain + "\x1b[0m", time.Time{}, ""},
		{"CRI", "2026-11-29T20:16:22.123456789Z stdout F " + plain, at, "CRI"},
		{"CRI, a piece, another zone", "2026-11-29T21:16:22.123456789+01:00 stderr P " + plain, at, "CRI"},
		{"CRI with further tags", "2026-11-29T20:16:22.123456789Z stdout F:x " + plain, at, "CRI"},
		{"docker json-file", `{"log":"` + escaped + `\n","stream":"stdout","time":"2026-11-29T20:16:22.123456789Z"}`, at, "docker json-file"},
		{"docker json-file with attributes", `{"log":"` + escaped + `\n","stream":"stdout","attrs":{"tag":"x"},"time":"2026-11-29T20:16:22.123456789Z"}`, at, "docker json-file"},
		{"docker logs -t", "2026-11-29T20:16:22.123456789Z " + plain, at, "time stamps"},
		{"docker compose", "web-1  | " + plain, time.Time{}, "docker compose"},
		{"docker compose with stamps and an erased line", "\x1b[2Kweb-1  | 2026-11-29T20:16:22.123456789Z " + plain, at, "docker compose"},
		{"syslog with priority, without host", "<142>Nov 29 21:20:31 nginx[9834]: " + plain, time.Time{}, "syslog"},
		{"syslog with priority and host", "<142>Nov  9 21:20:31 lb-1 nginx: " + plain, time.Time{}, "syslog"},
		{"syslog without priority", "Nov 29 21:20:31 lb-1 nginx[3]: " + plain, time.Time{}, "syslog"},
		{"syslog with a year", "<142>Nov 29 2026 21:20:31 lb-1 nginx: " + plain, time.Time{}, "syslog"},
		{"journalctl -o short-precise", "Nov 29 21:20:31.123456 lb-1 nginx[3]: " + plain, time.Time{}, "syslog"},
		{"rsyslog", "2026-11-29T21:16:22.123456+01:00 lb-1 nginx[3]: " + plain, at.Truncate(time.Microsecond), "syslog"},
		{"RFC 5424", `<142>1 2026-11-29T20:16:22.123456Z lb-1 nginx 3 - - ` + plain, at.Truncate(time.Microsecond), "syslog"},
		{"RFC 5424 with data", `<142>1 2026-11-29T20:16:22.123456Z lb-1 nginx 3 id [x@1 a="]\"" b="c"][y@1] ` + "\xef\xbb\xbf" + plain, at.Truncate(time.Microsecond), "syslog"},
		{"kubectl logs --prefix", "[pod/shop-7d4b9c/web] " + plain, time.Time{}, "kubectl"},
		{"kubectl logs --prefix --timestamps", "[pod/shop-7d4b9c/web] 2026-11-29T20:16:22.123456789Z " + plain, at, "kubectl"},
		{"syslog in CRI", "2026-11-29T20:16:22.123456789Z stdout F <142>Nov 29 21:20:31 nginx: " + plain, at, "CRI"},
	} {
		var p peeler
		text, stamp, wrapper := p.peel([]byte(c.in))
		want := ingest.Time(0)
		if !c.stamp.IsZero() {
			want = ingest.Time(c.stamp.UnixNano())
		}
		if string(text) != plain || stamp.Time != want || wrapper != c.wrapper {
			t.Errorf("%s: %q, %+v, %q", c.name, text, stamp, wrapper)
		}
	}
}

// What only begins like a wrapper is left alone.
func TestNoPeel(t *testing.T) {
	for _, in := range []string{
		"2026-11-29T20:16:22.123Z INFO Bar: message", "2026-11-29T20:16:22.123Z app started", "2026-11-29 20:16:22 x", "<x>", "<142", "<1>1 x",
		"Now is the time: all", "May 33 21:20:31 x y: z", `{"log":"x`, `{"log":1}`, `{"log":{"a":1}}`, `{"a":"b"}`, "a | b", "[pod/a b/c] x", "[pod/a]x", "[a] x", "| x", "x y | z", "2026-11-29T20:16:22Zstdout F x",
	} {
		var p peeler
		if text, stamp, wrapper := p.peel([]byte(in)); wrapper != "" && wrapper != "docker compose" || stamp.Time != 0 {
			t.Errorf("%q: %q, %+v, %q", in, text, stamp, wrapper)
		}
	}
}

func TestEnvelope(t *testing.T) {
	escaped := strings.ReplaceAll(plain, `"`, `\"`)
	at := ingest.Time(time.Date(2026, 11, 29, 20, 16, 22, 123456000, time.UTC).UnixNano())
	for _, in := range []string{
		`{"MESSAGE":"` + escaped + `","__REALTIME_TIMESTAMP":"1795983382123456","_PID":"1"}`,
		`{"textPayload":"` + escaped + `","timestamp":"2026-11-29T20:16:22.123456Z","resource":{"type":"x"}}`,
		`{"@timestamp":"2026-11-29T20:16:22.123456Z","message":"` + escaped + `"}`,
		`{"record":{"message":"` + escaped + `"},"ts":1795983382.123456}`,
	} {
		var p peeler
		if text, stamp, ok := p.envelope([]byte(in)); !ok || string(text) != plain || stamp.Time != at {
			t.Errorf("%s: %v %q %+v", in, ok, text, stamp)
		}
	}
}
