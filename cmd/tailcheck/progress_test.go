package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a terminal that remembers all that was written to it.
type screen struct {
	sync.Mutex
	all strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	return s.all.Write(p)
}

func (s *screen) String() string {
	s.Lock()
	defer s.Unlock()
	return s.all.String()
}

func TestProgress(t *testing.T) {
	for _, total := range []int64{100_000_000, -1} {
		var s screen
		read, done := progress(&s, total, 0)
		for range 100 {
			read.Add(500_000)
			time.Sleep(10 * time.Millisecond)
			if strings.Contains(s.String(), "MB/s") {
				break
			}
		}
		done()
		done()
		text := s.String()
		if !strings.Contains(text, "reading") || !strings.Contains(text, "MB") || strings.Contains(text, "100 MB") != (total > 0) {
			t.Errorf("of %d: %q", total, text)
		}
		if last := text[strings.LastIndexByte(strings.TrimRight(text, "\r"), '\r')+1:]; strings.TrimSpace(strings.TrimSuffix(last, "\x1b[2K")) != "" {
			t.Errorf("of %d: something is left: %q", total, last)
		}
		if strings.Contains(text, "\n") {
			t.Errorf("of %d: more than a line: %q", total, text)
		}
	}
	var s screen
	read, done := progress(&s, 10, time.Hour)
	read.Add(5)
	done()
	if s.String() != "" {
		t.Errorf("shown too early: %q", s.String())
	}
}

func TestProgressIsForPeople(t *testing.T) {
	env := func(set ...string) func(string) string {
		return func(name string) string {
			for _, s := range set {
				if n, v, _ := strings.Cut(s, "="); n == name {
					return v
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		terminal bool
		env      func(string) string
		want     bool
	}{
		{true, env("TERM=xterm"), true}, {false, env("TERM=xterm"), false}, {true, env("CI=true", "TERM=xterm"), false}, {true, env("TERM=dumb"), false},
	} {
		if got := showsProgress(c.terminal, c.env); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
}

func TestSizeOf(t *testing.T) {
	dir := t.TempDir()
	a, b, z := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(t.TempDir(), "z")
	for path, text := range map[string]string{a: "12345", b: "123", z: "\x1f\x8b\x08"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		paths []string
		want  int64
	}{{[]string{a}, 5}, {[]string{dir, a}, 13}, {[]string{"-", a}, -1}, {[]string{a, z}, -1}, {[]string{"no-such-file"}, -1}, {[]string{os.DevNull}, -1}} {
		if got := sizeOf(c.paths); got != c.want {
			t.Errorf("%v: %d, want %d", c.paths, got, c.want)
		}
	}
}

func TestShowsUTF8(t *testing.T) {
	for _, c := range []struct {
		system, set string
		want        bool
	}{
		{"linux", "LANG=de_DE.UTF-8", true}, {"linux", "LANG=C", false}, {"linux", "LC_ALL=C LANG=en_US.UTF-8", false}, {"linux", "LC_CTYPE=C.utf8", true},
		{"linux", "", false}, {"windows", "", true}, {"darwin", "", true}, {"linux", "LANG=ja_JP.eucJP", false},
	} {
		env := func(name string) string {
			for _, s := range strings.Fields(c.set) {
				if n, v, _ := strings.Cut(s, "="); n == name {
					return v
				}
			}
			return ""
		}
		if got := showsUTF8(c.system, env); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
}
