package suite_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
	"github.com/tailcheck/tailcheck/ingest"
)

// root is the root of the repository.
const root = "../../../.."

// fixtures returns the paths of all recorded inputs below fixtures, or a part
// of it: everything but READMEs and what makes them.
func fixtures(t testing.TB, part string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(filepath.Join(root, "fixtures", part), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "record" {
				return filepath.SkipDir
			}
			return nil
		}
		if d.Name() != "README.md" {
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func options(t testing.TB, f check.Flags, paths ...string) check.Options {
	t.Helper()
	o, err := f.Options(suite.Formats, suite.Detectors)
	if err != nil {
		t.Fatal(err)
	}
	o.Command, o.Paths = "check", paths
	return o
}

func render(t testing.TB, o check.Options) string {
	t.Helper()
	out, err := check.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, r := range suite.Renderers {
		if err := r.Render(&b, out.Result, report.Options{}); err != nil {
			t.Fatalf("%s: %v", r.Name, err)
		}
	}
	return b.String()
}

// Law 1: any split, any number of workers gives the same bytes.
func TestMerge(t *testing.T) {
	for _, path := range fixtures(t, "") {
		f := check.Flags{SLA: []string{"p99<500ms", "errors<1%"}, Interval: "80ms", Jobs: 1}
		want := options(t, f, path)
		want.Chunk = 1 << 30
		expected := render(t, want)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, chunk := range []int{64, 1000, 40000} {
			if info.Size() > 600*int64(chunk) || testing.Short() && chunk != 1000 {
				continue // thousands of parts show nothing new
			}
			for _, jobs := range []int{1, 3} {
				o := options(t, f, path)
				o.Jobs, o.Chunk = jobs, chunk
				if got := render(t, o); got != expected {
					t.Fatalf("%s: with %d workers and chunks of %d bytes the report differs:\n%s\nwant\n%s", path, jobs, chunk, got, expected)
				}
			}
		}
	}
}

// Law 2: at most one format claims an input; those that none claims are the
// broken ones, and they are never read as something else.
func TestOneClaim(t *testing.T) {
	for _, path := range fixtures(t, "") {
		f, err := ingest.OpenFile(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ingest.Find(f, suite.Formats, "")
		var ambiguous *ingest.Ambiguous
		if errors.As(err, &ambiguous) {
			t.Error(err)
		}
		if err != nil && !unread(path) {
			t.Error(err)
		}
	}
}

// unread reports whether a fixture is one that no format reads: broken ones, what
// is beside the recordings, and settings, which a command of their own reads.
func unread(path string) bool {
	for _, part := range []string{"broken", "etcd-", "/ab/", "/config/", "/error.log", "/pgbench.txt", "/transactions.log", "/benchmark.", "/latency.txt"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

// Law 3, on fixtures (the fuzz target has it for every input): an error is
// last, positions do not go back, breaking out is safe.
func TestReaderContract(t *testing.T) {
	for _, path := range fixtures(t, "") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range suite.Formats {
			contract(t, &suite.Formats[i], data)
		}
	}
}

func contract(t testing.TB, f *ingest.Format, data []byte) {
	t.Helper()
	f.Sniff(data[:min(len(data), ingest.HeadSize)])
	in := ingest.Input{Index: 3, Offset: 7, Head: data[:min(len(data), ingest.HeadSize)]}
	records := 0
	last := ingest.Pos{Input: 3, Offset: 7}
	done := false
	for rec, err := range f.Read(bytes.NewReader(data), in) {
		if done {
			t.Fatalf("%s: yields after an error", f.Name)
		}
		if err != nil {
			done = true
			if rec != nil {
				t.Fatalf("%s: a record beside an error", f.Name)
			}
			continue
		}
		records++
		pos := rec.Where()
		if pos.Compare(last) < 0 || pos.Offset > 7+int64(len(data)) {
			t.Fatalf("%s: position %v after %v in %d bytes", f.Name, pos, last, len(data))
		}
		last = pos
		if p, ok := rec.(*ingest.Problem); ok && (p.Err == nil || p.Err.Error() == "") {
			t.Fatalf("%s: a problem without words", f.Name)
		}
	}
	for stop := range min(records, 3) {
		n := 0
		for range f.Read(bytes.NewReader(data), in) {
			if n++; n > stop {
				break
			}
		}
	}
}

// Law 4: no warning and no error on clean runs.
func TestQuietOnClean(t *testing.T) {
	paths := fixtures(t, "clean")
	for _, path := range paths {
		out, err := check.Run(context.Background(), options(t, check.Flags{}, path))
		if err != nil {
			t.Fatal(err)
		}
		if out.Unusable || len(out.Problems) > 0 {
			t.Errorf("%s: %v", path, out.Problems)
		}
		for _, f := range out.Findings {
			if f.Severity != "note" {
				t.Errorf("%s: %s: %s", path, f.Rule, f.Message)
			}
		}
	}
	if len(paths) == 0 {
		t.Error("there are no clean fixtures")
	}
}

// Law 6, its part on names and words; docs_test.go has the rest.
func TestDocumented(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	page := func(kind, n, doc string) {
		title, text, _ := strings.Cut(doc, "\n")
		switch {
		case !name.MatchString(n):
			t.Errorf("%s %q: a name is words with hyphens", kind, n)
		case seen[kind+n]:
			t.Errorf("%s %q: twice", kind, n)
		case title == "" || len(title) > 100 || strings.HasSuffix(title, "."):
			t.Errorf("%s %s: title %q", kind, n, title)
		case len(strings.TrimSpace(text)) < 100:
			t.Errorf("%s %s: no text", kind, n)
		}
		seen[kind+n] = true
	}
	for _, f := range suite.Formats {
		page("format", f.Name, f.Doc)
		if f.Yields == 0 || f.Read == nil || f.Sniff == nil {
			t.Errorf("format %s: incomplete", f.Name)
		}
	}
	for _, d := range suite.Detectors {
		page("detector", d.Name, d.Doc)
		if d.Judge == nil && d.New == nil || d.Reads == 0 {
			t.Errorf("detector %s: needs Reads, and Judge or New", d.Name)
		}
	}
	for _, r := range suite.Renderers {
		if r.Name == "" || r.Doc == "" {
			t.Errorf("renderer %q: no doc", r.Name)
		}
	}
}

// Who does not want to read of a suspicion has not done away with it: a verdict is
// the same whatever findings are left out.
func TestSkippedFindingsStillCount(t *testing.T) {
	path := filepath.Join(root, "fixtures", "load", "stall-hey", "hey.txt")
	told := judged(t, check.Flags{SLA: []string{"p99<500ms"}}, path)
	for _, f := range []check.Flags{{Skip: []string{"coordinated-omission"}}, {Only: []string{"small-sample"}}} {
		f.SLA = []string{"p99<500ms"}
		out := judged(t, f, path)
		if told.Verdict != "inconclusive" || out.Verdict != told.Verdict {
			t.Errorf("verdict %s, with %v skipped %s", told.Verdict, f.Skip, out.Verdict)
		}
		if !has(told, "coordinated-omission", "") || has(out, "coordinated-omission", "") {
			t.Errorf("findings %v, with %v skipped %v", rules(told), f.Skip, rules(out))
		}
	}
}
