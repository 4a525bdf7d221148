package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// scripted writes the completion script of a shell to a file.
func scripted(t *testing.T, shell string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skip("no " + shell)
	}
	var out, errs strings.Builder
	if code := run([]string{"tailcheck", "completion", shell}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	path := filepath.Join(t.TempDir(), "_tailcheck")
	if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each shell reads its script without a complaint.
func TestCompletionParses(t *testing.T) {
	for shell, argv := range map[string][]string{"bash": {"-n"}, "zsh": {"-n"}, "fish": {"--no-execute"}} {
		t.Run(shell, func(t *testing.T) {
			path := scripted(t, shell)
			if out, err := exec.Command(shell, append(argv, path)...).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

var completions = []struct {
	line []string // what stands before the cursor; the last is what is begun
	want string   // is offered
	not  string   // is not
}{
	{[]string{"tailcheck", "corr"}, "correct", "compare"},
	{[]string{"tailcheck", "check", "--inter"}, "--interval", "--rate"},
	{[]string{"tailcheck", "check", "--fail-on", "w"}, "warning", "error"},
	{[]string{"tailcheck", "check", "--output", "sa"}, "sarif", "html"},
	{[]string{"tailcheck", "rules", "coord"}, "coordinated-omission", "no-data"},
	{[]string{"tailcheck", "completion", "z"}, "zsh", "bash"},
	{[]string{"tailcheck", "whatif", "sc"}, "scatter", "hedge"},
}

func TestCompletionOfBash(t *testing.T) {
	path := scripted(t, "bash")
	for _, c := range completions {
		cmd := exec.Command("bash", "--norc", "-c", `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tailcheck; printf '%s\n' "${COMPREPLY[@]}"`, "bash", path)
		cmd.Args = append(cmd.Args, c.line...)
		out, err := cmd.CombinedOutput()
		offered(t, c.line, string(out), err, c.want, c.not)
	}
}

func TestCompletionOfFish(t *testing.T) {
	path := scripted(t, "fish")
	for _, c := range completions {
		cmd := exec.Command("fish", "--no-config", "-c", `source $argv[1]; complete -C (string join ' ' -- $argv[2..-1])`, path)
		cmd.Args = append(cmd.Args, c.line...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		var names strings.Builder // what stands behind a tab tells what they are
		for line := range strings.Lines(string(out)) {
			name, _, _ := strings.Cut(line, "\t")
			names.WriteString(name + "\n")
		}
		offered(t, c.line, names.String(), err, c.want, c.not)
	}
}

// zsh completes at a terminal only: it is given one, and asked to list what there
// is until that is what was wanted.
func TestCompletionOfZsh(t *testing.T) {
	t.Parallel() // a shell for each line takes a second to begin
	path := scripted(t, "zsh")
	const ask = `zmodload zsh/zpty || exit 9
zpty z zsh -f -i
zpty -w z 'PROMPT= RPROMPT=; bindkey "^I" list-choices; fpath=('$1' $fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=1000; COLUMNS=200; print rea""dy'
zpty -r -m z out '*ready*'
zpty -w -n z "$2"$'\t'
zpty -r -m z out "*$2*"$'\n'"*$3*"
print -rn -- "$out"
zpty -d z`
	for _, c := range completions {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		out, err := exec.CommandContext(ctx, "zsh", "-f", "-c", ask, "zsh", filepath.Dir(path), strings.Join(c.line, " "), c.want).CombinedOutput()
		cancel()
		_, list, _ := strings.Cut(string(out), strings.Join(c.line, " "))
		offered(t, c.line, list, err, c.want, "\n"+c.not)
	}
}

func offered(t *testing.T, line []string, out string, err error, want, not string) {
	t.Helper()
	if err != nil || !strings.Contains(out, want) || strings.Contains(out, not) {
		t.Errorf("%q: %v; want %q, and not %q, of:\n%s", line, err, want, not, out)
	}
}
