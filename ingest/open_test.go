package ingest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const toolReport = "Tool run\n  n: 5\n\n  p50: 3ms\nTool tail\n  x\n"

var toolFormats = []Format{
	{Name: "tool", Anchors: []string{"Tool run", "Tool tail"}, Commands: []string{"tool"},
		Sniff: func(h []byte) bool { return bytes.Contains(h, []byte("p50:")) },
		Near: func(h []byte) string {
			if bytes.Contains(h, []byte("Tool run")) {
				return "no p50"
			}
			return ""
		}},
	{Name: "rows", Split: SplitLines, Sniff: func(h []byte) bool { return bytes.HasPrefix(h, []byte("a,b\n")) }},
}

func find(t *testing.T, content []byte) ([]*Found, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Find(f, toolFormats, "")
}

func indent(prefix, s string) string {
	return prefix + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+prefix) + "\n"
}

// A report is found, with its text restored, whatever is wrapped around it.
func TestReportInsideOtherText(t *testing.T) {
	stamps := ""
	for i, line := range strings.Split(strings.TrimSuffix(toolReport, "\n"), "\n") {
		stamps += "2026-01-02T03:04:0" + string(rune('0'+i)) + ".1234567Z " + line + "\n"
	}
	for name, text := range map[string]string{
		"as it is":         toolReport,
		"indented":         indent("    ", toolReport),
		"CI time stamps":   "2026-01-02T03:04:00.0000000Z ##[group]Run\n" + stamps,
		"docker compose":   strings.ReplaceAll(indent("load-1  | ", toolReport), "load-1  |   n", "db-1    | checkpoint\nload-1  |   n"),
		"terraform":        indent("null_resource.load (local-exec): ", toolReport),
		"trailing blanks":  strings.ReplaceAll(indent("load-1  | ", toolReport), "load-1  | \n", "load-1  |\n"),
		"colours":          "\x1b[1mwarm-up\x1b[0m\n" + strings.ReplaceAll(toolReport, "Tool run", "\x1b[32mTool run\x1b[0m"),
		"progress":         "10 %\r20 %\r100 %\r\n" + strings.ReplaceAll(toolReport, "Tool run", "99 %\rTool run"),
		"CRLF":             strings.ReplaceAll(toolReport, "\n", "\r\n"),
		"window title":     "\x1b]0;title\x07" + toolReport,
		"byte order mark":  "\ufeff" + toolReport,
		"no last newline":  strings.TrimSuffix(toolReport, "\n"),
		"quoted":           indent("> ", toolReport),
		"UTF-16":           "\xff\xfe" + strings.Join(strings.Split(toolReport, ""), "\x00") + "\x00",
		"under a headline": "# Load test\n\n" + toolReport,
	} {
		got, err := find(t, []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got) != 1 {
			t.Errorf("%s: %d reports", name, len(got))
			continue
		}
		b, _ := io.ReadAll(got[0].Open())
		lines := strings.Split(string(b), "\n")
		want := "Tool run|n: 5||p50: 3ms|Tool tail|x"
		var kept []string
		for _, l := range lines {
			kept = append(kept, strings.TrimSpace(l))
		}
		s := strings.Join(kept, "|")
		s = strings.TrimSuffix(s, "|")
		if name == "docker compose" {
			want = "Tool run||n: 5||p50: 3ms|Tool tail|x" // the other container's line is kept as an empty one
		}
		if s != want {
			t.Errorf("%s: %q", name, s)
		}
	}
}

func TestSeveralReports(t *testing.T) {
	text := "$ tool -n 5 http://x/ | tee a\n" + toolReport + "+ /usr/bin/tool -n 6 \\\n   -c 3 http://x/ > out\n\n" + toolReport
	got, err := find(t, []byte(text))
	if err != nil || len(got) != 2 {
		t.Fatalf("%d reports, %v", len(got), err)
	}
	if got[0].Line != 2 || got[1].Line != 11 || !got[0].Part {
		t.Errorf("lines %d, %d", got[0].Line, got[1].Line)
	}
	if got[0].Command != "tool -n 5 http://x/" || got[1].Command != "tool -n 6  -c 3 http://x/" {
		t.Errorf("commands %q, %q", got[0].Command, got[1].Command)
	}
	if !strings.HasSuffix(string(got[1].CommandFrom), ":8") {
		t.Errorf("from %q", got[1].CommandFrom)
	}
	if l := got[1].Lines([]int64{0, int64(len("Tool run\n")), 20}); l[0] != 11 || l[1] != 12 || l[2] != 14 {
		t.Errorf("lines %v", l)
	}
}

