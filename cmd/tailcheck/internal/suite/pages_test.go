package suite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/detect/detecttest"
	"github.com/tailcheck/tailcheck/ingest"
)

// longest is how many lines of records an example on a page has at most; beyond
// that the shortest example is taken, and it is cut.
const longest = 14

// told are the examples that tell more than the first one by name.
var told = map[string]string{
	"coordinated-omission_fires":       "one-worker",
	"coordinated-omission_innocent":    "independent",
	"hedge-overload_innocent":          "healthy",
	"mget-storm_fires":                 "split",
	"mget-storm_innocent":              "one-slot",
	"n-plus-one_fires":                 "queries",
	"n-plus-one_innocent":              "batches",
	"orphaned-work_fires":              "one-trace",
	"orphaned-work_innocent":           "cancelled-in-time",
	"rate-not-reached_fires":           "scheduled",
	"retry-multiplication_innocent":    "one-hop-now-and-then",
	"server-stall_fires":               "silence-then-burst",
	"server-stall_innocent":            "steady",
	"tail-amplification_innocent":      "eight",
	"deadline-not-propagated_fires":    "visible",
	"deadline-not-propagated_innocent": "passed-on",
}

var sides = []struct{ kind, heading string }{
	{"fires", "An example that fires"},
	{"innocent", "One that does not"},
	{"cannot-tell", "One that cannot tell"},
}

// examplesOf are the sections of a detector's page that its tests write: an
// example of each side, and what is found in it.
func examplesOf(t *testing.T, d detect.Detector) string {
	t.Helper()
	var page strings.Builder
	page.WriteString("\n")
	for _, side := range sides {
		arc, name := exampleOf(t, d.Name, side.kind)
		records := string(section(arc, "records"))
		parsed, err := detecttest.Parse(records)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fmt.Fprintf(&page, "## %s\n\n%s\n\n```\n%s\n```\n\nFound: ", side.heading, plain(string(arc.Comment)), cut(records))
		found := detecttest.Fold([]detect.Detector{d}, [][]ingest.Record{parsed})
		if len(found) == 0 {
			page.WriteString("nothing.\n\n")
		}
		for i, f := range found {
			if i > 0 {
				page.WriteString("and ")
			}
			fmt.Fprintf(&page, "%s, confidence %s: %s.\n\n", f.Detector, f.Confidence, plain(strings.TrimSuffix(f.Message, ".")))
		}
	}
	page.WriteString("The records are written as the tests write them: [how to read them](README.md#how-to-read-the-examples).\n")
	return page.String()
}

// exampleOf is the example for a page: the one that tells most, else the first
// by name, else the shortest.
func exampleOf(t *testing.T, detector, kind string) (*txtar.Archive, string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "detect", "*", "testdata", detector+"_"+kind+"_*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no example that %s (%v)", detector, kind, err)
	}
	if what := told[detector+"_"+kind]; what != "" {
		i := slices.IndexFunc(files, func(f string) bool { return strings.HasSuffix(f, "_"+what+".txtar") })
		if i < 0 {
			t.Fatalf("%s has no example %s_%s", detector, kind, what)
		}
		files = files[i : i+1]
	}
	var best *txtar.Archive
	var name string
	lines := 0
	for _, file := range files {
		arc, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := strings.Count(string(section(arc, "records")), "\n")
		if best == nil || lines > longest && n < lines {
			best, name, lines = arc, file, n
		}
	}
	return best, name
}

