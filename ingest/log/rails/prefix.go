// Package rails reads logs of Ruby on Rails: of lograge and GitLab, a line for
// every request, and Rails' own, several lines for each.
package rails

import (
	"bytes"
)

// prefix is what Ruby's logger and tagged logging put in front of a text:
//
//	I, [2026-11-29T21:16:22.123456 #1234]  INFO -- : [tag] [tag] text
type prefix struct {
	stamp []byte // nil: none
	pid   []byte // nil: none
	id    []byte // the first tag that looks like a request's id, or else the first; nil: none
	text  []byte
}

// maxTags is how many tags are taken off.
const maxTags = 8

func (p *prefix) cut(line []byte) {
	*p = prefix{text: line}
	if len(line) > 24 && line[1] == ',' && line[2] == ' ' && line[3] == '[' {
		in, rest, ok := bytes.Cut(line[4:], []byte("]"))
		stamp, pid, has := bytes.Cut(in, []byte(" #"))
		if _, text, dashes := bytes.Cut(rest[:min(len(rest), 80)], []byte(" -- ")); ok && dashes {
			if i := bytes.Index(text, []byte(": ")); i >= 0 {
				p.stamp = stamp
				if has {
					p.pid = pid
				}
				at := len(rest[:min(len(rest), 80)]) - len(text) + i + 2
				p.text = rest[at:]
			}
		}
	}
	certain := false
	for range maxTags {
		if len(p.text) == 0 || p.text[0] != '[' {
			return
		}
		i := bytes.Index(p.text[:min(len(p.text), 200)], []byte("] "))
		if i < 1 {
			return
		}
		if tag := p.text[1:i]; !certain && (p.id == nil || isID(tag)) {
			p.id, certain = tag, isID(tag)
		}
		p.text = p.text[i+2:]
	}
}

// isID reports hex digits, with hyphens between them in a UUID.
func isID(b []byte) bool {
	if len(b) < 16 || len(b) > 40 {
		return false
	}
	for _, c := range b {
		if c-'0' > 9 && c|0x20-'a' > 5 && c != '-' {
			return false
		}
	}
	return true
}
