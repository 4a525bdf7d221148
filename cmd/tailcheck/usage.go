package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
)

// The flag package's words for a value that is not of the flag's type. The value
// stands quoted as Go does.
var badValue = regexp.MustCompile(`^invalid (?:boolean )?value ("(?:[^"\\]|\\.)*") for (?:flag )?-([A-Za-z0-9-]+): `)

// usage words the errors of the flag parser as tailcheck's own.
func usage(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		meant := ""
		if near := nearFlag(c.Command.VisibleFlags(), name); near != "" {
			meant = ", did you mean " + flagName(near) + "?"
		}
		return fmt.Errorf("unknown flag %s%s\nhint: %s --help lists the flags", flagName(name), meant, strings.Join(strings.Fields(c.Command.HelpName), " "))
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return fmt.Errorf("flag %s needs a value", flagName(name))
	}
	if m := badValue.FindStringSubmatch(text); m != nil {
		if strings.HasSuffix(text, ": value out of range") {
			return fmt.Errorf("%s %s: value out of range", flagName(m[2]), m[1])
		}
		return fmt.Errorf("%s %s: want %s", flagName(m[2]), m[1], wanted(c.Command.Flags, m[2]))
	}
	return errors.New(text)
}

// flagName writes a flag as it is given: one letter behind one dash.
func flagName(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// nearFlag is the flag that somebody may have meant: the one that the name begins,
// or else the nearest within two letters; empty: none, or several as likely.
func nearFlag(flags []cli.Flag, name string) string {
	begun, near, least := []string(nil), []string(nil), 2
	for _, f := range flags {
		for _, n := range f.Names() {
			if len(n) == 1 {
				continue
			}
			if len(name) > 1 && strings.HasPrefix(n, name) {
				begun = append(begun, n)
			}
			// Two letters changed make any short name of any other.
			switch d := check.Distance(name, n); {
			case d > least || 2*d > len(name):
			case d < least:
				near, least = []string{n}, d
			default:
				near = append(near, n)
			}
		}
	}
	switch {
	case len(begun) == 1:
		return begun[0]
	case len(near) == 1:
		return near[0]
	}
	return ""
}

// wanted says what a flag takes.
func wanted(flags []cli.Flag, name string) string {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n != name {
				continue
			}
			switch f.(type) {
			case *cli.BoolFlag:
				return "no value, or =true or =false"
			case *cli.Float64Flag:
				return "a number"
			case *cli.Uint64Flag:
				return "a whole number, 0 or more"
			}
		}
	}
	return "a whole number"
}