func section(arc *txtar.Archive, name string) []byte {
	for _, f := range arc.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// plain is text without what Markdown would take for its own.
func plain(text string) string {
	return strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`).Replace(strings.TrimSpace(text))
}

func cut(records string) string {
	lines := strings.Split(strings.TrimSpace(records), "\n")
	if len(lines) <= longest {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:longest], "\n") + fmt.Sprintf("\n# and %d lines more", len(lines)-longest)
}

// examplesReadme says how the records of the examples are to be read.
const examplesReadme = `
## How to read the examples

Each page has three examples from the detector's own tests: one in which it speaks, one in which it must
not, and one in which it cannot tell, and says nothing or is of low confidence. A line is a record, or many of them:

| line | what it is |
|---|---|
| ` + "`run`" + ` | how the load was offered: tool, loop, workers, planned interval |
| ` + "`sample`" + ` | one request: when it started, how long it took. ` + "`x200 every=50ms`" + `: 200 of them, 50 ms apart |
| ` + "`aggregate`, `bucket`" + ` | percentiles and a histogram that a report printed itself |
| ` + "`log`, `pause`" + ` | what is known of a log's lines; a collection, a lock, a slow command |
| ` + "`trace 1 x20`, `span`" + ` | twenty traces, and the spans of each. ` + "`parent=-`" + ` is the root, ` + "`x69`" + ` that many of them side by side |
| ` + "`input 1`" + ` | what follows is of another file |

` + "`for=2ms..5ms|2%:60ms`" + ` is drawn: between 2 and 5 ms, and 60 ms for 2 of 100. ` + "`after=`" + ` is behind the sibling
before it, ` + "`start=`" + ` behind the start of the parent. What is not given is not known.
`

// shown are the files that tell most about their format; of the others the first
// that can be looked at is shown.
var shown = map[string]string{
	"applog":        "log/stall-nginx-open/app.log",
	"apache":        "log/stall-apache/access.combined_D.log",
	"caddy":         "log/stall-caddy/access.json",
	"csv":           "load/stall-hey/open.csv",
	"haproxy":       "log/queue-haproxy/httplog.log",
	"hey":           "load/stall-hey/hey.txt",
	"hey-csv":       "load/stall-hey/hey.csv",
	"hgrm":          "load/hdr/java.hgrm",
	"hlog":          "load/hdr/v2.hlog",
	"nginx":         "log/stall-nginx-open/access.log",
	"otlp-json":     "trace/retries-3x3x3/traces.jsonl",
	"otlp-proto":    "trace/retries-3x3x3/traces.pb",
	"redis-slowlog": "log/stall-redis/slowlog.txt",
	"wrk":           "load/stall-wrk/filled.txt",
	"wrk2":          "load/wrk2/stall.txt",
}

// exampleFile is a recorded file of a format, to try it out; empty: there is none.
func exampleFile(t *testing.T, files []string, format string) string {
	t.Helper()
	if path := shown[format]; path != "" {
		path = "fixtures/" + path
		if !slices.Contains(files, path) {
			t.Fatalf("%s is not a file of %s", path, format)
		}
		return path
	}
	i := slices.IndexFunc(files, func(f string) bool {
		ext := filepath.Ext(f)
		return ext != ".zst" && ext != ".gz" && ext != ".bz2"
	})
	if i < 0 && len(files) > 0 {
		i = 0
	}
	if i < 0 {
		return ""
	}
	return files[i]
}

// filesByFormat are the fixtures that are whole and of one format, by its name;
// paths are relative to the root of the repository.
func filesByFormat(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, path := range fixtures(t, "") {
		slash := filepath.ToSlash(path)
		if strings.Contains(slash, "/broken/") || strings.Contains(slash, "/wrapped/") || strings.Contains(slash, "/hey-versions/") {
			continue
		}
		file, err := ingest.OpenFile(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := ingest.Find(file, suite.Formats, "")
		if err != nil || len(parts) != 1 {
			continue
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		out[parts[0].Format.Name] = append(out[parts[0].Format.Name], filepath.ToSlash(rel))
	}
	return out
}

// tryIt is the section of a format's page with a recorded file. What the command
// prints is written by the test of all examples in docs.
func tryIt(path string) string {
	if path == "" {
		return "\nThere is no recorded file of this format in fixtures: it was built against published samples.\n"
	}
	dir := filepath.ToSlash(filepath.Dir(path))
	return fmt.Sprintf("\n## Try it\n\nWith a file of [%s](../../%s/README.md), where it says what is true about it:\n\n```console\n$ tailcheck check %s | head -16\n```\n", dir, dir, path)
}

// printed puts below the commands of page what stands below the same commands in
// old: another test runs them.
func printed(page, old string) string {
	below := map[string][]string{}
	var at string
	for _, line := range strings.Split(old, "\n") {
		switch {
		case strings.HasPrefix(line, "$ "):
			at = line
		case strings.HasPrefix(line, "```"):
			at = ""
		case at != "":
			below[at] = append(below[at], line)
		}
	}
	var out []string
	for _, line := range strings.Split(page, "\n") {
		out = append(out, line)
		if strings.HasPrefix(line, "$ ") {
			out = append(out, below[line]...)
		}
	}
	return strings.Join(out, "\n")
}

// Law 6, of the pages that people write: the counts are those of the suite.
func TestCountsInDocs(t *testing.T) {
	logs := len(suite.Logs) + 1 // and mixed-log
	traces := 0
	for _, f := range suite.Formats[:len(suite.Formats)-logs] {
		if f.Yields&ingest.Load == 0 {
			traces++
		}
	}
	want := fmt.Sprintf("%d formats (%d of load reports, %d of traces, %d of server logs) and has %d detectors",
		len(suite.Formats), len(suite.Formats)-logs-traces, traces, logs, len(suite.Detectors))
	readme := filepath.Join(root, "README.md")
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	counts := regexp.MustCompile(`\d+ formats \(\d+ of load reports, \d+ of traces, \d+ of server logs\) and has \d+ detectors`)
	switch said := counts.Find(text); {
	case said == nil:
		t.Errorf("README.md does not say how many formats and detectors there are, in one line: %s", want)
	case string(said) == want:
	case *update:
		if err := os.WriteFile(readme, counts.ReplaceAllLiteral(text, []byte(want)), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("README.md says %q, it is %q: go test ./cmd/tailcheck/... -update", said, want)
	}
}
