package main

import (
	"bytes"
	"strings"
	"testing"
)

// What a flag that does not exist, and a value of another kind, are answered with.
func TestUsage(t *testing.T) {
	for _, c := range []struct{ args, want, hint string }{
		{"check --slo p99<1s x", "unknown flag --slo, did you mean --sla?", "tailcheck check --help lists the flags"},
		{"check --inter 80ms x", "unknown flag --inter, did you mean --interval?", "tailcheck check --help lists the flags"},
		{"check --fail_on warning x", "unknown flag --fail_on, did you mean --fail-on?", "tailcheck check --help lists the flags"},
		{"check --worker=3 x", "unknown flag --worker, did you mean --workers?", "tailcheck check --help lists the flags"},
		{"check --x y", "unknown flag -x\n", ""}, // one letter is like any other
		{"check -s y", "unknown flag -s\n", ""},
		{"check --nothing-like-it x", "unknown flag --nothing-like-it\n", "tailcheck check --help lists the flags"},
		{"whatif scatter --se 3", "unknown flag --se, did you mean --seed?", "tailcheck whatif scatter --help lists the flags"},
		{"check --workers x y", `--workers "x": want a whole number` + "\n", ""},
		{"check --workers 1.5 y", `--workers "1.5": want a whole number` + "\n", ""},
		{"check --workers 99999999999999999999 y", `--workers "99999999999999999999": value out of range` + "\n", ""},
		{"check --strict=perhaps y", `--strict "perhaps": want no value, or =true or =false` + "\n", ""},
		{"whatif scatter --seed -1", `--seed "-1": want a whole number, 0 or more` + "\n", ""},
		{"check y --sla", "flag --sla needs a value", ""},
		{"check y -o", "flag -o needs a value", ""},
		{"check - -", "standard input can be read once only", "tailcheck check FILE -"},
		{"correct - --interval 80ms -", "standard input can be read once only", "tailcheck correct FILE -"},
		{"compare --base - -", "standard input can be read once only", ""},
	} {
		var out, errs bytes.Buffer
		if got := run(append([]string{"tailcheck"}, strings.Fields(c.args)...), strings.NewReader(""), &out, &errs); got != exitUnusable {
			t.Errorf("tailcheck %s: exit code %d, want %d", c.args, got, exitUnusable)
		}
		if got := errs.String(); !strings.Contains(got, c.want) || c.hint != "" && !strings.Contains(got, "hint: "+c.hint+"\n") {
			t.Errorf("tailcheck %s:\n%swant %q and the hint %q", c.args, errs.String(), c.want, c.hint)
		}
	}
}

// The nearest name, where it is near.
func TestNearestPage(t *testing.T) {
	for args, hint := range map[string]string{
		"formats ngin":            "tailcheck formats nginx",
		"formats k6":              "tailcheck formats lists them",
		"formats wrk3":            "tailcheck formats wrk",
		"rules server-stal":       "tailcheck rules server-stall",
		"rules something-unheard": "tailcheck rules lists them",
	} {
		var out, errs bytes.Buffer
		if got := run(append([]string{"tailcheck"}, strings.Fields(args)...), strings.NewReader(""), &out, &errs); got != exitUnusable || !strings.Contains(errs.String(), "hint: "+hint) {
			t.Errorf("tailcheck %s: exit code %d, want the hint %q\n%s", args, got, hint, errs.String())
		}
	}
}
