package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
)

// reorder moves flags that stand behind file names in front of them, where the
// flag package looks for them. Behind "--" nothing is a flag. "help COMMAND" and
// "--version" are what they are in other tools.
func reorder(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	switch args[1] {
	case "help":
		if len(args) > 2 && app.Command(args[2]) != nil {
			return []string{args[0], args[2], "--help"}
		}
		return []string{args[0], "--help"}
	case "--version", "-version":
		return []string{args[0], "version"}
	}
	command := app.Command(args[1])
	if command == nil {
		return args
	}
	if len(args) > 2 && len(command.Subcommands) > 0 {
		for _, sub := range command.Subcommands {
			if sub.HasName(args[2]) {
				return append([]string{args[0], args[1]}, behind(sub, args[2:])...)
			}
		}
		return args
	}
	return append([]string{args[0]}, behind(command, args[1:])...)
}

// behind puts the flags of a command, whose name comes first, in front of what
// else is behind it.
func behind(command *cli.Command, args []string) []string {
	takes := map[string]bool{}
	for _, f := range command.Flags {
		_, isBool := f.(*cli.BoolFlag)
		for _, n := range f.Names() {
			takes[n] = !isBool
		}
	}
	var flags, rest []string
	for i := 1; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case len(a) < 2 || a[0] != '-':
			rest = append(rest, a)
		default:
			flags = append(flags, a)
			name := strings.TrimLeft(a, "-")
			if strings.Contains(name, "=") || !takes[name] {
				continue
			}
			if i++; i == len(args) {
				return append([]string{args[0]}, flags...) // for the flag package to say that a value is missing
			}
			flags = append(flags, args[i])
		}
	}
	out := append([]string{args[0]}, flags...)
	return append(append(out, "--"), rest...)
}

// unknownCommand is the error of a first word that is no command; where it is a
// file, it says what was meant.
func (s *session) unknownCommand(name string) error {
	if _, err := os.Stat(name); err == nil {
		return fmt.Errorf("%q is not a command\nhint: tailcheck check %s", name, name)
	}
	best, dist := "", 3
	for _, c := range s.app().Commands {
		if d := check.Distance(name, c.Name); d < dist {
			best, dist = c.Name, d
		}
	}
	if best != "" {
		return fmt.Errorf("%q is not a command\nhint: tailcheck %s", name, best)
	}
	return fmt.Errorf("%q is not a command\nhint: tailcheck --help lists them", name)
}

// readTwice reports whether standard input is given more than once: what is read
// of it the second time is nothing.
func readTwice(paths []string) bool {
	given := 0
	for _, p := range paths {
		if p == "-" {
			given++
		}
	}
	return given > 1
}
