package suite_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
	"github.com/tailcheck/tailcheck/detect"
)

var update = flag.Bool("update", false, "write the generated pages of docs")

// Law 6: the pages of docs/detectors and docs/formats are the code's own words.
func TestGeneratedDocs(t *testing.T) {
	pages := map[string]string{}
	var list strings.Builder
	list.WriteString("# Detectors\n\n| rule | severity | |\n|---|---|---|\n")
	for _, d := range suite.Detectors {
		title, text, _ := strings.Cut(d.Doc, "\n")
		fmt.Fprintf(&list, "| [%s](%s.md) | %s | %s |\n", d.Name, d.Name, d.Severity, title)
		pages["detectors/"+d.Name+".md"] = fmt.Sprintf("# %s\n\n%s. Severity: %s.\n\n%s\n", d.Name, title, d.Severity, strings.TrimSpace(text)) + severityNote(d) + examplesOf(t, d)
	}
	pages["detectors/README.md"] = list.String() + examplesReadme
	list.Reset()
	files := filesByFormat(t)
	list.WriteString("# Formats\n\n| format | |\n|---|---|\n")
	for _, f := range suite.Formats {
		title, text, _ := strings.Cut(f.Doc, "\n")
		fmt.Fprintf(&list, "| [%s](%s.md) | %s |\n", f.Name, f.Name, title)
		pages["formats/"+f.Name+".md"] = fmt.Sprintf("# %s\n\n%s.\n\n%s\n", f.Name, title, strings.TrimSpace(text)) + tryIt(exampleFile(t, files[f.Name], f.Name))
	}
	pages["formats/README.md"] = list.String()
	docs := filepath.Join(root, "docs")
	for name, want := range pages {
		want = "<!-- generated from the code: go test ./cmd/tailcheck/... -update -->\n\n" + want
		path := filepath.Join(docs, name)
		got, _ := os.ReadFile(path)
		want = printed(want, string(got))
		if string(got) == want {
			continue
		}
		if !*update {
			t.Errorf("docs/%s is not current: go test ./cmd/tailcheck/... -update", name)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range []string{"detectors", "formats"} {
		files, _ := filepath.Glob(filepath.Join(docs, part, "*.md"))
		for _, f := range files {
			if _, ok := pages[part+"/"+filepath.Base(f)]; ok {
				continue
			}
			if *update {
				if err := os.Remove(f); err != nil {
					t.Fatal(err)
				}
			} else {
				t.Errorf("docs/%s/%s: nothing of that name exists", part, filepath.Base(f))
			}
		}
	}
}

func severityNote(d detect.Detector) string {
	if d.Severity == detect.Error {
		return "\nA finding fails the gate unless `--fail-on never` is given.\n"
	}
	return ""
}
