package suite_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Law 6: a link of a page to a file or a heading of the repository leads there,
// and the index of docs names every page.
func TestLinksInDocs(t *testing.T) {
	var pages []string
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(slices.Clone(pages), filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"), filepath.Join(root, "fixtures", "README.md")) {
		for _, to := range linksOf(t, page) {
			path, heading, _ := strings.Cut(to, "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(path))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, to)
				continue
			}
			if heading != "" && !slices.Contains(headingsOf(t, target), heading) {
				t.Errorf("%s: %s has no heading of that name", page, to)
			}
		}
	}
	docs := filepath.Join(root, "docs")
	named := linksOf(t, filepath.Join(docs, "README.md"))
	for _, page := range pages {
		if filepath.Dir(page) != docs || filepath.Base(page) == "README.md" {
			continue
		}
		if !slices.Contains(named, filepath.Base(page)) {
			t.Errorf("docs/README.md does not name %s", filepath.Base(page))
		}
	}
}

// linksOf are the links of a page that stay within the repository. What stands
// between fences is no link.
func linksOf(t *testing.T, page string) []string {
	t.Helper()
	var out []string
	for _, line := range proseOf(t, page) {
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			if !strings.Contains(m[1], "://") {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// headingsOf are the names under which headings of a page can be linked to.
func headingsOf(t *testing.T, page string) []string {
	t.Helper()
	var out []string
	for _, line := range proseOf(t, page) {
		if text := strings.TrimLeft(line, "#"); text != line {
			name := strings.Map(func(r rune) rune {
				switch {
				case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
					return r
				case r == ' ':
					return '-'
				}
				return -1
			}, strings.ToLower(strings.TrimSpace(text)))
			out = append(out, name)
		}
	}
	return out
}

func proseOf(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	inside := false
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "```") {
			inside = !inside
		} else if !inside {
			out = append(out, line)
		}
	}
	return out
}
