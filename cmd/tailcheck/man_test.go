package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

// docs/man/tailcheck.1 is the code's own words.
func TestManPage(t *testing.T) {
	path := filepath.Join(root, "docs/man/tailcheck.1")
	want := (&session{}).manual()
	got, _ := os.ReadFile(path)
	if string(got) == want {
		return
	}
	if !*update {
		t.Fatal("docs/man/tailcheck.1 is not current: go test ./cmd/tailcheck -run TestManPage -update")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The page is read without a complaint by what shows such pages.
func TestManPageIsRead(t *testing.T) {
	path := filepath.Join(root, "docs/man/tailcheck.1")
	ran := false
	for _, c := range [][]string{{"mandoc", "-T", "lint", "-W", "warning"}, {"groff", "-man", "-Tutf8", "-ww", "-z"}} {
		if _, err := exec.LookPath(c[0]); err != nil {
			continue
		}
		ran = true
		out, _ := exec.Command(c[0], append(c[1:], path)...).CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, "missing date") { // it would change with every build
				t.Errorf("%s: %s", c[0], line)
			}
		}
	}
	if !ran {
		t.Skip("neither mandoc nor groff")
	}
}

// roff writes text so that nothing in it is a request or an escape.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "'", `\(aq`, "…", "...", "→", `\(->`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}

// manual is the page in the macros of man(7), which every system reads.
func (s *session) manual() string {
	app := s.app()
	var b strings.Builder
	b.WriteString(".\\\" generated from the code: go test ./cmd/tailcheck -run TestManPage -update\n")
	fmt.Fprintf(&b, ".TH TAILCHECK 1 \"\" \"tailcheck\" \"User Commands\"\n.SH NAME\ntailcheck \\- %s\n.SH SYNOPSIS\n", roff(app.Usage))
	commands := slices.DeleteFunc(slices.Clone(app.Commands), func(c *cli.Command) bool { return c.Hidden })
	for i, c := range commands {
		if i > 0 {
			b.WriteString(".br\n")
		}
		b.WriteString(".B tailcheck " + roff(c.Name) + "\n")
		if len(c.Flags) > 0 {
			b.WriteString("[\\fIflags\\fR]\n")
		}
		if c.ArgsUsage != "" {
			b.WriteString(roff(c.ArgsUsage) + "\n")
		}
	}
	b.WriteString(".SH DESCRIPTION\n")
	prose(&b, app.Description)
	b.WriteString(".SH COMMANDS\n")
	for _, c := range commands {
		manCommand(&b, "tailcheck", c)
	}
	b.WriteString(".SH EXIT STATUS\nOf\n.BR \"tailcheck check\" :\n")
	for code, text := range []string{
		"every objective passes, raw and corrected; no finding at or above \\-\\-fail\\-on",
		"an objective fails, or such a finding",
		"the command line or an input could not be used",
		"nothing failed, but something could not be judged",
	} {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", code, text)
	}
	b.WriteString(".PP\nOther commands are reports, not gates: 0, or 2.\n.SH ENVIRONMENT\n")
	for _, v := range [][2]string{
		{"NO_COLOR", "set to anything: no colours"},
		{"CI", "set to anything: no progress bar"},
		{"TERM", "dumb: neither"},
		{"LC_ALL, LC_CTYPE, LANG", "say whether the terminal shows more than ASCII"},
		{"TMPDIR", "where spans go that take more than \\-\\-memory"},
	} {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", v[0], v[1])
	}
	b.WriteString(".SH FILES\n.TP\n.B tailcheck.yaml\nsettings of check, in the working directory\n.SH FORMATS\nWhat is read;\n.B tailcheck formats\n.I NAME\nsays more.\n")
	for _, f := range suite.Formats {
		title, _, _ := strings.Cut(f.Doc, "\n")
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(f.Name), roff(title))
	}
	b.WriteString(".SH RULES\nWhat is found;\n.B tailcheck rules\n.I NAME\nsays more.\n")
	for _, d := range suite.Detectors {
		title, _, _ := strings.Cut(d.Doc, "\n")
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(d.Name), roff(title))
	}
	return b.String()
}

// manCommand writes a command, its flags, and its subcommands.
func manCommand(b *strings.Builder, parent string, c *cli.Command) {
	name := parent + " " + c.Name
	fmt.Fprintf(b, ".SS %s\n%s.\n", roff(strings.TrimSpace(name+" "+c.ArgsUsage)), roff(c.Usage))
	if c.Description != "" {
		b.WriteString(".PP\n")
		prose(b, c.Description)
	}
	for _, f := range c.Flags {
		doc, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		usage, value := doc.GetUsage(), ""
		if _, rest, ok := strings.Cut(usage, "`"); ok {
			value, _, _ = strings.Cut(rest, "`")
		} else if takesValue(f) {
			value = "VALUE"
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roff(dashed(f)))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roff(value))
		}
		text := roff(strings.ReplaceAll(usage, "`", ""))
		if d := doc.GetDefaultText(); d != "" && takesValue(f) {
			text += " (" + roff(strings.Trim(d, `"`)) + ")"
		}
		b.WriteString("\n" + text + "\n")
	}
	for _, sub := range c.Subcommands {
		if sub.Name != "help" {
			manCommand(b, name, sub)
		}
	}
}

// prose writes a description: paragraphs are filled, indented lines stand as they
// are.
func prose(b *strings.Builder, text string) {
	indented, paragraph := false, false // whether the last line was; whether a paragraph is to begin
	for l := range strings.SplitSeq(text, "\n") {
		if l == "" {
			paragraph = true
			continue
		}
		switch in := strings.HasPrefix(l, "  "); {
		case in && !indented:
			b.WriteString(".PP\n.nf\n")
			indented = true
		case !in && indented:
			b.WriteString(".fi\n.PP\n")
			indented = false
		case paragraph:
			b.WriteString(".PP\n")
		}
		paragraph = false
		b.WriteString(roff(l) + "\n")
	}
	if indented {
		b.WriteString(".fi\n")
	}
}
