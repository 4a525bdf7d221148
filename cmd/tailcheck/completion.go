package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

func (s *session) completion() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a completion script for bash, zsh or fish",
		ArgsUsage: "bash|zsh|fish",
		Description: `Examples:
  source <(tailcheck completion bash)
  tailcheck completion zsh > "${fpath[1]}/_tailcheck"
  tailcheck completion fish > ~/.config/fish/completions/tailcheck.fish`,
		OnUsageError: usage,
		Action: func(c *cli.Context) error {
			var script string
			switch shell := c.Args().First(); shell {
			case "bash":
				script = s.bash()
			case "zsh":
				script = s.zsh()
			case "fish":
				script = s.fish()
			case "":
				return fmt.Errorf("no shell given\nhint: tailcheck completion bash")
			default:
				return fmt.Errorf("%q: want bash, zsh or fish\nhint: tailcheck completion bash", shell)
			}
			_, err := fmt.Fprint(s.stdout, script)
			return err
		},
	}
}

// words are what may stand behind a command beside files.
func words(command string) (out []string) {
	switch command {
	case "rules":
		for _, d := range suite.Detectors {
			out = append(out, d.Name)
		}
	case "formats":
		for _, f := range suite.Formats {
			out = append(out, f.Name)
		}
	case "completion":
		out = []string{"bash", "zsh", "fish"}
	case "whatif":
		out = []string{"scatter", "chain", "hedge", "load"}
	}
	return out
}

// values are what a flag may be set to; nil: anything.
func values(flag string) (out []string) {
	switch flag {
	case "format":
		for _, f := range suite.Formats {
			out = append(out, f.Name)
		}
	case "output":
		out = rendererNames()
	case "only", "skip":
		for _, d := range suite.Detectors {
			out = append(out, d.Name)
		}
	case "fail-on":
		out = []string{"error", "warning", "note", "never"}
	case "inconclusive":
		out = []string{"fail", "pass"}
	case "unit":
		out = []string{"ns", "us", "ms", "s"}
	case "server":
		out = []string{"serial", "pause", "isolated"}
	}
	return out
}

// isFile reports whether a flag names a file or a directory.
func isFile(flag string) bool {
	switch flag {
	case "o", "base", "hgrm", "config", "keep", "keys", "from", "cluster", "chain":
		return true
	}
	return false
}

// flagsOf returns the flags of a command, or of its subcommands together.
func flagsOf(c *cli.Command) []cli.Flag {
	out := c.Flags
	seen := map[string]bool{}
	for _, sub := range c.Subcommands {
		for _, f := range sub.Flags {
			if name := f.Names()[0]; !seen[name] {
				seen[name] = true
				out = append(out, f)
			}
		}
	}
	return out
}

func dashed(f cli.Flag) string {
	if n := f.Names()[0]; len(n) > 1 {
		return "--" + n
	}
	return "-" + f.Names()[0]
}

func (s *session) bash() string {
	var b strings.Builder
	b.WriteString("# bash completion of tailcheck\n_tailcheck() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n\tCOMPREPLY=()\n")
	var names []string
	commands := s.app().Commands
	for _, c := range commands {
		names = append(names, c.Name)
	}
	fmt.Fprintf(&b, "\tif [[ $COMP_CWORD -eq 1 ]]; then\n\t\tmapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n\t\treturn\n\tfi\n", strings.Join(names, " "))
	b.WriteString("\tcase $prev in\n")
	for _, name := range []string{"format", "output", "only", "skip", "fail-on", "inconclusive", "unit", "server"} {
		fmt.Fprintf(&b, "\t--%s)\n\t\tmapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n\t\treturn\n\t\t;;\n", name, strings.Join(values(name), " "))
	}
	b.WriteString("\tesac\n\tcase ${COMP_WORDS[1]} in\n")
	for _, c := range commands {
		var flags []string
		for _, f := range flagsOf(c) {
			flags = append(flags, dashed(f))
		}
		fmt.Fprintf(&b, "\t%s)\n\t\tif [[ $cur == -* ]]; then\n\t\t\tmapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n", c.Name, strings.Join(flags, " "))
		if w := words(c.Name); len(w) > 0 {
			fmt.Fprintf(&b, "\t\telse\n\t\t\tmapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n", strings.Join(w, " "))
		} else if strings.Contains(c.ArgsUsage, "FILE") {
			b.WriteString("\t\telse\n\t\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n")
		}
		b.WriteString("\t\tfi\n\t\t;;\n")
	}
	b.WriteString("\tesac\n}\ncomplete -o filenames -F _tailcheck tailcheck\n")
	return b.String()
}

