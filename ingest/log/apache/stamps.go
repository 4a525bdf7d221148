package apache

import (
	"strings"

	"github.com/tailcheck/tailcheck/ingest/log"
)

// stamps keeps track of the %t of a format, of which several may make one time
// stamp: %{%Y-%m-%dT%H:%M:%S}t.%{msec_frac}t %{%z}t.
type stamps struct {
	begin, end bool
	field      int  // of the last stamp in the format's parts, from 1; 0: there is none
	ofEnd      bool // it is of the end
}

// add adds what a %t logs. Plain %t is the start in brackets; %{end:…}t the end.
func (s *stamps) add(f *format, arg string) {
	if arg == "" {
		f.literal("[")
		f.field(log.Time, false)
		s.field, s.ofEnd, s.begin = len(f.parts), false, true
		f.literal("]")
		return
	}
	what, ofEnd := strings.CutPrefix(arg, "end:")
	what = strings.TrimPrefix(what, "begin:")
	if s.goesOn(f, ofEnd) {
		f.parts = f.parts[:s.field] // the literal between them is part of it
		return
	}
	role := log.Time
	switch {
	case ofEnd:
		role, s.end = log.EndTime, true
	case what == "msec" || what == "usec":
		role, s.begin = log.Epoch, true
	default:
		s.begin = true
	}
	f.field(role, false)
	s.field, s.ofEnd = len(f.parts), ofEnd
}

// goesOn reports whether a %t goes on with the stamp before it: only what stands
// inside a stamp stands between them.
func (s *stamps) goesOn(f *format, ofEnd bool) bool {
	if s.field == 0 || s.ofEnd != ofEnd || f.parts[s.field-1].Role == log.Epoch {
		return false
	}
	for _, p := range f.parts[s.field:] {
		if p.Literal == "" || strings.Trim(p.Literal, " .,:T") != "" {
			return false
		}
	}
	return true
}

// settle makes the end the stamp of the line where there is no other.
func (s *stamps) settle(f *format) {
	if f.end = s.end && !s.begin; !f.end {
		return
	}
	for i := range f.parts {
		if f.parts[i].Role == log.EndTime {
			f.parts[i].Role = log.Time
		}
	}
}
