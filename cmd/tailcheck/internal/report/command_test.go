package report

import (
	"os/exec"
	"strings"
	"testing"
)

// A command that is shown in lines is the same command when it is copied: to a
// shell, every word of it is what it was.
func TestCommandSurvivesLines(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	long := strings.Repeat("segment/", 40)
	for _, words := range [][]string{
		{"-m", "POST", "-d", `{"a": "%!b(MISSING)%s", "b":  [1, 2,   3], "c": "a sentence of many words, each of them short"}`, "http://x/"},
		{"-H", "A: it's", "http://x/" + long},
		{"http://x/?q=" + long + "&r='" + long + "'"},
		{"-H", `back\slash \' "quoted" $(reboot) ` + "`reboot`" + ` !x`, "http://x/"},
		{"", " ", "  two  blanks  "},
	} {
		text := "$ printf '<%s>'"
		for _, w := range words {
			if strings.ContainsAny(w, " '\"\\$`&!(){}?[]*;") || w == "" {
				w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
			}
			text += " " + w
		}
		for width := minWidth; width <= 120; width += 7 {
			p := newPage(Options{Width: width})
			p.para(2, "", "", 4, text)
			shown := strings.TrimPrefix(strings.TrimLeft(p.String(), " "), "$ ")
			got, err := exec.Command(sh, "-c", shown).Output()
			if want := "<" + strings.Join(words, "><") + ">"; err != nil || string(got) != want {
				t.Fatalf("at %d columns: %v %q, want %q; shown:\n%s", width, err, got, want, p.String())
			}
		}
	}
}
