package report

import (
	"fmt"
	"strconv"
	"strings"
)

// place is where something stands in an input.
type place struct {
	path string // empty: nowhere
	line int64  // 0: not known
	byte int64  // 0: not known, or the first
}

func (p place) String() string {
	switch {
	case p.line > 0:
		return fmt.Sprintf("%s:%d", p.path, p.line)
	case p.byte > 0:
		return fmt.Sprintf("%s:byte %d", p.path, p.byte)
	}
	return p.path
}

// line0 is a line, or 0 where there is none.
func line0(line *int64) int64 {
	if line == nil || *line < 0 {
		return 0
	}
	return *line
}

// placeOf is where the first evidence of a finding stands, or else the start of
// the first input that it is about.
func (r *Result) placeOf(f *Finding) place {
	for i := range f.Evidence {
		if at := f.Evidence[i].At; at != nil {
			if p, ok := r.parsePlace(*at, f.Inputs); ok {
				return p
			}
		}
	}
	if len(f.Inputs) > 0 {
		return r.start(f.Inputs[0])
	}
	return place{}
}

// parsePlace reads "hey.csv:151" or "spans.pb:byte 4711" of one of some inputs.
func (r *Result) parsePlace(at string, inputs []int) (place, bool) {
	for _, i := range inputs {
		if i < 0 || i >= len(r.Inputs) {
			continue
		}
		rest, ok := strings.CutPrefix(at, r.Inputs[i].Path+":")
		if !ok {
			continue
		}
		if offset, ok := strings.CutPrefix(rest, "byte "); ok {
			n, err := strconv.ParseInt(offset, 10, 64)
			return place{path: r.Inputs[i].Path, byte: n}, err == nil && n >= 0
		}
		n, err := strconv.ParseInt(rest, 10, 64)
		return place{path: r.Inputs[i].Path, line: n}, err == nil && n > 0
	}
	return place{}, false
}

// start is where an input starts.
func (r *Result) start(i int) place {
	if i < 0 || i >= len(r.Inputs) {
		return place{}
	}
	p := place{path: r.Inputs[i].Path}
	if l := r.Inputs[i].Line; l != nil && *l > 0 {
		p.line = *l
	}
	return p
}
