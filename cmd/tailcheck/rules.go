package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/suite"
)

// page is one documented thing: a detector, a format.
type page struct{ name, doc, extra string }

func (p page) title() string {
	title, _, _ := strings.Cut(p.doc, "\n")
	return title
}

func (s *session) rules() *cli.Command {
	return &cli.Command{
		Name:      "rules",
		Usage:     "explain the detectors; with a name, one in full",
		ArgsUsage: "[NAME]",
		Description: `Examples:
  tailcheck rules
  tailcheck rules coordinated-omission`,
		OnUsageError: usage,
		Action: func(c *cli.Context) error {
			var pages []page
			for _, d := range suite.Detectors {
				pages = append(pages, page{d.Name, d.Doc, "severity: " + d.Severity.String()})
			}
			return s.explain(c, "detector", pages)
		},
	}
}

func (s *session) formats() *cli.Command {
	return &cli.Command{
		Name:      "formats",
		Usage:     "explain the inputs and how to produce them; with a name, one in full",
		ArgsUsage: "[NAME]",
		Description: `Examples:
  tailcheck formats
  tailcheck formats hey-csv`,
		OnUsageError: usage,
		Action: func(c *cli.Context) error {
			var pages []page
			for _, f := range suite.Formats {
				pages = append(pages, page{name: f.Name, doc: f.Doc})
			}
			return s.explain(c, "format", pages)
		},
	}
}

// explain lists pages, or prints the one that is named.
func (s *session) explain(c *cli.Context, kind string, pages []page) error {
	if !c.Args().Present() {
		width := 0
		for _, p := range pages {
			width = max(width, len(p.name))
		}
		for _, p := range pages {
			fmt.Fprintf(s.stdout, "%-*s  %s\n", width, p.name, p.title())
		}
		return nil
	}
	name := c.Args().First()
	best, dist := "", min(4, len(name)/2+1) // more than half of its letters changed is another name: k6 is not hey
	for _, p := range pages {
		if p.name == name {
			return printPage(s.stdout, p)
		}
		if d := check.Distance(name, p.name); d < dist {
			best, dist = p.name, d
		}
	}
	hint := "tailcheck " + c.Command.Name + " lists them"
	if best != "" {
		hint = "tailcheck " + c.Command.Name + " " + best
	}
	return fmt.Errorf("no %s is named %q\nhint: %s", kind, name, hint)
}

func printPage(w io.Writer, p page) error {
	_, err := fmt.Fprintf(w, "%s: %s\n", p.name, strings.TrimSpace(p.doc))
	if err == nil && p.extra != "" {
		_, err = fmt.Fprintf(w, "\n%s\n", p.extra)
	}
	return err
}
