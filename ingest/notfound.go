package ingest

import (
	"fmt"
	"strings"
)

// Unrecognised is the error of an input that no format claims.
type Unrecognised struct {
	Path   string
	Looked []string // formats looked for
	Near   string   // the nearest miss; empty: none
}

func (u *Unrecognised) Error() string {
	s := u.Path + ": not recognised as any of " + strings.Join(u.Looked, ", ")
	if n := len(u.Looked); n > 8 {
		s = fmt.Sprintf("%s: not recognised as any of the %d formats that are read (tailcheck formats lists them)", u.Path, n)
	}
	if u.Near != "" {
		s += "; nearest: " + u.Near
	}
	return s
}

// Ambiguous is the error of an input that several formats claim.
type Ambiguous struct {
	Path   string
	Claims []string
}

func (a *Ambiguous) Error() string {
	return fmt.Sprintf("%s: could be %s; say which with --format", a.Path, strings.Join(a.Claims, " or "))
}

// Empty is the error of an input without a byte that says anything.
type Empty struct{ Path string }

func (e *Empty) Error() string { return e.Path + ": is empty: nothing was measured" }

func ambiguous(path string, claims []*Format) error {
	a := &Ambiguous{Path: path}
	for _, c := range claims {
		a.Claims = append(a.Claims, c.Name)
	}
	return a
}