// A command line is found as it was typed, whatever printed it.
func TestCommandLine(t *testing.T) {
	const want = "tool -n 5 -H 'a: b' http://x/"
	for _, line := range []string{
		"tool -n 5 -H 'a: b' http://x/",
		"$ tool -n 5 -H 'a: b' http://x/ | tee out",
		"+ /usr/bin/tool -n 5 -H 'a: b' http://x/ > out",
		"load (local-exec): Executing: [\"/bin/sh\" \"-c\" \"tool -n 5 -H 'a: b' http://x/\"]",
		"load (local-exec): Executing: [\"/bin/sh\" \"-c\" \"/usr/bin/tool -n 5 -H 'a: b' http://x/ > out\"]",
		"{\"cmd\": \"tool -n 5 -H 'a: b' http://x/\", \"user\": \"ci\"}",
		"Run it with `tool -n 5 -H 'a: b' http://x/`, which printed:",
	} {
		got, err := find(t, []byte(line+"\n"+toolReport))
		if err != nil || len(got) != 1 || got[0].Command != want {
			t.Errorf("%s: %+v %v", line, got, err)
		}
	}
	for line, want := range map[string]string{
		`Executing: ["sh" "-c" "tool -n 5 -H \"a: b\" http://x/"]`: `tool -n 5 -H "a: b" http://x/`,
		`run: 'tool -n 5 http://x/'`:                               `tool -n 5 http://x/`,
		`"tool -n 5 http://x/`:                                     `tool -n 5 http://x/`, // the quote is never shut
	} {
		if got, _ := command([]string{line}, []string{"tool"}); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestCompressed(t *testing.T) {
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	_, _ = g.Write([]byte("a,b\n1,2\n"))
	_ = g.Close()
	z, _ := zstd.NewWriter(&zs)
	_, _ = z.Write(gz.Bytes())
	_ = z.Close()
	for _, b := range [][]byte{gz.Bytes(), zs.Bytes()} {
		got, err := find(t, b)
		if err != nil || len(got) != 1 || got[0].Format.Name != "rows" {
			t.Fatalf("%v %v", got, err)
		}
		if s, _ := io.ReadAll(got[0].Open()); string(s) != "a,b\n1,2\n" {
			t.Errorf("%q", s)
		}
		if l := got[0].Lines([]int64{0, 4}); l[0] != 1 || l[1] != 2 {
			t.Errorf("lines %v", l)
		}
	}
}

// However a file is packed and wherever it is cut: never does a part of it pass
// for the whole, or for an empty file.
func TestCutShort(t *testing.T) {
	rows := []byte("a,b\n" + strings.Repeat("1,2\n3,4\n", 40))
	wide := []byte{0xff, 0xfe}
	for _, c := range rows {
		wide = append(wide, c, 0)
	}
	for name, data := range map[string][]byte{"UTF-8": rows, "UTF-16": wide} {
		var gz, zs bytes.Buffer
		g := gzip.NewWriter(&gz)
		_, _ = g.Write(data)
		_ = g.Close()
		z, _ := zstd.NewWriter(&zs)
		_, _ = z.Write(data)
		_ = z.Close()
		for _, b := range [][]byte{gz.Bytes(), zs.Bytes()} {
			for n := 4; n < len(b); n++ {
				got, err := find(t, b[:n])
				if err == nil {
					_, err = io.ReadAll(got[0].Open())
				}
				var empty *Empty
				var unknown *Unrecognised
				if err == nil || errors.As(err, &empty) || errors.As(err, &unknown) {
					t.Errorf("%s, %d of %d bytes of %x: %v", name, n, len(b), b[:4], err)
				}
			}
			if got, err := find(t, b); err != nil {
				t.Error(err)
			} else if s, err := io.ReadAll(got[0].Open()); err != nil || !bytes.Equal(s, rows) {
				t.Errorf("%s: %q %v", name, s, err)
			}
		}
	}
}

func TestNotRecognised(t *testing.T) {
	_, err := find(t, []byte("Tool run\nnothing\n"))
	var u *Unrecognised
	if !errors.As(err, &u) || u.Near != "tool: no p50" || len(u.Looked) != 2 {
		t.Errorf("%v", err)
	}
	var e *Empty
	if _, err := find(t, []byte(" \n\n")); !errors.As(err, &e) {
		t.Errorf("%v", err)
	}
}

func TestStreamIsReadOnce(t *testing.T) {
	f, _ := OpenFile("-", strings.NewReader("a,b\n1,2\n"))
	got, err := Find(f, toolFormats, "")
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := io.ReadAll(got[0].Open()); string(s) != "a,b\n1,2\n" {
		t.Errorf("%q", s)
	}
	if l := got[0].Lines([]int64{4}); len(l) != 1 || l[0] != 2 {
		t.Errorf("lines %v", l)
	}
}

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		in          string
		scale       int64
		value, unit int64
		ok          bool
	}{
		{"0.0512", 1e9, 51_200_000, 100_000, true}, {"12", 1e6, 12_000_000, 1_000_000, true}, {"-1.5", 1e3, -1500, 100, true},
		{".5", 10, 5, 1, true}, {"5.", 10, 50, 10, true}, {"1.2345", 100, 123, 1, true}, {"1.235", 100, 124, 1, true},
		{"9.29E-4", 1e9, 929000, 1, true}, {"", 1, 0, 0, false}, {".", 1, 0, 0, false}, {"-", 1, 0, 0, false}, {"1x", 1, 0, 0, false},
		{"NaN", 1, 0, 0, false}, {"1e400", 1, 0, 0, false}, {"99999999999999999999", 1, 0, 0, false}, {"9223372036854775807", 1e9, 0, 0, false},
		{"0.9999999999999999999999", 1e9, 1e9, 1, true},
	} {
		v, u, ok := ParseDecimal([]byte(c.in), c.scale)
		if ok != c.ok || ok && (v != c.value || u != c.unit) {
			t.Errorf("%q x %d: %d, %d, %v", c.in, c.scale, v, u, ok)
		}
	}
}

func TestSplitCommand(t *testing.T) {
	got := SplitCommand(`hey -H "a: b c" -m 'x y' http://h/\ z  -n 5 ""`)
	want := []string{"hey", "-H", "a: b c", "-m", "x y", "http://h/ z", "-n", "5", ""}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q", got)
	}
}

func TestLines(t *testing.T) {
	l := NewLines(strings.NewReader("a\r\n\nlong " + strings.Repeat("x", 300<<10) + "\nend"))
	var got []int
	var at []int64
	for l.Next() {
		got, at = append(got, len(l.Bytes())), append(at, l.Offset())
	}
	if len(got) != 4 || got[0] != 1 || got[1] != 0 || got[2] != 5+300<<10 || got[3] != 3 || at[1] != 3 || at[2] != 4 || l.Err() != nil {
		t.Errorf("%v %v %v", got, at, l.Err())
	}
}
