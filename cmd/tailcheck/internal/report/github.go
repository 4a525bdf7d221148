package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tailcheck/tailcheck/correct/sla"
	"github.com/tailcheck/tailcheck/detect"
)

// GitHub writes annotations for a run of GitHub Actions.
var GitHub = Renderer{
	Name: "github",
	Doc: `Annotations for GitHub Actions

Workflow commands, one a line, that GitHub shows on the run and beside the file:
an error for what fails the gate or could not be judged, warnings and notices for
other findings. GitHub shows ten of each kind for a step; the most important come
first, the tenth says how many there are, and the rest are plain lines of the log.
The last line is the verdict.`,
	Render: func(w io.Writer, r *Result, _ Options) error {
		g := github{text: text{page: newPage(Options{}), r: r, dir: commonDir(r.Inputs)}}
		g.collect()
		_, err := io.WriteString(w, g.lines())
		return err
	},
}

// Bounds of annotations.
const (
	githubShown = 10   // of each kind, for a step
	githubWords = 2000 // columns of a message
	githubTitle = 200  // columns of a title
)

// annotation is one remark beside a file.
type annotation struct {
	at             place
	title, message string
}

// github is one Result on its way to annotations. Kinds are in the order of
// githubKinds.
type github struct {
	text
	kinds [3][]annotation
}

var githubKinds = [3]string{"error", "warning", "notice"}

func (g *github) add(kind int, at place, title, message string) {
	g.kinds[kind] = append(g.kinds[kind], annotation{at, title, message})
}

// collect fills the kinds, the most important first.
func (g *github) collect() {
	for _, o := range g.worstFirst() {
		kind, how := 0, "is not met"
		switch o.Verdict {
		case sla.Pass:
			continue
		case sla.Inconclusive:
			how = "could not be judged"
			if g.r.Verdict == sla.Pass {
				kind = 1
			}
		}
		g.add(kind, g.r.start(o.Input), g.called(o)+" "+how, o.Why)
	}
	for _, f := range Ranked(g.r.Findings) {
		kind := 1
		switch {
		case g.r.fails(f):
			kind = 0
		case f.Level == detect.Note:
			kind = 2
		}
		title := f.Rule
		if f.Op != "" {
			title += " of " + f.Op
		}
		g.add(kind, g.r.placeOf(f), title, f.Message)
	}
	for i := range g.r.Problems {
		kind := 1
		if g.r.Unusable {
			kind = 0
		}
		x := &g.r.Problems[i]
		g.add(kind, place{path: x.Path, line: line0(x.Line)}, "problem in reading", x.Message) // not always lost: a plan that contradicts the report is one
	}
	if g.r.Verdict != sla.Pass && len(g.kinds[0]) == 0 {
		g.add(0, place{}, "tailcheck: "+g.r.Verdict, g.r.Why)
	}
}

func (g *github) lines() string {
	var b strings.Builder
	var counts []string
	for k, list := range g.kinds {
		shown := len(list)
		if shown > githubShown {
			shown = githubShown - 1
		}
		for _, a := range list[:shown] {
			b.WriteString(a.command(githubKinds[k]))
		}
		if rest := len(list) - shown; rest > 0 {
			b.WriteString(annotation{title: "tailcheck", message: "and " + counted(int64(rest), "more "+githubKinds[k]) + ": they are in the log of this step"}.command(githubKinds[k]))
		}
		for _, a := range list[shown:] {
			b.WriteString(githubKinds[k] + ": " + a.plain() + "\n")
		}
		if len(list) > 0 {
			counts = append(counts, counted(int64(len(list)), githubKinds[k]))
		}
	}
	end := "tailcheck: " + strings.ToUpper(g.r.Verdict) + ": " + g.r.Why
	if len(counts) > 0 {
		end += " (" + strings.Join(counts, ", ") + ")"
	}
	b.WriteString(clip(end, githubWords) + "\n")
	return b.String()
}

// command writes an annotation as a workflow command. The path is as it was
// given: GitHub wants it relative to the root of the repository.
func (a annotation) command(kind string) string {
	var properties []string
	set := func(name, value string) {
		properties = append(properties, name+"="+githubProperty.Replace(value))
	}
	if a.at.path != "" && a.at.path != "-" {
		set("file", clip(strings.TrimPrefix(strings.ReplaceAll(a.at.path, `\`, "/"), "./"), githubTitle))
		if a.at.line > 0 {
			set("line", fmt.Sprint(a.at.line))
		}
	}
	set("title", clip(a.title, githubTitle))
	message := clip(a.message, githubWords)
	if message == "" {
		message = clip(a.title, githubTitle) // GitHub shows none that says nothing
	}
	return "::" + kind + " " + strings.Join(properties, ",") + "::" + githubData.Replace(message) + "\n"
}

// plain writes an annotation as a line of the log.
func (a annotation) plain() string {
	s := a.title + ": " + a.message
	if at := a.at.String(); at != "" {
		s = at + ": " + s
	}
	return clip(s, githubWords)
}

// The characters that actions/runner takes back (ActionCommand.cs): in the value
// of a property, and in the message. No line breaks are left by then.
var (
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
)
