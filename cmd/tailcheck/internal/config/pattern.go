package config

import (
	"errors"
	"path"
	"path/filepath"
	"strings"
)

// Pattern names files: as path.Match has it, with ** for any number of folders.
// One without a slash is about names, wherever the file lies.
type Pattern struct {
	text  string
	parts []string
}

func (p Pattern) String() string { return p.text }

// maxPattern is how long a pattern may be, in bytes.
const maxPattern = 1000

// parsePattern reads a pattern, or says what is wrong with it.
func parsePattern(s string) (Pattern, error) {
	p := Pattern{text: s}
	for strings.HasPrefix(s, "./") {
		s = strings.TrimLeft(s[2:], "/")
	}
	switch {
	case s == "":
		return p, errors.New("is empty")
	case len(s) > maxPattern:
		return p, errors.New("is too long")
	case strings.HasSuffix(s, "/"):
		return p, errors.New("ends with a slash: want what is in the folder, " + s + "**")
	}
	p.parts = strings.Split(s, "/")
	for i, part := range p.parts {
		if part == "" && i > 0 {
			return p, errors.New("has two slashes in a row")
		}
		if _, err := path.Match(part, ""); err != nil {
			return p, errors.New(`is no pattern: a "[" without its "]", or a "\" at the end of a name`)
		}
	}
	return p, nil
}

// Match reports whether a pattern covers a path as it was given.
func (p Pattern) Match(name string) bool {
	names := strings.Split(path.Clean(filepath.ToSlash(name)), "/")
	if len(p.parts) == 1 && p.parts[0] != "**" {
		names = names[len(names)-1:]
	}
	// As in matching of words with one star: where a part does not fit, the last
	// ** takes one folder more.
	i, k := 0, 0
	star, taken := -1, 0
	for k < len(names) {
		switch {
		case i < len(p.parts) && p.parts[i] == "**":
			star, taken = i, k
			i++
			continue
		case i < len(p.parts):
			if ok, _ := path.Match(p.parts[i], names[k]); ok {
				i++
				k++
				continue
			}
		}
		if star < 0 {
			return false
		}
		taken++
		i, k = star+1, taken
	}
	for i < len(p.parts) && p.parts[i] == "**" {
		i++
	}
	return i == len(p.parts)
}

// Literal returns the pattern that covers one path, and no other that differs in a
// folder.
func Literal(name string) string {
	var b strings.Builder
	for _, r := range filepath.ToSlash(name) {
		if strings.ContainsRune(`*?[\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
