package logtest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/ingest"
	"github.com/tailcheck/tailcheck/ingest/log"
)

// Lines fails the test where a dialect calls lines its own that are in files of
// the corpus which are not its own, wrappers left on. own are paths, or folders
// that end in a slash.
func Lines(t *testing.T, d log.Dialect, own ...string) {
	t.Helper()
	root := Corpus(t)
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if slices.ContainsFunc(own, func(o string) bool { return name == o || strings.HasSuffix(o, "/") && strings.HasPrefix(name, o) }) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n := 0
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSpace(line); len(line) > 0 && d.Claims(line) == log.Own {
				n++
			}
		}
		if n > 0 {
			t.Errorf("%s: %d lines are claimed by %s", name, n, d.Name)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Dirty reads lines of a dialect with what logs have of dirt in and between
// them, and fails the test where any of it costs more than the lines that it is
// on. good is a request.
func Dirty(t *testing.T, d log.Dialect, good string) {
	t.Helper()
	f := d.Format()
	long := strings.Repeat("x", 100<<10)
	for name, c := range map[string]struct {
		in    string
		least int // requests
	}{
		"empty lines":      {"\n\n" + good + "\n \n\t\n" + good + "\n\n", 2},
		"carriage returns": {good + "\r\n" + good + "\r\n", 2},
		"invalid UTF-8":    {good + "\n\xff\xfe\xc3\x28 \xff\n" + good, 2},
		"a run of NULs":    {good + "\n" + strings.Repeat("\x00", 5000) + good + "\n" + good, 3},
		"a long line":      {good + "\n" + long + "\n" + good + " " + long + "\n" + good, 2},
		"a long object":    {good + "\n{\"a\":\"" + long + "\"}\n" + good, 2},
		"colours":          {"\x1b[32m" + good + "\x1b[0m\n" + good, 2},
		"a byte order":     {"\xef\xbb\xbf" + good + "\n" + good, 2},
		"half a character": {good + "\n" + good[:1] + "\n" + good, 2},
	} {
		if got := Read(t, f, []byte(c.in), ingest.Options{}); len(got.Samples) < c.least {
			t.Errorf("%s: %d requests, want %d: %v", name, len(got.Samples), c.least, got.Problems)
		}
	}
	for n := range len(good) { // cut lines
		got := Read(t, f, []byte(good[:n]+"\n"+good+"\n"), ingest.Options{})
		if len(got.Samples) < 1 || len(got.Samples) > 2 {
			t.Errorf("cut to %q: %d requests", good[:n], len(got.Samples))
		}
		d.Claims([]byte(good[:max(1, n)]))
		if d.Near != nil {
			d.Near([]byte(good[:max(1, n)]))
		}
	}
	changed := []byte(good)
	for n, was := range changed { // bytes that end, open or escape something
		for _, c := range []byte("\x00\xff \t\"\\[]{}=-.9") {
			changed[n] = c
			if got := Read(t, f, append(append(bytes.Clone(changed), '\n'), good...), ingest.Options{}); len(got.Samples) < 1 || len(got.Samples) > 2 {
				t.Errorf("%q: %d requests", changed, len(got.Samples))
			}
		}
		changed[n] = was
	}
}