// quoted escapes text for a single-quoted argument of zsh's _arguments.
func quoted(s string) string {
	return strings.NewReplacer("'", "'\\''", "[", "\\[", "]", "\\]", ":", "\\:", "`", "").Replace(s)
}

func flagUsage(f cli.Flag) string {
	if d, ok := f.(cli.DocGenerationFlag); ok {
		return strings.ReplaceAll(d.GetUsage(), "`", "")
	}
	return ""
}

func takesValue(f cli.Flag) bool {
	_, isBool := f.(*cli.BoolFlag)
	return !isBool
}

func (s *session) zsh() string {
	var b strings.Builder
	b.WriteString("#compdef tailcheck\n# zsh completion of tailcheck\n_tailcheck() {\n\tlocal -a commands\n\tcommands=(\n")
	commands := s.app().Commands
	for _, c := range commands {
		fmt.Fprintf(&b, "\t\t'%s:%s'\n", c.Name, quoted(c.Usage))
	}
	b.WriteString("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "\t%s)\n\t\t_arguments", c.Name)
		for _, f := range flagsOf(c) {
			fmt.Fprintf(&b, " \\\n\t\t\t'%s[%s]", dashed(f), quoted(flagUsage(f)))
			if takesValue(f) {
				name := f.Names()[0]
				action := ""
				if v := values(name); v != nil {
					action = "(" + strings.Join(v, " ") + ")"
				} else if isFile(name) {
					action = "_files"
				}
				fmt.Fprintf(&b, ":%s:%s", name, action)
			}
			b.WriteString("'")
		}
		if w := words(c.Name); len(w) > 0 {
			fmt.Fprintf(&b, " \\\n\t\t\t'1:name:(%s)'", strings.Join(w, " "))
		} else if strings.Contains(c.ArgsUsage, "FILE") {
			b.WriteString(" \\\n\t\t\t'*:file:_files'")
		}
		b.WriteString("\n\t\t;;\n")
	}
	b.WriteString("\tesac\n}\n_tailcheck \"$@\"\n")
	return b.String()
}

func (s *session) fish() string {
	var b strings.Builder
	b.WriteString("# fish completion of tailcheck\ncomplete -c tailcheck -f\n")
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'" }
	for _, c := range s.app().Commands {
		fmt.Fprintf(&b, "complete -c tailcheck -n __fish_use_subcommand -a %s -d %s\n", c.Name, quote(c.Usage))
		in := "-n '__fish_seen_subcommand_from " + c.Name + "'"
		for _, f := range flagsOf(c) {
			name := f.Names()[0]
			opt := "-l " + name
			if len(name) == 1 {
				opt = "-s " + name
			}
			if takesValue(f) {
				opt += " -x"
				if v := values(name); v != nil {
					opt += " -a " + quote(strings.Join(v, " "))
				} else if isFile(name) {
					opt = strings.TrimSuffix(opt, " -x") + " -r -F"
				}
			}
			fmt.Fprintf(&b, "complete -c tailcheck %s %s -d %s\n", in, opt, quote(flagUsage(f)))
		}
		if w := words(c.Name); len(w) > 0 {
			fmt.Fprintf(&b, "complete -c tailcheck %s -a %s\n", in, quote(strings.Join(w, " ")))
		} else if strings.Contains(c.ArgsUsage, "FILE") {
			fmt.Fprintf(&b, "complete -c tailcheck %s -F\n", in)
		}
	}
	return b.String()
}
