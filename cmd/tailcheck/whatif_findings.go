package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/check"
	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/report"
)

// Bounds of what check --what-if does, so that a gate stays quick: commands of
// the findings that cost most are run, each of which reads its input once more,
// and draws so often. Drawing takes less than a second of two cores for each.
const (
	mostAsked  = 5
	askedDraws = 100_000
)

// heard is what a command says when a finding asks it, instead of printing it.
type heard struct {
	lines []string
	opt   *check.Options // how the inputs were read
}

type heardKey struct{}

// hears returns who asks; nil: the command prints its answer.
func hears(ctx context.Context) *heard {
	h, _ := ctx.Value(heardKey{}).(*heard)
	return h
}

// askFindings runs the commands that remedies name, and puts what they say beside
// them. A command that several remedies name is run once.
func (s *session) askFindings(ctx context.Context, out *check.Outcome, opt *check.Options) error {
	said := map[string]*report.WhatIf{}
	for _, f := range report.Ranked(out.Findings) {
		if f.Command == "" {
			continue
		}
		w, asked := said[f.Command]
		if !asked {
			if len(said) == mostAsked {
				break
			}
			w = s.ask(ctx, f.Command, opt)
			if err := ctx.Err(); err != nil {
				return err
			}
			said[f.Command] = w
		}
		f.WhatIf = w
	}
	return nil
}

// ask runs one command as it would be typed.
func (s *session) ask(ctx context.Context, command string, opt *check.Options) *report.WhatIf {
	args, err := shellWords(command)
	if err != nil {
		return nil
	}
	if len(args) > 2 && args[1] == "whatif" && (args[2] == "scatter" || args[2] == "hedge" || args[2] == "chain" && !strings.Contains(command, " --from ")) {
		draws := fmt.Sprint(askedDraws)
		args, command = append(args, "--draws", draws), command+" --draws "+draws
	}
	h := &heard{opt: opt}
	var errs bytes.Buffer
	quiet := &session{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	app := quiet.app()
	if err := app.RunContext(context.WithValue(ctx, heardKey{}, h), reorder(app, args)); err != nil {
		complain(&errs, err)
		line, _, _ := strings.Cut(errs.String(), "\n")
		h.lines = []string{report.Safe("It says nothing: " + strings.TrimPrefix(line, "tailcheck: error: "))}
	}
	return &report.WhatIf{Command: command, Lines: h.lines}
}

// shellWords splits a command that remedies name: its words are plain, or in
// single quotes.
func shellWords(line string) ([]string, error) {
	var words []string
	word, inside, quoted := "", false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c != '\'':
			word += line[i : i+1]
		case c == '\'':
			quoted, inside = !quoted, true
		case c == '\\' && i+1 < len(line):
			i++
			word, inside = word+line[i:i+1], true
		case c == ' ':
			if inside {
				words, word, inside = append(words, word), "", false
			}
		default:
			word, inside = word+line[i:i+1], true
		}
	}
	if quoted {
		return nil, fmt.Errorf("a quote that does not end")
	}
	if inside {
		words = append(words, word)
	}
	return words, nil
}
