package report

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// sarifPlace is a place as a list of one location; a place that is nowhere is
// none. Code scanning wants a line of every place.
func sarifPlace(p place) []sarifLocation {
	if p.path == "" {
		return nil
	}
	region := &sarifRegion{StartLine: max(p.line, 1)}
	if p.byte > 0 {
		region = &sarifRegion{ByteOffset: p.byte}
	}
	return []sarifLocation{{Physical: sarifPhysical{sarifArtifact{fileURI(p.path)}, region}}}
}

var drive = regexp.MustCompile(`^[A-Za-z]:[\\/]`)

// fileURI writes a path as a reference: relative paths stay so, which is what
// code scanning takes for relative to the root of the repository.
func fileURI(path string) string {
	switch {
	case path == "-":
		return "stdin"
	case drive.MatchString(path):
		path = "/" + strings.ReplaceAll(path, `\`, "/")
	}
	u := url.URL{Path: strings.TrimPrefix(path, "./")}
	if strings.HasPrefix(path, "/") {
		u.Scheme = "file"
	}
	if u.Path == "" {
		u.Path = "."
	}
	return u.String()
}

// kindOf says what sort of runs some inputs are, whatever they are called and in
// whatever order they were given: the format, the tool and the plan.
func (s *sarif) kindOf(inputs ...int) []string {
	var kinds []string
	for _, i := range inputs {
		if i < 0 || i >= len(s.r.Inputs) {
			continue
		}
		in := &s.r.Inputs[i]
		kind := []string{in.Format, in.Tool}
		if r := in.Run; r != nil {
			kind = append(kind, r.Loop)
			if r.Workers != nil {
				kind = append(kind, fmt.Sprint("workers ", *r.Workers))
			}
			if r.Rate != nil {
				kind = append(kind, fmt.Sprint("rate ", *r.Rate))
			}
		}
		kinds = append(kinds, strings.Join(kind, "\x00"))
	}
	slices.Sort(kinds)
	return kinds
}

// fingerprint is a number for an identity, in hexadecimal digits.
func fingerprint(identity []string) string {
	h := sha256.New()
	for _, s := range identity {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}
