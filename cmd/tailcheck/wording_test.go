package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// said returns what a command line prints, line breaks and runs of blanks taken
// out, so that a sentence is found wherever it was broken.
func said(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(append([]string{"tailcheck"}, args...), strings.NewReader(""), &out, &errs)
	return strings.Join(strings.Fields(out.String()), " "), errs.String(), code
}

// A problem names its file once, wherever it is printed.
func TestProblemsNameTheirFileOnce(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"no-such-file", empty, filepath.Dir(empty), "../../README.md", "../../fixtures/load/broken/wrk-refused.txt", "../../fixtures/load/broken/hey-cut.csv.gz"} {
		stdout, stderr, _ := said(t, "check", path)
		if strings.Contains(stdout, path+": "+path) || !strings.Contains(stdout, path+":") {
			t.Errorf("%s", stdout)
		}
		if strings.Count(stderr, path) != 1 {
			t.Errorf("%s", stderr)
		}
	}
}
