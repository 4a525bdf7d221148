package log

import "strings"

// stamps keeps track of the %t of a format, of which several may make one time
// stamp: %{%Y-%m-%dT%H:%M:%S}t.%{msec_frac}t %{%z}t.
type stamps struct {
	begin, end bool
	field      int  // of the last stamp in the format's parts, from 1; 0: there is none
	ofEnd      bool // it is of the end
}

// add adds what a %t logs. Plain %t is the start in brackets; %{end:…}t the end.
func (s *stamps) add(f *LogFormat, arg string) {
	if arg == "" {
		f.literal("[")
		f.field(Time, false)
		s.field, s.ofEnd, s.begin = len(f.Parts), false, true
		f.literal("]")
		return
	}
	what, ofEnd := strings.CutPrefix(arg, "end:")
	what = strings.TrimPrefix(what, "begin:")
	blanks := strings.Count(what, " ")
	if s.goesOn(f, ofEnd) {
		for _, p := range f.Parts[s.field:] {
			blanks += strings.Count(p.Literal, " ")
		}
		f.Parts = f.Parts[:s.field] // the literal between them is part of it
		f.Parts[s.field-1].Blanks += blanks
		return
	}
	role := Time
	switch {
	case ofEnd:
		role, s.end = EndTime, true
	case what == "msec" || what == "usec":
		role, s.begin = Epoch, true
	default:
		s.begin = true
	}
	f.field(role, false)
	s.field, s.ofEnd = len(f.Parts), ofEnd
	f.Parts[s.field-1].Blanks = blanks
}

// goesOn reports whether a %t goes on with the stamp before it: only what stands
// inside a stamp stands between them.
func (s *stamps) goesOn(f *LogFormat, ofEnd bool) bool {
	if s.field == 0 || s.ofEnd != ofEnd || f.Parts[s.field-1].Role == Epoch {
		return false
	}
	for _, p := range f.Parts[s.field:] {
		if p.Literal == "" || strings.Trim(p.Literal, " .,:T") != "" {
			return false
		}
	}
	return true
}

// settle makes the end the stamp of the line where there is no other.
func (s *stamps) settle(f *LogFormat) {
	if f.End = s.end && !s.begin; !f.End {
		return
	}
	for i := range f.Parts {
		if f.Parts[i].Role == EndTime {
			f.Parts[i].Role = Time
		}
	}
}
