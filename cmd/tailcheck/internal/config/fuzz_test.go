package config_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/config"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
)

func open(text string) func(string) (io.ReadCloser, error) {
	return func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

// Whatever a file holds, it is refused with places, or can be used.
func FuzzRead(f *testing.F) {
	for _, text := range valid {
		f.Add(text)
	}
	for _, c := range invalid {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parse(text)
		if err == nil {
			var opt check.Options
			file.Apply(&opt, config.Given{}, time.Now())
			for _, s := range opt.Scopes {
				if s.Covers != nil {
					s.Covers(text)
				}
			}
			return
		}
		for i, line := range strings.Split(err.Error(), "\n") {
			if !strings.HasPrefix(line, "tailcheck.yaml") || i >= 20 {
				t.Errorf("%q", line)
			}
			for _, r := range line {
				if !unicode.IsPrint(r) {
					t.Errorf("%q holds %q", line, r)
				}
			}
		}
	})
}

// Hostile files take no more time and room than their size.
func TestBounds(t *testing.T) {
	bomb := "version: 1\nx0: &x0 [a, a, a, a, a, a, a, a, a, a]\n"
	for i := 1; i < 12; i++ {
		ref := fmt.Sprintf("*x%d, ", i-1)
		bomb += fmt.Sprintf("x%d: &x%d [%s]\n", i, i, strings.Repeat(ref, 10))
	}
	items := "version: 1\nobjectives: &a\n" + strings.Repeat("  - p99<1s\n", 1001)
	wide := "version: 1\nplans:\n  - &a {" + strings.Repeat("k: 1, ", 100_000) + "}\n" + strings.Repeat("  - *a\n", 900)
	for name, c := range map[string]struct{ text, want string }{
		"aliases":  {bomb, "unknown key \"x0\""},
		"a cycle":  {"version: 1\nobjectives: &a [*a]\n", "an objective: want a text, got a list"},
		"items":    {items, "objectives: more than 1000"},
		"keys":     {wide, "a plan: more than 64 keys"},
		"depth":    {"version: 1\nplans: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "a plan: want a mapping"},
		"too deep": {"version: 1\nplans: " + strings.Repeat("[", 200_000), "not YAML"},
		"length":   {"version: 1\n#" + strings.Repeat("x", 1<<20), "more than 1 MiB"},
		"a text":   {"version: 1\nobjectives: ['" + strings.Repeat("x", 20_000) + "']", "a text of more than 10000 bytes"},
		"errors":   {"version: 1\n" + strings.Repeat("nonsense: 1\n", 30), "unknown key"},
	} {
		_, err := config.Read("tailcheck.yaml", open(c.text), known())
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 10_000 {
			t.Errorf("%s: %.300v", name, err)
		}
	}
	_, err := config.Read("a.yaml", func(string) (io.ReadCloser, error) { return nil, errors.New("gone") }, known())
	if want := (*yamltext.Error)(nil); !errors.As(err, &want) || err.Error() != "a.yaml: gone" {
		t.Error(err)
	}
}
