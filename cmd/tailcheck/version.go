package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// version may be set by the linker; else the build information says it.
var version = ""

func (s *session) version() *cli.Command {
	return &cli.Command{
		Name:         "version",
		Usage:        "print the version and what it was built from",
		OnUsageError: usage,
		Action: func(*cli.Context) error {
			v, revision := version, ""
			if info, ok := debug.ReadBuildInfo(); ok {
				if v == "" {
					v = info.Main.Version
				}
				for _, x := range info.Settings {
					if x.Key == "vcs.revision" {
						revision = " " + x.Value[:min(12, len(x.Value))]
					}
				}
			}
			if v == "" || v == "(devel)" {
				v = "devel"
			}
			_, err := fmt.Fprintf(s.stdout, "tailcheck %s%s %s %s/%s\n", v, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
