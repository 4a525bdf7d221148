package config

import (
	"path"
	"strings"
	"testing"
	"time"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern  string
		yes, not string // paths, by blanks
	}{
		{"hey.csv", "hey.csv ./hey.csv a/hey.csv /a/b/hey.csv", "hey.csv.gz xhey.csv hey.csv/x"},
		{"*.csv", "a.csv b/c.csv .csv", "a.txt a.csv/b"},
		{"load/*.csv", "load/a.csv ./load/a.csv load//a.csv x/../load/a.csv", "a.csv x/load/a.csv load/b/a.csv /load/a.csv"},
		{"./load/*.csv", "load/a.csv ./load/a.csv", "x/load/a.csv"},
		{"load/**", "load/a load/a/b load", "loads/a x/load/a"},
		{"load/**/a.csv", "load/a.csv load/x/a.csv load/x/y/a.csv", "load/x/b.csv a.csv"},
		{"**/a.csv", "a.csv x/a.csv /x/y/a.csv", "b.csv a.csv/x"},
		{"**/x/**/y", "x/y a/x/y a/x/b/y x/x/y/y", "y/x x/y/z"},
		{"**", "a a/b/c - /x", ""},
		{"**/**", "a a/b", ""},
		{"/tmp/*.csv", "/tmp/a.csv", "tmp/a.csv"},
		{"-", "-", "x"},
		{"a?c", "abc aéc", "ac a/c"},
		{"[a-c].txt", "a.txt x/b.txt", "d.txt"},
		{`\*.csv`, "*.csv", "a.csv"},
		{"../out/*.csv", "../out/a.csv", "out/a.csv"},
	} {
		p, err := parsePattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for _, name := range strings.Fields(c.yes) {
			if !p.Match(name) {
				t.Errorf("%s does not cover %s", c.pattern, name)
			}
		}
		for _, name := range strings.Fields(c.not) {
			if p.Match(name) {
				t.Errorf("%s covers %s", c.pattern, name)
			}
		}
	}
	for _, bad := range []string{"", "./", "load/", "a//b", "a[", `a\`, strings.Repeat("a", 1001)} {
		if _, err := parsePattern(bad); err == nil {
			t.Errorf("%q is a pattern", bad)
		}
	}
}

// Patterns of many stars take no longer than their length times that of the path.
func TestPatternsInTime(t *testing.T) {
	p, err := parsePattern(strings.Repeat("**/", 300) + "b")
	if err != nil {
		t.Fatal(err)
	}
	stars, err := parsePattern(strings.Repeat("*a", 400) + "b")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() { done <- p.Match(strings.Repeat("a/", 2000)) || stars.Match(strings.Repeat("a", 4000)) }()
	select {
	case covers := <-done:
		if covers {
			t.Error("covers what it does not")
		}
	case <-time.After(time.Minute):
		t.Fatal("takes forever")
	}
}

// A path made literal is a pattern that covers it, and a text of YAML that reads
// back.
func FuzzLiteral(f *testing.F) {
	for _, s := range []string{"a.csv", "a[1]*?.csv", `b\c`, "yes", "a: b", "it's", "\u202e", "x\ny", "#", "null", "~", "1e3", "a,b", "{x}", "&a", "- b", "🙂", "\x1b[2J", "%", "'", `"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name := path.Clean(s)
		if strings.ToValidUTF8(name, "") != name || strings.Contains(s, "\x00") || len(name) > 400 || s == "" {
			t.Skip()
		}
		p, err := parsePattern(Literal(name))
		if err != nil && name != "/" {
			t.Fatalf("%q: %v", name, err)
		}
		if err == nil && !p.Match(name) {
			t.Fatalf("%q is not covered by %q", name, p.text)
		}
		file, err := Parse("x", []byte("version: 1\nplans: [{rate: 1, files: "+Quote("x"+s)+"}]\n"), Known{})
		if err != nil {
			if strings.Contains(err.Error(), "the pattern") {
				return
			}
			t.Fatalf("%q as %s: %v", s, Quote("x"+s), err)
		}
		if got := file.Plans[0].Files[0].text; got != "x"+s {
			t.Fatalf("%q reads back as %q", "x"+s, got)
		}
	})
}
