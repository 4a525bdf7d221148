package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// runnerCommand reads a line of output as the runner of GitHub Actions does
// (actions/runner, src/Runner.Common/ActionCommand.cs): "::" first in it, after
// blanks, or "##[" anywhere.
func runnerCommand(line string) (command string, properties map[string]string, data string, ok bool) {
	line = strings.TrimLeft(line, " \t\u00a0\u2003")
	rest, ok := strings.CutPrefix(line, "::")
	info, data, ok2 := strings.Cut(rest, "::")
	if !ok || !ok2 {
		return "", nil, "", strings.Contains(line, "##[")
	}
	command, list, _ := strings.Cut(info, " ")
	properties = map[string]string{}
	for _, x := range strings.Split(list, ",") {
		if k, v, ok := strings.Cut(x, "="); ok && v != "" {
			properties[k] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(v)
		}
	}
	return command, properties, strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data), true
}

// The lines are commands of three kinds, at most ten of each, and no line that
// an input wrote is one.
func checkGitHub(t *testing.T, name, s string) {
	t.Helper()
	seen := map[string]int{}
	for _, l := range strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if Safe(l) != l {
			t.Errorf("%s: not safe: %q", name, l)
		}
		command, properties, data, ok := runnerCommand(l)
		if !ok {
			continue
		}
		seen[command]++
		if !slices.Contains(githubKinds[:], command) || seen[command] > githubShown || data == "" || properties["title"] == "" {
			t.Errorf("%s: %q", name, l)
		}
		for k := range properties {
			if k != "file" && k != "line" && k != "title" {
				t.Errorf("%s: property %q in %q", name, k, l)
			}
		}
	}
	if last := strings.Split(strings.TrimRight(s, "\n"), "\n"); !strings.HasPrefix(last[len(last)-1], "tailcheck: ") {
		t.Errorf("%s: no verdict at the end", name)
	}
}

func TestGitHubIsSafe(t *testing.T) {
	for _, c := range results {
		checkGitHub(t, c.name, render(t, GitHub, c.make(), Options{}))
	}
	for _, s := range []string{"::error::x", "\n::error::x", "a\r::add-mask::x", "##[error]x", "a,line=1,title=b::c", "100%", "%0A::error::x", "a:b,c", "::stop-commands::x"} {
		r := withText(s)
		out := render(t, GitHub, r, Options{})
		checkGitHub(t, s, out)
		_, properties, data, _ := runnerCommand(strings.Split(out, "\n")[0])
		if properties["file"] != Safe(s) || data != Safe(s) {
			t.Errorf("%q became file %q, message %q", s, properties["file"], data)
		}
	}
}

func TestGitHubShowsTenOfAKind(t *testing.T) {
	for _, n := range []int{0, 6, 7, 8, 1000} {
		r := huge(max(n, 1))
		if n == 0 {
			r = many()
		}
		out := render(t, GitHub, r, Options{})
		checkGitHub(t, fmt.Sprint(n), out)
		errors := 2 + 1 + 1 + n // objectives, the one that nobody has, the finding
		commands, plain := strings.Count(out, "::error "), strings.Count(out, "\nerror: ")
		if n == 1000 {
			if commands != 10 || plain != errors-9 || !strings.Contains(out, "and 995 more errors") {
				t.Errorf("%d commands and %d lines of %d", commands, plain, errors)
			}
		} else if n == 0 && (commands != errors || plain != 0) {
			t.Errorf("%d commands and %d lines of %d", commands, plain, errors)
		}
	}
}

// A gate that is not green has an error.
func TestGitHubSaysRed(t *testing.T) {
	for _, c := range results {
		r := c.make()
		if out := render(t, GitHub, r, Options{}); strings.Contains(out, "::error ") == (r.Verdict == "pass") {
			t.Errorf("%s, %s:\n%s", c.name, r.Verdict, out)
		}
	}
}
