package config

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tailcheck/tailcheck/cmd/tailcheck/internal/yamltext"
	"github.com/tailcheck/tailcheck/detect"
	"github.com/tailcheck/tailcheck/ingest"
)

// Known is what settings may name.
type Known struct {
	Formats   []ingest.Format
	Detectors []detect.Detector
	Renderers []string
}

func (k Known) formats() (out []string) {
	for _, f := range k.Formats {
		out = append(out, f.Name)
	}
	return out
}

func (k Known) detectors() (out []string) {
	for _, d := range k.Detectors {
		out = append(out, d.Name)
	}
	return out
}

// Keys of the whole file, in the order in which they are explained.
var keys = []string{"version", "objectives", "plans", "reading", "skip", "fail-on", "inconclusive", "strict", "reports"}

// Read reads a file. What cannot be used is an error, one for each place, joined.
func Read(path string, open func(string) (io.ReadCloser, error), known Known) (*File, error) {
	text, err := yamltext.Slurp(path, maxFile, open)
	if err != nil {
		return nil, err
	}
	return Parse(path, text, known)
}

// Parse reads the text of a file.
func Parse(path string, text []byte, known Known) (*File, error) {
	docs, err := yamltext.Documents(path, text)
	if err != nil {
		return nil, err
	}
	t := &reader{tree: tree{path: path}, known: known, file: &File{Path: path}}
	switch {
	case len(docs) == 0:
		t.fail(nil, "says nothing: want version: %d and what is asked of the reports", Version)
	case len(docs) > 1:
		t.fail(docs[1], "a second document: settings are one")
	case t.plain(docs[0]):
		t.all(yamltext.Real(docs[0]))
	}
	if len(t.errs) > 0 {
		slices.SortStableFunc(t.errs, func(a, b error) int { return cmp.Compare(lineOf(a), lineOf(b)) })
		return nil, errors.Join(t.errs...)
	}
	return t.file, nil
}

func lineOf(err error) int {
	var e *yamltext.Error
	errors.As(err, &e)
	return e.Line
}

// reader reads one file.
type reader struct {
	tree
	known Known
	file  *File
}

func (t *reader) all(n *yamltext.Node) {
	entries, ok := t.mapping(n, "the settings", keys)
	i := slices.IndexFunc(entries, func(e entry) bool { return e.name == "version" })
	switch {
	case i < 0 && ok:
		t.fail(n, "no version: want version: %d", Version)
		return
	case i >= 0 && !t.version(entries[i].value):
		return // other keys may mean something else
	}
	f := t.file
	for _, e := range entries {
		switch e.name {
		case "objectives":
			for _, x := range t.list(e.value, e.name) {
				t.objective(x)
			}
		case "plans":
			for _, x := range t.list(e.value, e.name) {
				t.plan(x)
			}
		case "reading":
			for _, x := range t.list(e.value, e.name) {
				t.reading(x)
			}
		case "skip":
			for _, x := range t.list(e.value, e.name) {
				t.skip(x)
			}
		case "fail-on":
			f.FailOn = t.word(e, "error", "warning", "note", "never")
		case "inconclusive":
			f.Inconclusive = t.word(e, "fail", "pass")
		case "strict":
			if e.value.Kind != yamltext.Scalar || e.value.Tag != "!!bool" {
				t.fail(e.value, "strict: want true or false, got %s", kindOf(e.value))
				continue
			}
			yes, _ := strconv.ParseBool(e.value.Value)
			f.Strict = Word{strconv.FormatBool(yes), e.key.Line}
		case "reports":
			t.reports(e.value)
		}
	}
}

func (t *reader) version(n *yamltext.Node) bool {
	switch v, err := strconv.Atoi(n.Value); {
	case n.Kind != yamltext.Scalar || n.Tag != "!!int" || err != nil:
		t.fail(n, "version: want the number %d, got %s", Version, kindOf(n))
	case v != Version:
		t.fail(n, "version %d is not known here: want %d", v, Version)
	default:
		return true
	}
	return false
}

func (t *reader) word(e entry, names ...string) Word {
	s, _ := t.oneOf(e.value, e.name, names)
	return Word{s, e.key.Line}
}

// files reads patterns: one, or a list.
func (t *reader) files(n *yamltext.Node) (out []Pattern) {
	items := []*yamltext.Node{n}
	if n.Kind == yamltext.Sequence {
		if items = t.list(n, "files"); len(n.Content) == 0 {
			t.fail(n, "files: an empty list covers nothing; leave it out for every input")
		}
	}
	for _, x := range items {
		x = resolve(x)
		s, ok := t.text(x, "files")
		if !ok {
			continue
		}
		p, err := parsePattern(s)
		if err != nil {
			t.fail(x, "files: the pattern %s %v", yamltext.Shown(x), err)
			continue
		}
		out = append(out, p)
	}
	return out
}

// reports reads which forms are written, and where to: below the working
// directory, since settings come with a checkout, whose author does not choose
// what else may be written on the machine.
func (t *reader) reports(n *yamltext.Node) {
	if isNull(n) {
		return
	}
	entries, _ := t.mapping(n, "reports", t.known.Renderers)
	for _, e := range entries {
		path, ok := t.text(e.value, e.name)
		if !ok {
			continue
		}
		if path != "-" && (!filepath.IsLocal(filepath.FromSlash(path)) || slices.Contains(strings.Split(path, "/"), "..")) {
			t.fail(e.value, "%s: want a file below the working directory, got %s: --report %s=FILE writes anywhere", e.name, yamltext.Shown(e.value), e.name)
			continue
		}
		t.file.Reports = append(t.file.Reports, Report{e.name, filepath.FromSlash(path), e.key.Line})
	}
}
