package log_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log/nginx"
)

// Dirt costs the lines that it is on, and no others.
func TestDirt(t *testing.T) {
	long := strings.Replace(line, "q=1", "q="+strings.Repeat("x", 70_000), 1)
	agent := strings.Replace(line, "curl/7", strings.Repeat(`\x22`, 2_000_000), 1)
	for name, c := range map[string]struct {
		in            string
		requests, bad int
	}{
		"nothing":                      {"", 0, 0},
		"a line":                       {line, 1, 0},
		"empty lines":                  {"\n\n" + line + "\n \n\t\n" + line + "\n\n", 2, 0},
		"carriage returns":             {line + "\r\n" + line + "\r\n", 2, 0},
		"comments":                     {"# x\n" + line + "\n#Fields: a b\n", 1, 0},
		"a long target":                {line + "\n" + long + "\n" + line, 3, 0},
		"8 MB of user agent":           {agent + "\n" + line, 2, 0},
		"8 MB of nothing":              {strings.Repeat("x", 8_000_000) + "\n" + line, 1, 1},
		"a run of NULs":                {line + "\n" + strings.Repeat("\x00", 100_000) + line + "\n", 2, 0},
		"NULs only":                    {line + "\n" + strings.Repeat("\x00", 1000) + "\n" + line, 2, 0},
		"invalid UTF-8":                {strings.Replace(line, "curl", "\xff\xfe\xc3", 1) + "\n" + strings.Replace(line, "/a/17", "/\xff\xc3\x28", 1), 2, 0},
		"cut at the end":               {line + "\n" + line[:len(line)-20], 1, 1},
		"cut in the request":           {line + "\n" + line[:60] + "\n" + line, 2, 1},
		"cut in the stamp":             {line + "\n" + line[:30] + "\n" + line, 2, 1},
		"cut in a number":              {line + "\n" + line[:strings.Index(line, "0.250")+4], 1, 1},
		"two run together":             {line + "\n" + line[:80] + line + "\n" + line, 2, 1},
		"no request in it":             {strings.Replace(line, "GET /a/17?q=1 HTTP/1.1", "", 1) + "\n" + strings.Replace(line, "GET /a/17?q=1 HTTP/1.1", "-", 1), 2, 0},
		"a bare quote in a user agent": {strings.Replace(line, "curl/7", `a"b`, 1) + "\n" + line, 2, 0},
		"a stack trace":                {line + "\njava.lang.Error: x\n\tat a.b(c.java:1)\n" + line, 2, 2},
		"a byte order mark":            {"\xef\xbb\xbf" + line + "\n\xef\xbb\xbf" + line, 2, 0},
		"colours":                      {"\x1b[32m" + line + "\x1b[0m\n", 1, 0},
		"a stamp of the year 9999":     {strings.Replace(line, "2026", "9999", 1) + "\n" + line, 1, 1},
		"a number that does not fit":   {strings.Replace(line, "0.250", "99999999999999999999.000", 1) + "\n" + line, 1, 1},
		"5000 tries":                   {strings.Replace(line, `us="502, 200"`, `us="`+strings.Repeat("502, ", 5000)+`200"`, 1), 1, 0},
		"5000 fields":                  {line + strings.Repeat(` "x"`, 5000) + "\n" + line, 1, 1},
		"JSON in JSON in JSON":         {line + "\n" + strings.Repeat(`{"log":`, 5000), 1, 1},
		"an envelope around a line":    {line + "\n" + `{"message":"` + strings.ReplaceAll(line, `"`, `\"`) + `","level":"info"}`, 2, 0},
	} {
		all, sum := read(t, &nginx.Format, []byte(c.in), 1<<30, ingest.Options{})
		requests, bad := 0, 0
		for _, r := range all {
			if r.sample != nil {
				requests++
				continue
			}
			bad++
			if len(r.problem) > 400 {
				t.Errorf("%s: a message of %d bytes", name, len(r.problem))
			}
		}
		if requests != c.requests || bad != c.bad {
			t.Errorf("%s: %d requests, %d unread; want %d, %d: %v", name, requests, bad, c.requests, c.bad, all)
		}
		if want := strings.Count(c.in, "\n"); int(sum.Lines) != want && int(sum.Lines) != want+1 {
			t.Errorf("%s: %d lines", name, sum.Lines)
		}
	}
}

// The shapes of a log are bounded however its lines differ.
func TestShapes(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "%s k%d=\"x\"\n", line, i)
	}
	all, sum := read(t, &nginx.Format, []byte(b.String()), 1<<30, ingest.Options{})
	if len(all) != 5000 || len(sum.Shapes) > 10 {
		t.Errorf("%d requests, %d shapes", len(all), len(sum.Shapes))
	}
}

// Lines in pieces, as container runtimes cut them, are put together, wherever
// the input is cut; whole lines that are marked as pieces are read as they are.
func TestPieces(t *testing.T) {
	cri := func(ns int, stream, tag, text string) string {
		return fmt.Sprintf("2026-11-29T21:16:22.%09dZ %s %s %s\n", ns, stream, tag, text)
	}
	docker := func(stream, text string) string {
		return `{"log":"` + strings.ReplaceAll(text, `"`, `\"`) + `","stream":"` + stream + `","time":"2026-11-29T21:16:22.5Z"}` + "\n"
	}
	at := strings.Index(line, "0.250") + 3 // "0.2" is a number too
	for name, c := range map[string]struct {
		in            string
		requests, bad int
	}{
		"two pieces":                  {cri(1, "stdout", "P", line[:at]) + cri(2, "stdout", "F", line[at:]), 1, 0},
		"three":                       {cri(1, "stdout", "P", line[:20]) + cri(2, "stdout", "P", line[20:at]) + cri(3, "stdout", "F", line[at:]), 1, 0},
		"the last is empty":           {cri(1, "stdout", "P", line) + cri(2, "stdout", "F", ""), 1, 0},
		"whole lines":                 {cri(1, "stdout", "P", line) + cri(2, "stdout", "F", line) + cri(3, "stderr", "P", line), 3, 0},
		"another stream between them": {cri(1, "stdout", "P", line[:at]) + cri(2, "stderr", "F", line) + cri(3, "stdout", "F", line[at:]), 1, 2},
		"the rest is missing":         {cri(1, "stdout", "F", line) + cri(2, "stdout", "P", line[:at]), 1, 1},
		"more than a line has":        {strings.Repeat(cri(1, "stdout", "P", "x"), 200) + cri(2, "stdout", "F", line), 1, 192},
		"docker":                      {docker("stdout", line[:at]) + docker("stdout", line[at:]+`\n`) + docker("stdout", line+`\n`), 2, 0},
	} {
		all, sum := read(t, &nginx.Format, []byte(c.in), 1<<30, ingest.Options{})
		requests, bad := 0, 0
		for _, r := range all {
			if r.sample == nil {
				bad++
				continue
			}
			requests++
			if r.sample.Latency != 250*time.Millisecond || r.sample.Retries() != 1 {
				t.Errorf("%s: %+v", name, r.sample)
			}
		}
		if requests != c.requests || bad != c.bad {
			t.Errorf("%s: %d requests, %d unread; want %d, %d: %v", name, requests, bad, c.requests, c.bad, all)
		}
		whole := show(all, sum)
		for size := 1; size < 400; size += 13 {
			if got := show(read(t, &nginx.Format, []byte(c.in), size, ingest.Options{})); got != whole {
				t.Errorf("%s, in parts of %d bytes:\n%s\nin one:\n%s", name, size, got, whole)
			}
		}
	}
}
